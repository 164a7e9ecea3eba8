"""How much a request may send: little, but for a saved game that a marker reads in."""

from __future__ import annotations

from typing import Final

from flask import Flask, request, session

# The fullest form, an end of a hand with every card of every player, is a twentieth of this.
FORM: Final = 256 * 1024
SAVED_GAME: Final = 3_000_000
_SAVED_GAMES: Final = frozenset({"games.read_in"})


def _let_saved_games_in() -> None:
    if request.endpoint in _SAVED_GAMES and "marker" in session:
        request.max_content_length = SAVED_GAME


def init_app(app: Flask) -> None:
    """Must come before whatever reads forms. What bounds all others is in the configuration."""
    app.before_request(_let_saved_games_in)
