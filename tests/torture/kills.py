"""Kills the server again and again while marks are being written, and counts what is there."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.browsing import Browser
from tests.killing import Mortal
from tests.markers import PATIENCE, Ledger, Marker, Table
from tests.postgres_server import Server
from tests.torture.comparison import DOUBLED, FAULTS, LOST, TOTALS, UNKNOWN, on_disk, reckon
from tests.torture.storage import Place

# After so many kills of the server the database is killed, where it is a server itself.
TO_THE_DATABASE = 8


@dataclass
class Killed:
    """What came of it."""

    place: str
    kills: int
    of_database: int
    seconds: float
    games: int
    acknowledged: int
    refused: int
    unanswered: int
    """Acts whose answer was lost at least once."""
    kept: int
    """Those of them that had been written before their answer was lost."""
    given_up: int
    """Those of them that were never sent again."""
    given_up_kept: int
    found: dict[str, list[str]]
    """What is wrong."""

    def sentence(self) -> str:
        """The figures."""
        database = f" and {self.of_database} of the database" if self.of_database else ""
        lost, doubled, unknown, totals = (
            len(self.found[what]) for what in (LOST, DOUBLED, UNKNOWN, TOTALS)
        )
        return (
            f"Kills, {self.place}: {self.kills} kills of the server{database} in "
            f"{self.seconds:.0f} s. {self.acknowledged} acts were acknowledged in {self.games} "
            f"games: {lost} lost, {doubled} doubled, {totals} "
            f"games with another total; {self.refused} were refused, and {unknown} are "
            f"there that should not be. The answers to {self.unanswered} were lost, for "
            f"{self.kept} of them after they had been written. {self.given_up} of these were not "
            f"sent again: {self.given_up_kept} of them are there, once."
        )

    def wrong(self) -> list[str]:
        """What is wrong, a sentence each."""
        return [f"{what}: {one}." for what, found in self.found.items() for one in found]


def run(place: Place, instance: Path, kills: int, seed: int) -> Killed:
    """Kill so often, with four markers at three tables. Raises what went wrong with a marker."""
    begun = time.monotonic()
    chance = Random(seed)
    ledger = Ledger()
    shared, alone = Table(), [Table(), Table()]
    tables = [*alone, shared]
    server = Mortal(instance, place.address)
    of_database = 0
    try:
        server.start()
        markers = [
            *(
                Marker(server, ledger, table, alone=True, seed=seed + n)
                for n, table in enumerate(alone)
            ),
            *(Marker(server, ledger, shared, alone=False, seed=seed + n) for n in (2, 3)),
        ]
        for marker in markers:
            marker.start()
        while server.kills < kills:
            _await_a_moment(place, ledger, chance)
            server.kill()
            if chance.random() < 0.1:  # and again before it can answer
                server.begin()
                server.kill()
            server.start()
            if place.server and server.kills // TO_THE_DATABASE > of_database:
                of_database += 1
                _await_a_moment(place, ledger, chance)
                _kill_the_database(place.server, server, with_server=chance.random() < 0.5)
        ledger.closed = True
        for marker in markers:
            marker.join(PATIENCE)
            assert not marker.is_alive(), "A marker waits for an answer that does not come."
        ledger.check()
        shown = _totals(server, tables)
        server.kill()
    finally:
        ledger.closed = True
        server.close()

    entries, faults = on_disk(place.address)
    found = reckon(entries, ledger.acknowledged, ledger.given_up, shown)
    found[FAULTS] = [*faults, *place.faults()]
    at = {entry.key: entry.at.timestamp() for of_game in entries.values() for entry in of_game}
    acts = (*ledger.acknowledged, *ledger.refused, *ledger.given_up)
    lost = [act for act in acts if act.lost_at is not None]
    return Killed(
        place=place.name,
        kills=server.kills,
        of_database=of_database,
        seconds=time.monotonic() - begun,
        games=len(entries),
        acknowledged=len(ledger.acknowledged),
        refused=len(ledger.refused),
        unanswered=len(lost),
        kept=sum(at.get(act.key, math.inf) < act.lost_at for act in lost if act.lost_at),
        given_up=len(ledger.given_up),
        given_up_kept=sum(act.key in at for act in ledger.given_up),
        found=found,
    )


def _await_a_moment(place: Place, ledger: Ledger, chance: Random) -> None:
    """Wait for a moment in the midst of things, which the server's own progress decides."""
    sent, answered = ledger.sent, ledger.answered
    count = chance.randint(1, 9)
    moment = chance.choice(("sent", "answered", "written", "written"))
    if moment == "sent":  # some marker has just sent something
        ledger.wait_for(lambda: ledger.sent >= sent + count)
    else:
        ledger.wait_for(lambda: ledger.answered >= answered + count)
    if moment == "written":  # something is in the log on the disk, and nobody has been told
        _watch(place.written)


def _watch(seen: Callable[[], object]) -> None:
    before, patient = seen(), time.monotonic() + PATIENCE
    while seen() == before and time.monotonic() < patient:
        time.sleep(0.0002)  # the markers are threads of this process, and have to get on


def _kill_the_database(database: Server, server: Mortal, *, with_server: bool) -> None:
    server.falter()
    database.kill()
    if with_server:  # as when the plug of the one machine is pulled
        server.kill()
    database.wait()
    server.recover()
    if with_server:
        server.start()


def _totals(server: Mortal, tables: list[Table]) -> dict[str, dict[str, int]]:
    shown = {}
    for table in tables:
        browser = Browser(server.port, table.cookies, patience=PATIENCE)
        for game in table.games:
            shown[game] = json.loads(browser.get(f"{game}/game.json").text)["totals"]
        browser.close()
    return shown
