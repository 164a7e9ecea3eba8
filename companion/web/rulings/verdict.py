"""The page of a ruling: what was asked, the verdict, the facts it rests on, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, flash, redirect, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.describe import asked_in_words
from companion.notebook.events import Ruled, RulingGiven
from companion.notebook.hand_sheet import HandSheet, Penalty, RulingLine
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge, missing
from companion.rules.melds import Meld
from companion.rules.question import CALL, DECLARE, DRAW
from companion.rules.ruling import Ruling, TakeBack
from companion.services.game_log import LoadedGame, NotFound, who_wrote
from companion.services.rulings import can_replace, enforced, rest_of_turn
from companion.web.actions import Refused, loaded_game, needs_rulings, write_action
from companion.web.auth import database
from companion.web.pages import game_page, refused_page
from companion.web.penalties import TakenBack, by_ruling, done, is_open
from companion.web.rules import words_of_rules
from companion.web.rulings.facts import (
    FactStated,
    WhoPlays,
    facts_stated,
    values_of_ruling,
    who_plays,
)
from companion.web.rulings.form import form_address
from companion.web.rulings.plays import Step, question_steps
from companion.web.templating import points

bp = Blueprint("rulings", __name__)
bp.before_request(needs_rulings)


def find(loaded: LoadedGame, number: int) -> tuple[HandSheet, RulingLine, bool]:
    """The ruling that an entry of the loaded gave, its hand, and whether it stands.

    One that was undone or replaced stays readable. Raises `NotFound` for any other entry.
    """
    for hand in loaded.sheet.hands:
        for line in hand.rulings:
            if line.entry.number == number:
                return hand, line, line.replaced is None
    if not 1 <= number <= len(loaded.entries):
        raise NotFound("ruling")
    event = loaded.entries[number - 1].event
    if not isinstance(event, RulingGiven | Ruled):
        raise NotFound("ruling")
    hand = replay(loaded.entries[:number]).hands[event.hand - 1]
    return hand, hand.rulings[-1], False


@dataclass(frozen=True, slots=True)
class Played:
    """A play as it was ruled on: ``of`` is the player where it is told whose it is.

    ``rated`` is the ruling on this play alone, if there were several, and ``why`` what is wrong.
    """

    step: Step
    of: str = ""
    rated: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """What carrying a ruling out does; with ``link``, the marker has to see to the table."""

    says: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class RulingPage:
    """Everything that the page of a ruling shows.

    ``stands`` is false once it was undone or replaced. ``against`` is the contract, if it is about
    first melds. ``again`` is where it is asked again, if it can be replaced; ``is_past_change``
    says that the record has gone on since. ``does`` is what the buttons do: ``charge``, ``end``,
    ``note``, or nothing.
    """

    number: int
    hand: HandSheet
    line: RulingLine
    word: str
    name: str
    stands: bool
    against: str
    played: Sequence[Played]
    call: str
    says: str
    then: str
    rules: Sequence[str]
    words: Sequence[tuple[str, Markup]]
    facts: Sequence[FactStated]
    who: WhoPlays
    again: str
    is_past_change: bool
    readings: Sequence[Meld]
    others: Sequence[str]
    penalty: Penalty | None
    notice: Notice | None
    does: str
    charge_label: str
    melds: Sequence[str]
    by: Mapping[str, str]

    @property
    def is_legal(self) -> bool:
        """True if the play is."""
        return self.line.ruling.legal


def ruling_page(loaded: LoadedGame, number: int) -> RulingPage:
    """The page of a ruling. Raises `NotFound`."""
    sheet = loaded.sheet
    hand, line, stands = find(loaded, number)
    player, question, ruling = line.given.player, line.question, line.ruling
    enforced = line.enforced.number if line.enforced else None
    rules = ruling.broken or _rule_of(hand, line)
    is_played = stands and is_open(sheet, hand)
    can_ask = is_played and can_replace(hand, number)
    back = by_ruling(sheet, hand, line)
    melds = [meld.text for meld in question.melds]
    off_table = question.ask in hand.rules.asks_off_table
    does = "note" if can_ask and question.ask == CALL and _can_note(sheet, line) else ""
    if stands and not ruling.legal and line.enforced is None and (line.charge or not off_table):
        does = "charge"
    elif is_played and ruling.legal and question.ask == DECLARE:
        does = "end"
    steps = question_steps(question, melds, line.pile, hand.rules)
    name = sheet.names[player]
    on_contract = question.ask == "contract" and bool(ruling.plays)
    lacking = lacks(hand, line) if on_contract else ""
    then = "" if ruling.legal else _then(sheet, line, off_table=off_table)
    if ruling.legal and is_played and not off_table:
        then = Markup("Added to the record.")
    return RulingPage(
        number=number,
        hand=hand,
        line=line,
        word="Legal" if ruling.legal else "Illegal",
        name=name,
        stands=stands,
        against=_contract_says(hand) if on_contract else "",
        played=[_played(step, at, ruling, name, on_contract) for at, step in enumerate(steps)],
        call=_call(sheet, line),
        says=f"Still missing: {lacking}." if lacking else says(line),
        then=then,
        rules=rules,
        words=words_of_rules(loaded, rules),
        facts=facts_stated(loaded, hand, line, can_ask=can_ask),
        who=who_plays(sheet, line, can_ask=can_ask),
        again=form_address(loaded.record.id, values_of_ruling(line, sheet)) if can_ask else "",
        is_past_change=is_played and not can_ask,
        readings=ruling.readings if off_table or not ruling.legal else (),
        others=_elsewhere(sheet, ruling),
        penalty=next((p for p in hand.penalties if p.entry.number == enforced), None),
        notice=_notice(back, name, is_rest_lost=is_rest_lost(sheet, hand, line)),
        does=does,
        charge_label=charge_label(sheet, hand, line, back),
        melds=melds,
        by=who_wrote(database(), loaded),
    )


def _played(step: Step, at: int, ruling: Ruling, name: str, on_contract: bool) -> Played:
    if at >= len(ruling.plays):
        return Played(step, name)
    one = ruling.plays[at]
    if not on_contract:
        return Played(step, name, "legal" if one.legal else "illegal")
    why = " ".join(dict.fromkeys(breach.says for breach in one.breaches))
    return Played(step, "", one.says if one.legal else "not part of it", why)


def _call(sheet: ScoreSheet, line: RulingLine) -> str:
    """A call in words; empty if it is about a play."""
    call = line.question.call
    if call is None:
        return ""
    turn = Markup("the player’s own turn")
    if call.turn is not None:
        turn = Markup("the turn of <bdi>{}</bdi>").format(sheet.names[call.turn])
    return Markup("<bdi>{}</bdi> calls in {}").format(sheet.names[line.given.player], turn)


def _then(sheet: ScoreSheet, line: RulingLine, *, off_table: bool) -> str:
    """What follows from an illegal play: its points, and what is taken back."""
    player, consequence = line.given.player, line.ruling.consequence
    taken = "" if off_table else _taken_back(line)
    if not (consequence.points or taken):
        return ""
    then = Markup("No points.")
    if consequence.points:
        charged = (points(consequence.points), sheet.names[player], line.charge)
        then = Markup("{} to <bdi>{}</bdi> ({}).").format(*charged)
    if taken and consequence.turn_passes:
        follows = sheet.names[sheet.next_player(player)]
        return then + Markup(" {}; <bdi>{}</bdi> plays next.").format(taken, follows)
    return then + (f" {taken}." if taken else "")


def _elsewhere(sheet: ScoreSheet, ruling: Ruling) -> list[str]:
    """How the game's other sheets rule, where they do."""
    said = [(one.title, ruling.elsewhere.get(one.id)) for one in sheet.game.sheets]
    return [
        f"{'Legal' if legal else 'Illegal'} on the {title} sheet{' too' * (legal == ruling.legal)}."
        for title, legal in said
        if legal is not None
    ]


def _notice(back: TakenBack, name: str, *, is_rest_lost: bool) -> Notice | None:
    """What carrying the ruling out does to the recorded table, or leaves to the marker."""
    if back.off:
        return Notice(f"Carrying it out takes off the recorded table: {'; '.join(back.off)}.")
    if back.stays:
        says = Markup(
            "The recorded table has <bdi>{}</bdi> already, so the cards of <bdi>{}</bdi> stay on "
            "it: {}. To take them off, undo what came after first."
        )
        return Notice(says.format(back.since, name, "; ".join(back.stays)), "The recorded table")
    if back.rest:
        rest = "; ".join(back.rest)
        return Notice(f"Carrying it out adds the rest of the turn to the recorded table: {rest}.")
    changed = (
        "The recorded table has changed since the ruling, so the rest of the turn is not added to "
        "it by itself."
    )
    return Notice(changed, "Record it there") if is_rest_lost else None


def _contract_says(hand: HandSheet) -> str:
    rules = hand.rules
    return rules.contract_says if isinstance(rules, ContractJudge) else ""


def _taken_back(line: RulingLine) -> str:
    """What is taken back if the play is not legal, in words."""
    if line.ruling.consequence.take_back is TakeBack.TURN:
        return "The whole turn is taken back"
    what = "melds are" if line.question.ask == "contract" else "play is"
    return f"The {what} taken back"


def _can_note(sheet: ScoreSheet, line: RulingLine) -> bool:
    """True if the last entry ruled a call legal, and one more free call of the player fits."""
    rules, calls = sheet.hand.rules, sheet.hand.calls.count(line.given.player)
    is_last = sheet.can_undo is not None and sheet.can_undo.number == line.entry.number
    return is_last and line.ruling.legal and calls < rules.calls_allowed


def _rule_of(hand: HandSheet, line: RulingLine) -> tuple[str, ...]:
    """The rule whose words are shown of a legal call or draw; no other legal play needs one."""
    rules = {CALL: hand.rules.calls_rule, DRAW: hand.rules.turn_rule}
    return (rules[line.question.ask],) if line.question.ask in rules else ()


def says(line: RulingLine) -> str:
    """Why a play is legal or not; what follows from it stands beside that."""
    ruling = line.ruling
    if ruling.breaches:
        return " ".join(dict.fromkeys(breach.says for breach in ruling.breaches))
    return ruling.says


def is_rest_lost(sheet: ScoreSheet, hand: HandSheet, line: RulingLine) -> bool:
    """True if legal plays of a turn stay off the table, which has changed since the ruling."""
    takes_play = line.ruling.consequence.take_back is TakeBack.PLAY
    if line.question.ask != "turn" or not takes_play or not is_open(sheet, hand):
        return False
    return any(play.legal for play in line.ruling.plays) and not rest_of_turn(sheet, line)


def lacks(hand: HandSheet, line: RulingLine) -> str:
    """What first melds lack of the contract, in words; empty if nothing."""
    rules = hand.rules
    return missing(line.ruling.plays, rules) if isinstance(rules, ContractJudge) else ""


def charge_label(sheet: ScoreSheet, hand: HandSheet, line: RulingLine, taken: TakenBack) -> str:
    """What the one button does, in words."""
    cost = line.ruling.consequence.points
    charge = f"Charge {sheet.names[line.given.player]} {cost}" if cost else ""
    off_table = line.question.ask in hand.rules.asks_off_table
    if charge and (off_table or taken.stays or not is_open(sheet, hand)):
        return charge
    what = "melds" if line.question.ask == "contract" else "play"
    takes_turn = line.ruling.consequence.take_back is TakeBack.TURN
    back = "take the turn back" if takes_turn else f"take the {what} back"
    if taken.rest:
        back = "take it back, keep the rest"
    return f"{charge} and {back}" if charge else back[0].upper() + back[1:]


@bp.get("/games/<game_id>/rulings")
def index(game_id: str) -> ResponseReturnValue:
    """Every ruling of the game, those of the open hand first."""
    loaded = loaded_game(game_id)
    hands = [(hand, hand.all_rulings[::-1]) for hand in reversed(loaded.sheet.hands)]
    plays = {
        line.entry.number: asked_in_words(line.question, loaded.sheet)
        for hand, _ in hands
        for line in hand.rulings
    }
    return game_page("rulings/index.html", loaded, "Rulings", hands=hands, plays=plays)


@bp.get("/games/<game_id>/rulings/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """A ruling with its question, the table that it was given on, and what follows."""
    loaded = loaded_game(game_id)
    page = ruling_page(loaded, number)
    return game_page("rulings/show.html", loaded, "Rulings", errors=[], page=page)


@bp.post("/games/<game_id>/rulings/<int:number>/enforce")
def enforce(game_id: str, number: int) -> ResponseReturnValue:
    """Carry a ruling out: charge what it costs, and take the play or the turn back."""
    loaded = loaded_game(game_id)
    hand, _, _ = find(loaded, number)
    try:
        after, entry = write_action(game_id, lambda sheet: enforced(sheet, hand.number, number))
    except Refused as refused:
        page = ruling_page(refused.loaded, number)
        return refused_page("rulings/show.html", refused, "Rulings", page=page)
    what = done(after, entry)
    flash(what.says, "success")
    # Where cards of the turn stay on the recorded table, that is what has to be looked at next.
    return redirect(url_for("table.show" if what.stays else "hand.show", game_id=game_id), 303)
