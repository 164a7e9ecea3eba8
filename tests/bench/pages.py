"""Measure pages and saves, in turn with a bare Flask page on the same kind of server; and memory.

The client is this process, with keep-alive connections of http.client, a marker's cookies, and
the headers of a phone's browser over plain HTTP (`Accept-Encoding: gzip, deflate`).
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice, takewhile
from statistics import median
from time import monotonic, perf_counter

from sqlmodel import select

from companion.services.game_log import load_game
from companion.store import Database, MarkerRecord
from tests.bench import servers, seven
from tests.bench.report import Row, within
from tests.browsing import PHONE_ENCODINGS, Browser

CONNECTIONS = 4
BLOCK = 0.4  # seconds of one page, before the other page has its turn
SAVES = 5  # in a row, before the bare pages have their turn
GAMES = 300  # for memory: more than the server keeps loaded
REQUESTS = 10_000
AIM = 120  # MB after this number of requests

Send = Callable[[Browser], None]


@dataclass
class Times:
    """The seconds that each request took, and the rate of each turn."""

    each: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def add(self, each: Sequence[float], seconds: float) -> None:
        """Add a turn: the seconds of each request, and of all requests together."""
        self.each += each
        self.rates.append(len(each) / seconds)

    def __str__(self) -> str:
        return f"{median(self.rates):,.0f}/s, 95 % within {within(self.each) * 1000:.1f} ms"


@dataclass
class Visit:
    """The browsers of a marker, of viewers without cookies, and of the bare pages; and the game."""

    browsers: list[Browser]
    viewers: list[Browser]
    bare_browsers: list[Browser]
    database: Database
    marker: MarkerRecord
    game: str


@contextmanager
def visit() -> Iterator[Visit]:
    """Start both servers, and play a game up to its eighth hand."""
    with servers.companion() as companion, servers.bare() as bare:
        browsers = marked(companion, CONNECTIONS)
        database = Database(companion.database)
        marker = marker_of(database)
        viewers, others = (
            [Browser(server.port, encodings=PHONE_ENCODINGS) for _ in range(CONNECTIONS)]
            for server in (companion, bare)
        )
        (game,) = seven.play(database, marker, 1)
        yield Visit(browsers, viewers, others, database, marker, game)
        database.close()
        for browser in (*browsers, *viewers, *others):
            browser.close()


def marked(server: servers.Server, count: int) -> list[Browser]:
    """Return `count` connections with the cookies of one marker."""
    first = Browser(server.port, encodings=PHONE_ENCODINGS)
    first.enter(server.house_key)
    assert first.get("/games/new").status == 200  # after this the cookie does not change
    more = (Browser(server.port, first.cookies, PHONE_ENCODINGS) for _ in range(count - 1))
    return [first, *more]


def marker_of(database: Database) -> MarkerRecord:
    with database.read() as session:
        return session.exec(select(MarkerRecord)).one()


def pages(visit: Visit, turns: int, names: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of the pages with these names: hand, sheet, poll."""
    game = f"/games/{visit.game}"
    record = load_game(visit.database, visit.game, visit.marker.id).record
    news = f"/v/{record.viewer_key}/live?since={record.last_number}"
    for name, title, path, aim in (
        ("hand", "hand page", game, 0.4),
        ("sheet", "score sheet", f"{game}/sheet", None),
        ("poll", "a viewer's poll without news", news, 0.7),
    ):
        if name not in names:
            continue
        browsers = visit.viewers if name == "poll" else visit.browsers
        answer = browsers[0].get(path)
        if name == "poll":
            assert answer.status == 204, answer
        else:
            assert answer.status == 200, answer
            assert all(person in answer.text for person in seven.NAMES), answer.text
        yield from _page(visit, browsers, turns, title, path, answer.status, aim)


def _page(
    visit: Visit,
    browsers: Sequence[Browser],
    turns: int,
    title: str,
    path: str,
    status: int,
    aim: float | None,
) -> Iterator[Row]:
    def ask(browser: Browser) -> None:
        assert browser.request("GET", path) == status

    for count in (CONNECTIONS, 1):
        page, bare = Times(), Times()
        with ThreadPoolExecutor(count) as threads:
            for turn in range(turns + 1):
                for times, connections, send in (
                    (page, browsers, ask),
                    (bare, visit.bare_browsers, _bare_page),
                ):
                    taken = _turn(threads, connections[:count], send)
                    if turn:  # the first turn warms everything up
                        times.add(*taken)
        at = f"{count} connection{'s' if count > 1 else ''}"
        yield Row(f"{title}, {at}", str(page))
        yield Row(f"bare page in turn with it, {at}", str(bare))
        # A table has several viewers: the aim is for several connections.
        aimed = aim if count > 1 else None
        yield _ratio(f"{title} ÷ bare page, {at}", page, bare, aimed)


def _turn(
    threads: ThreadPoolExecutor, browsers: Sequence[Browser], send: Send
) -> tuple[list[float], float]:
    """Send requests on every connection; return the seconds of each one and of all together."""
    begun = perf_counter()
    done = threads.map(lambda browser: _until(begun + BLOCK, browser, send), browsers)
    return [seconds for times in done for seconds in times], perf_counter() - begun


def _until(end: float, browser: Browser, send: Send) -> list[float]:
    times = []
    start = perf_counter()
    while start < end:
        send(browser)
        now = perf_counter()
        times.append(now - start)
        start = now
    return times


def _bare_page(browser: Browser) -> None:
    assert browser.request("GET", "/") == 200


def _bare_post(browser: Browser) -> None:
    assert browser.request("POST", "/", b"text=Hand+8+is+marked.") == 303


def saving(visit: Visit, turns: int, seconds: float) -> Iterator[Row]:
    """Yield the rows of saving a hand: each save is the eighth hand of another game.

    There are `turns` turns, or fewer if they take longer than `seconds`.
    """
    end = perf_counter() + seconds
    games = iter(seven.play(visit.database, visit.marker, SAVES * (turns + 1)))
    browser, other = visit.browsers[0], visit.bare_browsers[0]
    save, follow, page, post = Times(), Times(), Times(), Times()
    for turn in range(turns + 1):
        if perf_counter() > end and save.each:
            break
        saved, followed = zip(*(_saved(browser, next(games)) for _ in range(SAVES)), strict=True)
        read = [_timed(other, _bare_page) for _ in range(8 * SAVES)]
        written = [_timed(other, _bare_post) for _ in range(4 * SAVES)]
        if turn:  # the first turn warms everything up
            measured = ((save, saved), (follow, followed), (page, read), (post, written))
            for times, each in measured:
                times.add(each, sum(each))
    yield Row("saving a hand, one after the other", str(save))
    yield Row("hand page that follows each save", str(follow))
    yield Row("bare commit of a row in turn with it", str(post))
    yield Row("bare page in turn with it", str(page))
    yield _ratio("saving a hand ÷ bare commit", save, post)
    yield _ratio("saving a hand ÷ bare page", save, page)
    yield _ratio("hand page that follows each save ÷ bare page", follow, page)


def _saved(browser: Browser, game: str) -> tuple[float, float]:
    """Return the seconds of a save and of the page to which it redirects.

    The form is opened and filled in before.
    """
    body = seven.end(browser, game)

    def save(browser: Browser) -> None:
        assert browser.request("POST", f"/games/{game}/end", body) == 303

    def follow(browser: Browser) -> None:
        assert browser.request("GET", f"/games/{game}") == 200

    return _timed(browser, save), _timed(browser, follow)


def _timed(browser: Browser, send: Send) -> float:
    start = perf_counter()
    send(browser)
    return perf_counter() - start


def _ratio(title: str, ours: Times, bare: Times, aim: float | None = None) -> Row:
    ratios = sorted(own / other for own, other in zip(ours.rates, bare.rates, strict=True))
    middle = median(ratios)
    measured = f"{middle:.2f} (of {len(ratios)} turns {ratios[0]:.2f} to {ratios[-1]:.2f})"
    if aim is None:
        return Row(title, measured)
    return Row(title, measured, f"at least {aim}", middle >= aim)


# -- memory ---------------------------------------------------------------------------------------

# The pages that a phone opens while a hand is played; each game gets all of them once.
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


def memory(requests: int, seconds: float) -> Iterator[Row]:
    """Yield the row with the server's resident memory before and after `requests` requests.

    It stops after `seconds`. With fewer requests the row does not say if the aim was met.
    """
    with servers.companion() as server:
        browsers = marked(server, CONNECTIONS)
        database = Database(server.database)
        marker = marker_of(database)
        games = seven.play(database, marker, GAMES)
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
