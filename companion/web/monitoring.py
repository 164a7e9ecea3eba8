"""Health checks, metrics for Prometheus, logs without keys, and trouble with the database.

With ``COMPANION_LOG=json`` each line of the log is a JSON object, and each request has one. It has
the route, `/v/<key>`, never the key itself, and nothing about the client.

Metrics need a token, and are off without one. Each worker answers with its own counts, labelled
with its process; Prometheus adds them up.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, Final, cast

from flask import Blueprint, Flask, Response, abort, current_app, g, has_request_context, request
from flask.typing import ResponseReturnValue
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from pythonjsonlogger.json import JsonFormatter
from werkzeug.datastructures import WWWAuthenticate

from companion.store import DatabaseProblem, same_key
from companion.web.auth import database

bp = Blueprint("monitoring", __name__)

# The histogram's limits in seconds. A save may take 0.15 seconds at most.
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_requests = logging.getLogger("companion.requests")
LOG: Final = logging.getLogger("companion.database")
# Addresses that contain a key: /k/… the house key, /v/… a viewers' key, /s/… a season's viewers'
# key, and /j/… a transfer code.
_KEY = re.compile(r"(/|%2F)([jksv])(/|%2F)([^/?#&%\s\"']|%(?!2F))+", re.IGNORECASE)
# gunicorn's message about an invalid request contains the client's address and what it sent.
_INVALID_REQUEST = re.compile(r"Invalid request from ip=.*", re.DOTALL)
# Seconds in which trouble that comes and goes, such as a lock, is not logged again.
QUIET: Final = 600.0


@bp.get("/healthz")
def alive() -> ResponseReturnValue:
    """Say that the process answers."""
    return _answer("alive")


@bp.get("/readyz")
def ready() -> ResponseReturnValue:
    """Say that the database answers and has this program's version; otherwise 503 and why not."""
    try:
        database().require_ready()
    except DatabaseProblem as problem:
        return _answer(f"not ready: {problem.reason}", 503)
    return _answer("ready")


def _answer(says: str, status: int = 200) -> Response:
    return Response(f"{says}\n", status, content_type="text/plain; charset=utf-8")


class Metrics:
    """What one process has answered since it started: counts and times for Prometheus."""

    def __init__(self) -> None:
        """Start with counts of 0."""
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.process = f"{os.getpid()}-{int(time.time())}"
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "companion_requests",
            "Requests that this process has answered.",
            ["process", "method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "companion_request_seconds",
            "How long this process took to answer.",
            ["process", "route"],
            buckets=BOUNDS,
            registry=self.registry,
        )


@bp.get("/metrics")
def metrics() -> Response:
    """Return the counts of the process that answers, if the request has the token."""
    token = current_app.config["METRICS_TOKEN"]
    if not token:
        abort(404)
    if not same_key(request.headers.get("Authorization", ""), f"Bearer {token}"):
        abort(401, www_authenticate=WWWAuthenticate("bearer"))
    text = generate_latest(current_app.extensions["companion_metrics"].registry)
    return Response(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)


def without_keys(text: str) -> str:
    """Return a text without the keys in it."""
    return _KEY.sub(r"\1\2\3…", text)


class Record(logging.LogRecord):
    """A log record without keys: servers log the addresses of requests."""

    def getMessage(self) -> str:  # noqa: N802 - logging's name
        """Return the message without the keys in it."""
        text = without_keys(super().getMessage())
        return _INVALID_REQUEST.sub("A client sent an invalid request.", text)


class JsonLines(JsonFormatter):
    """Format a record as a JSON object in one line, with the fields and the id of its request."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03d+00:00"

    def __init__(self) -> None:
        """Each line has a time, a level, a logger and a message."""
        super().__init__(
            ["asctime", "levelname", "name", "message"],
            rename_fields={
                "asctime": "time",
                "levelname": "level",
                "name": "logger",
                "exc_info": "exception",
            },
            json_ensure_ascii=False,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Return the line with the id of its request, and without keys in its traceback."""
        log_data["level"] = log_data["level"].lower()
        if "exception" in log_data:
            log_data["exception"] = without_keys(log_data["exception"])
        if has_request_context() and "request_id" in g:
            log_data["request_id"] = g.request_id
        return log_data


class Troubles:
    """The trouble with the database now, if there is any. Threads may share it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """``now`` is a clock of seconds."""
        self._now = now
        self._lock = threading.Lock()
        self._reason = ""
        self._writing = False
        self._logged: dict[str, float] = {}
        self._failed = 0
        self._was_logged = False

    def met(self, problem: DatabaseProblem, *, writing: bool) -> None:
        """Note that a request failed because of this problem, and log it if it is new."""
        with self._lock:
            self._failed += 1
            before, self._reason = self._reason, problem.reason
            self._writing = self._writing or writing
            now = self._now()
            if before == problem.reason or now - self._logged.get(problem.reason, -QUIET) < QUIET:
                return
            self._logged[problem.reason] = now
            self._was_logged = True
        LOG.error("%s", problem)

    def went_well(self, *, writing: bool) -> None:
        """Note that a request succeeded. Reading does not show that writing works again."""
        with self._lock:
            if not self._reason or (self._writing and not writing):
                return
            failed, was_logged = self._failed, self._was_logged
            self._reason, self._writing, self._failed, self._was_logged = "", False, 0, False
        if was_logged:
            LOG.warning("The database can be used again; %d requests had failed.", failed)


def troubles() -> Troubles:
    """Return the application's record of trouble with the database."""
    return cast("Troubles", current_app.extensions["companion_troubles"])


def _start_timer() -> None:
    g.begun = time.perf_counter()
    # Take the id of a proxy, so that both logs can be read together, but never a client's.
    is_behind_proxy = "werkzeug.proxy_fix.orig" in request.environ
    sent_id = request.headers.get("X-Request-ID", "") if is_behind_proxy else ""
    g.request_id = sent_id if _REQUEST_ID.fullmatch(sent_id) else secrets.token_hex(8)


def _count_and_log(response: Response) -> Response:
    seconds = time.perf_counter() - g.begun
    route = request.url_rule.rule if request.url_rule else None
    if metrics := current_app.extensions.get("companion_metrics"):
        # No labels for addresses and methods that clients make up: they would fill the memory.
        method = request.method if request.method in _METHODS else "other"
        process, at = metrics.process, route or "none"
        metrics.requests.labels(process, method, at, response.status_code).inc()
        metrics.seconds.labels(process, at).observe(seconds)
    if current_app.config["LOG"] == "json":
        response.headers["X-Request-ID"] = g.request_id
        fields = {
            "method": request.method,
            "route": route,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        }
        _requests.info("request", extra=fields)
    return response


def init_app(app: Flask) -> None:
    """Keep keys out of the logs, and count and log requests as the configuration says."""
    logging.setLogRecordFactory(Record)
    app.extensions["companion_troubles"] = Troubles()
    counts, logs = app.config["METRICS_TOKEN"], app.config["LOG"] == "json"
    if counts or logs:
        app.before_request(_start_timer)
        app.after_request(_count_and_log)
    if counts:
        app.extensions["companion_metrics"] = Metrics()
    if logs:
        root = logging.getLogger()
        if not any(isinstance(handler.formatter, JsonLines) for handler in root.handlers):
            handler = logging.StreamHandler()
            handler.setFormatter(JsonLines())
            root.addHandler(handler)
        _requests.setLevel(logging.INFO)
