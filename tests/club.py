"""Two servers behind one nginx, as if each was on a machine of its own.

nginx runs with the example of companion/hosting/, in which only addresses and paths are filled in.
"""

import json
import os
import pwd
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from threading import Event
from time import monotonic

from companion.launcher import ROOT
from tests.browsing import HOST, Answer, Browser, Lost
from tests.programs import find_nginx
from tests.workers import Server, workers

NAME = "scores.example"
# Addresses of this machine for the servers. No other program takes a killed server's port there.
MACHINES = ("127.0.1.1", "127.0.2.1")
PATIENCE = 60.0  # seconds, for requests that should take a fraction of one
_AROUND = """
{user}
pid {folder}/nginx.pid;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/companion.conf;
}}
"""


@dataclass
class Behind(Browser):
    """A browser that talks HTTPS to the proxy, from an address of this machine."""

    trust: ssl.SSLContext | None = None
    address: str = HOST
    answered: HTTPResponse | None = None
    """The last answer."""

    def _connect(self) -> HTTPConnection:
        return HTTPSConnection(
            self.host,
            self.port,
            timeout=self.patience,
            context=self.trust,
            source_address=(self.address, 0),
        )

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[HTTPResponse, bytes]:
        # Over HTTPS the protection of forms needs the referrer.
        sent = {"Host": NAME, "Referer": f"https://{NAME}/", **headers}
        self.answered, content = super()._exchange(method, path, body, sent)
        return self.answered, content


@dataclass(frozen=True)
class Club:
    """Two servers, the ports of nginx in front of them, and its certificate."""

    servers: Sequence[Server]
    http: int
    https: int
    trust: ssl.SSLContext

    def browser(self, address: str = "127.0.0.1", **claims: str) -> Behind:
        """Return a browser at this address that sends these headers with every request."""
        return Behind(self.https, trust=self.trust, address=address, claims=claims)


@contextmanager
def proxy(servers: Sequence[Server], folder: Path) -> Iterator[Club]:
    """Run nginx in front of two servers, until the block ends."""
    _make_certificate(folder)
    with ExitStack() as bound:
        # nginx takes over these bound sockets, so that no other program can have the ports.
        plain, tls = (bound.enter_context(socket.create_server((HOST, 0))) for _ in range(2))
        http, https = (bound_socket.getsockname()[1] for bound_socket in (plain, tls))
        (folder / "companion.conf").write_text(_filled_in(servers, http, https, folder))
        user = f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(_AROUND.format(user=user, folder=folder))
        command = [find_nginx() or "nginx", "-e", folder / "nginx.log", "-c", folder / "nginx.conf"]
        command += ["-g", "daemon off; worker_processes 1;"]
        passed = [plain.fileno(), tls.fileno()]
        environment = os.environ | {"NGINX": "".join(f"{number};" for number in passed)}
        with subprocess.Popen(command, env=environment, pass_fds=passed) as process:
            try:
                trust = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
                yield Club(servers, http, https, trust)
            finally:
                process.terminate()
                process.wait()
                sys.stderr.write((folder / "nginx.log").read_text())  # pytest shows it on failure


def _filled_in(servers: Sequence[Server], http: int, https: int, folder: Path) -> str:
    """Return the example with addresses and paths filled in."""
    text = (ROOT / "companion/hosting/nginx.conf").read_text(encoding="utf-8")
    first, second = (f"{server.host}:{server.port}" for server in servers)
    for old, new in (
        ("server 127.0.0.1:8000;", f"server {first};"),
        ("# server 192.0.2.2:8000;", f"server {second};"),
        ("# server 127.0.0.1:8000 backup", f"server {first} backup"),
        ("# server 192.0.2.2:8000 backup", f"server {second} backup"),
        ("listen 80;", f"listen {HOST}:{http};"),
        ("listen 443 ssl;", f"listen {HOST}:{https} ssl;"),
        (f"/etc/ssl/certs/{NAME}.pem", f"{folder}/certificate.pem"),
        (f"/etc/ssl/private/{NAME}.key", f"{folder}/certificate.key"),
        ("/var/log/nginx/companion.error.log", f"{folder}/error.log"),
        ("/var/log/nginx/companion.log", f"{folder}/access.log"),
    ):
        assert len(re.findall(re.escape(old), text)) == 1, old
        text = text.replace(old, new)
    return text


def _make_certificate(folder: Path) -> None:
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    command += ["-addext", f"subjectAltName=DNS:{NAME},IP:{HOST}"]
    command += ["-keyout", str(folder / "certificate.key"), "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def club(databases: Sequence[str], folder: Path) -> Iterator[Club]:
    """Start two servers at once, each with an instance folder of its own, behind a proxy.

    `databases` has the address at which each of them reaches their common database.
    """
    behind = {"TRUST_PROXY": "1", "HTTPS": "1", "LOG": "json"}
    behind["HOSTS"] = ",".join((NAME, *MACHINES))
    with ExitStack() as running, ThreadPoolExecutor() as starting:
        started = [
            workers(database, 1, BIND=f"{place}:0", **behind)
            for database, place in zip(databases, MACHINES, strict=True)
        ]
        servers = [*starting.map(running.enter_context, started)]
        yield running.enter_context(proxy(servers, folder))


def answered(server: Server) -> list[tuple[str, str, int]]:
    """Return method, route and status of every request that a server has logged."""
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line[:1] == "{"]
    return [(line["method"], line["route"], line["status"]) for line in lines if "route" in line]


def again(ask: Callable[[], Answer]) -> Answer:
    """Repeat a request until the answer is neither 502 nor 503."""
    begun = monotonic()
    while True:
        with suppress(Lost):
            answer = ask()
            if answer.status not in (502, 503):
                return answer
        assert monotonic() - begun < PATIENCE
        Event().wait(0.05)
