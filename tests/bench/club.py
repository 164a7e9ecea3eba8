"""A club's notebook beside one of ten games: a person's page, and the pages of the game in play.

``python -m tests.bench.club [--games 20000] [--database postgresql]``. The games are copies of one
of thirteen hands, played by three of forty people. Both notebooks have a server of their own, and
are asked in turn.
"""

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random
from statistics import median
from time import perf_counter
from typing import NamedTuple

from sqlalchemy import bindparam, update
from sqlmodel import Session, col, select

from companion.services.games import find_marker
from companion.store import Database, PersonRecord, SeatRow, random_game_id
from tests.bench import servers, seven
from tests.bench.growth import fill, person_in_all
from tests.bench.pages import marked, marker_of
from tests.bench.report import Row, show
from tests.browsing import Browser
from tests.workers import Server

PEOPLE = 40
FEW = 10
SAVES = 40
_PERSON = re.compile(r"/people/[0-9a-z]{10}")
_COUNTED = re.compile(r"[\d,]+ games")


class Notebook(NamedTuple):
    """A notebook with a server of its own: a marker's browser, and games in their eighth hand."""

    browser: Browser
    games: list[str]
    database: Database
    server: Server


def run(count: int, kind: str) -> Iterator[Row]:
    """Yield what is measured: with so many games, and with ten."""
    with ExitStack() as stack:
        small, large = (_notebook(stack, kind, games) for games in (FEW, count))
        yield from _people(large)
        yield from _in_all(large, count)
        yield from _beside(small, large)


def _notebook(stack: ExitStack, kind: str, count: int) -> Notebook:
    start = servers.companion if kind == "sqlite" else lambda: servers.on_postgres(2)
    server = stack.enter_context(start())
    # The second connection opens with its first request, when everything is written.
    first, browser = marked(server, 2)
    first.close()
    stack.callback(browser.close)
    database = Database(server.database)
    stack.callback(database.close)
    marker = find_marker(database, marker_of(database))
    assert marker is not None
    fill(database, marker, count)
    with database.write(marker.notebook_id) as session:
        _mix(session, marker.notebook_id)
        if kind == "postgresql":  # the bench's own server has no autovacuum that would do it
            session.connection().exec_driver_sql("ANALYZE")
    copies = seven.copies(database, marker, seven.play(database, marker), SAVES)
    return Notebook(browser, copies, database, server)


def _mix(session: Session, notebook_id: str) -> None:
    """Give the seats of all games to forty people, three different ones in each."""
    people = [random_game_id() for _ in range(PEOPLE)]
    for n, one in enumerate(people):
        person = PersonRecord(id=one, notebook_id=notebook_id, name=f"Person {n}", colour="red")
        session.add(person)
    chance = Random(1)
    rows = session.exec(select(SeatRow.game_id, SeatRow.seat, SeatRow.played)).all()
    seated: dict[str, list[str]] = {}
    seats = []
    for game, seat, played in rows:
        whose = seated.setdefault(game, chance.sample(people, 3))[seat]
        # Copies would be read once for all of them, other games are read each.
        its_own = (played or "").replace('"sheet":"', f'"sheet":"{game} ')
        seats.append({"of": game, "at": seat, "person": whose, "own": its_own or None})
    of = update(SeatRow).where(
        col(SeatRow.game_id) == bindparam("of"), col(SeatRow.seat) == bindparam("at")
    )
    mixed = of.values(person_id=bindparam("person"), played=bindparam("own"))
    session.connection().execute(mixed, seats)


def _people(notebook: Notebook) -> Iterator[Row]:
    browser = notebook.browser
    # The table of who is the best comes first and has all of them.
    found = [*dict.fromkeys(_PERSON.findall(browser.get("/people").text))][:PEOPLE]
    took = [_took(lambda one=one: _get(browser, one)) for one in found]
    games = int(re.sub(r"\D", "", _COUNTED.search(browser.get(found[0]).text)[0]))
    yield Row(
        f"page of a person with {games:,} games, each seen for the first time",
        f"median {median(took) * 1000:.0f} ms",
        "under 150 ms",
        median(took) < 0.15,
    )


def _in_all(notebook: Notebook, count: int) -> Iterator[Row]:
    """Yield how long the page of somebody takes who now has the first seat in all games."""
    new = random_game_id()
    with notebook.database.write() as session:
        of = session.exec(select(PersonRecord.notebook_id).join(SeatRow)).first()
        session.add(PersonRecord(id=new, notebook_id=of or "", name="Everywhere", colour="red"))
        session.flush()
        session.exec(update(SeatRow).where(col(SeatRow.seat) == 0).values(person_id=new))
    yield from person_in_all(notebook.browser, notebook.server, f"/people/{new}", count)


def _beside(small: Notebook, large: Notebook) -> Iterator[Row]:
    def hand(notebook: Notebook, number: int) -> Callable[[], None]:
        return lambda: _get(notebook.browser, f"/games/{notebook.games[number]}")

    def save(notebook: Notebook, number: int) -> Callable[[], None]:
        game = notebook.games[number]
        form = seven.end(notebook.browser, game)

        def send() -> None:
            assert notebook.browser.request("POST", f"/games/{game}/end", form) == 303

        return send

    def games(notebook: Notebook, _number: int) -> Callable[[], None]:
        return lambda: _get(notebook.browser, "/")

    for what, action in (("hand page", hand), ("list of games", games), ("save", save)):
        times = [[_took(action(one, number)) for one in (small, large)] for number in range(SAVES)]
        few, many = (median(column) for column in zip(*times, strict=True))
        yield Row(
            f"{what}, with all games ÷ with {FEW}",
            f"{many / few:.2f} ({many * 1000:.1f} and {few * 1000:.1f} ms)",
            "at most 1.5",
            many / few <= 1.5,
        )


def _get(browser: Browser, address: str) -> None:
    assert browser.request("GET", address) == 200


def _took(action: Callable[[], None]) -> float:
    begun = perf_counter()
    action()
    return perf_counter() - begun


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.club", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    asked = parser.parse_args()
    show(run(asked.games, asked.database))
