"""The pages of a question: what is entered, and the facts that its ruling depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from companion.notebook.describe import say
from companion.notebook.events import PENALTY_CARDS, PlayRecorded
from companion.notebook.shown_table import ShownTable, question_steps
from companion.rules.cards import RANKS, Rank, parse_card
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, DRAW, FLAGS, MAY_I, Question
from companion.rules.table import Discard, Play
from companion.services.game_log import LoadedGame
from companion.services.rulings import TURNED, calls_on_record
from companion.web.actions import Refused
from companion.web.rulings.form import OF_DRAW, OF_SEVERAL, ONLINE_ASKS, RulingForm, field_of
from companion.web.templating import marked

# What can be in dispute, in the order offered, with its template. "May I?" has a page of its own.
KINDS: Final = {
    "contract": (noted("First melds"), "melds"),
    "discard": (noted("Discard"), "question"),
    "meld": (noted("Meld"), "meld"),
    "lay_off": (noted("Lay-off"), "meld"),
    "swap": (noted("Swap"), "swap"),
    CALL: (noted("Call"), "question"),
    DRAW: (noted("Draw from the pile"), "question"),
    MAY_I: (noted("May I?"), ""),
    DECLARE: ("", "melds"),  # called as in the game
    "turn": (noted("A whole turn"), "turn"),
}
_ASK_CONTRACT: Final = ("meld", "lay_off", "swap", "turn")
# In the order in which they are shown: the ranks of a pack, then the printed joker.
TURNED_RANKS: Final = (*RANKS, Rank.JOKER)
# What happens to a question about an upcoming hand.
IT_WAITS: Final = noted(
    "Until then your question stays on this phone, and is ruled on once it is saved."
)


class Fact(NamedTuple):
    """A fact of a player: the words that ask for it, and its answers.

    ``answers`` has for each value of the form's field a label and the words that state the fact.
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
# By the form's field that states them, in the order in which they are asked.
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
        noted("%(name)s had just taken that card from the pile, and nothing else"),
        noted("%(name)s had not just taken that card from the pile"),
    ),
    "fresh": _yes_or_no(
        noted("Had %(name)s laid that wild card this turn?"),
        noted("%(name)s laid that wild card this turn"),
        noted("%(name)s did not lay that wild card this turn"),
    ),
    "laid_unowned": _yes_or_no(
        noted("Had %(name)s laid the other meld of that suit or rank?"),
        noted("%(name)s had laid the other meld of that suit or rank"),
        noted("%(name)s had not laid the other meld of that suit or rank"),
    ),
    "turn_melded": _MELDED,  # of the player in whose turn a call is made
    PENALTY_CARDS: _yes_or_no(
        noted("Had %(name)s drawn penalty cards in this hand?"),
        noted("%(name)s had drawn penalty cards in this hand"),
        noted("%(name)s had drawn no penalty cards in this hand"),
    ),
}


class Choices(NamedTuple):
    """A question that one tap answers: its field, words, answers with labels, and chosen value."""

    name: str
    says: str
    options: Sequence[tuple[str, str]]
    value: str = ""


class QuestionPage:
    """A page on which plays on the recorded table of the open hand are entered.

    ``melds`` are those on record, as card text, and ``table`` is as it lies after the plays that
    are entered so far. ``player`` is None if nobody has said yet whose plays they are; ``players``
    and ``next_to_play`` are choices of a form. ``wrong`` has the errors by field; an error of a
    field that is not in ``beside`` is shown at the cards.
    """

    def __init__(
        self,
        loaded: LoadedGame,
        form: RulingForm,
        refused: Refused | None = None,
        beside: Collection[str] = (),
    ) -> None:
        self.loaded, self.form, self.sheet = loaded, form, loaded.sheet
        sheet, seat = loaded.sheet, form.player.data
        self.rules = sheet.hand.rules
        self.hand = form.hand_on_record(sheet)
        self.board = self.hand.board
        self.melds = self.board.table.meld_texts
        plays: tuple[Play, ...] = ()
        with suppress(Malformed):
            plays = form.added
        self.table = ShownTable((*self.melds, *form.seen.data), self.rules, plays)
        self.player = seat if seat in sheet.players else None
        self.name = _("the player") if self.player is None else sheet.names[self.player]
        self.players = [(str(seat), sheet.names[seat]) for seat in sheet.playing]
        self.next_to_play = str(sheet.next_to_play)
        self.wrong: dict[str, str] = {}
        if refused and refused.status == 422:  # with 409 the game has changed: no field is wrong
            errors = [(at if at in beside else "cards", says) for at, says in refused.errors]
            refused.errors, self.wrong = errors, dict(errors)

    @property
    def recorded_last(self) -> str:
        """The last action in words, if it recorded a play; empty if it did something else."""
        last = self.sheet.can_undo.event if self.sheet.can_undo else None
        return say(last, self.sheet) if isinstance(last, PlayRecorded) else ""

    # -- what is asked ----------------------------------------------------------------------------

    @property
    def template(self) -> str:
        """The page's template; that of the kinds if the chosen one cannot be in dispute."""
        ask, asks = self.form.ask.data, self.rules.disputes
        if self.form.by_rules.data:  # also what no rule of the hand decides
            asks |= self.rules.asks
        if self.sheet.over or ask not in asks:
            return "kinds"
        return "melds" if self.form.draw_step == "cards" else KINDS[ask][1]

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """What can be in dispute, with titles; in an upcoming hand no questions for the server."""
        is_begun, disputes = self.form.hand.data is None, self.rules.disputes
        kinds = [ask for ask in KINDS if ask in disputes and (is_begun or ask not in ONLINE_ASKS)]
        return [(ask, self.title(ask)) for ask in kinds]

    def title(self, ask: str) -> str:
        """Return what a kind of play is called; a declaration by the player's words for it."""
        if ask == "meld" and isinstance(self.rules, ContractJudge):
            return _("Further meld")
        if ask == DECLARE and isinstance(self.rules, DeclaringJudge):
            return _(self.rules.declare_call)
        return _(KINDS[ask][0])

    @property
    def claim(self) -> tuple[str, str]:
        """When claims are made at this table, in words, and the rule; empty if no rule says."""
        chosen = self.sheet.house.get("claim_until")
        if chosen is None:
            return "", ""
        rule = self.sheet.game.house_rule("claim_until")
        return rule.says(chosen), rule.rule

    @property
    def choices(self) -> list[Choices]:
        """The facts that are answered with one tap, above the cards."""
        form, asked, is_drawn = self.form, list[Choices](), self.form.draw_step == "cards"
        if isinstance(self.rules, ContractJudge) and (is_drawn or form.ask.data in _ASK_CONTRACT):
            rules, (fact,) = self.rules, self.asked(["contract_met"])
            met, laid, seat = False, False, self.player
            if seat is not None:
                met = self.board.has_met_contract(seat) or self.hand.said_to_have_met(seat)
                laid = self.hand.has_laid_contract(seat)
            value = "earlier" if met or len(fact.options) == 1 else ""
            # Where a meld is never too early, no single play depends on when it was met.
            if form.ask.data == "turn" or not laid or rules.meld_too_early or rules.no_more_melds:
                asked.append(fact._replace(value=form.contract.data or value))
        if form.ask.data == "discard" and self.rules.drawn_rule:
            says = _("Was it the only card just taken from the pile?")
            value = "" if form.drew.data is None else str(int(form.drew.data))
            asked.append(Choices("drew", says, FACTS["drew"].options, value))
        return asked

    def asked(self, facts: Collection[str]) -> list[Choices]:
        """Return what to ask about these facts, in the game's words; nothing about the pile.

        When the contract was met, "In this turn" is no answer about a whole turn, nor "Not yet"
        where it is on record.
        """
        form, sheet, rules, ask = self.form, self.sheet, self.rules, self.form.ask.data
        if TURNED in facts:
            ranks = [(rank.text, rank.word.capitalize()) for rank in TURNED_RANKS]
            return [Choices(TURNED, _("Which card was turned up?"), ranks)]
        if ask == CALL and "calls" in facts:
            most = max(rules.calls_allowed, calls_on_record(sheet.hand, self.player or 0))
            says = noted("How many calls of %(name)s succeeded in this hand, before this one?")
            numbers = [(str(number), str(number)) for number in range(most + 1)]
            return [Choices("calls", _(says, name=self.name), numbers)]
        fields = {field_of(fact, rules) for fact in facts}
        if "melded_this_hand" in fields:
            fields.discard("melded_this_turn")  # a meld of this turn is one of this hand
        fields -= set() if ask == CALL else {"turn_melded"}
        fields -= set() if isinstance(rules, ContractJudge) else {"contract"}
        never = {"turn"} if ask in {"turn", DRAW} else set()
        never |= {"no"} if self.player in self.board.met_contract else set()
        plays = form.plays() if "drew" in fields else ()
        card = next((play.card.shown for play in plays if isinstance(play, Discard)), "")
        asked = []
        for field in (field for field in FACTS if field in fields):
            name = sheet.names[form.turn.data or 0] if field == "turn_melded" else self.name
            options = [option for option in FACTS[field].options if option[0] not in never]
            asked.append(Choices(field, _(FACTS[field].asks, name=name, card=card), options))
        return asked

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return any(isinstance(play, Discard) for play in self.form.added[-1:])

    # -- what it sends, and its cards -------------------------------------------------------------

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The hidden fields with the page's hand, and the melds on the table as it shows them."""
        lying = [("lying", "; ".join(self.melds))] if self.sheet.game.lays_on_table else []
        return [("hand", str(self.sheet.hand.number)), *lying]

    def hidden(self, *asked: str) -> list[tuple[str, str]]:
        """Return what the page sends beside the fields that it asks for."""
        return [*self.hand_and_melds, *self.form.sent("hand", "lying", *asked)]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the page of a kind of play sends beside what it asks for."""
        if self.form.draw_step in OF_DRAW:
            return self.hidden(self.form.draw_step)
        asked = ["player"] if self.form.ask.data == CALL else []
        asked += ["no_meld"] if self.form.draw_step == "cards" else []
        asked += [fact.name for fact in self.choices]
        return self.hidden("cards", "onto", "turn", *asked)

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        form, taken = self.form, dict(self.table.taken)
        taken |= dict.fromkeys(form.laid_off.data, _("laid off"))
        if form.drawn.data and form.draw_step != "drawn":
            taken[form.drawn.data] = _("in it") if form.drawn_into else _("drawn")
        return taken

    @property
    def tagged(self) -> dict[str, str]:
        """Notes on cards: which wild card stands for one on the table; which were drawn, too."""
        return self.table.tagged | dict.fromkeys(self.form.above.data, _("taken"))

    def grid(self, name: str, **shown: Any) -> Markup:
        """Return the pack to tap for a field, with the cards that nobody can play any more."""
        table = {
            "wild_rank": "".join(rank.text for rank in self.rules.limits.wild_ranks),
            "wild_word": _(self.sheet.game.wild_called),
            "copies": self.sheet.deck.packs,
            "jokers": self.sheet.deck.jokers,
            "taken": self.taken,
            "error": self.wrong.get(name, ""),
        }
        cells: Markup = self.form[name](**table | shown)
        return cells


def facts_page(page: QuestionPage, facts: Sequence[str]) -> dict[str, Any] | None:
    """Return what the page shows that asks for the facts a ruling depends on.

    ``wanted`` are the facts, one tap each; ``steps`` are the plays of the question, and ``fields``
    what is sent with the answer. The pile is asked for last: its card is tapped on a pack without
    the cards that are ``gone``. None if no ruling depends on a fact. Raises as `form.question`.
    """
    question, wanted = page.form.question(page.sheet), page.asked(facts)
    shown = {"question": question, "steps": question_steps(question, page.rules)}
    if wanted:
        fields = page.hidden(*(fact.name for fact in wanted))
        return shown | {"wanted": wanted, "gone": None, "fields": fields}
    discarded, known = question.discarded, question.pile.cards
    if discarded is None:
        return None
    recorded = [card.text for card in page.board.table.pile]
    recorded = recorded[: -1 if recorded[-1:] == [discarded.text] else None]
    fields = page.hidden("top", "under")
    if known and not page.form.change.data:  # the top is known: ask what lay under it
        over = known[-1]
        recorded = recorded[: recorded.index(over.text)] if over.text in recorded else []
        name, says = "under", noted("What lay under %(card)s?")
        answers = [("none", _("Nothing lay under it"))]
        fields.append(("top", over.text))
    else:
        known, over = (), discarded
        name, says = "top", noted("What was on top of the pile before %(card)s?")
        answers = [("none", _("The pile was empty"))]
        if page.rules.takes_pile:
            took = marked("<bdi>%(name)s</bdi> took the pile first", name=page.name)
            answers.append(("none", took))
    gone = {text: where for text, where in page.taken.items() if where == _("table")}
    gone |= {card.text: _("pile") for card in known} | {discarded.text: _("discard")}
    if recorded and recorded[-1] not in gone:
        card = parse_card(recorded[-1])
        answers.insert(0, (card.text, _("%(card)s, as recorded", card=card.shown)))
    wanted = [Choices(name, _(says, card=over.shown), answers)]
    return shown | {"wanted": wanted, "gone": gone, "fields": fields}


# -- the form, filled in with a question that can be asked again -----------------------------------


def answer_in(question: Question, field: str) -> str:
    """Return the value of the field of a fact in a question; empty if nobody knows the fact."""
    if field == "contract":
        laid = "turn" if question.player.melded_this_turn else "no"
        return "earlier" if question.player.contract_met else laid
    known = question.flag(field) if field in FLAGS else None
    if question.call is not None and field == "turn_melded":
        known = question.call.melded
    if field == PENALTY_CARDS:  # kept only where there were some
        known = True
    return "" if known is None else str(int(known))


def values_of_plays(kind: str, player: int | None, plays: Sequence[Play]) -> dict[str, Any]:
    """Return the form's values for a question about plays."""
    values: dict[str, Any] = {"ask": kind, "player": player}
    if kind == DECLARE:
        plays, rest = plays[1:], Counter(played.card.text for played in plays[0].cards)
        rest -= Counter(played.card.text for group in plays for played in group.cards)
        values["cards"] = [*rest.elements()]
    elif kind not in OF_SEVERAL and plays:
        *plays, last = plays  # its cards are tapped, so that they can be changed
        values["cards"] = [played.card.text for played in last.cards]
        values |= {at: getattr(last, at) for at in ("onto", "joker_to") if hasattr(last, at)}
    return values | {"play": [play.text for play in plays]}


def values_of_question(
    question: Question, player: int | None, stated: Iterable[str], rules: Judge
) -> dict[str, Any]:
    """Return the form's values for a question, with these facts stated."""
    values = values_of_plays(question.ask, player, question.plays)
    fields = {field_of(fact, rules) for fact in stated}
    if "melded_this_hand" in fields and not question.player.melded_this_hand:
        fields -= {"melded_this_turn"}  # which follows
    values |= {field: answer_in(question, field) for field in fields - {"pile", "calls"}}
    if "pile" in fields:
        bottom = "none" if question.pile.whole else ""
        *_lower, under, top = ["", bottom, *(card.text for card in question.pile.cards)]
        values |= {"top": top, "under": under}
    if question.ask == DRAW:
        drawn, *above = (card.text for card in question.pile.cards)
        no_meld = bool(above) and not question.plays
        values |= {"drawn": drawn, "above": above or ["none"], "no_meld": no_meld or None}
    if question.call is not None:
        values["turn"] = player if question.call.turn is None else question.call.turn
        values |= {"calls": question.call.calls} if "calls" in fields else {}
    return values
