"""Poker hands of five cards, from any number of packs and without wild cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from enum import IntEnum
from typing import Final

from companion.rules.cards import Card, Rank

_FIVE: Final = 5
# The one straight in which the ace lies above the king.
_ACE_HIGH: Final = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE})


class PokerHand(IntEnum):
    """The poker hands, from the lowest to the highest."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIR = 3
    THREE_OF_A_KIND = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    FIVE_OF_A_KIND = 10

    @property
    def word(self) -> str:
        """In words: ``full house``."""
        return self.name.replace("_", " ").lower()


_BY_COUNTS: Final = {
    (5,): PokerHand.FIVE_OF_A_KIND,
    (4, 1): PokerHand.FOUR_OF_A_KIND,
    (3, 2): PokerHand.FULL_HOUSE,
    (3, 1, 1): PokerHand.THREE_OF_A_KIND,
    (2, 2, 1): PokerHand.TWO_PAIR,
    (2, 1, 1, 1): PokerHand.PAIR,
    (1, 1, 1, 1, 1): PokerHand.HIGH_CARD,
}


def poker_hand(cards: Collection[Card]) -> PokerHand:
    """Return the highest poker hand that five cards make (CHI-4).

    In a straight the ace is high or low, never between king and two.
    """
    counts = Counter(card.rank for card in cards)
    of_a_kind = _BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    straight = len(counts) == _FIVE and (
        max(counts) - min(counts) == _FIVE - 1 or counts.keys() == _ACE_HIGH
    )
    flush = len({card.suit for card in cards}) == 1
    if straight and flush:
        in_suit = PokerHand.STRAIGHT_FLUSH
    elif flush:
        in_suit = PokerHand.FLUSH
    else:
        in_suit = PokerHand.STRAIGHT if straight else PokerHand.HIGH_CARD
    return max(of_a_kind, in_suit)
