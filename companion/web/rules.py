"""The rules of the games, numbered as in the rulebook."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("rules", __name__)


@bp.get("/rules")
def index() -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/rules/<game>")
def show(game: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/rules")
def of_game(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""
