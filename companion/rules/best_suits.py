"""What the runs of all four suits leave over together, with the wild cards shared out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Final

from companion.rules.best_runs import NEVER, Row, SuitRuns
from companion.rules.cards import CARD_OF, Card, Suit

# Natural cards are one mask: a bit for each rank in the 16 bits of its suit. Two suits are a half.
_FIELD: Final = 16
_SUIT: Final = (1 << _FIELD) - 1
_HALF: Final = (1 << 2 * _FIELD) - 1
BIT: Final[dict[Card, int]] = {
    card: 1 << _FIELD * card.suit + card.rank for card in CARD_OF.values()
}


def cards_of(mask: int, suit: Suit) -> int:
    """The cards of one suit in a mask, by rank."""
    return mask >> _FIELD * suit & _SUIT


def in_suit(ranks: int, suit: Suit) -> int:
    """The mask of cards of one suit that are given by rank."""
    return ranks << _FIELD * suit


class AllSuits:
    """What the runs of all four suits leave over, with the wild cards shared out best.

    ``tails[spare]`` is what is left of wild cards that are in no run, by their number, where sets
    can take so many to spare.
    """

    def __init__(self, suits: Sequence[SuitRuns], tails: Sequence[Row]) -> None:
        self.suits = suits
        self._tails = tails
        self._low: dict[tuple[int, int], Row] = {}
        self._high: dict[int, Row] = {}
        self._pairs: dict[tuple[int, int], Row] = {}

    def left(self, mask: int, wilds: int, spare: int) -> int:
        """The fewest points left of the cards in a mask and so many wild cards."""
        half, other = mask & _HALF, mask >> 2 * _FIELD
        low = self._low.get((half, spare))
        if low is None:
            pair = self._pair(half, 0)
            low = self._low[half, spare] = _join(self._tails[spare], pair)
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
            shared = zip(self.suits[first : first + 2], (half & _SUIT, half >> _FIELD), strict=True)
            rows = [runs.row(cards) for runs, cards in shared if cards or runs.onto]
            nothing = [0] + [NEVER] * (len(self._tails[0]) - 1)
            known = reduce(_join, rows) if rows else nothing
            self._pairs[half, first] = known
        return known

    def rows(self, mask: int, spare: int) -> list[Row]:
        """The rows of each suit, and of the wild cards in no run, that `left` joins."""
        rows = [runs.row(cards_of(mask, Suit(at))) for at, runs in enumerate(self.suits)]
        return [*rows, self._tails[spare]]


def _join(one: Row, other: Row) -> Row:
    """The least of both, with the wild cards shared out in every way."""
    back = other[::-1]
    return [min(map(add, one, back[start:])) for start in range(len(one) - 1, -1, -1)]


def shares(rows: Sequence[Row], wilds: int, target: int) -> list[int]:
    """How to share out all the wild cards so that the rows add up to the target, which they can."""
    joined = list(accumulate(rows, _join))
    found = []
    for row, others in zip(rows[:0:-1], joined[-2::-1], strict=True):
        share = next(n for n in range(wilds + 1) if row[n] + others[wilds - n] == target)
        found.append(share)
        wilds, target = wilds - share, target - row[share]
    return [wilds, *reversed(found)]
