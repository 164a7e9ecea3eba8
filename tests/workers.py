"""Several processes of the companion on one PostgreSQL, as a club would run it."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from companion.launcher import ROOT
from tests.browsing import HOST, Browser
from tests.databases import bring_up_to_date

HOUSE_KEY = "a-house-key-of-the-tests"

_LISTENING = re.compile(r"Listening at: http://([\d.]+):(\d+)")


@dataclass(frozen=True)
class Server:
    """A running server: its port, its house key, its process and its database."""

    port: int
    house_key: str
    process: int
    database: str
    """The address of its database."""
    log: Path = Path(os.devnull)
    """Its log file, which is deleted when it ends."""
    host: str = HOST
    """The address of this machine on which it listens."""
    starts: int = 1
    """How often it has been started."""

    def kill(self) -> None:
        """Kill all its processes with SIGKILL, as if its machine had lost its power."""
        os.killpg(self.process, signal.SIGKILL)


@contextmanager
def workers(database: str, count: int = 2, **settings: str) -> Iterator[Server]:
    """Run gunicorn as companion/hosting/ configures it, on an empty database at this address.

    Settings are named without COMPANION_. Several servers may use one database.
    """
    bring_up_to_date(database)
    with tempfile.TemporaryDirectory(prefix="workers-") as folder:
        environment = os.environ | {
            "COMPANION_BIND": "127.0.0.1:0",
            "COMPANION_DAILY_BACKUPS": "off",
            "COMPANION_DATABASE_URL": database,
            "COMPANION_HOUSE_KEY": HOUSE_KEY,
            "COMPANION_INSTANCE": folder,
            "COMPANION_NO_VENV": "1",
            "COMPANION_SECRET_KEY": "a-secret-of-the-tests-that-is-long-enough",
            "WEB_CONCURRENCY": str(count),
            **{f"COMPANION_{name}": value for name, value in settings.items()},
        }
        log = Path(folder) / "gunicorn.log"
        settings_file = "companion/hosting/gunicorn_conf.py"
        command = [sys.executable, "-m", "gunicorn", "--config", settings_file]
        with (
            log.open("w") as output,
            subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=output, stderr=output, process_group=0
            ) as process,
        ):
            try:
                host, port = _listening(log, process)
                first = Browser(port, host=host)
                assert first.get("/healthz").status == 200  # a worker answers
                first.close()
                yield Server(port, HOUSE_KEY, process.pid, database, log, host)
            finally:
                process.terminate()
                process.wait()
                sys.stderr.write(log.read_text())  # pytest shows it on failure


def _listening(log: Path, process: subprocess.Popen[bytes]) -> tuple[str, int]:
    """Wait until gunicorn has logged where it listens; return host and port."""
    while (found := _LISTENING.search(log.read_text())) is None:
        assert process.poll() is None, log.read_text()
        Event().wait(0.05)  # leaves the processor to gunicorn
    return found[1], int(found[2])
