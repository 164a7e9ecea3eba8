"""Markers and the house key, sessions, CSRF tokens, and rate limits."""

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
from companion.services import games
from companion.services.rate_limits import Tried, attempt
from companion.store import Database, MarkerRecord, same_key

bp = Blueprint("auth", __name__)

# How many notebooks a browser can switch to, besides the one that is open.
MOST_NOTEBOOKS = 5


def database() -> Database:
    """Return the application's database."""
    return cast("Database", current_app.extensions["companion_database"])


def marker_id() -> str:
    """Return the marker's id in this browser's cookie. Answers 403 to a stranger."""
    cookie_id = session.get("marker")
    if not isinstance(cookie_id, str):
        abort(403)
    return cookie_id


def known_marker() -> MarkerRecord | None:
    """Return this browser's marker from the store; None for a stranger or a removed phone."""
    record = _stored_marker()
    return None if record is None or record.revoked_at else record


def removed() -> bool:
    """True if this browser was a marker, and its phone was removed from the notebook."""
    record = _stored_marker()
    return record is not None and record.revoked_at is not None


def _stored_marker() -> MarkerRecord | None:
    if "marker" not in g:
        cookie_id = session.get("marker")
        g.marker = games.find_marker(database(), cookie_id) if isinstance(cookie_id, str) else None
    return cast("MarkerRecord | None", g.marker)


def game_only() -> bool:
    """True if the cookie is for one game only: use it for what pages offer, not to refuse."""
    return "only" in session


def other_markers() -> list[str]:
    """Return the ids of this browser's other markers, which it can switch to."""
    also = session.get("also")
    return also.split() if isinstance(also, str) else []


def become(new: MarkerRecord) -> None:
    """Make this browser this marker. It can switch back to its former markers."""
    former = [known for known in (session.get("marker"), *other_markers()) if known != new.id]
    token = session.get("csrf_token")  # for forms that are open in other tabs
    session.clear()
    session["marker"] = new.id
    if new.game_id is not None:
        session["only"] = new.game_id
    if others := [known for known in former if isinstance(known, str)]:
        session["also"] = " ".join(others[:MOST_NOTEBOOKS])
    if token is not None:
        session["csrf_token"] = token
    session.permanent = True
    g.marker = new


def notebook_marker() -> MarkerRecord:
    """Return this browser's marker if it keeps a whole notebook; otherwise answer 403."""
    record = marker()
    if record.game_id is not None:
        abort(403)
    return record


def marker() -> MarkerRecord:
    """Return this browser's marker from the store. Answers 403 to a stranger."""
    return known_marker() or abort(403)


# The first of these words that a User-Agent contains decides: most of them contain several.
_KINDS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "Chromebook"),
    ("Windows", noted("Windows computer")),
    ("Macintosh", "Mac"),
    ("Linux", noted("Linux computer")),
)

# Programs that open a link to draw a preview of it, before any person does.
_PREVIEWS = ("bot", "facebookexternalhit", "whatsapp", "preview", "embed", "snapchat", "skype")


def is_preview(user_agent: str) -> bool:
    """True if a User-Agent header names a program that draws previews."""
    lower = user_agent.lower()
    return any(mark in lower for mark in _PREVIEWS)


def device(user_agent: str) -> str:
    """Return the kind of device in a User-Agent header: ``Android phone``, ``iPad``, ``Mac`` …

    An iPad that asks for desktop pages says that it is a Mac. The name is stored in English, and
    translated when it is shown.
    """
    if "Android" in user_agent:
        return noted("Android phone") if "Mobile" in user_agent else noted("Android tablet")
    return next((words for mark, words in _KINDS if mark in user_agent), noted("Unknown device"))


@bp.get("/k/<key>")
def open_house(key: str) -> ResponseReturnValue:
    """Make the browser that opens the printed address a marker, unless it is one.

    A marker that opens it again keeps its notebook, and its cookie for another year.
    """
    if not same_key(key, str(current_app.config["HOUSE_KEY"])):
        limit(Tried.WRONG_KEY)
        abort(404)
    # A program that checks or previews a link: no person has opened it yet.
    if request.method == "HEAD" or is_preview(request.user_agent.string):
        return redirect(url_for("games.home"), 303)
    if known_marker() is None:
        limit(Tried.NOTEBOOK)
        become(games.start_notebook(database(), device(request.user_agent.string)))
    session.permanent = True
    return redirect(url_for("games.home"), 303)


# -- sessions and tokens ---------------------------------------------------------------------------


class _AnyClock(TimestampSigner):
    """Accept timestamps from servers whose clocks run ahead.

    Otherwise a phone would be a stranger here, get a new session, and lose its notebook.
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
    """Flask's sessions, which accept cookies from servers whose clocks run ahead."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the serializer that signs and verifies cookies."""
        serializer = super().get_signing_serializer(app)
        if serializer is not None:
            serializer.signer = _AnyClock
        return serializer


class _NoClock(TimestampSigner):
    """Sign without the time, which nothing checks: WTF_CSRF_TIME_LIMIT is None."""

    def get_timestamp(self) -> int:
        return 0


def csrf_token() -> str:
    """Return the CSRF token, which changes only with the session or the secret.

    Flask-WTF checks it, and would make the same one with a timestamp.
    """
    if "csrf_token" not in g:  # where Flask-WTF looks for it
        if "csrf_token" not in session:
            session["csrf_token"] = secrets.token_hex(20)
        keys = current_app.config["WTF_CSRF_SECRET_KEY"]
        signer = URLSafeTimedSerializer(keys, salt="wtf-csrf-token", signer=_NoClock)
        g.csrf_token = signer.dumps(session["csrf_token"])
    return str(g.csrf_token)


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

    def __init__(self, tried: Tried, seconds: int) -> None:
        super().__init__(retry_after=seconds)
        time = ngettext("%(number)s second", "%(number)s seconds", seconds)
        if seconds >= 100:
            time = ngettext("%(number)s minute", "%(number)s minutes", -(-seconds // 60))
        self.says = _(_TOO_OFTEN[tried], time=time)


def limit(tried: Tried, check: Callable[[Database, Tried, str], int | None] = attempt) -> None:
    """Apply a rate limit to the client of this request. Raises `TooOften` if it is exceeded.

    Call it after a key was found to be wrong, and before a notebook is made. For digits, call it
    with `must_wait` before they are checked, and with `count_wrong` if they are wrong.
    """
    if current_app.config["RATE_LIMITS"]:
        seconds = check(database(), tried, client())
        if seconds:
            raise TooOften(tried, seconds)


def client() -> str:
    """Return a digest of the client's network, made with the secret: no address is stored."""
    secret = str(current_app.config["SECRET_KEY"]).encode()
    network = f"client {network_of(request.remote_addr or '')}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, network, hashlib.sha256).hexdigest()[:32]


def network_of(address: str) -> str:
    """Return the network of one household: an IPv4 address, or the first 64 bits of an IPv6 one."""
    try:
        ip = ip_address(address)
    except ValueError:  # a Unix socket has no IP address
        return address
    if isinstance(ip, IPv6Address):
        ip = ip.ipv4_mapped or IPv6Address(int(ip) >> 64 << 64)
    return str(ip)


def init_app(app: Flask) -> None:
    """Replace Flask's sessions and Flask-WTF's ``csrf_token()`` with ours."""
    CSRFProtect(app)
    app.session_interface = CookieSessions()
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.context_processor(lambda: {"csrf_token": csrf_token})
