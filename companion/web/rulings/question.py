"""The page on which a question is entered: the words of its kind, its fields, and its cards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from flask import url_for

from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.hand_rules import Need
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.rules.table import Discard
from companion.web.rulings.facts import FACTS, Choices, FactStated, facts_asked, top_of_pile
from companion.web.rulings.form import OF_DRAW, ONLINE_ASKS, RulingForm, of_player
from companion.web.rulings.plays import PlayPage, drawn, kept, parsed_plays
from companion.web.templating import marked

A_QUESTION_WAITS: Final = noted(
    "Nothing of this one is on record. "
    "A question waits on this phone, and is ruled on when it is saved."
)
BY_RULES: Final = noted(
    "By the rules of hand %(number)s. You see the ruling; it is not put on record, and nobody is "
    "charged."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: the words and the parts of its page.

    The words are translated where they are shown. ``title`` is on the tile that chooses the kind,
    with ``note`` under it. ``heading`` has the ``name`` of the player and the ``cards`` that it is
    about.

    ``grid`` is the field that the cards fill, ``legend`` names them, and ``hint`` stands above
    them. ``add`` is on the button after each play, ``remove`` on those that take one out again.
    With ``player_last`` the player is tapped last, and Enter rules.
    """

    title: str = ""
    note: str = ""
    heading: str = ""
    template: str = "question"
    grid: str = "cards"
    legend: str = ""
    hint: str = ""
    asks_contract: bool = False
    add: str = ""
    remove: str = ""
    player_last: bool = False


NO_KIND: Final = Kind()
# In the order in which they are offered.
KINDS: Final = {
    "contract": Kind(
        noted("First melds"),
        heading=noted("The first melds of <bdi>%(name)s</bdi>"),
        template="melds",
        legend=noted("The cards of one meld"),
        add=noted("Next meld"),
        remove=noted("Take meld %s out"),
        player_last=True,
    ),
    "discard": Kind(
        noted("Discard"),
        heading=noted("What did <bdi>%(name)s</bdi> discard?"),
        legend=noted("The card discarded"),
    ),
    "meld": Kind(
        noted("Meld"),
        heading=noted("What did <bdi>%(name)s</bdi> meld?"),
        template="meld",
        legend=noted("The cards of the meld"),
        asks_contract=True,
        player_last=True,
    ),
    "lay_off": Kind(
        noted("Lay-off"),
        heading=noted("What did <bdi>%(name)s</bdi> lay off?"),
        template="meld",
        legend=noted("The cards of the lay-off"),
        asks_contract=True,
        player_last=True,
    ),
    "swap": Kind(
        noted("Swap"),
        heading=noted("What did <bdi>%(name)s</bdi> swap?"),
        template="swap",
        asks_contract=True,
    ),
    CALL: Kind(
        noted("Call"),
        heading=noted("May this player call?"),
        grid="",
        hint=noted("A call is for the top of the pile, in another’s turn."),
        player_last=True,
    ),
    DRAW: Kind(
        noted("Draw from the pile"),
        heading=noted("Who drew %(cards)s?"),
        grid="",
        player_last=True,
    ),
    MAY_I: Kind(noted("May I?")),
    DECLARE: Kind(
        note=noted("all cards, declared at once"),
        heading=noted("What did <bdi>%(name)s</bdi> declare?"),
        template="melds",
        legend=noted("The cards that are declared"),
        hint=noted("Tap all %(number)s cards, or one group after the other."),
        add=noted("A group"),
        remove=noted("Take group %s apart"),
        player_last=True,
    ),
    "turn": Kind(
        noted("A whole turn"),
        noted("several plays, one after the other"),
        heading=noted("The turn of <bdi>%(name)s</bdi>"),
        template="turn",
        asks_contract=True,
        remove=noted("Take play %s out"),
    ),
}
# Where no meld lies there to lay cards off on, its cards are asked for first.
LAID_OFF_ON: Final = replace(
    KINDS["lay_off"],
    heading=noted("Which meld did <bdi>%(name)s</bdi> lay %(cards)s on?"),
    legend=noted("The cards of the meld"),
)
# The steps of a draw: the card, what lay above it, and the melds that it goes into, or who drew.
DRAW_STEPS: Final = {
    "drawn": replace(
        KINDS[DRAW],
        heading=noted("Which card is drawn from the pile?"),
        grid="drawn",
        legend=noted("The lowest card that is taken"),
    ),
    "above": replace(
        KINDS[DRAW],
        heading=noted("What lies above %(cards)s?"),
        grid="above",
        legend=noted("The cards above it"),
        hint=noted("They are all taken with it."),
    ),
    "cards": replace(
        KINDS[DRAW],
        heading=noted("Which meld does %(cards)s go into?"),
        template="melds",
        grid="cards",
        legend=noted("The other cards of the meld"),
        hint=noted("Melds of a draw are not added to the recorded table."),
        asks_contract=True,
        add=noted("Next meld"),
        remove=noted("Take meld %s out"),
    ),
    "player": KINDS[DRAW],
}


# -- the page --------------------------------------------------------------------------------------


class QuestionPage(PlayPage):
    """A question on the recorded table of the open hand, as a page shows it."""

    @property
    def kind(self) -> Kind:
        """What is asked, with its words; an empty one if that cannot be in dispute here."""
        ask = self.form.ask.data
        if ask not in self.form.asks(self.rules) or self.sheet.over:
            return NO_KIND
        if ask == DRAW:
            change = self.form.change.data
            return DRAW_STEPS[change if change in OF_DRAW else self.form.draw_step]
        return LAID_OFF_ON if ask == "lay_off" and not self.table.melds else KINDS[ask]

    @property
    def asks_for_meld(self) -> bool:
        """True if the cards are those of the meld that was played on, which is not on record."""
        return self.kind is LAID_OFF_ON

    @property
    def is_step(self) -> bool:
        """True if the page goes on to the next step of a draw: nothing is ruled on yet."""
        return self.kind.grid in OF_DRAW

    # -- the words --------------------------------------------------------------------------------

    @property
    def topic(self) -> str:
        """What is disputed, as its tile says; or what a player says who declares."""
        rules, title = self.rules, self.kind.title
        return _(title or (rules.declare_call if isinstance(rules, DeclaringJudge) else ""))

    @property
    def asks(self) -> str:
        """The heading."""
        laid_off, card = self.form.laid_off.data, self.form.drawn.data
        if self.asks_for_meld and not laid_off:
            return _("Which meld lies there?")
        cards = drawn("meld", laid_off) if self.asks_for_meld else ""
        if card:
            cards = drawn("card", card)
        return marked(self.kind.heading, name=self.name, cards=cards)

    @property
    def hint(self) -> str:
        """How to tap the cards; of a declaration, whether one of them is the discard."""
        rules, hint = self.rules, self.kind.hint
        if self.kind is not KINDS[DECLARE] or not isinstance(rules, DeclaringJudge):
            return _(hint) if hint else ""
        says = [_(hint, number=rules.declared)]
        if rules.must_discard:
            says.append(_("One of them is the discard."))
        elif rules.declare_discards:
            says.append(_("One of them may be the discard."))
        return " ".join(says)

    # -- who, and what one tap answers ------------------------------------------------------------

    @property
    def others(self) -> list[tuple[str, str]]:
        """The players whose play it could be instead; none while nobody is named."""
        if self.player is None:
            return []
        return [(seat, name) for seat, name in self.players if seat != str(self.player)]

    @property
    def choices(self) -> list[Choices]:
        """What is answered with one tap, above the cards."""
        form, players, error = self.form, self.players, self.wrong("player")
        if form.ask.data == CALL:
            turn = self.next_to_play if form.turn.data is None else str(form.turn.data)
            whose = Choices("turn", _("Whose turn is it?"), players, turn, self.wrong("turn"))
            return [whose, Choices("player", _("Who calls?"), players, error=error, kind="submit")]
        asked = []
        if not (self.others or self.kind.player_last or self.by_rules):
            asked = [Choices("player", _("Whose play?"), players, self.next_to_play, error)]
        if self.kind.asks_contract and isinstance(self.rules, ContractJudge):
            (fact,) = facts_asked(["contract_met"], self)
            met = self.player is not None and self.board.has_met_contract(self.player)
            value = "earlier" if met or len(fact.options) == 1 else ""
            asked.append(fact._replace(value=form.contract.data or value))
        if form.ask.data == "discard" and self.rules.drawn_stays:
            says = _("Just taken from the pile, and alone?")
            said = "" if form.drew.data is None else str(int(form.drew.data))
            asked.append(Choices("drew", says, FACTS["drew"].options, said))
        return asked

    # -- what it sends, and where else it leads ---------------------------------------------------

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the fields that it asks for."""
        if self.is_step:
            return self.hidden(self.kind.grid)
        return self.hidden("cards", "onto", "no_meld", *(one.name for one in self.choices))

    @property
    def start_url(self) -> str:
        """The address of the kinds of play, with nobody named."""
        values = self.form.values | of_player(None) | {"ask": ""}
        return RulingForm(data=values).address(self.loaded.record.id)

    @property
    def cancel(self) -> str:
        """The address at which to go on without a ruling, or with the one that there is."""
        game_id, number = self.loaded.record.id, self.form.instead_of.data
        if self.by_rules:
            return url_for("rules.of_game", game_id=game_id)
        if number:
            return url_for("rulings.show", game_id=game_id, number=number)
        return url_for("hand.show", game_id=game_id, hand=self.form.hand.data)

    # -- on a phone without a network -------------------------------------------------------------

    @property
    def attributes(self) -> dict[str, str]:
        """The form's attributes for a phone: to keep the question, and count in what waits.

        A phone collects the plays of a turn and of a declaration itself.
        """
        if self.by_rules:
            return super().attributes
        form, game_id, kind, address = self.form, self.loaded.record.id, self.kind, ""
        hand, ask = form.hand.data, form.ask.data
        called = _("Ruling: %(play)s", play=self.topic)
        if ask != CALL and self.player is not None:
            called = _("Ruling on %(name)s: %(play)s", name=self.name, play=self.topic)
        if self.player is None:
            address = url_for("rulings.form", game_id=game_id, hand=hand, ask=ask)
        attributes = kept(called, game_id, address, hand)
        if ask in ONLINE_ASKS or (ask == "discard" and not self.sheet.game.lays_on_table):
            return attributes
        attributes |= self.on_table | ({"data-plays": _(kind.remove)} if kind.remove else {})
        return attributes | ({"data-worded": ""} if ask == "turn" else {})

    # -- the cards, and what lies there -----------------------------------------------------------

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        form, taken = self.form, super().taken
        if self.asks_for_meld:
            taken |= dict.fromkeys(form.laid_off.data, _("laid off"))
        if form.drawn.data and self.kind.grid != "drawn":
            taken |= {form.drawn.data: _("in it") if self.in_it else _("drawn")}
        return taken

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table; those drawn with another."""
        return super().tagged | dict.fromkeys(self.form.above.data, _("taken"))

    @property
    def in_it(self) -> str:
        """The drawn card, where it is in the meld that is tapped, and in none before it."""
        card: str = self.form.drawn.data if self.kind.add else ""
        before = [one.card.text for step in self.table.steps for one in step.cards]
        return "" if card in before else card

    @property
    def top(self) -> FactStated | None:
        """The top of the pile that a discard is judged by, if it was said or is sure."""
        return top_of_pile(self) if self.form.ask.data == "discard" else None

    @property
    def needs(self) -> list[Need]:
        """What first melds need; what is wild is on the cards."""
        is_contract = self.form.ask.data == "contract"
        return [one for one in self.rules.needs() if is_contract and one.what != _("Wild")]

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return any(isinstance(play, Discard) for play in parsed_plays(self.form.play.data[-1:]))
