"""How much a request may send: little, but for a saved game that a marker reads in."""

from __future__ import annotations

from typing import Final

from flask import Flask, abort, request, session

# The fullest form, an end of a hand with every card of every player, is a twentieth of this.
FORM: Final = 256 * 1024
SAVED_GAME: Final = 3_000_000
_SAVED_GAMES: Final = frozenset({"games.read_in"})


def _let_saved_games_in() -> None:
    if request.endpoint in _SAVED_GAMES and "marker" in session:
        request.max_content_length = SAVED_GAME


def _refuse_what_has_no_size() -> None:
    # It would be read as far as it may be and then taken for the whole. Browsers tell the size.
    if "Transfer-Encoding" in request.headers and request.content_length is None:
        abort(411)


def init_app(app: Flask) -> None:
    """Must come before whatever reads forms. What bounds all others is in the configuration."""
    app.before_request(_refuse_what_has_no_size)
    app.before_request(_let_saved_games_in)
