"""What the runs of one suit leave over, for every number of wild cards that are spent on them.

Two facts keep this small. They hold for the wild cards of one rank, at most four, because two runs
that share a place then hold at most 13 cards, or at least ten natural ones. Proof: put all the
cards of runs that overlap together, with every held card that lies between them. Up to 13 cards
are one run. With 14 or more, the five lowest naturals and the rest are two runs. So

- runs of one suit never need to overlap, and never need to leave out a held card between their
  lowest and their highest: a run's naturals are neighbours in the sorted suit, and
- where its wild cards lie does not matter, only how many they are.

A run on the table has its own place, so a card may be kept back from it; see `_lengthenings`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations
from typing import Final, NamedTuple

from companion.rules.cards import Rank
from companion.rules.melds import ACE_HIGH, AceInRuns, Meld, MeldLimits

NEVER: Final = 1 << 40  # more than any cards can cost
_ACE: Final = 1 << Rank.ACE
_ACE_PLACES: Final = {aces: aces.places(Rank.ACE) for aces in AceInRuns}

# The fewest points left, by how many wild cards are spent: a list of one more than there are.
Row = list[int]


class TableRun(NamedTuple):
    """A run on the table: where it lies there, its ends as places, how many cards are natural."""

    at: int
    meld: Meld
    naturals: int


class PlannedRun(NamedTuple):
    """A run to be laid from place ``low`` to ``high``; the natural cards by rank, as bits.

    ``onto`` is the run on the table that it makes longer, or None.
    """

    low: int
    high: int
    naturals: int
    onto: TableRun | None = None


def rank_bit(place: int) -> int:
    """The bit of the card that has a place, 1 … 14, in a mask of ranks: the ace has but one."""
    return _ACE if place == ACE_HIGH else 1 << place


class SuitRuns:
    """The runs of one suit, new and on the table.

    ``costs`` is what each place's card costs if it is left, by place 0 … 14; ``wilds`` how many
    wild cards there are in all.
    """

    def __init__(
        self,
        limits: MeldLimits,
        costs: Sequence[int],
        wilds: int,
        onto: Sequence[TableRun] = (),
    ) -> None:
        self.onto = onto
        self._limits = limits
        self._costs = costs
        self._wilds = wilds
        self._known: dict[tuple[int, int], Row] = {}
        nothing = [0] + [NEVER] * wilds
        self._new: dict[int, tuple[Row, Row]] = {0: (nothing, [0] * (wilds + 1))}

    def row(self, mask: int, number: int = 0) -> Row:
        """The fewest points left of the cards in ``mask`` (bits by rank).

        Only the table's runs from ``number`` on may be made longer.
        """
        known = self._known.get((mask, number))
        if known is not None:
            return known
        if number == len(self.onto):
            row = self._new_runs(mask)
        else:
            row = [NEVER] * (self._wilds + 1)
            for taken, spent, _ in self._lengthenings(self.onto[number], mask):
                rest = self.row(mask & ~taken, number + 1)
                row[spent:] = map(min, row[spent:], rest)
        self._known[mask, number] = row
        return row

    def plan(self, mask: int, spent: int) -> list[PlannedRun]:
        """Runs that leave what ``row(mask)[spent]`` says."""
        plans = []
        for number, run in enumerate(self.onto):
            target = self.row(mask, number)[spent]
            taken, wilds, low = next(
                (taken, wilds, low)
                for taken, wilds, low in self._lengthenings(run, mask)
                if wilds <= spent and self.row(mask & ~taken, number + 1)[spent - wilds] == target
            )
            added = taken.bit_count() + wilds
            if added:
                high = low + len(run.meld.cards) + added - 1
                plans.append(PlannedRun(low, high, taken, run))
            mask, spent = mask & ~taken, spent - wilds
        return plans + self._plan_new(mask, spent)

    # -- new runs ---------------------------------------------------------------------------------

    def _new_runs(self, mask: int) -> Row:
        rows = [self._new_row(places)[0] for places in self._placings(mask)]
        return rows[0] if len(rows) == 1 else list(map(min, *rows))

    def _placings(self, mask: int) -> list[int]:
        """The cards as bits by place: two ways if there is an ace that may be low or high."""
        if not mask & _ACE:
            return [mask]
        return [mask ^ _ACE | 1 << ace for ace in _ACE_PLACES[self._limits.ace_in_runs]]

    def _new_row(self, places: int) -> tuple[Row, Row]:
        """What new runs leave of these places; the same if they take any wild card too many."""
        known = self._new.get(places)
        if known is not None:
            return known
        last = places.bit_length() - 1
        cost = self._costs[last]
        row = [left + cost for left in self._new_row(places ^ 1 << last)[0]]
        for lower, need, most in self._runs_to(last, places):
            before, roomy = self._new_row(lower)
            if most >= self._wilds:
                row[need:] = map(min, row[need:], roomy)
                continue
            for spent in range(need, most + 1):
                row[spent:] = map(min, row[spent:], before)
        known = self._new[places] = row, list(accumulate(row, min))
        return known

    def _runs_to(self, last: int, places: int) -> Iterator[tuple[int, int, int]]:
        """The runs that end with the last of these places, the shortest first.

        Each is the places below it, and the fewest and the most wild cards that it can have.
        """
        wilds = self._wilds
        shortest, longest = self._limits.run_sizes
        fewest = self._limits.min_naturals
        count = 0
        while places:
            first = places.bit_length() - 1
            places ^= 1 << first
            count += 1
            span = last - first + 1
            if span - count > wilds:
                return
            need = max(span, shortest) - count
            if need <= wilds and count >= fewest:
                yield places, need, longest - count

    def _plan_new(self, mask: int, spent: int) -> list[PlannedRun]:
        target = self.row(mask, len(self.onto))[spent]
        placings = self._placings(mask)
        places = next(one for one in placings if self._new_row(one)[0][spent] == target)
        plans = []
        while places:
            last = places.bit_length() - 1
            # The longest of the runs that are as good, and as many wild cards in it as can be.
            found = [
                (lower, -wilds)
                for lower, need, most in self._runs_to(last, places)
                for wilds in range(need, min(most, spent) + 1)
                if self._new_row(lower)[0][spent - wilds] == target
            ]
            if found:
                lower, wilds = min(found)
                plans.append(self._spread(places ^ lower, -wilds))
                places, spent = lower, spent + wilds
            else:
                places ^= 1 << last
            target = self._new_row(places)[0][spent]
        return plans[::-1]

    def _spread(self, places: int, wilds: int) -> PlannedRun:
        """A run of these places and so many wild cards; those to spare go to its high end first."""
        size = places.bit_count() + wilds
        low = (places & -places).bit_length() - 1
        high = min(low + size - 1, self._limits.ace_in_runs.highest)
        high_ace = places >> ACE_HIGH
        return PlannedRun(high - size + 1, high, places ^ high_ace << ACE_HIGH | high_ace << 1)

    # -- runs on the table ------------------------------------------------------------------------

    def _lengthenings(self, run: TableRun, mask: int) -> Iterator[tuple[int, int, int]]:
        """Every way to make a run on the table longer that can be of use, none of it first.

        Each is the natural cards that it takes, as bits, the wild cards, and the run's low end
        then. A held card is kept back, with a wild one in its place, only where the run is full
        or nearly so. Otherwise the run could take the held card as well: a wild card too many goes
        to an end of it, and so does a run on its way that has no more naturals than it must.
        """
        size = len(run.meld.cards)
        longest = self._limits.run_sizes[1]
        fewest = self._limits.min_naturals
        aces = self._limits.ace_in_runs
        near = fewest + self._wilds - 1 if fewest else 1
        yield 0, 0, run.meld.low
        up = self._reach(range(run.meld.high + 1, aces.highest + 1), mask)
        for lower, below, empty_below in self._reach(
            range(run.meld.low - 1, aces.lowest - 1, -1), mask
        ):
            for higher, above, empty_above in up:
                longer = size + lower + higher
                held = below + above
                empty = empty_below + empty_above
                if not size < longer <= longest or empty > self._wilds:
                    continue
                crowded = longer + near > longest
                for kept in range(min(self._wilds - empty, len(held) if crowded else 0) + 1):
                    if run.naturals + len(held) - kept >= fewest:
                        for back in combinations(held, kept):
                            yield sum(held) - sum(back), empty + kept, run.meld.low - lower

    def _reach(self, places: Iterable[int], mask: int) -> list[tuple[int, list[int], int]]:
        """How far a run could go through these places, step by step, as the wild cards allow.

        Each step is the number of places, the held cards among them, as bits, and how many of them
        nobody holds.
        """
        held: list[int] = []
        empty = 0
        steps = [(0, held, empty)]
        for count, place in enumerate(places, 1):
            bit = rank_bit(place)
            if bit & mask:
                held = [*held, bit]
            else:
                empty += 1
                if empty > self._wilds:
                    break
            steps.append((count, held, empty))
        return steps
