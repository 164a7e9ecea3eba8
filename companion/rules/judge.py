"""Judging plays: what all games judge alike, by the rules of one hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from companion.rules.cards import Card, Offered, check_packs
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.hand_rules import HandRules, too_many
from companion.rules.language import noted
from companion.rules.melds import Meld, shape_breaches
from companion.rules.messages import Cards, Message, Value
from companion.rules.readings import (
    Way,
    ambiguous_card,
    ambiguous_end,
    as_on_table,
    can_lie,
    readings_of,
    ways,
    without_suits,
)
from companion.rules.ruling import (
    Breach,
    Breaches,
    Consequence,
    Ruling,
    legal_as,
    rules_of,
    strongest,
)
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, Swap, Table

# A refusal says what each reading breaks if there are at most this many readings.
_MOST_EXPLAINED = 3


class Judge(HandRules):
    """Judge plays by the rules of one hand. `Game.rules` makes it; it never changes."""

    def rule_on(self, table: Table, play: Play, player: Player) -> Ruling:
        """Judge one play, on the game's other sheets too. Raises `Malformed` if it cannot be."""
        self.check_cards(table, play)
        cards = [offered.card for offered in play.cards]
        if player.holds is not None and len(cards) > player.holds:
            raise Malformed(too_many(len(cards), player.holds), play.entry)
        ruling = self.judge(table, play, player)
        elsewhere = self.elsewhere(
            table, cards, player.holds, lambda rules: rules.judge(table, play, player).legal
        )
        return ruling._replace(elsewhere=elsewhere)

    @property
    def on_other_sheets(self) -> list[Judge]:
        """The rules of the hand on each of the game's other sheets that has its packs."""
        return [other for _, other in self.game.elsewhere(self.house, self.deal) if other]

    def elsewhere(
        self,
        table: Table,
        cards: Sequence[Card],
        holds: int | None,
        allows: Callable[[Judge], bool],
    ) -> Mapping[str, bool | None]:
        """Return by sheet what ``allows`` says of the judge of each of the game's other sheets.

        None for a sheet whose packs or limits make the cards, the hand or the table impossible.
        """
        allowed: dict[str, bool | None] = {}
        for sheet, rules in self.game.elsewhere(self.house, self.deal):
            allowed[sheet] = None
            if rules is None or not all(can_lie(meld, rules.limits) for meld in table.melds):
                continue
            with suppress(Malformed):
                if rules.deck != self.deck:
                    check_packs([*table.places, (noted("in the play"), cards)], *rules.deck)
                rules.check_fits(len(cards), holds, "cards")
                allowed[sheet] = allows(rules)
        return allowed

    def judge(self, table: Table, play: Play, player: Player) -> Ruling:
        """Judge one play by these rules alone. Raises `Malformed` as `rule_on` does."""
        self.check_cards(table, play)
        self.check_has(play.kind)
        if player.turn_over:
            return self.refusal([Breach(self.turn_rule, "turn_over")])
        match play:
            case MeldPlay():
                return self._judge_meld(table, play, player)
            case LayOff():
                return self._judge_lay_off(table, play, player)
            case Swap():
                return self._judge_swap(table, play, player)
            case Discard():
                return self._judge_discard(table, play, player)
            case _:  # TakePile
                return self._ruling(self.take_pile_breaches(player), Message("legal_take_pile"))

    def refusal(self, breaches: Breaches, readings: Sequence[Meld] = (), number: int = 0) -> Ruling:
        """Return the ruling for these breaches, with the strongest of their consequences."""
        consequence = strongest([self.consequence(breach) for breach in breaches])
        ruling = Ruling(tuple(breaches), tuple(readings), consequence, number=number)
        return ruling.with_values(self._shown)

    def _shown(self, value: Value) -> Value:
        """Return a value of a message as it is shown: a meld as `without_suits` gives it."""
        return without_suits(value, self.limits) if isinstance(value, Meld) else value

    def check_cards(self, table: Table, play: Play) -> None:
        """Raise `Malformed` if the packs do not have the cards, or one cannot stand for another."""
        played = [offered.card for offered in play.cards]
        places = [*table.places, (noted("in the cards played"), played)]
        check_packs(places, *self.deck, play.entry)
        self.limits.check_offered(play.cards, play.entry)

    def _judge_meld(self, table: Table, play: MeldPlay, player: Player) -> Ruling:
        def breaks(meld: Meld) -> Breaches:
            of_cards = self.meld_breaches(meld.cards, 0, table, player)
            of_meld = self.new_meld_breaches(meld, player)
            return [*self.limits.breaches(meld), *of_meld, *of_cards]

        new_melds = ways(play.cards, self.limits)
        if new_melds:
            return self._of_readings(new_melds, breaks)
        known, open_wilds = self.limits.known_and_open(play.cards)
        breaches = self.no_meld(play.cards)
        wanted = self.limits.min_naturals
        breaches += self.limits.too_few_naturals(known, wanted, len(open_wilds))
        return self.refusal([*breaches, *self.meld_breaches(known, len(open_wilds), table, player)])

    def no_meld(self, cards: Sequence[Offered]) -> list[Breach]:
        """Return why the cards of a play form no meld."""
        return shape_breaches(cards, self.limits)

    def _judge_lay_off(self, table: Table, play: LayOff, player: Player) -> Ruling:
        meld = table.meld(play.onto)

        def breaks(longer: Meld) -> Breaches:
            breaches = self.lay_off_breaches(longer.beyond(meld), table, player)
            return [*self.limits.breaches(longer), *self.longer_breaches(meld, longer), *breaches]

        longer_melds = ways(play.cards, self.limits, meld)
        if longer_melds:
            ruling = self._of_readings(longer_melds, breaks)
            one_way = ruling.legal and len(ruling.readings) == 1
            return ruling._replace(added=ruling.readings[0].beyond(meld)) if one_way else ruling
        known, _ = self.limits.known_and_open(play.cards)
        rule, kind = self.limits.rules.lay_off, self.limits.term(meld.kind)
        cards = Cards(play.cards)
        breach = Breach.of(rule, "cannot_be_added", cards=cards, kind=kind, meld=meld)
        return self.refusal([breach, *self.lay_off_breaches(known, table, player)])

    def _judge_swap(self, table: Table, play: Swap, player: Player) -> Ruling:
        meld = table.meld(play.onto)
        # The wild card that stands for the card swapped in, or None.
        card = play.card.card
        taken = next((laid for laid in meld.cards if laid.wild and laid.stands_for == card), None)
        breaches = self.swap_breaches(taken, meld, play, player)
        if breaches or taken is None:
            return self.refusal(breaches)
        melds = tuple(self.swapped(meld, taken, play))
        praise = "legal_swap_to_meld" if self.must_meld_swapped else "legal_swap"
        return Ruling(
            readings=melds,
            praise=Message.of(praise, card=card, taken=taken.card),
            took=taken.card,
        )

    def _judge_discard(self, table: Table, play: Discard, player: Player) -> Ruling:
        card, breaches = play.card, list(self.discard_breaches(play.card, table))
        if self.drawn_rule and card == player.drew:
            breaches.append(Breach.of(self.drawn_rule, "just_drawn", card=card))
        return self._ruling(breaches, Message.of("legal_discard", card=card))

    def _of_readings(self, melds: Sequence[Way], breaks: Callable[[Meld], Breaches]) -> Ruling:
        """Return the ruling on a play from its readings and a function of what each breaks."""
        readings = [(way, breaks(way.meld)) for way in melds]
        legal = [way for way, breaches in readings if not breaches]
        if legal:
            number, allowed = sum(way.number for way in legal), tuple(readings_of(legal))
            shown = [as_on_table(meld, self.limits) for meld in allowed]
            praise = legal_as(shown, self.limits.term(shown[0].kind), number)
            return Ruling(readings=allowed, number=number, praise=praise)
        _, best = min(readings, key=self._severity) if len(readings) > 1 else readings[0]
        broken = rules_of(best)
        alike = [way for way, breaches in readings if rules_of(breaches) == broken]
        refused = tuple(readings_of(alike))
        if 1 < len(refused) <= _MOST_EXPLAINED:
            best = list(dict.fromkeys(breach for meld in refused for breach in breaks(meld)))
        return self.refusal(best, refused, sum(way.number for way in alike))

    def _severity(self, reading: tuple[Way, Breaches]) -> tuple[int, Consequence]:
        """Return a sort key: how many rules a reading breaks, then what that costs."""
        _, breaches = reading
        return len(rules_of(breaches)), strongest([self.consequence(b) for b in breaches])

    def _ruling(self, breaches: Breaches, praise: Message) -> Ruling:
        return self.refusal(breaches) if breaches else Ruling(praise=praise)

    # -- playing ------------------------------------------------------------------------------

    def after(self, table: Table, play: Play, ruling: Ruling) -> Table:
        """Return the table after a legal play. Raises `Ambiguous` if it has several readings."""
        if len(ruling.readings) > 1:
            raise ambiguous_reading(play, ruling)
        match play:
            case MeldPlay():
                return table.with_meld(ruling.readings[0])
            case LayOff() | Swap():
                return table.with_meld(ruling.readings[0], play.onto)
            case Discard():
                return table.with_pile((*table.pile, play.card))
            case _:  # TakePile
                return table.with_pile()


def ambiguous_reading(play: Play, ruling: Ruling, where: str = "") -> Ambiguous:
    """Return the error for a legal play with several readings."""
    if isinstance(play, Swap):
        return ambiguous_end(ruling.readings, where or "joker_to")
    return ambiguous_card(play.cards, ruling.readings, where or "cards")
