"""The facts of a dispute: those that are asked for, and those that a ruling rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import RANKS, Rank, format_cards, show_cards
from companion.rules.contracts import ContractJudge
from companion.rules.game import Game
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.rules.question import CALL, DRAW, NO_PILE, Pile, Question
from companion.rules.ruling import Ruling
from companion.rules.table import Player
from companion.services.game_log import LoadedGame
from companion.services.rulings import CALL_FACTS, STATED, TURNED, calls_on_record
from companion.web.rulings.form import RulingForm, fields_of, form_address
from companion.web.rulings.plays import values_of_plays

# As they are shown: the ranks of a pack, and the printed joker last.
TURNED_RANKS: Final = (*RANKS, Rank.JOKER)
CONTRACT_FACTS: Final = frozenset({"contract_met", "melded_this_turn"})


class Fact(NamedTuple):
    """A fact of a player: the field that states it, and the words that ask, affirm and deny it."""

    field: str
    asks: str
    yes: str
    no: str


FACTS: Final[Mapping[str, Fact]] = {
    "melded_this_turn": Fact(
        "melded_turn",
        noted("Had %(name)s already melded this turn?"),
        noted("%(name)s had already melded this turn"),
        noted("%(name)s had not melded yet this turn"),
    ),
    "melded_this_hand": Fact(
        "melded_hand",
        noted("Had %(name)s already melded in this hand?"),
        noted("%(name)s had already melded in this hand"),
        noted("%(name)s had not melded yet in this hand"),
    ),
    "drew": Fact(
        "drew",
        noted("Had %(name)s just taken %(card)s from the pile, and nothing else?"),
        noted("%(name)s had just taken that card from the pile"),
        noted("%(name)s had not just taken that card from the pile"),
    ),
    "fresh": Fact(
        "fresh",
        noted("Had %(name)s laid that wild card this turn?"),
        noted("%(name)s laid that wild card this turn"),
        noted("%(name)s did not lay that wild card this turn"),
    ),
}
# When the contract was met: each answer of the form with its label, and in words.
_CONTRACT: Final = {
    "earlier": (
        noted("In an earlier turn"),
        noted("%(name)s had met the contract in an earlier turn"),
    ),
    "turn": (noted("In this turn"), noted("%(name)s had laid the contract in this turn")),
    "no": (noted("Not yet"), noted("%(name)s had not met the contract")),
}

# Whether the player melded in this hand in whose turn a call is made.
_TURN_MELDED: Final[Mapping[bool | None, str]] = {
    True: noted("%(name)s had melded in this hand"),
    False: noted("%(name)s had not melded in this hand"),
    None: noted("Nobody said that %(name)s had melded in this hand"),
}


class Choices(NamedTuple):
    """A question that one tap answers: its field, its words, and each answer with its label.

    ``value`` is what is chosen, or a list of it; ``error`` says what is wrong with it. ``hint``
    says what becomes of the answer, if it is more than a part of the question. ``kind`` is that of
    the macro ``choices``.
    """

    name: str
    says: str
    options: Sequence[tuple[str, str]]
    value: str | Sequence[str] = ""
    error: str = ""
    hint: str = ""
    kind: str = "radio"


class FactStated(NamedTuple):
    """A fact that a ruling rests on: its words, the cards after them, and where it comes from.

    ``change`` is the address at which to change it. A fact that has one other value has ``fields``
    instead: those of the question with that value, so that one tap asks again.
    """

    says: str
    source: str = ""
    change: str = ""
    cards: str = ""
    fields: Sequence[tuple[str, str]] = ()


def yes_or_no() -> Sequence[tuple[str, str]]:
    """Return the answers to a question that is answered with yes or no."""
    return (("1", _("Yes")), ("0", _("No")))


def facts_asked(facts: Sequence[str], form: RulingForm, sheet: ScoreSheet) -> list[Choices]:
    """Return what to ask about these facts, in the game's words. The pile has a page of its own."""
    name = _name(form.player.data or 0, sheet)
    if TURNED in facts:
        ranks = tuple((rank.text, rank.word.capitalize()) for rank in TURNED_RANKS)
        hint = _("It is put on record for this hand.")
        return [Choices(TURNED, _("Which card was turned up?"), ranks, hint=hint)]
    if form.ask.data == CALL and not {*CALL_FACTS}.isdisjoint(facts):
        return [_call_asked(facts[0], form, sheet)]
    wanted, asked = set(facts), []
    if isinstance(sheet.hand.rules, ContractJudge) and CONTRACT_FACTS & wanted:
        asked = [contract_asked(form, sheet)]
        wanted -= CONTRACT_FACTS
    if "melded_this_hand" in wanted:
        wanted.discard("melded_this_turn")  # a meld of this turn is one of this hand
    card = show_cards(form.plays()[-1].plays) if form.ask.data == "discard" else _("that card")
    known = [FACTS[fact] for fact in FACTS if fact in wanted]
    return asked + [
        Choices(fact.field, _(fact.asks, name=name, card=card), yes_or_no()) for fact in known
    ]


def contract_asked(form: RulingForm, sheet: ScoreSheet) -> Choices:
    """Return what to ask about when a player met the contract.

    "In this turn" is no answer about a whole turn, nor "not yet" where the contract is on record.
    """
    player = form.player.data
    never = {"turn"} if form.ask.data in {"turn", DRAW} else set()
    never |= {"no"} if player in form.board(sheet).contract else set()
    choices = tuple((value, _(_CONTRACT[value][0])) for value in _CONTRACT if value not in never)
    return Choices(
        "contract", _("Had %(name)s met the contract?", name=_name(player, sheet)), choices
    )


def _name(player: int | None, sheet: ScoreSheet) -> str:
    return _("the player") if player is None else sheet.names[player]


def _call_asked(fact: str, form: RulingForm, sheet: ScoreSheet) -> Choices:
    player, turn = form.player.data or 0, form.turn.data or 0
    if fact == "turn_melded":
        return Choices(
            fact, _("Had %(name)s melded in this hand?", name=sheet.names[turn]), yes_or_no()
        )
    most = max(sheet.hand.rules.calls_allowed, calls_on_record(sheet.hand, player))
    says = _(
        "How many calls of %(name)s succeeded in this hand, before this one?",
        name=sheet.names[player],
    )
    return Choices(fact, says, tuple((str(n), str(n)) for n in range(most + 1)))


# -- the facts that a ruling rests on --------------------------------------------------------------


def values_of_ruling(line: RulingLine, sheet: ScoreSheet) -> dict[str, Any]:
    """Return the form's values that ask again what was ruled on, to replace that ruling."""
    question, given = line.question, line.given.player
    values = values_of_plays(question.ask, given, [play.text for play in question.plays])
    stated = {fact for fact, source in line.sources.items() if source == STATED}
    values |= {FACTS[fact].field: question.flag(fact) for fact in FACTS if fact in stated}
    if isinstance(sheet.hand.rules, ContractJudge):
        values.pop("melded_turn", None)
        if stated & CONTRACT_FACTS:
            values["contract"] = contract_met(question.player)
    if "pile" in stated:
        values["top"], values["under"] = _pile_fields(question.pile)
    values["seen"] = [meld.text for meld in question.melds[len(line.melds) :]]
    if question.ask == DRAW:
        drawn, *above = (card.text for card in question.pile.cards)
        no_meld = bool(above) and not question.plays
        values |= {"drawn": drawn, "above": above or "none", "no_meld": no_meld or None}
    if question.call is not None:
        known = {"calls": question.call.calls, "turn_melded": question.call.melded}
        values |= {fact: known[fact] for fact in CALL_FACTS if fact in stated}
        values["turn"] = given if question.call.turn is None else question.call.turn
    return values | {"instead_of": line.entry.number, "lying": line.melds}


def contract_met(player: Player) -> str:
    """Return when a player met the contract, as the form says it."""
    laid = "turn" if player.melded_this_turn else "no"
    return "earlier" if player.contract_met else laid


def _pile_fields(pile: Pile) -> tuple[str, str]:
    """Return what the form says of a pile: its top card, and the one under it."""
    if not pile.cards:
        return "none", ""
    *lower, top = (card.text for card in pile.cards)
    return top, lower[-1] if lower else "none" if pile.whole else ""


def facts_stated(
    loaded: LoadedGame, hand: HandSheet, line: RulingLine, values: Mapping[str, Any]
) -> list[FactStated]:
    """Return the facts that a ruling rests on.

    ``values`` are those that ask again, if it can be replaced: then the facts have ways to change
    them.
    """
    question, sources = line.question, line.sources
    found: list[FactStated] = []
    names, name = loaded.sheet.names, loaded.sheet.names[line.given.player]

    def change(field: str, **changes: str) -> str:
        return form_address(loaded.record.id, {**values, **changes}, field) if values else ""

    if question.ask == DRAW:
        drawn, *above = question.pile.cards
        lay = _("Above it") if above else _("Nothing lay above it")
        found.append(FactStated(_("Drawn"), change=change("drawn"), cards=drawn.text))
        found.append(FactStated(lay, change=change("above"), cards=format_cards(above)))
    if "pile" in sources:
        address = change("pile", top="", under="")
        source = source_of(loaded, sources["pile"], question.pile)
        found.append(FactStated(_pile_says(question), source, address))
    is_contract = isinstance(hand.rules, ContractJudge)
    on_contract = CONTRACT_FACTS.intersection(sources) if is_contract else ()
    if on_contract:
        address = change("contract", contract="")
        source = source_of(loaded, min(sources[fact] for fact in on_contract))
        says = _CONTRACT[contract_met(question.player)][1]
        found.append(FactStated(_(says, name=name), source, address))
    for fact in (fact for fact in sources if fact in FACTS and fact not in on_contract):
        value, words = question.flag(fact), FACTS[fact]
        other: dict[str, Any] = {"melded_turn": None} if fact == "melded_this_hand" else {}
        changed = {"hand": hand.number, **values, **other, words.field: not value}
        fields = fields_of(changed) if values else ()
        says = _(words.yes if value else words.no, name=name)
        found.append(FactStated(says, source_of(loaded, sources[fact]), fields=fields))
    call = question.call
    if call is None or call.turn is None or not line.ruling.follows:
        return found
    for fact in (fact for fact in sources if fact in CALL_FACTS):
        source = source_of(loaded, sources[fact])
        says = _("Calls of %(name)s that succeeded before: %(calls)s", name=name, calls=call.calls)
        if fact == "turn_melded":
            says = _(_TURN_MELDED[call.melded], name=names[call.turn])
            source = "" if call.melded is None else source
        found.append(FactStated(says, source, change(fact)))
    return found


def _pile_says(question: Question) -> str:
    cards = question.pile.cards
    if not cards:
        return _("The pile was empty")
    if len(cards) == 1:
        return _("Top of the pile: %(cards)s", cards=show_cards(cards))
    return _("Top of the pile: %(top)s, on %(under)s", top=cards[-1].shown, under=cards[-2].shown)


def source_of(loaded: LoadedGame, source: int, pile: Pile = NO_PILE) -> str:
    """Return where a fact comes from, in words.

    A ``pile`` is on record by its last discard, or empty since somebody took it.
    """
    if source == STATED:
        return _("as you said")
    event = next((one.event for one in loaded.entries if one.number == source), None)
    if event is None:
        return _("on record")
    player = getattr(event, "player", None)
    name = _("somebody") if player is None else loaded.sheet.names[player]
    if pile.cards:
        return _("recorded when %(name)s discarded", name=name)
    return _("recorded when %(name)s took the pile", name=name)


# -- the game's other sheets -----------------------------------------------------------------------

# The ruling of another sheet, by whether it is legal there and whether that is the same as here.
_ELSEWHERE: Final = {
    (True, True): noted("Legal on the %(sheet)s sheet too."),
    (True, False): noted("Legal on the %(sheet)s sheet."),
    (False, True): noted("Illegal on the %(sheet)s sheet too."),
    (False, False): noted("Illegal on the %(sheet)s sheet."),
}


def elsewhere(game: Game, ruling: Ruling, *, only_others: bool = False) -> list[str]:
    """Return how the game's other sheets rule, where they do; or where they rule otherwise."""
    return [
        _(_ELSEWHERE[legal, legal == ruling.legal], sheet=sheet.title)
        for sheet in game.sheets
        if (legal := ruling.elsewhere.get(sheet.id)) is not None
        and not (only_others and legal == ruling.legal)
    ]
