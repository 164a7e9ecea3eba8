"""The points that the free cards can make, and with how many cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from companion.rules.cards import JOKER, PACK, Card
from companion.rules.judge import Judge


class Totals:
    """Every total that a choice of the free cards makes.

    ``free`` gives each card as its points and whether it is wild; ``enough`` is the number of
    cards beyond which nobody counts.
    """

    def __init__(self, free: Iterable[tuple[int, bool]], enough: int) -> None:
        cards = tuple(free)
        wilds = sum(wild for _, wild in cards)
        # _made[w][n] has bit t set if n cards, w of them wild, make t points; the last n is
        # "that many or more". Whole rows of totals move at once, where a table of single totals
        # takes tens of milliseconds.
        self._made = [[0] * (enough + 1) for _ in range(wilds + 1)]
        self._made[0][0] = 1
        for value, wild in cards:
            # Downwards, so that no card is taken twice.
            for before in range(wilds - wild, -1, -1):
                row, onto = self._made[before], self._made[before + wild]
                for count in range(enough, -1, -1):
                    onto[min(count + 1, enough)] |= row[count] << value

    def can_make(
        self, points: int, wilds: int | None, fewest: int, most: int | None = None
    ) -> bool:
        """Return whether ``fewest`` to ``most`` cards make these points, with so many ``wilds``.

        None stands for any number. ``most`` is less than ``enough``.
        """
        return points >= 0 and bool(self._sums(wilds, fewest, most) >> points & 1)

    def largest(self, wilds: int | None, most: int) -> int:
        """Return the most points that so many cards make; 0 if there are not so many wild ones."""
        return max(0, self._sums(wilds, 0, most).bit_length() - 1)

    def _sums(self, wilds: int | None, fewest: int, most: int | None) -> int:
        """The totals that can be made, a bit for each."""
        if not 0 <= (wilds or 0) < len(self._made):
            return 0
        made = 0
        for row in self._made if wilds is None else [self._made[wilds]]:
            for sums in row[fewest : None if most is None else most + 1]:
                made |= sums
        return made


def free_totals(rules: Judge, elsewhere: Iterable[Card], enough: int) -> Totals:
    """Return the totals of the packs' cards without those that lie elsewhere.

    Counts wild cards apart only where they are charged.
    """
    packs = Counter(PACK * rules.deck.packs)
    packs[JOKER] = rules.deck.jokers
    free = packs - Counter(elsewhere)
    charged = bool(rules.wild_left_points())
    return Totals(
        ((rules.value(card), charged and rules.limits.is_wild(card)) for card in free.elements()),
        enough,
    )


@lru_cache(maxsize=256)
def whole_packs(rules: Judge, enough: int) -> Totals:
    """Return the totals that can be made while every card is free."""
    return free_totals(rules, (), enough)
