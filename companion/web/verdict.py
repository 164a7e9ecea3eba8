"""What the page of a ruling shows: the question, the verdict, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.notebook.events import DECLARE, RulingGiven, Verdict
from companion.notebook.replay import replay
from companion.notebook.scoresheet import HandSheet, RulingLine, ScoreSheet
from companion.rules.cards import parse_meld_text
from companion.rules.contract_parts import missing
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.ruling import Consequence, TakeBack
from companion.rules.table import TakePile, parse_play
from companion.services.books import Book, NotFound, who_wrote
from companion.services.rulings import Answer, judge, judged_again, rest_of_turn
from companion.web.course import course, declared_steps
from companion.web.house import database
from companion.web.rulings_form import OF_SEVERAL, ask_url, asked_again
from companion.web.taken_back import TakenBack, by_ruling, is_open


def find(book: Book, number: int) -> tuple[HandSheet, RulingLine, bool]:
    """The ruling that an entry of the book gave, its hand, and whether it stands.

    One that was undone stays readable. Raises `NotFound` for any other entry.
    """
    for hand in book.sheet.hands:
        for line in hand.rulings:
            if line.entry.number == number:
                return hand, line, True
    if not 1 <= number <= len(book.entries):
        raise NotFound("ruling")
    event = book.entries[number - 1].event
    if not isinstance(event, RulingGiven):
        raise NotFound("ruling")
    hand = replay(book.entries[:number]).hands[event.hand - 1]
    return hand, hand.rulings[-1], False


def seen(book: Book, number: int) -> dict[str, Any]:
    """Everything that the page of a ruling shows. Raises `NotFound`."""
    sheet = book.sheet
    hand, line, stands = find(book, number)
    given = line.given
    verdict = given.verdict
    plays = [parse_play(text) for text in given.plays]
    enforced = line.enforced.number if line.enforced else None
    again = given.ask in OF_SEVERAL and given.ask != DECLARE
    answer = judged_as_then(book, number, given) if again else None
    on_contract = answer is not None and given.ask == "contract"
    back = by_ruling(sheet, hand, line)
    return {
        "number": number,
        "says": verdict.says.removesuffix(_consequence(verdict)).strip(),
        "if_melded": if_melded(sheet, hand, line) if stands else [],
        "hand": hand,
        "line": line,
        "given": given,
        "verdict": verdict,
        "stands": stands,
        "name": sheet.names[given.player],
        "next_name": sheet.names[(given.player + 1) % len(sheet.names)],
        "steps": declared_steps(plays)
        if given.ask == DECLARE
        else course(line.melds, line.pile, hand.rules, plays).steps,
        "off_table": given.ask in hand.rules.asks_off_table,
        "each": answer.plays if answer else (),
        "parts": answer.plays if answer and on_contract else (),
        "lacks": lacks(hand, answer) if answer and on_contract else "",
        "readings": [text for text in verdict.readings if is_meld_text(text)],
        "others": [
            (other.title, verdict.elsewhere[other.id])
            for other in sheet.game.sheets
            if other.id in verdict.elsewhere
        ],
        "back": back,
        "is_rest_lost": is_rest_lost(sheet, hand, line, answer),
        "is_pile_late": is_pile_late(answer),
        "charge_label": charge_label(sheet, hand, given, back),
        "penalty": next((p for p in hand.penalties if p.entry.number == enforced), None),
        "by": who_wrote(database(), book),
        "again": ask_url(book.record.id, asked_again(given)) if is_open(sheet, hand) else "",
        "is_last": sheet.can_undo is not None and sheet.can_undo.number == number,
    }


def judged_as_then(book: Book, number: int, given: RulingGiven) -> Answer | None:
    """The answer on a whole turn, judged again on the table as it then was.

    None if the question cannot be judged: a game that was read in may keep what nobody asked here.
    """
    try:
        return judged_again(book, number, given)
    except ValueError:
        return None


def is_rest_lost(
    sheet: ScoreSheet, hand: HandSheet, line: RulingLine, answer: Answer | None
) -> bool:
    """Whether legal plays of the turn stay off the table, which has changed since the ruling."""
    given = line.given
    goes_all = given.ask == "contract" or given.verdict.take_back != "play"
    if answer is None or goes_all or not is_open(sheet, hand):
        return False
    return any(ruling.legal for ruling in answer.plays) and not rest_of_turn(sheet, line)


def is_pile_late(answer: Answer | None) -> bool:
    """Whether the turn fails because the record has it begun before the pile was taken.

    The record need not hold the discard that ended a turn, so that may have been an earlier one.
    """
    if answer is None or not answer.player.begun:
        return False
    return isinstance(answer.question.plays[0], TakePile) and not answer.plays[0].legal


def lacks(hand: HandSheet, answer: Answer) -> str:
    """What first melds lack of the contract, in words; empty if nothing."""
    return missing(answer.plays, hand.rules) if isinstance(hand.rules, ContractJudge) else ""


def _consequence(verdict: Verdict) -> str:
    """The sentence of a verdict that the page says with names instead."""
    if verdict.legal:
        return ""
    take_back = TakeBack[verdict.take_back.upper()]
    return Consequence(verdict.points, take_back, verdict.turn_passes).says


def if_melded(sheet: ScoreSheet, hand: HandSheet, line: RulingLine) -> list[tuple[str, str]]:
    """The question again, had the player melded before in the turn, if that makes it legal.

    It is what is most often forgotten to be said, so it is one tap away.
    """
    given = line.given
    if given.verdict.legal or line.enforced or given.melded_this_turn or not is_open(sheet, hand):
        return []
    asked = replace(asked_again(given), melded_this_hand=True, melded_this_turn=True)
    try:
        legal = judge(sheet, asked.question(sheet)).whole.legal
    except ValueError:
        return []
    return asked.fields if legal else []


def is_meld_text(text: str) -> bool:
    """Whether the text is cards, as a kept reading should be."""
    try:
        return bool(parse_meld_text(text))
    except Malformed:
        return False


def charge_label(sheet: ScoreSheet, hand: HandSheet, given: RulingGiven, taken: TakenBack) -> str:
    """What the one button does, in words."""
    verdict = given.verdict
    charge = f"Charge {sheet.names[given.player]} {verdict.points}" if verdict.points else ""
    if charge and (
        given.ask in hand.rules.asks_off_table or taken.stays or not is_open(sheet, hand)
    ):
        return charge
    what = "melds" if given.ask == "contract" else "play"
    back = "take the turn back" if verdict.take_back == "turn" else f"take the {what} back"
    if taken.rest:
        back = "take it back, keep the rest"
    return f"{charge} and {back}" if charge else back[0].upper() + back[1:]
