"""What becomes of wild cards that are in no run and no set with other cards."""

from __future__ import annotations

from functools import lru_cache

from companion.rules.best_limits import room, run_limits, set_limits
from companion.rules.best_runs import Row
from companion.rules.melds import Kind, MeldLimits

# The kinds of melds that wild cards can be alone, and how many cards those may have.
Sizes = tuple[tuple[Kind, range], ...]
# Melds of wild cards alone: their kinds, and how many cards they have.
Own = tuple[tuple[Kind, int], ...]


@lru_cache(maxsize=512)
def sizes_of_wilds(limits: MeldLimits) -> Sizes:
    """What melds of wild cards alone there are, and how many cards they may have."""
    found = []
    fewest, most = room(0, set_limits(limits))
    if fewest <= most:
        found.append((Kind.SET, range(fewest, most + 1)))
    of_runs = run_limits(limits, 0)
    if of_runs.wild_runs and not of_runs.one_run:
        found.append((Kind.RUN, range(of_runs.shortest, of_runs.room[0][1] + 1)))
    return tuple(found)


def tail(alone: Row, spare: int) -> Row:
    """What is left of wild cards in no run, by their number, where sets can take so many."""
    return [min(alone[max(0, count - spare) : count + 1]) for count in range(len(alone))]


@lru_cache(maxsize=512)
def tails(pieces: Sizes, wilds: int, cost: int) -> tuple[Row, tuple[Row, ...]]:
    """What is left of wild cards where no set takes any, and for each number that sets can take."""
    alone = [
        (count - sum(size for _, size in wilds_alone(pieces, count))) * cost
        for count in range(wilds + 1)
    ]
    return alone, tuple([tail(alone, spare) for spare in range(wilds + 1)])


@lru_cache(maxsize=512)
def wilds_alone(pieces: Sizes, count: int) -> Own:
    """Melds of wild cards alone that use as many of so many as can be, and are as few."""
    best: list[Own] = [()]
    for number in range(1, count + 1):
        ways = [best[number - 1]]
        ways += [
            ((kind, size), *best[number - size])
            for kind, sizes in pieces
            for size in sizes
            if size <= number
        ]
        best.append(max(ways, key=lambda way: (sum(size for _, size in way), -len(way))))
    return best[count]
