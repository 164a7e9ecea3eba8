"""Who is who: markers and their keys, sessions, tokens against forged forms, and rate limits."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Any, Final, cast

from flask import Blueprint, Flask, abort, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFProtect
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from werkzeug.exceptions import TooManyRequests

from companion.rules.language import gettext as _, ngettext, noted
from companion.services import games, phones
from companion.services.rate_limits import Tried, attempt
from companion.store import Database, MarkerRecord, same_key

bp = Blueprint("auth", __name__)

# How many notebooks a browser can switch to, besides the one that is open.
MOST_NOTEBOOKS = 5


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
    """The ids of the other markers that this browser is: it can switch to their notebooks."""
    also = session.get("also")
    return also.split() if isinstance(also, str) else []


def become(one: MarkerRecord) -> None:
    """Make this browser this marker. It can switch back to those that it was before."""
    known = [other for other in (session.get("marker"), *other_markers()) if other != one.id]
    token = session.get("csrf_token")  # other pages of this browser are open, and may be sent
    session.clear()
    session["marker"] = one.id
    if one.game_id is not None:
        session["only"] = one.game_id
    if others := [other for other in known if isinstance(other, str)]:
        session["also"] = " ".join(others[:MOST_NOTEBOOKS])
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


# -- sessions and tokens ---------------------------------------------------------------------------


class _AnyClock(TimestampSigner):
    """Accept timestamps from servers whose clocks run ahead.

    Otherwise a phone would be a stranger here, be given a new session, and lose its notebook.
    """

    def unsign(
        self, signed_value: str | bytes, max_age: int | None = None, return_timestamp: Any = False
    ) -> Any:
        try:
            return super().unsign(signed_value, max_age, return_timestamp)
        except SignatureExpired as expired:
            now = self.timestamp_to_datetime(self.get_timestamp())
            if expired.date_signed is None or expired.date_signed <= now:
                raise
            return super().unsign(signed_value, None, return_timestamp)


class CookieSessions(SecureCookieSessionInterface):
    """Flask's sessions, whichever server's clock their cookies are from."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return what signs and verifies cookies."""
        serializer = super().get_signing_serializer(app)
        if serializer is not None:
            serializer.signer = _AnyClock
        return serializer


class _NoClock(TimestampSigner):
    """Sign without the time, which nobody looks at: WTF_CSRF_TIME_LIMIT is None."""

    def get_timestamp(self) -> int:
        return 0


def csrf_token() -> str:
    """Return the token against forged forms: the same one as long as the session and the secret.

    It is made as Flask-WTF does, which checks it, but for the time.
    """
    if "csrf_token" not in g:  # where Flask-WTF looks for it
        if "csrf_token" not in session:
            session["csrf_token"] = secrets.token_hex(20)
        keys = current_app.config["WTF_CSRF_SECRET_KEY"]
        signer = URLSafeTimedSerializer(keys, salt="wtf-csrf-token", signer=_NoClock)
        g.csrf_token = signer.dumps(session["csrf_token"])
    token: str = g.csrf_token
    return token


# -- rate limits ----------------------------------------------------------------------------------

_TOO_OFTEN: Final = {
    Tried.WRONG_KEY: noted(
        "Too many wrong links or recovery codes were tried from here. Wait %(time)s. "
        "The right one still works: scan the code again, or compare it with the paper."
    ),
    Tried.NOTEBOOK: noted(
        "Too many notebooks were started from here. Wait %(time)s, then open the address again. "
        "Phones that have a notebook go on as before."
    ),
    Tried.CODE: noted(
        "Too many wrong digits were tried. Wait %(time)s, then enter the right ones. "
        "The code to scan and its link still work."
    ),
}


class TooOften(TooManyRequests):
    """Something was tried too often. ``says`` is what to do, ``retry_after`` when, in seconds."""

    def __init__(self, what: Tried, seconds: int) -> None:
        super().__init__(retry_after=seconds)
        time = ngettext("%(number)s second", "%(number)s seconds", seconds)
        if seconds >= 100:
            time = ngettext("%(number)s minute", "%(number)s minutes", -(-seconds // 60))
        self.says = _(_TOO_OFTEN[what], time=time)


def limit(what: Tried, limits: Callable[[Database, Tried, str], int | None] = attempt) -> None:
    """Count a try by whoever sent this request. Raises `TooOften` if there were too many.

    A wrong key is counted once it was found to be wrong, a new notebook before it is made. For what
    can be guessed ``limits`` is first `must_wait`, before it is looked at, and then `count_wrong`,
    once it was found to be wrong.
    """
    if current_app.config["RATE_LIMITS"]:
        seconds = limits(database(), what, client())
        if seconds:
            raise TooOften(what, seconds)


def client() -> str:
    """Return a digest of the house that this request came from, made with the secret."""
    secret = str(current_app.config["SECRET_KEY"]).encode()
    seen = f"client {house_of(request.remote_addr or '')}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, seen, hashlib.sha256).hexdigest()[:32]


def house_of(address: str) -> str:
    """Return the address or network that a house has: one IPv4 address, or 64 bits of IPv6."""
    try:
        known = ip_address(address)
    except ValueError:  # a socket of this machine has none
        return address
    if isinstance(known, IPv6Address):
        known = known.ipv4_mapped or IPv6Address(int(known) >> 64 << 64)
    return str(known)


def init_app(app: Flask) -> None:
    """Use these sessions and ``csrf_token()`` in the place of Flask's and Flask-WTF's."""
    CSRFProtect(app)
    app.session_interface = CookieSessions()
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.context_processor(lambda: {"csrf_token": csrf_token})
