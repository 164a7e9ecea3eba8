"""The table as pages show it after plays, legal or not: no rule is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from companion.rules.cards import JOKER, Card, Offered, as_run, parse_meld_text, without
from companion.rules.judge import Judge
from companion.rules.language import gettext, noted
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.readings import cards_as_on_table, readings
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, TakePile

_WORDS: Final = {
    MeldPlay: noted("Meld"),
    LayOff: noted("Lay-off"),
    Swap: noted("Swap"),
    Discard: noted("Discard"),
    TakePile: noted("Takes the pile"),
}


class Step(NamedTuple):
    """A play as a page shows it: what it is, its cards, and the meld that it was played on.

    ``verdict`` is the ruling on this play alone, where there were several; ``why`` what is wrong.
    """

    word: str
    cards: Sequence[Offered]
    onto: Sequence[Offered] = ()
    verdict: str = ""
    why: str = ""


class ShownMeld(NamedTuple):
    """A meld on the table, with the ``wilds`` that can be swapped out, each after its real card.

    ``ends`` are those of the meld to which a swap can move the wild card: ``("",)`` if the player
    takes it instead, ``()`` if no card can be swapped out.
    """

    cards: Sequence[Offered]
    wilds: Sequence[tuple[Card, Card]]
    ends: Sequence[str]


class ShownTable:
    """The table after plays, legal or not, on melds given as card text.

    ``places`` has every card, as text, with where it is: ``("8H", "table")``, ``("9C", "turn")``.
    """

    def __init__(self, melds: Iterable[str], rules: Judge, plays: Iterable[Play] = ()) -> None:
        self.rules = rules
        self.melds = [cards_as_on_table(parse_meld_text(meld), rules.limits) for meld in melds]
        self.places = [(one.card.text, "table") for meld in self.melds for one in meld]
        self.steps = [self._lay(play) for play in plays]

    def _lay(self, play: Play) -> Step:
        onto: Sequence[Offered] = ()
        if isinstance(play, LayOff | Swap) and 0 <= play.onto < len(self.melds):
            onto = tuple(self.melds[play.onto])
        played = play.cards
        if isinstance(play, MeldPlay) and len(ways := readings(played, self.rules.limits)) == 1:
            played = tuple([laid.offered for laid in ways[0].cards])  # each wild card has one place
        cards = cards_as_on_table(played, self.rules.limits, onto)
        match play:
            case MeldPlay():
                self.melds.append([*cards])
            case LayOff() if onto:
                self.melds[play.onto] += cards
            case Swap() if onto:
                self._swap(play.card.card, self.melds[play.onto])
        self.places += [(offered.card.text, "turn") for offered in play.cards]
        return Step(gettext(_WORDS[type(play)]), as_run(cards), onto)

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

    @property
    def taken(self) -> dict[str, str]:
        """The cards with no copy left to play, and where one of them is: ``table`` or ``turn``."""
        count, deck = Counter(card for card, _where in self.places), self.rules.deck
        return {
            card: gettext(where)
            for card, where in self.places
            if count[card] >= (deck.jokers if card == JOKER.text else deck.packs)
        }

    @property
    def tagged(self) -> dict[str, str]:
        """The cards that wild cards on the table stand for, each with a note: ``as 8♥``."""
        taken = self.taken
        return {
            real.text: gettext("as %(card)s", card=wild.shown)
            for meld in self.melds
            for real, wild in _wild_cards(meld)
            if real.text not in taken
        }

    @property
    def targets(self) -> list[ShownMeld]:
        """Every meld, with the wild cards that the rules let players swap out of it."""
        ends, can_swap = self.rules.joker_ends or ("",), "swap" in self.rules.asks
        shown = []
        for meld in self.melds:
            is_set = len({(one.stands_for or one.card).rank for one in meld}) == 1
            stays = not can_swap or (is_set and not self.rules.swaps_in_sets)
            wilds = [] if stays else _wild_cards(meld)
            shown.append(ShownMeld(meld, wilds, ends if wilds else ()))
        return shown


def _wild_cards(meld: Sequence[Offered]) -> list[tuple[Card, Card]]:
    """Return the wild cards of a meld, each after the card that it stands for."""
    known = [(one.stands_for, one.card) for one in meld if one.stands_for is not None]
    return [(real, wild) for real, wild in known if real != wild]


def question_steps(question: Question, rules: Judge) -> list[Step]:
    """Return the plays of a question; of a declaration, its groups and then the cards in none."""
    if question.ask == DECLARE:
        cards, *groups = (play.cards for play in question.plays)
        steps = [Step(gettext("A group"), as_run(group)) for group in groups]
        placed = [one.card for group in groups for one in group]
        rest = [Offered(card) for card in without([one.card for one in cards], placed)]
        word = noted("In no group") if groups else noted("Declared")
        return [*steps, Step(gettext(word), as_run(rest))] if rest else steps
    steps = ShownTable([meld.text for meld in question.melds], rules, question.plays).steps
    drawn = [Offered(card) for card in question.pile.cards]
    return [Step(gettext("Draw"), drawn), *steps] if question.ask == DRAW else steps
