"""Pages of the game that is played again after another one, before it is begun.

A phone keeps them for when it has no network. They are at the addresses that the game will have,
and name the game before it: ``?follows=<id>``.
"""

from __future__ import annotations

from typing import Any, Final

from flask import g, request

from companion.services.game_log import LoadedGame, NotFound, load_game
from companion.services.games import next_game
from companion.web.fields import small_number
from companion.web.house import database, marker_id, notebook_marker
from companion.web.upcoming_hands import hands_ahead

OF_HANDS: Final = frozenset(
    {"hand.show", "end.form", "penalties.form", "rulings.form", "table.show", "upcards.form"}
)
OF_GAME: Final = frozenset({"rules.of_game", "turned.form", "offline.hands_together"})


def after(loaded: LoadedGame) -> LoadedGame:
    """The game that follows on a game. In this request its pages are linked as those of one."""
    to_come = next_game(loaded)
    g.follows = to_come.record.id, loaded.record.id
    return to_come


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
    loaded = after(before)
    number = request.args.get("hand", type=small_number)
    is_there = endpoint in OF_GAME or number in hands_ahead(loaded.sheet)
    if loaded.record.id != game_id or before.sheet.deleted or not is_there:
        raise NotFound("game")
    return loaded


def not_begun_after() -> str:
    """The game before the one that this request is about, if that is not begun."""
    return str(g.get("follows", ("", ""))[1])


def name_the_game_before(endpoint: str, values: dict[str, Any]) -> None:
    """Say so in the addresses of its pages, and first, as static/sw.js looks for them."""
    game_id, before = g.get("follows", ("", ""))
    if before and values.get("game_id") == game_id and endpoint in OF_HANDS | OF_GAME:
        rest = {**values}
        values.clear()
        values.update(follows=before, **rest)
