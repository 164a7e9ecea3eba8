"""Who is who: the house key makes a browser a marker with a notebook of its own."""

from __future__ import annotations

from typing import cast

from flask import (
    Blueprint,
    abort,
    current_app,
    g,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.services import games, phones
from companion.services.rate_limits import Tried
from companion.store import Database, MarkerRecord, same_key
from companion.web.security import limit
from companion.web.templating import marked

bp = Blueprint("auth", __name__)

# How many notebooks a browser can turn to, besides the one that is open.
MOST_BOOKS = 5


def database() -> Database:
    """The application's database."""
    return cast("Database", current_app.extensions["companion_database"])


def marker_id() -> str:
    """The marker that this browser says it is. Answers 403 to a stranger."""
    known = session.get("marker")
    if not isinstance(known, str):
        abort(403)
    return known


def known_marker() -> MarkerRecord | None:
    """The marker that this browser is, from the store; None for a stranger."""
    if "marker" not in g:
        known = session.get("marker")
        g.marker = games.find_marker(database(), known) if isinstance(known, str) else None
    return cast("MarkerRecord | None", g.marker)


def game_only() -> bool:
    """Whether this browser keeps one game alone, by its cookie: for what pages offer, no more."""
    return "only" in session


def other_markers() -> list[str]:
    """The ids of the other markers that this browser is: it can turn to their notebooks."""
    also = session.get("also")
    return also.split() if isinstance(also, str) else []


def become(one: MarkerRecord) -> None:
    """From now on this browser is this marker; whatever else it is stays at hand."""
    known = [other for other in (session.get("marker"), *other_markers()) if other != one.id]
    token = session.get("csrf_token")  # other pages of this browser are open, and may be sent
    session.clear()
    session["marker"] = one.id
    if one.game_id is not None:
        session["only"] = one.game_id
    if others := [other for other in known if isinstance(other, str)]:
        session["also"] = " ".join(others[:MOST_BOOKS])
    if token is not None:
        session["csrf_token"] = token
    session.permanent = True
    g.marker = one


def taken_off() -> bool:
    """Whether this browser was a marker, whose phone was taken off the notebook."""
    known = session.get("marker")
    return isinstance(known, str) and phones.is_revoked(database(), known)


def notebook_marker() -> MarkerRecord:
    """The marker of a whole notebook that this browser is. Answers 403 to every other."""
    found = marker()
    if found.game_id is not None:
        abort(403)
    return found


def marker() -> MarkerRecord:
    """The marker that this browser is, from the store. Answers 403 to a stranger."""
    found = known_marker()
    if found is None:
        abort(403)
    return found


# The first word that a User-Agent contains decides: a tablet with Android names Android as well,
# and every browser claims to be several others.
_KINDS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "Chromebook"),
    ("Windows", noted("Windows computer")),
    ("Macintosh", "Mac"),
    ("Linux", noted("Linux computer")),
)


# What opens a link that was sent, to show what is behind it, before any person does.
_PREVIEWS = ("bot", "facebookexternalhit", "whatsapp", "preview", "embed", "snapchat", "skype")


def is_preview(user_agent: str) -> bool:
    """Whether a User-Agent header is that of a program which draws previews, if it says so."""
    lower = user_agent.lower()
    return any(mark in lower for mark in _PREVIEWS)


def device(user_agent: str) -> str:
    """The kind of device that a User-Agent header names: ``Android phone``, ``iPad``, ``Mac`` …

    An iPad that asks for desktop pages says that it is a Mac, and is believed. It is stored in
    English, and translated when it is shown.
    """
    if "Android" in user_agent:
        return noted("Android phone") if "Mobile" in user_agent else noted("Android tablet")
    for mark, words in _KINDS:
        if mark in user_agent:
            return words
    return noted("Unknown device")


@bp.get("/k/<key>")
def open_house(key: str) -> ResponseReturnValue:
    """The address printed at the start: this browser becomes a marker, unless it is one.

    Opening it again keeps the notebook, and the cookie for another year.
    """
    if not same_key(key, str(current_app.config["HOUSE_KEY"])):
        limit(Tried.WRONG_KEY)
        abort(404)
    # Whoever only asks whether the address is good, and what draws a preview of it in a messenger.
    if request.method == "HEAD" or is_preview(request.user_agent.string):
        return redirect(url_for("games.home"), 303)
    if known_marker() is None:
        limit(Tried.NOTEBOOK)
        become(games.open_as_marker(database(), device(request.user_agent.string)))
    session.permanent = True
    return redirect(url_for("games.home"), 303)


def for_strangers() -> str:
    """What a browser sees that keeps no score here, with the ways to begin."""
    links = {"join": url_for("phones.join"), "recover": url_for("phones.recover_form")}
    return render_template(
        "plain.html",
        title=_("Rummy companion"),
        lead=_(
            "It keeps the score and settles the disputes of rummy games that are played with real"
            " cards."
        ),
        says=[
            _(
                "To keep a score on this phone, open the address that was printed when the"
                " companion was started, or scan its code."
            ),
            marked(
                noted(
                    'If somebody hands the score on to you, <a href="%(join)s">type their code</a>.'
                    ' If your phone is lost, <a href="%(recover)s">type its recovery code</a>.'
                ),
                **links,
            ),
            _("To watch a game, ask whoever keeps the score for its code."),
        ],
        links=[(_("Read the rules"), url_for("rules.index"), "quiet wide")],
        leads_to_no_game=True,
    )
