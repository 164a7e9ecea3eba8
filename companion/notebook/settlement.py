"""Who owes whom after a game or a season, from a stake a point or from prizes.

Amounts are whole numbers of the smallest unit. A balance is what somebody gets, below 0 what they
owe, and balances add up to 0. What does not divide is rounded by largest remainder, in seat order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from math import floor
from typing import Final, NamedTuple

# Of so many people who owe or get something the fewest payments are found, in 20 milliseconds.
MOST_EXACT: Final = 12


class Payment(NamedTuple):
    """What ``payer`` pays ``payee``; both are places in the list of balances."""

    payer: int
    payee: int
    amount: int


def by_stake(
    points: Sequence[int | Fraction],
    places: Sequence[int],
    stake: int,
    *,
    highest_wins: bool,
    to_all: bool,
) -> list[int]:
    """Return the balances if everyone pays those ahead the stake for each point between them.

    Those ahead are the winners, who share it; with ``to_all`` everyone in a better place, who each
    get the whole. Nobody gets anything from somebody whose points are better.
    """
    sign = 1 if highest_wins else -1
    shares = [Fraction(0)] * len(points)
    for payer, place in enumerate(places):
        ahead = [at for at, other in enumerate(places) if other < place and (to_all or other == 1)]
        for payee in ahead:
            between = max(Fraction(sign * (points[payee] - points[payer])), Fraction(0))
            part = between * stake / (1 if to_all else len(ahead))
            shares[payee] += part
            shares[payer] -= part
    return _whole(shares)


def by_prizes(places: Sequence[int], prizes: Sequence[int]) -> list[int]:
    """Return the balances if everyone pays an equal share of the prizes for these places.

    Those who share places share their prizes. A prize that nobody gets is not paid.
    """
    shares = []
    for place in places:
        together = places.count(place)
        shares.append(Fraction(sum(prizes[place - 1 : place - 1 + together]), together))
    each = sum(shares, Fraction(0)) / len(shares)
    return _whole([share - each for share in shares])


def _whole(shares: Sequence[Fraction]) -> list[int]:
    """Return shares that add up to 0 as whole numbers that do, too."""
    whole = [floor(share) for share in shares]
    largest_first = sorted(range(len(shares)), key=lambda at: (whole[at] - shares[at], at))
    for at in largest_first[: -sum(whole)]:
        whole[at] += 1
    return whole


def payments(balances: Sequence[int]) -> list[Payment]:
    """Return the fewest payments that settle the balances.

    If more than `MOST_EXACT` people owe or get something, the largest debt goes to whom the most is
    owed, which may be some payments more; they are never as many as people.
    """
    return [payment for group in _groups(balances) for payment in _settled(group, balances)]


def _groups(balances: Sequence[int]) -> Sequence[tuple[int, ...]]:
    """Return who owes or gets something, in as many groups that settle among themselves as can be.

    Each group needs one payment fewer than it has people.
    """

    @cache
    def split(people: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        first, others = people[:1], people[1:]
        parts = chain.from_iterable(combinations(others, size) for size in range(len(others)))
        found = [
            (first + part, *split(tuple(at for at in others if at not in part)))
            for part in parts
            if sum(balances[at] for at in first + part) == 0
        ]
        return max(found, key=len, default=(people,))

    people = tuple(at for at, balance in enumerate(balances) if balance)
    return split(people) if len(people) <= MOST_EXACT else [people]


def _settled(group: Sequence[int], balances: Sequence[int]) -> Iterator[Payment]:
    """Yield payments that settle a group, each from the largest debt to whom most is owed."""
    left = {at: balances[at] for at in sorted(group)}
    while left:
        payer, payee = min(left, key=left.__getitem__), max(left, key=left.__getitem__)
        amount = min(-left[payer], left[payee])
        yield Payment(payer, payee, amount)
        left[payer] += amount
        left[payee] -= amount
        left = {at: balance for at, balance in left.items() if balance}
