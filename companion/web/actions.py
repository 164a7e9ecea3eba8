"""From a form to an event in the notebook, and what to answer when it cannot be."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from flask import abort, g, request

from companion.notebook.events import Entry, Event, NotPossible
from companion.rules.errors import Ambiguous, Illegal, Malformed, NotInThisGame
from companion.services import game_log
from companion.services.game_log import Conflict, LoadedGame, Make, NotFound, load_game
from companion.web.auth import database, marker_id
from companion.web.fields import small_number
from companion.web.outbox import wrote
from companion.web.upcoming import OF_GAME, OF_HANDS, not_begun

Errors = list[tuple[str, str]]


class Refused(Exception):
    """An action that was not written down, and why.

    ``status`` is 422 (it cannot be) or 409 (the game has changed); ``errors`` pairs the id of a
    field with a sentence; ``loaded`` is the game as it stands, ``meanwhile`` what the marker had
    not seen of it, ``meant`` the event that was not written.
    """

    def __init__(
        self,
        status: int,
        errors: Errors,
        loaded: LoadedGame,
        meanwhile: Sequence[Entry] = (),
        meant: Event | None = None,
    ) -> None:
        super().__init__("; ".join(sentence for _, sentence in errors))
        self.status = status
        self.errors = errors
        self.loaded = loaded
        self.meanwhile = tuple(meanwhile)
        self.meant = meant


def form_key(game_id: str, base: int, form: str) -> str:
    """Return the idempotency key of this marker's form after entry ``base``: always the same one.

    What is kept on a phone without a network has a key of its own: two actions that were made on
    one base are two.
    """
    parts = (marker_id(), game_id, str(base), form)
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:20]


def key_sent() -> str:
    """The idempotency key that the form carries. Raises `NotPossible` if it carries none."""
    key = request.form.get("key", "")
    if not (1 <= len(key) <= 100 and key.isascii() and key.isprintable() and " " not in key):
        raise NotPossible(
            "This page was not sent whole. What you entered is still here: try again."
        )
    return key


def loaded_game(game_id: str) -> LoadedGame:
    """The game, if this browser is a marker of its notebook; otherwise 403 or 404.

    For a page that says so, the game as it is before it is begun (`companion.web.upcoming`).
    """
    try:
        loaded = load_game(database(), game_id, marker_id())
    except NotFound:
        loaded = not_begun(game_id)
    g.loaded = loaded
    return loaded


def shown_game() -> LoadedGame | None:
    """Return the game that this request is about, as it was loaded; None if it is about none."""
    loaded: LoadedGame | None = g.get("loaded")
    return loaded


def name_the_game_before(endpoint: str, values: dict[str, Any]) -> None:
    """In the addresses of pages of a game that is not begun, say which game it follows on.

    That comes first, as static/sw.js looks for it.
    """
    loaded = shown_game()
    if loaded is None or not loaded.follows or endpoint not in OF_HANDS | OF_GAME:
        return
    if values.get("game_id") == loaded.record.id:
        rest = {**values}
        values.clear()
        values.update({"follows": loaded.follows} | rest)


def needs_rulings() -> None:
    """Before a request about rulings: answer 404 in a game in which there are none."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id and not loaded_game(game_id).sheet.game.has_rulings:
        abort(404)


def needs_table() -> None:
    """Before a request about cards on a table: answer 404 in a game that lays none there."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id and not loaded_game(game_id).sheet.game.lays_on_table:
        abort(404)


def write_action(game_id: str, make: Make, *earlier: Entry) -> tuple[LoadedGame, Entry]:
    """Write down what the form says, on the base and with the key that it carries.

    Where one form makes several events, ``earlier`` are the entries that it has made. Raises
    `Refused` with everything that is needed to show the form again.
    """
    try:
        key, base = key_sent(), _base()
        if earlier:
            key, base = f"{key[:97]}+{len(earlier)}", earlier[-1].number
        hand = request.form.get("hand", type=small_number)
        written = game_log.write(
            database(), game_id, marker_id(), base=base, key=key, make=make, hand=hand
        )
        wrote(written[1].number)
        return written
    except Conflict as conflict:
        sentence = "The game has changed since this page was opened. Look, then save again."
        raise Refused(
            409, [("", sentence)], conflict.loaded, conflict.meanwhile, conflict.meant
        ) from None
    except (NotPossible, Malformed, Illegal, NotInThisGame) as problem:
        raise Refused(422, [(field_id(problem), str(problem))], loaded_game(game_id)) from None


def field_id(problem: ValueError) -> str:
    """The id of the form's field that a problem is about; empty if it is about none."""
    if isinstance(problem, NotPossible):
        return problem.field.replace(".", "-")
    if isinstance(problem, Ambiguous | Malformed):
        return problem.where.replace(".", "-")
    return ""


def _base() -> int:
    """The number of the entry that the form was made after; one that never was, if it has none."""
    text = request.form.get("base", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
