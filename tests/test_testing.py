"""The command that runs the tests, on projects of a few lines."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import run_module, run_tests
from tests.programs import find_chromium

ROOT = Path(__file__).parent.parent

BOTH_WAYS = "def is_red(suit):\n    if suit in 'DH':\n        return True\n    return False\n"
ONE_WAY = "from companion.{} import is_red\n\ndef test_red():\n    assert is_red('H')\n"
OTHER_WAY = "\ndef test_black():\n    assert not is_red('S')\n"

PARTS = ("rules.suits", "notebook.suits", "services")


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "COVERAGE_FILE"):
        monkeypatch.delenv(name, raising=False)
    # Half a dozen tests of a line each are done before a second process has begun.
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "0")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose tests take every branch."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for part in PARTS:
        write(tmp_path / "companion" / f"{part.replace('.', '/')}.py", BOTH_WAYS)
        test = tmp_path / "tests" / f"test_{part.partition('.')[0]}.py"
        write(test, ONE_WAY.format(part) + OTHER_WAY)
    for package in ("", "rules", "notebook"):
        write(tmp_path / "companion" / package / "__init__.py", "")
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_when_all_pass_and_enough_is_covered_pytest_has_the_last_word(project, capfd):
    assert run_tests([], project) == 0
    printed = capfd.readouterr()
    assert "6 passed" in printed.out.splitlines()[-1]
    assert printed.err == ""


def test_a_branch_that_no_test_takes_fails_the_run(project, capfd):
    for part in PARTS:
        write(project / f"tests/test_{part.partition('.')[0]}.py", ONE_WAY.format(part))
    assert run_tests([], project) == 1
    printed = capfd.readouterr()
    assert "3 passed" in printed.out
    *engine, everything = printed.err.splitlines()
    # Of 4 statements and 2 branches in each, the last statement and the way to it are missed.
    for part, line in zip(PARTS, engine, strict=True):
        assert line.startswith(
            f"The tests have to reach 100 % of companion/{part.partition('.')[0]}"
        )
        assert line.endswith("They reach: 67 %.")
    # Of 12 statements and 6 branches, the same: 12 of 18.
    assert everything.startswith("The tests have to reach 95 % of companion/*,")
    assert everything.endswith("They reach: 67 %.")


MEMOISED = "from functools import cache\n\n@cache\n" + BOTH_WAYS
DRAWN_FIRST = """
from hypothesis import given, strategies
from companion.rules.suits import is_red

@given(strategies.sampled_from("CDHS"))
def test_drawn(suit):
    assert is_red(suit) == (suit in "DH")

def test_red():
    assert is_red("H")

def test_black():
    assert not is_red("S")
"""


def test_what_a_drawn_case_left_in_memory_is_worked_out_again_where_it_is_measured(
    project, monkeypatch, capfd
):
    copy_what_skips(project)
    write(project / "companion/rules/suits.py", MEMOISED)
    write(project / "tests/test_rules.py", DRAWN_FIRST)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly")  # the drawn one has to be the first
    run_tests([], project)
    printed = capfd.readouterr()
    assert "7 passed" in printed.out
    assert printed.err == ""


CONFTEST = """
from tests.skips import *
from tests.selection import pytest_addoption, pytest_configure, pytest_ignore_collect
"""


def copy_what_skips(project: Path) -> None:
    for file in ("skips.py", "programs.py", "selection.py"):
        shutil.copy(ROOT / "tests" / file, project / "tests")
    write(project / "tests/conftest.py", CONFTEST)


def door(number: int) -> str:
    """Two statements, one of which runs when the module is loaded."""
    return f"\n\ndef door_{number}():\n    return {number}\n"


def test_outside_the_engine_one_statement_in_twenty_may_go_untested(project, capfd):
    # The engine's 12 statements and 6 branches all run; with these 22 there are 40, and 38 run.
    cards = "".join(f"CARD_{number} = {number}\n" for number in range(18))
    write(project / "companion/web.py", cards + door(1) + door(2))
    write(project / "tests/test_web.py", "import companion.web\n\ndef test_it_loads(): pass\n")
    assert run_tests([], project) == 0
    write(project / "companion/web.py", cards + door(1) + door(2) + door(3))  # 39 of 42
    assert run_tests([], project) == 1
    assert "The tests have to reach 95 % of companion/*" in capfd.readouterr().err


def test_a_failing_test_fails_the_run(project, capfd):
    write(project / "tests/test_wrong.py", "def test_wrong():\n    assert 1 == 2\n")
    assert run_tests([], project) == 1
    assert "1 failed, 6 passed" in capfd.readouterr().out.splitlines()[-1]


def test_what_is_compiled_is_kept_for_the_processes_that_tests_start(project, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert run_tests(["tests/test_rules.py"], project) == 0
    assert list((project / "companion/rules/__pycache__").glob("suits.*.pyc"))


def test_a_warning_fails_the_run(project):
    text = "import warnings\n\ndef test_warns():\n    warnings.warn('old', stacklevel=1)\n"
    write(project / "tests/test_warns.py", text)
    assert run_tests(["tests/test_warns.py"], project) == 1


def test_arguments_go_to_pytest_and_then_nothing_is_measured(project, capfd):
    assert run_tests(["-k", "red", "-q"], project) == 0
    printed = capfd.readouterr()
    assert "3 passed, 3 deselected" in printed.out
    assert "Cover" not in printed.out
    assert not (project / ".coverage").exists()


def test_no_test_at_all_is_a_failure(project):
    assert run_tests(["-k", "nothing_of_that_name"], project) == 5


@pytest.mark.parametrize(("name", "status"), [("tests.bench", 3), ("tests.torture", 1)])
def test_what_lies_beside_the_tests_answers_with_its_status(project, capfd, name, status):
    main = project / name.replace(".", "/") / "__main__.py"
    write(main, f"import sys\nprint(sys.argv[1:])\nsys.exit({status})\n")
    assert run_module(name, ["arrange", "--quick"], project) == status
    assert capfd.readouterr().out == "['arrange', '--quick']\n"


def test_benchmarks_are_not_tests(project):
    write(project / "tests/bench/test_slow.py", "def test_slow():\n    raise AssertionError\n")
    assert run_tests(["-q"], project) == 0


BROWSER_TEST = """
import pytest

@pytest.mark.browser
def test_page():
    raise AssertionError("there is no browser to run this in")
"""


def run_with_browser_tests(project: Path, *words: str, **environ: str) -> tuple[int, str]:
    """pytest's exit status and what it printed, where no program is on the path."""
    copy_what_skips(project)
    write(project / "tests/test_pages.py", BROWSER_TEST)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=project,
        env={**os.environ, "PATH": str(project), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


def test_without_chromium_browser_tests_are_skipped_with_one_loud_line(project):
    status, printed = run_with_browser_tests(project)
    assert status == 0
    (loud,) = [line for line in printed.splitlines() if "NO CHROMIUM WAS FOUND" in line]
    assert "apt-get install chromium" in loud
    assert "Skipped: 1." in loud
    assert "6 passed, 1 skipped" in printed.splitlines()[-1]


def test_where_browser_tests_must_run_a_missing_chromium_is_a_failure(project):
    status, printed = run_with_browser_tests(project, CI="true")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "NO CHROMIUM WAS FOUND" in printed
    assert "passed" not in printed


def test_tests_that_need_no_browser_run_without_a_word_about_it(project):
    status, printed = run_with_browser_tests(project, "-k", "red", CI="true")
    assert status == 0
    assert "CHROMIUM" not in printed


ON_EACH_KIND = """
import pytest

@pytest.mark.parametrize("stored_in", ["sqlite", "postgresql"])
def test_each(stored_in):
    pass
"""
MORE = "import pytest\n\n@pytest.mark.{}\ndef test_more(): pass\n"
NOT_IN_QUICK = "\nraise AssertionError('a quick run has no use for this')\n"


def run_some(project: Path, capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What a run prints that has two tests of each folder."""
    copy_what_skips(project)
    for folder in ("web", "store", "browser"):
        write(project / f"tests/{folder}/test_{folder}.py", ON_EACH_KIND)
    write(project / "tests/vectors/test_more.py", MORE.format("exhaustive"))
    write(project / "tests/vectors/test_slow.py", MORE.format("slow"))
    run_tests(words, project)
    return capfd.readouterr().out.splitlines()


def test_a_run_leaves_out_pages_on_postgresql_and_exhaustive_tests(project, capfd):
    assert "11 passed, 3 deselected" in run_some(project, capfd)[-1]


def test_all_leaves_nothing_out(project, capfd):
    printed = run_some(project, capfd, "--all")
    assert "14 passed" in printed[-1]
    assert [line for line in printed if "Cover" in line]


def test_quick_has_no_browser_no_postgresql_and_no_coverage(project, capfd):
    # Not even imported: its packages take their time.
    write(project / "tests/browser/conftest.py", NOT_IN_QUICK)
    write(project / "tests/test_top.py", NOT_IN_QUICK)
    printed = run_some(project, capfd, "--quick")
    assert "2 passed, 4 deselected" in printed[-1]
    assert not [line for line in printed if "Cover" in line]


CASES = """
import pytest

@pytest.mark.parametrize("case", ["a", "b", "c"])
def test_cases(case):
    pass
"""


def test_quick_has_one_case_of_each_test_of_pages_and_all_of_rules(project, capfd):
    write(project / "tests/services/test_services.py", CASES)
    write(project / "tests/rules/test_rules.py", CASES)
    # Three of rules, one of services, and one each of the web and the store.
    assert "6 passed, 6 deselected" in run_some(project, capfd, "--quick")[-1]


DRAWS = """
from pathlib import Path
from hypothesis import given, settings, strategies

@settings(database=None)
@given(strategies.integers())
def test_drawn(number):
    with Path("drawn").open("a") as drawn:
        print(number, file=drawn)
"""


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        pytest.param(("--all",), 150, marks=pytest.mark.exhaustive),
        ((), 40),
        pytest.param(("--quick",), 10, marks=pytest.mark.exhaustive),
    ],
)
def test_a_run_draws_fewer_cases_than_all_and_a_quick_one_fewer_still(project, words, cases):
    copy_what_skips(project)
    write(project / "tests/rules/test_draws.py", DRAWS)
    assert run_tests([*words, "-q", "tests/rules"], project) == 0
    assert len((project / "drawn").read_text().splitlines()) == cases


def test_what_another_process_has_skipped_is_told_once(project):
    status, told = run_with_browser_tests(project, "-n1", "tests/test_pages.py")
    assert status == 0
    assert told.count("NO CHROMIUM WAS FOUND") == 1


def test_chromium_is_preferred_to_chrome_and_most_of_all_without_windows(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() is None
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        (tmp_path / name).touch(0o755)
        assert find_chromium() == str(tmp_path / name)


@pytest.mark.parametrize(
    ("marker", "loud"),
    [
        ("webkit", "SAFARI'S ENGINE WAS NOT FOUND"),
        pytest.param("firefox", "NO FIREFOX WAS FOUND", marks=pytest.mark.exhaustive),
    ],
)
def test_without_another_browser_its_tests_are_skipped_with_a_word_or_fail_in_ci(
    project, marker, loud
):
    write(project / "tests/test_engine.py", BROWSER_TEST.replace("browser\n", f"{marker}\n"))
    words = ("-k", "test_engine")
    status, printed = run_with_browser_tests(project, *words)
    assert status == 0
    assert f"{loud}: get it with `apt-get install" in printed
    status, printed = run_with_browser_tests(project, *words, CI="true")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert loud in printed
