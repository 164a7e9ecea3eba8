"""The server of the house in this process, and what it answers to bytes as they are."""

import io
import os
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from flask import Flask

from companion.serving import serve
from companion.web.app import HEADERS, POLICY


class Terminal(io.StringIO):
    """What is printed, on a terminal or not, in an encoding of its own."""

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


@contextmanager
def signals_put_back() -> Iterator[None]:
    """Leave the signals as they were before the server took them over."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    # What is started in the background is told to ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def talking_to(make_app: Callable[[], Flask], *requests: bytes) -> list[bytes]:
    """What a server of that app answers to each of these, until it closes the connection."""
    out = Terminal()
    answers: list[bytes] = []

    def ask_then_stop() -> None:
        try:
            assert out.flushed.wait(60)
            address = next(word for word in out.getvalue().split() if word.startswith("http"))
            port = urlsplit(address).port or 80
            answers.extend(answer_to(request, port) for request in requests)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    visitor = threading.Thread(target=ask_then_stop)
    visitor.start()
    with signals_put_back():
        serve(make_app, "127.0.0.1", 0, out)
    visitor.join()
    return answers


def answer_to(request: bytes, port: int, trust: ssl.SSLContext | None = None) -> bytes:
    """What a server on this machine answers to these bytes, until it closes the connection."""
    with ExitStack() as open_lines:
        line = open_lines.enter_context(socket.create_connection(("127.0.0.1", port), 120))
        if trust is not None:
            line = open_lines.enter_context(trust.wrap_socket(line, server_hostname="127.0.0.1"))
        line.sendall(request)
        return b"".join(iter(lambda: line.recv(65536), b""))


def said(answer: bytes, status: int, policy: str = POLICY) -> str:
    """The body of the one answer, which has that status and the headers of every answer."""
    head, _, body = answer.decode().partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    assert first.split()[1] == str(status), answer
    headers = [tuple(line.split(": ", 1)) for line in lines]
    expected = {**HEADERS, "Content-Security-Policy": policy, "Cache-Control": "no-store"}
    for name, value in expected.items():
        assert [one for known, one in headers if known == name] == [value], (name, head)
    assert "HTTP/1." not in body, "There is a second answer."
    for word in ("SECRET", "waitress", "gunicorn", "nginx", "Traceback"):
        assert word not in body
    return body
