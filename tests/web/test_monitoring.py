"""Monitoring the server: health, metrics and logs."""

import io
import json
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from companion.web.monitoring import JsonLines
from tests.web.conftest import Marker, begin, close_database, viewers_link


def test_a_server_with_its_database_is_alive_and_ready(stranger):
    for address, says in (("/healthz", "alive\n"), ("/readyz", "ready\n")):
        answer = stranger.client.get(address)
        assert (answer.status_code, answer.text) == (200, says)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert "Set-Cookie" not in answer.headers
        assert stranger.client.post(address).status_code in (400, 405)


@pytest.mark.own_app
@pytest.mark.database("sqlite")
def test_a_server_without_its_database_is_alive_but_not_ready(app, stranger):
    file = Path(app.instance_path) / "companion.sqlite3"
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("UPDATE companion_version SET version_num = '9999'")
    answer = stranger.client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: other_version\n")
    close_database(app)
    for beside in file.parent.glob("companion.sqlite3*"):
        beside.unlink()
    file.write_bytes(b"no database, but long enough to look like one" * 100)
    assert stranger.client.get("/healthz").status_code == 200
    answer = stranger.client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: damaged\n")


TOKEN = "a-token-for-prometheus"


@pytest.fixture
def counting(served: Callable[..., Flask]) -> Flask:
    """An application whose metrics can be read with the token."""
    return served(METRICS_TOKEN=TOKEN)


def scrape(app: Flask) -> dict[str, float]:
    """Return each series by its name and labels, without the name of the process."""
    answer = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text.endswith("\n")
    found = {}
    families = text_string_to_metric_families(answer.text)
    for sample in chain.from_iterable(one.samples for one in families):
        assert re.fullmatch(r"\d+-\d+", sample.labels.pop("process"))
        labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
        found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


def test_metrics_need_the_right_token(counting, stranger):
    answer = stranger.client.get("/metrics", headers={"Authorization": "Bearer None"})
    assert answer.status_code == 404  # there is none for this application
    for given in (None, "", TOKEN, "Bearer", "Bearer x", f"bearer {TOKEN}", "ключ"):
        headers = {} if given is None else {"Authorization": given.encode().decode("latin-1")}
        answer = counting.test_client().get("/metrics", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
        assert "companion_" not in answer.text


def test_answers_are_counted_by_method_route_and_status(counting):
    browser = Marker(counting.test_client())
    browser.client.get(f"/k/{counting.config['HOUSE_KEY']}")
    browser.client.get("/k/wrong")
    browser.client.get("/k/wrong too")
    browser.client.get("/nothing")
    browser.client.open("/", method="BREW")
    found = scrape(counting)
    requests = {name: value for name, value in found.items() if name.startswith("companion_req")}
    assert requests['companion_requests_total{method="GET",route="/k/<key>",status="303"}'] == 1
    assert requests['companion_requests_total{method="GET",route="/k/<key>",status="404"}'] == 2
    assert requests['companion_requests_total{method="GET",route="none",status="404"}'] == 1
    assert requests['companion_requests_total{method="other",route="none",status="405"}'] == 1
    assert requests['companion_request_seconds_count{route="/k/<key>"}'] == 3
    assert requests['companion_request_seconds_bucket{le="+Inf",route="/k/<key>"}'] == 3
    assert counting.config["HOUSE_KEY"] not in str(found)


Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logging_app(served: Callable[..., Flask]) -> Iterator[Flask]:
    """An application that logs as JSON, behind one proxy."""
    root, requests = logging.getLogger(), logging.getLogger("companion.requests")
    before, level = list(root.handlers), requests.level
    yield served(propagate=False, LOG="json", TRUST_PROXY="1")
    root.handlers[:] = before
    requests.setLevel(level)


@pytest.fixture
def lines(logging_app: Flask) -> Lines:
    """Return the log lines so far, parsed."""
    (handler,) = (
        one for one in logging.getLogger().handlers if isinstance(one.formatter, JsonLines)
    )
    assert isinstance(handler, logging.StreamHandler)
    text = io.StringIO()
    handler.setStream(text)
    return lambda: [json.loads(line) for line in text.getvalue().splitlines()]


def test_each_request_is_a_log_line_with_its_route_but_not_its_address(logging_app, lines):
    browser = Marker(logging_app.test_client())
    key = logging_app.config["HOUSE_KEY"]
    answer = browser.client.get(f"/k/{key}")
    game = begin(browser, ("Ana", "Ben"))
    viewer = viewers_link(browser, game).rpartition("/")[2]
    browser.client.get(f"/v/{viewer}/live?since=1&x={key}", headers={"Referer": f"/k/{key}"})
    browser.client.get(f"/nothing/{key}/{viewer}")
    browser.client.get(f"/K/{key}")
    logged = lines()
    for line in logged:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
        assert line.pop("ms") >= 0
    assert logged[0].pop("request_id") == answer.headers["X-Request-ID"]
    same = {"level": "info", "logger": "companion.requests", "message": "request", "method": "GET"}
    assert logged[0] == same | {"route": "/k/<key>", "status": 303}
    assert [(line["route"], line["status"]) for line in logged] == [
        ("/k/<key>", 303),
        ("/settings", 200),
        ("/games/new", 303),
        ("/games/<game_id>/code", 200),
        ("/v/<key>/live", 204),
        (None, 404),
        (None, 404),
    ]
    secrets = (key, viewer, browser.cookie, browser.me, game.rpartition("/")[2], "127.0.0.1")
    for secret in secrets:
        assert secret not in json.dumps(logged)


def test_an_error_is_a_log_line_without_the_key(logging_app, lines, monkeypatch):
    logging.getLogger("waitress").warning("Client went while serving %s", "/v/%53E%43RET/live")
    (line,) = lines()
    assert (line["level"], line["message"]) == ("warning", "Client went while serving /v/…/live")
    assert "request_id" not in line
    key = logging_app.config["HOUSE_KEY"]

    def fail(one: str, other: str) -> bool:
        raise RuntimeError(f"a message that has /k/{one} in it\nand a second line")

    monkeypatch.setattr("companion.web.auth.same_key", fail)
    answer = logging_app.test_client().get(f"/k/{key}")
    assert answer.status_code == 500
    _, problem, request = lines()
    assert (problem["level"], problem["logger"]) == ("error", "companion")
    assert "RuntimeError: a message that has /k/… in it\nand a second line" in problem["exception"]
    assert problem["request_id"] == request["request_id"] == answer.headers["X-Request-ID"]
    assert (request["route"], request["status"]) == ("/k/<key>", 500)
    assert key not in json.dumps([problem, request])


def test_a_proxys_request_id_is_kept_if_it_is_one(served, logging_app, lines):
    alone = served(LOG="json", TRUST_PROXY="0")  # the handler that is there serves it too
    answer = alone.test_client().get("/rules", headers={"X-Request-ID": "abc-123"})
    assert answer.headers["X-Request-ID"] != "abc-123"
    assert len(lines()) == 1
    for given, taken in (("abc-123", True), ("", False), ("x" * 65, False), ("a b", False)):
        logging_app.test_client().get("/rules", headers={"X-Request-ID": given})
        line = lines()[-1]
        assert (line["request_id"] == given) is taken
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", line["request_id"])


def test_a_houses_terminal_shows_no_requests(app, marker, capfd):
    answer = marker.client.get("/rules")
    assert "X-Request-ID" not in answer.headers
    assert capfd.readouterr() == ("", "")
