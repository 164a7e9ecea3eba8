"""What a marker's phone could not send when it was entered, and sends later (static/js/outbox.js).

Such a request has the header ``X-Action``: ``send`` if its page is open, ``later`` if nobody waits
for the answer. It is answered in JSON:

    to      where to go on, with ``entry``, the last entry that was made, and ``after``, the one
            before the first
    says    why it was refused, or what it asks, with ``page`` to be shown in place of an open one

Every answer has the header too, so that the page of a hotel's network is not taken for ours.
Until these answers were JSON the header was ``X-Outbox``: a script from then, of a page that is
still open, finds no answer here, and keeps what it sent until a page is opened anew.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, g, json, request, session
from flask.typing import ResponseReturnValue

from companion.web.auth import marker
from companion.web.security import csrf_token

bp = Blueprint("outbox", __name__)

OUTBOX: Final = "X-Action"


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


def wrote(number: int) -> None:
    """Note that this request has made an entry, or had made it when it came before."""
    g.setdefault("wrote", []).append(number)


def says(*sentences: str) -> None:
    """Note what the page that answers this request says is wrong, or asks."""
    g.says = " ".join(dict.fromkeys(sentences))


@bp.before_app_request
def keep_messages() -> None:
    """Note the messages for the next page: what is sent later adds none."""
    if request.headers.get(OUTBOX) == "later":
        g.messages = list(session.get("_flashes", ()))


@bp.after_app_request
def answer(response: Response) -> Response:
    """Answer in JSON what the outbox sent."""
    how = request.headers.get(OUTBOX)
    if how is None:
        return response
    response.headers[OUTBOX] = "answered"
    told: dict[str, object] = {}
    if response.status_code == 303:
        response.status_code = 200
        told["to"] = response.headers.pop("Location")
        if "wrote" in g:
            told |= {"entry": g.wrote[-1], "after": g.wrote[0] - 1}
        if how == "later" and "_flashes" in session:
            session["_flashes"] = g.messages
    elif response.mimetype == "text/html":
        told["says"] = g.get("says", "")
        if how == "send":
            told["page"] = response.get_data(as_text=True)
    else:
        return response
    response.set_data(json.dumps(told))
    response.content_type = "application/json"
    return response
