"""What the runs of all four suits leave over together, with the wild cards shared out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import NamedTuple

from companion.rules.best_runs import NEVER, Row, SuitRuns
from companion.rules.card_bits import LAYER_BITS
from companion.rules.cards import SUITS, Suit


class Asked(NamedTuple):
    """How many clean new runs a suit must have at least, and how many new runs in all."""

    clean: int = 0
    runs: int = 0


NOTHING_ASKED = (Asked(),) * len(SUITS)


class Fields:
    """Natural cards of all suits in one mask: a field for each suit, wide enough for the packs."""

    def __init__(self, layers: int) -> None:
        self.layers = layers
        self.width = LAYER_BITS * layers
        self._suit = (1 << self.width) - 1

    def cards_of(self, mask: int, suit: Suit) -> int:
        """The cards of one suit in a mask, by rank."""
        return mask >> self.width * suit & self._suit

    def in_suit(self, ranks: int, suit: Suit) -> int:
        """The mask of cards of one suit that are given by rank."""
        return ranks << self.width * suit


class AllSuits:
    """What the runs of all four suits leave over, with the wild cards shared out best.

    ``tails[spare]`` is what is left of wild cards that are in no run, by their number, where sets
    can take so many to spare. ``asked`` is what each suit must have.
    """

    def __init__(
        self,
        suits: Sequence[SuitRuns],
        fields: Fields,
        tails: Sequence[Row],
        asked: Sequence[Asked] = NOTHING_ASKED,
    ) -> None:
        self.suits = suits
        self.asked = asked
        self._fields = fields
        self._half = 2 * fields.width
        self._tails = tails
        # Suits that have something to say without any cards.
        self._never_idle = [
            bool(runs.onto or runs.of_wilds_alone or share.runs)
            for runs, share in zip(suits, asked, strict=True)
        ]
        self._low: dict[tuple[int, int], Row] = {}
        self._high: dict[int, Row] = {}
        self._pairs: dict[tuple[int, int], Row] = {}

    def left(self, mask: int, wilds: int, spare: int) -> int:
        """The fewest points left of the cards in a mask and so many wild cards."""
        other = mask >> self._half
        half = mask ^ other << self._half
        low = self._low.get((half, spare))
        if low is None:
            pair = self._pair(half, 0)
            low = self._low[half, spare] = join(self._tails[spare], pair)
        high = self._high.get(other)
        if high is None:
            # From back to front, so that each share of one half meets the rest in the other.
            high = self._high[other] = self._pair(other, 2)[::-1]
        least: int = min(map(add, low, high[len(low) - 1 - wilds :]))
        return least

    def _pair(self, half: int, first: int) -> Row:
        """What two suits leave over together."""
        known = self._pairs.get((half, first))
        if known is None:
            rows = []
            width = self._fields.width
            for suit, cards in ((first, half & (1 << width) - 1), (first + 1, half >> width)):
                if cards or self._never_idle[suit]:
                    rows.append(self.suits[suit].row(cards, *self.asked[suit]))
            nothing = [0] + [NEVER] * (len(self._tails[0]) - 1)
            known = reduce(join, rows) if rows else nothing
            self._pairs[half, first] = known
        return known

    def rows(self, mask: int, spare: int) -> list[Row]:
        """The rows of each suit, and of the wild cards in no run, that `left` joins."""
        rows = [
            runs.row(self._fields.cards_of(mask, suit), *self.asked[suit])
            for suit, runs in zip(SUITS, self.suits, strict=True)
        ]
        return [*rows, self._tails[spare]]


def join(one: Row, other: Row) -> Row:
    """The least of both, with the wild cards shared out in every way."""
    back = other[::-1]
    return [min(map(add, one, back[start:])) for start in range(len(one) - 1, -1, -1)]


def shares(rows: Sequence[Row], wilds: int, target: int) -> list[int]:
    """How to share out all the wild cards so that the rows add up to the target, which they can."""
    if not wilds:
        return [0] * len(rows)
    joined = list(accumulate(rows, join))
    found = []
    for row, others in zip(rows[:0:-1], joined[-2::-1], strict=True):
        share = next(n for n in range(wilds + 1) if row[n] + others[wilds - n] == target)
        found.append(share)
        wilds, target = wilds - share, target - row[share]
    return [wilds, *reversed(found)]
