"""Declarations: all the cards that a player holds, in melds, with so many clean runs among them.

A game ends its hands so by declarations of a fixed number of cards, or by going out with the whole
hand, which grows from hand to hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from companion.rules.arrange import fewest_left
from companion.rules.cards import Card, Offered, Rank, check_packs, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Kind, Meld, shape_breaches
from companion.rules.messages import Cards, Message
from companion.rules.readings import ways
from companion.rules.ruling import Breach, Consequence, Made, Ruling, TakeBack
from companion.rules.table import Discard, MeldPlay, Player

if TYPE_CHECKING:
    from companion.rules.game import Deal, Game
    from companion.rules.house_rules import House

# The message of a false call: melds are shown, and cards are left over.
FALSE_CALL: Final = "not_all_melded"


# What a meld breaks, said of one meld among others.
_IN = {
    "half_wild": "half_wild_in",
    "too_many_wild": "too_many_wild_in",
    "wild_neighbours": "wild_neighbours_in",
    "too_few_naturals": "too_few_naturals_in",
}


class DeclaringJudge(Judge):
    """The rules of one hand of a game in which all cards are declared at once.

    ``declare_rule`` says what a declaration is, of ``declared`` cards. With ``declare_discards``
    one of the cards may be discarded, and need not be in a meld; with ``must_discard`` one has to
    be.
    """

    asks = Judge.asks | {"declare"}
    # Melds stay in hand until somebody declares. The others arrange and show theirs then, and may
    # have nothing left.
    arranges = True
    asks_off_table = frozenset({"meld", "declare"})
    nothing_left_is_out = False
    declare_rule: str
    wrong_declaration_points: int = 0
    declared: int
    declare_discards: bool = False
    must_discard: bool = False
    # What the player calls.
    declare_call: str = noted("Rummy")

    def rule_on_declaration(
        self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]] = ()
    ) -> Ruling:
        """Rule whether these cards may be declared, as they are grouped, or grouped anyhow.

        A legal declaration has the melds that make it so. Raises `Malformed` if it is not the right
        number of cards, if the packs cannot hold them, or if the grouping has other cards.
        """
        self._check_declared(cards, grouping)
        return self._as_grouped(cards, grouping) if grouping else self._grouped_anyhow(cards)

    def is_clean(self, meld: Meld) -> bool:
        """True if no card of a meld counts as standing for another."""
        return not self.limits.wilds(meld.cards)

    def _check_declared(self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]]) -> None:
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
        check_packs([(noted("in the cards"), cards)], *self.deck)
        for offered in grouping:
            self.limits.check_offered(offered, "melds")
        missing = Counter(_cards_of(grouping)) - Counter(cards)
        if missing:
            shown = show_cards(missing)
            raise Malformed(
                "%(shown)s is in the melds more often than among the cards.", "melds", shown=shown
            )

    def _as_grouped(self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]]) -> Ruling:
        breaches: list[Breach] = []
        melds: list[Meld] = []
        refused = 0
        for offered in grouping:
            found = [way.meld for way in ways(offered, self.limits)]
            if found:
                best = min(found, key=self._worth_of_reading)
                melds.append(best)
                wrong = [
                    Breach(rule, _IN[message], (("meld", best), *values))
                    for rule, message, values in self.limits.breaches(best)
                ]
            else:
                wrong = shape_breaches(offered, self.limits)
            refused += len(offered) if wrong else 0
            breaches += wrong
        over, discard = without(cards, _cards_of(grouping)), None
        if self.declare_discards and not refused and len(over) == 1:
            discard, over = over[0], ()
        if over:
            breaches.append(Breach.of(self.declare_rule, "in_no_meld", cards=Cards(over)))
        breaches += self._too_few_runs(melds)
        if self.must_discard and discard is None and not breaches:
            breaches.append(Breach(self.declare_rule, "must_discard"))
        if breaches:
            return self._wrong(breaches, len(over) + refused)
        return self._legal(melds, discard)

    def _worth_of_reading(self, meld: Meld) -> tuple[bool, bool, bool]:
        """Sorts readings: what keeps the limits comes first, then a clean run, then any run."""
        run = meld.kind is Kind.RUN
        return bool(self.limits.breaches(meld)), not (run and self.is_clean(meld)), not run

    def _too_few_runs(self, melds: Sequence[Meld]) -> list[Breach]:
        runs = [meld for meld in melds if meld.kind is Kind.RUN]
        clean = [meld for meld in runs if self.is_clean(meld)]
        return [
            Breach.of(self.declare_rule, message, found=len(found), wanted=wanted)
            for found, wanted, message in (
                (clean, self.clean_runs, "too_few_clean_runs"),
                (runs, self.all_runs, "too_few_runs"),
            )
            if len(found) < wanted
        ]

    def _grouped_anyhow(self, cards: Sequence[Card]) -> Ruling:
        """Return the ruling where nobody says how the cards are grouped."""
        best = fewest_left(cards, self)
        left, discard = best.deadwood, None
        if self.declare_discards and len(left) == 1:
            discard, left = left[0], ()
        if left and self.declare_discards:
            breach = Breach.of(self.declare_rule, "no_grouping_but", left=len(left))
        elif left:
            breach = Breach(self.declare_rule, "no_grouping")
        elif self.must_discard and discard is None:
            # One of the cards has to be discarded, though all can be in melds.
            for card in dict.fromkeys(cards):
                found = fewest_left(without(cards, [card]), self, with_runs=True)
                if not found.deadwood:
                    return self._legal(found.melds, card)
            breach = Breach(self.declare_rule, "must_discard")
        else:
            found = fewest_left(cards, self, with_runs=True) if self.all_runs else best
            if found.deadwood == best.deadwood:
                return self._legal(found.melds, discard)
            breach = Breach.of(
                self.declare_rule,
                "no_grouping_with_runs",
                runs=self.all_runs,
                clean=self.clean_runs,
            )
        return self._wrong([breach], 0)

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

    def _wrong(self, breaches: Sequence[Breach], unmelded: int) -> Ruling:
        consequence = Consequence(self.wrong_declaration_points, TakeBack.PLAY)
        return Ruling((*breaches, *self.false_call_breaches(unmelded)), consequence=consequence)

    def false_call_breaches(self, unmelded: int) -> Sequence[Breach]:  # noqa: ARG002  a game's own
        """What a declaration breaks besides if so many cards are in no meld that is right."""
        return ()


class GoingOutJudge(DeclaringJudge):
    """The rules of one hand of a game in which melds stay in hand until somebody goes out.

    Who goes out has all cards held after the draw in melds, but for one discard: any other melds
    that are shown are a false call. ``must_discard`` says that there has to be that discard. Every
    hand deals a card more, and makes the rank of the number of cards dealt wild.
    """

    # “Pay me!”: all cards held after the draw, in melds but for one discard.
    declare_discards = True
    asks = Judge.asks - {"swap"}
    asks_without_hand = frozenset({"discard"})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        # The cards dealt and the one drawn: nothing is laid before somebody goes out.
        self.declared = self.held_in_turn = self.most_in_turn

    @property
    def disputes(self) -> frozenset[str]:
        """Going out, and whether cards are a meld: nothing else is played before that."""
        return frozenset({"meld", "declare"})

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank:
        """The rank of the number of cards dealt, n + 2 in hand n."""
        return Rank(hand + 2)

    def turn_breaches(
        self,
        made: Sequence[Made],
        left: int | None,
        player: Player,  # noqa: ARG002 - only the cards count
    ) -> Mapping[int, Sequence[Breach]]:
        """Melds shown with cards left over, or without the discard that there has to be.

        Where melds lay on the table before, somebody has gone out and the others show what they
        have.
        """
        melds = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        before = made[0].table.before if made else None
        if not melds or left is None or (before is not None and before.melds):
            return {}
        if left:
            return dict.fromkeys(melds, self.false_call_breaches(left))
        if self.must_discard and not any(isinstance(one.play, Discard) for one in made):
            return {melds[-1]: [Breach(self.declare_rule, "must_discard")]}
        return {}

    def false_call_breaches(self, unmelded: int) -> Sequence[Breach]:
        """A false call, if cards are in no meld."""
        return [Breach.of(self.declare_rule, FALSE_CALL, left=unmelded)] if unmelded else []


def _cards_of(grouping: Sequence[Sequence[Offered]]) -> list[Card]:
    return [one.card for offered in grouping for one in offered]
