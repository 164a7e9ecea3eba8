"""How the pages look in this browser: chosen here, kept in a cookie of its own, viewers' too."""

from __future__ import annotations

from flask import (
    Blueprint,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from companion.services.backups import newest
from companion.web.auth import game_only

bp = Blueprint("settings", __name__)

COOKIE = "look"
CHOICES = {
    "theme": ("auto", "light", "dark"),
    "suits": ("two", "four"),
    "text": ("normal", "large"),
    # Of the totals on the page of a hand.
    "order": ("seats", "standing"),
}

# Pages to which nobody goes back.
_NO_WAY_BACK = frozenset(
    {"settings.show", "auth.open_house", "phones.join_link", "static", "favicon"}
)


def settings() -> dict[str, str]:
    """The look that this browser has chosen, each setting with its default."""
    chosen = request.cookies.get(COOKIE, "").split(".")
    return {
        name: next((one for one in chosen if one in known), known[0])
        for name, known in CHOICES.items()
    }


@bp.app_context_processor
def look_of_page() -> dict[str, object]:
    """What every page, a viewer's too, needs for its look and for the way to the settings."""
    back = None
    if request.method == "GET" and request.endpoint not in _NO_WAY_BACK:
        back = request.path
    return {"settings": settings(), "settings_url": url_for("settings.show", back=back)}


@bp.get("/settings")
def show() -> str:
    """The settings page."""
    return render_template(
        "settings.html",
        chosen=settings(),
        back=way_back(request.args.get("back", "")),
        settings_url=None,
        known="marker" in session and not game_only(),
        backup=newest(current_app.extensions["companion_installation"]),
    )


@bp.post("/settings")
def save() -> ResponseReturnValue:
    """Keep the look in a cookie for a year, and go back to the page that it was chosen from.

    The page of a hand sends the order alone, and this page the others: what is not sent stays.
    """
    sent = request.form.items()
    chosen = settings() | {name: one for name, one in sent if one in CHOICES.get(name, ())}
    response = make_response(redirect(way_back(request.args.get("back", "")), 303))
    response.set_cookie(
        COOKIE,
        ".".join(chosen.values()),
        max_age=current_app.permanent_session_lifetime,
        httponly=True,
        samesite="Lax",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
    )
    return response


def way_back(path: str) -> str:
    """The path if a page of ours answers there; otherwise the games."""
    home = url_for("games.home")
    if not path.startswith("/") or not path.isprintable():  # a header holds no line break
        return home
    try:
        endpoint, _ = current_app.url_map.bind("").match(path, method="GET")
    except HTTPException:
        return home
    return home if endpoint in _NO_WAY_BACK else path
