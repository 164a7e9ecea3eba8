"""Runs the project's own tests, and holds what they cover to its limits.

Standard library only, because the command line imports it before anything is installed.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.launcher import ROOT

# On every core, four at most, since each test of the pages starts a server or a browser of its own.
_PARALLEL = ("-m", "pytest", "--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")
_MEASURED = ("--cov", "--cov-report=term-missing:skip-covered")

# How much runs: without either of them, what guards a change. See tests/scope.py.
_QUICK, _ALL = "--quick", "--all"

# Files, and the percentage of lines and branches that the tests have to reach in them.
_LIMITS = (
    ("companion/rules/*", 100),
    ("companion/notebook/*", 100),
    ("companion/services.py,companion/services/*", 100),
    ("companion/*", 95),
)


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


def run_screens(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Take pictures of every page, and answer 1 where there is no browser to take them with."""
    return _python(["-m", "tests.browser.screens", *arguments], root)


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
