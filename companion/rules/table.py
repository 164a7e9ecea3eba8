"""The table, the plays that can be made on it, and the player whose turn it is.

A `Table` never changes: a play makes a new one that keeps the table as the turn began, so that a
whole turn can be taken back. Tables and plays are read from text and written as text. A play's
``cards`` leave the player's hand. Its ``entry`` is the entry of a question that has these cards, so
that an error can name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from companion.rules.cards import (
    Card,
    Laid,
    Offered,
    Places,
    as_run,
    check_packs,
    format_cards,
    identified,
    parse_card,
    parse_meld_text,
    parse_offered,
    show_cards,
)
from companion.rules.errors import Malformed
from companion.rules.language import gettext, noted
from companion.rules.melds import Kind, Meld, MeldLimits
from companion.rules.readings import ambiguous_card, cards_as_on_table, readings_of, ways

if TYPE_CHECKING:
    from companion.rules.judge import Judge


@dataclass(frozen=True, slots=True)
class MeldPlay:
    """A new meld."""

    kind: ClassVar = "meld"
    entry: ClassVar = "cards"
    cards: tuple[Offered, ...]

    @property
    def text(self) -> str:
        """``meld 5C 8H=6C 7C``."""
        return f"meld {format_cards(self.cards)}"


@dataclass(frozen=True, slots=True)
class LayOff:
    """Cards laid off on the meld with index ``onto``, from 0."""

    kind: ClassVar = "lay_off"
    entry: ClassVar = "cards"
    cards: tuple[Offered, ...]
    onto: int

    @property
    def text(self) -> str:
        """``lay_off 9D onto 0``."""
        return f"lay_off {format_cards(self.cards)} onto {self.onto}"


@dataclass(frozen=True, slots=True)
class Swap:
    """The real card swapped for the wild card that stands for it in meld ``onto``.

    ``joker_to`` is the end of the run, ``low`` or ``high``, to which the wild card moves in games
    where it stays in the meld; empty if the player did not say.
    """

    kind: ClassVar = "swap"
    entry: ClassVar = "card"
    card: Offered
    onto: int
    joker_to: str = ""

    @property
    def text(self) -> str:
        """``swap 6C onto 1``, or ``swap 6C onto 1 low``."""
        return f"swap {self.card.text} onto {self.onto} {self.joker_to}".rstrip()

    @property
    def cards(self) -> tuple[Offered, ...]:
        """The card that leaves the player's hand."""
        return (self.card,)


@dataclass(frozen=True, slots=True)
class Discard:
    """The discard that ends a turn."""

    kind: ClassVar = "discard"
    entry: ClassVar = "card"
    card: Card

    @property
    def text(self) -> str:
        """``discard QS``."""
        return f"discard {self.card.text}"

    @property
    def cards(self) -> tuple[Offered, ...]:
        """The card that leaves the player's hand."""
        return (Offered(self.card),)


@dataclass(frozen=True, slots=True)
class TakePile:
    """Taking the whole pile; the next discard starts a new one."""

    kind: ClassVar = "take_pile"
    entry: ClassVar = "pile"
    cards: ClassVar[tuple[Offered, ...]] = ()
    text: ClassVar = kind


# The ends of a run, as a swap names them.
ENDS = ("low", "high")
_ONTO: Final = re.compile(
    "(lay_off|swap) (?P<cards>.*) onto (?P<index>[0-9]{1,4})( (?P<end>low|high))?"
)

Play = MeldPlay | LayOff | Swap | Discard | TakePile


def parse_play(text: str) -> Play:
    """Read a play from text, the inverse of ``play.text``. Raises `Malformed`."""
    word, _, rest = text.strip().partition(" ")
    if word == "take_pile" and not rest:
        return TakePile()
    if word == "discard":
        return Discard(parse_card(rest.strip(), "discard"))
    if word == "meld":
        return MeldPlay(_not_empty(parse_meld_text(rest)))
    onto = _ONTO.fullmatch(text.strip())
    if onto is None:
        raise Malformed("“%(text)s” is not a play.", "plays", text=text[:40])
    cards, index = onto["cards"], int(onto["index"])
    if word == "lay_off":
        return LayOff(_not_empty(parse_meld_text(cards)), index)
    return Swap(parse_offered(cards.strip(), "card"), index, onto["end"] or "")


def with_identities(play: Play, laid: Iterable[Laid]) -> Play:
    """Return the play with the identities that its wild cards have in the cards ``laid``."""
    if not isinstance(play, MeldPlay | LayOff):
        return play
    known = [card.offered for card in laid if card.wild]
    return replace(play, cards=identified(play.cards, known)) if known else play


def without_play(plays: Sequence[Play], number: int, melds: int) -> list[Play]:
    """Return a turn's plays without one; ``melds`` is how many lay on the table before the turn.

    What was played on a meld goes with the meld, and plays on later melds keep theirs.
    """
    left = [*plays]
    gone = left.pop(number) if number < len(left) else None
    if not isinstance(gone, MeldPlay):
        return left
    at = melds + sum(isinstance(play, MeldPlay) for play in left[:number])
    on_it = [play for play in left if isinstance(play, LayOff | Swap) and play.onto == at]
    return [
        replace(play, onto=play.onto - 1)
        if isinstance(play, LayOff | Swap) and play.onto > at
        else play
        for play in left
        if play not in on_it
    ]


def check_onto(onto: int, melds: int) -> None:
    """Raise `Malformed` unless ``onto`` is the index of one of ``melds`` melds."""
    if not 0 <= onto < melds:
        says = noted("There is no meld %(onto)s on the table; it has %(melds)s, counted from 0.")
        if not melds:
            says = noted("There is no meld %(onto)s on the table; it has none.")
        raise Malformed(says, "onto", onto=onto, melds=melds)


def _not_empty(cards: tuple[Offered, ...]) -> tuple[Offered, ...]:
    if not cards:
        raise Malformed("No card was given. Name the cards that were played.")
    return cards


@dataclass(frozen=True)
class Table:
    """The melds on the table in the order they were laid, and the pile, bottom first.

    ``before`` is the table as it was when the turn began; None if no turn has begun.
    """

    melds: tuple[Meld, ...] = ()
    pile: tuple[Card, ...] = ()
    before: Table | None = None

    def begin_turn(self) -> Table:
        """Return the table with a turn begun, so that `take_back` returns to it."""
        return Table(self.melds, self.pile, Table(self.melds, self.pile))

    def take_back(self) -> Table:
        """Return the table as it was when the turn began; unchanged if none has begun."""
        return self.before if self.before is not None else self

    def meld(self, onto: int) -> Meld:
        """Return the meld with this index, from 0. Raises `Malformed` if there is none."""
        check_onto(onto, len(self.melds))
        return self.melds[onto]

    def with_meld(self, meld: Meld, onto: int | None = None) -> Table:
        """Return the table with one more meld at the end, or with meld ``onto`` replaced."""
        at = len(self.melds) if onto is None else onto
        return Table((*self.melds[:at], meld, *self.melds[at + 1 :]), self.pile, self.before)

    def with_pile(self, pile: Sequence[Card] = ()) -> Table:
        """Return the table with another pile; with an empty one by default."""
        return Table(self.melds, tuple(pile), self.before)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every physical card that lies in a meld or in the pile."""
        return (*self.melded_cards, *self.pile)

    @property
    def melded_cards(self) -> list[Card]:
        """Every physical card that lies in a meld."""
        return [laid.card for meld in self.melds for laid in meld.cards]

    @property
    def meld_texts(self) -> tuple[str, ...]:
        """The melds as card text."""
        return tuple(meld.text for meld in self.melds)

    @property
    def places(self) -> Places:
        """The cards by the place where they lie, for `check_packs`."""
        melds, pile = noted("in the melds on the table"), noted("in the pile")
        return (melds, self.melded_cards), (pile, self.pile)

    @cached_property
    def by_identity(self) -> Mapping[Card, tuple[Laid, Meld]]:
        """Each card on the table, natural or stood for, with the laid card and its meld."""
        return {laid.stands_for: (laid, meld) for meld in self.melds for laid in meld.cards}


NO_TABLE: Final = Table()


class Player(NamedTuple):
    """What a ruling needs to know about the player whose turn it is.

    ``contract_met`` means in an earlier turn. With ``lays_contract`` the melds of this turn are
    judged together at its end, as the player's first melds; without it each meld is judged alone.
    ``own`` are the melds on the table that the player laid in earlier turns, as recorded, and
    ``unowned`` those that nobody is known to have laid. With ``laid_unowned`` the player laid them.
    ``holds`` is how many cards the player held before the play and after the draw, or None if
    unknown. ``drew`` is the card taken from the top of the pile and still held, or None. ``fresh``
    holds the wild cards the player laid in this turn. ``turn_begun`` is true after the first play
    of the turn, ``turn_over`` after the discard.
    """

    melded_this_hand: bool = False
    melded_this_turn: bool = False
    contract_met: bool = False
    fresh: frozenset[Card] = frozenset()
    turn_begun: bool = False
    turn_over: bool = False
    drew: Card | None = None
    lays_contract: bool = False
    own: tuple[Meld, ...] = ()
    unowned: tuple[Meld, ...] = ()
    laid_unowned: bool = False
    holds: int | None = None

    @property
    def has_melded(self) -> bool:
        """True if a meld was laid in this hand, this turn included."""
        return self.melded_this_hand or self.melded_this_turn


def describe(play: Play, limits: MeldLimits | None = None, melds: Sequence[Meld] = ()) -> str:
    """Return a play in words, for the record.

    With ``limits``, the wild cards of a set of any suits stand for no suit, also those laid off on
    one of ``melds``.
    """
    match play:
        case MeldPlay():
            cards = cards_as_on_table(play.cards, limits) if limits else play.cards
            return gettext("Meld %(cards)s", cards=_in_words(cards))
        case LayOff():
            laid = noted("Lay-off %(cards)s on meld %(number)s")
            onto = [one.offered for meld in melds[play.onto :][:1] for one in meld.cards]
            cards = cards_as_on_table(play.cards, limits, onto) if limits and onto else play.cards
            return gettext(laid, cards=_in_words(cards), number=play.onto + 1)
        case Swap():
            swapped = noted("Swap %(card)s into meld %(number)s")
            return gettext(swapped, card=play.card.shown, number=play.onto + 1)
        case Discard():
            return gettext("Discard %(card)s", card=play.card.shown)
        case _:  # TakePile
            return gettext("Took the pile")


def _in_words(cards: Sequence[Offered]) -> str:
    return ", ".join([offered.shown for offered in as_run(cards)])


# -- a table from text -----------------------------------------------------------------------------


# Five different wild cards in a run have 4800 readings. All are needed, to see whether one alone
# fits, and which card is open.
_ALL_OF_FIVE: Final = 5000


def parse_table(
    melds: Iterable[str | Iterable[str]], pile: Sequence[Card], rules: Judge, where: str = "table"
) -> Table:
    """Return a table from the text of its melds and the cards of its pile.

    A wild card without an identity gets one if only one reading fits the limits and the other
    melds. Raises `Malformed` for an impossible table, and `Ambiguous` for several readings.
    """
    given = [meld if isinstance(meld, str) else tuple(meld) for meld in melds]
    return _parse_table(tuple(given), tuple(pile), rules, where)


@lru_cache(maxsize=256)  # one dispute after another is about the same table
def _parse_table(
    melds: tuple[str | tuple[str, ...], ...], pile: tuple[Card, ...], rules: Judge, where: str
) -> Table:
    offered = [parse_meld_text(meld, where) for meld in melds]
    check_packs([(noted("in the pile"), pile)], *rules.deck, "pile")
    cards = [card for meld in offered for card, _ in meld]
    places = ((noted("in the melds on the table"), cards), (noted("in the pile"), pile))
    check_packs(places, *rules.deck, where)
    by_meld = [_allowed_readings(meld, rules.limits, where) for meld in offered]
    if rules.one_of_each_card:
        by_meld = _fitting_readings(by_meld)
    for meld, readings in zip(offered, by_meld, strict=True):
        if len(readings) > 1:
            raise ambiguous_card(meld, readings, where)
    return Table(tuple([readings[0] for readings in by_meld]), pile)


def _allowed_readings(
    offered: Sequence[Offered], limits: MeldLimits, where: str
) -> tuple[Meld, ...]:
    """Return the readings of a meld that the limits allow. Raises `Malformed` if there is none."""
    if not offered:
        raise Malformed("A meld on the table has no cards.", where)
    limits.check_offered(offered, where)
    by_shape = ways(offered, limits)
    allowed = readings_of((way for way in by_shape if not limits.breaches(way.meld)), _ALL_OF_FIVE)
    if allowed:
        return tuple(allowed)
    shown = show_cards(offered)
    if by_shape:
        breach = limits.breaches(by_shape[0].meld)[0]
        says = noted("%(shown)s cannot lie on the table. %(says)s (%(rule)s)")
        raise Malformed(says, where, shown=shown, says=breach.says, rule=breach.rule)
    says = noted("%(shown)s is neither %(set)s nor %(run)s of this game.")
    kinds = {"set": limits.term(Kind.SET).a, "run": limits.term(Kind.RUN).a}
    raise Malformed(says, where, shown=shown, **kinds)


def _fitting_readings(by_meld: list[tuple[Meld, ...]]) -> list[tuple[Meld, ...]]:
    """Return each meld's readings that fit beside the other melds; all of them if none fit."""
    known = {card for melds in by_meld if len(melds) == 1 for card in melds[0].identities}
    choices = list(_choices([melds for melds in by_meld if len(melds) > 1], frozenset(known)))
    if not choices:
        return by_meld
    fitting = (tuple(dict.fromkeys(melds)) for melds in zip(*choices, strict=True))
    return [melds if len(melds) == 1 else next(fitting) for melds in by_meld]


def _choices(
    by_meld: Sequence[Sequence[Meld]], on_table: frozenset[Card]
) -> Iterator[tuple[Meld, ...]]:
    """Yield every choice of one reading for each meld that puts no card on the table twice."""
    if not by_meld:
        yield ()
        return
    for meld in by_meld[0]:
        if on_table.isdisjoint(meld.identities):
            for others in _choices(by_meld[1:], on_table.union(meld.identities)):
                yield (meld, *others)
