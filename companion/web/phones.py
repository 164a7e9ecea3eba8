"""The phones that keep a notebook: who they are, taking one off, and bringing a lost one back."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple

from flask import Blueprint, Response, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.names import LONGEST_NAME
from companion.notebook.refusal import NotPossible
from companion.services import games, phones
from companion.services.books import NotFound
from companion.services.limits import Tried
from companion.services.phones import Phone
from companion.store import UNREADABLE, DatabaseProblem
from companion.web.acting import Errors
from companion.web.devices import device
from companion.web.house import (
    become,
    database,
    marker,
    notebook_marker,
    other_markers,
)
from companion.web.limited import limit
from companion.web.pages import plain_page
from companion.web.templating import clock

bp = Blueprint("phones", __name__)

ONLY_PHONE = (
    "This is the only phone that keeps the notebook, and nothing could bring it back: a recovery "
    "code is worthless when the phone that made it is taken off. Hand the notebook on first."
)
NOT_RECOVERED = (
    "No notebook has this recovery code. Compare it with the paper, sign by sign. It is worthless "
    "when a newer one was made, or the phone that made it was taken off the book."
)
ANOTHER_CODE = (
    "There is another recovery code now than when this page was opened. Read where it was made, "
    "then decide."
)


@bp.get("/phones")
def index() -> ResponseReturnValue:
    """The phones that keep the notebook."""
    return _list()


def _list() -> str:
    here = notebook_marker()
    return plain_page(
        "phones/index.html",
        phones=phones.phones(database(), here),
        code=phones.recovery_code(database(), here),
        lost="lost" in request.args,
    )


@bp.get("/phones/<handle>")
def show(handle: str) -> ResponseReturnValue:
    """One phone: what it is called, and taking it off the book."""
    return _page(handle)


def _page(handle: str, errors: Errors | None = None, nickname: str | None = None) -> str:
    phone = _phone(handle)
    entered = phone.nickname if nickname is None else nickname
    return plain_page(
        "phones/show.html", phone=phone, errors=errors or [], entered=entered, longest=LONGEST_NAME
    )


def _phone(handle: str) -> Phone:
    found = phones.phones(database(), notebook_marker())
    one = next((phone for phone in found if phone.handle == handle), None)
    if one is None:
        raise NotFound("phone")
    return one


@bp.post("/phones/<handle>/name")
def call(handle: str) -> ResponseReturnValue:
    """Give a phone a nickname, or take it away."""
    nickname = request.form.get("nickname", "")
    try:
        phones.call(database(), notebook_marker(), handle, nickname)
    except NotPossible as problem:
        return _page(handle, [(problem.field, str(problem))], nickname), 422
    flash("The name is saved.", "success")
    return redirect(url_for("phones.index"), 303)


@bp.post("/phones/<handle>/revoke")
def revoke(handle: str) -> ResponseReturnValue:
    """Take a phone off the book, at once."""
    here = notebook_marker()
    try:
        gone = phones.revoke(database(), here, handle)
    except phones.LastPhone:
        return _page(handle, [("", ONLY_PHONE)]), 422
    if gone.marker.id == here.id:
        return redirect(url_for("games.home"), 303)
    said = f"{gone.marker.name} keeps the notebook no longer."
    if gone.code_made_at is not None:
        said += (
            f" The recovery code of {clock(gone.code_made_at)} is worthless now: make a new one."
        )
    flash(said, "success")
    return redirect(url_for("phones.index"), 303)


# -- lost -----------------------------------------------------------------------------------------


@bp.get("/recovery-code")
def recovery_code() -> ResponseReturnValue:
    """What a recovery code is for, and the button that makes one."""
    return _recovery_page()


def _recovery_page(errors: Errors | None = None) -> str:
    known = phones.recovery_code(database(), notebook_marker())
    return plain_page("phones/recovery_code.html", code=None, known=known, errors=errors or [])


@bp.post("/recovery-code")
def new_recovery_code() -> ResponseReturnValue:
    """Make a recovery code, and show it this once."""
    replaces = request.form.get("replaces", "")
    try:
        code = phones.new_recovery_code(database(), notebook_marker(), replaces)
    except phones.AnotherCode:
        return _recovery_page([("", ANOTHER_CODE)]), 409
    return plain_page("phones/recovery_code.html", code=code, known=None, errors=[])


@bp.get("/recover")
def recover_form() -> ResponseReturnValue:
    """Where the recovery code of a lost phone is typed."""
    return plain_page("phones/recover.html", errors=[], entered="")


@bp.post("/recover")
def recover() -> ResponseReturnValue:
    """This phone keeps the notebook from now on whose recovery code was typed."""
    entered = request.form.get("code", "")[:100]
    try:
        found = phones.recover(database(), entered, device(request.user_agent.string))
    except phones.NotRecovered:
        limit(Tried.WRONG_KEY)  # nobody guesses it, so the right one is never held back
        errors = [("code", NOT_RECOVERED)]
        return plain_page("phones/recover.html", errors=errors, entered=entered), 422
    become(found)
    flash("The notebook is on this phone again.", "success")
    return redirect(url_for("phones.index", lost=1), 303)


# -- several books --------------------------------------------------------------------------------


class Book(NamedTuple):
    """Another book that this browser keeps."""

    handle: str
    name: str


def other_books() -> list[Book]:
    """The other books that this browser keeps, by what was last played in them."""
    books = []
    for one in phones.known_again(database(), other_markers()):
        lines = games.lines(database(), one).lines
        whole = "an empty notebook" if one.game_id is None else "one game"
        books.append(Book(phones.handle_of(one.id), lines[0].name if lines else whole))
    return books


@bp.app_context_processor
def books_of_page() -> dict[str, object]:
    """What the list of games needs to lead to another book."""
    return {"other_books": other_books}


@bp.post("/books/<handle>")
def turn_to(handle: str) -> ResponseReturnValue:
    """Turn to another book that this browser keeps."""
    for one in phones.known_again(database(), other_markers()):
        if phones.handle_of(one.id) == handle:
            become(one)
            return redirect(url_for("games.home"), 303)
    marker()  # 403 to a stranger
    raise NotFound("book")


# -- seen -----------------------------------------------------------------------------------------

_TEN_MINUTES: Final = 600.0
_MOST: Final = 1000
_SEEN: Final[dict[str, float]] = {}


@bp.after_app_request
def note(response: Response) -> Response:
    """Note now and then that a marker's phone asked for something; that it did costs no more."""
    one = None if request.endpoint == "static" else session.get("marker")
    if not isinstance(one, str) or time.monotonic() - _SEEN.get(one, -_TEN_MINUTES) < _TEN_MINUTES:
        return response
    if len(_SEEN) >= _MOST:
        _SEEN.clear()
    _SEEN[one] = time.monotonic()
    with suppress(DatabaseProblem):
        phones.seen(database(), one)
    return response


def when(at: datetime) -> str:
    """How long ago a phone was seen, roughly: ``today``, ``yesterday``, ``12 days ago``."""
    if at == UNREADABLE:
        return "at an unknown time"
    gone = datetime.now(UTC) - at
    if gone.total_seconds() < 3600:
        return "within the hour"
    if gone.days < 1:
        return "within a day"
    return "a day ago" if gone.days == 1 else f"{gone.days} days ago"


bp.add_app_template_filter(when, "when")
