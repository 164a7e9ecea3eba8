"""The games of a notebook: listed, begun, renamed, put away, played again."""

from __future__ import annotations

from flask import Blueprint, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import GameStarted
from companion.rules.games import GAMES
from companion.services import games
from companion.web.acting import new_key
from companion.web.house import database, marker
from companion.web.pages import plain_page

bp = Blueprint("games", __name__)


@bp.get("/")
def home() -> ResponseReturnValue:
    """The notebook: the games that are being played, and what one can begin."""
    if "marker" not in session:
        return plain_page("stranger.html")
    found, _ = games.lines(database(), marker())
    return plain_page("games/home.html", lines=found)


@bp.get("/games/new")
def new() -> ResponseReturnValue:
    """The setup of a new game."""
    marker()
    return plain_page("games/new.html", key=new_key(), errors=[])


@bp.post("/games/new")
def start() -> ResponseReturnValue:
    """Begin a game."""
    game = GAMES["proter"]
    house = game.house()
    names = tuple(name.strip() for name in request.form.getlist("name") if name.strip())
    event = GameStarted(game.id, house.sheet, dict(house.values), names, 0, "")
    game_id = games.start(database(), marker(), event, request.form["key"])
    return redirect(url_for("hand.show", game_id=game_id), 303)


@bp.get("/games/<game_id>/manage")
def manage(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return game_id
