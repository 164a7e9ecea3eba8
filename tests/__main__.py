"""Run the tests in several processes, and check the limits of coverage: ``python -m tests``.

``--quick`` runs fewer tests without coverage, ``--all`` runs every test (see selection.py). Any
other arguments go to pytest. The exit status is pytest's, or 2 if the coverage is too low.
"""

import subprocess
import sys
from collections.abc import Sequence

# One process a core, but at most four: tests of pages start servers and browsers as well.
PARALLEL = ("--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")
MEASURED = ("--cov", "--cov-report=term-missing:skip-covered", "--cov-fail-under=95")
# The code that decides who pays needs full coverage of lines and branches.
WHOLE = "companion/rules/*,companion/notebook/*,companion/services/*"


def main(words: Sequence[str]) -> int:
    """Run the tests that the arguments choose, and return the exit status."""
    if list(words) == ["--quick"]:
        return _run("pytest", *PARALLEL, *words)
    if list(words) in ([], ["--all"]):
        return _run("pytest", *PARALLEL, *MEASURED, *words) or _run(
            "coverage", "report", "--fail-under=100", f"--include={WHOLE}"
        )
    return _run("pytest", *words)


def _run(module: str, *words: str) -> int:
    return subprocess.call([sys.executable, "-m", module, *words])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
