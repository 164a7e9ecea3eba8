"""Hands and games that have not begun, for a phone that keeps their pages and has no network.

Dealers and wild cards of the hands after the open one follow from the seats, their numbers, and the
card that was turned; totals do not, and their pages say so. They show nothing that marks which wait
on the phone could change.

Pages of the game that is played again after another one are at the addresses that the game will
have, and name the game before it: ``?follows=<id>``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flask import request

from companion.notebook.endings import ending_of
from companion.notebook.events import NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.services.game_log import LoadedGame, NotFound, load_game
from companion.services.games import next_game
from companion.web.auth import database, marker_id, notebook_marker
from companion.web.fields import small_number

OF_HANDS: Final = frozenset(
    {"hand.show", "end.form", "penalties.form", "rulings.form", "table.show", "upcards.form"}
)
OF_GAME: Final = frozenset({"rules.of_game", "hand.turned_form", "offline.hands_together"})


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


# -- the game that follows on another one ----------------------------------------------------------


def not_begun(game_id: str) -> LoadedGame:
    """The game of that id, if this is the address of a page of a game that follows on another one.

    Raises `NotFound` for every other address and for whoever keeps no such game before it. Answers
    403 to a marker of one game alone, who begins no other.
    """
    endpoint = request.endpoint or ""
    if request.method != "GET" or endpoint not in OF_HANDS | OF_GAME:
        raise NotFound("game")
    before = load_game(database(), request.args.get("follows", ""), marker_id())
    notebook_marker()
    loaded = next_game(before)
    number = request.args.get("hand", type=small_number)
    is_there = endpoint in OF_GAME or number in hands_ahead(loaded.sheet)
    if loaded.record.id != game_id or before.sheet.deleted or not is_there:
        raise NotFound("game")
    return loaded
