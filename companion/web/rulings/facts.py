"""The facts of a dispute: those that are asked for, and those that a ruling rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import flash

from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.shown_table import Step, question_steps
from companion.rules.cards import RANKS, Rank, format_cards, show_cards
from companion.rules.contracts import ContractJudge
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, DRAW, FLAGS, NO_PILE, Pile, Question
from companion.rules.table import LayOff, Swap, parse_play
from companion.services.game_log import LoadedGame
from companion.services.rulings import CALL_FACTS, STATED, TURNED, calls_on_record
from companion.web.rulings.form import CONTRACT, RulingForm
from companion.web.rulings.plays import OF_SEVERAL, PlayPage, drawn, parsed_plays
from companion.web.templating import marked

# As they are shown: the ranks of a pack, and the printed joker last.
TURNED_RANKS: Final = (*RANKS, Rank.JOKER)


def tell_turned(hand: HandSheet) -> None:
    """Tell what is wild, once it is on record which card was turned."""
    if hand.turned is not None:
        wild = hand.rules.needs()[0].says
        says = noted("Turned up: %(rank)s. Wild: %(wild)s.")
        flash(_(says, rank=hand.turned.word, wild=wild), "success")


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

    ``value`` is what is chosen, or a list of it; ``error`` says what is wrong with it. ``kind`` is
    that of the macro ``choices``.
    """

    name: str
    says: str
    options: Sequence[tuple[str, str]]
    value: str | Sequence[str] = ""
    error: str = ""
    kind: str = "radio"


class FactStated(NamedTuple):
    """A fact that a ruling rests on: its words, the cards after them, and where it comes from.

    ``change`` is the name and the value of the button that changes it, or asks for it again.
    """

    says: str
    source: str = ""
    cards: str = ""
    change: tuple[str, str] = ("", "")


def field_of(fact: str, rules: Judge) -> str:
    """Return the form's field that states a fact."""
    return "contract" if isinstance(rules, ContractJudge) and fact in CONTRACT["turn"] else fact


def answer_in(question: Question, field: str) -> str:
    """Return the value of the field of a fact in a question; empty if nobody knows the fact."""
    if field == "contract":
        laid = "turn" if question.player.melded_this_turn else "no"
        return "earlier" if question.player.contract_met else laid
    known = question.flag(field) if field in FLAGS else None
    if question.call is not None and field == "turn_melded":
        known = question.call.melded
    return "" if known is None else str(int(known))


def facts_asked(facts: Sequence[str], page: PlayPage) -> list[Choices]:
    """Return what to ask about these facts, in the game's words. The pile has a page of its own.

    When the contract was met, "In this turn" is no answer about a whole turn, nor "Not yet" where
    it is on record.
    """
    form, sheet, rules, ask = page.form, page.sheet, page.rules, page.form.ask.data
    if TURNED in facts:
        ranks = tuple((rank.text, rank.word.capitalize()) for rank in TURNED_RANKS)
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


# -- the page that asks for them ------------------------------------------------------------------


@dataclass(frozen=True)
class FactsPage(PlayPage):
    """What a ruling depends on and nobody has said, one tap each: ``wanted``.

    One of the ``cells`` is tapped where it is a card of the pile; ``steps`` are the plays that it
    is about.
    """

    question: Question
    wanted: Sequence[Choices]
    heading: str
    hint: str
    steps: Sequence[Step] = ()
    cells: str = ""

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the page sends beside the answers: of the pile, the top that is known."""
        names = {one.name for one in self.wanted}
        if not self.cells:
            return self.hidden(*names)
        top = [("top", self.question.pile.cards[-1].text)] if "under" in names else []
        return [*self.hidden("top", "under"), *top]


def facts_page(loaded: LoadedGame, form: RulingForm, facts: Sequence[str]) -> FactsPage | None:
    """Return the page that asks for what the ruling depends on; the pile comes last.

    None if no ruling depends on any of it. Raises `NotPossible` or `Malformed`.
    """
    question, page = form.question(loaded.sheet), PlayPage(loaded, form)
    wanted = facts_asked(facts, page)
    if not wanted:
        return _pile_page(page, question)
    heading, hint = _("The ruling depends on this"), ""
    if len(wanted) == 1:
        heading, hint = wanted[0].says, _("The ruling depends on it.")
        if TURNED in facts:
            hint = _("The ruling depends on it. It is put on record for this hand.")
    steps = question_steps(question, page.rules)
    return FactsPage(loaded, form, question, wanted, heading, hint, steps)


def _pile_page(page: PlayPage, question: Question) -> FactsPage | None:
    """Return the page that asks for the top of the pile, or what lay under it if that is known."""
    discarded, known = question.discarded, question.pile.cards
    if discarded is None:
        return None
    form = page.form
    recorded = [card.text for card in page.board.table.pile]
    if known and not form.change.data:
        over = known[-1]
        recorded = recorded[: recorded.index(over.text)] if over.text in recorded else []
        name, asks, legend = "under", noted("What lay under %(card)s?"), _("The card under it")
        answers = [("none", _("Nothing lay under it"))]
    else:
        known, over = (), discarded
        asks = noted("What was on top of the pile before %(card)s?")
        name, legend, answers = "top", _("The card on top"), [("none", _("The pile was empty"))]
        if page.rules.takes_pile:
            took = marked(noted("<bdi>%(name)s</bdi> took the pile first"), name=page.name)
            answers.append(("none", took))
    taken = {text: where for text, where in page.taken.items() if where == _("table")}
    taken |= {one.text: _("pile") for one in known} | {discarded.text: _("discard")}
    if recorded and recorded[-1] not in taken:
        card = drawn("card", recorded[-1])
        answers.insert(0, (recorded[-1], marked(noted("%(card)s, as recorded"), card=card)))
    return FactsPage(
        page.loaded,
        form,
        question,
        wanted=[Choices(name, _(asks, card=over.shown), answers)],
        heading=marked(asks, card=drawn("card", over.text)),
        hint=_("The ruling on %(card)s depends on it.", card=discarded.shown),
        cells=page.grid(name, taken=taken, legend=legend, quiet=True),
    )


# -- the facts that a ruling rests on --------------------------------------------------------------


def facts_stated(
    loaded: LoadedGame, rules: Judge, line: RulingLine, names: Sequence[str]
) -> list[FactStated]:
    """Return the facts that a ruling rests on; ``names`` are those of the players."""
    question, call, found = line.question, line.question.call, list[FactStated]()
    if question.ask == DRAW:
        card, *above = question.pile.cards
        lay = _("Above it") if above else _("Nothing lay above it")
        found.append(FactStated(_("Drawn"), cards=card.text, change=("change", "drawn")))
        found.append(FactStated(lay, cards=format_cards(above), change=("change", "above")))
    sources: dict[str, int] = {}
    for fact, number in line.given.sources.items():
        field = field_of(fact, rules)
        sources[field] = min(number, sources.get(field, number))
    never = () if call and call.turn is not None and line.ruling.follows else CALL_FACTS
    for field in ("pile", *FACTS, "calls"):
        if field not in sources or field in never:
            continue
        source = source_of(loaded, sources[field], question.pile if field == "pile" else NO_PILE)
        answer, change = answer_in(question, field), ("change", field)
        if field == "turn_melded" and not answer:
            source = ""
        if field in FLAGS:  # the other answer is one tap
            change = (field, "0" if answer == "1" else "1")
        found.append(FactStated(_says(field, line, names), source, change=change))
    return found


def _says(field: str, line: RulingLine, names: Sequence[str]) -> str:
    """Return a fact that a ruling rests on, in words."""
    question, player = line.question, line.given.player
    cards, call, answer = question.pile.cards, question.call, answer_in(question, field)
    if field == "pile" and len(cards) > 1:
        says = noted("Top of the pile: %(top)s, on %(under)s")
        return _(says, top=cards[-1].shown, under=cards[-2].shown)
    if field == "pile" and cards:
        return _("Top of the pile: %(cards)s", cards=show_cards(cards))
    if field == "pile":
        return _("The pile was empty")
    if call is not None and field == "calls":
        says = noted("Calls of %(name)s that succeeded before: %(calls)s")
        return _(says, name=names[player], calls=call.calls)
    if call is not None and call.turn is not None and field == "turn_melded":
        player = call.turn
    says = noted("Nobody said that %(name)s had melded in this hand")
    if answer:
        _label, says = FACTS[field].answers[answer]
    return _(says, name=names[player])


def source_of(loaded: LoadedGame, source: int, pile: Pile = NO_PILE) -> str:
    """Return where a fact comes from, in words.

    A ``pile`` is on record by its last discard, or empty since somebody took it.
    """
    if source == STATED:
        return _("as you said")
    event = next((one.event for one in loaded.entries if one.number == source), None)
    player = getattr(event, "player", None)
    if player is None:
        return _("on record")
    says = noted("recorded when %(name)s took the pile")
    if pile.cards:
        says = noted("recorded when %(name)s discarded")
    return _(says, name=loaded.sheet.names[player])


def top_of_pile(page: PlayPage) -> FactStated | None:
    """Return the top of the pile that a discard is judged by, if it was said or is sure."""
    top, board = page.form.top.data, page.board
    if page.player is None or top == "none":
        return None
    if top:
        return FactStated(_("Top of the pile:"), source_of(page.loaded, STATED), cards=top)
    pile = board.pile_for(page.player)
    source = source_of(page.loaded, board.known_by, pile)
    if pile.cards:
        return FactStated(_("Top of the pile:"), source, cards=pile.cards[-1].text)
    return FactStated(_("The pile was taken"), source) if pile.whole else None


# -- the form of a question that was asked before --------------------------------------------------


def values_of_plays(kind: str, player: int | None, plays: Sequence[str]) -> dict[str, Any]:
    """Return the form's values that ask about plays, which are written as text."""
    values: dict[str, Any] = {"ask": kind, "player": player}
    if kind == DECLARE and plays:
        groups = parsed_plays(plays[1:])
        rest = Counter(one.card.text for one in parse_play(plays[0]).plays)
        rest -= Counter(one.card.text for group in groups for one in group.plays)
        return values | {"cards": tuple(rest.elements()), "play": plays[1:]}
    if kind in OF_SEVERAL or (kind != DRAW and len(plays) != 1) or not plays:
        return values | {"play": plays}
    *others, last = plays  # its cards are tapped, so that they can be changed
    play = parse_play(last)
    values |= {"cards": [offered.card.text for offered in play.plays], "play": others}
    if isinstance(play, LayOff | Swap):
        values["onto"] = play.onto
    if isinstance(play, Swap):
        values["joker_to"] = play.joker_to
    return values


def values_of_question(
    question: Question, player: int | None, stated: Iterable[str], rules: Judge
) -> dict[str, Any]:
    """Return the form's values that ask a question, with these facts stated."""
    values = values_of_plays(question.ask, player, [play.text for play in question.plays])
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
