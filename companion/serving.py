"""Serve the pages with waitress, and print the address for the phone."""

import ctypes
import errno
import io
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from ipaddress import ip_address
from typing import TextIO

import segno
from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from companion.launcher import StartError
from companion.store import DatabaseProblem
from companion.web.auth import network_of
from companion.web.config import Misconfigured, public_address

THREADS = 8
# A watching phone has one or two connections. More than these may need more open files than a
# system allows by default (1024; without poll, as on Windows, select takes at most 512).
HAS_POLL = hasattr(select, "poll")
CONNECTIONS = 900 if HAS_POLL else 400
# The most connections of one address or IPv6 network: all phones of a house may share one.
CONNECTIONS_PER_NETWORK = CONNECTIONS // 2
# How many seconds the headers of a request and the whole request may take to arrive, and how long a
# connection may be idle after a request.
HEADERS_TIMEOUT = 10
REQUEST_TIMEOUT = 120
IDLE_TIMEOUT = 120
# The most bytes to read. The pages have lower limits, and say what is too large.
MOST_HEADERS = 32 * 1024
MOST_BODY = 16 * 1024 * 1024

# Addresses in networks that houses have. Connecting a datagram socket sends nothing: it only asks
# the routing table which of our addresses it would use.
_PROBES = ("192.0.2.1", "10.254.254.254", "172.31.254.254", "192.168.254.254", "169.254.254.254")


class Connection(HTTPChannel):  # type: ignore[misc]
    """A browser's connection, which knows how long it has been idle."""

    had_request = False
    """True once a whole request has arrived."""
    begun = 0.0
    """When the current request began to arrive."""

    def received(self, data: bytes) -> bool:
        """Read a part of a request."""
        if self.request is None:
            self.begun = time.time()
        return bool(super().received(data))

    def service(self) -> None:
        """Answer a request."""
        self.had_request = True
        super().service()

    @cached_property
    def network(self) -> str:
        """The client's IPv4 address or IPv6 network."""
        return network_of(self.addr[0])

    @property
    def idle_since(self) -> float:
        """When the last data arrived; before the first request, when the connection was opened."""
        return float(self.last_activity if self.had_request else self.creation_time)

    def is_overdue(self, now: float) -> bool:
        """True if a request takes too long to arrive, or the connection was idle too long."""
        if self.requests:  # it is being answered
            return False
        if self.request is None:
            return now - self.idle_since > (IDLE_TIMEOUT if self.had_request else HEADERS_TIMEOUT)
        has_headers = self.request.headers_finished
        return now - self.begun > (REQUEST_TIMEOUT if has_headers else HEADERS_TIMEOUT)


class Server(TcpWSGIServer):  # type: ignore[misc]
    """waitress with limits, so that idle connections cannot use up the server."""

    channel_class = Connection
    per_network = CONNECTIONS_PER_NETWORK

    def handle_accept(self) -> None:
        """Accept a connection. If there are too many, close the one that was idle longest."""
        super().handle_accept()
        connections = [*self.active_channels.values()]
        if connections and (surplus := _surplus(connections, self.per_network)):
            surplus.handle_close()

    def maintenance(self, now: float) -> None:
        """Close overdue connections."""
        for connection in self.active_channels.values():
            if connection.is_overdue(now):
                connection.will_close = True


def _surplus(connections: Sequence[Connection], per_network: int) -> Connection | None:
    """Return the connection to close after the last one was accepted, None if there is room."""
    network = connections[-1].network
    neighbours = [connection for connection in connections if connection.network == network]
    if len(neighbours) > per_network:
        return _longest_idle(neighbours)
    return _longest_idle(connections) if len(connections) > CONNECTIONS else None


def _longest_idle(connections: Sequence[Connection]) -> Connection:
    """Return the idle connection to close: first those without any request, then the longest idle.

    Returns the newest connection if all others are being answered.
    """
    *others, newest = connections
    idle = [other for other in others if not other.requests]
    return min(idle, key=lambda other: (other.had_request, other.idle_since), default=newest)


def serve(make_app: Callable[[], Flask], host: str, port: int, out: TextIO | None = None) -> None:
    """Serve until Ctrl-C or SIGTERM. `port` 0 means any free port.

    Takes the port before it makes the app, so that a second start leaves the database of the first
    alone. Raises StartError if the port, the host or the database cannot be used.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    _share_heaps()
    with listen(host, port) as listener:
        with raising_start_errors():
            app = make_app()
        port = listener.getsockname()[1]
        public = public_address(app.config, port)
        announce(app.config["HOUSE_KEY"], host, port, out or sys.stdout, public)
        # It warns of every phone that waited a moment, and the marker reads this terminal.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        connections: dict[int, wasyncore.dispatcher] = {}
        server = Server(
            app,
            connections,
            _sock=listener,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            threads=THREADS,
            connection_limit=CONNECTIONS + 10,  # never reached
            cleanup_interval=1,
            asyncore_use_poll=HAS_POLL,
            ident=None,
            max_request_header_size=MOST_HEADERS,
            max_request_body_size=MOST_BODY,
            # Otherwise waitress would remove the headers of the proxies in front.
            clear_untrusted_proxy_headers=not app.config.get("TRUST_PROXY"),
        )
        if app.config.get("TRUST_PROXY"):  # all connections come from the proxy's address
            server.per_network = CONNECTIONS
        try:
            server.run()  # on Ctrl-C and SIGTERM, returns once the current requests are answered
        finally:
            wasyncore.close_all(connections)


def _share_heaps() -> None:
    """Let all threads share two heaps. A heap of its own would keep the most a thread ever used."""
    with suppress(AttributeError, OSError, TypeError):  # not GNU's C library
        ctypes.CDLL(None).mallopt(-8, 2)  # M_ARENA_MAX


@contextmanager
def raising_start_errors() -> Iterator[None]:
    """Turn errors of the database, settings and files into StartErrors, which say what to do."""
    try:
        yield
    except (DatabaseProblem, Misconfigured) as problem:
        raise StartError(str(problem)) from problem
    except BrokenPipeError:  # the reader of the command's output has stopped, like `| head`
        raise
    except OSError as error:
        if error.errno == errno.EINVAL:  # a key file without a key
            raise StartError(
                f"{error.filename} cannot be used ({error.strerror}). Put the saved one back, or "
                f"restore a backup, and start again."
            ) from error
        raise StartError(
            f"{error.filename2 or error.filename or 'A file'} cannot be used ({error.strerror}): "
            f"make its folder writable or free some space, and start again."
        ) from error


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises StartError, which says what to change, if that fails."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as error:  # the latter: no name can be like this
        raise StartError(
            f"This machine does not know the host {host!r}: give one of its own addresses with "
            f"--host, or leave --host out to serve on all of them."
        ) from error
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=128, dualstack_ipv6=both)
    except OSError as error:
        raise StartError(_why_not(error.errno or 0, host, port)) from error


def _why_not(code: int, host: str, port: int) -> str:
    if code == errno.EADDRINUSE:
        return (
            f"Port {port} is already in use, perhaps by another start of this: stop that, "
            f"or choose another port with --port {port + 1 if port < 65535 else 8000}."
        )
    if code == errno.EACCES:
        return f"Port {port} is not open to you: choose one above 1023 with --port 8000."
    return (
        f"Nothing can be served on {host!r} ({os.strerror(code)}): give one of this machine's "
        f"addresses with --host, or leave --host out to serve on all of them."
    )


def lan_address() -> str:
    """Return this machine's address in the house's network, or 127.0.0.1 without a network."""
    for probe in _PROBES:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            try:
                datagrams.connect((probe, 9))
            except OSError:
                continue
            address = str(datagrams.getsockname()[0])
        if not ip_address(address).is_loopback:
            return address
    return "127.0.0.1"


def phone_host(host: str) -> str:
    """Return the host for the phone's address, from the value of `--host`."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return lan_address()
    return f"[{host}]" if address.version == 6 else host


def announce(house_key: str, host: str, port: int, out: TextIO, public: str | None = None) -> None:
    """Print the address that makes a browser a marker.

    No other output shows the house key. ``public`` is the address of a proxy, if there is one.
    """
    shown_host = phone_host(host)
    path = f":{port}/k/{house_key}"
    local = f"http://localhost{path}"
    if public:
        _write_address(f"{public}/k/{house_key}", out)
    elif shown_host in {"127.0.0.1", "localhost", "[::1]"}:
        out.write(f"Only this machine can open it: {local}\n")
        out.write("For the phone, join a network and start without --host.\n")
    else:
        _write_address(f"http://{shown_host}{path}", out)
        out.write(f"\nOn this machine: {local}\n")
    out.write("Anyone with this address can keep the score. Ctrl-C stops the server.\n")
    out.write("If that phone is lost, you need a recovery code: make one in its Settings.\n")
    out.flush()


def _write_address(address: str, out: TextIO) -> None:
    out.write(f"Open this on the phone that keeps the score:\n\n  {address}\n\n")
    _draw_qr_code(address, out)


def _draw_qr_code(address: str, out: TextIO) -> None:
    code = segno.make(address, error="L", micro=False)
    drawn = io.StringIO()
    code.terminal(drawn, compact=True)
    try:
        drawn.getvalue().encode(out.encoding or "ascii")
    except UnicodeEncodeError:  # this terminal's encoding lacks the blocks
        return
    # White on black in every colour theme: not every phone reads an inverted code.
    before, after = ("\033[97;40m", "\033[0m") if out.isatty() else ("", "")
    out.writelines(f"{before}{line}{after}\n" for line in drawn.getvalue().splitlines())
