"""Runs the project's own tests, and holds what they cover to its limits.

Standard library only, because the command line imports it before anything is installed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from companion.launcher import ROOT

NO_CHROMIUM = (
    "NO CHROMIUM WAS FOUND: get it with `apt-get install chromium` (or name one in "
    "COMPANION_CHROMIUM); without it the browser tests cannot run."
)

NO_POSTGRES = (
    "NO POSTGRESQL WAS FOUND: get it with `apt-get install postgresql` (or name the folder of its "
    "programs in COMPANION_POSTGRES); without it no test runs on PostgreSQL."
)

NO_NGINX = (
    "NO NGINX WAS FOUND: get it with `apt-get install nginx` (or name one in COMPANION_NGINX); "
    "without it nothing is tried behind a proxy."
)

NO_WEBKIT = (
    "SAFARI'S ENGINE WAS NOT FOUND: get it with `apt-get install webkit2gtk-driver xvfb`; without "
    "it nothing is tried in it."
)

NO_FIREFOX = (
    "NO FIREFOX WAS FOUND: get it with `apt-get install firefox-esr`; without it nothing is tried "
    "in it."
)

# On every core, four at most, since each test of the pages starts a server or a browser of its own.
_PARALLEL = ("-m", "pytest", "--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")
_MEASURED = ("--cov", "--cov-report=term-missing:skip-covered")

# How much runs: without either of them, what guards a change. See tests/scope.py.
_QUICK, _ALL = "--quick", "--all"

# The first is the same without windows, which take a third of the processor's time.
_BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)

# Debian puts Safari's engine beside its library, by architecture and version.
_WEBKIT = "*/webkit2gtk-4.*/MiniBrowser"

_POSTGRES = ("initdb", "postgres")

# Files, and the percentage of lines and branches that the tests have to reach in them.
_LIMITS = (
    ("companion/rules/*", 100),
    ("companion/notebook/*", 100),
    ("companion/services.py,companion/services/*", 100),
    ("companion/*", 95),
)


def find_chromium(environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of a Chromium or Chrome; what COMPANION_CHROMIUM names, if it is set, or none."""
    named = environ.get("COMPANION_CHROMIUM")
    if named:
        return shutil.which(named)
    paths = (shutil.which(name, path=environ.get("PATH")) for name in _BROWSERS)
    return next((path for path in paths if path), None)


def needs_chromium(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a missing browser is a failure, as it is in CI, and not a reason to skip."""
    return environ.get("CI") == "true" or environ.get("COMPANION_REQUIRE_BROWSER") == "1"


class Safari(NamedTuple):
    """The programs that drive Safari's engine: its driver, a browser, and a screen for that."""

    driver: str
    browser: str
    screen: str


def find_webkit(
    environ: Mapping[str, str] = os.environ, libraries: Path = Path("/usr/lib")
) -> Safari | None:
    """The programs for Safari's engine, or None where one of them is missing."""
    path = environ.get("PATH")
    driver, screen = (shutil.which(name, path=path) for name in ("WebKitWebDriver", "Xvfb"))
    browser = max(libraries.glob(_WEBKIT), default=None)
    return Safari(driver, str(browser), screen) if driver and screen and browser else None


def find_firefox(environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of a Firefox, or None."""
    path = environ.get("PATH")
    return shutil.which("firefox-esr", path=path) or shutil.which("firefox", path=path)


def find_postgres(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder of PostgreSQL's programs: COMPANION_POSTGRES, if it is set, or the newest."""
    named = environ.get("COMPANION_POSTGRES")
    if named:
        folders = [Path(named)]
    else:
        on_path = shutil.which("initdb", path=environ.get("PATH"))
        debian = Path("/usr/lib/postgresql").glob("*/bin")  # it puts none of them on the path
        newest = sorted(debian, key=lambda folder: int(folder.parent.name), reverse=True)
        folders = [*([Path(on_path).resolve().parent] if on_path else []), *newest]
    whole = (one for one in folders if all((one / name).is_file() for name in _POSTGRES))
    return next(whole, None)


def needs_postgres(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a missing PostgreSQL is a failure, as it is in CI, and not a reason to skip."""
    return environ.get("CI") == "true" or environ.get("COMPANION_REQUIRE_POSTGRES") == "1"


def find_nginx(environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of nginx; what COMPANION_NGINX names, if it is set, or none."""
    named = environ.get("COMPANION_NGINX")
    if named:
        return shutil.which(named)
    # Debian puts it where only root looks for programs.
    return shutil.which("nginx", path=f"{environ.get('PATH', '')}{os.pathsep}/usr/sbin")


def needs_nginx(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a missing nginx is a failure, as it is in CI, and not a reason to skip."""
    return environ.get("CI") == "true" or environ.get("COMPANION_REQUIRE_NGINX") == "1"


def run_tests(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run the tests, in several processes and with their coverage measured.

    ``--quick`` runs fewer and measures nothing, ``--all`` runs every combination; with any other
    argument pytest gets them all as they are. Answers pytest's exit status, or 1 when all tests
    pass and too little was covered. Nothing is printed after pytest's summary unless too little was
    covered.
    """
    if {*arguments} == {_QUICK}:
        return _python([*_PARALLEL, _QUICK], root)
    if {*arguments} <= {_ALL}:
        return _python([*_PARALLEL, *_MEASURED, *arguments], root) or _hold_limits(root)
    return _python(["-m", "pytest", *arguments], root)


def run_benchmarks(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run the benchmarks with these arguments and answer their exit status."""
    return _python(["-m", "tests.bench", *arguments], root)


def run_torture(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Try for long what must not happen: 0 if nothing was lost, doubled or answered with a 500."""
    return _python(["-m", "tests.torture", *arguments], root)


def _hold_limits(root: Path) -> int:
    status = 0
    for files, percent in _LIMITS:
        report = ["-m", "coverage", "report", "--format=total", f"--include={files}"]
        measured = subprocess.run(  # noqa: S603 - our own interpreter, and no shell
            [sys.executable, *report, f"--fail-under={percent}"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if measured.returncode != 0:
            status = 1
            reached = measured.stdout.partition("\n")[0]
            print(
                f"The tests have to reach {percent} % of {files}, and the table above names "
                f"what they miss. They reach: {reached} %.",
                file=sys.stderr,
                flush=True,
            )
    return status


def _python(arguments: Sequence[str], root: Path) -> int:
    sys.stdout.flush()
    # Hundreds of processes are started: each would compile everything anew where this is set.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.call(  # noqa: S603 - as above
        [sys.executable, *arguments], cwd=root, env=environment
    )
