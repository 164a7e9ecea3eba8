"""Seasons: a set of evenings of one game, how everybody stands after each, and who owes whom.

An evening is all games that were finished on one day; a day lasts until six in the morning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from itertools import accumulate, chain, combinations, groupby, pairwise
from math import ceil
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from companion.notebook.events import NotPossible
from companion.notebook.figures import Played
from companion.notebook.names import LONGEST_TITLE, check_text
from companion.rules.games import GAMES
from companion.rules.language import noted

MOST_POINTS: Final = 1000
MOST_BEST: Final = 100
# Which games of an evening count, and where they are among all of them.
WHICH: Final = {"all": slice(None), "first": slice(1), "last": slice(-1, None)}
_NIGHT: Final = timedelta(hours=6)
# Up to this many people, the fewest payments are searched for: that takes 20 milliseconds.
MOST_EXACT: Final = 12


@dataclass(frozen=True, slots=True)
class Plan:
    """How a season is scored.

    ``game`` is an id. A season without a last day goes on. ``games`` says which games of an evening
    count. ``points`` are the points for each place, from the first on; if empty, marks are added
    up. Players who share a place get the mean of the points for the places that they fill, or with
    full ``ties`` the points of their place. Each one's ``best`` evenings count; 0 means all.
    """

    name: str
    game: str
    first_day: date
    last_day: date | None
    games: Literal["all", "first", "last"]
    points: tuple[int, ...]
    ties: Literal["shared", "full"]
    best: int

    @property
    def highest_wins(self) -> bool:
        """True if the most points win, as points for places always do."""
        return bool(self.points) or GAMES[self.game].won_by.highest


class FinishedGame(NamedTuple):
    """A finished game: when it ended, in local time, and who did what in it.

    The name is empty if nobody of the season sat there.
    """

    at: datetime
    seats: list[tuple[str, Played]]


class Result(NamedTuple):
    """A person's result of one or more evenings; shared first places are wins."""

    points: Fraction
    games: int
    wins: int


# The day, and each person's result of the evening, by name.
Evening = tuple[date, Mapping[str, Result]]


class Row(NamedTuple):
    """A person's place by the ``total`` of the evenings that count; ``evenings`` is how many do.

    ``results`` has, for each evening, the points and if they count; None if the person was away.
    """

    name: str
    place: int
    total: Result
    evenings: int
    results: tuple[tuple[Fraction, bool] | None, ...]


def check(plan: Plan) -> None:
    """Raise `NotPossible` unless a season can be scored by this plan. Any years are possible."""
    check_text(plan.name, LONGEST_TITLE, "name", if_blank=noted("A season needs a name."))
    if plan.game not in GAMES:
        raise NotPossible("Choose one of the games.", "game")
    if plan.last_day and plan.last_day < plan.first_day:
        raise NotPossible("The season ends before it begins.", "last")
    if not all(0 <= points <= MOST_POINTS for points in plan.points):
        raise NotPossible("A place has 0 to %(most)s points.", "points", most=MOST_POINTS)
    if not 0 <= plan.best <= MOST_BEST:
        says = noted("At most %(most)s evenings count for each player, or all.")
        raise NotPossible(says, "best", most=MOST_BEST)


def evenings(plan: Plan, games: Iterable[FinishedGame]) -> list[Evening]:
    """Return the evenings of a season, the first one first, from finished games of its kind.

    Games of other days, and those in which fewer than two of its people sat, are left out.
    """
    counted = [one for one in games if sum(bool(name) for name, _seat in one.seats) > 1]
    counted.sort(key=attrgetter("at"))
    evenings: list[Evening] = []
    for day, night in groupby(counted, lambda one: (one.at - _NIGHT).date()):
        if plan.first_day <= day <= (plan.last_day or day):
            results: defaultdict[str, list[Result]] = defaultdict(list)
            for game in [*night][WHICH[plan.games]]:
                for name, seat in game.seats:
                    results[name].append(Result(_points(plan, game, seat), 1, int(seat.won)))
            evenings.append((day, {name: _sum(own) for name, own in results.items() if name}))
    return evenings


def _points(plan: Plan, game: FinishedGame, seat: Played) -> Fraction:
    if not plan.points:
        return Fraction(seat.total)
    equal = sum(other.place == seat.place for _name, other in game.seats)
    return _share(plan.points, seat.place, equal if plan.ties == "shared" else 1)


def _share(rewards: Sequence[int], place: int, filled: int) -> Fraction:
    """Return what each player sharing a place gets: the mean for the places that they fill."""
    return Fraction(sum(rewards[place - 1 : place - 1 + filled]), filled)


def _sum(results: Iterable[Result]) -> Result:
    points, games, wins = zip(*results, strict=True)
    return Result(sum(points, Fraction()), sum(games), sum(wins))


def standings(plan: Plan, evenings: Sequence[Evening]) -> list[Row]:
    """Return everybody's row after these evenings, in order.

    If the fewest points win, people and evenings with more games come first, whatever their points:
    else staying away would win.
    """
    highest = plan.highest_wins

    def order(one: Result) -> tuple[int, Fraction, int]:
        """Return the sort key of a result: the better one is less."""
        return (0, -one.points, -one.wins) if highest else (-one.games, one.points, -one.wins)

    rows = []
    for name in {name for _day, results in evenings for name in results}:
        came = [results.get(name) for _day, results in evenings]
        attended = {at: result for at, result in enumerate(came) if result}
        best = sorted(attended, key=lambda at: order(attended[at]))[: plan.best or None]
        shown = tuple((one.points, at in best) if one else None for at, one in enumerate(came))
        rows.append(Row(name, 0, _sum(attended[at] for at in best), len(best), shown))
    totals = sorted(order(row.total) for row in rows)
    placed = [row._replace(place=totals.index(order(row.total)) + 1) for row in rows]
    return sorted(placed, key=lambda row: (row.place, row.name))


# -- who owes whom, after a game or a season ------------------------------------------------------
# Amounts are whole numbers of the smallest unit. A balance is what somebody gets, below 0 what they
# owe, and balances add up to 0. What does not divide is rounded up or down, in seat order.


def by_stake(
    points: Sequence[int | Fraction], places: Sequence[int], stake: int, *, highest_wins: bool
) -> list[int]:
    """Return the balances if everyone pays the stake for each point that a winner is ahead.

    Several winners share that. Nobody pays a winner whose points are worse than their own.
    """
    sign = stake if highest_wins else -stake
    winners = [at for at, place in enumerate(places) if place == 1]
    shares = [Fraction(0)] * len(points)
    for payer, own in enumerate(points):
        for winner in winners:
            part = max(Fraction(sign * (points[winner] - own)) / len(winners), Fraction(0))
            shares[winner] += part
            shares[payer] -= part
    return _whole(shares)


def by_prizes(places: Sequence[int], prizes: Sequence[int]) -> list[int]:
    """Return the balances if everyone pays an equal share of the prizes for these places.

    Those who share places share their prizes. A prize that nobody gets is not paid.
    """
    shares = [_share(prizes, place, places.count(place)) for place in places]
    each = sum(shares, Fraction(0)) / len(shares)
    return _whole([share - each for share in shares])


def _whole(shares: Sequence[Fraction]) -> list[int]:
    """Round shares that add up to 0 to whole numbers that add up to 0, too."""
    sums = [ceil(so_far) for so_far in accumulate(shares, initial=Fraction(0))]
    return [after - before for before, after in pairwise(sums)]


def payments(balances: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the fewest payments that settle the balances: who pays, who is paid, how much.

    People are given by their index. If more than `MOST_EXACT` owe or get something, there may be
    some payments more than needed, but fewer than people.
    """
    payments = []
    for group in _groups(balances):
        left = {at: balances[at] for at in sorted(group)}
        while any(left.values()):
            payer, payee = min(left, key=left.__getitem__), max(left, key=left.__getitem__)
            amount = min(-left[payer], left[payee])
            payments.append((payer, payee, amount))
            left[payer] += amount
            left[payee] -= amount
    return payments


def _groups(balances: Sequence[int]) -> Sequence[tuple[int, ...]]:
    """Return who owes or gets something, in the most groups that can settle among themselves.

    Each group needs one payment fewer than it has people.
    """

    @cache
    def split(people: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        first, others = people[:1], people[1:]
        parts = chain.from_iterable(combinations(others, size) for size in range(len(others)))
        splits = [
            (first + part, *split(tuple(at for at in others if at not in part)))
            for part in parts
            if sum(balances[at] for at in first + part) == 0
        ]
        return max(splits, key=len, default=(people,))

    people = tuple(at for at, balance in enumerate(balances) if balance)
    return split(people) if len(people) <= MOST_EXACT else [people]
