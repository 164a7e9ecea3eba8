"""The boxes of Indian Chief, its poker hands and its thieves (CHI-1 … CHI-5)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum
from itertools import combinations
from typing import Final, NamedTuple

from companion.rules.cards import Card, Rank, Suit, without
from companion.rules.errors import Malformed
from companion.rules.language import gettext, listed, noted
from companion.rules.scoring import ShownMeld


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

    @property
    def rule(self) -> str:
        """The number of the rule on what it scores."""
        return "CHI-4" if self is Box.INDIAN_CHIEF else "CHI-3"


class PokerHand(IntEnum):
    """The poker hands of five cards, from the lowest to the highest."""

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
    def points(self) -> int:
        """What it scores: 5 for a high card, 5 more for each higher hand (CHI-4)."""
        return 5 * self


POKER_HANDS: Final = {
    PokerHand.HIGH_CARD: noted("a high card"),
    PokerHand.PAIR: noted("a pair"),
    PokerHand.TWO_PAIR: noted("two pair"),
    PokerHand.THREE_OF_A_KIND: noted("three of a kind"),
    PokerHand.STRAIGHT: noted("a straight"),
    PokerHand.FLUSH: noted("a flush"),
    PokerHand.FULL_HOUSE: noted("a full house"),
    PokerHand.FOUR_OF_A_KIND: noted("four of a kind"),
    PokerHand.STRAIGHT_FLUSH: noted("a straight flush"),
    PokerHand.FIVE_OF_A_KIND: noted("five of a kind"),
}
_FIVE: Final = 5
# The one straight in which the ace lies above the king.
_ACE_IS_HIGH: Final = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE})
_BY_COUNTS: Final = {
    (5,): PokerHand.FIVE_OF_A_KIND,
    (4, 1): PokerHand.FOUR_OF_A_KIND,
    (3, 2): PokerHand.FULL_HOUSE,
    (3, 1, 1): PokerHand.THREE_OF_A_KIND,
    (2, 2, 1): PokerHand.TWO_PAIR,
    (2, 1, 1, 1): PokerHand.PAIR,
    (1, 1, 1, 1, 1): PokerHand.HIGH_CARD,
}
LAWYER_TOTAL: Final = 25


def face_value(card: Card) -> int:
    """Return a card's face value: ace 1, king, queen and jack 10, others their number (CHI-2)."""
    return min(int(card.rank), 10)


def face_values(cards: Collection[Card]) -> int:
    """Return the sum of these cards' face values."""
    return sum(face_value(card) for card in cards)


def box_for(cards: Sequence[Card], whose: str = "The player", where: str = "cards") -> Box:
    """Return the box for a meld, by its number of cards. Raises `Malformed` if there is none."""
    if 1 <= len(cards) <= len(Box):
        return Box(len(cards))
    says = noted("%(whose)s shows no card; a meld has one to seven (CHI-1).")
    if cards:
        says = noted("%(whose)s shows %(cards)s cards; a meld has one to seven (CHI-1).")
    raise Malformed(says, where, whose=whose, cards=len(cards))


def poker_hand(cards: Collection[Card]) -> PokerHand:
    """Return the highest poker hand of five cards; the ace is high or low (CHI-4)."""
    counts = Counter(card.rank for card in cards)
    of_a_kind = _BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    straight = len(counts) == _FIVE and (
        max(counts) - min(counts) == _FIVE - 1 or counts.keys() == _ACE_IS_HIGH
    )
    flush = len({card.suit for card in cards}) == 1
    if straight and flush:
        in_suit = PokerHand.STRAIGHT_FLUSH
    elif flush:
        in_suit = PokerHand.FLUSH
    else:
        in_suit = PokerHand.STRAIGHT if straight else PokerHand.HIGH_CARD
    return max(of_a_kind, in_suit)


def baccarat(cards: Collection[Card]) -> int:
    """Return the sum of the face values without its tens (CHI-4)."""
    return face_values(cards) % 10


def chief_points(poker: Collection[Card], others: Collection[Card]) -> int:
    """Return what five poker cards and two baccarat cards score (CHI-4)."""
    return poker_hand(poker).points + baccarat(others)


def best_split(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the five of seven cards that make the best-scoring poker hand (CHI-4)."""
    return max(combinations(cards, 5), key=lambda poker: chief_points(poker, without(cards, poker)))


def possible_scores(box: Box, packs: int) -> Collection[int]:
    """Return every score that a box can have with this many packs (CHI-2 … CHI-4).

    A Beggar Man matches at most all eight cards a pack of its two ranks but its own two. A Rich Man
    holds at least five aces, or the four of one pack and a two.
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
    """Return the possible scores in words, unsigned: ``1 to 10``, ``0 or 25``."""
    scores = sorted(map(abs, possible_scores(box, packs)))
    if box is Box.LAWYER:
        return f"0 or {LAWYER_TOTAL}"
    kind = {Box.BEGGAR_MAN: "an even number, ", Box.DOCTOR: "a multiple of 10, "}.get(box, "")
    return f"{kind}{scores[0]} to {scores[-1]}"


# -- a round --------------------------------------------------------------------------------------


class RoundMeld(NamedTuple):
    """The meld that one player shows in a round.

    ``suit`` is the suit named for a Doctor, ``split`` the five poker cards of an Indian Chief; each
    is None if nothing was said.
    """

    name: str
    cards: tuple[Card, ...]
    suit: Suit | None = None
    split: tuple[Card, ...] | None = None


class RoundScore(NamedTuple):
    """What each player scores in a round, by name, and the thieves.

    ``thieves`` are groups of names in the order in which they take a card. Players in one group are
    equal, and have to agree.
    """

    boxes: Mapping[str, ShownMeld]
    thieves: tuple[tuple[str, ...], ...]

    @property
    def says(self) -> str:
        """The round in words: every score with its reason, and what thieves may do."""
        says = noted("%(name)s scores %(points)s for %(box)s: %(why)s.")
        scores = [
            gettext(says, name=name, points=one.points, box=gettext(one.box), why=one.says)
            for name, one in self.boxes.items()
        ]
        if self.thieves:
            scores.append(thieves_in_words(self.thieves))
        return " ".join(scores)


def thieves_in_order(
    melds: Sequence[RoundMeld], *, equal_by_value: bool = False
) -> tuple[tuple[str, ...], ...]:
    """Return the thieves, lowest first, those of equal rank or face value together (CHI-5)."""
    order: dict[int, list[str]] = {}
    for meld in melds:
        if len(meld.cards) == Box.THIEF:
            (card,) = meld.cards
            rank = face_value(card) if equal_by_value else int(card.rank)
            order.setdefault(rank, []).append(meld.name)
    return tuple(tuple(order[rank]) for rank in sorted(order))


def thieves_in_words(order: Sequence[Sequence[str]], *, last_is_unsure: bool = False) -> str:
    """Return in words who takes a card when (CHI-5); the ranks of the last may be unknown."""
    turns = [_together(equal) for equal in order]
    if last_is_unsure:
        turns[-1] = gettext(
            "%(names)s (the lower rank first; equal ones agree on different cards or take none)",
            names=listed(order[-1]),
        )
    if len(turns) == 1:
        return gettext("A card from another player's meld is taken by %(names)s.", names=turns[0])
    numbered = listed([f"{n}. {names}" for n, names in enumerate(turns, 1)], "standard-narrow")
    return gettext(
        "Each takes a card from another player's meld, in this order: %(names)s.", names=numbered
    )


def _together(equal: Sequence[str]) -> str:
    if len(equal) == 1:
        return equal[0]
    return gettext(
        "%(names)s (who are equal, and agree on different cards or take none)",
        names=listed(equal),
    )
