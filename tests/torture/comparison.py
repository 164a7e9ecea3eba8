"""What markers were told, beside what is on the disk: nothing may be missing or there twice."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from companion import store
from companion.notebook.events import Entry
from companion.notebook.replay import replay
from companion.services.game_log import entry_of
from companion.services.games import every_game, faults
from tests.markers import NAMES, Act

# A game's address, an act's key, and what it was.
Name = tuple[str, str, type]


# What may be wrong.
LOST, DOUBLED = "Acknowledged, and lost", "There more than once"
UNKNOWN = "There, and never acknowledged"  # it was refused, or never sent
TOTALS, FAULTS = "Other totals than were marked", "Wrong with the database"


def reckon(
    entries: Mapping[str, Sequence[Entry]],
    acknowledged: Iterable[Act],
    perhaps: Iterable[Act],
    shown: Mapping[str, Mapping[str, int]],
) -> dict[str, list[str]]:
    """Compare what is there with the acts that were acknowledged, and those that may be there once.

    `shown` are the totals by name that the server itself shows for each game. Of what may be wrong
    it answers what is.
    """
    there = Counter(_names(entries))
    must = {_name(act): act for act in acknowledged}
    may = {_name(act): act for act in perhaps}
    totals = []
    for game, of_game in entries.items():
        # Worked out from what the markers did, without the sheet that is tested by it.
        by_hand = dict.fromkeys(NAMES, 0)
        for name, act in (must | may).items():
            if act.game == game and there[name]:
                for player, points in zip(NAMES, act.points, strict=True):
                    by_hand[player] += points
        sheet = replay(list(of_game))
        replayed = {player: sheet.total(seat) for seat, player in enumerate(NAMES)}
        if not by_hand == replayed == shown.get(game):
            totals.append(f"{game}: {by_hand}, replayed {replayed}, shown {shown.get(game)}")
    return {
        LOST: [_said(name) for name in must if not there[name]],
        DOUBLED: [f"{_said(name)}, {count} times" for name, count in there.items() if count > 1],
        UNKNOWN: [_said(name) for name in there if name not in must and name not in may],
        TOTALS: totals,
    }


def on_disk(address: str) -> tuple[dict[str, list[Entry]], list[str]]:
    """The entries of every game by the game's address, and what is wrong with what is stored."""
    database = store.Database(address)
    try:
        with database.read() as session:
            entries = {
                f"/games/{game.id}": [entry_of(one) for one in store.load(session, game.id)]
                for game in every_game(session)
            }
            return entries, [str(fault) for fault in faults(session) if fault]
    finally:
        database.close()


def _names(entries: Mapping[str, Sequence[Entry]]) -> Iterable[Name]:
    for game, of_game in entries.items():
        for entry in of_game:
            yield game, entry.key, type(entry.event)


def _name(act: Act) -> Name:
    return act.game, act.key, act.kind


def _said(name: Name) -> str:
    game, key, kind = name
    return f"{kind.__name__} {key} in {game}"
