"""The pages of a question: what is entered, and the facts that its ruling depends on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from companion.notebook.board import Board
from companion.notebook.describe import ShownTable, Step, question_steps, say
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import RANKS, Rank, parse_card, show_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I, Question
from companion.rules.table import Discard, Play, position_text
from companion.services.game_log import LoadedGame
from companion.services.rulings import TURNED, calls_on_record, next_to_play
from companion.web.actions import Refused
from companion.web.rulings.form import OF_DRAW, ONLINE_ASKS, RulingForm, field_of, parsed_plays
from companion.web.templating import marked

# What can be in dispute, in the order in which it is offered. A declaration is called as in the
# game, and "May I?" has a page of its own.
KINDS: Final = {
    "contract": noted("First melds"),
    "discard": noted("Discard"),
    "meld": noted("Meld"),
    "lay_off": noted("Lay-off"),
    "swap": noted("Swap"),
    CALL: noted("Call"),
    DRAW: noted("Draw from the pile"),
    MAY_I: noted("May I?"),
    DECLARE: "",
    "turn": noted("A whole turn"),
}
_TEMPLATES: Final = {
    "meld": "meld",
    "lay_off": "meld",
    "swap": "swap",
    "turn": "turn",
    "contract": "melds",
    DECLARE: "melds",
}
_ASK_CONTRACT: Final = ("meld", "lay_off", "swap", "turn")
# As they are shown: the ranks of a pack, and the printed joker last.
TURNED_RANKS: Final = (*RANKS, Rank.JOKER)


class Fact(NamedTuple):
    """A fact of a player: the words that ask for it, and its answers.

    Each answer is the value of the form's field, with its label and the words that state it.
    """

    asks: str
    answers: Mapping[str, tuple[str, str]]

    @property
    def options(self) -> list[tuple[str, str]]:
        """The answers with their labels."""
        return [(value, _(label)) for value, (label, _says) in self.answers.items()]


def _yes_or_no(asks: str, yes: str, no: str) -> Fact:
    return Fact(asks, {"1": (noted("Yes"), yes), "0": (noted("No"), no)})


_MELDED: Final = _yes_or_no(
    noted("Had %(name)s already melded in this hand?"),
    noted("%(name)s had already melded in this hand"),
    noted("%(name)s had not melded yet in this hand"),
)
# By the field that states them, in the order in which they are asked.
FACTS: Final[Mapping[str, Fact]] = {
    "contract": Fact(
        noted("Had %(name)s met the contract?"),
        {
            "earlier": (
                noted("In an earlier turn"),
                noted("%(name)s had met the contract in an earlier turn"),
            ),
            "turn": (noted("In this turn"), noted("%(name)s had laid the contract in this turn")),
            "no": (noted("Not yet"), noted("%(name)s had not met the contract")),
        },
    ),
    "melded_this_turn": _yes_or_no(
        noted("Had %(name)s already melded this turn?"),
        noted("%(name)s had already melded this turn"),
        noted("%(name)s had not melded yet this turn"),
    ),
    "melded_this_hand": _MELDED,
    "drew": _yes_or_no(
        noted("Had %(name)s just taken %(card)s from the pile, and nothing else?"),
        noted("%(name)s had just taken that card from the pile"),
        noted("%(name)s had not just taken that card from the pile"),
    ),
    "fresh": _yes_or_no(
        noted("Had %(name)s laid that wild card this turn?"),
        noted("%(name)s laid that wild card this turn"),
        noted("%(name)s did not lay that wild card this turn"),
    ),
    "turn_melded": _MELDED,  # of the player in whose turn a call is made
}


class Choices(NamedTuple):
    """A question that one tap answers: its field, its words, and each answer with its label.

    ``value`` is what is chosen.
    """

    name: str
    says: str
    options: Sequence[tuple[str, str]]
    value: str = ""


@dataclass(frozen=True)
class QuestionPage:
    """A page on which plays on the recorded table of the open hand are entered."""

    loaded: LoadedGame
    form: RulingForm

    def tell(self, refused: Refused | None, beside: Collection[str]) -> None:
        """Put what was refused beside these fields, and beside the cards if it is about others."""
        errors = refused.errors if refused else []
        errors[:] = [(at if at in beside else "cards", says) for at, says in errors]
        for name, sentence in errors:
            if name:
                self.form[name].errors = [sentence]

    def wrong(self, name: str) -> str:
        """Return what is wrong with a field."""
        return " ".join(self.form[name].errors)

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet, with the hand of the page open."""
        return self.loaded.sheet

    @property
    def rules(self) -> Judge:
        """The rules of the hand."""
        return self.sheet.hand.rules

    @cached_property
    def board(self) -> Board:
        """The recorded table."""
        return self.form.board(self.sheet)

    @property
    def melds(self) -> Sequence[str]:
        """The melds on record, as card text."""
        return position_text(self.board.table)[0]

    @cached_property
    def table(self) -> ShownTable:
        """The table after the plays that are entered so far."""
        plays: tuple[Play, ...] = ()
        with suppress(Malformed):
            plays = parsed_plays(self.form.play.data)
        return ShownTable((*self.melds, *self.form.seen.data), self.rules, plays)

    @property
    def player(self) -> int | None:
        """The player; None if nobody has said yet."""
        return self.form.player.data if self.form.player.data in self.sheet.players else None

    @property
    def name(self) -> str:
        """The name of the player."""
        return _("the player") if self.player is None else self.sheet.names[self.player]

    @property
    def players(self) -> list[tuple[str, str]]:
        """The players, as choices of a form."""
        return [(str(seat), self.sheet.names[seat]) for seat in self.sheet.playing]

    @property
    def next_to_play(self) -> str:
        """The player to play next by the record, as a choice of a form."""
        return str(next_to_play(self.sheet))

    @property
    def recorded_last(self) -> str:
        """The play that was written down last, in words; empty if something else was."""
        last = self.sheet.can_undo.event if self.sheet.can_undo else None
        return say(last, self.sheet) if isinstance(last, PlayRecorded) else ""

    # -- what is asked ----------------------------------------------------------------------------

    @property
    def template(self) -> str:
        """The template of the page; that of the kinds where this cannot be in dispute."""
        ask, step, asks = self.form.ask.data, self.form.draw_step, self.rules.disputes
        if self.form.by_rules.data:  # also what no play of the hand comes to
            asks |= self.rules.asks
        if self.sheet.over or ask not in asks:
            return "kinds"
        return "melds" if step == "cards" else _TEMPLATES.get(ask, "question")

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """What can be in dispute, with its title. In a hand to come there is nothing to draw."""
        is_begun, disputes = self.form.hand.data is None, self.rules.disputes
        there = [ask for ask in KINDS if ask in disputes and (is_begun or ask not in ONLINE_ASKS)]
        return [(ask, self.title(ask)) for ask in there]

    def title(self, ask: str) -> str:
        """Return what a kind of play is called; of a declaration it is what a player says."""
        if ask == "meld" and isinstance(self.rules, ContractJudge):
            return _("Further meld")
        if ask == DECLARE and isinstance(self.rules, DeclaringJudge):
            return _(self.rules.declare_call)
        return _(KINDS[ask])

    @property
    def claim(self) -> tuple[str, str]:
        """When claims are made at this table, in words, and the rule; empty if no rule says."""
        chosen = dict(self.sheet.house.values).get("claim_until")
        if chosen is None:
            return "", ""
        rule = self.sheet.game.house_rule("claim_until")
        return rule.says(chosen), rule.rule

    @property
    def choices(self) -> list[Choices]:
        """The facts that are answered with one tap, above the cards."""
        form, asked, is_drawn = self.form, list[Choices](), self.form.draw_step == "cards"
        if isinstance(self.rules, ContractJudge) and (is_drawn or form.ask.data in _ASK_CONTRACT):
            (fact,) = facts_asked(["contract_met"], self)
            met = self.player is not None and self.board.has_met_contract(self.player)
            value = "earlier" if met or len(fact.options) == 1 else ""
            asked.append(fact._replace(value=form.contract.data or value))
        if form.ask.data == "discard" and self.rules.drawn_stays:
            says = _("Just taken from the pile, and alone?")
            said = "" if form.drew.data is None else str(int(form.drew.data))
            asked.append(Choices("drew", says, FACTS["drew"].options, said))
        return asked

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return any(isinstance(play, Discard) for play in parsed_plays(self.form.play.data[-1:]))

    # -- what it sends, and its cards -------------------------------------------------------------

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The fields that say which hand and which melds the page counts with."""
        fields = [("hand", str(self.sheet.hand.number))]
        if self.sheet.game.lays_on_table:
            fields.append(("lying", "; ".join(self.melds)))
        return fields

    def hidden(self, *asked: str) -> list[tuple[str, str]]:
        """Return what the page sends beside the fields that it asks for."""
        return [*self.hand_and_melds, *self.form.sent("hand", "lying", *asked)]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the page of a kind of play sends beside what it asks for."""
        if self.form.draw_step in OF_DRAW:
            return self.hidden(self.form.draw_step)
        asked = ["player"] if self.form.ask.data == CALL else []
        asked += [one.name for one in self.choices]
        return self.hidden("cards", "onto", "no_meld", "turn", *asked)

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        form, taken = self.form, dict(self.table.taken)
        taken |= dict.fromkeys(form.laid_off.data, _("laid off"))
        if form.drawn.data and form.draw_step != "drawn":
            is_in_it = form.draw_step == "cards" and form.drawn_into
            taken[form.drawn.data] = _("in it") if is_in_it else _("drawn")
        return taken

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table; those drawn with another."""
        return self.table.tagged | dict.fromkeys(self.form.above.data, _("taken"))

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


# -- the facts that are asked for -----------------------------------------------------------------


def facts_asked(facts: Sequence[str], page: QuestionPage) -> list[Choices]:
    """Return what to ask about these facts, in the game's words. The pile has a page of its own.

    When the contract was met, "In this turn" is no answer about a whole turn, nor "Not yet" where
    it is on record.
    """
    form, sheet, rules, ask = page.form, page.sheet, page.rules, page.form.ask.data
    if TURNED in facts:
        ranks = [(rank.text, rank.word.capitalize()) for rank in TURNED_RANKS]
        return [Choices(TURNED, _("Which card was turned up?"), ranks)]
    if ask == CALL and "calls" in facts:
        most = max(rules.calls_allowed, calls_on_record(sheet.hand, page.player or 0))
        says = noted("How many calls of %(name)s succeeded in this hand, before this one?")
        numbers = [(str(number), str(number)) for number in range(most + 1)]
        return [Choices("calls", _(says, name=page.name), numbers)]
    wanted = {field_of(fact, rules) for fact in facts}
    if "melded_this_hand" in wanted:
        wanted.discard("melded_this_turn")  # a meld of this turn is one of this hand
    wanted -= set() if ask == CALL else {"turn_melded"}
    wanted -= set() if isinstance(rules, ContractJudge) else {"contract"}
    never = {"turn"} if ask in {"turn", DRAW} else set()
    never |= {"no"} if page.player in page.board.contract else set()
    card = show_cards(form.plays()[-1].plays) if ask == "discard" else _("that card")
    asked = []
    for field, fact in FACTS.items():
        if field in wanted:
            name = sheet.names[form.turn.data or 0] if field == "turn_melded" else page.name
            options = [(value, label) for value, label in fact.options if value not in never]
            asked.append(Choices(field, _(fact.asks, name=name, card=card), options))
    return asked


@dataclass(frozen=True)
class FactsPage(QuestionPage):
    """What a ruling depends on and nobody has said, one tap each: ``wanted``.

    If a card of the pile is ``wanted``, it is tapped on a pack without those that are ``gone``.
    """

    question: Question
    wanted: Sequence[Choices]
    gone: Mapping[str, str] | None = None

    @property
    def steps(self) -> Sequence[Step]:
        """The plays that it is about."""
        return question_steps(self.question, self.rules)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the answers: of the pile, the top that is known."""
        names = [one.name for one in self.wanted]
        if self.gone is None:
            return self.hidden(*names)
        top = [("top", self.question.pile.cards[-1].text)] if "under" in names else []
        return [*self.hidden("top", "under"), *top]


def facts_page(page: QuestionPage, facts: Sequence[str]) -> FactsPage | None:
    """Return the page that asks for what the ruling depends on; the pile comes last.

    None if no ruling depends on any of it. Raises `NotPossible` or `Malformed`.
    """
    question, wanted = page.form.question(page.sheet), facts_asked(facts, page)
    if wanted:
        return FactsPage(page.loaded, page.form, question, wanted)
    discarded, known = question.discarded, question.pile.cards
    if discarded is None:
        return None
    recorded = [card.text for card in page.board.table.pile]
    if known and not page.form.change.data:  # the top is: what lay under it is asked for
        over = known[-1]
        recorded = recorded[: recorded.index(over.text)] if over.text in recorded else []
        name, says = "under", noted("What lay under %(card)s?")
        answers = [("none", _("Nothing lay under it"))]
    else:
        known, over = (), discarded
        name, says = "top", noted("What was on top of the pile before %(card)s?")
        answers = [("none", _("The pile was empty"))]
        if page.rules.takes_pile:
            took = marked(noted("<bdi>%(name)s</bdi> took the pile first"), name=page.name)
            answers.append(("none", took))
    gone = {text: where for text, where in page.taken.items() if where == _("table")}
    gone |= {one.text: _("pile") for one in known} | {discarded.text: _("discard")}
    if recorded and recorded[-1] not in gone:
        card = parse_card(recorded[-1])
        answers.insert(0, (card.text, _("%(card)s, as recorded", card=card.shown)))
    asked = Choices(name, _(says, card=over.shown), answers)
    return FactsPage(page.loaded, page.form, question, [asked], gone)
