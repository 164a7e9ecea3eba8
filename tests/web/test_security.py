"""What every answer says about how a browser may use it, and what no log says."""

import io
import logging
from collections.abc import Iterator

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from companion.web.security import HEADERS, POLICY, HideKeys

LOGGERS = ("companion", "waitress", "gunicorn.error", "werkzeug")
PAGES = [
    "/",
    "/games/new",
    "/games/archive",
    "/settings",
    "/rules",
    "/nothing/here",
    "/favicon.ico",
    "/k/wrong",
    "/v/wrong",
    "/static/x/app.css",
    "/static/x/nothing.css",
]


def is_protected(answer: TestResponse) -> bool:
    return all(answer.headers.getlist(name) == [value] for name, value in HEADERS.items())


@pytest.mark.parametrize("address", PAGES)
def test_every_answer_says_how_it_may_be_used(marker, stranger, address):
    for browser in (marker, stranger):
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
            answer = browser.client.open(address, method=method)
            assert is_protected(answer), (method, answer.status)
            answer.close()


@pytest.mark.parametrize("weakness", ["unsafe", "*", "http:", "https:", "eval"])
def test_the_policy_allows_nothing_from_elsewhere(weakness):
    assert weakness not in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "frame-ancestors 'none'" in POLICY
    assert "base-uri 'none'" in POLICY
    assert "form-action 'self'" in POLICY


def test_pages_need_nothing_that_the_policy_forbids(marker, game):
    for address in ("/", "/games/new", "/settings", game, f"{game}/manage", "/nothing"):
        page = marker.client.get(address).text
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick=" not in page
        assert page.count("<script") == page.count("<script src=") + page.count('type="module"')


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_asking_about_a_page_shows_nothing_of_it(marker, game, method):
    answer = marker.client.open(game, method=method)
    assert answer.status_code == 200
    assert answer.data == b""


def test_head_tells_a_stranger_no_more_than_get(stranger, game):
    assert stranger.client.head(game).status_code == 403
    assert stranger.client.head("/games/new").status_code == 403


# -- logs -----------------------------------------------------------------------------------------


@pytest.fixture
def log(app: Flask) -> Iterator[io.StringIO]:
    """What the companion's and the servers' loggers write from now on."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    yield text
    for logger, level in zip(loggers, levels, strict=True):
        logger.removeHandler(handler)
        logger.setLevel(level)


def test_a_request_that_failed_is_logged_without_the_key(app, stranger, log, monkeypatch):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr("companion.web.house.same_key", lambda one, other: 1 / 0)
    key = app.config["HOUSE_KEY"]
    assert stranger.client.get(f"/k/{key}").status_code == 500
    assert "ZeroDivisionError" in log.getvalue()
    assert "Exception on /k/… [GET]" in log.getvalue()
    assert key not in log.getvalue()


@pytest.mark.parametrize(
    ("logger", "message", "arguments", "logged"),
    [
        ("waitress", "Exception while serving %s", ("/v/SECRET/live",), "serving /v/…/live"),
        ("waitress", "Client disconnected while serving /k/SECRET", (), "serving /k/…"),
        ("werkzeug", '%s - "%s" %s', ("::1", "GET /k/SECRET HTTP/1.1", 303), '"GET /k/… HTTP/1.1"'),
        ("waitress", "%s", ("Exception serving /j/SECRET",), "serving /j/…"),
        ("gunicorn.error", "Error handling request %s", ("/k/SECRET",), "request /k/…"),
        (
            "gunicorn.error",
            "Invalid request from ip=203.0.113.7: Invalid HTTP Header: 'Cookie companion=/SECRET'",
            (),
            "Somebody sent what is no request.",
        ),
        ("werkzeug", "%s", ("GET /settings?back=/v/SECRET&x=1",), "back=/v/…&x=1"),
        ("companion", "%s", ("/settings?back=%2Fv%2FSECRET",), "back=%2Fv%2F…"),
        ("companion", "%d games in /work/SECRET-free/x", (3,), "3 games in /work/SECRET-free/x"),
    ],
)
def test_no_logger_writes_a_key(log, logger, message, arguments, logged):
    logging.getLogger(logger).warning(message, *arguments)
    assert logged in log.getvalue()
    assert "/SECRET" not in log.getvalue().replace("/work/SECRET-free", "")


def test_a_second_application_adds_no_second_guard(app, tmp_path):
    for name in LOGGERS:
        guards = [one for one in logging.getLogger(name).filters if isinstance(one, HideKeys)]
        assert len(guards) == 1
