"""What the servers answer by themselves, to bytes that are no request: as the pages would."""

import logging
import socket
from time import monotonic

import pytest
from flask import Flask
from gunicorn.http import errors

from companion.hosting.worker import Worker
from companion.serving import HEADERS as MOST
from tests.browsing import Browser
from tests.served import answer_to, said, talking_to
from tests.workers import workers

CLOSE = b"Host: here\r\nConnection: close\r\n"
# Of a TLS client that takes the port for one of HTTPS.
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(128, 160)) + b"SECRET"

# What is sent, and the status that waitress answers with, and gunicorn. What one of them takes is
# answered by a page. Nothing is longer than what waitress reads: what lies unread when a
# connection ends would take the answer with it.
NO_REQUESTS = {
    "no request line": (b"SECRET\r\n\r\n", 400, 400),
    "a line of words": (b"/k/SECRET is my address\r\n\r\n", 400, 400),
    "bytes of TLS": (HELLO + b"\r\n\r\n", 400, 400),
    "a header without a colon": (b"GET / HTTP/1.1\r\n" + CLOSE + b"SECRET\r\n\r\n", 400, 400),
    "a header without a name": (b"GET / HTTP/1.1\r\n" + CLOSE + b": SECRET\r\n\r\n", 400, 400),
    "a size that is none": (
        b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: SECRET\r\n\r\n",
        *(400, 400),
    ),
    "a version that is none": (b"GET /rules HTTP/9.9\r\n" + CLOSE + b"\r\n", 200, 400),
    "a coding that nobody knows": (
        b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: SECRET, chunked\r\n\r\n",
        *(501, 501),
    ),
    "chunks that are none": (
        b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nSECRET\r\n\r\n",
        *(400, 411),
    ),
    "an expectation that nobody meets": (
        b"GET /rules HTTP/1.1\r\n" + CLOSE + b"Expect: SECRET\r\n\r\n",
        *(200, 417),
    ),
    "a line too long": (
        b"GET /SECRET".ljust(MOST - 25, b"x") + b" HTTP/1.1\r\nHost: here\r\n\r\n",
        *(431, 414),
    ),
    "a header too long": (
        b"GET / HTTP/1.1\r\nCookie: SECRET".ljust(MOST - 4, b"x") + b"\r\n\r\n",
        *(431, 431),
    ),
    "too many headers": (
        (b"GET / HTTP/1.1\r\n" + b"X: SECRET\r\n" * 3000)[: MOST - 10] + b"\r\nX: S\r\n\r\n",
        *(431, 431),
    ),
}


def is_a_sentence(body: str, status: int) -> bool:
    """Whether the server itself said what is wrong, and did not leave that to a page."""
    too_long = "What this browser sent is too long: "
    return body.startswith(too_long if status in (414, 431) else "What arrived is no request ")


@pytest.mark.database("sqlite")
def test_waitress_answers_as_the_pages_do(app: Flask) -> None:
    answers = talking_to(lambda: app, *(sent for sent, _, _ in NO_REQUESTS.values()))
    for answer, (_, status, _) in zip(answers, NO_REQUESTS.values(), strict=True):
        body = said(answer, status)
        assert status == 200 or is_a_sentence(body, status), body


@pytest.mark.database("postgresql")
def test_gunicorn_answers_as_the_pages_do_and_logs_nothing_of_it(bare: str) -> None:
    with workers(bare, 1) as server:
        for sent, _, status in NO_REQUESTS.values():
            body = said(answer_to(sent, server.port), status)
            assert status == 411 or is_a_sentence(body, status), body
        log = server.told.read_text()
        # Nor does it believe a proxy that nobody has told it of.
        begun = monotonic()
        for count in range(1, 100):
            asking = Browser(server.port, claims={"X-Forwarded-For": f"203.0.113.{count}"})
            status = asking.get("/k/wrong").status
            asking.close()
            if status == 429:
                break
        assert count <= 31 + 1 + (monotonic() - begun) / 10  # one more is forgiven in ten seconds
    assert "SECRET" not in log
    assert log.count("Somebody sent what is no request.") == len(NO_REQUESTS)


def failing_app() -> Flask:
    app = Flask("failing")
    app.config["HOUSE_KEY"] = "key"
    app.wsgi_app = lambda environ, start: 1 / 0  # type: ignore[method-assign, assignment]
    return app


def test_an_application_that_fails_altogether_is_answered_for_by_waitress() -> None:
    (answer,) = talking_to(failing_app, b"GET /k/SECRET HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert said(answer, 500).startswith("The fault is the companion's.")


@pytest.mark.parametrize(
    ("problem", "status", "logged"),
    [
        (ZeroDivisionError("SECRET"), 500, "A request could not be answered."),
        (errors.InvalidResponseHeader("SECRET"), 500, "A request could not be answered."),
        (errors.InvalidHeader("SECRET"), 400, "Somebody sent what is no request."),
        (errors.InvalidChunkSize("SECRET"), 400, "Somebody sent what is no request."),
        (errors.UnsupportedTransferCoding("SECRET"), 501, "Somebody sent what is no request."),
    ],
)
def test_what_goes_wrong_in_gunicorn_is_logged_in_one_line(
    problem: Exception, status: int, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker.__new__(Worker)
    worker.log = logging.getLogger("gunicorn.error")
    here, there = socket.socketpair()
    with here, there:
        worker.handle_error(None, here, None, problem)
        here.shutdown(socket.SHUT_WR)
        said(there.makefile("rb").read(), status)
        there.close()
        worker.handle_error(None, here, None, problem)  # who has gone is told nothing
    assert [record.getMessage() for record in caplog.records] == [logged] * 2
