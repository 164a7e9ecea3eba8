"""The address for the phone, its QR code, and a real server on a free port."""

import errno
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from types import SimpleNamespace
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
import segno
from flask import Flask, request
from waitress.adjustments import Adjustments

from companion import serving
from companion.launcher import StartError
from companion.serving import (
    HEADERS_TIMEOUT,
    IDLE_TIMEOUT,
    REQUEST_TIMEOUT,
    Connection,
    announce,
    lan_address,
    listen,
    phone_host,
    serve,
)

KEY = "fKq0-house_key"


class Terminal(io.StringIO):
    """An output that may be a terminal, with a given encoding."""

    def __init__(self, *, encoding: str = "utf-8", tty: bool = False) -> None:
        super().__init__()
        self._encoding, self._tty = encoding, tty
        self.flushed = threading.Event()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._tty

    def flush(self) -> None:
        self.flushed.set()


def small_app(proxies: int = 0) -> Flask:
    app = Flask("small")
    app.config.update(HOUSE_KEY=KEY, TRUST_PROXY=proxies)
    app.add_url_rule("/k/<key>", "door", lambda key: f"came in with {key}")
    app.add_url_rule("/save", "save", lambda: "saved", methods=["POST"])
    app.add_url_rule("/who", "who", lambda: request.headers.get("X-Forwarded-For", "nobody"))
    return app


@pytest.fixture
def out() -> Terminal:
    return Terminal()


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    # A process that was started in the background ignores Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


def visited(
    make_app: Callable[[], Flask],
    visit: Callable[[int, str], None],
    out: Terminal,
    stop: int = signal.SIGTERM,
) -> None:
    """Serve until `visit`, which gets the port and the address, has returned."""

    def visit_then_stop() -> None:
        try:
            assert out.flushed.wait(30)
            address = next(word for word in out.getvalue().split() if word.startswith("http"))
            visit(urlsplit(address).port or 0, address)
        finally:
            os.kill(os.getpid(), stop)

    visitor = threading.Thread(target=visit_then_stop)
    visitor.start()
    serve(make_app, "127.0.0.1", 0, out)
    visitor.join()


def answers_to(proxies: int, *requests: bytes) -> list[bytes]:
    """Return a server's answer to each request, until it closes the connection."""
    answers = []

    def ask(port: int, _: str) -> None:
        for sent in requests:
            with socket.create_connection(("127.0.0.1", port), 120) as line:
                line.sendall(sent)
                answers.append(b"".join(iter(lambda: line.recv(65536), b"")))

    visited(lambda: small_app(proxies), ask, Terminal())
    return answers


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_announced_address_works_until_the_server_is_stopped(out, stop, capfd, caplog):
    answers = []

    def look(_: int, address: str) -> None:
        with urlopen(address, timeout=30) as response:
            answers.append(response.read())

    visited(small_app, look, out, stop)
    assert answers == [f"came in with {KEY}".encode()]
    # Only the announcement has the house key.
    assert KEY in out.getvalue()
    assert KEY not in caplog.text
    printed = capfd.readouterr()
    assert KEY not in printed.out + printed.err


# Opens many connections, says when they are open, and keeps them until its input ends.
IDLERS = """
import socket, sys
host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept = [socket.create_connection((host, port), 30) for _ in range(count)]
print("open", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a second address of this machine")
@pytest.mark.parametrize("proxy", [0, 1])
def test_a_client_with_nine_hundred_and_fifty_open_connections_keeps_nobody_out(out, proxy):
    answers: list[bytes] = []

    def save(port: int, come_from: str) -> None:
        with socket.create_connection(("127.0.0.1", port), 30, (come_from, 0)) as phone:
            phone.sendall(b"POST /save HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n")
            answers.append(phone.recv(12))

    def save_beside_idlers(port: int, _: str) -> None:
        command = [sys.executable, "-c", IDLERS, "127.0.0.1", str(port), "950"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as idlers:
            assert idlers.stdout is not None
            assert idlers.stdout.readline() == b"open\n"
            for come_from in ("127.0.0.2", "127.0.0.1", "127.0.0.2"):
                save(port, come_from)
            idlers.communicate(timeout=30)

    visited(lambda: small_app(proxy), save_beside_idlers, out)
    assert answers == [b"HTTP/1.1 200"] * 3


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A connection of a server that answers nothing by itself."""
    ours, theirs = socket.socketpair()
    server = SimpleNamespace(active_channels={}, add_task=lambda _: None, pull_trigger=lambda: None)
    with closing(theirs):
        made = Connection(server, ours, ("127.0.0.1", 1), Adjustments(), map={})
        yield made
        made.close()


WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
BODY = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\n"


STARTS = [(start, HEADERS_TIMEOUT) for start in (b"", b"GET / HTTP/1.1\r\nHo", b"\r\n")]
STARTS += [(start, REQUEST_TIMEOUT) for start in (BODY, BODY + b"four")]


@pytest.mark.parametrize(("sent", "seconds"), STARTS)
def test_the_server_does_not_wait_for_a_first_request_that_does_not_come(connection, sent, seconds):
    connection.received(sent)
    begun = connection.creation_time
    assert not connection.is_overdue(begun + seconds - 1)
    connection.last_activity = begun + seconds  # a byte now and then makes no difference
    connection.received(sent[:0])
    assert connection.is_overdue(begun + seconds + 2)


def test_a_connection_may_be_idle_for_a_while_after_its_request_was_answered(connection):
    connection.received(WHOLE)
    assert not connection.is_overdue(connection.creation_time + 10 * IDLE_TIMEOUT)
    connection.had_request = True
    connection.requests = []
    assert not connection.is_overdue(connection.last_activity + IDLE_TIMEOUT - 1)
    assert connection.is_overdue(connection.last_activity + IDLE_TIMEOUT + 1)
    connection.received(WHOLE[:-2])
    assert not connection.is_overdue(connection.begun + HEADERS_TIMEOUT - 1)
    assert connection.is_overdue(connection.begun + HEADERS_TIMEOUT + 1)


def test_a_connection_that_is_overdue_is_closed(out, monkeypatch):
    monkeypatch.setattr(serving, "HEADERS_TIMEOUT", 0)
    said = []

    def wait_to_be_closed(port: int, _: str) -> None:
        with socket.create_connection(("127.0.0.1", port), 30) as idle:
            said.append(idle.recv(12))

    visited(small_app, wait_to_be_closed, out)
    assert said == [b""]


def test_of_too_many_connections_the_one_idle_for_longest_is_closed():
    def made(had_request: bool, since: float, *requests: str) -> SimpleNamespace:
        return SimpleNamespace(had_request=had_request, idle_since=since, requests=requests)

    answered, idle = made(True, 1, "now"), made(True, 2)
    silent, later, newest = made(False, 3), made(False, 4), made(False, 5)
    open_now = [answered, idle, later, silent, newest]
    for expected in (silent, later, idle, newest):
        assert serving._longest_idle(open_now) is expected
        open_now.remove(expected)


@pytest.mark.parametrize(("proxies", "seen"), [(0, b"nobody"), (1, b"203.0.113.7")])
def test_a_proxys_headers_reach_the_app_only_if_one_is_trusted(proxies, seen):
    said = b"GET /who HTTP/1.0\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n"
    # The server reads every byte of these: unread bytes would end a connection without an answer.
    long_address = b"GET /".ljust(serving.MOST_HEADERS, b"x")
    large_body = b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (serving.MOST_BODY + 1)
    who, address, body = answers_to(proxies, said, long_address, large_body)
    assert who.endswith(b"\r\n\r\n" + seen)
    assert b" 431 " in address[:14]
    assert b" 413 " in body[:14]


def test_a_busy_port_is_named_and_the_app_is_not_even_made():
    def never() -> Flask:
        raise AssertionError("a second start must leave the first one's database alone")

    with listen("127.0.0.1", 0) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(StartError, match=rf"^Port {port} is already in use.* --port \d+\.$"):
            serve(never, "127.0.0.1", port)


def test_an_unusable_port_and_another_machines_host_are_named():
    assert "--port 8001." in serving._why_not(errno.EADDRINUSE, "0.0.0.0", 8000)
    assert "--port 8000." in serving._why_not(errno.EADDRINUSE, "0.0.0.0", 65535)
    assert "Port 80 is not open to you:" in serving._why_not(errno.EACCES, "0.0.0.0", 80)
    # An address for documentation, which no machine has.
    with pytest.raises(StartError, match=r"^Nothing can be served on '203\.0\.113\.1' \(.*--host"):
        listen("203.0.113.1", 0)
    for host in ("no such host", "two..dots"):
        with pytest.raises(StartError, match=rf"does not know the host '{host}': .*--host"):
            listen(host, 0)


def test_the_address_has_the_given_host_or_the_networks_if_all_are_served(monkeypatch):
    for host, shown in (
        ("192.168.1.7", "192.168.1.7"),
        ("fd00::7", "[fd00::7]"),
        ("table.local", "table.local"),
        ("0.0.0.0", lan_address()),
        ("::", lan_address()),
    ):
        assert phone_host(host) == shown
    with socket.socket() as own:
        own.bind((lan_address(), 0))  # only an address of this machine can be bound
    for probe in ("127.0.0.2", "255.255.255.255"):  # without a network
        monkeypatch.setattr(serving, "_PROBES", (probe,))
        assert lan_address() == "127.0.0.1"


def test_behind_a_proxy_the_proxys_address_is_announced(out):
    announce(KEY, "127.0.0.1", 8000, out, "https://scores.example")
    assert f"\n  https://scores.example/k/{KEY}\n" in out.getvalue()
    assert drawn(out.getvalue())


def test_an_address_that_only_this_machine_can_open_is_not_offered_to_a_phone():
    for host in ("127.0.0.1", "localhost", "::1"):
        announce(KEY, host, 8000, out := Terminal())
        assert f"Only this machine can open it: http://localhost:8000/k/{KEY}\n" in out.getvalue()
        assert "█" not in out.getvalue()


def modules_drawn(text: str) -> list[list[int]]:
    """Return the dark (1) and light (0) modules of a code drawn with half blocks."""
    halves = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}
    rows: list[list[int]] = []
    for line in text.splitlines():
        rows.append([halves[half][0] for half in line])
        rows.append([halves[half][1] for half in line])
    return rows


def drawn(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if set(line) & set("▀▄█"))


def test_both_addresses_are_announced_and_the_code_has_the_phones_address(out):
    announce(KEY, "192.168.1.7", 8000, out)
    words = out.getvalue().split()
    assert f"http://192.168.1.7:8000/k/{KEY}" in words
    assert f"http://localhost:8000/k/{KEY}" in words
    assert "you need a recovery code: make one in its Settings" in out.getvalue()
    code = segno.make(f"http://192.168.1.7:8000/k/{KEY}", error="L", micro=False)
    expected = [list(row) for row in code.matrix_iter(border=4)]
    assert modules_drawn(drawn(out.getvalue()))[: len(expected)] == expected


def test_on_a_terminal_the_code_is_white_on_black_and_left_out_if_blocks_cannot_be_printed():
    announce(KEY, "192.168.1.7", 8000, terminal := Terminal(tty=True))
    lines = drawn(terminal.getvalue()).splitlines()
    assert lines
    assert all(line.startswith("\x1b[97;40m") and line.endswith("\x1b[0m") for line in lines)
    for tty in (False, True):
        announce(KEY, "192.168.1.7", 8000, file := Terminal(encoding="latin-1", tty=tty))
        assert file.getvalue().isascii()
        assert "\x1b" not in file.getvalue()
        assert f"http://192.168.1.7:8000/k/{KEY}" in file.getvalue()
