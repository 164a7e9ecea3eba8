"""Seasons: a set of evenings of one game, and how everybody stands after each of them.

An evening is what was finished on one day; a day lasts until six in the morning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Final, NamedTuple

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_TITLE, check_text
from companion.rules.games import GAMES
from companion.rules.language import noted

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

    ``game`` is an id; without a last day it goes on. ``games`` is which games of an evening
    count, one of `WHICH`. ``points`` are those for places, from the first on; none mean the sum of
    marks. ``ties`` is one of `TIES`: those who share a place get the mean of the points for the
    places that they fill, or each the full ones of theirs. Only the ``best`` evenings of each one
    count; 0 means all.
    """

    name: str
    game: str
    first_day: date
    last_day: date | None
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
    seats: list[Seat]


class Result(NamedTuple):
    """What an evening came to for somebody; shared first places are wins."""

    points: Fraction
    games: int
    wins: int


class Evening(NamedTuple):
    """An evening, and what it came to by a person's id and name."""

    day: date
    results: Mapping[tuple[str, str], Result]


class Row(NamedTuple):
    """Where somebody stands.

    ``points``, ``games`` and ``wins`` are those of the ``evenings`` that count, which is how many.
    ``results`` has, for each evening, the points and if they count, or None for who was not there.
    """

    person_id: str
    name: str
    place: int
    points: Fraction
    evenings: int
    games: int
    wins: int
    results: tuple[tuple[Fraction, bool] | None, ...]


def check(plan: Plan, people: Collection[str] = ()) -> None:
    """Raise `NotPossible` unless a season can be scored so, among ``people``, or all if none."""
    check_text(plan.name, LONGEST_TITLE, "name", if_blank=noted("A season needs a name."))
    if plan.game not in GAMES:
        raise NotPossible("Choose one of the games.", "game")
    if plan.last_day and plan.last_day < plan.first_day:
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
    return bool(plan.points) or GAMES[plan.game].won_by.highest


def evenings(plan: Plan, games: Iterable[Game]) -> list[Evening]:
    """Return the evenings of a season, the first one first, from finished games of its kind.

    Games of other days, and those in which fewer than two of its people sat, are left out.
    """
    days: defaultdict[date, list[Game]] = defaultdict(list)
    for game in sorted(games, key=lambda one: (one.at, one.id)):
        day = (game.at - _NIGHT).date()
        people = sum(bool(seat.person_id) for seat in game.seats)
        if plan.first_day <= day <= (plan.last_day or day) and people > 1:
            days[day].append(game)
    found = []
    for day in sorted(days):
        results: defaultdict[tuple[str, str], list[Result]] = defaultdict(list)
        for game in days[day][WHICH[plan.games]]:
            for seat in filter(lambda seat: seat.person_id, game.seats):
                won = Result(_points(plan, game, seat), 1, int(seat.place == 1))
                results[seat[:2]].append(won)
        found.append(Evening(day, {whose: _sum(its) for whose, its in results.items()}))
    return found


def _points(plan: Plan, game: Game, seat: Seat) -> Fraction:
    """Return what a seat gets for a game."""
    if not plan.points:
        return Fraction(seat.total)
    equal = sum(other.place == seat.place for other in game.seats)
    filled = equal if plan.ties == "shared" else 1
    return Fraction(sum(plan.points[seat.place - 1 : seat.place - 1 + filled]), filled)


def _sum(results: Iterable[Result]) -> Result:
    points, games, wins = zip(*results, strict=True)
    return Result(sum(points, Fraction()), sum(games), sum(wins))


def standings(plan: Plan, evenings: Sequence[Evening]) -> list[Row]:
    """Return everybody's row after these evenings, in order.

    Where the least points win, more games come before fewer points, among people and among
    evenings: else staying away would win.
    """
    highest = highest_wins(plan)

    def order(one: Result | Row) -> tuple[int, Fraction, int]:
        """Return what is less for the better one of two results."""
        return (0, -one.points, -one.wins) if highest else (-one.games, one.points, -one.wins)

    rows = []
    for whose in {one for evening in evenings for one in evening.results}:
        came = [evening.results.get(whose) for evening in evenings]
        its = {at: result for at, result in enumerate(came) if result}
        best = sorted(its, key=lambda at: order(its[at]))[: plan.best or None]
        shown = tuple((one.points, at in best) if one else None for at, one in enumerate(came))
        total = _sum(its[at] for at in best)
        rows.append(Row(*whose, 0, total.points, len(best), total.games, total.wins, shown))
    totals = sorted(map(order, rows))
    placed = [row._replace(place=totals.index(order(row)) + 1) for row in rows]
    return sorted(placed, key=lambda row: (row.place, row.name, row.person_id))
