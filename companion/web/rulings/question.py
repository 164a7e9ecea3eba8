"""The pages on which a question is entered: their words, their fields, what lies on the table."""

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
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.rules.question import CALL, DECLARE, DRAW, UNKNOWN_PILE
from companion.rules.table import position_text
from companion.services.game_log import LoadedGame
from companion.services.rulings import STATED, next_to_play
from companion.web.rulings.facts import (
    CONTRACT_ASKS,
    Choices,
    FactStated,
    contract_asked,
    source_of,
    yes_or_no,
)
from companion.web.rulings.form import RulingForm, fields_of, form_address, of_player
from companion.web.rulings.kinds import Words, words_of
from companion.web.rulings.plays import OF_SEVERAL, ShownTable, parsed_plays, shown_table
from companion.web.templating import marked

THE_QUESTION_WAITS: Final = noted(
    "%(before)s is not saved yet, so of this one nothing is on record. "
    "The question waits on this phone, and is ruled on when it is saved."
)
A_QUESTION_WAITS: Final = noted(
    "%(before)s is not saved yet, so of this one nothing is on record. "
    "A question waits on this phone, and is ruled on when it is saved."
)


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A question on the recorded table of the open hand, as a page shows it.

    ``table`` is the table after the plays that are entered so far; ``melds`` and ``pile`` are what
    is recorded, as card text. ``step`` is the part of a draw that is asked for. ``player`` is None
    if nobody has said yet; ``players`` are choices of a form, ``others`` those whose play it could
    be instead; none while nobody is named.
    """

    loaded: LoadedGame
    form: RulingForm
    table: ShownTable
    melds: Sequence[str]
    pile: str
    step: str
    sheet: ScoreSheet
    rules: Judge
    player: int | None
    name: str
    players: Sequence[tuple[str, str]]
    others: Sequence[tuple[str, str]]
    next_to_play: str
    has_no_meld: bool

    # -- the form ---------------------------------------------------------------------------------

    @property
    def words(self) -> Words:
        """What the page says."""
        kind = self.form.ask.data
        if kind == DRAW:
            kind = f"{DRAW} {self.step}"
        elif self.asks_for_meld:
            kind = "lay_off on" if self.form.laid_off.data else "lay_off first"
        return words_of(kind, self.rules)

    @property
    def asks(self) -> Markup:
        """The heading."""
        over, drawn = self.form.laid_off.data, self.form.drawn.data
        cards = _drawn("meld", over) if self.asks_for_meld else drawn and _drawn("card", drawn)
        return marked(self.words.asks, name=self.name, cards=cards)

    @property
    def asks_for_meld(self) -> bool:
        """True if the meld of a lay-off is asked for first, because none lies there."""
        return self.form.ask.data == "lay_off" and self.has_no_meld

    @property
    def upcoming_says(self) -> str:
        """What a page of an upcoming hand says of its questions."""
        is_asked = self.form.ask.data in self.rules.disputes
        return THE_QUESTION_WAITS if is_asked else A_QUESTION_WAITS

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The fields that say which hand and which melds the page counts with."""
        lying = [("lying", "; ".join(self.melds))] if self.sheet.game.lays_on_table else []
        return [("hand", str(self.sheet.hand.number)), *lying]

    def fields(self, *without: str) -> list[tuple[str, str]]:
        """Return what a page sends beside the fields ``without``."""
        return [*self.hand_and_melds, *fields_of(self.form.data, "hand", "lying", *without)]

    @property
    def other_fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the fields that it asks for."""
        return self.fields(*self.words.own, *(["contract"] if self.contract else []))

    def fields_as_sent(self, *without: str) -> list[tuple[str, str]]:
        """Return what a page sends that asks back: all that was entered, as it was."""
        hand = ("hand", str(self.sheet.hand.number))
        return [hand, *fields_of(self.form.data, "hand", *without)]

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck = self.sheet.deck
        attributes = {"data-melds": "; ".join(self.melds), "data-pile": ""}
        attributes |= {"data-packs": str(deck.packs), "data-jokers": str(deck.jokers)}
        attributes |= {} if self.rules.swap_gives_wild else {"data-wilds-stay": ""}
        return attributes | ({"data-swaps": ""} if "swap" in self.rules.asks else {})

    @property
    def attributes(self) -> dict[str, str]:
        """The form's attributes for a phone: to keep the question, and count in what waits."""
        kind, hand, words = self.form.ask.data, self.form.hand.data, self.words
        if self.step in {"drawn", "above"}:
            return {"data-outbox": "no"}
        what, game_id, address = (
            _("Ruling on %(topic)s", topic=words.topic),
            self.loaded.record.id,
            "",
        )
        if self.player is None:
            address = url_for("rulings.form", game_id=game_id, hand=hand, ask=kind)
        elif kind != CALL:
            what = self._ruling_on(words.what)
        if isinstance(self.rules, DeclaringJudge) and kind == DECLARE:
            what = self._ruling_on(_(self.rules.declare_call))
        attributes = kept(what, game_id, address, hand)
        if kind in {CALL, DRAW} or (kind == "discard" and not self.sheet.game.lays_on_table):
            return attributes
        attributes |= self.on_table
        attributes |= {"data-plays": words.remove} if words.remove else {}
        return attributes | ({"data-worded": ""} if kind == "turn" else {})

    def kept_as(self, what: str) -> dict[str, str]:
        """Return the form's attributes where a ruling on ``what`` depends on the answer."""
        return kept(self._ruling_on(what), self.loaded.record.id, self.url)

    def _ruling_on(self, what: str) -> str:
        if self.player is None:
            return _("Ruling on a %(what)s", what=what)
        return _("Ruling on %(name)s’s %(what)s", name=self.name, what=what)

    @property
    def url(self) -> str:
        """The address of the form with all of it entered."""
        return form_address(self.loaded.record.id, self.form.data)

    @property
    def start_url(self) -> str:
        """The address of the kinds of play, with nobody named."""
        values = self.form.data | of_player(None) | {"ask": ""}
        return form_address(self.loaded.record.id, values)

    @property
    def waits(self) -> str:
        """What becomes of the question without a connection."""
        if self.form.ask.data in OF_SEVERAL:
            return _(
                "Without a connection the plays are put together on this phone. "
                "The question waits on this phone, and is ruled on when it is saved."
            )
        return _(
            "Without a connection the question waits on this phone, "
            "and is ruled on when it is saved."
        )

    def wrong(self, name: str) -> str:
        """Return what is wrong with a field."""
        return " ".join(self.form[name].errors)

    # -- the cards, and what lies there -----------------------------------------------------------

    def grid(self, name: str, **shown: Any) -> Markup:
        """Return the pack to tap for a field, with the cards that nobody can play any more."""
        table = {
            "wild_rank": "".join(rank.text for rank in self.rules.limits.wild_ranks),
            "wild_word": _(self.sheet.game.wild_called),
            "copies": self.sheet.deck.packs,
            "jokers": self.sheet.deck.jokers,
            "taken": self.table.taken,
        }
        drawn: Markup = self.form[name](**table | shown)
        return drawn

    @property
    def onto(self) -> int | None:
        """The meld that is chosen; the only one is."""
        return 0 if len(self.table.melds) == 1 else self.form.onto.data

    @property
    def contract(self) -> Choices | None:
        """What is asked about the player's contract; None where no ruling depends on it."""
        form, rules = self.form, self.rules
        is_asked = form.ask.data in CONTRACT_ASKS and self.step in {"", "cards"}
        if not is_asked or not isinstance(rules, ContractJudge):
            return None
        fact = contract_asked(form, self.sheet)
        met = self.player is not None and form.board(self.sheet).has_met_contract(self.player)
        value = "earlier" if met or len(fact.options) == 1 else ""
        return Choices(fact.name, fact.says, fact.options, form.contract.data or value)

    @property
    def drew(self) -> Choices | None:
        """Whether a discard was just taken from the pile, where that decides."""
        says = _("Just taken from the pile, and alone?")
        said = "" if self.form.drew.data is None else str(int(self.form.drew.data))
        return Choices("drew", says, yes_or_no(), said) if self.rules.drawn_stays else None

    @property
    def top(self) -> FactStated | None:
        """The top of the pile and where it is known from, if it was said or is sure."""
        top, board = self.form.top.data, self.form.board(self.sheet)
        if self.player is None or top == "none":
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
    def turn(self) -> str:
        """Whose turn a call seems to be made in, as a value of the form."""
        seat = self.form.turn.data
        return self.next_to_play if seat is None else str(seat)

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return bool(self.table.steps) and self.table.steps[-1].word == _("Discard")

    @property
    def needs(self) -> list[Need]:
        """What first melds need; nothing of melds that are declared or laid with a draw."""
        is_asked = self.form.ask.data == "contract"
        return [one for one in self.rules.needs() if is_asked and one.what != _("Wild")]

    @property
    def rule(self) -> str:
        """The rule that allows what is asked about, where it is named; otherwise empty."""
        return self.rules.rule_for(self.form.ask.data)

    @property
    def in_it(self) -> str:
        """The drawn card, where it is in the meld that is tapped, and in none before it."""
        drawn: str = self.form.drawn.data if self.step == "cards" else ""
        return "" if drawn in " ".join(step.cards for step in self.table.steps) else drawn

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, also for what is asked; and where they lie."""
        taken = self.table.taken | dict.fromkeys(self.form.laid_off.data, _("laid off"))
        is_there = self.step in {"above", "cards"}
        drawn = {self.form.drawn.data: _("in it") if self.in_it else _("drawn")}
        return taken | (drawn if is_there else {})

    @property
    def rules_on(self) -> str:
        """The card that a button rules on: the one that was tapped before, unless that is wrong."""
        wrong = any(field.errors for field in self.form)
        return "" if wrong or not self.form.cards.data else self.form.cards.data[0]

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table, or that it was taken."""
        above = self.form.above.data if self.step == "cards" else ()
        return self.table.tagged | dict.fromkeys(above, _("taken"))


def question_page(
    loaded: LoadedGame, form: RulingForm, errors: Iterable[tuple[str, str]] = (), step: str = ""
) -> QuestionPage:
    """Return what a page shows of a question, with what is wrong in its fields."""
    sheet, board = loaded.sheet, form.board(loaded.sheet)
    try:
        plays = parsed_plays(form.play.data)
    except Malformed:
        plays = ()
    melds, pile = position_text(board.table)
    table = shown_table((*melds, *form.seen.data), sheet.hand.rules, plays)
    for name, sentence in errors:
        form[name].errors = [sentence]
    player = form.player.data if form.player.data in sheet.players else None
    name = _("the player") if player is None else sheet.names[player]
    players = [(str(seat), sheet.names[seat]) for seat in sheet.playing]
    return QuestionPage(
        loaded,
        form,
        table,
        melds,
        pile,
        step,
        sheet,
        sheet.hand.rules,
        player,
        name,
        players=players,
        others=[one for one in players if player is not None and one[0] != str(player)],
        next_to_play=str(next_to_play(sheet)),
        has_no_meld=not table.melds,
    )


def _drawn(macro: str, cards: Sequence[str]) -> Markup:
    draw = get_template_attribute("_cards.html", macro)
    return Markup(draw(cards))  # noqa: S704 (from a macro)


def kept(what: str, game_id: str, address: str = "", upcoming: int | None = None) -> dict[str, str]:
    """Return the attributes by which static/js/outbox.js keeps a question and leads to its ruling.

    ``address`` is the page of its form, if that is another page; ``upcoming`` is the number of an
    upcoming hand.
    """
    then = url_for("hand.show", game_id=game_id, hand=upcoming)
    attributes = {
        "data-what": what,
        "data-shows": "",
        "data-then": then,
    }
    attributes |= {"data-page": address} if address else {}
    return attributes | ({"data-ahead": ""} if upcoming else {})
