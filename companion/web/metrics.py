"""Numbers about this process for Prometheus, for whoever has the token; off without one.

Each worker counts for itself, and a scrape is answered by one of them: its numbers carry that
process' name, and sums over all of them are Prometheus' to make.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Final, cast

from flask import Blueprint, Flask, Response, abort, current_app, g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from werkzeug.datastructures import WWWAuthenticate

from companion.store import Database, same_key

bp = Blueprint("metrics", __name__)

# In seconds: what a save may take at most, 150 ms, is one of the bounds.
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Numbers:
    """What one process has counted since it began."""

    def __init__(self, database: Database) -> None:
        """The database knows how many events were written."""
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._database = database
        self._process = f"{os.getpid()}-{int(time.time())}"
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "companion_requests",
            "Requests that this process has answered.",
            ["process", "method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "companion_request_seconds",
            "How long this process took to answer.",
            ["process", "route"],
            buckets=BOUNDS,
            registry=self.registry,
        )
        self.registry.register(self)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer and how long it took."""
        self._requests.labels(self._process, method, route, status).inc()
        self._seconds.labels(self._process, route).observe(seconds)

    def collect(self) -> Iterator[CounterMetricFamily]:
        """What is counted elsewhere, for the registry."""
        says = "Events that this process has committed."
        events = CounterMetricFamily("companion_events_written", says, labels=["process"])
        events.add_metric([self._process], self._database.events_written)
        yield events


def _begin() -> None:
    g.counted_from = time.perf_counter()


def _end(response: Response) -> Response:
    seconds = time.perf_counter() - g.counted_from
    # Labels are from lists of ours: whoever makes addresses and methods up must not fill memory.
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in _METHODS else "other"
    _numbers(current_app).count(method, route, response.status_code, seconds)
    return response


def _numbers(app: Flask) -> Numbers:
    return cast("Numbers", app.extensions["companion_numbers"])


@bp.get("/metrics")
def show() -> Response:
    """The numbers of the process that answers, for the bearer of the token; nothing otherwise."""
    token = current_app.config["METRICS_TOKEN"]
    if not token:
        abort(404)
    if not same_key(request.headers.get("Authorization", ""), f"Bearer {token}"):
        abort(401, www_authenticate=WWWAuthenticate("bearer"))
    numbers = generate_latest(_numbers(current_app).registry)
    return Response(numbers, content_type=CONTENT_TYPE_PLAIN_0_0_4)


def init_app(app: Flask) -> None:
    """Begin to count, if somebody may read it."""
    if app.config["METRICS_TOKEN"]:
        app.extensions["companion_numbers"] = Numbers(app.extensions["companion_database"])
        app.before_request(_begin)
        app.after_request(_end)
