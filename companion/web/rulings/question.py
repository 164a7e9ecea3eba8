"""The page on which a question is entered: its fields, the cards, and what lies on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from flask import get_template_attribute, url_for
from markupsafe import Markup

from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.judge import Judge
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.services.game_log import LoadedGame
from companion.web.rulings.facts import Choices, contract_asked
from companion.web.rulings.form import RulingForm, fields_of, form_address, of_player
from companion.web.rulings.plays import OF_SEVERAL, ShownTable
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
    is recorded, as card text. ``player`` is None if nobody has said yet; ``players`` are choices of
    a form, ``others`` those whose play it could be instead; none while nobody is named.

    Each kind of question has a page of its own (`companion.web.rulings.pages`), whose words are
    translated where they are shown. ``what`` is disputed; with an article it is ``a_play``.
    ``heading`` has the ``name`` of the player and the ``cards`` that it is about. ``rule`` is on
    the button that rules. ``played_on`` says what was done to the meld that is chosen. ``legend``
    names the cards to tap, ``add`` is on the button after each play, and ``remove`` on those that
    take one out again. ``note`` stands before the rule that the page names. ``own`` are the fields
    that the page asks for itself. With ``player_last`` the player is tapped last, and Enter rules,
    or sends ``pressed``.
    """

    loaded: LoadedGame
    form: RulingForm
    sheet: ScoreSheet
    rules: Judge
    table: ShownTable
    melds: Sequence[str]
    pile: str
    player: int | None
    name: str
    players: Sequence[tuple[str, str]]
    others: Sequence[tuple[str, str]]
    next_to_play: str

    template: ClassVar = "kinds"
    what: ClassVar = ""
    a_play: ClassVar = ""
    heading: ClassVar = ""
    rule: ClassVar = noted("Rule on it")
    played_on: ClassVar = ""
    legend: ClassVar = ""
    add: ClassVar = ""
    remove: ClassVar = ""
    note: ClassVar = ""
    own: ClassVar[Sequence[str]] = ("cards", "onto")
    player_last: ClassVar = False
    pressed: ClassVar[Mapping[str, str]] = {}
    asks_contract: ClassVar = False
    asks_for_meld: ClassVar = False

    # -- the words --------------------------------------------------------------------------------

    @property
    def topic(self) -> str:
        """What is disputed, with an article."""
        return _(self.a_play)

    @property
    def asks(self) -> str:
        """The heading."""
        return marked(self.heading, name=self.name)

    @property
    def upcoming_says(self) -> str:
        """What a page of an upcoming hand says of its questions."""
        return THE_QUESTION_WAITS if self.what else A_QUESTION_WAITS

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

    @property
    def allowed_by(self) -> str:
        """The rule that allows what is asked about, where it is named; otherwise empty."""
        return self.rules.rule_for(self.form.ask.data)

    def wrong(self, name: str) -> str:
        """Return what is wrong with a field."""
        return " ".join(self.form[name].errors)

    # -- what it sends ----------------------------------------------------------------------------

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The fields that say which hand and which melds the page counts with."""
        lying = self.melds if self.sheet.game.lays_on_table else None
        return fields_of({"hand": self.sheet.hand.number, "lying": lying})

    def fields(self, *without: str) -> list[tuple[str, str]]:
        """Return what a page sends beside the fields ``without``."""
        return [*self.hand_and_melds, *fields_of(self.form.data, "hand", "lying", *without)]

    @property
    def other_fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the fields that it asks for."""
        return self.fields(*self.own, *(["contract"] if self.contract else []))

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
        game_id, hand, address = self.loaded.record.id, self.form.hand.data, ""
        if self.player is None:
            address = url_for("rulings.form", game_id=game_id, hand=hand, ask=self.form.ask.data)
        return kept(self.kept_called, game_id, address, hand) | self.on_table

    @property
    def kept_called(self) -> str:
        """What a phone calls the question that it keeps."""
        if self.player is None:
            return _("Ruling on %(topic)s", topic=self.topic)
        return self.ruling_on(_(self.what))

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck = self.sheet.deck
        attributes = {"data-melds": "; ".join(self.melds), "data-pile": ""}
        attributes |= {"data-packs": str(deck.packs), "data-jokers": str(deck.jokers)}
        attributes |= {} if self.rules.swap_gives_wild else {"data-wilds-stay": ""}
        attributes |= {"data-plays": _(self.remove)} if self.remove else {}
        return attributes | ({"data-swaps": ""} if "swap" in self.rules.asks else {})

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
        drawn: Markup = self.form[name](**table | shown)
        return drawn

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        return self.table.taken

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table."""
        return self.table.tagged

    @property
    def tapped(self) -> str:
        """The first card that was tapped before; empty if none was."""
        return self.form.cards.data[0] if self.form.cards.data else ""

    @property
    def has_no_meld(self) -> bool:
        """True if no meld lies there."""
        return not self.table.melds

    @property
    def onto(self) -> int | None:
        """The meld that is chosen; the only one is."""
        return 0 if len(self.table.melds) == 1 else self.form.onto.data

    @property
    def contract(self) -> Choices | None:
        """What is asked about the player's contract; None where no ruling depends on it."""
        form = self.form
        if not self.asks_contract or not isinstance(self.rules, ContractJudge):
            return None
        fact = contract_asked(form, self.sheet)
        met = self.player is not None and form.board(self.sheet).has_met_contract(self.player)
        value = "earlier" if met or len(fact.options) == 1 else ""
        return fact._replace(value=form.contract.data or value)


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
