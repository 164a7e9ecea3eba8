"""Plays as they are said: read from a form, shown one after the other, their wild cards open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from companion.notebook.events import NotPossible
from companion.rules.cards import (
    JOKER,
    as_run,
    format_cards,
    parse_card,
    parse_cards,
    parse_meld_text,
    parse_offered,
)
from companion.rules.errors import Ambiguous
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.table import ENDS, Discard, LayOff, MeldPlay, Play, Swap, TakePile, parse_play
from companion.web.fields import number_or_none


def play_of(kind: str, cards: Sequence[str], onto: int | None, joker_to: str = "") -> Play:
    """One play from its cards. Raises `NotPossible` or `Malformed`, naming the field."""
    if not cards:
        raise NotPossible("Tap the cards that were played.", "cards")
    if kind == "meld":
        return MeldPlay(parse_meld_text(cards))
    if kind == "discard":
        return Discard(parse_cards(_one(cards, "A discard is one card."))[0])
    if onto is None:
        raise NotPossible("Say on which meld of the table.", "onto")
    if kind == "lay_off":
        return LayOff(parse_meld_text(cards), onto)
    if kind == "swap":
        card = parse_offered(_one(cards, "One card is put in another's place.")[0])
        return Swap(card, onto, joker_to if joker_to in ENDS else "")
    raise NotPossible("Say what was played.", "ask")


def _one(cards: Sequence[str], sentence: str) -> Sequence[str]:
    if len(cards) > 1:
        raise NotPossible(f"{sentence} Tap only that one.", "cards")
    return cards


def parsed_plays(plays: Sequence[str]) -> tuple[Play, ...]:
    """The plays of a turn, from their text. Raises `Malformed`."""
    return tuple(map(parse_play, plays))


def added(value: str, cards: Sequence[str]) -> Play:
    """The play that a button adds: ``meld``, ``discard``, ``take_pile``, ``lay_off 0``, ``swap 1``.

    Raises `NotPossible` or `Malformed`.
    """
    kind, _, onto = value.partition(" ")
    onto, _, joker_to = onto.partition(" ")
    if kind == "take_pile":
        return TakePile()
    return play_of(kind, cards, number_or_none(onto), joker_to)


def ask_for(play: Play) -> str:
    """How a single play is asked about."""
    match play:
        case Discard():
            return "discard"
        case MeldPlay():
            return "meld"
        case LayOff():
            return "lay_off"
        case Swap():
            return "swap"
        case TakePile():
            return "turn"


MOST_READINGS: Final = 12


class Open(ValueError):
    """A play is only complete once it is said what its wild cards stand for.

    ``play`` is its number in the turn; ``readings`` are all its readings, if they are few enough
    to choose among. Otherwise ``card`` is asked about first: one of ``choices`` (card text).
    """

    def __init__(
        self, play: int, card: str, choices: Sequence[str], readings: Sequence[Meld] = ()
    ) -> None:
        super().__init__(f"{parse_card(card).shown} could be several cards.")
        self.play = play
        self.card = card
        self.choices = tuple(choices)
        self.readings = tuple(readings)

    @property
    def groups(self) -> list[tuple[Kind, list[Meld]]]:
        """The readings, sets and runs apart."""
        kinds = dict.fromkeys(meld.kind for meld in self.readings)
        return [(kind, [meld for meld in self.readings if meld.kind is kind]) for kind in kinds]

    @property
    def wilds(self) -> list[str]:
        """The wild cards that are asked about, as people write them."""
        identities = identities_in(self.readings)
        several = [card for card, choices in identities.items() if len(choices) > 1]
        return [parse_card(card).shown for card in several or [self.card]]


def identities_in(readings: Sequence[Meld]) -> dict[str, dict[str, None]]:
    """What each wild card stands for in these readings, as card text, in their order."""
    found: dict[str, dict[str, None]] = {}
    for meld in readings:
        for laid in meld.cards:
            if laid.wild:
                found.setdefault(laid.card.text, {})[laid.stands_for.text] = None
    return found


def open_among(play: int, readings: Sequence[Meld]) -> Open:
    """What to ask about a play that has these readings, more than one."""
    card, choices = next(
        (card, choices) for card, choices in identities_in(readings).items() if len(choices) > 1
    )
    few = readings if len(readings) <= MOST_READINGS else ()
    return Open(play, card, tuple(choices), few)


def open_play(problem: Ambiguous) -> Open:
    """What is asked about a play that could not be laid, alone or in a turn."""
    number = problem.where.removeprefix("plays[").removesuffix("]")
    return Open(number_or_none(number) or 0, problem.card, problem.choices)


_WORDS: Final = {MeldPlay: "Meld", LayOff: "Lay-off", Swap: "Swap", Discard: "Discard"}


@dataclass(frozen=True, slots=True)
class Step:
    """One play as it is shown: what it is, its cards, and the meld that it was played on."""

    word: str
    cards: str
    onto: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A meld that lies there: its cards, and the ends to which a swap can move a joker of it.

    The only end is empty where the wild card does not stay in the meld; there is none where no
    card can be swapped out.
    """

    cards: str
    ends: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SwapTile:
    """A swap that the rules may allow: what it sends, its two cards, an end, and the meld."""

    value: str
    real: str
    wild: str
    end: str
    cards: str


@dataclass(slots=True)
class Course:
    """Melds (card text), and every card that lies somewhere, with where it lies, in ``places``."""

    rules: Judge
    melds: list[list[str]] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def lies(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where one of them lies."""
        there, deck = Counter(card for card, _ in self.places), self.rules.deck
        return {
            card: where
            for card, where in self.places
            if there[card] >= (deck.jokers if card == JOKER.text else deck.packs)
        }

    @property
    def stood_for(self) -> dict[str, str]:
        """The cards that wild cards on the table stand for, and by which one."""
        stood: dict[str, str] = {}
        for meld in self.melds:
            for text in meld:
                card, _, stands_for = text.partition("=")
                if stands_for and stands_for != card:
                    stood[stands_for] = card
        return stood

    @property
    def tags(self) -> dict[str, str]:
        """What is noted on a card of the grid: by which card it is on the table already."""
        lies = self.lies
        return {
            stands_for: f"as {parse_card(wild).shown}"
            for stands_for, wild in self.stood_for.items()
            if stands_for not in lies
        }

    @property
    def _ends(self) -> Sequence[str]:
        return self.rules.joker_ends or ("",)

    @property
    def swaps(self) -> list[SwapTile]:
        """Every swap that the rules may allow."""
        return [
            SwapTile(f"{real} {index} {end}".strip(), real, wild, end, " ".join(meld))
            for index, meld in enumerate(self.melds)
            for real, wild in self._swappable(meld)
            for end in self._ends
        ]

    def _swappable(self, meld: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The wild cards that can be swapped out of a meld, each after its real card."""
        if self.rules.swaps_in_sets or not _is_set(meld):
            for wild, _, stands_for in (text.partition("=") for text in meld):
                if stands_for and stands_for != wild:
                    yield stands_for, wild

    @property
    def targets(self) -> list[Target]:
        """Every meld, with what can be swapped out of it."""
        ends = self._ends if "swap" in self.rules.asks else ()
        return [
            Target(" ".join(meld), ends if any(self._swappable(meld)) else ())
            for meld in self.melds
        ]

    def play(self, play: Play) -> None:
        """Go one play on, whether it is legal or not."""
        texts = [offered.text for offered in play.plays]
        onto = ""
        if isinstance(play, LayOff | Swap) and 0 <= play.onto < len(self.melds):
            onto = " ".join(self.melds[play.onto])
        word = "Takes the pile" if isinstance(play, TakePile) else _WORDS[type(play)]
        self.steps.append(Step(word, format_cards(as_run(play.plays)), onto))
        match play:
            case MeldPlay():
                self.melds.append(texts)
            case LayOff() if onto:
                self.melds[play.onto] = [*self.melds[play.onto], *texts]
            case Swap() if onto:
                self._swap(play, self.melds[play.onto])
            case TakePile():
                self.places = [(card, where) for card, where in self.places if where != "pile"]
        self.places += [(offered.card.text, "turn") for offered in play.plays]

    def _swap(self, play: Swap, meld: list[str]) -> None:
        for at, text in enumerate(meld):
            wild, _, stands_for = text.partition("=")
            if stands_for == play.card.card.text:
                meld[at] = stands_for
                if not self.rules.swap_gives_wild:
                    meld.append(wild)
                else:
                    self._pick_up(wild)
                return

    def _pick_up(self, card: str) -> None:
        at = next((n for n, (lying, _) in enumerate(self.places) if lying == card), None)
        if at is not None:
            del self.places[at]


def question_steps(question: Question, melds: Iterable[str], pile: str, rules: Judge) -> list[Step]:
    """The plays of a question on a table of melds and a pile, both as card text.

    Declared cards are shown all at once, and then the groups that were made of them, if any.
    """
    if question.ask == DECLARE:
        cards, *groups = (format_cards(as_run(play.plays)) for play in question.plays)
        return [Step("Declared", cards), *(Step("A group", group) for group in groups)]
    steps = course(melds, pile, rules, question.plays).steps
    drawn = [Step("Draw", format_cards(question.pile.cards))] if question.ask == DRAW else []
    return [*drawn, *steps]


def _is_set(meld: Sequence[str]) -> bool:
    """True if all the cards are, or stand for, one rank."""
    return len({text.partition("=")[2][:1] or text[:1] for text in meld}) == 1


def course(melds: Iterable[str], pile: str, rules: Judge, plays: Sequence[Play] = ()) -> Course:
    """The course that plays take from a table of melds and a pile, all as card text."""
    laid = [meld.split() for meld in melds]
    places = [(parse_offered(text).card.text, "table") for meld in laid for text in meld]
    places += [(text, "pile") for text in pile.split()]
    taken = Course(rules, laid, places)
    for play in plays:
        taken.play(play)
    return taken


# -- melds as a page had them, found again on the recorded table -----------------------------------
# What waits on a phone without a network is counted in on its pages: a meld that is to be recorded
# first can be laid off on. When the question comes, that meld may have been refused, or another one
# recorded before it, so that its place alone would name another meld.


def on_record(play: Play, lying: Sequence[str] | None, recorded: Sequence[str]) -> Play:
    """The play on the meld that was meant, of those that a page counted with, as card text.

    Raises `NotPossible` if the meld is not on record, `Malformed` if it is none.
    """
    if lying is None or not isinstance(play, LayOff | Swap):
        return play
    return replace(play, onto=place(play.onto, lying, recorded))


def place(onto: int, lying: Sequence[str], recorded: Sequence[str]) -> int:
    """Where the meld ``onto`` of those in ``lying`` is among the recorded ones.

    What comes after all of ``lying`` was laid with the question itself, so it comes after all that
    are recorded.
    """
    if onto >= len(lying):
        return onto - len(lying) + len(recorded)
    there = [at for at, meld in enumerate(recorded) if _cards_of(meld) == _cards_of(lying[onto])]
    if not there:
        cards = " ".join(parse_offered(text).card.shown for text in lying[onto].split())
        says = f"The meld {cards} is not on the recorded table. Record it, or choose another."
        raise NotPossible(says, "onto")
    return onto if onto in there else there[0]


def _cards_of(meld: str) -> Counter[str]:
    """The cards alone: what wild ones stand for is known once the meld was ruled on."""
    return Counter(text.partition("=")[0] for text in meld.split())
