"""The page of a ruling: what was asked, the verdict, the facts it rests on, and what follows."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, redirect, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.describe import asked_in_words
from companion.notebook.events import Ruled, RulingGiven
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge, missing
from companion.rules.question import CALL, DECLARE, DRAW
from companion.rules.ruling import TakeBack
from companion.services.game_log import LoadedGame, NotFound, who_wrote
from companion.services.rulings import can_replace, enforced, rest_of_turn
from companion.web.acting import Refused, act, loaded_game, needs_rulings
from companion.web.auth import database
from companion.web.pages import game_page, refused_page
from companion.web.penalties import TakenBack, by_ruling, done, is_open
from companion.web.rules import words_of_rules
from companion.web.rulings.facts import asked_again, facts_stated, who_plays
from companion.web.rulings.plays import question_steps

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


def ruling_context(loaded: LoadedGame, number: int) -> dict[str, Any]:
    """Everything that the page of a ruling shows. Raises `NotFound`."""
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
    can_note = can_ask and question.ask == CALL and _can_note(sheet, line)
    does = "note" if can_note else ""
    if stands and not ruling.legal and line.enforced is None and (line.charge or not off_table):
        does = "charge"
    elif is_played and ruling.legal and question.ask == DECLARE:
        does = "end"
    on_contract = question.ask == "contract" and bool(ruling.plays)
    return {
        "number": number,
        "hand": hand,
        "line": line,
        "question": question,
        "ruling": ruling,
        "consequence": ruling.consequence,
        "taken_back": "" if off_table else _taken_back(line),
        "says": says(line),
        "stands": stands,
        "name": sheet.names[player],
        "next_name": sheet.names[sheet.next_player(player)],
        "steps": question_steps(question, melds, line.pile, hand.rules),
        "can_note": can_note,
        "off_table": off_table,
        "is_open": is_open(sheet, hand),
        "does": does,
        "parts": ruling.plays if on_contract else (),
        "lacks": lacks(hand, line) if on_contract else "",
        "others": [
            (other.title, ruling.elsewhere[other.id])
            for other in sheet.game.sheets
            if ruling.elsewhere.get(other.id) is not None
        ],
        "facts": facts_stated(loaded, hand, line, can_ask=can_ask),
        "who": who_plays(sheet, line, can_ask=can_ask),
        "is_past_change": is_played and not can_ask,
        "rules": rules,
        "words": words_of_rules(loaded, rules),
        "back": back,
        "is_rest_lost": is_rest_lost(sheet, hand, line),
        "charge_label": charge_label(sheet, hand, line, back),
        "penalty": next((p for p in hand.penalties if p.entry.number == enforced), None),
        "by": who_wrote(database(), loaded),
        "again": asked_again(line, sheet).url(loaded.record.id) if can_ask else "",
        "as_then": melds,
    }


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
    points = line.ruling.consequence.points
    charge = f"Charge {sheet.names[line.given.player]} {points}" if points else ""
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
    return game_page(
        "rulings/show.html", loaded, "Rulings", errors=[], **ruling_context(loaded, number)
    )


@bp.post("/games/<game_id>/rulings/<int:number>/enforce")
def enforce(game_id: str, number: int) -> ResponseReturnValue:
    """Carry a ruling out: charge what it costs, and take the play or the turn back."""
    loaded = loaded_game(game_id)
    hand, _, _ = find(loaded, number)
    try:
        after, entry = act(game_id, lambda sheet: enforced(sheet, hand.number, number))
    except Refused as refused:
        return refused_page(
            "rulings/show.html", refused, "Rulings", **ruling_context(refused.loaded, number)
        )
    what = done(after, entry)
    flash(what.says, "success")
    # Where cards of the turn stay on the recorded table, that is what has to be looked at next.
    return redirect(url_for("table.show" if what.stays else "hand.show", game_id=game_id), 303)
