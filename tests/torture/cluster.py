"""A PostgreSQL server to be killed, and to be started again on what it had written.

As a program (`python -m tests.torture.cluster`) it makes a cluster in a folder of its own, starts a
server on it for each line `start`, and kills the server with all of its processes for each line
`kill`. It ends, and the server with it, when its input does: whoever is killed needs no cluster.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import psycopg
from psycopg import sql

from companion.launcher import ROOT
from tests.postgres_server import USER, given_to_its_owner
from tests.programs import find_postgres

PATIENCE = 120.0  # seconds, for a recovery that should take one
# As it is by default, a commit is on the disk before it is acknowledged, and pages are whole.
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "50",
    "shared_buffers": "32MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "checkpoint_timeout": "30s",  # so that kills meet those, too
    "jit": "off",
    "log_min_messages": "panic",
}


class Cluster:
    """A PostgreSQL server of one's own, and the database in it that must outlive it."""

    name = "PostgreSQL"
    mortal = True

    def __init__(self) -> None:
        """Make it and start it; returns when it answers."""
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.cluster"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for whoever started this
        )
        self._place = Path(self._line())
        self._made = 0
        self._log = self._place / "data" / "pg_wal"
        self.start()
        self.address = self.another()

    def another(self, _folder: Path | None = None) -> str:
        """The address of one more database, with nothing in it."""
        self._made += 1
        name = f"games_{self._made}"
        with psycopg.connect(_address(self._place, "postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name))
            )
        return _address(self._place, name)

    def written(self) -> int:
        """When anything was last written to the log on the disk, in ns."""
        return max(file.stat().st_mtime_ns for file in self._log.iterdir() if file.is_file())

    def faults(self) -> list[str]:
        """None of its own: each page has a checksum, and the doctor has read them all."""
        return []

    def kill(self) -> None:
        """Kill all of its processes."""
        self._ask("kill")

    def start(self) -> None:
        """Start it on what is there; returns when it answers."""
        self._ask("start")

    def close(self) -> None:
        """End it and throw it away."""
        self._program.communicate()

    def _ask(self, what: str) -> None:
        assert self._program.stdin is not None
        self._program.stdin.write(f"{what}\n")
        self._program.stdin.flush()
        assert self._line() == what

    def _line(self) -> str:
        assert self._program.stdout is not None
        line = self._program.stdout.readline().rstrip("\n")
        assert line, "The program that starts PostgreSQL has ended; what it said is above."
        return line


def _address(place: Path, name: str) -> str:
    return f"postgresql://{USER}@/{name}?host={place}"


def _serve() -> None:
    programs = find_postgres()
    assert programs is not None, "There is no PostgreSQL here."
    place = Path(tempfile.mkdtemp(prefix="companion-pg-"))
    server: subprocess.Popen[bytes] | None = None
    try:
        who = given_to_its_owner(place)
        made = [programs / "initdb", f"--pgdata={place / 'data'}", f"--username={USER}"]
        made += ["--encoding=UTF8", "--locale=C", "--auth=trust", "--data-checksums"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=place, **who)  # type: ignore[call-overload]
        given = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        command = [programs / "postgres", "-D", place / "data", "-k", place, *given]
        print(place, flush=True)
        for line in sys.stdin:
            if line == "start\n":
                server = _started(command, place, who)
            elif server is not None:
                _kill(server)
                server = None
            print(line, end="", flush=True)
    finally:
        if server is not None:
            _kill(server)
        shutil.rmtree(place, ignore_errors=True)


def _started(
    command: list[object], place: Path, who: Mapping[str, object]
) -> subprocess.Popen[bytes]:
    patient = time.monotonic() + PATIENCE
    server = subprocess.Popen(command, cwd=place, **who)  # type: ignore[call-overload]
    while True:
        try:
            psycopg.connect(_address(place, "postgres")).close()
        except psycopg.OperationalError:
            assert time.monotonic() < patient, "PostgreSQL does not answer."
            assert server.poll() is None, "PostgreSQL did not start; what it said is above."
            Event().wait(0.02)
        else:
            return server


def _kill(server: subprocess.Popen[bytes]) -> None:
    """Kill it and its processes, each of which is in a session of its own."""
    server.send_signal(signal.SIGSTOP)  # so that it makes no more of them
    processes = _children(server.pid)
    server.kill()
    server.wait()
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            processes = [other for other in processes if other != process]
    patient = time.monotonic() + PATIENCE
    while any(map(_lives, processes)):  # or the next one would find its memory in use
        assert time.monotonic() < patient, "A process of PostgreSQL does not end."
        Event().wait(0.005)


def _children(parent: int) -> list[int]:
    asked = ["ps", "-A", "-o", "pid=,ppid="]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in told.splitlines())
    return [int(process) for process, of in pairs if int(of) == parent]


def _lives(process: int) -> bool:
    asked = ["ps", "-o", "stat=", "-p", str(process)]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return bool(told) and not told.startswith("Z")


if __name__ == "__main__":
    _serve()
