"""A game's limits on melds as numbers, for the search for the best melds.

How many wild cards a meld can have depends on its natural cards alone, but for the wild cards that
a run needs between them and for where its ends lie.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from companion.rules.cards import SUITS
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, MeldLimits

# The fewest and the most wild cards; where the most are fewer than the fewest, there is no meld.
Room = tuple[int, int]
NO_ROOM: Room = (1, 0)


class RunLimits(NamedTuple):
    """What the runs of one suit must keep, with so many wild cards in all.

    ``room`` is what a run has for wild cards, by the number of its natural ones, and ``high_room``
    the same where an ace is its high end. ``alone`` is the room of a set with one natural card,
    where no run is as good. ``anywhere`` says that no limit asks where wild cards lie or how many
    they are; ``wild_runs`` that a run may be of wild cards alone.
    """

    wilds: int
    shortest: int
    longest: int
    aces: AceInRuns
    fewest: int
    room: tuple[Room, ...]
    high_room: tuple[Room, ...]
    alone: Room
    most_gaps: int
    anywhere: bool
    apart: bool
    one_run: bool
    wild_runs: bool


class SetLimits(NamedTuple):
    """What a set must keep, or a run without regard to where its cards lie."""

    sizes: tuple[int, int]
    min_naturals: int
    half_wild: bool
    max_wilds: int | None
    suits_differ: bool
    tanala: bool


@lru_cache(maxsize=512)
def set_limits(limits: MeldLimits) -> SetLimits:
    """A hand's limits on sets."""
    fewest, most = limits.set_sizes
    return SetLimits(
        (fewest, min(most, len(SUITS)) if limits.suits_differ else most),
        limits.fewest_naturals(Kind.SET),
        limits.half_wild,
        limits.max_wilds,
        limits.suits_differ,
        bool(limits.tanala_rule),
    )


def room(naturals: int, limits: SetLimits) -> Room:
    """How many wild cards a new meld of so many natural ones can have."""
    if naturals < limits.min_naturals:
        return NO_ROOM
    need, most = max(0, limits.sizes[0] - naturals), limits.sizes[1] - naturals
    if limits.half_wild:
        most = min(most, naturals)
    if limits.max_wilds is not None:
        most = min(most, limits.max_wilds)
    return (need, most) if need <= most else NO_ROOM


@lru_cache(maxsize=512)
def run_limits(limits: MeldLimits, wilds: int) -> RunLimits:
    """A hand's limits on runs for so many wild cards."""
    of_sets = set_limits(limits)
    aces = limits.ace_in_runs
    shortest, longest = limits.run_sizes
    longest = min(longest, ACE_HIGH - 1)
    of_runs = of_sets._replace(
        sizes=(shortest, longest), min_naturals=limits.fewest_naturals(Kind.RUN)
    )
    # With an ace at both ends a whole suit is one run, from the ace up (`melds.readings`).
    of_high_runs = of_runs
    if aces is AceInRuns.BOTH:
        of_high_runs = of_runs._replace(sizes=(shortest, min(longest, ACE_HIGH - 2)))
    alone, as_run = room(1, of_sets), room(1, of_runs)
    anyhow = not limits.wilds_apart and not limits.one_run_a_suit
    if anyhow and as_run[0] <= alone[0] and alone[1] <= as_run[1]:
        alone = NO_ROOM
    most_gaps = wilds if limits.max_wilds is None else min(wilds, limits.max_wilds)
    counts = range(ACE_HIGH + 1)
    return RunLimits(
        wilds,
        shortest,
        longest,
        aces,
        of_runs.min_naturals,
        tuple([room(count, of_runs) for count in counts]),
        tuple([room(count, of_high_runs) for count in counts]),
        alone,
        most_gaps,
        anywhere=not limits.half_wild and not limits.wilds_apart and limits.max_wilds is None,
        apart=limits.wilds_apart,
        one_run=limits.one_run_a_suit,
        wild_runs=not limits.wilds_apart and room(0, of_runs) != NO_ROOM,
    )


def natural_in_place(limits: MeldLimits, *, clean: bool) -> bool:
    """Whether it matters that a wild card in its own place counts as natural.

    ``clean`` says that runs without a card that stands for another are asked for.
    """
    asks = limits.fewest_naturals(Kind.SET) or limits.half_wild or limits.wilds_apart or clean
    return not limits.wild_in_own_place and bool(asks or limits.max_wilds is not None)
