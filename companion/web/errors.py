"""Pages for what is missing, not allowed, or not possible now. Each says what to do."""

from __future__ import annotations

from typing import Final

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    render_template,
    request,
    session,
    url_for,
)
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import (
    BadHost,
    Forbidden,
    HTTPException,
    NotFound as NoSuchAddress,
    SecurityError,
    ServiceUnavailable,
)

from companion.rules.language import gettext as _, noted
from companion.services import NotFound
from companion.services.game_log import DamagedGame
from companion.services.seasons import DamagedSeason
from companion.store import DatabaseProblem
from companion.web.auth import TooOften, game_only, removed
from companion.web.monitoring import troubles
from companion.web.pages import Page
from companion.web.phones import other_notebooks

bp = Blueprint("errors", __name__)

# What happened, and what to do about it.
SAYS: Final[dict[int, tuple[str, str]]] = {
    400: (
        noted("Not understood"),
        noted("We couldn't read that form. Reload the page and try again."),
    ),
    403: (
        noted("This phone does not keep the score here"),
        noted("Open the address that was printed at the start, or scan its code."),
    ),
    404: (
        noted("Page not found"),
        noted("The address is incomplete, or what was here is gone. Look in the list of games."),
    ),
    405: (
        noted("Not at this address"),
        noted("This page can't be opened directly. Go back to the page with the form."),
    ),
    413: (
        noted("Too large"),
        noted("That is larger than any form or saved game. Go back and choose another file."),
    ),
    500: (
        noted("Something went wrong"),
        noted(
            "This is a fault of the companion. What was saved before is safe: go back and try "
            "again."
        ),
    ),
}
ANY_OTHER: Final = (
    noted("Not done"),
    noted("The companion could not do that. Go back and try again."),
)
TOO_OLD: Final = (
    noted("This page is too old to save from"),
    noted(
        "Go back, reload the page, and save again. What you entered is kept on this phone where "
        "it can be."
    ),
)
NO_COOKIE: Final = (
    noted("This browser sent no cookie"),
    noted(
        "Allow cookies for this site, open the address that was printed at the start, and try "
        "again."
    ),
)
NO_REFERRER: Final = (
    noted("This browser hides where a form came from"),
    noted(
        "Over HTTPS the companion must see that. Allow the browser to send the Referer, and try "
        "again."
    ),
)
ONE_GAME: Final = (
    noted("This phone keeps one game"),
    noted(
        "Only a phone that keeps the whole notebook can do this. Ask whoever transferred the game "
        "to you."
    ),
)
BUSY: Final = noted("The database cannot be used now")
NOT_SAVED: Final = noted(
    "What you entered is not saved yet. Go back: the form still has it, and this phone keeps it"
    " where it can. Save it again when this is over; it will not be saved twice."
)
DAMAGED: Final = {
    DamagedGame: (
        noted("This game is damaged"),
        noted(
            "What was saved of it can no longer be read, so it is not shown. Whoever runs the"
            " companion can find the damage with `python3 -m companion doctor`, and restore a"
            " backup."
        ),
    ),
    DamagedSeason: (
        noted("This season is damaged"),
        noted(
            "How it is scored can no longer be read, so it is not shown."
            " Its games are safe: delete the season and make a new one."
        ),
    ),
}
# Reasons after which nobody knows whether the last action was saved.
UNSURE: Final = frozenset({"disk", "unreachable"})
# The parameters of addresses that are looked up in the database.
STORED: Final = frozenset({"game_id", "person_id", "season_id"})


def _page(problem: HTTPException, says: tuple[str, str], then: str = "") -> Response:
    """Return a page that says what happened, what to do about it, and what follows."""
    home = _("All games") if "marker" in session else _("To the start")
    links = [(home, url_for("games.home"), "wide")]
    if (problem.code or 500) >= 500 and request.method == "GET":
        links.insert(0, (_("Try again"), "", "quiet"))
    title, lead = map(_, says)
    page = render_template(
        "plain.html", title=title, lead=lead, says=[then] if then else [], links=links
    )
    return _respond(problem, Page(page, lead))


def _respond(problem: HTTPException, page: Page | str) -> Response:
    """Return a page with the problem's status and headers, such as the methods allowed."""
    response = make_response(page, problem.code or 500, problem.get_headers())
    if "HX-Request" in request.headers:  # a whole page cannot replace a part of one
        response.headers["HX-Retarget"] = response.headers["HX-Reselect"] = "body"
        response.headers["HX-Reswap"] = "outerHTML"
    return response


@bp.app_errorhandler(HTTPException)
def any_other(problem: HTTPException) -> Response:
    """Say what the status means, and what to do."""
    if problem.code == 403 and removed():
        return _respond(problem, render_template("removed.html", notebooks=other_notebooks()))
    if problem.code == 403 and game_only():
        return _page(problem, ONE_GAME)
    return _page(problem, SAYS.get(problem.code or 500, ANY_OTHER))


@bp.app_errorhandler(BadHost)
@bp.app_errorhandler(SecurityError)
def bad_host(problem: HTTPException) -> Response:
    """Answer in plain text: a page has links, which need a known host."""
    says = _("The companion is not at this address. Open the one that was printed at the start.")
    return Response(f"{says}\n", problem.code, content_type="text/plain; charset=utf-8")


@bp.app_errorhandler(CSRFError)
def no_token(problem: CSRFError) -> Response:
    """Say why a form's token was refused."""
    says = TOO_OLD
    if "csrf_token" not in session:
        says = NO_COOKIE
    elif "referrer" in problem.description:
        says = NO_REFERRER
    return _page(problem, says)


@bp.app_errorhandler(NotFound)
def not_found(_problem: NotFound) -> Response:
    """Say that there is no such page, or that this phone was removed from its notebook."""
    return any_other(Forbidden() if removed() else NoSuchAddress())


@bp.app_errorhandler(TooOften)
def too_often(problem: TooOften) -> Response:
    """Say how long to wait."""
    return _page(problem, (noted("Too many tries"), problem.says))


@bp.app_errorhandler(DatabaseProblem)
def database_problem(problem: DatabaseProblem) -> Response:
    """Say that nothing can be saved now, or that nobody knows whether the action was."""
    troubles().met(problem, writing=request.method == "POST")
    return _unavailable((BUSY, str(problem)), is_saved_perhaps=problem.reason in UNSURE)


@bp.app_errorhandler(DamagedGame)
@bp.app_errorhandler(DamagedSeason)
def damaged(damage: DamagedGame | DamagedSeason) -> Response:
    """Say that a game or a season cannot be read, and log why."""
    subject = f"Game {damage.record.id} is damaged: " if isinstance(damage, DamagedGame) else ""
    current_app.logger.error("%s%s", subject, damage)
    return _unavailable(DAMAGED[type(damage)])


def _unavailable(says: tuple[str, str], *, is_saved_perhaps: bool = False) -> Response:
    """Answer 503: phones send waiting actions again and again until the trouble is over."""
    response = _page(ServiceUnavailable(), says, _(NOT_SAVED) if request.method == "POST" else "")
    if not is_saved_perhaps:
        response.headers["X-Not-Saved"] = "1"
    return response


@bp.after_app_request
def went_well(response: Response) -> Response:
    """Note that the database answered, if this page needs it."""
    saved = request.method == "POST" and response.status_code == 303
    loaded = request.method == "GET" and response.status_code in {200, 204}
    needs_it = request.blueprint == "viewers" or STORED & (request.view_args or {}).keys()
    if needs_it and (saved or loaded):
        troubles().went_well(writing=saved)
    return response
