"""Answers for what is not there, not allowed, or not possible now: each says what to do."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, make_response, request, session
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import (
    BadHost,
    Forbidden,
    HTTPException,
    SecurityError,
    ServiceUnavailable,
)
from werkzeug.exceptions import NotFound as NoSuchAddress

from companion.services.books import NotFound
from companion.store import DatabaseProblem
from companion.web.house import game_only, taken_off
from companion.web.limited import TooOften
from companion.web.pages import plain_page
from companion.web.phones import other_books

# What happened, and what to do about it.
SAYS: Final[dict[int, tuple[str, str]]] = {
    400: (
        "Not understood",
        "What arrived is no form of the companion. Go back, reload the page, and send it again.",
    ),
    403: (
        "This phone does not keep the score here",
        "Open the address that was printed when the companion was started, or scan its code.",
    ),
    404: (
        "There is nothing here",
        "The address is not complete, or what was here is gone. Look for it among the games.",
    ),
    405: (
        "Not at this address",
        "This address only takes what its form sends. Go back to the page with the form.",
    ),
    413: (
        "Too large",
        "What was sent is larger than any form or saved game. Go back and choose another file.",
    ),
    500: (
        "Something went wrong",
        "The fault is the companion's. What was saved before is safe: go back and try again.",
    ),
}
ANY_OTHER: Final = ("Not done", "The companion could not do that. Go back and try again.")
TOO_OLD: Final = (
    "This page is too old to be saved from",
    "Go back, reload it, and save again. What you entered is kept on this phone where it can be.",
)
NO_COOKIE: Final = (
    "This browser sent no cookie",
    "Let this site keep cookies, open the address that was printed at the start, and try again.",
)
NO_REFERRER: Final = (
    "This browser hides where a form came from",
    "Over HTTPS the companion must see that. Let the browser send the Referer, and try again.",
)
ONE_GAME: Final = (
    "This phone keeps one game",
    "Only a phone that keeps the whole notebook can do this. Ask whoever handed the game on.",
)
BUSY: Final = "The database cannot be used now"


def _page(status: int, says: tuple[str, str]) -> str:
    return plain_page(
        "error.html", status=status, title=says[0], says=says[1], known="marker" in session
    )


def _answer(problem: HTTPException, page: str) -> Response:
    """A page with the headers that belong to the problem, such as the methods that are allowed."""
    response = make_response(page, problem.code or 500)
    for name, value in problem.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            response.headers[name] = value
    if "HX-Request" in request.headers:  # a whole page does not fit where a part was asked for
        response.headers["HX-Retarget"] = response.headers["HX-Reselect"] = "body"
        response.headers["HX-Reswap"] = "outerHTML"
    return response


def _http(problem: HTTPException) -> Response:
    status = problem.code or 500
    if status == 403 and taken_off():
        return _answer(problem, plain_page("phones/taken_off.html", books=other_books()))
    if status == 403 and game_only():
        return _answer(problem, _page(403, ONE_GAME))
    return _answer(problem, _page(status, SAYS.get(status, ANY_OTHER)))


def _bad_host(problem: HTTPException) -> Response:
    """In plain text: under a host that is not ours, no address can be made, and a page has some."""
    says = "The companion is not at this address. Open the one that was printed at the start."
    return Response(f"{says}\n", problem.code, content_type="text/plain; charset=utf-8")


def _csrf(problem: CSRFError) -> Response:
    says = TOO_OLD
    if "csrf_token" not in session:
        says = NO_COOKIE
    elif "referrer" in problem.description:
        says = NO_REFERRER
    return _answer(problem, _page(400, says))


def _not_found(_: NotFound) -> Response:
    return _http(Forbidden() if taken_off() else NoSuchAddress())


def _too_often(problem: TooOften) -> Response:
    return _answer(problem, _page(429, ("Too many tries", problem.says)))


def _database(problem: DatabaseProblem) -> Response:
    return _answer(ServiceUnavailable(), _page(503, (BUSY, str(problem))))


def init_app(app: Flask) -> None:
    """Answer every error with a page that says what to do."""
    app.register_error_handler(BadHost, _bad_host)
    app.register_error_handler(SecurityError, _bad_host)
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(TooOften, _too_often)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(NotFound, _not_found)
    app.register_error_handler(DatabaseProblem, _database)
