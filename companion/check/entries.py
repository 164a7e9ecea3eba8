"""Read the entries of a question, each as the type it must have."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from companion.rules.cards import (
    RANKS,
    Card,
    Offered,
    Rank,
    parse_cards,
    parse_meld_text,
    split_cards,
    suit_named,
)
from companion.rules.errors import Malformed
from companion.rules.ruling import is_rule_number
from companion.rules.table import ENDS, Swap

_CARDS = "like “5C 6C 7C”"
# The most of each that a question may have. Three packs with their jokers are 162 cards.
MOST_CARDS = 162
MOST_MELDS = 60
MOST_CHARGES = 99
_LONGEST_NAME = 60
_LONGEST_TEXT = 2000
_Card = TypeVar("_Card", Card, Offered)
_RANKS = {rank.text: rank for rank in RANKS} | {"10": Rank.TEN, "XX": Rank.JOKER}


class Entries(NamedTuple):
    """The entries of a question, or of an object at ``place`` in it.

    Each method reads one entry. It raises `Malformed`, naming the entry or the place, if the entry
    is missing or has another type.
    """

    given: Mapping[str, Any]
    place: str = ""

    def where(self, key: str) -> str:
        """Return the part of the question to name if this entry is wrong."""
        return self.place or key

    def offered(self, key: str) -> tuple[Offered, ...]:
        """Return at least one card, each with its identity if one was given."""
        return parse_meld_text(self._text(key), self.where(key)) or self._empty(key)

    def cards(self, key: str) -> tuple[Card, ...]:
        """Return at least one card."""
        return parse_cards(self._text(key), self.where(key)) or self._empty(key)

    def one_card(self, key: str) -> Card:
        """Return exactly one card."""
        return self._one(self.cards(key), key)

    def any_cards(self, key: str) -> tuple[Card, ...]:
        """Return cards; none if there is no such entry."""
        return parse_cards(self._text(key), self.where(key)) if key in self.given else ()

    def melds(self, key: str) -> list[str | list[str]]:
        """Return melds as text; none if there is no such entry."""
        given = self.given.get(key, [])
        if not isinstance(given, list):
            raise Malformed(f"“{key}” must be a list of melds, each {_CARDS}.", key)
        self.at_most(MOST_MELDS, given, key)
        return [self._as_text(meld, key) for meld in given]

    def onto(self, key: str) -> int:
        """Return the index of a meld on the table."""
        given = self.given.get(key)
        if type(given) is not int or abs(given) > MOST_MELDS:
            says = f"“{key}” must be the index of a meld on the table, from 0."
            raise Malformed(says, self.where(key))
        return given

    def swap(self, key: str) -> Swap:
        """Return a swap of the card in this entry."""
        joker_to = self.given.get("joker_to", "")
        if joker_to not in ("", *ENDS):
            raise Malformed("“joker_to” must be low or high.", self.where("joker_to"))
        return Swap(self._one(self.offered(key), key), self.onto("onto"), joker_to)

    def number(self, key: str, most: int) -> int:
        """Return a whole number from 0 to ``most``; 0 if there is no such entry."""
        given = self.given.get(key, 0)
        if type(given) is not int or not 0 <= given <= most:
            raise Malformed(f"“{key}” must be a whole number from 0 to {most}.", self.where(key))
        return given

    def wild_rank(self) -> Rank | None:
        """Return the rank that was turned; None if only printed jokers are wild."""
        if "wild_rank" not in self.given:
            raise Malformed("“wild_rank” is missing: the rank that is wild, or null.", "wild_rank")
        given = self.given["wild_rank"]
        if given is None:
            return None
        rank = _RANKS.get(given.upper()) if isinstance(given, str) else None
        if rank is None:
            raise Malformed("“wild_rank” must be a rank, like “8” or “T”, or null.", "wild_rank")
        return rank

    def name(self) -> str:
        """Return a player's name."""
        given = self.given.get("name")
        if not isinstance(given, str) or not given.strip():
            raise Malformed("Every player needs a “name”.", self.place)
        if len(given) > _LONGEST_NAME:
            raise Malformed(f"A “name” has at most {_LONGEST_NAME} letters.", self.place)
        return given

    def charges(self) -> tuple[str, ...]:
        """Return the rule numbers of a player's charges."""
        given = self.given.get("penalties", [])
        if not isinstance(given, list) or not all(map(is_rule_number, given)):
            raise Malformed("“penalties” must be a list of rule numbers.", self.place)
        self.at_most(MOST_CHARGES, given, "penalties")
        return tuple(given)

    def suit(self) -> str:
        """Return the letter of the suit; empty if none is given."""
        given = self.given.get("suit")
        suit = suit_named(given) if isinstance(given, str) else None
        if suit is None and given is not None:
            raise Malformed("“suit” must be a suit: C, D, H or S.", self.where("suit"))
        return "" if suit is None else suit.text

    def flag(self, key: str, default: bool = False) -> bool:
        """Return true or false; ``default`` if there is no such entry."""
        given = self.given.get(key, default)
        if not isinstance(given, bool):
            raise Malformed(f"“{key}” must be true or false.", self.where(key))
        return given

    def known_flag(self, key: str) -> bool | None:
        """Return true or false; None if the fact is unknown."""
        return None if self.given.get(key, False) is None else self.flag(key)

    def grouped(self, key: str) -> list[tuple[Offered, ...]]:
        """Return melds, each with at least one card; none if there is no such entry."""
        melds = [parse_meld_text(text, key) for text in self.melds(key)]
        if not all(melds):
            raise Malformed("A meld has no cards.", key)
        return melds

    def non_empty_list(self, key: str) -> list[Any]:
        """Return a list with at least one item."""
        given = self.given.get(key)
        if not isinstance(given, list) or not given:
            raise Malformed(f"“{key}” must be a list of {key}, with at least one.", key)
        self.at_most(MOST_MELDS, given, key)
        return given

    def at_most(self, most: int, given: Sequence[Any], key: str) -> None:
        """Raise `Malformed` for a list that is longer than any game needs."""
        if len(given) > most:
            says = f"“{key}” has {len(given)} entries; {most} is the most."
            raise Malformed(says, self.where(key))

    def check_known(self, *known: str) -> None:
        """Raise `Malformed` for an unknown entry."""
        for key in self.given:
            if key not in known:
                raise Malformed(f"There is no entry “{key[:30]}” here.", self.place)

    def _text(self, key: str) -> str | list[str]:
        """Return cards as text: a string, or a list with one string a card."""
        return self._as_text(self.given.get(key), key)

    def _one(self, cards: tuple[_Card, ...], key: str) -> _Card:
        if len(cards) != 1:
            raise Malformed(f"“{key}” must be one card, not {len(cards)}.", self.where(key))
        return cards[0]

    def _as_text(self, given: object, key: str) -> str | list[str]:
        if isinstance(given, str):
            if len(given) > _LONGEST_TEXT:
                raise Malformed(f"“{key}” is longer than cards can be.", self.where(key))
            if len(given) > 2 * MOST_CARDS:  # a card and a space between
                self.at_most(MOST_CARDS, split_cards(given), key)
            return given
        if isinstance(given, list) and all(isinstance(card, str) for card in given):
            self.at_most(MOST_CARDS, given, key)
            return given
        missing = key not in self.given
        says = f"is missing; it names cards, {_CARDS}" if missing else f"must be cards, {_CARDS}"
        raise Malformed(f"“{key}” {says}.", self.where(key))

    def _empty(self, key: str) -> NoReturn:
        raise Malformed(f"“{key}” is empty; name the cards.", self.where(key))


def entries_of(given: object, place: str) -> Entries:
    """Return the entries of an object in a question. Raises `Malformed` for anything else."""
    if not isinstance(given, dict):
        raise Malformed(f"“{place}” must be an object, with its entries by name.", place)
    return Entries(given, place)
