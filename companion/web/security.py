"""What every answer says about how a browser may use it, and what no log may say."""

from __future__ import annotations

import logging
import re

from flask import Flask, Response, request

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


def _protect(response: Response) -> Response:
    response.headers.extend(HEADERS)
    if request.endpoint != "static" or response.status_code >= 400:
        response.headers["Cache-Control"] = "no-store"
    return response


def init_app(app: Flask) -> None:
    """Put the headers on every answer, errors and static files included, and guard the logs."""
    app.after_request(_protect)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, HideKeys) for known in logger.filters):
            logger.addFilter(HideKeys())
