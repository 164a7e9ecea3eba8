"""Headers of every answer, sessions and tokens against forged forms, and what no log may say."""

from __future__ import annotations

import logging
import re
import secrets
from typing import Any

from flask import Flask, Response, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer

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

# /k/… is the house key's address, /v/… a viewer's, and /j/… hands a book on: whoever reads it may
# enter.
_KEY = re.compile(r"(/|%2F)([jkv])(/|%2F)[^/?#&%\s\"']+", re.IGNORECASE)
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
    if "csrf_token" not in g:
        if "csrf_token" not in session:
            session["csrf_token"] = secrets.token_hex(20)
        keys = current_app.config["WTF_CSRF_SECRET_KEY"]
        signer = URLSafeTimedSerializer(keys, salt="wtf-csrf-token", signer=_NoClock)
        g.csrf_token = signer.dumps(session["csrf_token"])
    token: str = g.csrf_token
    return token


def _protect(response: Response) -> Response:
    response.headers.extend(HEADERS)
    if request.endpoint != "static" or response.status_code >= 400:
        response.headers["Cache-Control"] = "no-store"
    return response


def init_app(app: Flask) -> None:
    """Put the headers on every answer, errors and static files included, and guard the logs.

    Sessions and the templates' ``csrf_token()`` are ours, in the place of Flask's and Flask-WTF's.
    """
    app.after_request(_protect)
    app.session_interface = CookieSessions()
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.context_processor(lambda: {"csrf_token": csrf_token})
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, HideKeys) for known in logger.filters):
            logger.addFilter(HideKeys())
