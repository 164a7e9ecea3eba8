"""A notebook of very many games: its list, a backup, and saves while the daily one is made.

``python -m tests.bench.growth [--games 20000]``. The games are copies of one of thirteen hands,
written in bulk. Every ratio is of what was measured in the same run; other work on the machine
slows all of it.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from math import ceil
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from sqlalchemy import insert, make_url, text

from companion.launcher import ROOT
from companion.notebook.events import GameStarted, HandEntry, HandMarked, PenaltyCharged
from companion.rules.games import game_named
from companion.services import game_log, games
from companion.services.game_log import load_game
from companion.store import Database, MarkerRecord, digest, random_game_id, random_key
from companion.store.models import GameRecord
from tests.bench import seven
from tests.bench.pages import marked
from tests.bench.report import Row, show
from tests.bench.servers import companion, processor_time
from tests.browsing import Browser
from tests.workers import Server

HANDS = 13
LONGEST = 90  # seconds, for the daily backup
SAVES = 60  # with nothing else going on, to compare with
_OLDER = re.compile(r'href="(/\?[^"]*)">Older')
_PERSON = re.compile(r"/people/[0-9a-z]{10}")
_CHOICE = re.compile(r'href="\?(\w+)=(\w+)#figures"')
_COPY = text(
    "INSERT INTO event (game_id, number, key, at, marker_id, kind, payload)"
    " SELECT game.id, number, key, updated_at, marker_id, kind, payload FROM event, game"
    " WHERE event.game_id = :game AND game.id <> :game"
)

_COPY_SEATS = text(
    "INSERT INTO seat (game_id, seat, name, person_id, game, place, players, played, number,"
    " finished_at)"
    " SELECT game.id, seat, name, person_id, game, place, players, played, number, updated_at"
    " FROM seat, game WHERE seat.game_id = :game AND game.id <> :game"
)


def fill(database: Database, marker: MarkerRecord, count: int) -> None:
    """Write so many games of thirteen hands into the marker's notebook, an hour apart."""
    house = game_named("proter").house(None, {})
    start = GameStarted("proter", house.sheet, dict(house.values), ("Ana", "Ben", "Cleo"), 0, "")
    game = games.start(database, marker, start, "thirteen")
    for hand in range(1, HANDS + 1):
        ends = (HandEntry(1, "KH QD"), HandEntry(2, "3C 4D"))
        for event in (PenaltyCharged(hand, 1, "PRO-13.3"), HandMarked(hand, 0, ends)):
            base = load_game(database, game, marker.id).sheet.number
            game_log.write(
                database, game, marker.id, base=base, key=f"act-{base}", make=lambda _, e=event: e
            )
    record = load_game(database, game, marker.id).record
    row = {name: getattr(record, name) for name in GameRecord.model_fields}
    now = datetime.now(UTC)
    with database.rewrite() as connection:
        for some in range(0, count - 1, 1000):
            connection.execute(
                insert(GameRecord),
                [
                    row
                    | {"id": random_game_id(), "updated_at": now - timedelta(hours=number + 1)}
                    | {"viewer_key": (key := random_key()), "viewer_digest": digest(key)}
                    for number in range(some, min(some + 1000, count - 1))
                ],
            )
        connection.execute(_COPY, {"game": game})
        connection.execute(_COPY_SEATS, {"game": game})


def run(count: int) -> Iterator[Row]:
    """The rows: seed a server's database before its first request, which has the backup made."""
    with companion() as server:
        database = Database(server.database)
        marker = games.open_as_marker(database, "Phone")
        begun = perf_counter()
        fill(database, marker, count)
        copied = iter(seven.copies(database, marker, seven.play(database, marker), 1200))
        file = Path(str(make_url(server.database).database))
        yield Row(
            f"{count:,} games written in bulk",
            f"{perf_counter() - begun:.0f} s, {file.stat().st_size / 1e6:,.0f} MB",
        )
        # From here on the server makes the backup of the day.
        browser = marked(server, 1)[0]
        begun = perf_counter()
        with database.write() as session:
            session.connection().exec_driver_sql(
                f"UPDATE marker SET notebook_id = '{marker.notebook_id}'"
            )
        meanwhile = []
        daily = None
        while perf_counter() - begun < LONGEST:
            meanwhile.append(_save(browser, next(copied)))
            sleep(0.02)
            if list((file.parent / "backups").glob("daily-*.backup")):
                daily = perf_counter() - begun
                break
        took = f"not done after {LONGEST} s" if daily is None else f"{daily:.1f} s"
        yield Row(
            "the daily backup while it serves", took, "under 20 s", bool(daily and daily < 20)
        )
        sleep(1)
        alone = [_save(browser, next(copied)) for _ in range(SAVES)]
        slow = _slow(meanwhile)
        yield Row(
            "saves while it is made, 95 %",
            f"{slow * 1000:.0f} ms of {len(meanwhile)}, worst {max(meanwhile) * 1000:.0f} ms",
            "under 100 ms",
            slow < 0.1,
        )
        yield Row(
            "saves with no backup, 95 %",
            f"{_slow(alone) * 1000:.0f} ms of {len(alone)};"
            f" meanwhile is {slow / _slow(alone):.1f} times that",
        )
        yield from _list(browser)
        person = _PERSON.search(browser.get("/people").text)
        assert person is not None
        yield from person_in_all(browser, server, person[0], count)
        for command, aim in (("backup", 20.0), ("doctor", None)):
            begun = perf_counter()
            said = subprocess.run(
                [sys.executable, "-m", "companion", command],
                cwd=ROOT,
                env=_environment(file.parent),
                capture_output=True,
                text=True,
                check=False,
            )
            took = perf_counter() - begun
            assert said.stdout, said.stderr
            yield Row(
                f"`{command}`",
                f"{took:.1f} s",
                f"under {aim:g} s" if aim else "",
                took < aim if aim else None,
            )
        database.close()


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {"COMPANION_INSTANCE": str(folder), "COMPANION_NO_VENV": "1"}


def _save(browser: Browser, game: str) -> float:
    body = seven.end(browser, game)
    begun = perf_counter()
    assert browser.request("POST", f"/games/{game}/end", body) == 303
    return perf_counter() - begun


def _slow(times: list[float]) -> float:
    return sorted(times)[ceil(0.95 * len(times)) - 1]


def _list(browser: Browser) -> Iterator[Row]:
    """Every page of the list by its own links, each in turn with the first one."""
    first, each, address = [], [], "/"
    while True:
        first.append(_page(browser, "/")[0])
        seconds, older = _page(browser, address)
        each.append((seconds, address))
        if older is None:
            break
        address = older
    # The slowest ones again, as the machine does other things as well.
    slowest = sorted(each)[-5:] + each[-1:]
    again = {
        address: median(_page(browser, address)[0] / _page(browser, "/")[0] for _ in range(15))
        for _, address in slowest
    }
    worst = max(again.values())
    last = again[each[-1][1]]
    yield Row("first page of the list", f"median {median(first) * 1000:.1f} ms")
    yield Row(
        f"any of {len(each)} pages ÷ first page",
        f"median {median(one for one, _ in each) / median(first):.2f}, last {last:.2f},"
        f" worst {worst:.2f}",
        "at most 2",
        worst <= 2,
    )


def person_in_all(browser: Browser, server: Server, address: str, count: int) -> Iterator[Row]:
    """The page of somebody who sat in every game, which nobody's games can be more than.

    It is seen for the first time, then again, then with one choice of each filter.
    """
    first, _ = _page(browser, address)
    yield Row(f"page of a person with {count:,} games, the first time", f"{first * 1000:.0f} ms")
    page = browser.get(address).text
    chosen = {name: f"?{name}={value}" for name, value in reversed(_CHOICE.findall(page))}
    for what, views in (("again", [""]), ("filtered", [*chosen.values()])):
        before = processor_time(server)
        times = [_page(browser, address + view)[0] for _ in range(9) for view in views]
        used = (processor_time(server) - before) / len(times)
        took = median(times)
        yield Row(
            f"the same page {what}",
            f"median {took * 1000:.0f} ms; {used * 1000:.0f} ms of processor time",
            "under 150 ms",
            took < 0.15,
        )


def _page(browser: Browser, address: str) -> tuple[float, str | None]:
    begun = perf_counter()
    answer = browser.get(address)
    took = perf_counter() - begun
    assert answer.status == 200
    older = _OLDER.search(answer.text)
    return took, unescape(older[1]) if older else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    asked = parser.parse_args()
    show(run(asked.games))
