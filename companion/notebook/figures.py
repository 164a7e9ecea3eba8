"""A person's figures over finished games, counted from what each seat did.

Fewer than `FEWEST` games give no ranking and no rate. Points of different games cannot be compared,
so figures of points are of one game.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from itertools import accumulate, chain, zip_longest
from statistics import fmean
from typing import Any, Final, NamedTuple

from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.games import GAMES
from companion.rules.language import in_english

FEWEST: Final = 3
# No number of a finished game is larger.
_LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Played:
    """What one seat did in one finished game.

    ``game`` and ``sheet`` are ids, ``players`` is how many sat there; ``place`` counts from 1, and
    equal seats share one. ``points`` are the seat's by hand, with penalties; ``charged`` are those
    of penalties in a last hand that was not played to its end. ``labels`` name each hand in
    English: its wild rank, its contract, or the box filled. ``out`` are the numbers of the
    hands it went out in. ``penalties`` are counted by rule number, house penalties under ``""``;
    ``rulings`` counts those on its plays that stand, the legal and the illegal ones. If the
    seat won, ``comeback`` is the most points that it was behind after a hand, else 0. From hand
    ``decided`` on, a winner was always in front.
    """

    game: str
    sheet: str
    players: int
    place: int
    points: tuple[int, ...]
    labels: tuple[str, ...]
    out: tuple[int, ...]
    penalties: Mapping[str, int]
    rulings: tuple[int, int]
    comeback: int
    decided: int
    charged: int = 0

    @property
    def total(self) -> int:
        """The points of all hands."""
        return sum(self.points) + self.charged

    @property
    def won(self) -> bool:
        """True if the seat came first, alone or with others."""
        return self.place == 1

    @property
    def is_sound(self) -> bool:
        """True if a finished game can have these values; if not, they are not counted."""
        numbers = (*self.points, self.charged, *self.rulings, *self.penalties.values())
        return (
            self.game in GAMES
            and 1 <= self.place <= self.players
            and 2 <= self.players <= GAMES[self.game].players[1]
            and 0 < len(self.points) == len(self.labels)
            and max(map(abs, (*numbers, self.comeback))) <= _LARGEST
        )


def played(sheet: ScoreSheet) -> list[Played]:
    """Return what each seat did in a game that is over, in seating order."""
    # A game that is ended early, or that everyone else has left, may end with penalties in a hand
    # that nobody marked. They can change who is in front, but it is no hand that was played.
    hands = [hand for hand in sheet.hands if hand.marking or any(map(hand.charges, sheet.players))]
    points = [[hand.mark(seat).points for hand in hands] for seat in sheet.players]
    totals = zip(*map(accumulate, points), strict=True)
    fronts, behind = zip(*map(partial(_lead, sheet), hands, totals), strict=True)
    places, winners = {one.player: one.place for one in sheet.standings()}, {*sheet.leaders()}
    after = [at for at, front in enumerate(fronts[:-1], 1) if winners.isdisjoint(front)]
    number = len(sheet.marked) or len(hands)
    return [
        Played(
            game=sheet.game.id,
            sheet=sheet.house.sheet,
            players=len(sheet.names),
            place=places[seat],
            points=tuple(points[seat][:number]),
            labels=tuple(_label(hand, seat) for hand in hands[:number]),
            out=tuple(hand.number for hand in hands if hand.out == seat),
            penalties=dict(sheet.penalties(seat)),
            rulings=_rulings(sheet, seat),
            comeback=max(by[seat] for by in behind) if seat in winners else 0,
            decided=max(after, default=0) + 1,
            charged=sum(points[seat][number:]),
        )
        for seat in sheet.players
    ]


def _lead(sheet: ScoreSheet, hand: HandSheet, totals: Sequence[int]) -> tuple[set[int], list[int]]:
    """Return who is in front after a hand, and by how many points each seat is behind."""
    game = sheet.game
    totals = [game.won_by.sign * total for total in totals]
    ahead = sheet.ahead(hand.number)
    order = [(seat not in ahead, totals[seat]) for seat in sheet.players]
    # Nobody is behind by points where they do not decide (IND-7).
    behind = [total - min(totals) if game.won_by.totals else 0 for total in totals]
    return {seat for seat in sheet.players if order[seat] == min(order)}, behind


def _label(hand: HandSheet, seat: int) -> str:
    box = hand.mark(seat).box
    return box.title if box else in_english(lambda: hand.rules.label)


def _rulings(sheet: ScoreSheet, seat: int) -> tuple[int, int]:
    lines = [one for hand in sheet.hands for one in hand.standing_rulings]
    legal = [one.ruling.legal for one in lines if one.given.player == seat]
    return legal.count(True), legal.count(False)


# -- stored ---------------------------------------------------------------------------------------


def to_json(played: Played) -> str:
    """Return what a seat did as a line of JSON, without ``charged`` if that is 0."""
    values = asdict(played)
    if not played.charged:
        del values["charged"]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def seats(sheet: ScoreSheet) -> list[dict[str, Any]]:
    """Return the stored columns of each seat of a game, in the order of play.

    The same events give the same seats. All but the name is None until the game has a result. It
    finished when its last hand was first marked: a later correction does not move the evening. If
    no hand was marked, as when all but one have left, that is when the game began.
    """
    done = played(sheet) if sheet.has_result else [None for _ in sheet.players]
    at = max((hand.markings[0].entry.at for hand in sheet.marked), default=sheet.started.at)
    return [
        {
            "name": name,
            "game": seat and seat.game,
            "place": seat and seat.place,
            "players": seat and seat.players,
            "played": seat and to_json(seat),
            "number": seat and sheet.number,
            "finished_at": seat and at,
        }
        for name, seat in zip(sheet.names, done, strict=True)
    ]


# -- a person's figures ---------------------------------------------------------------------------


class Finished(NamedTuple):
    """A finished game of a person, and the places of the other people there, by their ids."""

    id: str
    at: datetime
    played: Played
    beside: Mapping[str, int]


class Ranks(NamedTuple):
    """How games ended, compared with what chance gives.

    ``wins`` includes shared first places; ``expected`` is the number of wins by chance: 1/players
    of each game, summed up. ``place`` is the average place, from 0 for first to 1 for last.
    """

    games: int
    wins: int
    expected: float
    place: float


class Against(NamedTuple):
    """How a person's games with somebody else ended: finished ``above``, equal, or ``below``."""

    name: str
    above: int
    equal: int
    below: int

    @property
    def games(self) -> int:
        """The games that both played."""
        return self.above + self.equal + self.below


def ranks(places: Mapping[tuple[int, int], int]) -> Ranks:
    """Return how games ended, given the number of games by place and number of players."""
    games = sum(places.values())
    return Ranks(
        games,
        wins=sum(times for (place, _), times in places.items() if place == 1),
        expected=sum(times / players for (_, players), times in places.items()),
        place=sum(times * (at - 1) / (of - 1) for (at, of), times in places.items()) / (games or 1),
    )


def streak(games: Iterable[bool]) -> tuple[int, int]:
    """Return the length of the streak that goes on, 0 if none does, and of the longest one."""
    now = longest = 0
    for is_so in games:
        now = now + 1 if is_so else 0
        longest = max(now, longest)
    return now, longest


def records(
    games: Sequence[Finished], of: Callable[[Played], Sequence[int]]
) -> list[tuple[int, Finished]]:
    """Return the lowest and highest number ``of`` the games, each with the first that has it."""
    numbers = {*chain.from_iterable(of(game.played) for game in games)}
    ends = min(numbers), max(numbers)
    return [(end, next(game for game in games if end in of(game.played))) for end in ends]


def points_by_label(seats: Iterable[Played]) -> dict[str, list[int]]:
    """Return the points of all hands by their label, in the order in which labels first occur."""
    by_label: defaultdict[str, list[int]] = defaultdict(list)
    for seat in seats:
        for label, points in zip(seat.labels, seat.points, strict=True):
            by_label[label].append(points)
    by_label.pop("", None)
    return by_label


def running_totals(seats: Sequence[Played]) -> list[float]:
    """Return the mean points of each hand, added up; empty without games.

    The mean of a hand is over the games that reached it: some were ended early.
    """
    by_hand = zip_longest(*(seat.points for seat in seats))
    return [*accumulate(fmean(one for one in hand if one is not None) for hand in by_hand)]


def versus(games: Iterable[Finished], names: Mapping[str, str]) -> list[Against]:
    """Return how the person finished beside each of ``names`` (by id), most often met first."""
    counted: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for game in games:
        own = game.played.place
        for other, place in game.beside.items():
            counted[other][(own >= place) + (own > place)] += 1
    rows = [Against(names[other], *counts) for other, counts in counted.items() if other in names]
    return sorted(rows, key=lambda row: (-row.games, row.name))


def nemesis(rows: Iterable[Against]) -> Against | None:
    """Return who finished above the person more often than not, by the largest difference.

    None if nobody did in `FEWEST` games or more. Of several, it is the one met most often.
    """
    rivals = [row for row in rows if row.games >= FEWEST and 2 * row.below > row.games]
    return max(rivals, key=lambda row: (2 * row.below - row.games, row.games), default=None)
