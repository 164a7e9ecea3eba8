"""Cards: how they are written and read, and how many of each the packs hold.

Card text is rank and suit, ``8H``; the printed joker is ``XX``. A card that stands for another says
so: ``8H=6C``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from companion.rules.errors import Malformed
from companion.rules.language import gettext, listed, noted


class Rank(IntEnum):
    """A rank, ace 1 … king 13. A printed joker has a rank of its own."""

    JOKER = 0
    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    @property
    def text(self) -> str:
        """One letter: ``A``, ``2`` … ``9``, ``T``, ``J``, ``Q``, ``K``; ``X`` for a joker."""
        return _RANK_TEXT[self]

    @property
    def shown(self) -> str:
        """As printed on the card: ``10``."""
        return "10" if self is Rank.TEN else self.text

    @property
    def word(self) -> str:
        """In words: ``ace``, ``2``, … ``king``."""
        return gettext(_RANK_WORDS[self]) if self in _RANK_WORDS else self.shown


class Suit(IntEnum):
    """A suit, in the order in which cards are listed. A printed joker has a suit of its own."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3
    JOKER = 4

    @property
    def text(self) -> str:
        """One letter: ``C``, ``D``, ``H``, ``S``; ``X`` for a joker."""
        return "CDHSX"[self]

    @property
    def shown(self) -> str:
        """The sign: ``♣``, ``♦``, ``♥``, ``♠``."""
        return "♣♦♥♠★"[self]

    @property
    def word(self) -> str:
        """In words: ``clubs`` … ``spades``."""
        return gettext(_SUIT_WORDS[self])


_RANK_TEXT: Final = dict(zip(Rank, "XA23456789TJQK", strict=True))
_RANK_WORDS: Final = {
    Rank.JOKER: noted("joker"),
    Rank.ACE: noted("ace"),
    Rank.JACK: noted("jack"),
    Rank.QUEEN: noted("queen"),
    Rank.KING: noted("king"),
}
_SUIT_WORDS: Final = {
    Suit.CLUBS: noted("clubs"),
    Suit.DIAMONDS: noted("diamonds"),
    Suit.HEARTS: noted("hearts"),
    Suit.SPADES: noted("spades"),
}

_RANK_OF: Final = {text: rank for rank, text in _RANK_TEXT.items()}


def parse_rank(text: str, where: str = "rank") -> Rank:
    """Read a rank from its letter, ``X`` for a joker. Raises `Malformed`."""
    rank = _RANK_OF.get(text)
    if rank is None:
        raise Malformed("“%(text)s” is not a rank.", where, text=text[:20])
    return rank


RANKS: Final = tuple(rank for rank in Rank if rank is not Rank.JOKER)
SUITS: Final = tuple(suit for suit in Suit if suit is not Suit.JOKER)


class Card(NamedTuple):
    """One card. With several packs there are several equal cards."""

    rank: Rank
    suit: Suit

    @property
    def text(self) -> str:
        """Two letters: ``8H``, ``TC``, ``XX``."""
        return _CARD_TEXT[self]

    @property
    def shown(self) -> str:
        """As people write it: ``8♥``, ``10♣``, ``★``."""
        return _CARD_SHOWN[self]

    @property
    def word(self) -> str:
        """In words, for screen readers: ``8 of hearts``, ``joker``."""
        if self.rank is Rank.JOKER:
            return self.rank.word
        return gettext("%(rank)s of %(suit)s", rank=self.rank.word, suit=self.suit.word)


JOKER: Final = Card(Rank.JOKER, Suit.JOKER)
PACK: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
CARD_OF: Final[Mapping[tuple[Rank, Suit], Card]] = {(c.rank, c.suit): c for c in PACK}
_CARD_TEXT: Final = {card: card.rank.text + card.suit.text for card in (*PACK, JOKER)}
_CARD_SHOWN: Final = {card: card.rank.shown + card.suit.shown for card in PACK} | {JOKER: "★"}


class Offered(NamedTuple):
    """A card as a player gives it. ``stands_for`` is None if the player did not say it."""

    card: Card
    stands_for: Card | None = None

    @property
    def text(self) -> str:
        """``8H``, or ``8H=6C`` if an identity was given."""
        if self.stands_for is None:
            return self.card.text
        return f"{self.card.text}={self.stands_for.text}"

    @property
    def shown(self) -> str:
        """As people write it: ``8♥``; ``8♥ for 6♣`` if it stands for another card."""
        if self.stands_for is None or self.stands_for == self.card:
            return self.card.shown
        other = self.stands_for.shown
        return gettext("%(card)s for %(other)s", card=self.card.shown, other=other)


Groups = Sequence[Sequence[Offered]]
"""A player's cards, grouped into melds."""


class Laid(NamedTuple):
    """A card in a meld, and the card it stands for there.

    ``wild`` is true for a Proter, a joker or a wild rank; any other card stands for itself.
    """

    card: Card
    stands_for: Card
    wild: bool = False

    @property
    def text(self) -> str:
        """``6C``; a wild card always has its identity: ``8H=6C``, ``8H=8H``."""
        text = _CARD_TEXT[self.card]
        return f"{text}={_CARD_TEXT[self.stands_for]}" if self.wild else text

    @property
    def shown(self) -> str:
        """As people write it: ``6♣``; ``8♥ for 6♣``; ``8♥`` if it stands for itself."""
        return self.offered.shown

    @property
    def offered(self) -> Offered:
        """The same card as an offered one: a wild card with its identity."""
        return Offered(self.card, self.stands_for if self.wild else None)


AnyCard = TypeVar("AnyCard", bound="Card | Offered | Laid")
NATURAL: Final[Mapping[Card, Laid]] = {card: Laid(card, card) for card in (*PACK, JOKER)}

_SUIT_SIGNS: Final = str.maketrans("♣♦♥♠♧♢♡♤", "CDHSCDHS", "\ufe0e\ufe0f")


def _normalized(text: str) -> str:
    plain = text.translate(_SUIT_SIGNS).strip().upper()
    if plain in {"★", "☆", "JOKER", "XX"}:
        return "XX"
    return "T" + plain[2:] if plain.startswith("10") else plain


_BY_TEXT: Final = {text: card for card, text in _CARD_TEXT.items()}
_SUIT_NAMED: Final = {name: suit for suit in SUITS for name in (suit.text, suit.word.upper())}


def suit_named(text: str) -> Suit | None:
    """Return the suit with that letter, sign or name: ``H``, ``♥``, ``hearts``; or None."""
    return _SUIT_NAMED.get(_normalized(text))


def _card_or_none(text: str) -> Card | None:
    return _BY_TEXT.get(text) or _BY_TEXT.get(_normalized(text))


def parse_card(text: str, where: str = "cards") -> Card:
    """Read one card, ``8H``, ``10♣`` or ``XX`` (``★``), in any letter case. Raises `Malformed`."""
    card = _card_or_none(text)
    if card is None:
        raise Malformed(
            "“%(text)s” is not a card. Write rank and suit, like 8H, TC or Q♠; XX is a joker.",
            where,
            text=text[:20],
        )
    return card


@lru_cache(maxsize=4096)
def parse_offered(text: str, where: str = "cards") -> Offered:
    """Read one card, ``8H``, or ``8H=6C`` if it stands for another. Raises `Malformed`."""
    plain, equals, identity = text.partition("=")
    if not equals:
        return Offered(parse_card(text, where))
    card, stands_for = _card_or_none(plain), _card_or_none(identity)
    if card is None or stands_for is None:
        says = noted("“%(text)s” is not a card that stands for another. Write both, like 8H=6C.")
        raise Malformed(says, where, text=text[:20])
    if stands_for is JOKER:
        raise Malformed("%(shown)s cannot stand for a joker.", where, shown=card.shown)
    return Offered(card, stands_for)


def split_cards(text: str | Iterable[str]) -> list[str]:
    """Split ``"5C 8H=6C, 7C"`` into the text of each card; a list is split already."""
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)


def parse_meld_text(text: str | Iterable[str], where: str = "cards") -> tuple[Offered, ...]:
    """Read the cards of a meld or lay-off, identities included. Raises `Malformed`."""
    return tuple([parse_offered(part, where) for part in split_cards(text)])


def parse_cards(text: str | Iterable[str], where: str = "cards") -> tuple[Card, ...]:
    """Read cards without identities: a pile, cards left. Raises `Malformed`."""
    return tuple([parse_card(part, where) for part in split_cards(text)])


def identified(cards: Sequence[Offered], known: Iterable[Offered]) -> tuple[Offered, ...]:
    """Return the cards with identities from ``known``, each of them used for one card."""
    unused = list(without(known, cards))
    named = []
    for offered in cards:
        matches = [other for other in unused if other.card == offered.card]
        if offered.stands_for is None and matches:
            unused.remove(matches[0])
            named.append(matches[0])
        else:
            named.append(offered)
    return tuple(named)


def format_cards(cards: Iterable[Card | Offered | Laid]) -> str:
    """Write cards with a space between: the inverse of `parse_cards` and `parse_meld_text`."""
    return " ".join([card.text for card in cards])


def show_cards(cards: Iterable[Card | Offered | Laid]) -> str:
    """Return cards as people write them: ``5♣ 6♣ 7♣``, or ``5♣, 8♥ for 6♣, 7♣``."""
    shown = [card.shown for card in cards]
    return (", " if any(" " in text for text in shown) else " ").join(shown)


def as_run(cards: Sequence[AnyCard]) -> Sequence[AnyCard]:
    """Return cards in reading order: in a run up to the king, ``AS QS KS`` is ``QS KS AS``."""
    read = [card if isinstance(card, Card) else card.stands_for or card.card for card in cards]
    ranks = [card.rank for card in read]
    suits = {card.suit for card in read if card is not JOKER}
    is_high = len(suits) == 1 and Rank.KING in ranks and Rank.TWO not in ranks
    if not is_high or ranks[0] is not Rank.ACE:
        return cards
    king = ranks.index(Rank.KING)
    return (*cards[1 : king + 1], cards[0], *cards[king + 1 :])


def without(cards: Iterable[AnyCard], others: Iterable[AnyCard]) -> tuple[AnyCard, ...]:
    """Return the cards less the others: each of the others removes one equal card."""
    left = list(cards)
    for card in others:
        if card in left:
            left.remove(card)
    return tuple(left)


Places = Sequence[tuple[str, Sequence[Card]]]
"""Cards by the place where they lie: "in the pile", "in Ana's cards"."""


def check_packs(places: Places, packs: int, jokers: int, where: str = "cards") -> None:
    """Raise `Malformed` if these cards are more than the packs and jokers have.

    The error names each card that occurs too often and its places, which are translated here.
    """
    together = [card for _, cards in places for card in cards]
    if len({*together}) == len(together) and JOKER not in together:
        return  # any pack can hold them
    faults = []
    for card, count in Counter(together).items():
        most = jokers if card is JOKER else packs
        if count > most:
            names = [gettext(place) for place, lying in places if card in lying]
            faults.append(_too_often(card, count, most, names))
    if faults:
        text = "; ".join(faults)
        raise Malformed(f"{text[0].upper()}{text[1:]}.", where)


def _too_often(card: Card, count: int, most: int, places: Sequence[str]) -> str:
    if card is JOKER and most == 0:
        return gettext("there are no jokers in this game")
    says = gettext("%(card)s is %(places)s", card=card.shown, places=listed(places))
    if len(places) == 1:
        times = _TIMES.get(count, noted("%(card)s is %(number)s times %(place)s"))
        says = gettext(times, card=card.shown, number=count, place=places[0])
    if most > 1:
        says = gettext("%(fault)s, and there are only %(most)s", fault=says, most=most)
    return says


_TIMES: Final = {
    2: noted("%(card)s is twice %(place)s"),
    3: noted("%(card)s is three times %(place)s"),
}
