"""Kill the server again and again while marks are written, and count the stored entries."""

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

from companion.notebook.events import Entry
from companion.notebook.replay import replay
from tests.browsing import Browser
from tests.killing import Mortal
from tests.markers import NAMES, PATIENCE, Act, Ledger, Marker, Table
from tests.postgres_server import Server
from tests.torture.storage import Place, Result, on_disk
from tests.workers import Server as Workers

# A game's address, an action's key, and the type of its event.
Name = tuple[str, str, type]
# Kinds of errors.
LOST, DOUBLED = "Acknowledged, but lost", "Stored more than once"
UNKNOWN = "Stored, but never acknowledged"  # it was refused, or never sent
TOTALS = "Totals that differ from the marks"
# If the database is a server, it is killed after this number of kills of the companion.
TO_THE_DATABASE = 8


def run(place: Place, instance: Path, kills: int, seed: int) -> Result:
    """Kill the server `kills` times, with four markers at three tables. Raises a marker's error."""
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
            if chance.random() < 0.1:  # kill it again before it can answer
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
        shown = totals_shown(server, tables)
        server.kill()
    finally:
        ledger.closed = True
        server.close()

    entries, faults = on_disk(place.address)
    found = reckon(entries, ledger.acknowledged, ledger.given_up, shown)
    wrong = [f"{kind}: {act}." for kind, acts in found.items() for act in acts]
    wrong += [f"Wrong with the database: {fault}." for fault in (*faults, *place.faults())]
    at = {entry.key: entry.at.timestamp() for of_game in entries.values() for entry in of_game}
    acts = (*ledger.acknowledged, *ledger.refused, *ledger.given_up)
    lost = [act for act in acts if act.lost_at is not None]
    kept = sum(at.get(act.key, math.inf) < act.lost_at for act in lost if act.lost_at)
    if len(lost) < server.kills // 4:
        wrong.append(f"The kills met nothing: only {len(lost)} answers were lost.")
    database = f" and {of_database} of the database" if of_database else ""
    sentence = (
        f"Kills, {place.name}: {server.kills} kills of the server{database} in "
        f"{time.monotonic() - begun:.0f} s. {len(ledger.acknowledged)} actions were acknowledged "
        f"in {len(entries)} games: {len(found[LOST])} lost, {len(found[DOUBLED])} doubled, "
        f"{len(found[TOTALS])} games with another total; {len(ledger.refused)} were refused, and "
        f"{len(found[UNKNOWN])} are there that should not be. The answers to {len(lost)} were "
        f"lost, for {kept} of them after they had been written. {len(ledger.given_up)} of these "
        f"were not sent again: {sum(act.key in at for act in ledger.given_up)} of them are there, "
        "once."
    )
    return Result(sentence, wrong)


def reckon(
    entries: Mapping[str, Sequence[Entry]],
    acknowledged: Iterable[Act],
    perhaps: Iterable[Act],
    shown: Mapping[str, Mapping[str, int]],
) -> dict[str, list[str]]:
    """Compare the stored entries with the acknowledged actions; return the errors by their kind.

    The actions in `perhaps` may be stored, but only once. `shown` are the totals by name that the
    server shows for each game.
    """
    stored = Counter(_names(entries))
    must = {_name(act): act for act in acknowledged}
    may = {_name(act): act for act in perhaps}
    totals = []
    for game, of_game in entries.items():
        # Computed from the markers' actions, without the sheet, which this tests.
        by_hand = dict.fromkeys(NAMES, 0)
        for name, act in (must | may).items():
            if act.game == game and stored[name]:
                for player, points in zip(NAMES, act.points, strict=True):
                    by_hand[player] += points
        sheet = replay(list(of_game))
        replayed = {player: sheet.total(seat) for seat, player in enumerate(NAMES)}
        if not by_hand == replayed == shown.get(game):
            totals.append(f"{game}: {by_hand}, replayed {replayed}, shown {shown.get(game)}")
    return {
        LOST: [_in_words(name) for name in must if not stored[name]],
        DOUBLED: [f"{_in_words(name)}, {n} times" for name, n in stored.items() if n > 1],
        UNKNOWN: [_in_words(name) for name in stored if name not in must and name not in may],
        TOTALS: totals,
    }


def _names(entries: Mapping[str, Sequence[Entry]]) -> Iterable[Name]:
    for game, of_game in entries.items():
        for entry in of_game:
            yield game, entry.key, type(entry.event)


def _name(act: Act) -> Name:
    return act.game, act.key, act.kind


def _in_words(name: Name) -> str:
    game, key, kind = name
    return f"{kind.__name__} {key} in {game}"


def _await_a_moment(place: Place, ledger: Ledger, chance: Random) -> None:
    """Wait for a random moment: when requests were sent, answered, or written to the disk."""
    sent, answered = ledger.sent, ledger.answered
    count = chance.randint(1, 9)
    moment = chance.choice(("sent", "answered", "written", "written"))
    if moment == "sent":  # a marker has just sent a request
        ledger.wait_for(lambda: ledger.sent >= sent + count)
    else:
        ledger.wait_for(lambda: ledger.answered >= answered + count)
    if moment == "written":  # an entry is on the disk, and no marker has its answer
        _wait_for_change(place.written)


def _wait_for_change(state: Callable[[], object]) -> None:
    before, patient = state(), time.monotonic() + PATIENCE
    while state() == before and time.monotonic() < patient:
        time.sleep(0.0002)  # lets the markers run, which are threads of this process


def _kill_the_database(database: Server, server: Mortal, *, with_server: bool) -> None:
    server.falter()
    database.kill()
    if with_server:  # as if both ran on a machine that lost its power
        server.kill()
    database.wait()
    server.recover()
    if with_server:
        server.start()


def totals_shown(server: Mortal | Workers, tables: list[Table]) -> dict[str, dict[str, int]]:
    """Return the totals by name that a server shows for each game of these tables."""
    shown = {}
    for table in tables:
        browser = Browser(server.port, table.cookies, patience=PATIENCE)
        for game in table.games:
            shown[game] = json.loads(browser.get(f"{game}/game.json").text)["totals"]
        browser.close()
    return shown
