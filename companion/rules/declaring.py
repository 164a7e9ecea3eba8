"""Declarations: a player shows all cards held in melds, with clean runs among them.

A hand ends when a player declares a fixed number of cards, or goes out with the whole hand. Then
the others arrange their cards, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from companion.rules.arrange import fewest_cards
from companion.rules.cards import Card, Groups, Rank, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Kind, Meld, shape_breaches
from companion.rules.messages import Cards, Message
from companion.rules.readings import ways
from companion.rules.ruling import Breach, Breaches, Consequence, Late, Made, Ruling, TakeBack
from companion.rules.table import Discard, MeldPlay, Player

if TYPE_CHECKING:
    from companion.rules.game import Deal, Game
    from companion.rules.house_rules import House
    from companion.rules.question import Question

# The message for a false call: melds are shown, and cards are left over.
FALSE_CALL: Final = "not_all_melded"


# For each message about a meld, the one that also names the meld.
_NAMING_MELD = {
    "half_wild": "half_wild_in",
    "too_many_wild": "too_many_wild_in",
    "wild_neighbours": "wild_neighbours_in",
    "too_few_naturals": "too_few_naturals_in",
}


class DeclaringJudge(Judge):
    """The rules of one hand of a game in which all cards are declared at once.

    ``declare_rule`` is the rule on a declaration, which has ``declared`` cards. With
    ``declare_discards`` one of them may be discarded, with ``must_discard`` one must be.
    """

    asks = Judge.asks | {"declare"}
    # Melds stay in hand until somebody declares. Then the others show theirs, and may have nothing
    # left.
    arranges = True
    asks_off_table = frozenset({"meld", "declare"})
    nothing_left_is_out = False
    declare_rule: str
    wrong_declaration_points: int = 0
    declared: int
    declare_discards: bool = False
    must_discard: bool = False
    # What a player says to declare.
    declare_call: str = noted("Rummy")

    def rule_on_declaration(self, cards: Sequence[Card], grouping: Groups = ()) -> Ruling:
        """Rule whether these cards may be declared in this grouping, or without one in any.

        A legal declaration has its melds in the ruling. Raises `Malformed` for the wrong number of
        cards, for cards that the packs cannot hold, and for a grouping of other cards.
        """
        self._check_declared(cards, grouping)
        return self._in_grouping(cards, grouping) if grouping else self._in_any_grouping(cards)

    def is_clean(self, meld: Meld) -> bool:
        """True if no card of a meld counts as standing for another."""
        return not self.limits.wilds(meld.cards)

    def _check_declared(self, cards: Sequence[Card], grouping: Groups) -> None:
        if len(cards) != self.declared:
            says = noted(
                "A declaration is %(declared)s cards, not %(cards)s; "
                "the card that is discarded with it is not one of them."
            )
            if self.declare_discards:
                says = noted(
                    "A declaration is %(declared)s cards, not %(cards)s; "
                    "the card that is discarded with it is one of them."
                )
            raise Malformed(says, declared=self.declared, cards=len(cards))
        self.check_held(cards)
        for offered in grouping:
            self.limits.check_offered(offered, "melds")
        missing = Counter(_cards_of(grouping)) - Counter(cards)
        if missing:
            shown = show_cards(missing)
            says = noted("%(shown)s is in the melds more often than among the cards.")
            raise Malformed(says, "melds", shown=shown)

    def _in_grouping(self, cards: Sequence[Card], grouping: Groups) -> Ruling:
        breaches: list[Breach] = []
        melds: list[Meld] = []
        refused = 0
        for offered in grouping:
            melds_read = [way.meld for way in ways(offered, self.limits)]
            if melds_read:
                best = min(melds_read, key=self._reading_order)
                melds.append(best)
                wrong = [
                    Breach(rule, _NAMING_MELD[message], (("meld", best), *values))
                    for rule, message, values in self.limits.breaches(best)
                ]
            else:
                wrong = shape_breaches(offered, self.limits)
            refused += len(offered) if wrong else 0
            breaches += wrong
        left, discard = without(cards, _cards_of(grouping)), None
        if self.declare_discards and len(left) == 1:
            discard, left = left[0], ()
        if left:
            breaches.append(Breach.of(self.declare_rule, "in_no_meld", cards=Cards(left)))
        breaches += self._too_few_runs(melds)
        if self.must_discard and discard is None and not breaches:
            breaches.append(Breach(self.declare_rule, "must_discard"))
        if breaches:
            return self._wrong(breaches, len(left) + refused)
        return self._legal(melds, discard)

    def _reading_order(self, meld: Meld) -> tuple[int, bool, bool]:
        """Return a sort key: by limits broken, then clean runs before other runs before sets."""
        run = meld.kind is Kind.RUN
        return len(self.limits.breaches(meld)), not (run and self.is_clean(meld)), not run

    def _too_few_runs(self, melds: Sequence[Meld]) -> list[Breach]:
        runs = [meld for meld in melds if meld.kind is Kind.RUN]
        clean = [meld for meld in runs if self.is_clean(meld)]
        return [
            Breach.of(self.declare_rule, message, found=len(melded), wanted=wanted)
            for melded, wanted, message in (
                (clean, self.clean_runs, "too_few_clean_runs"),
                (runs, self.all_runs, "too_few_runs"),
            )
            if len(melded) < wanted
        ]

    def _in_any_grouping(self, cards: Sequence[Card]) -> Ruling:
        """Return the ruling if the player does not say how the cards are grouped."""
        best, rule = fewest_cards(cards, self), self.declare_rule
        left = len(best.deadwood)
        if left > self.declare_discards:
            but = Breach.of(rule, "no_grouping_but", left=left)
            return self._wrong([but if self.declare_discards else Breach(rule, "no_grouping")], 0)
        if self.must_discard and not left:
            # All cards can be in melds, but one has to be discarded.
            for card in dict.fromkeys(cards):
                others = fewest_cards(without(cards, [card]), self, with_runs=True)
                if not others.deadwood:
                    return _possible(others.melds)
            return self._wrong([Breach(rule, "must_discard")], 0)
        with_runs = fewest_cards(cards, self, with_runs=True) if self.all_runs else best
        if with_runs.deadwood == best.deadwood:
            return _possible(with_runs.melds)
        runs, clean = self.all_runs, self.clean_runs
        return self._wrong([Breach.of(rule, "no_grouping_with_runs", runs=runs, clean=clean)], 0)

    def _legal(self, melds: Sequence[Meld], discard: Card | None) -> Ruling:
        cards = sum(len(meld.cards) for meld in melds)
        if self.all_runs:
            clean = sum(meld.kind is Kind.RUN and self.is_clean(meld) for meld in melds)
            praise = Message.of("legal_declaration", cards=cards, melds=len(melds), clean=clean)
        elif discard is None:
            praise = Message.of("legal_all_melded", cards=cards, melds=len(melds))
        else:
            praise = Message.of("legal_all_but_one", cards=cards, melds=len(melds), discard=discard)
        return Ruling(praise=praise, melds=tuple(melds))

    def _wrong(self, breaches: Breaches, unmelded: int) -> Ruling:
        consequence = Consequence(self.wrong_declaration_points, TakeBack.PLAY)
        return Ruling((*breaches, *self.false_call_breaches(unmelded)), consequence=consequence)

    def false_call_breaches(self, unmelded: int) -> Breaches:
        """Return the breach of a false call: going out with this many cards in no meld."""
        is_false = self.declare_discards and unmelded > 0
        return [Breach.of(self.declare_rule, FALSE_CALL, left=unmelded)] if is_false else []


class GoingOutJudge(DeclaringJudge):
    """The rules of one hand of a game in which melds stay in hand until somebody goes out.

    A player goes out with all cards held after the draw in melds, or all but a discard, which
    ``must_discard`` requires. To show any other melds is a false call. Every hand deals one card
    more, and the rank of the number of cards dealt is wild.
    """

    declare_discards = True
    asks_without_hand = frozenset({"discard"})
    # Nothing else is played before somebody goes out.
    disputes = frozenset({"meld", "declare"})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        # The cards dealt and the one drawn: nothing is laid before somebody goes out.
        self.declared = self.most_in_turn

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank:
        """Return the rank of the number of cards dealt, n + 2 in hand n."""
        return Rank(hand + 2)

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return what melds break if cards are left over, or if a required discard is missing.

        If the table had melds before, somebody has gone out, and the others may show any melds.
        """
        melds = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        if left is None or (made and made[0].table.melds):
            return {}
        if left:
            return dict.fromkeys(melds, self.false_call_breaches(left))
        if self.must_discard and not any(isinstance(one.play, Discard) for one in made):
            return dict.fromkeys(melds, (Breach(self.declare_rule, "must_discard"),))
        return {}


def cards_laid(question: Question, rules: Judge, melds: Sequence[Meld]) -> list[Card]:
    """Return the cards that a legal declaration lays: those of ``melds``, or all that are declared.

    All, if nobody said which card is discarded with it: of a run of four, none or either end.
    """
    declared = [offered.card for offered in question.plays[0].cards]
    if question.is_ungrouped:
        rests = [declared, *(without(declared, [card]) for card in dict.fromkeys(declared))]
        if sum(not fewest_cards(rest, rules).deadwood for rest in rests) > 1:
            return declared
    return [laid.card for meld in melds for laid in meld.cards]


def _possible(melds: Sequence[Meld]) -> Ruling:
    """Return that cards can be declared, in these melds or in others: nobody said in which."""
    cards = sum(len(meld.cards) for meld in melds)
    return Ruling(praise=Message.of("legal_possible", cards=cards), melds=tuple(melds))


def _cards_of(grouping: Groups) -> list[Card]:
    return [offered.card for meld in grouping for offered in meld]
