"""What the pages of a question show of it: whose play, the melds that lie there, the cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import url_for
from markupsafe import Markup

from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import format_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.hand_rules import Need
from companion.rules.judge import Judge
from companion.rules.question import CALL, DECLARE, UNKNOWN_PILE
from companion.rules.table import position_text
from companion.services.game_log import LoadedGame
from companion.services.rulings import SAID, next_to_play
from companion.web.rulings.facts import (
    CONTRACT_ASKS,
    YES_NO,
    Choices,
    FactStated,
    contract_asked,
    source_of,
)
from companion.web.rulings.form import OF_SEVERAL, RulingForm
from companion.web.rulings.plays import Course, course, parsed_plays

BEGUN_SAYS: Final = (
    "so of this one nothing is on record. {} question waits on this phone, and is ruled on when it "
    "is saved"
)


class Several(NamedTuple):
    """What the page of melds says that are ruled on together, one after the other.

    ``asks`` and ``asks_on`` stand around the player's name, ``next`` is on the button after each
    meld, and ``remove`` names the one that takes it out again. ``ruled`` is ruled on.
    """

    topic: str
    asks: str
    asks_on: str
    legend: str
    next: str
    remove: str
    ruled: str
    rule: str
    hint: str = ""
    needs: Sequence[Need] = ()


_FIRST_MELDS: Final = Several(
    topic="first melds",
    asks="The first melds of",
    asks_on="",
    legend="The cards of one meld",
    next="Next meld",
    remove="Take meld %s out",
    ruled="first melds",
    rule="Rule on them",
)
_DECLARED: Final = Several(
    topic="",
    asks="What did",
    asks_on=" declare?",
    legend="The cards that are declared",
    next="A group",
    remove="Take group %s apart",
    ruled="cards",
    rule="Rule on it",
)


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A question on the recorded table of the open hand, as a page shows it.

    ``melds`` and ``pile`` are what is recorded, as card text; ``laid`` is what the plays that are
    entered so far make of it. ``at`` is the step of a draw that is shown.
    """

    loaded: LoadedGame
    form: RulingForm
    laid: Course
    melds: Sequence[str]
    pile: str
    at: str = ""

    @property
    def sheet(self) -> ScoreSheet:
        """The sheet, with the hand open that it is asked in."""
        return self.loaded.sheet

    @property
    def rules(self) -> Judge:
        """The rules of that hand."""
        return self.sheet.hand.rules

    # -- whose play -------------------------------------------------------------------------------

    @property
    def player(self) -> int | None:
        """Whose play it is; None if nobody has said yet."""
        seat = self.form.player.data
        return seat if seat in self.sheet.players else None

    @property
    def name(self) -> str:
        """The name of that player."""
        return "the player" if self.player is None else self.sheet.names[self.player]

    @property
    def is_call(self) -> bool:
        """True if it is about a call for a card, and not a play."""
        return self.form.ask.data == CALL

    @property
    def whose(self) -> str:
        """The same before a noun: ``Ben’s``."""
        return "a" if self.player is None else f"{self.name}’s"

    @property
    def players(self) -> list[tuple[str, str]]:
        """Everybody who plays, as choices of a form."""
        return [(str(seat), self.sheet.names[seat]) for seat in self.sheet.playing]

    @property
    def others(self) -> list[tuple[str, str]]:
        """The players whose play it could be instead; none while nobody is named."""
        seat = str(self.player)
        return [] if self.player is None else [one for one in self.players if one[0] != seat]

    @property
    def next_to_play(self) -> str:
        """Who seems to play next, as a value of the form."""
        return str(next_to_play(self.sheet))

    @property
    def player_or_next(self) -> str:
        """Whose play it seems to be, as a value of the form."""
        return self.next_to_play if self.player is None else str(self.player)

    @property
    def turn(self) -> str:
        """Whose turn a call seems to be made in, as a value of the form."""
        seat = self.form.turn.data
        return self.next_to_play if seat is None else str(seat)

    # -- the form ---------------------------------------------------------------------------------

    @property
    def there(self) -> list[tuple[str, str]]:
        """The hand that a page is of, and the melds that it counts with."""
        lying = [("lying", "; ".join(self.melds))] if self.sheet.game.lays_on_table else []
        return [("hand", str(self.sheet.hand.number)), *lying]

    def hidden(self, *without: str) -> list[tuple[str, str]]:
        """What a page sends beside its own fields."""
        return [*self.there, *self.form.sent("hand", "lying", *without)]

    def again(self, *without: str) -> list[tuple[str, str]]:
        """What a page sends that asks back: all that was entered, as it was."""
        return [("hand", str(self.sheet.hand.number)), *self.form.sent("hand", *without)]

    def kept(self, what: str = "") -> dict[str, str]:
        """The form's attributes by which a phone keeps it; ``what`` is asked back."""
        again = self.url if what else "" if self.player is not None else self._form_url
        hand = None if what else self.form.hand.data
        return kept(what or self._what, self.loaded.record.id, again, hand)

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck = self.sheet.deck
        said = {"data-melds": "; ".join(self.melds), "data-pile": ""}
        said |= {"data-packs": str(deck.packs), "data-jokers": str(deck.jokers)}
        said |= {} if self.rules.swap_gives_wild else {"data-wilds-stay": ""}
        return said | ({"data-swaps": ""} if "swap" in self.rules.asks else {})

    def attributes(self, **more: str) -> dict[str, str]:
        """The form's attributes where what waits on a phone is counted in and the form is kept."""
        return self.kept() | self.on_table | more

    @property
    def url(self) -> str:
        """The address of the form with all of it entered."""
        return self.form.url(self.loaded.record.id)

    @property
    def start_url(self) -> str:
        """The address of the kinds of play, with nobody named."""
        return self.form.of(None).but(ask="").url(self.loaded.record.id)

    @property
    def _form_url(self) -> str:
        hand, ask = self.form.hand.data, self.form.ask.data
        return url_for("rulings.form", game_id=self.loaded.record.id, hand=hand, ask=ask)

    @property
    def _what(self) -> str:
        """What it is about, for the list of what waits on the phone: ``Ben’s discard``."""
        kind, rules = self.form.ask.data, self.rules
        if kind == CALL:
            return "a call"
        if kind == "contract" and self.player is None:
            return "first melds"
        called = {"contract": "first melds", "lay_off": "lay-off"}
        if isinstance(rules, DeclaringJudge):
            called[DECLARE] = rules.declare_call
        return f"{self.whose} {called.get(kind, kind)}"

    @property
    def waits(self) -> str:
        """How the sentence begins that says what becomes of it without a connection."""
        several = "the plays are put together on this phone. The"
        return f"Without a connection {several if self.form.ask.data in OF_SEVERAL else 'the'}"

    def wrong(self, name: str) -> str:
        """What is wrong with a field."""
        return " ".join(self.form[name].errors)

    # -- the cards, and what lies there --------------------------------------------------------

    def grid(self, name: str, **shown: Any) -> Markup:
        """The pack to tap for a field, with the cards that nobody can play any more."""
        table = {
            "wild_rank": "".join(rank.text for rank in self.rules.limits.wild_ranks),
            "wild_word": self.sheet.game.wild_called,
            "copies": self.sheet.deck.packs,
            "jokers": self.sheet.deck.jokers,
            "taken": self.laid.lies,
        }
        drawn: Markup = self.form[name](**table | shown)
        return drawn

    @property
    def is_bare(self) -> bool:
        """True if no meld lies there."""
        return not self.laid.melds

    @property
    def onto(self) -> int | None:
        """The meld that is chosen; the only one is."""
        return 0 if len(self.laid.melds) == 1 else self.form.onto.data

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return bool(self.laid.steps) and self.laid.steps[-1].word == "Discard"

    @property
    def top(self) -> FactStated | None:
        """The top of the pile and where it is known from, if it was said or is sure."""
        top, board = self.form.top.data, self.form.board(self.sheet)
        if self.player is None or top == "none":
            return None
        if top:
            return FactStated("Top of the pile:", source_of(self.loaded, SAID), cards=top)
        pile = board.pile_for(self.player)
        if pile == UNKNOWN_PILE:
            return None
        says = "Top of the pile:" if pile.cards else "The pile was taken"
        source = source_of(self.loaded, board.known_by)
        return FactStated(says, source, cards=format_cards(pile.cards[-1:]))

    # -- what else is asked --------------------------------------------------------------------

    @property
    def drew(self) -> Choices | None:
        """Whether the card was just taken from the pile, where that decides."""
        says = "Just taken from the pile, and alone?"
        return Choices("drew", says, YES_NO) if self.rules.drawn_stays else None

    @property
    def contract(self) -> Choices | None:
        """What is asked about the player's contract; None where no ruling depends on it."""
        form, rules = self.form, self.rules
        has_step = self.at not in {"", "cards"} or form.above.data == ("none",)
        if form.ask.data not in CONTRACT_ASKS or has_step or not isinstance(rules, ContractJudge):
            return None
        fact = contract_asked(form, self.sheet)
        met = self.player is not None and form.board(self.sheet).has_met_contract(self.player)
        value = "earlier" if met or len(fact.options) == 1 else ""
        return Choices(fact.name, fact.says, fact.options, form.contract.data or value)

    @property
    def several(self) -> Several:
        """The words for melds that are ruled on together: first melds, or declared cards."""
        rules = self.rules
        if not isinstance(rules, DeclaringJudge):
            return _FIRST_MELDS._replace(needs=[one for one in rules.needs() if one.what != "Wild"])
        hint = f"Tap all {rules.declared} cards, or one group after the other."
        if rules.declare_discards:
            hint += f" One of them {'is' if rules.must_discard else 'may be'} the discard."
        return _DECLARED._replace(topic=f"“{rules.declare_call}”", hint=hint)

    @property
    def drawn_in(self) -> str:
        """How the drawn card is in the meld that is tapped: in one before it, or in this one."""
        is_melded = self.form.drawn.data in " ".join(step.cards for step in self.laid.steps)
        return "drawn" if is_melded else "in it"


def question_page(
    loaded: LoadedGame, form: RulingForm, errors: Iterable[tuple[str, str]] = (), at: str = ""
) -> QuestionPage:
    """What a page shows of a question, and what is wrong with its fields."""
    sheet, board = loaded.sheet, form.board(loaded.sheet)
    try:
        plays = parsed_plays(form.plays.data)
    except Malformed:
        plays = ()
    melds, pile = position_text(board.table)
    # Cards of the pile can be tapped: the player may have taken it in this turn.
    laid = course((*melds, *form.seen.data), "", sheet.hand.rules, plays)
    form = form.but()  # the errors are those of this page
    for name, sentence in errors:
        form[name].errors = [sentence]
    return QuestionPage(loaded, form, laid, melds, pile, at)


def kept(what: str, game_id: str, again: str = "", ahead_of: int | None = None) -> dict[str, str]:
    """The form's attributes by which static/js/outbox.js keeps a question, and leads to its ruling.

    ``again`` is where it is asked anew, if that is not the page's own address; ``ahead_of`` is the
    hand, if it has not begun.
    """
    then = url_for("hand.show", game_id=game_id, hand=ahead_of)
    said = {"data-what": f"Ruling on {what}", "data-shows": "", "data-then": then}
    said |= {"data-page": again} if again else {}
    return said | ({"data-ahead": ""} if ahead_of else {})


def begun_says(form: RulingForm, rules: Judge) -> str:
    """What a page says of a hand that has not begun, after the hand."""
    return BEGUN_SAYS.format("The" if form.ask.data in rules.disputes else "A")
