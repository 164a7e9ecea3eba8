"""Signatures that are checked or made once, and not again at every request.

Together they were a third of what a page costs. What is remembered is what a signature proved:
nothing is believed that was not verified by this process.
"""

from __future__ import annotations

import time
from typing import Any, Final

from flask import Flask, Request, g, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer

_MOST: Final = 1000
_HOUR: Final = 3600.0


class _WhateverTheClock(TimestampSigner):
    """Believes what was signed by another server whose clock is ahead of this one's.

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


class VerifiedOnce(SecureCookieSessionInterface):
    """Sessions in signed cookies, each of which is verified once an hour."""

    def __init__(self) -> None:
        """Nothing was verified yet."""
        self._verified: dict[str, tuple[float, dict[str, Any]]] = {}

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """What signs and verifies cookies, whichever server's clock they are from."""
        serializer = super().get_signing_serializer(app)
        if serializer is not None:
            serializer.signer = _WhateverTheClock
        return serializer

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """The session that the cookie holds; an empty one for a cookie that is not ours."""
        cookie = request.cookies.get(self.get_cookie_name(app), "")
        at, data = self._verified.get(cookie, (0.0, None))
        if data is not None and time.monotonic() - at < _HOUR:
            return self.session_class(data)
        opened = super().open_session(app, request)
        # Lists, such as the messages to tell, are changed in place: those are not remembered.
        if opened and all(isinstance(value, str | bool) for value in opened.values()):
            if len(self._verified) >= _MOST:
                self._verified.clear()
            self._verified[cookie] = time.monotonic(), dict(opened)
        return opened


_TOKENS: Final[dict[str, str]] = {}


def form_token() -> str:
    """The token against forged forms, as `generate_csrf` gives it for the rest of the request.

    The session holds the secret that it signs. It does not expire, so it is signed once.
    """
    known = _TOKENS.get(session.get("csrf_token", ""))
    if known is not None:
        g.csrf_token = known  # where generate_csrf finds what it has signed in this request
    token: str = generate_csrf()
    if known is None:
        if len(_TOKENS) >= _MOST:
            _TOKENS.clear()
        _TOKENS[session["csrf_token"]] = token
    return token
