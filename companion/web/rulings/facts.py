"""The facts of a dispute: those that are asked for, and those that a ruling rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.notebook.events import Event, PlayRecorded, Ruled, RulingEnforced, RulingGiven
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import RANKS, Rank, format_cards, show_cards
from companion.rules.contracts import ContractJudge
from companion.rules.question import CALL, DRAW, Pile, Question
from companion.services.game_log import LoadedGame
from companion.services.rulings import CALL_FACTS, SAID, TURNED, calls_on_record
from companion.web.rulings.form import CONTRACT, RulingForm

# Questions whose ruling can depend on when the contract was met.
CONTRACT_ASKS: Final = frozenset({"meld", "lay_off", "swap", "turn", DRAW})
# As they are shown: the ranks of a pack, and the printed joker last.
TURNED_RANKS: Final = (*RANKS, Rank.JOKER)
CONTRACT_FACTS: Final = frozenset({"contract_met", "melded_this_turn"})
_LABELS: Final = {"earlier": "In an earlier turn", "turn": "In this turn", "no": "Not yet"}


@dataclass(frozen=True, slots=True)
class Choices:
    """A question that one tap answers: its field, its words, and each answer with its label.

    ``value`` is the answer that is chosen. ``hint`` says what becomes of the answer, if it is more
    than a part of the question.
    """

    name: str
    says: str
    options: Sequence[tuple[str, str]]
    value: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class FactStated:
    """A fact that a ruling rests on: its words, the cards after them, and where it comes from.

    ``change`` is the address at which to change it. A fact that has one other value has ``fields``
    instead: those of the question with that value, so that one tap asks again.
    """

    says: str
    source: str = ""
    change: str = ""
    cards: str = ""
    fields: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class WhoPlays:
    """The player that a ruling is about, and the others that it can be asked about instead.

    ``others`` are their seats and names; ``fields`` is the question without a player.
    """

    name: str
    others: Sequence[tuple[int, str]] = ()
    fields: Sequence[tuple[str, str]] = ()


YES_NO: Final = (("1", "Yes"), ("0", "No"))


def facts_asked(facts: Sequence[str], form: RulingForm, sheet: ScoreSheet) -> list[Choices]:
    """The facts to ask for, in the game's words. The pile has a page of its own."""
    name = sheet.names[form.player.data or 0]
    if TURNED in facts:
        ranks = tuple((rank.text, rank.word.capitalize()) for rank in TURNED_RANKS)
        hint = "It is put on record for this hand."
        return [Choices(TURNED, "Which card was turned up?", ranks, hint=hint)]
    if form.ask.data == CALL and not {*CALL_FACTS}.isdisjoint(facts):
        return [_call_asked(facts[0], form, sheet)]
    if isinstance(sheet.hand.rules, ContractJudge) and CONTRACT_FACTS.intersection(facts):
        asked = contract_asked(form, sheet)
        return [asked, *_asked(set(facts) - CONTRACT_FACTS, form, name)]
    wanted = set(facts)
    if "melded_this_hand" in wanted:
        wanted.discard("melded_this_turn")  # a meld of this turn is one of this hand
    return _asked(wanted, form, name)


def contract_asked(form: RulingForm, sheet: ScoreSheet) -> Choices:
    """When a player met the contract: before a whole turn, or before one play in it.

    "Not yet" is no answer where the contract is on record.
    """
    player = form.player.data
    name = "the player" if player is None else sheet.names[player]
    never = {"turn"} if form.ask.data in {"turn", DRAW} else set()
    never |= {"no"} if player in form.board(sheet).contract else set()
    choices = tuple((value, _LABELS[value]) for value in CONTRACT if value not in never)
    return Choices("contract", f"Had {name} met the contract?", choices)


def _call_asked(fact: str, form: RulingForm, sheet: ScoreSheet) -> Choices:
    """What is asked of a call beside what decides: how many there were, whether it is refused."""
    name, hand = sheet.names[form.player.data or 0], sheet.hand
    if fact == "turn_melded":
        return Choices(fact, f"Had {sheet.names[form.turn.data or 0]} melded in this hand?", YES_NO)
    most = max(hand.rules.calls_allowed, calls_on_record(hand, form.player.data or 0))
    says = f"How many calls of {name} succeeded in this hand, before this one?"
    return Choices(fact, says, tuple((str(n), str(n)) for n in range(most + 1)))


def _asked(facts: set[str], form: RulingForm, name: str) -> list[Choices]:
    card = show_cards(form.parsed()[-1].plays) if form.ask.data == "discard" else "that card"
    says = {
        "melded_this_turn": ("melded_turn", f"Had {name} already melded this turn?"),
        "melded_this_hand": ("melded_hand", f"Had {name} already melded in this hand?"),
        "drew": ("drew", f"Had {name} just taken {card} from the pile, and nothing else?"),
        "fresh": ("fresh", f"Had {name} laid that wild card this turn?"),
    }
    return [Choices(*says[fact], YES_NO) for fact in says if fact in facts]


def asked_again(line: RulingLine, sheet: ScoreSheet) -> RulingForm:
    """The question of a ruling that was given, with what the marker stated then, to replace it."""
    question, given = line.question, line.given.player
    player, said = question.player, {fact for fact, who in line.sources.items() if who == SAID}
    facts: dict[str, Any] = {"instead_of": line.entry.number, "lying": line.melds}
    facts["seen"] = tuple(meld.text for meld in question.melds[len(line.melds) :])
    facts |= {fact: question.flag(fact) for fact in said & _SAYS.keys()}
    if isinstance(sheet.hand.rules, ContractJudge):
        facts.pop("melded_this_turn", None)
        if said & CONTRACT_FACTS:
            laid = "turn" if player.melded_this_turn else "no"
            facts["contract"] = "earlier" if player.contract_met else laid
    if question.call is not None:
        stated = {"calls": question.call.calls, "turn_melded": question.call.melded}
        facts |= {fact: value for fact, value in stated.items() if fact in said}
        facts["turn"] = given if question.call.turn is None else question.call.turn
    if question.ask == DRAW:
        drawn, *above = (card.text for card in question.pile.cards)
        no_meld = bool(above) and not question.plays
        facts |= {"drawn": drawn, "above": above or ("none",), "no_meld": no_meld or None}
    if "pile" in said:
        facts["top"], facts["under"] = _pile_fields(question.pile)
    plays = [play.text for play in question.plays]
    return RulingForm.about(question.ask, given, plays).but(**facts)


def _pile_fields(pile: Pile) -> tuple[str, str]:
    """What the form says of a pile: its top card, and the one under it."""
    if not pile.cards:
        return "none", ""
    *lower, top = (card.text for card in pile.cards)
    return top, lower[-1] if lower else "none" if pile.whole else ""


def facts_stated(
    loaded: LoadedGame, hand: HandSheet, line: RulingLine, *, can_ask: bool
) -> list[FactStated]:
    """The facts that a ruling rests on; each can be changed while the ruling can be replaced."""
    sheet, sources = loaded.sheet, line.sources
    again = asked_again(line, sheet)
    name = sheet.names[line.given.player]

    def change(form: RulingForm, fact: str) -> str:
        return form.url(loaded.record.id, change=fact) if can_ask else ""

    facts = [fact for fact in sources if fact in _SAYS]
    found = _of_draw(line.question, again, loaded, can_ask=can_ask)
    if "pile" in sources:
        address = change(again.but(top="", under=""), "pile")
        source = source_of(loaded, sources["pile"])
        found.append(FactStated(_pile_says(line.question), source, address))
    in_contract = CONTRACT_FACTS.intersection(sources)
    if isinstance(hand.rules, ContractJudge) and in_contract:
        facts = [fact for fact in facts if fact not in in_contract]
        address = change(again.but(contract=""), "contract")
        source = source_of(loaded, min(sources[fact] for fact in in_contract))
        found.append(FactStated(_contract_says(line.question, name), source, address))
    for fact in facts:
        value = line.question.flag(fact)
        says = _SAYS[fact][not value].format(name=name)
        fields = _with(again, fact, value=not value).sent() if can_ask else ()
        found.append(FactStated(says, source_of(loaded, sources[fact]), fields=fields))
    return [*found, *_of_call(line, again, loaded, can_ask=can_ask)]


def _of_call(
    line: RulingLine, again: RulingForm, loaded: LoadedGame, *, can_ask: bool
) -> Iterator[FactStated]:
    """What is known of a call that is not for nothing: can it be refused, how many were there."""
    call, names = line.question.call, loaded.sheet.names
    if call is None or call.turn is None or not line.ruling.follows:
        return
    turn, name = names[call.turn], names[line.given.player]
    melded = {True: f"{turn} had", False: f"{turn} had not", None: f"Nobody said that {turn} had"}
    says = {
        "turn_melded": f"{melded[call.melded]} melded in this hand",
        "calls": f"Calls of {name} that succeeded before: {call.calls}",
    }
    for fact, source in line.sources.items():
        if fact in says:
            known = call.melded is not None or fact != "turn_melded"
            change = again.url(loaded.record.id, fact) if can_ask else ""
            yield FactStated(says[fact], source_of(loaded, source) if known else "", change)


def _of_draw(
    question: Question, again: RulingForm, loaded: LoadedGame, *, can_ask: bool
) -> list[FactStated]:
    """The cards that were drawn, each with the page on which it was entered."""
    if question.ask != DRAW:
        return []
    card, *above = question.pile.cards
    steps = ("drawn", "above")
    at = [again.url(loaded.record.id, step) if can_ask else "" for step in steps]
    lay = "Above it" if above else "Nothing lay above it"
    return [
        FactStated("Drawn", change=at[0], cards=card.text),
        FactStated(lay, change=at[1], cards=format_cards(above)),
    ]


def who_plays(sheet: ScoreSheet, line: RulingLine, *, can_ask: bool) -> WhoPlays:
    """Whose play a ruling is about; another player can be named while it can be replaced."""
    player = line.given.player
    if not can_ask:
        return WhoPlays(sheet.names[player])
    others = [(seat, sheet.names[seat]) for seat in sheet.playing if seat != player]
    return WhoPlays(sheet.names[player], others, asked_again(line, sheet).of(None).sent())


_SAYS: Final = {
    "melded_this_turn": (
        "{name} had already melded this turn",
        "{name} had not melded yet this turn",
    ),
    "melded_this_hand": (
        "{name} had already melded in this hand",
        "{name} had not melded yet in this hand",
    ),
    "drew": (
        "{name} had just taken that card from the pile",
        "{name} had not just taken that card from the pile",
    ),
    "fresh": (
        "{name} laid that wild card this turn",
        "{name} did not lay that wild card this turn",
    ),
}


def _with(form: RulingForm, fact: str, *, value: bool) -> RulingForm:
    turn = {"melded_this_turn": None} if fact == "melded_this_hand" else {}
    return form.but(**turn, **{fact: value})


def _pile_says(question: Question) -> str:
    cards = question.pile.cards
    if not cards:
        return "The pile was empty"
    if len(cards) == 1:
        return f"Top of the pile: {show_cards(cards)}"
    return f"Top of the pile: {cards[-1].shown}, on {cards[-2].shown}"


def _contract_says(question: Question, name: str) -> str:
    if question.player.contract_met:
        return f"{name} had met the contract in an earlier turn"
    if question.player.melded_this_turn:
        return f"{name} had laid the contract in this turn"
    return f"{name} had not met the contract"


def source_of(loaded: LoadedGame, source: int) -> str:
    """Where a fact comes from, in words."""
    if source == SAID:
        return "as you said"
    entry = next((one for one in loaded.entries if one.number == source), None)
    event = None if entry is None else entry.event
    if event is None:
        return "on record"
    player = getattr(event, "player", None)
    name = "somebody" if player is None else loaded.sheet.names[player]
    return f"recorded when {name} {'discarded' if _is_discard(event) else 'took the pile'}"


def _is_discard(event: Event) -> bool:
    match event:
        case PlayRecorded(play=play):
            plays: Sequence[str] = [play]
        case RulingGiven(plays=texts) | RulingEnforced(plays=texts):
            plays = texts
        case Ruled(question=question):
            plays = [play.text for play in question.plays]
        case _:
            return False
    return any(play.startswith("discard") for play in plays)
