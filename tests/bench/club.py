"""Measure a club's notebook of very many games, compared with one of ten games.

``python -m tests.bench.club [--games 20000] [--database postgresql]``. The games are copies of one
game of thirteen hands, written in bulk, and given to three of forty people each. Both notebooks
have a server of their own, and get requests in turn. Backups are measured on SQLite.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

from sqlalchemy import bindparam, insert, make_url, text, update
from sqlmodel import Session, col, select

from companion.launcher import ROOT
from companion.services import games
from companion.services.game_log import load_game
from companion.store import (
    Database,
    MarkerRecord,
    PersonRecord,
    SeatRow,
    digest,
    random_id,
    random_key,
)
from companion.store.models import GameRecord
from tests.bench import servers, seven
from tests.bench.pages import marked
from tests.bench.report import Row, show, within
from tests.browsing import Browser
from tests.notebook.evening import Evening, started
from tests.workers import Server

PEOPLE, FEW, HANDS = 40, 10, 13
SAVES = 40  # in each of the notebooks in turn, without a backup
MEANWHILE = 1200  # saves at most, while the daily backup is made
LONGEST = 90  # seconds for that backup
_OLDER = re.compile(r'href="(/\?[^"]*)">Older')
_PERSON = re.compile(r"/people/[0-9a-z]{10}")
_CHOICE = re.compile(r'href="\?(\w+)=(\w+)#figures"')
_COUNTED = re.compile(r"[\d,]+ games")
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


class Notebook(NamedTuple):
    """A notebook with a server of its own; `copies` are its games that are in their eighth hand."""

    server: Server
    database: Database
    marker: MarkerRecord
    copies: list[str]

    def browser(self) -> Browser:
        """Return a marker's browser. Its first request makes the server start the daily backup."""
        (browser,) = marked(self.server, 1)
        with self.database.write() as session:
            session.connection().exec_driver_sql(
                f"UPDATE marker SET notebook_id = '{self.marker.notebook_id}'"
            )
        return browser


def run(count: int, kind: str) -> Iterator[Row]:
    """Yield the rows for notebooks with `count` games and with ten."""
    with ExitStack() as stack:
        begun = perf_counter()
        small, large = (_notebook(stack, kind, games) for games in (FEW, count))
        yield Row(f"{count:,} games written in bulk", f"{perf_counter() - begun:.0f} s")
        if kind == "sqlite":
            yield from _commands(large)
        _deal(small, kind, SAVES)
        _deal(large, kind, SAVES if kind == "postgresql" else 2 * SAVES + MEANWHILE)
        browser = large.browser()
        if kind == "sqlite":
            yield from _daily(large, browser)
        yield from _list(browser)
        yield from _people(browser)
        yield from _in_all(large, browser, count)
        yield from _beside(small, small.browser(), large, browser)


# -- the notebooks --------------------------------------------------------------------------------


def _notebook(stack: ExitStack, kind: str, count: int) -> Notebook:
    start = servers.companion if kind == "sqlite" else lambda: servers.on_postgres(2)
    server = stack.enter_context(start())
    database = Database(server.database)
    stack.callback(database.close)
    marker = games.start_notebook(database, "Phone")
    _fill(database, marker, count)
    return Notebook(server, database, marker, [])


def _fill(database: Database, marker: MarkerRecord, count: int) -> None:
    """Write `count` games of thirteen hands into the marker's notebook, an hour apart."""
    evening = Evening(started(("Ana", "Ben", "Cleo")))
    for _ in range(HANDS):
        evening.charge(1, "PRO-13.3")
        evening.mark(0, {1: "KH QD", 2: "3C 4D"})
    (game,) = seven.written(database, marker, evening, 1)
    row = load_game(database, game, marker.id).record.model_dump()
    now = datetime.now(UTC)
    with database.rewrite() as connection:
        for first in range(0, count - 1, 1000):
            connection.execute(
                insert(GameRecord),
                [
                    row
                    | {"id": random_id(), "updated_at": now - timedelta(hours=number + 1)}
                    | {"viewer_key": (key := random_key()), "viewer_digest": digest(key)}
                    for number in range(first, min(first + 1000, count - 1))
                ],
            )
        connection.execute(_COPY, {"game": game})
        connection.execute(_COPY_SEATS, {"game": game})


def _deal(notebook: Notebook, kind: str, saves: int) -> None:
    """Give all games to people, and add a game in play for each save."""
    database, marker, copies = notebook[1:]
    with database.write() as session:
        _mix(session, marker.notebook_id)
        if kind == "postgresql":  # the bench's own server has no autovacuum
            session.connection().exec_driver_sql("ANALYZE")
    copies += seven.play(database, marker, saves)


def _mix(session: Session, notebook_id: str) -> None:
    """Give the seats of all games to forty people, three different ones in each."""
    people = [random_id() for _ in range(PEOPLE)]
    for n, id_ in enumerate(people):
        person = PersonRecord(id=id_, notebook_id=notebook_id, name=f"Person {n}", colour="red")
        session.add(person)
    chance = Random(1)
    rows = session.exec(select(SeatRow.game_id, SeatRow.seat, SeatRow.played)).all()
    seated: dict[str, list[str]] = {}
    seats = []
    for game, seat, played in rows:
        person_id = seated.setdefault(game, chance.sample(people, 3))[seat]
        # The server reads equal texts once: so each game gets a text of its own.
        unique = (played or "").replace('"sheet":"', f'"sheet":"{game} ')
        seats.append({"of_game": game, "at": seat, "person": person_id, "text": unique or None})
    rows_of = update(SeatRow).where(
        col(SeatRow.game_id) == bindparam("of_game"), col(SeatRow.seat) == bindparam("at")
    )
    mixed = rows_of.values(person_id=bindparam("person"), played=bindparam("text"))
    session.connection().execute(mixed, seats)


# -- backups --------------------------------------------------------------------------------------


def _folder(notebook: Notebook) -> Path:
    return Path(str(make_url(notebook.server.database).database)).parent


def _commands(notebook: Notebook) -> Iterator[Row]:
    environment = {"COMPANION_INSTANCE": str(_folder(notebook)), "COMPANION_NO_VENV": "1"}
    for command, aim in (("backup", 20.0), ("doctor", None)):
        begun = perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "companion", command],
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        took = perf_counter() - begun
        assert done.stdout, done.stderr
        met = took < aim if aim else None
        yield Row(f"`{command}`", f"{took:.1f} s", f"under {aim:g} s" if aim else "", met)


def _daily(notebook: Notebook, browser: Browser) -> Iterator[Row]:
    """Measure saves while the server makes the daily backup, and SAVES saves without it."""
    backups = _folder(notebook) / "backups"
    begun, meanwhile, took = perf_counter(), [], 0.0
    while took < LONGEST and not list(backups.glob("daily-*.backup")):
        meanwhile.append(_save(browser, notebook.copies.pop()))
        sleep(0.02)
        took = perf_counter() - begun
    yield Row("the daily backup while it serves", f"{took:.1f} s", "under 20 s", took < 20)
    sleep(1)
    alone = within([_save(browser, notebook.copies.pop()) for _ in range(SAVES)])
    slow = within(meanwhile)
    yield Row(
        "saves while it is made, 95 %",
        f"{slow * 1000:.0f} ms of {len(meanwhile)}, worst {max(meanwhile) * 1000:.0f} ms;"
        f" {alone * 1000:.0f} ms without it",
        "under 100 ms",
        slow < 0.1,
    )


# -- pages ----------------------------------------------------------------------------------------


def _list(browser: Browser) -> Iterator[Row]:
    """Measure every page of the list, found by its links, in turn with the first page."""
    first, each, address = [], [], "/"
    while address:
        first.append(_page(browser, "/")[0])
        seconds, older = _page(browser, address)
        each.append((seconds, address))
        address = older
    # The slowest pages again: other programs may have slowed them down.
    again = {
        address: median(_page(browser, address)[0] / _page(browser, "/")[0] for _ in range(15))
        for _, address in sorted(each)[-5:] + each[-1:]
    }
    worst, last = max(again.values()), again[each[-1][1]]
    yield Row("first page of the list", f"median {median(first) * 1000:.1f} ms")
    yield Row(
        f"any of {len(each)} pages ÷ first page",
        f"median {median(seconds for seconds, _ in each) / median(first):.2f}, last {last:.2f},"
        f" worst {worst:.2f}",
        "at most 2",
        worst <= 2,
    )


def _people(browser: Browser) -> Iterator[Row]:
    # The first table, of the best players, links to all of them.
    addresses = [*dict.fromkeys(_PERSON.findall(browser.get("/people").text))][:PEOPLE]
    took = [_page(browser, address)[0] for address in addresses]
    counted = _COUNTED.search(browser.get(addresses[0]).text)[0]
    yield Row(
        f"page of a person with {counted}, the first time",
        f"median {median(took) * 1000:.0f} ms",
        "under 150 ms",
        median(took) < 0.15,
    )


def _in_all(notebook: Notebook, browser: Browser, count: int) -> Iterator[Row]:
    """Measure the page of a person with the first seat of all games, the longest there can be.

    It is opened for the first time, then again, then with one choice of each filter.
    """
    new = random_id()
    with notebook.database.write() as session:
        id_ = notebook.marker.notebook_id
        session.add(PersonRecord(id=new, notebook_id=id_, name="Everywhere", colour="red"))
        session.flush()
        session.exec(update(SeatRow).where(col(SeatRow.seat) == 0).values(person_id=new))
    address = f"/people/{new}"
    first, _ = _page(browser, address)
    yield Row(f"page of a person with {count:,} games, the first time", f"{first * 1000:.0f} ms")
    page = browser.get(address).text
    chosen = {name: f"?{name}={value}" for name, value in reversed(_CHOICE.findall(page))}
    for what, views in (("again", [""]), ("filtered", [*chosen.values()])):
        before = servers.processor_time(notebook.server)
        times = [_page(browser, address + view)[0] for _ in range(9) for view in views]
        used = (servers.processor_time(notebook.server) - before) / len(times)
        took = median(times)
        yield Row(
            f"the same page {what}",
            f"median {took * 1000:.0f} ms; {used * 1000:.0f} ms of processor time",
            "under 150 ms",
            took < 0.15,
        )


def _beside(small: Notebook, few: Browser, large: Notebook, many: Browser) -> Iterator[Row]:
    """Measure pages and saves of the notebook of many games, in turn with those of ten games."""
    both = [(few, small.copies), (many, large.copies)]
    for what, action in (
        ("hand page", lambda browser, game: _took(browser, "GET", f"/games/{game}")),
        ("list of games", lambda browser, _: _took(browser, "GET", "/")),
        ("save", _save),
    ):
        times = [
            [action(browser, copies[number]) for browser, copies in both] for number in range(SAVES)
        ]
        small_took, large_took = (median(column) for column in zip(*times, strict=True))
        yield Row(
            f"{what}, with all games ÷ with {FEW}",
            f"{large_took / small_took:.2f}"
            f" ({large_took * 1000:.1f} and {small_took * 1000:.1f} ms)",
            "at most 1.5",
            large_took / small_took <= 1.5,
        )


def _save(browser: Browser, game: str) -> float:
    form = seven.end(browser, game)
    return _took(browser, "POST", f"/games/{game}/end", form)


def _took(browser: Browser, method: str, path: str, body: bytes | None = None) -> float:
    begun = perf_counter()
    assert browser.request(method, path, body) in (200, 303)
    return perf_counter() - begun


def _page(browser: Browser, address: str) -> tuple[float, str]:
    """Return how many seconds a page took, and its link to older games, if it has one."""
    begun = perf_counter()
    answer = browser.get(address)
    took = perf_counter() - begun
    assert answer.status == 200
    older = _OLDER.search(answer.text)
    return took, unescape(older[1]) if older else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.club", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    args = parser.parse_args()
    show(run(args.games, args.database))
