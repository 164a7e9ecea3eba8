"""Plays: read from a form, shown on the table one after the other, their wild cards asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Self

from companion.notebook.events import NotPossible
from companion.rules.cards import (
    JOKER,
    Card,
    Offered,
    as_run,
    parse_card,
    parse_meld_text,
)
from companion.rules.errors import Ambiguous
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.melds import Meld
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.table import ENDS, Discard, LayOff, MeldPlay, Play, Swap, TakePile, parse_play
from companion.web.fields import LineField, small_number

# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)


def play_of(kind: str, cards: Sequence[str], onto: int | None, joker_to: str = "") -> Play:
    """Return the play of these cards. Raises `NotPossible` or `Malformed`, naming the field."""
    if not cards:
        raise NotPossible("Tap the cards that were played.", "cards")
    if len(cards) > 1 and kind in _OF_ONE_CARD:
        raise NotPossible(_OF_ONE_CARD[kind], "cards")
    if onto is None and kind not in {"meld", "discard"}:
        raise NotPossible("Say on which meld of the table.", "onto")
    offered = parse_meld_text(cards)
    match kind, onto:
        case "meld", _:
            return MeldPlay(offered)
        case "discard", _:
            return Discard(parse_card(cards[0]))
        case "lay_off", int():
            return LayOff(offered, onto)
        case "swap", int():
            return Swap(offered[0], onto, joker_to if joker_to in ENDS else "")
    raise NotPossible("Say what was played.", "ask")


_OF_ONE_CARD: Final = {
    "discard": noted("A discard is one card. Tap only that one."),
    "swap": noted("One card is put in another's place. Tap only that one."),
}


def parsed_plays(plays: Sequence[str]) -> tuple[Play, ...]:
    """Return the plays that are written so. Raises `Malformed`."""
    return tuple(map(parse_play, plays))


class PlayField(LineField):
    """The button that adds a play, such as ``meld``, ``lay_off 0`` or ``swap 1 low``."""

    kind = joker_to = ""
    onto: int | None = None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the kind of play, and the meld and the end of it."""
        super().process_formdata(valuelist)
        self.kind, onto, self.joker_to, *_ = f"{self.data}   ".split(" ")
        with suppress(ValueError):
            self.onto = small_number(onto)

    def play(self, cards: Sequence[str]) -> Play:
        """Return the play of these cards. Raises `NotPossible` or `Malformed`."""
        if self.kind == "take_pile":
            return TakePile()
        return play_of(self.kind, cards, self.onto, self.joker_to)


# How each play is asked about alone, and what it is called.
_KINDS: Final = {
    MeldPlay: ("meld", noted("Meld")),
    LayOff: ("lay_off", noted("Lay-off")),
    Swap: ("swap", noted("Swap")),
    Discard: ("discard", noted("Discard")),
    TakePile: ("turn", noted("Takes the pile")),
}


def ask_for(play: Play) -> str:
    """Return the kind of question that is asked about a single play."""
    return _KINDS[type(play)][0]


def values_of_plays(kind: str, player: int | None, plays: Sequence[str]) -> dict[str, Any]:
    """Return the values that ask about plays that are written down already, as text."""
    values: dict[str, Any] = {"ask": kind, "player": player}
    if kind == DECLARE and plays:
        groups = parsed_plays(plays[1:])
        rest = Counter(one.card.text for one in parse_play(plays[0]).plays)
        rest -= Counter(one.card.text for group in groups for one in group.plays)
        return values | {"cards": tuple(rest.elements()), "play": plays[1:]}
    if kind in OF_SEVERAL or (kind != DRAW and len(plays) != 1) or not plays:
        return values | {"play": plays}
    *others, last = plays  # its cards are tapped, so that they can be changed
    play = parse_play(last)
    values |= {"cards": [offered.card.text for offered in play.plays], "play": others}
    if isinstance(play, LayOff | Swap):
        values["onto"] = play.onto
    if isinstance(play, Swap):
        values["joker_to"] = play.joker_to
    return values


# -- what wild cards stand for --------------------------------------------------------------------

MOST_READINGS: Final = 12


class OpenWildCard(ValueError):
    """A play that is only complete once the marker says what its wild cards stand for.

    ``play`` is its number in the turn. ``choices`` has what each of these cards can stand for, as
    text, and ``readings`` the ways to read the play, if they are few enough to choose among.
    """

    def __init__(
        self, play: int, choices: Mapping[str, Sequence[str]], readings: Sequence[Meld] = ()
    ) -> None:
        super().__init__(play)
        self.play, self.choices, self.readings = play, choices, readings

    @classmethod
    def among(cls, play: int, readings: Sequence[Meld]) -> Self:
        """Ask about a play that has these readings, more than one."""
        found: dict[str, list[str]] = {}
        for laid in (laid for meld in readings for laid in meld.cards if laid.wild):
            choices = found.setdefault(laid.card.text, [])
            if laid.stands_for.text not in choices:
                choices.append(laid.stands_for.text)
        is_open = [(card, choices) for card, choices in found.items() if len(choices) > 1]
        if len(readings) > MOST_READINGS:
            return cls(play, dict(is_open[:1]))
        return cls(play, dict(is_open), readings)

    @classmethod
    def of(cls, problem: Ambiguous) -> Self:
        """Ask about a play that could not be laid, alone or in a turn."""
        number = problem.where.removeprefix("plays[").removesuffix("]")
        choices = {problem.card: problem.choices}
        return cls(int(number) if number.isdecimal() else 0, choices)


# -- the table as a page shows it ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A play as a page shows it: what it is, its cards, and the meld that it was played on.

    ``rated`` is the ruling on this play alone, where there were several; ``why`` what is wrong.
    """

    word: str
    cards: Sequence[Offered]
    onto: Sequence[Offered] = ()
    rated: str = ""
    why: str = ""


class ShownMeld(NamedTuple):
    """A meld that lies there, with its ``wilds`` that can be swapped out, each after its real card.

    ``ends`` are those to which a swap can move one. The only end is empty where the wild card does
    not stay in the meld; there is none where no card can be swapped out.
    """

    cards: Sequence[Offered]
    wilds: Sequence[tuple[Card, Card]]
    ends: Sequence[str]


@dataclass(slots=True)
class ShownTable:
    """The table as a page shows it, after the plays entered so far, legal or not.

    ``places`` has every card that lies somewhere, with where it lies.
    """

    rules: Judge
    melds: list[list[Offered]]
    places: list[tuple[str, str]]
    steps: list[Step] = field(default_factory=list)

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where one of them lies."""
        count, deck = Counter(card for card, _ in self.places), self.rules.deck
        return {
            card: _(where)
            for card, where in self.places
            if count[card] >= (deck.jokers if card == JOKER.text else deck.packs)
        }

    @property
    def tagged(self) -> dict[str, str]:
        """The cards that wild cards on the table stand for, with a note that says by which one."""
        taken = self.taken
        return {
            real.text: _("as %(card)s", card=wild.shown)
            for meld in self.melds
            for real, wild in _wild_cards(meld)
            if real.text not in taken
        }

    @property
    def targets(self) -> list[ShownMeld]:
        """Every meld, with what can be swapped out of it by the rules."""
        ends, can_swap = self.rules.joker_ends or ("",), "swap" in self.rules.asks
        found = []
        for meld in self.melds:
            is_set = len({(one.stands_for or one.card).rank for one in meld}) == 1
            stays = not can_swap or (is_set and not self.rules.swaps_in_sets)
            wilds = [] if stays else _wild_cards(meld)
            found.append(ShownMeld(meld, wilds, ends if wilds else ()))
        return found

    def play(self, play: Play) -> None:
        """Add a play, whether it is legal or not."""
        onto: Sequence[Offered] = ()
        if isinstance(play, LayOff | Swap) and 0 <= play.onto < len(self.melds):
            onto = tuple(self.melds[play.onto])
        self.steps.append(Step(_(_KINDS[type(play)][1]), as_run(play.plays), onto))
        match play:
            case MeldPlay():
                self.melds.append([*play.cards])
            case LayOff() if onto:
                self.melds[play.onto] += play.cards
            case Swap() if onto:
                self._swap(play.card.card, self.melds[play.onto])
        self.places += [(offered.card.text, "turn") for offered in play.plays]

    def _swap(self, real: Card, meld: list[Offered]) -> None:
        wild = next((one for one in meld if one.stands_for == real), None)
        if wild is None:
            return
        meld[meld.index(wild)] = Offered(real)
        cards = [card for card, _ in self.places]
        if not self.rules.swap_gives_wild:
            meld.append(Offered(wild.card))
        elif wild.card.text in cards:  # the player picks it up
            del self.places[cards.index(wild.card.text)]


def _wild_cards(meld: Sequence[Offered]) -> list[tuple[Card, Card]]:
    """Return the wild cards of a meld, each after the card that it stands for."""
    known = [(one.stands_for, one.card) for one in meld if one.stands_for is not None]
    return [(real, wild) for real, wild in known if real != wild]


def shown_table(melds: Iterable[str], rules: Judge, plays: Sequence[Play] = ()) -> ShownTable:
    """Return a table of melds, as card text, after these plays."""
    laid = [[*parse_meld_text(meld)] for meld in melds]
    places = [(offered.card.text, "table") for meld in laid for offered in meld]
    table = ShownTable(rules, laid, places)
    for play in plays:
        table.play(play)
    return table


def question_steps(question: Question, rules: Judge) -> list[Step]:
    """Return the plays of a question.

    Declared cards are shown all at once, and then the groups that were made of them, if any.
    """
    if question.ask == DECLARE:
        cards, *groups = (as_run(play.plays) for play in question.plays)
        return [Step(_("Declared"), cards), *(Step(_("A group"), group) for group in groups)]
    steps = shown_table([meld.text for meld in question.melds], rules, question.plays).steps
    drawn = [Offered(card) for card in question.pile.cards]
    return [Step(_("Draw"), drawn), *steps] if question.ask == DRAW else steps


# -- melds as a page had them, found again on the recorded table -----------------------------------
# What waits on a phone without a network is counted in on its pages: a meld that is to be recorded
# first can be laid off on. When the question comes, that meld may have been refused, or another one
# recorded before it, so that its place alone would name another meld.


def on_record(play: Play, counted: Sequence[str] | None, recorded: Sequence[str]) -> Play:
    """Return the play on the meld that was meant, of those that a page counted with (card text).

    Raises `NotPossible` if the meld is not on record, `Malformed` if it is none.
    """
    if not isinstance(play, LayOff | Swap):
        return play
    return replace(play, onto=place(play.onto, counted, recorded))


def place(onto: int, counted: Sequence[str] | None, recorded: Sequence[str]) -> int:
    """Return where the meld ``onto`` of those in ``counted`` is among the recorded ones.

    What comes after all of ``counted`` was laid with the question itself, so it comes after all
    that are recorded. A page that does not say what it counted with (None) counted with these.
    """
    if counted is None or counted == recorded:
        return onto
    if onto >= len(counted):
        return onto - len(counted) + len(recorded)
    # The cards alone: what wild ones stand for is known once the meld was ruled on.
    meant, *there = (
        Counter(offered.card for offered in parse_meld_text(meld))
        for meld in (counted[onto], *recorded)
    )
    same = [at for at, meld in enumerate(there) if meld == meant]
    if not same:
        cards = " ".join(offered.card.shown for offered in parse_meld_text(counted[onto]))
        says = noted(
            "The meld %(cards)s is not on the recorded table. Record it, or choose another."
        )
        raise NotPossible(says, "onto", cards=cards)
    return onto if onto in same else same[0]
