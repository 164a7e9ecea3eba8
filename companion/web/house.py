"""Who is who: the house key makes a browser a marker with a notebook of its own."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from flask import Blueprint, Flask, abort, current_app, g, redirect, request, session, url_for
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue

from companion.services import games
from companion.services.limits import Tried
from companion.store import Database, MarkerRecord, same_key
from companion.web.devices import device
from companion.web.key_files import kept_key
from companion.web.limited import limit
from companion.web.signed_once import VerifiedOnce

bp = Blueprint("house", __name__)


@bp.record_once
def _set_up(state: BlueprintSetupState) -> None:
    cast("Flask", state.app).session_interface = VerifiedOnce()


def keep_keys(app: Flask) -> None:
    """Read the secret and the house key from the instance folder, or make them once.

    Raises ``OSError`` if that cannot be done.
    """
    folder = Path(app.instance_path)
    if app.config.get("SECRET_KEY") is None:
        app.config["SECRET_KEY"] = kept_key(folder / "secret.key", 32)
    if app.config.get("HOUSE_KEY") is None:
        app.config["HOUSE_KEY"] = kept_key(folder / "house.key", 16)


def database() -> Database:
    """The application's database."""
    return cast("Database", current_app.extensions["companion_database"])


def marker_id() -> str:
    """The marker that this browser says it is. Answers 403 to a stranger."""
    known = session.get("marker")
    if not isinstance(known, str):
        abort(403)
    return known


def known_marker() -> MarkerRecord | None:
    """The marker that this browser is, from the store; None for a stranger."""
    if "marker" not in g:
        known = session.get("marker")
        g.marker = games.find_marker(database(), known) if isinstance(known, str) else None
    return cast("MarkerRecord | None", g.marker)


def marker() -> MarkerRecord:
    """The marker that this browser is, from the store. Answers 403 to a stranger."""
    found = known_marker()
    if found is None:
        abort(403)
    return found


@bp.get("/k/<key>")
def open_house(key: str) -> ResponseReturnValue:
    """The address printed at the start: this browser becomes a marker, unless it is one.

    Opening it again keeps the notebook, and the cookie for another year.
    """
    if not same_key(key, str(current_app.config["HOUSE_KEY"])):
        limit(Tried.WRONG_KEY)
        abort(404)
    if request.method == "HEAD":  # whoever only asks whether the address is good
        return redirect(url_for("games.home"), 303)
    if known_marker() is None:
        limit(Tried.NOTEBOOK)
        session.clear()
        label = device(request.user_agent.string)
        session["marker"] = games.open_as_marker(database(), label).id
    session.permanent = True
    return redirect(url_for("games.home"), 303)
