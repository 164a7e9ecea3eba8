"""A PostgreSQL server for tests: processes share it, and it ends with the last of them.

As a program (`python -m tests.postgres_server FOLDER`) it makes a cluster and runs a server that
listens only at a socket; if the server is killed, it starts again. The program ends when no process
holds the lock on FOLDER's lease any more; a killed process loses its lock.
"""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TextIO

import psycopg

from companion.launcher import ROOT
from tests.programs import find_postgres

USER = "companion"
STRANGER = "stranger"
PASSWORD = "melds and runs"  # of the stranger
PATIENCE = 120.0  # seconds, for a recovery that should take one

# Settings for tests that need no durability.
HASTY: Mapping[str, str] = {"fsync": "off", "full_page_writes": "off", "wal_level": "minimal"}
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "150",
    "max_wal_senders": "0",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "jit": "off",
    "log_min_messages": "fatal",
}
# The stranger needs a password. Other users do not: only the tests can reach the socket.
_MAY_ENTER = f"local all {STRANGER} scram-sha-256\nlocal all all trust\n"


class Server:
    """A throwaway server. It runs as long as any such object for its folder is open."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = HASTY) -> None:
        """Start a server, or wait for the one that another process has started for this folder."""
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "postgres.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._lease = (folder / "postgres.lease").open("w")
            fcntl.flock(self._lease, fcntl.LOCK_SH)  # waits for a server that is about to end
            noted = folder / "postgres.txt"
            if not noted.exists():
                noted.write_text(_start(folder, settings))
            self.place = Path(noted.read_text())

    def address(self, name: str, user: str = USER) -> str:
        """Return the value of COMPANION_DATABASE_URL for one of its databases."""
        return f"postgresql://{user}@/{name}?host={self.place}"

    def kill(self) -> None:
        """Kill it with SIGKILL; its child processes end as soon as they notice."""
        number = (self.place / "data/postmaster.pid").read_text().split()[0]
        os.kill(int(number), signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it answers again, after its recovery."""
        patient = monotonic() + PATIENCE
        while not _answers(self.place):
            assert monotonic() < patient, "PostgreSQL does not answer."
            Event().wait(0.02)

    def close(self) -> None:
        """Release the lease."""
        self._lease.close()


def _start(folder: Path, settings: Mapping[str, str]) -> str:
    """Start this program, and return the folder of the server's socket once the server answers."""
    given = [f"{name}={value}" for name, value in settings.items()]
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_server", folder.absolute(), *given],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that Ctrl-C stops the tests only; it ends after them
    )
    assert program.stdout is not None
    with program.stdout:
        place = program.stdout.readline().strip()
    assert place, "PostgreSQL did not start; its output is above."
    program.returncode = 0  # it ends by itself, when no lease is held
    return place


def _serve(folder: Path, settings: Mapping[str, str]) -> None:
    programs = find_postgres()
    assert programs is not None, "PostgreSQL is not installed."
    place = Path(tempfile.mkdtemp(prefix="companion-pg-"))
    who, data = _owner(place), place / "data"
    try:
        made = [programs / "initdb", "--no-sync", f"--pgdata={data}", f"--username={USER}"]
        made += ["--encoding=UTF8", "--locale=C", "--auth=trust", "--data-checksums"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=place, **who)
        (data / "pg_hba.conf").write_text(_MAY_ENTER)
        given = [f"--{name}={value}" for name, value in (_SETTINGS | dict(settings)).items()]
        command = [programs / "postgres", "-D", data, "-k", place, *given]
        process = subprocess.Popen(command, cwd=place, **who)
        while not _answers(place):
            assert process.poll() is None, "PostgreSQL did not start; its output is above."
            Event().wait(0.02)
        print(place, flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with (folder / "postgres.lease").open("w") as lease:
            while not _is_over(lease):  # the process that starts it already holds the lease
                # A killed server's processes may still be ending, which also ends a new server.
                if process.poll() is not None:
                    process = subprocess.Popen(command, cwd=place, **who)
                Event().wait(0.05)
            (folder / "postgres.txt").unlink(missing_ok=True)
            process.send_signal(signal.SIGQUIT)  # ends at once, without a checkpoint
            process.wait()
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _is_over(lease: TextIO) -> bool:
    """True if nobody else holds the lease now."""
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _answers(place: Path) -> bool:
    try:
        psycopg.connect(f"host={place} user={USER} dbname=postgres").close()
    except psycopg.OperationalError:
        return False
    return True


def _owner(place: Path) -> Mapping[str, object]:
    """Return Popen's arguments for the user of the server, and give that user the folder.

    Empty unless this user is root: PostgreSQL refuses to run as root.
    """
    if os.geteuid() != 0:
        return {}
    try:
        person = pwd.getpwnam("postgres")
    except KeyError:
        person = pwd.getpwnam("nobody")
    os.chown(place, person.pw_uid, person.pw_gid)
    return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), dict(setting.split("=", 1) for setting in sys.argv[2:]))
