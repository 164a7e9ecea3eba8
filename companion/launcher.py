"""Make the environment in `.venv` if there is none, and go on inside it.

This module uses only the standard library, as it runs before anything is installed. An environment
has a stamp, a digest, for each installed requirements file: if all are up to date, a start does not
run pip. While pip runs, the mark of a complete environment is missing, so it can be made again.
"""

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent

RUNTIME = ("requirements.txt",)
TESTS = (*RUNTIME, "tests/requirements.txt")
BESIDE = (*TESTS, "tests/bench/requirements.txt")
POSTGRES = "requirements-postgres.txt"

_PIN = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[.*\])?==(?P<version>[\w.+!-]+)(?P<marker> *;)?", re.MULTILINE
)


class StartError(Exception):
    """The command cannot run; the message tells the person at the terminal what to do."""


class Environment:
    """The environment of a checkout: check it and make it."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        windows = os.name == "nt"
        self.python = self.folder / ("Scripts/python.exe" if windows else "bin/python")
        self._complete_mark = self.folder / "companion-whole.txt"

    def is_complete(self) -> bool:
        """True if pip has finished, and its Python link still leads to the same interpreter."""
        configured = (self.folder / "pyvenv.cfg").is_file() and self.python.is_file()
        return configured and _text(self._complete_mark) == self._interpreter()

    def is_up_to_date(self, needs: Iterable[str]) -> bool:
        """True if it is complete and was made from these requirements files as they are now."""
        return self.is_complete() and all(
            _text(self._stamp(name)) == self._digest(name) for name in needs
        )

    def is_running(self) -> bool:
        """True if this process runs in the environment."""
        return self.folder.is_dir() and self.folder.samefile(sys.prefix)

    def prepare(self, needs: Sequence[str]) -> None:
        """Make or update the environment for these requirements files, and show pip's progress.

        Raises StartError if venv is missing, the folder cannot be written or pip fails.
        """
        digests = {name: self._digest(name) for name in needs}
        try:
            if not self.is_complete():
                self._make()
            self._install(needs)
            for name, digest in digests.items():
                self._stamp(name).write_text(digest, encoding="utf-8")
            self._mark_complete()
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StartError(
                f"The environment in {self.folder} cannot be made ({reason}): "
                f"make the folder writable, or free some space, and start again."
            ) from error

    def _make(self) -> None:
        try:
            import ensurepip  # noqa: F401 - venv needs it, and Debian packages both separately
            import venv
        except ImportError as error:
            raise StartError(
                "Python's venv is missing here: install it (on Debian and Ubuntu with "
                "`sudo apt install python3-venv`) and start again."
            ) from error
        again = "again " if self.folder.exists() else ""
        print(f"Making the environment {again}in {self.folder}; this is done once.", flush=True)
        venv.create(self.folder, clear=True, symlinks=os.name != "nt", with_pip=True)

    def _install(self, needs: Sequence[str]) -> None:
        print(f"Installing what {' and '.join(needs)} asks for.", flush=True)
        was_complete = self.is_complete()
        self._complete_mark.unlink(missing_ok=True)
        files = [word for name in needs for word in ("-r", str(self.root / name))]
        pip = [str(self.python), "-m", "pip", "install", "--require-hashes", "--no-input"]
        installed = subprocess.run(  # noqa: S603 - our own interpreter, and no shell
            [*pip, "--disable-pip-version-check", *files], check=False
        )
        if installed.returncode != 0:
            if was_complete:  # pip puts back what it replaced if it fails
                self._mark_complete()
            raise StartError(
                "The packages could not be installed (pip says why above): "
                "connect this machine to the internet and start again."
            )

    def _mark_complete(self) -> None:
        self._complete_mark.write_text(self._interpreter(), encoding="utf-8")

    def _interpreter(self) -> str:
        """Return the path of its Python, which changes when the system's Python is replaced."""
        return str(self.python.resolve())

    def _stamp(self, name: str) -> Path:
        return self.folder / f"companion-installed-{name.replace('/', '-')}"

    def _digest(self, name: str) -> str:
        try:
            return hashlib.sha256((self.root / name).read_bytes()).hexdigest()
        except OSError as error:
            raise StartError(
                f"{self.root / name} cannot be read: get the whole project again, "
                f"and start it from there."
            ) from error


def with_driver(needs: Sequence[str]) -> tuple[str, ...]:
    """Return these requirements files, plus the driver's if the database is PostgreSQL."""
    scheme = os.environ.get("COMPANION_DATABASE_URL", "").strip().partition("://")[0]
    is_postgres = scheme in {"postgres", "postgresql", "postgresql+psycopg"}
    return (*needs, POSTGRES) if needs and is_postgres else tuple(needs)


def enter(
    needs: Sequence[str], argv: Sequence[str], environment: Environment | None = None
) -> None:
    """Return if this interpreter has these requirements, else run the command in `.venv`.

    `argv` is the command line after `companion`. With COMPANION_NO_VENV=1 it always returns. Raises
    StartError if the environment cannot be made, or this setting is another word.
    """
    switch = os.environ.get("COMPANION_NO_VENV", "").strip().lower()
    if switch in {"1", "on"}:
        return
    if switch not in {"", "0", "off"}:
        raise StartError("COMPANION_NO_VENV is 1 or 0.")
    environment = environment or Environment()
    is_inside = environment.is_running()
    if not is_inside and has_pins(environment.root / name for name in needs):
        return
    if not environment.is_up_to_date(needs):
        environment.prepare(needs)
    if not is_inside:
        run_with(environment.python, argv)


def has_pins(files: Iterable[Path]) -> bool:
    """True if this interpreter has the pinned version of every package in these files.

    Ignores pins with a marker, which are for some platforms only. False if a file is missing.
    """
    files = list(files)
    return all(file.is_file() for file in files) and all(
        _installed_version(pin["name"]) == pin["version"]
        for file in files
        for pin in _PIN.finditer(_text(file))
        if not pin["marker"]
    )


def run_with(python: Path, argv: Sequence[str]) -> NoReturn:
    """Run the command with another interpreter, if possible in place of this process."""
    command = [str(python), "-m", "companion", *argv]
    sys.stdout.flush()
    try:
        if os.name == "nt":  # there exec returns to the prompt while the server still runs
            sys.exit(subprocess.call(command))  # noqa: S603 - our own interpreter, and no shell
        os.execv(command[0], command)  # noqa: S606 - our own interpreter, and no shell
    except OSError as error:
        raise StartError(
            f"{python} does not start ({error.strerror}): delete {python.parent.parent} "
            f"and start again."
        ) from error


def _installed_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
