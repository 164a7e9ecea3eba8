"""Servers of their own processes, on an instance folder of their own that goes with them."""

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
    """The seconds of processor time that a server and its workers have used.

    0 where the system does not tell.
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
    """A server's resident memory in MB (a million bytes); None where the system does not tell."""
    status = Path(f"/proc/{server.process}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024 / 1e6


@contextmanager
def companion() -> Iterator[Server]:
    """The companion, as it is started for the house."""
    with _served(["companion", "serve", "--host", "127.0.0.1", "--port", "0"]) as server:
        yield server


@contextmanager
def on_postgres(count: int) -> Iterator[Server]:
    """Gunicorn with so many workers, on a PostgreSQL that keeps what it says it has kept."""
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
    """The bare pages, served by the same server with as many threads."""
    with _served(["tests.bench.bare"]) as server:
        yield server


@contextmanager
def _served(module: Sequence[str]) -> Iterator[Server]:
    # Beside the real one, because what a commit costs depends on the disk; /tmp may be in memory.
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
                    raise SystemExit("The server did not start; what it said is above.")
                database = f"sqlite:///{Path(folder) / 'companion.sqlite3'}"
                yield Server(int(found[1]), found[2], process.pid, database)
            finally:
                process.terminate()
