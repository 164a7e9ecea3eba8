"""What those who look on may see: the sheet and the tally of one game."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("viewers", __name__)


@bp.get("/v/<key>")
def sheet(key: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/v/<key>/tally")
def tally(key: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/v/<key>/live")
def live(key: str) -> ResponseReturnValue:
    """To be made."""
    return ""

@bp.get("/games/<game_id>/code")
def code(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""
