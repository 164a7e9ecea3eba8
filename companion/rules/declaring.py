"""Declarations: all the cards that a player holds, in melds, with so many clean runs among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from companion.rules.arrange import complete
from companion.rules.cards import Card, Offered, check_packs, show_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld, readings, shape_breaches
from companion.rules.messages import Cards, Message
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack

# What a meld breaks, said of one meld among others.
_IN = {
    "half_wild": "half_wild_in",
    "too_many_wild": "too_many_wild_in",
    "wild_neighbours": "wild_neighbours_in",
    "too_few_naturals": "too_few_naturals_in",
}


class Declaration(NamedTuple):
    """A ruling on declared cards, and melds that make them legal; none if nothing does."""

    ruling: Ruling
    melds: tuple[Meld, ...] = ()


class DeclaringJudge(Judge):
    """The rules of one hand of a game in which all cards are declared at once.

    ``declare_rule`` says what a declaration is, of ``declared`` cards, and ``declare_charge`` is
    the number under which a wrong one is charged.
    """

    asks = Judge.asks | {"declare"}
    declare_rule: str
    declare_charge: str
    declared: int

    def rule_on_declaration(
        self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]] = ()
    ) -> Declaration:
        """Whether these cards may be declared, as they are grouped, or grouped anyhow.

        Raises `Malformed` if it is not the right number of cards, if the packs cannot hold them,
        or if a grouping has cards that are not among them.
        """
        self._check_declared(cards, grouping)
        found = self.judge_declaration(cards, grouping)
        elsewhere = {
            sheet: rules.judge_declaration(cards, grouping).ruling.legal
            for sheet, rules in self.game.elsewhere(self.house, self.deal)
            if isinstance(rules, DeclaringJudge)
        }
        return found._replace(ruling=found.ruling.with_elsewhere(elsewhere))

    def judge_declaration(
        self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]] = ()
    ) -> Declaration:
        """The same by these rules alone, for cards that can be there."""
        return self._as_grouped(cards, grouping) if grouping else self._grouped_anyhow(cards)

    def is_clean(self, meld: Meld) -> bool:
        """Whether no card of a meld counts as standing for another."""
        return not self.limits.wilds(meld.cards)

    def _check_declared(self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]]) -> None:
        if len(cards) != self.declared:
            raise Malformed(
                f"A declaration is {self.declared} cards, not {len(cards)}; the card that is "
                "discarded with it is none of them."
            )
        check_packs([("the cards", cards)], *self.deck)
        for offered in grouping:
            self.limits.check_offered(offered, "melds")
        melded = [one.card for offered in grouping for one in offered]
        missing = Counter(melded) - Counter(cards)
        if missing:
            shown = show_cards(missing)
            raise Malformed(f"{shown} is in the melds more often than among the cards.", "melds")

    def _as_grouped(
        self, cards: Sequence[Card], grouping: Sequence[Sequence[Offered]]
    ) -> Declaration:
        breaches: list[Breach] = []
        melds: list[Meld] = []
        for offered in grouping:
            ways = readings(offered, self.limits)
            if ways:
                best = min(ways, key=self._worth_of_reading)
                melds.append(best)
                breaches += [
                    Breach(rule, _IN[message], (("meld", best), *values))
                    for rule, message, values in self.limits.breaches(best)
                ]
            else:
                breaches += shape_breaches(offered, self.limits)
        over = Counter(cards) - Counter(one.card for offered in grouping for one in offered)
        if over:
            held = Cards(tuple(over.elements()))
            breaches.append(Breach.of(self.declare_rule, "in_no_meld", cards=held))
        breaches += self._too_few_runs(melds)
        if breaches:
            return Declaration(self._wrong(breaches))
        return self._legal(melds)

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

    def _grouped_anyhow(self, cards: Sequence[Card]) -> Declaration:
        melds = complete(cards, self)
        if melds is not None:
            return self._legal(melds)
        breach = Breach(self.declare_rule, "no_grouping")
        if complete(cards, self._without_runs()) is not None:
            breach = Breach.of(
                self.declare_rule,
                "no_grouping_with_runs",
                runs=self.all_runs,
                clean=self.clean_runs,
            )
        return Declaration(self._wrong([breach]))

    def _without_runs(self) -> DeclaringJudge:
        """The same rules for a table that asks for no runs."""
        lenient = copy(self)
        lenient.clean_runs = lenient.all_runs = 0
        return lenient

    def _legal(self, melds: Sequence[Meld]) -> Declaration:
        clean = sum(meld.kind is Kind.RUN and self.is_clean(meld) for meld in melds)
        praise = Message.of("legal_declaration", cards=self.declared, melds=len(melds), clean=clean)
        return Declaration(Ruling(praise=praise), tuple(melds))

    def _wrong(self, breaches: Sequence[Breach]) -> Ruling:
        points = self.charge_points(self.declare_charge)
        return Ruling(tuple(breaches), consequence=Consequence(points, TakeBack.PLAY))
