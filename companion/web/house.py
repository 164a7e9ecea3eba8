"""Who is who: the house key makes a browser a marker with a notebook of its own."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import cast

from flask import Blueprint, Flask, abort, current_app, g, redirect, session, url_for
from flask.typing import ResponseReturnValue

from companion.services import games
from companion.store import Database, MarkerRecord

bp = Blueprint("house", __name__)


def keep_keys(app: Flask) -> None:
    """Read the secret and the house key from the instance folder, or make them once."""
    folder = Path(app.instance_path)
    if app.config.get("SECRET_KEY") is None:
        app.config["SECRET_KEY"] = _kept(folder / "secret.key", 32)
    if app.config.get("HOUSE_KEY") is None:
        app.config["HOUSE_KEY"] = _kept(folder / "house.key", 16)


def _kept(path: Path, size: int) -> str:
    """The key in a file that only its owner may read; made if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="ascii").strip()
        if len(key) >= size:
            return key
        path.unlink()  # cut short while it was being written
        return _kept(path, size)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(size)
        file.write(key + "\n")
    return key


def database() -> Database:
    """The application's database."""
    return cast("Database", current_app.extensions["companion_database"])


def marker_id() -> str:
    """The marker that this browser is. Answers 403 to a stranger."""
    known = session.get("marker")
    if not isinstance(known, str):
        abort(403)
    return known


def marker() -> MarkerRecord:
    """The marker that this browser is, from the store. Answers 403 to a stranger."""
    if "marker" not in g:
        g.marker = games.find_marker(database(), marker_id())
    if g.marker is None:
        abort(403)
    return cast("MarkerRecord", g.marker)


@bp.get("/k/<key>")
def open_house(key: str) -> ResponseReturnValue:
    """The address printed at the start: this browser becomes a marker, unless it is one."""
    if not hmac.compare_digest(key.encode(), str(current_app.config["HOUSE_KEY"]).encode()):
        abort(404)
    known = session.get("marker")
    if not isinstance(known, str) or games.find_marker(database(), known) is None:
        session.clear()
        session["marker"] = games.open_as_marker(database(), "Marker").id
    session.permanent = True
    return redirect(url_for("games.home"), 303)
