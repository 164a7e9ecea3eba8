"""Answers for what is not there, not allowed, or not possible now."""

from __future__ import annotations

from flask import Flask
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from companion.services.books import NotFound
from companion.store import DatabaseProblem
from companion.web.pages import plain_page

SENTENCES = {
    400: "This was not sent in a way that the companion understands.",
    403: "This phone is not a marker here. Open the address that was printed at the start.",
    404: "There is nothing here. It may have been moved, or the address is not complete.",
    405: "That cannot be done at this address.",
    413: "What was sent is too large.",
    500: "Something went wrong in the companion. What was saved before is safe.",
}


def _http(problem: HTTPException) -> tuple[str, int]:
    status = problem.code or 500
    says = SENTENCES.get(status, problem.description or "That did not work.")
    return plain_page("error.html", status=status, says=says), status


def _csrf(_: CSRFError) -> tuple[str, int]:
    says = "This page is from before. Go back, reload it, and save again: your entry is kept."
    return plain_page("error.html", status=400, says=says), 400


def _not_found(_: NotFound) -> tuple[str, int]:
    return plain_page("error.html", status=404, says=SENTENCES[404]), 404


def _database(problem: DatabaseProblem) -> tuple[str, int]:
    return plain_page("error.html", status=503, says=str(problem)), 503


def init_app(app: Flask) -> None:
    """Answer every error with a page that says what to do."""
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(NotFound, _not_found)
    app.register_error_handler(DatabaseProblem, _database)
