"""The page on which a question is entered: its words, its fields, and the cards to tap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import get_template_attribute, url_for
from markupsafe import Markup

from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import format_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.hand_rules import Need
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, UNKNOWN_PILE
from companion.rules.table import position_text
from companion.services.game_log import LoadedGame
from companion.services.rulings import STATED, next_to_play
from companion.web.rulings.facts import FACTS, Choices, FactStated, contract_asked, source_of
from companion.web.rulings.form import ONLINE_ASKS, RulingForm, fields_of, form_address, of_player
from companion.web.rulings.kinds import DRAW_STEPS, KINDS, LAID_OFF_ON, NO_KIND, Kind
from companion.web.rulings.plays import ShownTable, parsed_plays, shown_table
from companion.web.templating import marked

THE_QUESTION_WAITS: Final = noted(
    "%(before)s is not saved yet, so nothing of this one is on record. "
    "The question waits on this phone, and is ruled on when it is saved."
)
A_QUESTION_WAITS: Final = noted(
    "%(before)s is not saved yet, so nothing of this one is on record. "
    "A question waits on this phone, and is ruled on when it is saved."
)


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A question on the recorded table of the open hand, as a page shows it.

    ``table`` is the table after the plays that are entered so far; ``melds`` and ``pile`` are what
    is recorded, as card text. ``player`` is None if nobody has said yet.
    """

    loaded: LoadedGame
    form: RulingForm
    kind: Kind
    table: ShownTable
    melds: Sequence[str]
    pile: str
    player: int | None
    name: str

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet, with the hand of the question open."""
        return self.loaded.sheet

    @property
    def rules(self) -> Judge:
        """The rules of the hand."""
        return self.sheet.hand.rules

    # -- the words --------------------------------------------------------------------------------

    @property
    def topic(self) -> str:
        """What is disputed, with an article; or what a player says who declares."""
        return f"“{self.call}”" if self.call else _(self.kind.a_play)

    @property
    def call(self) -> str:
        """What a player says who declares; empty if something else is disputed."""
        if self.form.ask.data != DECLARE or not isinstance(self.rules, DeclaringJudge):
            return ""
        return _(self.rules.declare_call)

    @property
    def asks(self) -> str:
        """The heading."""
        laid_off, card = self.form.laid_off.data, self.form.drawn.data
        if self.kind.asks_for_meld and not laid_off:
            return _("Which meld lies there?")
        cards = drawn("meld", laid_off) if self.kind.asks_for_meld else ""
        if card:
            cards = drawn("card", card)
        return marked(self.kind.heading, name=self.name, cards=cards)

    @property
    def hint(self) -> str:
        """How to tap the cards; of a declaration, whether one of them is the discard."""
        rules, hint = self.rules, self.kind.hint
        if not self.call or not isinstance(rules, DeclaringJudge):
            return _(hint) if hint else ""
        if rules.must_discard:
            hint = noted(
                "Tap all %(number)s cards, or one group after the other. "
                "One of them is the discard."
            )
        elif rules.declare_discards:
            hint = noted(
                "Tap all %(number)s cards, or one group after the other. "
                "One of them may be the discard."
            )
        return _(hint, number=rules.declared)

    def wrong(self, name: str) -> str:
        """Return what is wrong with a field."""
        return " ".join(self.form[name].errors)

    # -- who, and what one tap answers ------------------------------------------------------------

    @property
    def players(self) -> list[tuple[str, str]]:
        """The players, as choices of a form."""
        return [(str(seat), self.sheet.names[seat]) for seat in self.sheet.playing]

    @property
    def others(self) -> list[tuple[str, str]]:
        """The players whose play it could be instead; none while nobody is named."""
        if self.player is None:
            return []
        return [(seat, name) for seat, name in self.players if seat != str(self.player)]

    @property
    def next_to_play(self) -> str:
        """The player to play next by the record, as a choice of a form."""
        return str(next_to_play(self.sheet))

    @property
    def choices(self) -> list[Choices]:
        """What is answered with one tap, above the cards."""
        form, players, error = self.form, self.players, self.wrong("player")
        if form.ask.data == CALL:
            turn = self.next_to_play if form.turn.data is None else str(form.turn.data)
            whose = Choices("turn", _("Whose turn is it?"), players, turn, self.wrong("turn"))
            return [whose, Choices("player", _("Who calls?"), players, error=error, kind="submit")]
        asked = []
        if not (self.others or self.kind.player_last):
            asked = [Choices("player", _("Whose play?"), players, self.next_to_play, error)]
        if self.kind.asks_contract and isinstance(self.rules, ContractJudge):
            fact = contract_asked(form, self.sheet)
            met = self.player is not None and form.board(self.sheet).has_met_contract(self.player)
            value = "earlier" if met or len(fact.options) == 1 else ""
            asked.append(fact._replace(value=form.contract.data or value))
        if form.ask.data == "discard" and self.rules.drawn_stays:
            says = _("Just taken from the pile, and alone?")
            said = "" if form.drew.data is None else str(int(form.drew.data))
            asked.append(Choices("drew", says, FACTS["drew"].options, said))
        return asked

    # -- what it sends ----------------------------------------------------------------------------

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The fields that say which hand and which melds the page counts with."""
        lying = self.melds if self.sheet.game.lays_on_table else None
        return fields_of({"hand": self.sheet.hand.number, "lying": lying})

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What a page sends that asks the same of another player."""
        return [*self.hand_and_melds, *fields_of(self.form.data, "hand", "lying")]

    @property
    def other_fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the fields that it asks for."""
        grid, own = self.kind.grid, ["cards", "onto", "no_meld"]
        if grid in {"drawn", "above"}:
            own = [grid]
        own += [one.name for one in self.choices]
        step = [("next", "drawn")] if grid == "drawn" else []
        return [*(pair for pair in self.fields if pair[0] not in own), *step]

    def fields_as_sent(self, *without: str) -> list[tuple[str, str]]:
        """Return what a page sends that asks back: all that was entered, as it was."""
        return fields_of(self.form.data | {"hand": self.sheet.hand.number}, *without)

    @property
    def url(self) -> str:
        """The address of the form with all of it entered."""
        return form_address(self.loaded.record.id, self.form.data)

    @property
    def start_url(self) -> str:
        """The address of the kinds of play, with nobody named."""
        values = self.form.data | of_player(None) | {"ask": ""}
        return form_address(self.loaded.record.id, values)

    # -- on a phone without a network -------------------------------------------------------------

    @property
    def attributes(self) -> dict[str, str]:
        """The form's attributes for a phone: to keep the question, and count in what waits."""
        form, game_id, address = self.form, self.loaded.record.id, ""
        hand, ask = form.hand.data, form.ask.data
        if self.kind.grid in {"drawn", "above"}:  # nothing is asked yet that could be kept
            return {"data-outbox": "no"}
        called = self.ruling_on(self.call or _(self.kind.what))
        if self.player is None:
            address = url_for("rulings.form", game_id=game_id, hand=hand, ask=ask)
        if ask == CALL or (self.player is None and not self.call):
            called = _("Ruling on %(topic)s", topic=self.topic)
        counts_in = ask not in ONLINE_ASKS and (ask != "discard" or self.sheet.game.lays_on_table)
        return kept(called, game_id, address, hand) | (self.on_table if counts_in else {})

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck, attributes = self.sheet.deck, {"data-melds": "; ".join(self.melds), "data-pile": ""}
        attributes |= {"data-packs": str(deck.packs), "data-jokers": str(deck.jokers)}
        attributes |= {} if self.rules.swap_gives_wild else {"data-wilds-stay": ""}
        attributes |= {"data-plays": _(self.kind.remove)} if self.kind.remove else {}
        attributes |= {"data-swaps": ""} if "swap" in self.rules.asks else {}
        return attributes | ({"data-worded": ""} if self.form.ask.data == "turn" else {})

    def kept_as(self, what: str) -> dict[str, str]:
        """Return the form's attributes where a ruling on ``what`` depends on the answer."""
        return kept(self.ruling_on(what), self.loaded.record.id, self.url)

    def ruling_on(self, what: str) -> str:
        """Return what a phone calls a question about ``what`` the player did."""
        if self.player is None:
            return _("Ruling on a %(what)s", what=what)
        return _("Ruling on %(name)s’s %(what)s", name=self.name, what=what)

    # -- the cards, and what lies there -----------------------------------------------------------

    def grid(self, name: str, **shown: Any) -> Markup:
        """Return the pack to tap for a field, with the cards that nobody can play any more."""
        table = {
            "wild_rank": "".join(rank.text for rank in self.rules.limits.wild_ranks),
            "wild_word": _(self.sheet.game.wild_called),
            "copies": self.sheet.deck.packs,
            "jokers": self.sheet.deck.jokers,
            "taken": self.taken,
        }
        cells: Markup = self.form[name](**table | shown)
        return cells

    @property
    def cells(self) -> Markup:
        """The pack of a page that asks for nothing but cards; empty where it asks for none."""
        kind, shown = self.kind, {"kind": "submit"} if self.kind.at_once else {}
        if not kind.grid:
            return Markup()
        return self.grid(kind.grid, legend=_(kind.legend), quiet=kind.grid != "drawn", **shown)

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        form, taken = self.form, self.table.taken
        if self.kind.asks_for_meld:
            taken |= dict.fromkeys(form.laid_off.data, _("laid off"))
        if form.drawn.data and self.kind.grid != "drawn":
            taken |= {form.drawn.data: _("in it") if self.in_it else _("drawn")}
        return taken

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table; those drawn with another."""
        return self.table.tagged | dict.fromkeys(self.form.above.data, _("taken"))

    @property
    def in_it(self) -> str:
        """The drawn card, where it is in the meld that is tapped, and in none before it."""
        card: str = self.form.drawn.data if self.kind.add else ""
        before = [one.card.text for step in self.table.steps for one in step.cards]
        return "" if card in before else card

    @property
    def onto(self) -> int | None:
        """The meld that is chosen; the only one is."""
        return 0 if len(self.table.melds) == 1 else self.form.onto.data

    @property
    def top(self) -> FactStated | None:
        """The top of the pile that a discard is judged by, if it was said or is sure."""
        top, board = self.form.top.data, self.form.board(self.sheet)
        if self.form.ask.data != "discard" or self.player is None or top == "none":
            return None
        if top:
            return FactStated(_("Top of the pile:"), source_of(self.loaded, STATED), cards=top)
        pile = board.pile_for(self.player)
        if pile == UNKNOWN_PILE:
            return None
        says = _("Top of the pile:") if pile.cards else _("The pile was taken")
        source = source_of(self.loaded, board.known_by, pile)
        return FactStated(says, source, cards=format_cards(pile.cards[-1:]))

    @property
    def needs(self) -> list[Need]:
        """What first melds need; what is wild is on the cards."""
        is_contract = self.form.ask.data == "contract"
        return [one for one in self.rules.needs() if is_contract and one.what != _("Wild")]

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        steps = self.table.steps
        return bool(steps) and steps[-1].word == _("Discard")


def question_page(
    loaded: LoadedGame, form: RulingForm, errors: Iterable[tuple[str, str]] = (), step: str = ""
) -> QuestionPage:
    """Return what a page shows of a question, with what is wrong in its fields.

    ``step`` is the part of a draw that is asked for.
    """
    sheet, ask, player = loaded.sheet, form.ask.data, form.player.data
    rules = sheet.hand.rules
    try:
        plays = parsed_plays(form.play.data)
    except Malformed:
        plays = ()
    melds, pile = position_text(form.board(sheet).table)
    table = shown_table((*melds, *form.seen.data), rules, plays)
    for name, sentence in errors:
        form[name].errors = [sentence]
    kind = KINDS[ask] if ask in rules.disputes else NO_KIND
    if ask == "lay_off" and not table.melds:
        kind = LAID_OFF_ON
    player = player if player in sheet.players else None
    name = _("the player") if player is None else sheet.names[player]
    kind = DRAW_STEPS.get(step, kind)
    return QuestionPage(loaded, form, kind, table, melds, pile, player, name)


def drawn(macro: str, cards: Sequence[str] | str) -> Markup:
    """Return cards as a macro of templates/_cards.html draws them."""
    return Markup(get_template_attribute("_cards.html", macro)(cards))  # noqa: S704 (from a macro)


def kept(what: str, game_id: str, address: str = "", upcoming: int | None = None) -> dict[str, str]:
    """Return the attributes by which static/js/outbox.js keeps a question and leads to its ruling.

    ``address`` is the page of its form, if that is another page; ``upcoming`` is the number of an
    upcoming hand.
    """
    then = url_for("hand.show", game_id=game_id, hand=upcoming)
    attributes = {"data-what": what, "data-shows": "", "data-then": then}
    attributes |= {"data-page": address} if address else {}
    return attributes | ({"data-ahead": ""} if upcoming else {})
