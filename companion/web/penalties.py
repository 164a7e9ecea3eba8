"""Charging a penalty, and taking it back."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("penalties", __name__)


@bp.get("/games/<game_id>/penalty")
def form(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/penalty")
def charge(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/penalties/<int:number>/withdraw")
def withdraw(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""
