"""Security headers, sessions and their tokens, and limits on sizes."""

import logging
from io import BytesIO

import pytest
from flask import Flask, session
from itsdangerous import TimestampSigner
from werkzeug.test import TestResponse

from companion.web.app import HEADERS, MAX_FORM, MAX_IMPORT, POLICY
from tests.web.conftest import text
from tests.web.test_auth import signed


def is_protected(answer: TestResponse) -> bool:
    return all(answer.headers.getlist(name) == [value] for name, value in HEADERS.items())


def test_the_policy_allows_nothing_from_elsewhere():
    for weakness in ("unsafe", "*", "http:", "https:", "eval"):
        assert weakness not in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "frame-ancestors 'none'" in POLICY
    assert "base-uri 'none'" in POLICY
    assert "form-action 'self'" in POLICY


# -- logs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("logger", "message", "arguments", "logged"),
    [
        ("waitress", "Exception while serving %s", ("/v/SECRET/live",), "serving /v/…/live"),
        ("waitress", "Client disconnected while serving /k/SECRET", (), "serving /k/…"),
        ("werkzeug", '%s - "%s" %s', ("::1", "GET /k/SECRET HTTP/1.1", 303), '"GET /k/… HTTP/1.1"'),
        ("waitress", "%s", ("Exception serving /j/SECRET",), "serving /j/…"),
        ("waitress", "%s", ("Exception serving /s/SECRET/season.csv",), "/s/…/season.csv"),
        ("gunicorn.error", "Error handling request %s", ("/k/SECRET",), "request /k/…"),
        (
            "gunicorn.error",
            "Invalid request from ip=203.0.113.7: Invalid HTTP Header: 'Cookie companion=/SECRET'",
            (),
            "A client sent an invalid request.",
        ),
        ("werkzeug", "%s", ("GET /settings?back=/v/SECRET&x=1",), "back=/v/…&x=1"),
        ("companion", "%s", ("/settings?back=%2Fv%2FSECRET",), "back=%2Fv%2F…"),
        ("companion", "%d games in /work/SECRET-free/x", (3,), "3 games in /work/SECRET-free/x"),
    ],
)
def test_no_logger_writes_a_key(app, caplog, logger, message, arguments, logged):
    logging.getLogger(logger).warning(message, *arguments)
    assert logged in caplog.text
    assert "/SECRET" not in caplog.text.replace("/work/SECRET-free", "")


def opened(app: Flask, cookie: str) -> dict[str, object]:
    """Return the session of a request with this cookie."""
    with app.test_request_context(headers={"Cookie": f"companion={cookie}"}):
        return dict(session)


def test_a_cookie_may_be_from_a_clock_that_is_ahead_but_not_from_last_year(app, monkeypatch):
    offset = 0
    present = TimestampSigner.get_timestamp
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: present(self) + offset)
    cookies = {}
    for offset in (1, 7 * 60, -366 * 24 * 3600):
        cookies[offset] = signed(app, {"marker": "m"})
    offset = 0
    assert opened(app, cookies[1]) == {"marker": "m"}
    assert opened(app, cookies[7 * 60]) == {"marker": "m"}
    assert opened(app, cookies[-366 * 24 * 3600]) == {}
    assert opened(app, cookies[7 * 60][:-1]) == {}, "it is forged, whatever its time"


def test_the_size_of_forms_and_the_number_of_fields_are_limited(marker, stranger):
    fields = marker.hidden("/games/new")
    room = MAX_FORM - sum(len(name) + len(value) + 2 for name, value in fields.items()) - 100
    assert marker.post("/games/new", {"title": "x" * room}, **fields).status_code == 422
    answer = marker.post("/games/new", {"title": "x" * MAX_FORM}, **fields)
    assert answer.status_code == 413
    assert "Too large" in answer.text.partition("<h1>")[2].partition("</h1>")[0]
    assert "That is larger than any form or saved game." in text(answer.text)
    parts = fields | {"title": "x" * (MAX_FORM + 1), "file": (BytesIO(b""), "game.json")}
    assert marker.client.post("/games/import", data=parts).status_code == 413
    answer = stranger.client.post("/games/import", data={"file": (BytesIO(b"x" * MAX_FORM), "a")})
    assert answer.status_code == 413
    many = {"data": {f"f{n}": "1" for n in range(2100)}, "content_type": "multipart/form-data"}
    assert marker.client.post("/games/import", **many).status_code == 413


def test_a_saved_game_may_be_larger(marker):
    token = marker.hidden("/games/new")["csrf_token"].encode()
    form = b'--edge\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
    for size, status in ((MAX_IMPORT - 2000, 422), (MAX_IMPORT, 413)):
        file = form % (b"file", b'; filename="game.json"', b"x" * size)
        body = form % (b"csrf_token", b"", token) + file + b"--edge--\r\n"
        kind = "multipart/form-data; boundary=edge"
        answer = marker.client.post("/games/import", data=body, content_type=kind)
        assert answer.status_code == status
