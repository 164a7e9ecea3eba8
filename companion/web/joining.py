"""Taking the book over: the page that a code leads to, open to anybody, and its one button."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from flask import Blueprint, current_app, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.names import LONGEST_NAME
from companion.notebook.refusal import NotPossible
from companion.services.handing_on import (
    CodeRefused,
    KeptAlready,
    Taker,
    take_digits,
    take_link,
)
from companion.services.limits import Tried
from companion.store import MarkerRecord
from companion.web.acting import Errors
from companion.web.devices import device
from companion.web.house import become, database, known_marker
from companion.web.limited import count_wrong_guess, hold_back, limit
from companion.web.pages import plain_page

bp = Blueprint("joining", __name__)

REFUSED = (
    "This code is not good: it is mistyped, older than ten minutes, or another phone has taken it. "
    "Ask for a new one, or scan it."
)
KEPT = "This phone keeps all of that already. Another phone can still take the code."


@bp.get("/join")
def join() -> ResponseReturnValue:
    """Where the digits are typed."""
    return _page(None, [])


@bp.get("/j/<key>")
def join_link(key: str) -> ResponseReturnValue:
    """What a scanned or sent code leads to. It is not even looked at: previews open links, too."""
    return _page(key, [])


@bp.post("/join")
def take() -> ResponseReturnValue:
    """This phone becomes a marker, if the digits are good."""
    digits = _digits(request.form.get("code", "")[:100])
    hold_back(Tried.CODE)
    secret = str(current_app.config["SECRET_KEY"])
    return _taken(None, lambda taker: take_digits(database(), digits, taker, secret=secret))


@bp.post("/j/<key>")
def take_by_link(key: str) -> ResponseReturnValue:
    """This phone becomes a marker, if the link is good."""
    return _taken(key, lambda taker: take_link(database(), key, taker))


def _taken(key: str | None, take: Callable[[Taker], MarkerRecord]) -> ResponseReturnValue:
    own = known_marker()
    taker = Taker(
        proof=str(session.get("csrf_token", "")),
        label=device(request.user_agent.string),
        nickname=request.form.get("nickname", ""),
        marker_id=own.id if own else None,
    )
    try:
        found = take(taker)
    except CodeRefused:
        if key is None:
            count_wrong_guess(Tried.CODE)
        else:
            limit(Tried.WRONG_KEY)
        return _page(key, [("" if key else "code", REFUSED)]), 422
    except KeptAlready:
        return _page(key, [("", KEPT)]), 422
    except NotPossible as problem:
        return _page(key, [(problem.field, str(problem))]), 422
    become(found)
    flash("This phone keeps the score now.", "success")
    if found.game_id is not None:
        return redirect(url_for("hand.show", game_id=found.game_id), 303)
    return redirect(url_for("games.home"), 303)


def _page(key: str | None, errors: Errors) -> str:
    return plain_page(
        "joining/join.html",
        link=key,
        errors=errors,
        code=request.form.get("code", "")[:100],
        nickname=request.form.get("nickname", ""),
        longest=LONGEST_NAME,
        known=known_marker() is not None,
    )


def _digits(text: str) -> str:
    """The digits that were typed, in whatever script, without what stands between them."""
    return "".join(str(unicodedata.decimal(sign)) for sign in text if sign.isdecimal())
