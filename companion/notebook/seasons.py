"""Seasons: a set of evenings of one game, and how everybody stands after each of them.

An evening is what was finished on one day; a day lasts until six in the morning.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

from companion.notebook.events import NotPossible
from companion.notebook.names import check_season
from companion.rules.games import GAMES

MOST_PLACES: Final = 20
MOST_POINTS: Final = 1000
MOST_BEST: Final = 100
# Which games of an evening count, and where they are among all of them.
WHICH: Final = {"all": slice(None), "first": slice(1), "last": slice(-1, None)}
TIES: Final = ("shared", "full")
_NIGHT: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a season is scored.

    ``game`` is an id; without a ``last`` day it goes on. ``games`` is which games of an evening
    count, one of `WHICH`. ``points`` are those for places, from the first on; none mean the sum of
    marks. ``ties`` is one of `TIES`: those who share a place get the mean of the points for the
    places that they fill, or each the full ones of theirs. Only the ``best`` evenings of each one
    count; 0 means all.
    """

    name: str
    game: str
    first: date
    last: date | None
    games: str
    points: tuple[int, ...]
    ties: str
    best: int


class Seat(NamedTuple):
    """A seat of a game; the id and name are empty if nobody of the season sat there."""

    person_id: str
    name: str
    place: int
    total: int


class Game(NamedTuple):
    """A finished game: its id, when it ended, in local time, and all of its seats."""

    id: str
    at: datetime
    seats: Sequence[Seat]


class Row(NamedTuple):
    """Where somebody stands after an evening.

    ``points``, ``games`` and ``wins`` are those of the ``evenings`` that count, which is how many.
    Shared first places are wins. ``results`` has, for each evening so far, the points and if they
    count, or None for who was not there.
    """

    person_id: str
    name: str
    place: int
    points: Fraction
    evenings: int
    games: int
    wins: int
    results: tuple[tuple[Fraction, bool] | None, ...]


class Evening(NamedTuple):
    """An evening, the ids of its games that count, and how everybody stands after it, in order."""

    day: date
    games: tuple[str, ...]
    standings: tuple[Row, ...]


def check(plan: Plan, people: Collection[str] = ()) -> None:
    """Raise `NotPossible` unless a season can be scored so, among ``people``, or all if none."""
    check_season(plan.name)
    if plan.game not in GAMES:
        raise NotPossible("Choose one of the games.", "game")
    if plan.last and plan.last < plan.first:
        raise NotPossible("The season ends before it begins.", "last")
    if plan.games not in WHICH:
        raise NotPossible("Choose which games of an evening count.", "games")
    if len(plan.points) > MOST_PLACES:
        raise NotPossible("%(most)s places at most have points.", "points", most=MOST_PLACES)
    if not all(0 <= points <= MOST_POINTS for points in plan.points):
        raise NotPossible("A place has 0 to %(most)s points.", "points", most=MOST_POINTS)
    if plan.ties not in TIES:
        raise NotPossible("Choose what those get who share a place.", "ties")
    if not 0 <= plan.best <= MOST_BEST:
        raise NotPossible(
            "At most %(most)s evenings of each one count, or all.", "best", most=MOST_BEST
        )
    if len({*people}) == 1:
        raise NotPossible("Choose two people or more. If you choose nobody, all count.", "people")


def highest_wins(plan: Plan) -> bool:
    """True if the most points win: those for places always do."""
    return bool(plan.points) or GAMES[plan.game].highest_wins


_Whose = tuple[str, str]
"""The id and the name of a person."""


class _Result(NamedTuple):
    """What an evening came to for somebody. Of two results the better one is less."""

    fewer: int
    """The games played, below zero, where the least points win: else staying away would win."""
    behind: int
    """The points in whole shares, below zero where the most win."""
    lost: int
    """The games won, below zero."""
    evening: int
    games: int
    points: Fraction


def evenings(plan: Plan, highest_wins: bool, games: Iterable[Game]) -> list[Evening]:
    """Return the evenings of a season, the first one first, from finished games of its kind.

    Games of other days, and those in which fewer than two of its people sat, are left out. Where
    the least points win, more games come before fewer points, among people and among evenings.
    """
    days: defaultdict[date, list[Game]] = defaultdict(list)
    for game in sorted(games, key=lambda one: (one.at, one.id)):
        day = (game.at - _NIGHT).date()
        people = sum(bool(seat.person_id) for seat in game.seats)
        if plan.first <= day <= (plan.last or day) and people > 1:
            days[day].append(game)
    # Whole numbers add up several times as fast as fractions, and in long seasons there are many.
    most = max((len(game.seats) for some in days.values() for game in some), default=1)
    shares = lcm(*range(1, most + 1)) * (-1 if highest_wins else 1)
    results: defaultdict[_Whose, list[_Result]] = defaultdict(list)  # the best one first
    found = []
    for number, day in enumerate(sorted(days)):
        counted = days[day][WHICH[plan.games]]
        came: defaultdict[_Whose, list[tuple[Fraction, bool]]] = defaultdict(list)
        for game in counted:
            for seat in filter(lambda seat: seat.person_id, game.seats):
                points = _points(plan, game, seat)
                came[seat.person_id, seat.name].append((points, seat.place == 1))
        for whose, seats in came.items():
            points = sum((points for points, _ in seats), Fraction())
            wins = sum(won for _, won in seats)
            fewer = 0 if highest_wins else -len(seats)
            result = _Result(fewer, int(points * shares), -wins, number, len(seats), points)
            insort(results[whose], result)
        ids = tuple(game.id for game in counted)
        standings = _standings(results, plan.best or None, number + 1, shares)
        found.append(Evening(day, ids, standings))
    return found


def _points(plan: Plan, game: Game, seat: Seat) -> Fraction:
    """Return what a seat gets for a game."""
    if not plan.points:
        return Fraction(seat.total)
    equal = sum(other.place == seat.place for other in game.seats)
    filled = equal if plan.ties == "shared" else 1
    return Fraction(sum(plan.points[seat.place - 1 : seat.place - 1 + filled]), filled)


def _standings(
    results: Mapping[_Whose, Sequence[_Result]], best: int | None, evenings: int, shares: int
) -> tuple[Row, ...]:
    """Return everybody's row after so many evenings, in order."""
    best_of = {whose: some[:best] for whose, some in results.items()}
    # What makes one result better than another makes their sum better, too.
    sums = {
        whose: tuple(map(sum, zip(*(one[:3] for one in counted), strict=True)))
        for whose, counted in best_of.items()
    }
    in_order, rows = sorted(sums.values()), []
    for whose, counted in best_of.items():
        shown: list[tuple[Fraction, bool] | None] = [None] * evenings
        for at, one in enumerate(results[whose]):
            shown[one.evening] = one.points, at < len(counted)
        _fewer, behind, lost = sums[whose]
        row = Row(
            *whose,
            place=in_order.index(sums[whose]) + 1,
            points=Fraction(behind, shares),
            evenings=len(counted),
            games=sum(one.games for one in counted),
            wins=-lost,
            results=tuple(shown),
        )
        rows.append(row)
    return tuple(sorted(rows, key=lambda row: (row.place, row.name, row.person_id)))
