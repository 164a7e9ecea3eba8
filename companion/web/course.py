"""The plays of a turn one after the other as they were said, before anyone has ruled on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from companion.rules.cards import JOKER, as_run, format_cards, parse_card, parse_offered
from companion.rules.game import Deck
from companion.rules.judge import Judge
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, TakePile

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
