"""What the runs of one suit leave over, for every number of wild cards that are spent on them.

A run is its natural cards: with them it is known how many wild cards it needs, and how many it can
have. So the runs of a suit are groups of its cards, and the suit is gone through from the highest
card down: it is left, or it is the highest of one of the groups that there can be. Which groups
are worth a trial depends on the limits; see `companion.rules.best_groups`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from companion.rules.best_groups import ACE, HIGH_ACE, Group, Groups
from companion.rules.best_lengthenings import Lengthening, TableRun, lengthenings
from companion.rules.best_limits import NO_ROOM, RunLimits
from companion.rules.card_bits import LAYER, LAYER_BITS, copies, count_of, take
from companion.rules.cards import RANKS, Rank
from companion.rules.melds import AceInRuns, MeldLimits

NEVER: Final = 1 << 40  # more than any cards can cost
# In place of a number of runs to be made: no run more may be.
_NO_MORE: Final = -1

# The fewest points left, by how many wild cards are spent: a list of one more than there are.
Row = list[int]


class PlannedRun(NamedTuple):
    """A run to be laid from place ``low`` to ``high``; the natural cards by rank, as bits.

    ``onto`` is the run on the table that it makes longer, or None.
    """

    low: int
    high: int
    naturals: int
    onto: TableRun | None = None


class PlannedAlone(NamedTuple):
    """A set with one natural card, of this rank, and so many wild ones."""

    rank: Rank
    wilds: int


class SuitRuns:
    """The runs of one suit, new and on the table, and its sets of one natural card.

    ``costs`` is what each place's card costs if it is left, by place 0 … 14; ``own`` the ranks of
    wild cards in their own place, which cost nothing here. ``none_out`` is what
    `companion.rules.best_groups.leaves_none_out` says of all the cards it will be asked of, and
    ``keeps_back`` whether runs on the table may have to leave a card. With ``clean_only`` there is
    no new meld but runs without a card that stands for another.

    What is left of cards is remembered for whenever they are asked of again.
    """

    def __init__(
        self,
        limits: MeldLimits,
        numbers: RunLimits,
        costs: Sequence[int],
        onto: Sequence[TableRun] = (),
        own: int = 0,
        *,
        none_out: bool,
        keeps_back: bool,
        clean_only: bool = False,
    ) -> None:
        self.onto = onto
        self._limits = limits
        self._numbers = numbers
        self._costs = costs
        self._own_ranks = own
        self._groups = Groups(numbers, own)
        self._wilds = numbers.wilds
        self._clean_only = clean_only
        self.of_wilds_alone = numbers.wild_runs and numbers.one_run and not clean_only
        self._has_alone = numbers.alone != NO_ROOM and not clean_only
        self._one_meld = numbers.one_run and not self._has_alone
        if clean_only:
            self._way = self._groups.clean
        else:
            self._way = self._groups.neighbours if none_out else self._groups.any_places
        self._keep_back = keeps_back
        self._planned: dict[tuple[int, int, int, int], tuple[PlannedRun | PlannedAlone, ...]] = {}
        self._known: dict[int | tuple[int, int, int, int], Row] = {}
        self._clean: dict[tuple[int, int, int], Row] = {}
        self._new: defaultdict[int, dict[int, tuple[Row, Row]]] = defaultdict(dict)

    def row(self, mask: int, clean: int = 0, runs: int = 0, number: int = 0) -> Row:
        """The fewest points left of the cards in ``mask`` (by rank).

        There are so many clean new runs at least, and so many new ones in all: no more than one
        where a suit has no two. Only the table's runs from ``number`` on may be made longer.
        """
        key = (mask, clean, runs, number) if runs or number else mask
        known = self._known.get(key)
        if known is not None:
            return known
        if number == len(self.onto):
            rows = [self._clean_row(placed, clean, runs) for placed in self._placings(mask)]
            row = rows[0] if len(rows) == 1 else list(map(min, *rows))
        else:
            row = [NEVER] * (self._wilds + 1)
            for longer in self._lengthenings(number, mask):
                rest = self.row(take(mask, longer.taken), clean, runs, number + 1)
                row[longer.wilds :] = map(min, row[longer.wilds :], rest)
        self._known[key] = row
        return row

    def plan(
        self, mask: int, spent: int, clean: int = 0, runs: int = 0
    ) -> Sequence[PlannedRun | PlannedAlone]:
        """Melds that leave what ``row(mask, clean, runs)[spent]`` says."""
        key = (mask, spent, clean, runs)
        planned = self._planned.get(key)
        if planned is None:
            planned = self._planned[key] = tuple(self._plan(*key))
        return planned

    @property
    def remembered(self) -> int:
        """How many answers are remembered."""
        return len(self._known) + len(self._planned) + sum(map(len, self._new.values()))

    def _plan(
        self, mask: int, spent: int, clean: int, runs: int
    ) -> Iterator[PlannedRun | PlannedAlone]:
        for number, run in enumerate(self.onto):
            target = self.row(mask, clean, runs, number)[spent]
            longer = next(
                longer
                for longer in self._lengthenings(number, mask)
                if longer.wilds <= spent
                and self.row(take(mask, longer.taken), clean, runs, number + 1)[
                    spent - longer.wilds
                ]
                == target
            )
            if longer.added:
                high = longer.low + len(run.meld.cards) + longer.added - 1
                yield PlannedRun(longer.low, high, longer.taken, run)
            mask, spent = take(mask, longer.taken), spent - longer.wilds
        target = self.row(mask, clean, runs, len(self.onto))[spent]
        placed = next(
            placed
            for placed in self._placings(mask)
            if self._clean_row(placed, clean, runs)[spent] == target
        )
        yield from self._plan_new(placed, spent, clean, runs)

    def can_be_clean(self, mask: int) -> bool:
        """Whether there is a clean run among these cards (by rank)."""
        placings = self._placings(mask)
        return any(next(self._groups.all_clean(placed), None) for placed in placings)

    # -- new runs ---------------------------------------------------------------------------------

    def _placings(self, mask: int) -> list[int]:
        """The cards by place: several ways if there are aces that may be low or high."""
        aces = self._numbers.aces
        if not mask & ACE or aces is AceInRuns.LOW:
            return [mask]
        count = count_of(mask, ACE)
        others = mask ^ copies(ACE, count)
        low = range(1) if aces is AceInRuns.HIGH else range(count, -1, -1)
        return [others | copies(ACE, n) | copies(HIGH_ACE, count - n) for n in low]

    def _clean_row(self, placed: int, clean: int, runs: int) -> Row:
        """What new melds leave of these places, so many clean runs and runs in all among them."""
        if not clean:
            return self._new_row(placed, runs)[0]
        known = self._clean.get((placed, clean, runs))
        if known is not None:
            return known
        row = [NEVER] * (self._wilds + 1)
        for taken, need, _, _ in self._groups.all_clean(placed):
            rest = self._clean_row(take(placed, taken), clean - 1, self._after(runs))
            row[need:] = map(min, row[need:], rest)
        self._clean[placed, clean, runs] = row
        return row

    def _after(self, runs: int) -> int:
        """How many runs are still to be made after one."""
        if self._numbers.one_run:
            return _NO_MORE
        return runs - 1 if runs else 0

    def _new_row(self, placed: int, runs: int) -> tuple[Row, Row]:
        """What new melds leave of these places; the same if they take any wild card too many."""
        known = self._new[runs].get(placed)
        if known is not None:
            return known
        if not placed:
            return self._keep(placed, runs, self._of_no_cards(runs))
        if runs == _NO_MORE and not self._has_alone:
            return self._keep(placed, runs, [self._cost_of(placed)] + [NEVER] * self._wilds)
        if self._one_meld:
            return self._keep(placed, runs, self._row_of_one(placed, runs))
        wilds = self._wilds
        held = placed & LAYER
        last = held.bit_length() - 1
        cost = self._costs[last]
        row = [left + cost for left in self._new_row(take(placed, 1 << last), runs)[0]]
        after = self._after(runs)
        for taken, need, most, is_run in (
            self._with_alone(last, held, runs) if self._has_alone else self._way(last, held)
        ):
            lower = placed ^ taken if placed == held else take(placed, taken)
            before, roomy = self._new_row(lower, after if is_run else runs)
            if most >= wilds:
                row[need:] = map(min, row[need:], roomy)
            else:
                for spent in range(need, most + 1):
                    row[spent:] = map(min, row[spent:], before)
                if not any(row):
                    break
        return self._keep(placed, runs, row)

    def _row_of_one(self, placed: int, runs: int) -> Row:
        """What one run at most leaves of these places, where there is nothing else to be made."""
        held = placed & LAYER
        last = held.bit_length() - 1
        # A second copy is left if the first one is.
        count = count_of(placed, 1 << last)
        cost, lower = self._costs[last] * count, placed ^ copies(1 << last, count)
        row = [left + cost for left in self._new_row(lower, runs)[0]]
        every = self._cost_of(placed)
        for taken, need, most, _ in self._way(last, held):
            left = every - self._cost_of(taken)
            for spent in range(need, min(most, self._wilds) + 1):
                if left < row[spent]:
                    row[spent] = left
        return row

    def _keep(self, placed: int, runs: int, row: Row) -> tuple[Row, Row]:
        found = self._new[runs][placed] = row, list(accumulate(row, min))
        return found

    def _cost_of(self, placed: int) -> int:
        """What these places cost if all are left."""
        cost = 0
        while placed:
            place = placed.bit_length() - 1
            cost += self._costs[place % LAYER_BITS]
            placed ^= 1 << place
        return cost

    def _of_no_cards(self, runs: int) -> Row:
        """What is left of no natural cards; runs still to be made are of wild cards alone."""
        numbers = self._numbers
        row = [0 if runs <= 0 else NEVER] + [NEVER] * self._wilds
        count = 1 if self.of_wilds_alone and runs == 0 else runs
        if count > 0 and numbers.wild_runs and not self._clean_only:
            most = min(count * numbers.longest, self._wilds)
            for spent in range(count * numbers.shortest, most + 1):
                row[spent] = 0
        return row

    def _with_alone(self, last: int, held: int, runs: int) -> Iterable[Group]:
        """The groups with this highest place that are worth a trial, of these places."""
        found = self._way(last, held) if runs != _NO_MORE else ()
        return [*found, *self._groups.alone(last)] if self._has_alone else found

    # -- what was found ---------------------------------------------------------------------------

    def _plan_new(
        self, placed: int, spent: int, clean: int, runs: int
    ) -> Iterator[PlannedRun | PlannedAlone]:
        while clean:
            target = self._clean_row(placed, clean, runs)[spent]
            clean, runs = clean - 1, self._after(runs)
            taken, need = next(
                (taken, need)
                for taken, need, _, _ in self._groups.all_clean(placed)
                if need <= spent
                and self._clean_row(take(placed, taken), clean, runs)[spent - need] == target
            )
            yield self._spread(taken, 0)
            placed, spent = take(placed, taken), spent - need
        while placed:
            last = (placed & LAYER).bit_length() - 1
            target = self._new_row(placed, runs)[0][spent]
            # The longest of the melds that are as good, and as many wild cards in it as can be.
            found = [
                (taken.bit_count(), wilds, taken, is_run)
                for taken, need, most, is_run in self._with_alone(last, placed & LAYER, runs)
                for wilds in range(need, min(most, spent) + 1)
                for after in [self._after(runs) if is_run else runs]
                if self._new_row(take(placed, taken), after)[0][spent - wilds] == target
            ]
            if not found:
                placed = take(placed, 1 << last)  # left
                continue
            _, wilds, taken, is_run = max(found)
            others = wilds - self._groups.own_in(taken)
            if is_run:
                yield self._spread(taken, others)
                runs = self._after(runs)
            else:
                yield PlannedAlone(Rank((last - 1) % len(RANKS) + 1), others)
            placed, spent = take(placed, taken), spent - wilds
        yield from self._of_wilds_alone(spent, runs)

    def _of_wilds_alone(self, spent: int, runs: int) -> Iterator[PlannedRun]:
        """Runs of so many wild cards and no other."""
        count = max(runs, int(spent > 0))
        for number in range(count, 0, -1):
            size = min(self._numbers.longest, spent - (number - 1) * self._numbers.shortest)
            low = self._numbers.aces.lowest
            yield PlannedRun(low, low + size - 1, 0)
            spent -= size

    def _spread(self, taken: int, wilds: int) -> PlannedRun:
        """A run of these places and so many wild cards; those to spare go to its high end first.

        Where they must lie apart, one goes to each end.
        """
        aces = self._numbers.aces
        first = (taken & -taken).bit_length() - 1
        last = taken.bit_length() - 1
        size = taken.bit_count() + wilds
        spare = size - (last - first + 1)
        if aces is AceInRuns.BOTH and size == len(RANKS):
            high = int(Rank.KING)
        else:
            high = min(last + (min(spare, 1) if self._numbers.apart else spare), aces.highest)
        naturals = taken & ~HIGH_ACE | (ACE if taken & HIGH_ACE else 0)
        return PlannedRun(high - size + 1, high, naturals)

    # -- runs on the table ------------------------------------------------------------------------

    def _lengthenings(self, number: int, mask: int) -> Iterator[Lengthening]:
        run, limits = self.onto[number], self._limits
        fewest = self._numbers.fewest
        # A held card is kept back only where the run is full or nearly so. Otherwise the run could
        # take the held card as well: a wild card too many goes to an end of it, and so does a run
        # on its way that has no more naturals than it must.
        near = fewest + self._wilds - 1 if fewest else 1
        fullest = len(run.meld.cards) + mask.bit_count() + self._wilds + near
        return lengthenings(
            run,
            mask & LAYER,
            self._own_ranks,
            self._wilds,
            limits,
            keep_back=self._keep_back or fullest > self._numbers.longest,
        )
