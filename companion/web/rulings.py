"""Disputes: asking for a ruling, keeping it, carrying it out; the recorded table."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

bp = Blueprint("rulings", __name__)


@bp.get("/games/<game_id>/rulings")
def index(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/rulings/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/rulings/<int:number>/enforce")
def enforce(game_id: str, number: int) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.get("/games/<game_id>/table")
def table(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""


@bp.post("/games/<game_id>/table")
def record(game_id: str) -> ResponseReturnValue:
    """To be made."""
    return ""
