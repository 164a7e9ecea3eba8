"""The table as a board, and a play as a move on it.

A `Table` never changes: pushing a play gives a new one that remembers how the turn began, so a
whole turn can be taken back exactly. Plays are written as text, ``meld 5C 8H=6C 7C``,
``lay_off 9D onto 0``, ``swap 6C onto 1``, ``discard QS``, ``take_pile``; a play's ``entry`` is
what a question calls its cards, so that an error can name what has to be changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final

from companion.rules.cards import (
    Card,
    Offered,
    all_differ,
    format_cards,
    identified,
    parse_card,
    parse_meld_text,
    parse_offered,
)
from companion.rules.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from companion.rules.cards import Laid
    from companion.rules.melds import Meld


@dataclass(frozen=True, slots=True)
class MeldPlay:
    """New cards on the table as a meld of their own."""

    entry: ClassVar = "cards"
    cards: tuple[Offered, ...]

    @property
    def text(self) -> str:
        """``meld 5C 8H=6C 7C``."""
        return f"meld {format_cards(self.cards)}"

    @property
    def plays(self) -> tuple[Offered, ...]:
        """The cards that leave the player's hand."""
        return self.cards


@dataclass(frozen=True, slots=True)
class LayOff:
    """Cards added to the meld with index ``onto``, counted from 0."""

    entry: ClassVar = "cards"
    cards: tuple[Offered, ...]
    onto: int

    @property
    def text(self) -> str:
        """``lay_off 9D onto 0``."""
        return f"lay_off {format_cards(self.cards)} onto {self.onto}"

    @property
    def plays(self) -> tuple[Offered, ...]:
        """The cards that leave the player's hand."""
        return self.cards


@dataclass(frozen=True, slots=True)
class Swap:
    """The real card put in the place of the wild card that stands for it in meld ``onto``.

    ``joker_to`` is the end of a run, ``low`` or ``high``, to which the wild card goes in games
    where it stays in the meld; empty where it was not said.
    """

    entry: ClassVar = "card"
    card: Offered
    onto: int
    joker_to: str = ""

    @property
    def text(self) -> str:
        """``swap 6C onto 1``, or ``swap 6C onto 1 low``."""
        return f"swap {self.card.text} onto {self.onto} {self.joker_to}".rstrip()

    @property
    def plays(self) -> tuple[Offered, ...]:
        """The card that leaves the player's hand."""
        return (self.card,)


@dataclass(frozen=True, slots=True)
class Discard:
    """The card with which a turn ends, face up on the pile."""

    entry: ClassVar = "card"
    card: Card

    @property
    def text(self) -> str:
        """``discard QS``."""
        return f"discard {self.card.text}"

    @property
    def plays(self) -> tuple[Offered, ...]:
        """The card that leaves the player's hand."""
        return (Offered(self.card),)


@dataclass(frozen=True, slots=True)
class TakePile:
    """The whole pile taken up; the next discard starts a new one."""

    entry: ClassVar = "pile"

    @property
    def text(self) -> str:
        """``take_pile``."""
        return "take_pile"

    @property
    def plays(self) -> tuple[Offered, ...]:
        """No card leaves the player's hand."""
        return ()


# The ends of a run, as a swap names them.
ENDS = ("low", "high")

Play = MeldPlay | LayOff | Swap | Discard | TakePile


def parse_play(text: str) -> Play:
    """Read a play from its text: the inverse of ``play.text``. Raises `Malformed`."""
    word, _, rest = text.strip().partition(" ")
    if word == "take_pile" and not rest:
        return TakePile()
    if word == "discard":
        return Discard(parse_card(rest.strip(), "discard"))
    if word == "meld":
        return MeldPlay(_some(parse_meld_text(rest)))
    rest, joker_to = _end_of_run(rest)
    cards, onto, index = rest.rpartition(" onto ")
    if not onto or not (index.isascii() and index.isdigit()):
        raise Malformed(f"“{text[:40]}” is not a play.", "plays")
    if word == "lay_off":
        return LayOff(_some(parse_meld_text(cards)), int(index))
    if word == "swap":
        return Swap(parse_offered(cards.strip(), "card"), int(index), joker_to)
    raise Malformed(f"“{text[:40]}” is not a play.", "plays")


def said_as(play: Play, laid: Iterable[Laid]) -> Play:
    """The play with what its wild cards stand for written out, as they were laid."""
    if not isinstance(play, MeldPlay | LayOff):
        return play
    known = [Offered(one.card, one.stands_for) for one in laid if one.wild]
    return replace(play, cards=identified(play.cards, known)) if known else play


def _end_of_run(rest: str) -> tuple[str, str]:
    for end in ENDS:
        if rest.endswith(f" {end}"):
            return rest.removesuffix(end).rstrip(), end
    return rest, ""


def check_onto(onto: int, melds: int, where: str = "onto") -> None:
    """Raise `Malformed` unless ``onto`` is the index of one of so many melds, from 0."""
    if not 0 <= onto < melds:
        there = f"it has {melds}, counted from 0" if melds else "it has none"
        raise Malformed(f"There is no meld {onto} on the table; {there}.", where)


def _some(cards: tuple[Offered, ...]) -> tuple[Offered, ...]:
    if not cards:
        raise Malformed("No card was given. Name the cards that were played.")
    return cards


@dataclass(frozen=True, slots=True)
class Table:
    """The melds on the table, in the order in which they were laid, and the pile, bottom first.

    ``before`` is the table as it was when the turn began, or None where no turn has begun.
    """

    melds: tuple[Meld, ...] = ()
    pile: tuple[Card, ...] = ()
    before: Table | None = None
    # Found when it is first asked for, which is once a reading on each sheet.
    _there: Mapping[Card, tuple[Laid, Meld]] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _lying: frozenset[Card] | None = field(default=None, init=False, repr=False, compare=False)

    def begin_turn(self) -> Table:
        """The same table with a turn begun, to which `take_back` returns."""
        return Table(self.melds, self.pile, Table(self.melds, self.pile))

    def take_back(self) -> Table:
        """The table exactly as it was when the turn began; unchanged if none has begun."""
        return self.before if self.before is not None else self

    def meld(self, onto: int, where: str = "onto") -> Meld:
        """The meld with an index, from 0. Raises `Malformed` if there is none."""
        check_onto(onto, len(self.melds), where)
        return self.melds[onto]

    def with_meld(self, meld: Meld) -> Table:
        """The table with one more meld, at the end."""
        return Table((*self.melds, meld), self.pile, self.before)

    def with_meld_at(self, onto: int, meld: Meld) -> Table:
        """The table with another meld in the place of meld ``onto``."""
        melds = (*self.melds[:onto], meld, *self.melds[onto + 1 :])
        return Table(melds, self.pile, self.before)

    def with_discard(self, card: Card) -> Table:
        """The table with one more card on the pile."""
        return Table(self.melds, (*self.pile, card), self.before)

    def with_pile(self, pile: Sequence[Card] = ()) -> Table:
        """The table with another pile; with none, the pile was taken."""
        return Table(self.melds, tuple(pile), self.before)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every physical card that lies in a meld or in the pile."""
        return (*self.melded_cards, *self.pile)

    @property
    def lying(self) -> frozenset[Card] | None:
        """The cards of the table, if one pack without jokers can hold them; otherwise None."""
        if self._lying is None:
            cards = self.cards
            if not all_differ(cards):
                return None
            object.__setattr__(self, "_lying", frozenset(cards))
        return self._lying

    @property
    def melded_cards(self) -> list[Card]:
        """Every physical card that lies in a meld."""
        return [laid.card for meld in self.melds for laid in meld.cards]

    @property
    def there(self) -> Mapping[Card, tuple[Laid, Meld]]:
        """What is on the table, natural or stood for: as which card, and in which meld."""
        if self._there is None:
            there = {laid.stands_for: (laid, meld) for meld in self.melds for laid in meld.cards}
            object.__setattr__(self, "_there", there)
            return there
        return self._there


NO_TABLE: Final = Table()
