"""What a phone needs to send later what it could not send when it was entered.

static/js/outbox.js keeps such acts and sends them with the header ``X-Outbox``. Every answer to
it carries that header too, so that the page of a hotel's network is not taken for ours.
"""

from __future__ import annotations

from flask import Blueprint, Response, g, request, session
from flask.typing import ResponseReturnValue

from companion.web.house import marker
from companion.web.sessions import csrf_token

bp = Blueprint("outbox", __name__)

HEADER = "X-Outbox"


@bp.get("/outbox")
def token() -> ResponseReturnValue:
    """A fresh token against forged forms. Answers 403 to whoever is no marker (any more)."""
    marker()
    return {"token": csrf_token()}


@bp.app_context_processor
def keeps_score() -> dict[str, object]:
    """Whether this browser says that it is a marker: only then pages are kept on the phone.

    What waits is shown to whoever holds the phone, also if its cookie is gone.
    """
    return {"keeps_score": isinstance(session.get("marker"), str)}


@bp.after_app_request
def answer(response: Response) -> Response:
    """Tell a script what a redirect tells a browser: where to go on, and the entry it has made.

    ``X-Outbox`` names how an act was sent. ``send``: its page is open, and the next page tells what
    was done. ``later``: nobody waits for that sentence.
    """
    how = request.headers.get(HEADER)
    if how is None:
        return response
    response.headers[HEADER] = "answered"
    if response.status_code == 303:
        response.headers["X-Location"] = response.headers.pop("Location")
        if "entry" in g:
            response.headers["X-Entry"] = str(g.entry)
        response.set_data(b"")
        response.status_code = 204
        if how == "later":
            session.pop("_flashes", None)
    return response
