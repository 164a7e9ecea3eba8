"""For whatever watches over the server: is it alive, and can it be given requests?"""

from __future__ import annotations

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from companion.store import DatabaseProblem
from companion.web.house import database

bp = Blueprint("health", __name__)


def _text(says: str, status: int = 200) -> Response:
    return Response(f"{says}\n", status, content_type="text/plain; charset=utf-8")


@bp.get("/healthz")
def alive() -> ResponseReturnValue:
    """The process answers."""
    return _text("alive")


@bp.get("/readyz")
def ready() -> ResponseReturnValue:
    """The database answers and is at this version of the program; otherwise 503 and why not."""
    try:
        database().require_ready()
    except DatabaseProblem as problem:
        return _text(f"not ready: {problem.reason}", 503)
    return _text("ready")
