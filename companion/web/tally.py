"""The final tally: for the printer, for spreadsheets, for another installation."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("tally", __name__)


@bp.get("/games/<game_id>/tally")
def show(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/tally.csv")
def as_csv(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/game.json")
def as_json(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""
