"""What markers were told, beside what is on the disk: nothing may be missing or there twice."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from companion import store
from companion.notebook.events import Entry
from companion.notebook.replay import replay
from companion.services.game_log import entry_of
from companion.services.games import every_game, faults
from tests.markers import NAMES, Act

# A game's address, an act's key, and what it was.
Name = tuple[str, str, type]


@dataclass
class Reckoning:
    """What was found; all of it is empty when all is well."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """What is there and should not be: refused, or never sent."""
    totals: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def well(self) -> bool:
        """Whether nothing at all is wrong."""
        return self == Reckoning()

    def sentences(self) -> list[str]:
        """What is wrong, a sentence each."""
        said = (
            ("Acknowledged, and lost", self.lost),
            ("There more than once", self.doubled),
            ("There, and never acknowledged", self.unknown),
            ("Other totals than were marked", self.totals),
            ("Wrong with the database", self.faults),
        )
        return [f"{what}: {one}." for what, found in said for one in found]


def reckon(
    entries: Mapping[str, Sequence[Entry]],
    acknowledged: Iterable[Act],
    perhaps: Iterable[Act],
    shown: Mapping[str, Mapping[str, int]],
) -> Reckoning:
    """Compare what is there with the acts that were acknowledged, and those that may be there once.

    `shown` are the totals by name that the server itself shows for each game.
    """
    found = Reckoning()
    there = Counter(_names(entries))
    must = {_name(act): act for act in acknowledged}
    may = {_name(act): act for act in perhaps}
    found.lost = [_said(name) for name in must if not there[name]]
    found.doubled = [f"{_said(name)}, {count} times" for name, count in there.items() if count > 1]
    found.unknown = [_said(name) for name in there if name not in must and name not in may]
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
            found.totals.append(f"{game}: {by_hand}, replayed {replayed}, shown {shown.get(game)}")
    return found


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
