"""The seven boxes of Indian Chief, and what counts in each of them (CHI-1 … CHI-4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from enum import IntEnum
from itertools import combinations
from typing import Final

from companion.rules.cards import SUITS, Card, Rank, Suit
from companion.rules.errors import Malformed
from companion.rules.poker import PokerHand, poker_hand


class Box(IntEnum):
    """A line of the score sheet, by the number of cards of its meld."""

    THIEF = 1
    BEGGAR_MAN = 2
    POOR_MAN = 3
    LAWYER = 4
    RICH_MAN = 5
    DOCTOR = 6
    INDIAN_CHIEF = 7

    @property
    def title(self) -> str:
        """The name of the box: ``Beggar Man``."""
        return self.name.replace("_", " ").title()


LAWYER_TOTAL: Final = 25
POKER_POINTS: Final = {
    PokerHand.FIVE_OF_A_KIND: 50,
    PokerHand.STRAIGHT_FLUSH: 45,
    PokerHand.FOUR_OF_A_KIND: 40,
    PokerHand.FULL_HOUSE: 35,
    PokerHand.FLUSH: 30,
    PokerHand.STRAIGHT: 25,
    PokerHand.THREE_OF_A_KIND: 20,
    PokerHand.TWO_PAIR: 15,
    PokerHand.PAIR: 10,
    PokerHand.HIGH_CARD: 5,
}
_ACE_OF_HEARTS: Final = Card(Rank.ACE, Suit.HEARTS)


def face_value(card: Card) -> int:
    """A card's face value: ace 1, king, queen and jack 10, others their number (CHI-2)."""
    return min(int(card.rank), 10)


def face_values(cards: Collection[Card]) -> int:
    """The sum of these cards' face values."""
    return sum(face_value(card) for card in cards)


def box_for(cards: Sequence[Card], whose: str = "The player", where: str = "cards") -> Box:
    """The box that a meld is for, by its number of cards. Raises `Malformed` if there is none."""
    if 1 <= len(cards) <= len(Box):
        return Box(len(cards))
    shows = f"{len(cards)} cards" if cards else "no card"
    raise Malformed(f"{whose} shows {shows}; a meld has one to seven (CHI-1).", where)


def baccarat(cards: Collection[Card]) -> int:
    """The sum of the face values without its tens (CHI-4)."""
    return face_values(cards) % 10


def chief_points(poker: Collection[Card], others: Collection[Card]) -> int:
    """What five poker cards and two baccarat cards score (CHI-4)."""
    return POKER_POINTS[poker_hand(poker)] + baccarat(others)


def best_split(cards: Sequence[Card]) -> tuple[Card, ...]:
    """The five of seven cards that score most as the poker hand, with the other two (CHI-4)."""
    return max(
        combinations(cards, 5), key=lambda poker: chief_points(poker, others_than(cards, poker))
    )


def doctor_fault(cards: Sequence[Card], *, ace_of_hearts_is_both: bool) -> str:
    """Why six cards are no Doctor, in words; empty if they are one (CHI-3)."""
    if len({card.rank for card in cards}) < len(cards):
        return "two of its cards have one rank"
    hearts = [card for card in cards if card.suit is Suit.HEARTS]
    if not any(card.rank is Rank.ACE for card in cards):
        return "there is no ace"
    if not hearts:
        return "there is no heart"
    if hearts == [_ACE_OF_HEARTS] and not ace_of_hearts_is_both:
        return "the A♥ is the ace, and there is no other heart"
    return ""


def possible_scores(box: Box, packs: int) -> Collection[int]:
    """Every score that a box can have in a game with so many packs (CHI-2 … CHI-4).

    A Beggar Man matches all eight cards a pack of its two ranks but its own two. A Rich Man holds
    five aces, or the four of one pack and a two, at least.
    """
    return {
        Box.THIEF: range(1, 11),
        Box.BEGGAR_MAN: range(0, 2 * (8 * packs - 2) + 1, 2),
        Box.POOR_MAN: range(31),
        Box.LAWYER: (0, LAWYER_TOTAL),
        Box.RICH_MAN: range(-50, -5 if packs == 1 else -4),
        Box.DOCTOR: range(0, 61, 10),
        Box.INDIAN_CHIEF: range(5, (54 if packs == 1 else 59) + 1),
    }[box]


def scores_in_words(box: Box, packs: int) -> str:
    """The same in words, without a sign: ``1 to 10``, ``0 or 25``, ``an even number, 0 to 12``."""
    scores = sorted(map(abs, possible_scores(box, packs)))
    if box is Box.LAWYER:
        return f"0 or {LAWYER_TOTAL}"
    kind = {Box.BEGGAR_MAN: "an even number, ", Box.DOCTOR: "a multiple of 10, "}.get(box, "")
    return f"{kind}{scores[0]} to {scores[-1]}"


def best_suits(cards: Collection[Card]) -> tuple[Suit, ...]:
    """Return the suits that score most if they are named for a Doctor (CHI-3)."""
    counts = Counter(card.suit for card in cards)
    most = max(counts.values())
    return tuple(suit for suit in SUITS if counts[suit] == most)


def matches(pair: Collection[Card], others: Collection[Card]) -> int:
    """How many of the other cards have a rank of the two: each is counted once (CHI-3)."""
    ranks = {card.rank for card in pair}
    return sum(card.rank in ranks for card in others)


def others_than(cards: Sequence[Card], split: Sequence[Card]) -> list[Card]:
    """The cards that are not in a split, in their order: two of seven are the baccarat hand."""
    return list((Counter(cards) - Counter(split)).elements())
