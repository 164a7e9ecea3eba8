"""The boxes of Indian Chief: what a meld scores in each (CHI-2 … CHI-4)."""

from collections import Counter
from collections.abc import Collection, Sequence
from enum import Enum
from itertools import combinations
from typing import Final

from companion.rules.cards import SUITS, Card, Rank, Suit, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.hand_rules import MeldBox
from companion.rules.language import gettext, listed, ngettext, noted
from companion.rules.scoring import BoxScore, HandEnd

_LAWYER_TOTAL: Final = 25
_ACE_OF_HEARTS: Final = Card(Rank.ACE, Suit.HEARTS)
_SUITS: Final = {suit.text: suit for suit in SUITS}


class Box(MeldBox, Enum):
    """A box of the score sheet: its title, and the number of cards of its meld."""

    THIEF = ("Thief", 1)
    BEGGAR_MAN = ("Beggar Man", 2)
    POOR_MAN = ("Poor Man", 3)
    LAWYER = ("Lawyer", 4)
    RICH_MAN = ("Rich Man", 5, "", True)
    DOCTOR = ("Doctor", 6, "suit")
    INDIAN_CHIEF = ("Indian Chief", 7, "split")

    @property
    def rule(self) -> str:
        """The number of the rule on what the box scores."""
        return "CHI-4" if self is Box.INDIAN_CHIEF else "CHI-3"


BOXES: Final = {box.title: box for box in Box}


def face_values(cards: Collection[Card]) -> int:
    """Return the sum of face values: ace 1, king, queen, jack 10, others their number (CHI-2)."""
    return sum(min(int(card.rank), 10) for card in cards)


def box_for(cards: Sequence[Card], whose: str = "The player", where: str = "cards") -> Box:
    """Return the box for a meld, by its number of cards. Raises `Malformed` if there is none."""
    for box in Box:
        if box.cards == len(cards):
            return box
    says = noted("%(whose)s shows no card; a meld has one to seven (CHI-1).")
    if cards:
        says = noted("%(whose)s shows %(cards)s cards; a meld has one to seven (CHI-1).")
    raise Malformed(says, where, whose=whose, cards=len(cards))


def possible_scores(box: Box, packs: int) -> range:
    """Return every score that a box can have with this many packs (CHI-2 … CHI-4).

    A Beggar Man matches at most the eight cards a pack of its two ranks, less its own two. The best
    Rich Man is five aces, or in one pack four aces and a two.
    """
    return {
        Box.THIEF: range(1, 11),
        Box.BEGGAR_MAN: range(0, 2 * (8 * packs - 2) + 1, 2),
        Box.POOR_MAN: range(31),
        Box.LAWYER: range(0, _LAWYER_TOTAL + 1, _LAWYER_TOTAL),
        Box.RICH_MAN: range(-50, -5 if packs == 1 else -4),
        Box.DOCTOR: range(0, 61, 10),
        Box.INDIAN_CHIEF: range(5, 55 if packs == 1 else 60),
    }[box]


def scores_in_words(scores: range) -> str:
    """Return possible scores in words, without signs: ``1 to 10``, ``0 or 25``."""
    low, high = sorted((abs(scores[0]), abs(scores[-1])))
    says = {
        2: noted("an even number, %(low)s to %(high)s"),
        10: noted("a multiple of 10, %(low)s to %(high)s"),
        _LAWYER_TOTAL: noted("%(low)s or %(high)s"),
    }.get(scores.step, noted("%(low)s to %(high)s"))
    return gettext(says, low=low, high=high)


# -- poker and baccarat (CHI-4) --------------------------------------------------------------------


class PokerHand(Enum):
    """The poker hands of five cards, in words, from the lowest to the highest."""

    HIGH_CARD = noted("a high card")
    PAIR = noted("a pair")
    TWO_PAIR = noted("two pair")
    THREE_OF_A_KIND = noted("three of a kind")
    STRAIGHT = noted("a straight")
    FLUSH = noted("a flush")
    FULL_HOUSE = noted("a full house")
    FOUR_OF_A_KIND = noted("four of a kind")
    STRAIGHT_FLUSH = noted("a straight flush")
    FIVE_OF_A_KIND = noted("five of a kind")

    @property
    def points(self) -> int:
        """The points of the hand: 5 for a high card, 5 more for each higher hand."""
        return 5 * (1 + list(PokerHand).index(self))


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


def poker_hand(cards: Collection[Card]) -> PokerHand:
    """Return the highest poker hand of five cards; the ace is high or low."""
    counts = Counter(card.rank for card in cards)
    hands = [_BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]]
    in_a_row = max(counts) - min(counts) == 4 or counts.keys() == _ACE_IS_HIGH
    straight, flush = len(counts) == 5 and in_a_row, len({card.suit for card in cards}) == 1
    if straight:
        hands.append(PokerHand.STRAIGHT_FLUSH if flush else PokerHand.STRAIGHT)
    elif flush:
        hands.append(PokerHand.FLUSH)
    return max(hands, key=lambda hand: hand.points)


def baccarat(cards: Collection[Card]) -> int:
    """Return the last digit of the sum of face values."""
    return face_values(cards) % 10


# -- the boxes -------------------------------------------------------------------------------------


def box_score(
    end: HandEnd, others: Sequence[Card], where: str, *, ace_of_hearts_is_both: bool
) -> BoxScore:
    """Return what a meld scores if ``others`` are all cards the others show (CHI-3, CHI-4).

    Raises `Malformed`, mostly with ``where``, for a meld without a box, or a wrong suit or split.
    """
    name, cards = end.name, end.left.cards or ()
    if end.suit and end.suit not in _SUITS:
        says = noted("There is no suit “%(suit)s” for %(name)s to name.")
        raise Malformed(says, "suit", suit=end.suit[:10], name=name)
    box = box_for(cards, name, where)
    if end.suit and box is not Box.DOCTOR:
        raise Malformed("%(name)s names a suit, and shows no Doctor.", where, name=name)
    if end.split is not None and box is not Box.INDIAN_CHIEF:
        says = noted("%(name)s splits the cards, and shows no Indian Chief.")
        raise Malformed(says, where, name=name)
    points = total = face_values(cards)
    match box:
        case Box.THIEF:
            says = gettext("the face value of its card")
        case Box.BEGGAR_MAN:
            ranks = {card.rank for card in cards}
            matches = sum(card.rank in ranks for card in others)
            points = 2 * matches
            says = ngettext(
                "%(number)s card of the other melds matches",
                "%(number)s cards of the other melds match",
                matches,
            )
        case Box.POOR_MAN:
            points = face_values([card for card in cards if card.suit is Suit.SPADES])
            says = gettext("the face values of its spades")
        case Box.LAWYER:
            points = _LAWYER_TOTAL if total == _LAWYER_TOTAL else 0
            says = gettext("its face values add up to %(total)s", total=total)
        case Box.RICH_MAN:
            points, says = -total, gettext("minus its face values")
        case Box.DOCTOR:
            points, says = _doctor(end, cards, where, ace_of_hearts_is_both)
        case _:  # Indian Chief
            return _indian_chief(end, cards, where)
    return BoxScore(box.title, points, says, needs_all=box is Box.BEGGAR_MAN)


def _doctor(end: HandEnd, cards: Sequence[Card], where: str, both: bool) -> tuple[int, str]:
    """Return what six cards score as a Doctor, and why (CHI-3). Raises `Malformed` for no suit."""
    hearts = [card for card in cards if card.suit is Suit.HEARTS]
    if len({card.rank for card in cards}) < len(cards):
        return 0, gettext("two of its cards have one rank")
    if not any(card.rank is Rank.ACE for card in cards):
        return 0, gettext("there is no ace")
    if not hearts:
        return 0, gettext("there is no heart")
    if hearts == [_ACE_OF_HEARTS] and not both:
        return 0, gettext("the A♥ is the ace, and there is no other heart")
    counts = Counter(card.suit for card in cards)
    if not end.suit:
        most = max(counts.values())
        suits = listed([suit.word for suit in SUITS], "or")
        best = listed([suit.word for suit in SUITS if counts[suit] == most], "or")
        says = noted(
            "%(name)s shows a Doctor and has to name a suit: %(suits)s. "
            "The most is %(most)s, with %(best)s."
        )
        raise Malformed(says, where, name=end.name, suits=suits, most=10 * most, best=best)
    suit = _SUITS[end.suit]
    says = ngettext(
        "%(number)s card of %(suit)s, 10 each",
        "%(number)s cards of %(suit)s, 10 each",
        counts[suit],
        suit=suit.word,
    )
    return 10 * counts[suit], says


def _indian_chief(end: HandEnd, cards: Sequence[Card], where: str) -> BoxScore:
    """Return what seven cards score as an Indian Chief, in the best split if none is said."""
    split = end.split
    if split is None:
        split = max(
            combinations(cards, 5),
            key=lambda five: poker_hand(five).points + baccarat(without(cards, five)),
        )
    elif len(split) != 5 or Counter(split) - Counter(cards):
        raise Malformed("%(name)s's split must be five of the seven cards.", where, name=end.name)
    others = without(cards, split)
    poker = poker_hand(split)
    says = gettext(
        "%(five)s is %(poker)s, %(points)s, and %(two)s is %(baccarat)s at baccarat",
        five=show_cards(split),
        poker=gettext(poker.value),
        points=poker.points,
        two=show_cards(others),
        baccarat=baccarat(others),
    )
    if end.split is None:
        says = gettext("%(split)s, the best split", split=says)
    return BoxScore(Box.INDIAN_CHIEF.title, poker.points + baccarat(others), says, split)
