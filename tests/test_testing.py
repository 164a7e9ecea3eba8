"""The command that runs the tests, on a project of a few lines."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

BOTH_WAYS = "def is_red(suit):\n    if suit in 'DH':\n        return True\n    return False\n"
# So much beside it that all together are covered well enough.
CARDS = "".join(f"CARD_{number} = {number}\n" for number in range(60))
RED = """
import companion.web
from companion.rules.suits import is_red

def test_red():
    assert is_red("H")
"""
BLACK = "\ndef test_black():\n    assert not is_red('S')\n"
BROWSER = "import pytest\n\n@pytest.mark.browser\ndef test_page(): pass\n"
CONFTEST = """
from tests.skips import *
from tests.selection import pytest_addoption, pytest_configure, pytest_ignore_collect
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one test, which takes one of two ways, and another of pages."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "companion/rules").mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file in ("__main__.py", "skips.py", "programs.py", "selection.py"):
        shutil.copy(ROOT / "tests" / file, tmp_path / "tests")
    for name, text in {
        "companion/rules/suits.py": BOTH_WAYS,
        "companion/web.py": CARDS,
        "tests/conftest.py": CONFTEST,
        "tests/test_rules.py": RED,
        "tests/test_pages.py": BROWSER,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(project: Path, *words: str, **environ: str) -> tuple[int, str]:
    """The exit status and what is printed, where no program is on the path."""
    # Tests of a line each are done before a second process has begun.
    alone = {"PATH": str(project), "PYTEST_XDIST_AUTO_NUM_WORKERS": "0"}
    outside = {name: text for name, text in os.environ.items() if name != "CI"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests", *words],
        cwd=project,
        env=outside | alone | environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_a_way_that_no_test_takes_fails_the_run_and_a_missing_browser_is_loud(project):
    status, printed = run(project)
    assert (status, "1 passed, 1 skipped" in printed) == (2, True)
    # Of 4 statements and 2 branches, one of each is missed.
    assert "total of 67 is less than fail-under=100" in printed
    (project / "tests/test_rules.py").write_text(RED + BLACK)
    status, printed = run(project)
    assert (status, "2 passed, 1 skipped" in printed) == (0, True)
    (loud,) = [line for line in printed.splitlines() if "NO CHROMIUM WAS FOUND" in line]
    assert loud.endswith("without it the browser tests cannot run. Skipped: 1.")


def test_in_ci_a_missing_browser_fails_the_run(project):
    status, printed = run(project, "--all", CI="true")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "NO CHROMIUM WAS FOUND" in printed
