"""The companion as a house starts it. Tests can kill it, and start it again on the same port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Server:
    """A running server: its address, and the address that makes a browser a marker."""

    address: str
    house: str


def copied_program(folder: Path) -> Path:
    """Copy what a server runs into a folder in which it may be changed, and return the folder."""
    for part in ("companion", "templates", "static"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


class House:
    """A server, and its instance folder, which outlives the server."""

    def __init__(self, folder: Path, program: Path = ROOT) -> None:
        """Start it on a free port; ``program`` is the folder of the program's version."""
        self.environment = os.environ | {
            "COMPANION_INSTANCE": str(folder),
            "COMPANION_NO_VENV": "1",
            "PYTHONUNBUFFERED": "1",
        }
        self.environment.pop("COMPANION_DATABASE_URL", None)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start(program)

    def start(self, program: Path = ROOT) -> None:
        """Start it on the same port as before, and wait until it answers."""
        self.process = subprocess.Popen(
            self._command("serve", "--host", "127.0.0.1", "--port", str(self.port)),
            cwd=program,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = next(line for line in self.process.stdout if "/k/" in line)
        house = line[line.index("http") :].strip()
        self.server = Server(house.partition("/k/")[0], house)
        assert self.server.address.endswith(f":{self.port}")

    def rotate(self, *how: str) -> None:
        """Make a new secret, which it uses from the next start on."""
        command = self._command("rotate", *how)
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True)

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _command(self, *what: str) -> list[str]:
        return [sys.executable, "-m", "companion", *what]
