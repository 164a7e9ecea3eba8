"""The end of a hand: marking it, and correcting it later."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("end", __name__)


@bp.get("/games/<game_id>/end")
def form(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/end")
def mark(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/end/preview")
def preview(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/throw-in")
def throw_in(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/hands/<int:number>/correct")
def correct_form(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/hands/<int:number>/correct")
def correct(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""
