"""What the server keeps in memory after many requests of every kind, for many games."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice, takewhile
from time import monotonic

from companion.store import Database
from tests.bench import servers, seven
from tests.bench.pages import CONNECTIONS, marked, marker_of
from tests.bench.report import Row
from tests.browsing import Browser

GAMES = 300  # more than the server keeps opened
REQUESTS = 10_000
AIM = 120

# What a phone asks for while a hand is played, all of it once for each game.
PAGES = (
    "",
    "/sheet",
    "",
    "/penalty",
    "",
    "/ruling?ask=meld&player=1",
    "/rulings",
    "",
    "/table",
    "/sheet",
    "/hands/3",
    "/hands/3/correct",
    "/log",
    "/tally",
    "/tally.csv",
    "/game.json",
    "/rules",
    "/manage",
)


def run(requests: int, seconds: float) -> Iterator[Row]:
    """The row: the server's resident memory before and after so many requests.

    They are fewer if they take longer than so many seconds, and then nothing is said of the aim.
    """
    with servers.companion() as server:
        browsers = marked(server, CONNECTIONS)
        database = Database(server.database)
        marker = marker_of(database)
        games = seven.copies(database, marker, seven.play(database, marker), GAMES)
        database.close()
        before = servers.resident_memory(server)
        end = monotonic() + seconds

        def visit(at: int) -> int:
            evening = islice(
                _evening(browsers[at], games[at::CONNECTIONS]), requests // CONNECTIONS
            )
            return sum(1 for _ in takewhile(lambda _: monotonic() < end, evening))

        with ThreadPoolExecutor(CONNECTIONS) as threads:
            sent = sum(threads.map(visit, range(CONNECTIONS)))
        after = servers.resident_memory(server)
        for browser in browsers:
            browser.close()
    title = f"resident memory after {sent:,} requests for {GAMES} games"
    aim = f"under {AIM} MB after {REQUESTS:,}"
    if before is None or after is None:
        yield Row(title, "this system does not tell", aim)
    else:
        met = after < AIM if sent >= REQUESTS else None
        yield Row(title, f"{after:.0f} MB ({before:.0f} MB before)", aim, met)


def _evening(browser: Browser, games: list[str]) -> Iterator[None]:
    unsaved = set(games)
    for game in cycle(games):
        for page in PAGES:
            path = f"/games/{game}{page}"
            assert browser.request("GET", path) == 200, path
            yield
        if game in unsaved:
            unsaved.remove(game)
            body = seven.end(browser, game)
            yield
            assert browser.request("POST", f"/games/{game}/end/preview", body) == 200
            yield
            assert browser.request("POST", f"/games/{game}/end", body) == 303
            yield
