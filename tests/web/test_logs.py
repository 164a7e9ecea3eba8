"""Logs for machines: a JSON object a line, a line a request, and no secret in any of them."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from companion.web import create_app
from companion.web.house import database
from companion.web.monitoring import JsonLines
from tests.web.conftest import Marker, begin

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logging_app(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """An application that logs as JSON, behind one proxy."""
    monkeypatch.setenv("COMPANION_LOG", "json")
    monkeypatch.setenv("COMPANION_TRUST_PROXY", "1")
    root, requests = logging.getLogger(), logging.getLogger("companion.requests")
    before, level = list(root.handlers), requests.level
    logging_app = create_app({"PROPAGATE_EXCEPTIONS": False})
    yield logging_app
    root.handlers[:] = before
    requests.setLevel(level)
    with logging_app.app_context():
        database().close()


@pytest.fixture
def lines(logging_app: Flask) -> Lines:
    """What was logged so far, each line parsed."""
    (handler,) = (
        one for one in logging.getLogger().handlers if isinstance(one.formatter, JsonLines)
    )
    assert isinstance(handler, logging.StreamHandler)
    text = io.StringIO()
    handler.setStream(text)
    return lambda: [json.loads(line) for line in text.getvalue().splitlines()]


def test_each_request_is_a_line(logging_app, lines):
    browser = Marker(logging_app.test_client())
    answer = browser.client.get("/rules")
    (line,) = lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line.pop("ms") >= 0
    assert line.pop("request_id") == answer.headers["X-Request-ID"]
    assert line == {
        "level": "info",
        "logger": "companion.requests",
        "message": "request",
        "method": "GET",
        "route": "/rules",
        "status": 200,
    }


def test_of_an_address_only_its_rule_is_written(logging_app, lines):
    browser = Marker(logging_app.test_client())
    key = logging_app.config["HOUSE_KEY"]
    browser.client.get(f"/k/{key}")
    game = begin(browser, ("Ana", "Ben"))
    viewer = re.findall(r"/v/([\w-]+)", browser.open(f"{game}/code"))[0]
    browser.client.get(f"/v/{viewer}/live?since=1&x={key}", headers={"Referer": f"/k/{key}"})
    browser.client.get(f"/nothing/{key}/{viewer}")
    browser.client.get(f"/K/{key}")
    logged = lines()
    assert [(line["route"], line["status"]) for line in logged] == [
        ("/k/<key>", 303),
        ("/settings", 200),
        ("/games/new", 303),
        ("/games/<game_id>/code", 200),
        ("/v/<key>/live", 204),
        (None, 404),
        (None, 404),
    ]
    cookie = browser.client.get_cookie("companion")
    assert cookie is not None
    with browser.client.session_transaction() as session:
        marker = session["marker"]
    for secret in (key, viewer, cookie.value, marker, game.rpartition("/")[2], "127.0.0.1"):
        assert secret not in json.dumps(logged)


def test_what_goes_wrong_is_a_line_too_without_the_key(logging_app, lines, monkeypatch):
    key = logging_app.config["HOUSE_KEY"]

    def fail(one: str, other: str) -> bool:
        raise RuntimeError(f"a message that has /k/{one} in it\nand a second line")

    monkeypatch.setattr("companion.web.house.same_key", fail)
    answer = logging_app.test_client().get(f"/k/{key}")
    assert answer.status_code == 500
    problem, request = lines()
    assert (problem["level"], problem["logger"]) == ("error", "companion")
    assert "RuntimeError: a message that has /k/… in it\nand a second line" in problem["exception"]
    assert problem["request_id"] == request["request_id"] == answer.headers["X-Request-ID"]
    assert (request["route"], request["status"]) == ("/k/<key>", 500)
    assert key not in json.dumps([problem, request])


def test_other_loggers_write_so_too(logging_app, lines):
    logging.getLogger("waitress").warning("Client went while serving %s", "/v/SECRET/live")
    (line,) = lines()
    assert line["message"] == "Client went while serving /v/…/live"
    assert line["level"] == "warning"
    assert "request_id" not in line


@pytest.mark.parametrize(
    ("given", "taken"), [("abc-123", True), ("", False), ("x" * 65, False), ("a b", False)]
)
def test_a_proxys_request_id_is_kept_if_it_is_one(logging_app, lines, given, taken):
    logging_app.test_client().get("/rules", headers={"X-Request-ID": given})
    (line,) = lines()
    assert (line["request_id"] == given) is taken
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", line["request_id"])


def test_without_a_proxy_nobody_names_a_request(app, monkeypatch, logging_app, lines):
    monkeypatch.setenv("COMPANION_TRUST_PROXY", "0")
    alone = create_app()  # the handler that is there serves it too
    answer = alone.test_client().get("/rules", headers={"X-Request-ID": "abc-123"})
    assert answer.headers["X-Request-ID"] != "abc-123"
    assert len(lines()) == 1
    with alone.app_context():
        database().close()


def test_the_terminal_of_a_house_shows_no_requests(app, marker, capfd):
    answer = marker.client.get("/rules")
    assert "X-Request-ID" not in answer.headers
    assert capfd.readouterr() == ("", "")
