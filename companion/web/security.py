"""Headers, sessions, tokens against forged forms, rate and size limits, and keys kept from logs."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

from flask import Flask, Response, abort, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from werkzeug.exceptions import TooManyRequests

from companion.rules.language import gettext as _
from companion.rules.language import ngettext, noted
from companion.services.rate_limits import Tried, Wait, attempt, count_wrong, must_wait
from companion.store import Database

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    # Not no-referrer: over HTTPS the form protection looks at where a form came from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

# How much a request may send. The fullest form, the end of a hand with every card of every player,
# is a twentieth of this.
FORM: Final = 256 * 1024
SAVED_GAME: Final = 3_000_000
_SAVED_GAMES: Final = frozenset({"games.import_game"})

_TOO_OFTEN: Final = {
    Tried.WRONG_KEY: noted(
        "Too many links or recovery codes that open nothing were tried from here. Wait %(time)s. "
        "The right one opens all the time: scan the code again, or compare it with the paper."
    ),
    Tried.NOTEBOOK: noted(
        "Too many notebooks were begun from here. Wait %(time)s, then open the address again. "
        "Phones that have a notebook go on as before."
    ),
    Tried.CODE: noted(
        "Too many wrong digits were tried. Wait %(time)s, then enter the right ones. "
        "The code to scan and its link open all the time."
    ),
}

# /k/… is the house key's address, /v/… a viewer's, /s/… that of a season, and /j/… hands a book on:
# whoever reads it may enter.
_KEY = re.compile(r"(/|%2F)([jksv])(/|%2F)[^/?#&%\s\"']+", re.IGNORECASE)
# What gunicorn says of bytes that are no request: who sent them, and a part of them.
_NO_REQUEST = re.compile(r"Invalid request from ip=.*", re.DOTALL)
# Flask's own, the servers' (which name the address of a request that failed) and the development
# server's (which names every one).
_LOGGERS = ("companion", "waitress", "gunicorn.error", "werkzeug")


def without_keys(text: str) -> str:
    """The text, its keys left out."""
    return _KEY.sub(r"\1\2\3…", text)


class HideKeys(logging.Filter):
    """Takes the keys out of what is logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, its keys left out."""
        text = record.getMessage()
        hidden = _NO_REQUEST.sub("Somebody sent what is no request.", without_keys(text))
        if hidden != text:
            record.msg, record.args = hidden, None
        return True


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


class TooOften(TooManyRequests):
    """Something was tried too often. ``says`` is what to do, ``retry_after`` when, in seconds."""

    def __init__(self, what: Tried, seconds: int) -> None:
        super().__init__(retry_after=seconds)
        self.says = _(_TOO_OFTEN[what], time=_in_words(seconds))


def _in_words(seconds: int) -> str:
    if seconds < 100:
        return ngettext("%(number)s second", "%(number)s seconds", seconds)
    return ngettext("%(number)s minute", "%(number)s minutes", -(-seconds // 60))


def limit(what: Tried) -> None:
    """Count a try by whoever sent this request. Raises `TooOften` if there were too many.

    A wrong key is counted once it was found to be wrong, a new notebook before it is made.
    """
    _ask(attempt, what)


def hold_back(what: Tried) -> None:
    """Before what can be guessed is looked at: raise `TooOften` if whoever sent it has to wait."""
    _ask(must_wait, what)


def count_wrong_guess(what: Tried) -> None:
    """Count what can be guessed, once it was found to be wrong."""
    _ask(count_wrong, what)


def _ask(limits: Callable[[Database, Tried, str], Wait | None], what: Tried) -> None:
    if current_app.config["RATE_LIMITS"]:
        wait = limits(current_app.extensions["companion_database"], what, client())
        if wait is not None:
            raise TooOften(what, wait.seconds)


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


def _limit_size() -> None:
    # What has no size would be read as far as it may be and then taken for the whole. Browsers tell
    # the size.
    if "Transfer-Encoding" in request.headers and request.content_length is None:
        abort(411)
    if request.endpoint in _SAVED_GAMES and "marker" in session:
        request.max_content_length = SAVED_GAME


def _protect(response: Response) -> Response:
    response.headers.extend(HEADERS)
    if request.endpoint != "static" or response.status_code >= 400:
        response.headers["Cache-Control"] = "no-store"
    return response


def init_app(app: Flask) -> None:
    """Put the headers on every answer, errors and static files included, and guard the logs.

    Sessions and the templates' ``csrf_token()`` are ours, in the place of Flask's and Flask-WTF's.
    """
    app.before_request(_limit_size)  # before the forms are read for their tokens
    CSRFProtect(app)
    app.after_request(_protect)
    app.session_interface = CookieSessions()
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.context_processor(lambda: {"csrf_token": csrf_token})
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, HideKeys) for known in logger.filters):
            logger.addFilter(HideKeys())
