"""A companion that can be killed and started again on its port, and phones that find it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.browser.conftest import ROOT, Server


class House:
    """A server with an instance folder of its own, which outlives it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server = self.start()

    def start(self) -> Server:
        """Start it, on the port that it had before."""
        environment = os.environ | {
            "COMPANION_INSTANCE": str(self.folder),
            "COMPANION_NO_VENV": "1",
            "PYTHONUNBUFFERED": "1",
        }
        environment.pop("COMPANION_DATABASE_URL", None)
        command = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = next(line for line in self.process.stdout if "/k/" in line)
        house = line[line.index("http") :].strip()
        address = house.partition("/k/")[0]
        assert urlsplit(address).port == self.port
        return Server(address, house)

    def kill(self) -> None:
        """Pull the plug."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
