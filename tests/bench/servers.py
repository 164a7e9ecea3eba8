"""Servers in processes of their own, each with an instance folder that is deleted at the end."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.launcher import ROOT
from tests.workers import Server, workers

_ADDRESS = re.compile(r"http://[^/ ]+:(\d+)/k/(\S+)")


def processor_time(server: Server) -> float:
    """Return the seconds of processor time that a server and its workers have used.

    0 if the system does not tell.
    """
    return sum(map(_used, (server.process, *_workers(server.process))), 0.0)


def _workers(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


def _used(process: int) -> float:
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident_memory(server: Server) -> float | None:
    """Return a server's resident memory in millions of bytes, None if the system does not tell."""
    status = Path(f"/proc/{server.process}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024 / 1e6


@contextmanager
def companion() -> Iterator[Server]:
    """Start the companion as a house does."""
    with _served(["companion", "serve", "--host", "127.0.0.1", "--port", "0"]) as server:
        yield server


@contextmanager
def on_postgres(count: int) -> Iterator[Server]:
    """Start gunicorn with `count` workers, on a PostgreSQL with durable commits."""
    from tests.postgres_server import Server as Postgres  # needs the driver

    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        postgres = Postgres(Path(folder), {})
        try:
            with workers(postgres.address("postgres"), count) as server:
                yield server
        finally:
            postgres.close()


@contextmanager
def bare() -> Iterator[Server]:
    """Serve the bare pages with the same server and number of threads."""
    with _served(["tests.bench.bare"]) as server:
        yield server


@contextmanager
def _served(module: Sequence[str]) -> Iterator[Server]:
    # In the checkout, because the cost of a commit depends on the disk; /tmp may be in memory.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=ROOT / "instance") as folder:
        environment = os.environ | {"COMPANION_INSTANCE": folder, "COMPANION_NO_VENV": "1"}
        environment.pop("COMPANION_DATABASE_URL", None)
        with subprocess.Popen(
            [sys.executable, "-m", *module],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                found = next(filter(None, map(_ADDRESS.search, process.stdout)), None)
                if found is None:
                    raise SystemExit("The server did not start; its output is above.")
                database = f"sqlite:///{Path(folder) / 'companion.sqlite3'}"
                yield Server(int(found[1]), found[2], process.pid, database)
            finally:
                process.terminate()
