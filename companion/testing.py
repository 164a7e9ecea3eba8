"""Run the project's tests, and check their coverage.

It uses only the standard library, because the command line imports it before anything is installed.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from io import StringIO
from pathlib import Path

from companion.launcher import ROOT

# On every core, but at most four: tests of pages start servers and browsers of their own.
_PARALLEL = ("-m", "pytest", "--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")
_MEASURED = ("--cov", "--cov-report=term-missing:skip-covered")

# Run less or more tests than a change needs. See tests/scope.py.
_QUICK, _ALL = "--quick", "--all"

# Files, and the percentage of their lines and branches that the tests have to reach.
_LIMITS = (
    (["companion/rules/*"], 100),
    (["companion/notebook/*"], 100),
    (["companion/services.py", "companion/services/*"], 100),
    (["companion/*"], 95),
)


def run_tests(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run the tests in several processes and measure their coverage.

    ``--quick`` runs fewer and measures nothing, ``--all`` runs every combination. Any other
    arguments go to pytest as they are. Returns pytest's exit status, or 1 with a message if all
    tests pass but the coverage is too low.
    """
    if {*arguments} == {_QUICK}:
        return _python([*_PARALLEL, _QUICK], root)
    if {*arguments} <= {_ALL}:
        return _python([*_PARALLEL, *_MEASURED, *arguments], root) or _hold_limits(root)
    return _python(["-m", "pytest", *arguments], root)


def run_module(name: str, arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run one of the programs beside the tests and return its exit status."""
    return _python(["-m", name, *arguments], root)


def _hold_limits(root: Path) -> int:
    from coverage import Coverage  # it is installed where the tests have run

    status = 0
    with chdir(root):
        measured = Coverage()
        measured.load()
        for files, percent in _LIMITS:
            reached = measured.report(include=files, file=StringIO(), skip_covered=False)
            if reached < percent:
                status, rounded = 1, min(round(reached), percent - 1)
                print(
                    f"The tests have to reach {percent} % of {','.join(files)}, and the table "
                    f"above names what they miss. They reach: {rounded} %.",
                    file=sys.stderr,
                    flush=True,
                )
    return status


def _python(arguments: Sequence[str], root: Path) -> int:
    sys.stdout.flush()
    # The tests start hundreds of processes, and with this set each would compile everything anew.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.call(  # noqa: S603 - as above
        [sys.executable, *arguments], cwd=root, env=environment
    )
