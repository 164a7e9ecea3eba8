"""The table as it is shown after plays, legal or not: no rule is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from companion.rules.cards import JOKER, Card, Offered, as_run, parse_meld_text
from companion.rules.judge import Judge
from companion.rules.language import gettext, noted
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, TakePile

_WORDS: Final = {
    MeldPlay: noted("Meld"),
    LayOff: noted("Lay-off"),
    Swap: noted("Swap"),
    Discard: noted("Discard"),
    TakePile: noted("Takes the pile"),
}


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
        count, deck = Counter(card for card, _where in self.places), self.rules.deck
        return {
            card: gettext(where)
            for card, where in self.places
            if count[card] >= (deck.jokers if card == JOKER.text else deck.packs)
        }

    @property
    def tagged(self) -> dict[str, str]:
        """The cards that wild cards on the table stand for, with a note that says by which one."""
        taken = self.taken
        return {
            real.text: gettext("as %(card)s", card=wild.shown)
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
        self.steps.append(Step(gettext(_WORDS[type(play)]), as_run(play.plays), onto))
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
        if not self.rules.swap_gives_wild:
            meld.append(Offered(wild.card))
        else:  # the player picks it up
            lying = [card for card, _where in self.places]
            del self.places[lying.index(wild.card.text)]


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
        return [
            Step(gettext("Declared"), cards),
            *(Step(gettext("A group"), group) for group in groups),
        ]
    steps = shown_table([meld.text for meld in question.melds], rules, question.plays).steps
    drawn = [Offered(card) for card in question.pile.cards]
    return [Step(gettext("Draw"), drawn), *steps] if question.ask == DRAW else steps
