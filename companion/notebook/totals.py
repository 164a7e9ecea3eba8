"""Which totals the cards that are free can make, and with how many of them."""

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

    def can_make(self, points: int, wilds: int | None, fewest: int) -> bool:
        """Whether ``fewest`` cards or more make these points, exactly ``wilds`` of them wild.

        None is any number of wild cards.
        """
        if points < 0 or not 0 <= (wilds or 0) < len(self._made):
            return False
        rows = self._made if wilds is None else [self._made[wilds]]
        return any(made >> points & 1 for row in rows for made in row[fewest:])


def free_totals(rules: Judge, elsewhere: Iterable[Card], enough: int) -> Totals:
    """The totals of the packs' cards without those that lie elsewhere."""
    packs = Counter(PACK * rules.deck.packs)
    packs[JOKER] = rules.deck.jokers
    free = packs - Counter(elsewhere)
    return Totals(
        ((rules.value(card), rules.limits.is_wild(card)) for card in free.elements()), enough
    )


@lru_cache(maxsize=64)
def whole_packs(rules: Judge, enough: int) -> Totals:
    """The totals that can be made while every card is free."""
    return free_totals(rules, (), enough)
