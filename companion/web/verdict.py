"""The page of a ruling: what was asked, the verdict, the facts it rests on, and what follows."""

from __future__ import annotations

from typing import Any

from companion.notebook.events import Ruled, RulingGiven
from companion.notebook.replay import replay
from companion.notebook.scoresheet import HandSheet, RulingLine, ScoreSheet
from companion.rules.contracts import ContractJudge, missing
from companion.rules.question import CALL, DRAW
from companion.rules.ruling import TakeBack
from companion.services.books import Book, NotFound, who_wrote
from companion.services.rulings import can_replace, rest_of_turn
from companion.web.course import question_steps
from companion.web.facts import facts_stated, who_plays
from companion.web.house import database
from companion.web.penalties import TakenBack, by_ruling, is_open
from companion.web.rules import words_of_rules
from companion.web.rulings_form import ask_url, asked_again


def find(book: Book, number: int) -> tuple[HandSheet, RulingLine, bool]:
    """The ruling that an entry of the book gave, its hand, and whether it stands.

    One that was undone or replaced stays readable. Raises `NotFound` for any other entry.
    """
    for hand in book.sheet.hands:
        for line in hand.rulings:
            if line.entry.number == number:
                return hand, line, line.replaced is None
    if not 1 <= number <= len(book.entries):
        raise NotFound("ruling")
    event = book.entries[number - 1].event
    if not isinstance(event, RulingGiven | Ruled):
        raise NotFound("ruling")
    hand = replay(book.entries[:number]).hands[event.hand - 1]
    return hand, hand.rulings[-1], False


def seen(book: Book, number: int) -> dict[str, Any]:
    """Everything that the page of a ruling shows. Raises `NotFound`."""
    sheet = book.sheet
    hand, line, stands = find(book, number)
    player, question, ruling = line.given.player, line.question, line.ruling
    enforced = line.enforced.number if line.enforced else None
    rules = ruling.broken or _rule_of(hand, line)
    is_played = stands and is_open(sheet, hand)
    can_ask = is_played and can_replace(hand, number)
    back = by_ruling(sheet, hand, line)
    melds = [meld.text for meld in question.melds]
    on_contract = question.ask == "contract" and bool(ruling.plays)
    return {
        "number": number,
        "hand": hand,
        "line": line,
        "question": question,
        "ruling": ruling,
        "consequence": ruling.consequence,
        "takes_turn": ruling.consequence.take_back is TakeBack.TURN,
        "says": says(line),
        "stands": stands,
        "name": sheet.names[player],
        "next_name": sheet.names[sheet.next_player(player)],
        "steps": question_steps(question, melds, line.pile, hand.rules),
        "can_note": can_ask and question.ask == CALL and _can_note(sheet, line),
        "off_table": question.ask in hand.rules.asks_off_table,
        "parts": ruling.plays if on_contract else (),
        "lacks": lacks(hand, line) if on_contract else "",
        "others": [
            (other.title, ruling.elsewhere[other.id])
            for other in sheet.game.sheets
            if ruling.elsewhere.get(other.id) is not None
        ],
        "facts": facts_stated(book, hand, line, can_ask=can_ask),
        "who": who_plays(sheet, line, can_ask=can_ask),
        "is_past_change": is_played and not can_ask,
        "rules": rules,
        "words": words_of_rules(book, rules),
        "back": back,
        "is_rest_lost": is_rest_lost(sheet, hand, line),
        "charge_label": charge_label(sheet, hand, line, back),
        "penalty": next((p for p in hand.penalties if p.entry.number == enforced), None),
        "by": who_wrote(database(), book),
        "again": ask_url(book.record.id, asked_again(line, sheet)) if can_ask else "",
        "as_then": melds,
    }


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
