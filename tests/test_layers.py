"""Who may know whom, seen from a fresh interpreter. The import contracts are in pyproject.toml."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_what_must_run_anywhere_loads_without_anything_that_has_to_be_installed():
    parts = ("rules", "notebook", "check", "cli", "launcher")
    script = "import sys, companion; print(*(n for n in sys.modules if n[:10] == 'companion.'));"
    script += f"import {', '.join(f'companion.{part}' for part in parts)}"
    run = subprocess.run(  # -S leaves the installed packages out
        [sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # And the package itself loads none of its parts.
    assert (run.returncode, run.stdout, run.stderr) == (0, "\n", "")


def pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==(\S+)", text, re.MULTILINE))


def test_the_tests_run_on_the_very_versions_that_are_served():
    served, tested = pins("requirements.txt"), pins("tests/requirements.txt")
    assert served
    assert served.items() <= tested.items()


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_pins_have_hashes_and_say_nothing_of_where_packages_come_from(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"index|find-links|trusted-host| @ |^-", text, re.MULTILINE)
    requirements = text.replace("\\\n", "").splitlines()
    assert all("--hash=sha256:" in line for line in requirements if not line.startswith("#"))


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_pins_say_how_they_are_made_again(name):
    head = (ROOT / name).read_text(encoding="utf-8").split("\n\n")[0].splitlines()[:2]
    assert re.fullmatch(rf"# +uv pip compile .*pyproject\.toml -o {name}", head[1])
