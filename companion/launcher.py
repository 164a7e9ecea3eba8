"""Makes the environment in `.venv` where there is none, and goes on inside it.

Standard library only: this runs before anything is installed. An environment carries a stamp for
each requirements file it was made from, so that a start that finds the stamps fitting runs no pip;
and a mark that it is whole, which is absent while packages are being installed, so that an
interrupted one is made again.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent

RUNTIME = ("requirements.txt",)
TESTS = (*RUNTIME, "tests/requirements.txt")
BESIDE = (*RUNTIME, "tests/bench/requirements.txt")
POSTGRES = "requirements-postgres.txt"

_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[\w.+!-]+)(?P<marker> *;)?", re.MULTILINE)


class StartError(Exception):
    """Something that the person at the terminal has to act on: one sentence saying what to do."""


class Environment:
    """The environment of one checkout: where it lies, whether it fits, how it is made."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        windows = os.name == "nt"
        self.python = self.folder / ("Scripts/python.exe" if windows else "bin/python")
        self._whole = self.folder / "companion-whole.txt"

    def is_whole(self) -> bool:
        """Whether it was made to the end, and for the very Python that its link leads to now."""
        configured = (self.folder / "pyvenv.cfg").is_file() and self.python.is_file()
        return configured and _text(self._whole) == self._interpreter()

    def fits(self, needs: Iterable[str]) -> bool:
        """Whether it is whole and was made from these requirements files as they are now."""
        return self.is_whole() and all(
            _text(self._stamp(name)) == self._digest(name) for name in needs
        )

    def is_current(self) -> bool:
        """Whether this very process runs in it."""
        return self.folder.is_dir() and self.folder.samefile(sys.prefix)

    def prepare(self, needs: Sequence[str]) -> None:
        """Make it, or bring it up to these requirements files; show pip's progress.

        Raises StartError when venv is missing, the folder cannot be written or pip fails.
        """
        digests = {name: self._digest(name) for name in needs}
        try:
            if not self.is_whole():
                self._make()
            self._install(needs)
            self.mark_as_made(digests)
        except OSError as error:
            raise StartError(
                f"The environment in {self.folder} cannot be made ({error.strerror or error}): "
                f"make the folder writable, or free some space, and start again."
            ) from error

    def _make(self) -> None:
        if (
            importlib.util.find_spec("venv") is None
            or importlib.util.find_spec("ensurepip") is None
        ):
            raise StartError(
                "Python's venv is missing here: install it (on Debian and Ubuntu with "
                "`sudo apt install python3-venv`) and start again."
            )
        again = "again " if self.folder.exists() else ""
        _say(f"Making the environment {again}in {self.folder}; this is done once.")
        # Not sys.executable: that may be a link inside the very folder that is cleared here.
        base = getattr(sys, "_base_executable", None) or sys.executable
        made = subprocess.run(  # noqa: S603 - our own interpreter, and no shell
            [base, "-m", "venv", "--clear", str(self.folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            reason = (made.stderr.strip() or made.stdout.strip() or "no reason given").splitlines()
            raise StartError(
                f"The environment in {self.folder} could not be made ({reason[-1].strip()}): "
                f"make the folder writable, or free some space, and start again."
            )

    def _install(self, needs: Sequence[str]) -> None:
        _say(f"Installing what {' and '.join(needs)} asks for.")
        was_whole = self.is_whole()
        self._whole.unlink(missing_ok=True)
        files = [word for name in needs for word in ("-r", str(self.root / name))]
        pip = [str(self.python), "-m", "pip", "install", "--require-hashes", "--no-input"]
        installed = subprocess.run(  # noqa: S603 - our own interpreter, and no shell
            [*pip, "--disable-pip-version-check", *files], check=False
        )
        if installed.returncode != 0:
            if was_whole:  # pip puts back what it replaced before it gives up
                self._mark_whole()
            raise StartError(
                "The packages could not be installed (pip says why above): "
                "connect this machine to the internet and start again."
            )

    def mark_as_made(self, digests: Mapping[str, str]) -> None:
        """Say that it is whole and was made from requirements files with these digests."""
        for name, digest in digests.items():
            self._stamp(name).write_text(digest, encoding="utf-8")
        self._mark_whole()

    def _mark_whole(self) -> None:
        self._whole.write_text(self._interpreter(), encoding="utf-8")

    def _interpreter(self) -> str:
        """What the link leads to: another file after the system's Python was replaced."""
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


def with_driver(needs: Sequence[str], environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """These requirements files and, if the database is PostgreSQL's, that of its driver."""
    scheme = environ.get("COMPANION_DATABASE_URL", "").partition("://")[0]
    wanted = needs and scheme in {"postgres", "postgresql", "postgresql+psycopg"}
    return (*needs, POSTGRES) if wanted else tuple(needs)


def enter(
    needs: Sequence[str], argv: Sequence[str], environment: Environment | None = None
) -> None:
    """Return in an interpreter that has these requirements, or never: go on in `.venv` instead.

    `argv` is what stood on the command line after `companion`. With COMPANION_NO_VENV=1 the
    interpreter is taken as it is. Raises StartError when the environment cannot be made.
    """
    if os.environ.get("COMPANION_NO_VENV") == "1":
        return
    environment = environment or Environment()
    current = environment.is_current()
    if not current and has_pins(environment.root / name for name in needs):
        return
    if not environment.fits(needs):
        environment.prepare(needs)
    if not current:
        hand_over(environment.python, argv)


def has_pins(files: Iterable[Path]) -> bool:
    """Whether this interpreter has every package of these files in exactly the pinned version.

    Lines with a marker are passed over: they are for some platforms only, and the packages that
    ask for them are pinned too. A file that is not there is not fulfilled.
    """
    files = list(files)
    return all(file.is_file() for file in files) and all(
        _installed_version(pin["name"]) == pin["version"]
        for file in files
        for pin in _PIN.finditer(_text(file))
        if not pin["marker"]
    )


def hand_over(python: Path, argv: Sequence[str]) -> NoReturn:
    """Run the same command with that interpreter, instead of this process where that can be."""
    command = [str(python), "-m", "companion", *argv]
    sys.stdout.flush()
    try:
        if os.name == "nt":  # there exec would return to the prompt while the server still runs
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


def _say(sentence: str) -> None:
    print(sentence, flush=True)
