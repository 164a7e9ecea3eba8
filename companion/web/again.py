"""Playing again: the next game of the same people, by the same rules."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import NotPossible
from companion.rules.errors import Malformed
from companion.services.games import begin_next_game, has_next_game, next_game
from companion.web.acting import Errors, key_sent, loaded_game
from companion.web.house import database, notebook_marker
from companion.web.next_game import after, name_the_game_before
from companion.web.outbox import wrote
from companion.web.pages import game_page

bp = Blueprint("again", __name__)
bp.app_url_defaults(name_the_game_before)


@bp.get("/games/<game_id>/again")
def form(game_id: str) -> ResponseReturnValue:
    """Who plays again and who deals first, before the game begins; or where it is, if it has."""
    notebook_marker()
    return _page(game_id)


@bp.post("/games/<game_id>/again")
def begin(game_id: str) -> ResponseReturnValue:
    """Begin the next game. It is one, however often it is begun."""
    writer = notebook_marker()
    try:
        following = begin_next_game(database(), writer, game_id, key_sent())
    except (NotPossible, Malformed) as problem:
        return _page(game_id, [("", str(problem))]), 422
    wrote(1)  # also where it had begun: what waits to be written in it comes after that
    return redirect(url_for("hand.show", game_id=following), 303)


def _page(game_id: str, errors: Errors | None = None) -> str:
    loaded = loaded_game(game_id)
    if has_next_game(database(), notebook_marker().id, game_id):
        begun = next_game(loaded).record.id
        return game_page("games/again.html", loaded, "", before=game_id, begun=begun, errors=[])
    to_come = after(loaded)
    return game_page("games/again.html", to_come, "", before=game_id, errors=errors or [])
