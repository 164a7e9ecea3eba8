"""A PostgreSQL server for tests, shared by all who ask for it and gone with the last of them.

As a program (`python -m tests.postgres_server FOLDER`) it makes a cluster and runs a server that
listens at a socket and nowhere else, again if that is killed. It ends when nobody holds the lock of
FOLDER's lease any more: whoever is killed holds none.
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
PASSWORD = "melds and runs"  # of a user of the throwaway server
PATIENCE = 120.0  # seconds, for a recovery that should take one

# Made for tests, which need no file after a power cut.
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
# The stranger has to show a password; nobody else comes as far as the socket.
_MAY_ENTER = f"local all {STRANGER} scram-sha-256\nlocal all all trust\n"


class Server:
    """One throwaway server. It runs while this object, or another's lease, is held."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = HASTY) -> None:
        """Start a server, or wait for the one that somebody has started for the same folder."""
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "postgres.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._lease = (folder / "postgres.lease").open("w")
            fcntl.flock(self._lease, fcntl.LOCK_SH)  # after one that is about to end
            noted = folder / "postgres.txt"
            if not noted.exists():
                noted.write_text(_start(folder, settings))
            self.place = Path(noted.read_text())

    def address(self, name: str, user: str = USER) -> str:
        """What COMPANION_DATABASE_URL is for one of its databases."""
        return f"postgresql://{user}@/{name}?host={self.place}"

    def kill(self) -> None:
        """Kill it without warning; its processes end as soon as they notice."""
        number = (self.place / "data/postmaster.pid").read_text().split()[0]
        os.kill(int(number), signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it answers, on what it had written before it was killed."""
        patient = monotonic() + PATIENCE
        while not _answers(self.place):
            assert monotonic() < patient, "PostgreSQL does not answer."
            Event().wait(0.02)

    def close(self) -> None:
        """Give the lease back."""
        self._lease.close()


def _start(folder: Path, settings: Mapping[str, str]) -> str:
    """Start this program; the folder of its sockets, when the server answers."""
    given = [f"{name}={value}" for name, value in settings.items()]
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_server", folder.absolute(), *given],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the tests; it ends when they do
    )
    assert program.stdout is not None
    with program.stdout:
        told = program.stdout.readline().strip()
    assert told, "PostgreSQL did not start; what it said is above."
    program.returncode = 0  # it ends by itself, after whoever holds the last lease
    return told


def _serve(folder: Path, settings: Mapping[str, str]) -> None:
    programs = find_postgres()
    assert programs is not None, "There is no PostgreSQL here."
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
            assert process.poll() is None, "PostgreSQL did not start; what it said is above."
            Event().wait(0.02)
        print(place, flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with (folder / "postgres.lease").open("w") as lease:
            while not _is_over(lease):  # whoever starts it has locked the lease before
                # One that was killed may have processes that still end: then the next ends, too.
                if process.poll() is not None:
                    process = subprocess.Popen(command, cwd=place, **who)
                Event().wait(0.05)
            (folder / "postgres.txt").unlink(missing_ok=True)
            process.send_signal(signal.SIGQUIT)  # at once: nothing is needed again
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
    """Who runs the server, as Popen takes it; the folder is theirs from now on.

    Nothing but whoever runs this, except for root: as root the server refuses to run.
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
