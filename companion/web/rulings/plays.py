"""Plays as they are said: read from a form, shown one after the other, their wild cards open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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
from companion.rules.game import Deck
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
    return tuple(parse_play(play) for play in plays)


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


WORDS = {MeldPlay: "Meld", LayOff: "Lay-off", Swap: "Swap", Discard: "Discard"}


@dataclass(frozen=True, slots=True)
class Step:
    """One play as it is shown: what it is, its cards, and the meld that it was played on."""

    word: str
    cards: str
    onto: str = ""
    text: str = ""


@dataclass(slots=True)
class Course:
    """Melds (card text), and every card that lies somewhere, with where it lies, in ``places``.

    ``deck`` is what is played with; ``wilds_stay`` says that a wild card that is swapped out stays
    in its meld, ``in_sets`` that it may be one of a set.
    """

    deck: Deck
    wilds_stay: bool = False
    in_sets: bool = True
    melds: list[list[str]] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def lies(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where one of them lies."""
        there = Counter(card for card, _ in self.places)
        return {
            card: where
            for card, where in self.places
            if there[card] >= (self.deck.jokers if card == JOKER.text else self.deck.packs)
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
    def swaps(self) -> list[tuple[int, str, str, str]]:
        """Every swap that the rules may allow: the meld's index, the real card, the wild one."""
        return [
            (index, stands_for, wild, " ".join(meld))
            for index, meld in enumerate(self.melds)
            if self.in_sets or not _is_set(meld)
            for wild, _, stands_for in (text.partition("=") for text in meld)
            if stands_for and stands_for != wild
        ]

    @property
    def targets(self) -> list[tuple[int, str, bool]]:
        """Every meld: its index, its cards, and whether a card can be swapped out of it."""
        has_swap = {index for index, *_ in self.swaps}
        return [(index, " ".join(meld), index in has_swap) for index, meld in enumerate(self.melds)]

    def play(self, play: Play) -> None:
        """Go one play on, whether it is legal or not."""
        texts = [offered.text for offered in play.plays]
        onto = ""
        if isinstance(play, LayOff | Swap) and 0 <= play.onto < len(self.melds):
            onto = " ".join(self.melds[play.onto])
        word = "Takes the pile" if isinstance(play, TakePile) else WORDS[type(play)]
        self.steps.append(Step(word, format_cards(as_run(play.plays)), onto, play.text))
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
                if self.wilds_stay:
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
    taken = Course(rules.deck, not rules.swap_gives_wild, rules.swaps_in_sets, laid, places)
    for play in plays:
        taken.play(play)
    return taken
