"""The hands after the open one, for a marker whose phone has its marks but no network.

Their dealers and wild cards follow from the seats, their numbers, and the card that was turned;
totals do not, and their pages say so. They show nothing that marks which wait on the phone could
change.
"""

from __future__ import annotations

from dataclasses import replace

from flask import g, request

from companion.notebook.endings import ending_of
from companion.notebook.events import NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.services.game_log import LoadedGame
from companion.web.fields import small_number


def hands_ahead(sheet: ScoreSheet) -> range:
    """The numbers of the hands that have not begun and whose pages can be given all the same.

    Where somebody may win before, they reach to the last hand that there can be. Of a game of which
    nothing is written none has begun.
    """
    if sheet.over:
        return range(0)
    begun = sheet.hand.number if sheet.number else 0
    return range(begun + 1, ending_of(sheet).last_hand(sheet) + 1)


def hand_ahead(sheet: ScoreSheet, number: int | None = None) -> HandSheet | None:
    """The hand ``number``, or that of ``?hand=``, if it has not begun; otherwise None."""
    if number is None:
        number = request.args.get("hand", type=small_number)
    if number is None or number not in hands_ahead(sheet):
        return None
    g.is_ahead = True  # for `companion.web.offline`: the page lasts while the game does
    return sheet.open_hand(number)


def book_ahead(loaded: LoadedGame, number: int | None) -> LoadedGame | None:
    """The game with that hand open and nothing of it on record, if it has not begun."""
    hand = None if number is None else hand_ahead(loaded.sheet, number)
    if hand is None:
        return None
    # What can be undone now is of the hand before.
    return replace(
        loaded, sheet=replace(loaded.sheet, hands=[*loaded.sheet.hands, hand], can_undo=None)
    )


def check_hand(sheet: ScoreSheet, asked_in: int | None) -> None:
    """Raise `NotPossible` for a question that was asked in another hand than the open one.

    It is None if the question does not say: it was asked on a page of the open hand.
    """
    if asked_in not in {None, sheet.hand.number}:
        raise NotPossible(
            f"This was asked in hand {asked_in}, and hand {sheet.hand.number} is being played now."
        )


def is_ahead() -> bool:
    """Whether this request was about a hand that has not begun."""
    return bool(g.get("is_ahead"))
