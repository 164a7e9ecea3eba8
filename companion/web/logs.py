"""Logs for machines: with ``COMPANION_LOG=json`` one JSON object a line, and one for each request.

Of an address only its rule is written, `/v/<key>` and never the key, and of a client nothing. What
other parts log goes the same way, its keys left out.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from datetime import UTC, datetime
from typing import Final

from flask import Flask, Response, g, has_request_context, request

from companion.web.security import without_keys

_GIVEN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_requests = logging.getLogger("companion.requests")


class JsonLines(logging.Formatter):
    """A record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's time, level, logger and message, and what it has of a request."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_keys(record.getMessage()),
        }
        if has_request_context() and "request_id" in g:
            line["request_id"] = g.request_id
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = without_keys(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def _begin() -> None:
    # A proxy's id, so that its log and this one can be read together; a client's own is not taken.
    given = request.headers.get("X-Request-ID", "") if _behind_proxy() else ""
    g.request_id = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
    g.begun = time.perf_counter()


def _behind_proxy() -> bool:
    return "werkzeug.proxy_fix.orig" in request.environ


def _end(response: Response) -> Response:
    fields = {
        "method": request.method,
        "route": request.url_rule.rule if request.url_rule else None,
        "status": response.status_code,
        "ms": round((time.perf_counter() - g.begun) * 1000, 1),
    }
    response.headers["X-Request-ID"] = g.request_id
    _requests.info("request", extra={"fields": fields})
    return response


def init_app(app: Flask) -> None:
    """Log as the configuration says. Without that, servers log what goes wrong, in words."""
    if app.config["LOG"] != "json":
        return
    root = logging.getLogger()
    if not any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
        handler = logging.StreamHandler()
        handler.setFormatter(JsonLines())
        root.addHandler(handler)
    _requests.setLevel(logging.INFO)
    app.before_request(_begin)
    app.after_request(_end)
