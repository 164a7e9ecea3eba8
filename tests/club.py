"""Two servers behind one nginx, each on a machine of its own, as a club has them."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic

from tests.browsing import Answer, Lost
from tests.proxy import NAME, Behind, Proxy, proxy
from tests.workers import Server, workers

# Addresses of this machine: of the servers' machines. When one is killed, nobody else takes its
# port there.
MACHINES = ("127.0.1.1", "127.0.2.1")
PATIENCE = 60.0  # seconds, for what should take a fraction of one


@dataclass(frozen=True)
class Club:
    """The proxy and the two servers behind it."""

    front: Proxy
    servers: Sequence[Server]

    def browser(self, address: str = "127.0.0.1", **claims: str) -> Behind:
        """A browser of somebody at this address, who claims this in every request."""
        return Behind(self.front.https, trust=self.front.trust, address=address, claims=claims)


@contextmanager
def club(databases: Sequence[str], folder: Path) -> Iterator[Club]:
    """The servers are started at once, each with an instance folder of its own.

    `databases` has the address by which each of them reaches the one that they share.
    """
    behind = {"TRUST_PROXY": "1", "HTTPS": "1", "LOG": "json"}
    behind["HOSTS"] = ",".join((NAME, *MACHINES))
    with ExitStack() as running, ThreadPoolExecutor() as starting:
        started = [
            workers(database, 1, BIND=f"{place}:0", **behind)
            for database, place in zip(databases, MACHINES, strict=True)
        ]
        servers = [*starting.map(running.enter_context, started)]
        front = running.enter_context(proxy(servers, folder))
        yield Club(front, servers)


def answered(server: Server) -> list[tuple[str, str, int]]:
    """Method, route and status of every request that a server says to have answered."""
    lines = [json.loads(line) for line in server.told.read_text().splitlines() if line[:1] == "{"]
    return [(line["method"], line["route"], line["status"]) for line in lines if "route" in line]


def again(ask: Callable[[], Answer]) -> Answer:
    """Ask until somebody answers who is not just gone, or busy."""
    begun = monotonic()
    while True:
        with suppress(Lost):
            answer = ask()
            if answer.status not in (502, 503):
                return answer
        assert monotonic() - begun < PATIENCE
        Event().wait(0.05)
