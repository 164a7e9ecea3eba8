"""Numbers about this process for Prometheus, for whoever has the token; off without one.

Each worker counts for itself, and a scrape is answered by one of them: its numbers carry that
process' name, and sums over all of them are Prometheus' to make.
"""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, cast

from flask import Blueprint, Flask, Response, abort, current_app, g, request
from werkzeug.datastructures import WWWAuthenticate

from companion.store import same_key
from companion.web.house import database

bp = Blueprint("metrics", __name__)

# In seconds: what a save may take at most, 150 ms, is one of the bounds.
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Numbers:
    """What one process has counted since it began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str, int], int] = defaultdict(int)
        self._within: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self._began = time.time()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer and how long it took."""
        with self._lock:
            self._answers[method, route, status] += 1
            self._within[route][bisect_left(BOUNDS, seconds)] += 1
            self._seconds[route] += seconds

    def text(self, events: int) -> str:
        """All of it as Prometheus reads it, with the number of events that were written."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(events))

    def _lines(self, events: int) -> Iterator[str]:
        who = f'process="{os.getpid()}-{int(self._began)}"'
        yield "# HELP companion_requests_total Requests that this process has answered."
        yield "# TYPE companion_requests_total counter"
        for (method, route, status), times in sorted(self._answers.items()):
            labels = f'{who},method="{method}",route="{route}",status="{status}"'
            yield f"companion_requests_total{{{labels}}} {times}"
        yield "# HELP companion_request_seconds How long this process took to answer."
        yield "# TYPE companion_request_seconds histogram"
        for route, counts in sorted(self._within.items()):
            labels = f'{who},route="{route}"'
            answered = 0
            for bound, times in zip((*BOUNDS, "+Inf"), counts, strict=True):
                answered += times
                yield f'companion_request_seconds_bucket{{{labels},le="{bound}"}} {answered}'
            yield f"companion_request_seconds_sum{{{labels}}} {self._seconds[route]:.6f}"
            yield f"companion_request_seconds_count{{{labels}}} {answered}"
        yield "# HELP companion_events_written_total Events that this process has committed."
        yield "# TYPE companion_events_written_total counter"
        yield f"companion_events_written_total{{{who}}} {events}"


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
    return Response(
        _numbers(current_app).text(database().events_written),
        content_type="text/plain; version=0.0.4; charset=utf-8",
    )


def init_app(app: Flask) -> None:
    """Begin to count, if somebody may read it."""
    if app.config["METRICS_TOKEN"]:
        app.extensions["companion_numbers"] = Numbers()
        app.before_request(_begin)
        app.after_request(_end)
