"""Sessions in signed cookies, and the token against forged forms that belongs to a session."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Flask, current_app, g, session
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer


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


def init_app(app: Flask) -> None:
    """Give the templates ``csrf_token()``, in the place of Flask-WTF's."""
    app.session_interface = CookieSessions()
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.context_processor(lambda: {"csrf_token": csrf_token})
