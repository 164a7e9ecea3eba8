"""A PostgreSQL server for tests, shared by all who ask for it and gone with the last of them.

As a program (`python -m tests.postgres_server FOLDER`) it makes a cluster and starts a server that
listens at a socket in FOLDER and nowhere else. It ends when nobody holds a lease any more: whoever
is killed holds none.
"""

import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from companion.launcher import ROOT
from tests.programs import find_postgres

USER = "companion"
STRANGER = "stranger"
PASSWORD = "melds and runs"  # of a user of the throwaway server

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
            noted = folder / "postgres.txt"
            self._lease = _lease(Path(noted.read_text())) if noted.exists() else None
            if self._lease is None:
                self.place = _start(settings)
                self._lease = _lease(self.place)
                noted.write_text(str(self.place))
            self.place = Path(noted.read_text())

    def address(self, name: str, user: str = USER) -> str:
        """What COMPANION_DATABASE_URL is for one of its databases."""
        return f"postgresql://{user}@/{name}?host={self.place}"

    def close(self) -> None:
        """Give the lease back."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None


def _start(settings: Mapping[str, str]) -> Path:
    """Start this program; the folder of its sockets, when the server answers."""
    given = [f"{name}={value}" for name, value in settings.items()]
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_server", *given],
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
    return Path(told)


def _lease(place: Path) -> socket.socket | None:
    """A connection that keeps the server alive as long as it is open; None if it is gone."""
    lease = socket.socket(socket.AF_UNIX)
    try:
        lease.connect(str(place / "lease"))
        return lease if lease.recv(1) else None
    except OSError:
        lease.close()
        return None


def _serve(settings: Mapping[str, str]) -> None:
    programs = find_postgres()
    assert programs is not None, "There is no PostgreSQL here."
    place = Path(tempfile.mkdtemp(prefix="companion-pg-"))
    try:
        _run(place, programs, settings, given_to_its_owner(place))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(
    place: Path, programs: Path, settings: Mapping[str, str], who: Mapping[str, object]
) -> None:
    data = place / "data"
    made = [programs / "initdb", "--no-sync", f"--pgdata={data}", f"--username={USER}"]
    made += ["--encoding=UTF8", "--locale=C", "--auth=trust"]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=place, **who)  # type: ignore[call-overload]
    (data / "pg_hba.conf").write_text(_MAY_ENTER)
    given = [f"--{name}={value}" for name, value in (_SETTINGS | dict(settings)).items()]
    command = [programs / "postgres", "-D", data, "-k", place, *given]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place / "lease"))
    listener.listen()
    with listener, subprocess.Popen(command, cwd=place, **who) as server:  # type: ignore[call-overload]
        while not _answers(place):
            with suppress(subprocess.TimeoutExpired):
                server.wait(0.02)
            assert server.returncode is None, "PostgreSQL did not start; what it said is above."
        print(place, flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        _outlast(listener)
        server.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed again


def _answers(place: Path) -> bool:
    try:
        psycopg.connect(f"host={place} user={USER} dbname=postgres").close()
    except psycopg.OperationalError:
        return False
    return True


def _outlast(listener: socket.socket) -> None:
    """Return when the last lease has ended; the first is waited for."""
    changed = threading.Condition()
    held = 0

    def watch(lease: socket.socket) -> None:
        nonlocal held
        with lease:
            lease.recv(1)
        with changed:
            held -= 1
            changed.notify()

    def give_out() -> None:
        nonlocal held
        while True:
            lease, _ = listener.accept()
            with changed:
                held += 1
            lease.send(b"!")
            threading.Thread(target=watch, args=(lease,), daemon=True).start()

    first, _ = listener.accept()
    held = 1
    first.send(b"!")
    for work in (lambda: watch(first), give_out):
        threading.Thread(target=work, daemon=True).start()
    with changed:
        changed.wait_for(lambda: held == 0)


def given_to_its_owner(place: Path) -> Mapping[str, object]:
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
    _serve(dict(setting.split("=", 1) for setting in sys.argv[1:]))
