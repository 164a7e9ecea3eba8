"""The score sheet, one hand of it, and the record of every entry."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("sheet", __name__)


@bp.get("/games/<game_id>/sheet")
def show(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/hands/<int:number>")
def hand(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/log")
def log(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""
