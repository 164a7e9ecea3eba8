"""Killed without warning while marks are being written, the server has lost and doubled nothing."""

import json
import math
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from companion import store
from companion.notebook.events import Entry
from companion.notebook.replay import replay
from companion.services.books import entry_of
from tests.browsing import Browser
from tests.killing import Mortal
from tests.markers import NAMES, PATIENCE, Ledger, Marker, Table

KILLS = 52

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


class Figures:
    """Has its lines printed after the tests."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.lines:
            terminalreporter.write_line(line)


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> list[str]:
    """Lines for the end of the test run."""
    figures = Figures()
    pytestconfig.pluginmanager.register(figures)
    return figures.lines


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Mortal]:
    server = Mortal(tmp_path)
    yield server
    server.close()


def kill_sometime(server: Mortal, ledger: Ledger, log: Path, chance: Random) -> None:
    """Kill the server in the midst of things, at a moment that its own progress decides."""
    sent, answered = ledger.sent, ledger.answered
    count = chance.randint(1, 9)
    moment = chance.choice(("sent", "answered", "written", "written"))
    if moment == "sent":  # some marker has just sent something
        ledger.wait_for(lambda: ledger.sent >= sent + count)
    else:
        ledger.wait_for(lambda: ledger.answered >= answered + count)
    if moment == "written":  # something is in the log on the disk, and nobody has been told
        before, patient = state(log), time.monotonic() + PATIENCE
        while state(log) == before and time.monotonic() < patient:
            pass
    server.kill()
    if chance.random() < 0.1:  # and again before it can answer
        server.begin()
        server.kill()


def state(log: Path) -> tuple[int, int]:
    found = log.stat()
    return found.st_size, found.st_mtime_ns


def test_every_acknowledged_mark_is_there_once_after_many_kills(server, tmp_path, figures):
    file = tmp_path / "companion.sqlite3"
    begun = time.monotonic()
    chance = Random(8)
    ledger = Ledger()
    shared = Table()
    alone = [Table(), Table()]
    server.start()
    markers = [
        *(Marker(server, ledger, table, alone=True, seed=seat) for seat, table in enumerate(alone)),
        *(Marker(server, ledger, shared, alone=False, seed=seed) for seed in (2, 3)),
    ]
    for marker in markers:
        marker.start()
    for _ in range(KILLS):
        kill_sometime(server, ledger, file.with_name(f"{file.name}-wal"), chance)
        server.start()
    ledger.closed = True
    for marker in markers:
        marker.join(PATIENCE)
        assert not marker.is_alive()
    ledger.check()

    expected = {game: dict.fromkeys(NAMES, 0) for table in (*alone, shared) for game in table.games}
    for act in ledger.acknowledged:
        for name, points in zip(NAMES, act.points, strict=True):
            expected[act.game][name] += points
    for table in (*alone, shared):
        browser = Browser(server.port, table.cookies)
        for game in table.games:
            assert json.loads(browser.get(f"{game}/game.json").text)["totals"] == expected[game]
        browser.close()
    server.kill()

    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    entries = entries_on_disk(file)
    assert entries.keys() == expected.keys()  # no game was begun twice
    for game, of_game in entries.items():
        assert [entry.number for entry in of_game] == list(range(1, len(of_game) + 1))
        sheet = replay(of_game)
        assert {name: sheet.total(seat) for seat, name in enumerate(NAMES)} == expected[game]
    # Every act that was acknowledged is there, once, and nothing else is.
    written = Counter(
        (game, entry.key, type(entry.event)) for game in entries for entry in entries[game]
    )
    assert written == Counter((act.game, act.key, act.kind) for act in ledger.acknowledged)

    at = {entry.key: entry.at.timestamp() for of_game in entries.values() for entry in of_game}
    lost = [act for act in (*ledger.acknowledged, *ledger.refused) if act.lost_at is not None]
    kept = [act for act in lost if at.get(act.key, math.inf) < act.lost_at]
    figures.append(
        f"{server.kills} kills of the server in {time.monotonic() - begun:.0f} s: "
        f"{len(ledger.acknowledged)} acts acknowledged in {len(entries)} games, all there once; "
        f"{len(ledger.refused)} refused; {len(lost)} answers lost, {len(kept)} of them after the "
        "act had been written."
    )
    assert len(lost) >= KILLS // 4  # or the kills did not meet what they were meant for
    assert kept


def entries_on_disk(file: Path) -> dict[str, list[Entry]]:
    """The entries of every game, by the game's address."""
    with closing(sqlite3.connect(file)) as connection:
        games = [game for (game,) in connection.execute("SELECT id FROM game")]
    database = store.Database(f"sqlite:///{file}")
    with database.read() as session:
        entries = {
            f"/games/{game}": [entry_of(record) for record in store.load(session, game)]
            for game in games
        }
    database.close()
    return entries
