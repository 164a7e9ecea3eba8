"""What was entered for a hand that is over: it is not saved in the hand that is played now."""

from __future__ import annotations

from flask import abort, request

from companion.notebook.scoresheet import ScoreSheet
from companion.web.acting import Refused
from companion.web.pages import refused_page
from companion.web.play_form import number_in
from companion.web.upcoming_hands import hands_ahead


def hand_sent(sheet: ScoreSheet) -> int:
    """The number of the hand that the form was made for. Answers 400 to a form without it."""
    number = number_in(request.form.get("hand", ""))
    if number is None or not 1 <= number <= sheet.game.hands:
        abort(400)
    return number


def is_past(sheet: ScoreSheet, number: int | None) -> bool:
    """True if a form was made for a hand that is neither the open one nor one to come."""
    return number not in {None, sheet.hand.number, *hands_ahead(sheet)}


def past_hand_page(refused: Refused, number: int, what: str, section: str) -> tuple[str, int]:
    """The two versions side by side, for the hand that ``what`` was entered for.

    It has no form: nothing of it can be sent to another hand.
    """
    sheet = refused.book.sheet
    word = sheet.game.hand_word
    says = f"This was entered for {word} {number}, and {word} {sheet.hand.number} is being played."
    if sheet.over:
        says = f"The game is over: its last {word} is marked."
    refused.errors = [("", says)]
    is_marked = number <= len(sheet.hands) and sheet.hands[number - 1].marking is not None
    return refused_page(
        "hand/past.html", refused, section, what=what, number=number, is_marked=is_marked
    )
