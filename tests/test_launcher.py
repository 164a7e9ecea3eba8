"""Making `.venv`, stamping it, and running inside it.

The environments here are real ones, made from a package of a few bytes that lies beside its
requirements file, so that no network is needed.
"""

import ast
import base64
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion import launcher
from companion.launcher import RUNTIME, Environment, StartError, enter, has_pins, with_driver

ROOT = Path(__file__).parent.parent


def build_wheel(folder: Path, release: str) -> str:
    """Write the package `deck` and answer the line that requires it, with its hash."""
    folder.mkdir(exist_ok=True)
    info = f"deck-{release}.dist-info"
    files = {
        "deck.py": f"RELEASE = {release!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: deck\nVersion: {release}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{info}/RECORD,,\n"
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{name},sha256={digest.decode()},{len(text)}\n"
    wheel = folder / f"deck-{release}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return f"deck=={release} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def require(root: Path, release: str) -> None:
    """Let the requirements file of that project ask for that release of the package."""
    line = build_wheel(root / "wheels", release)
    source = f"--no-index\n--find-links {(root / 'wheels').as_uri()}\n"
    (root / "requirements.txt").write_text(source + line, encoding="utf-8")


@pytest.fixture(autouse=True)
def plain_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes this machine's settings of pip and of the launcher."""
    for name in [*os.environ]:
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("COMPANION_NO_VENV", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with the command line alone, which requires the package `deck`."""
    root = tmp_path / "check out"  # with a space, as folders have
    (root / "companion").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "cli.py", "launcher.py"):
        shutil.copy(ROOT / "companion" / name, root / "companion")
    require(root, "1.0")
    return root


def pretend_made(environment: Environment) -> None:
    """Make an environment as `prepare` leaves it, with nothing installed."""
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    (environment.folder / "pyvenv.cfg").write_text("home = nowhere\n", encoding="utf-8")
    for name in RUNTIME:
        environment._stamp(name).write_text(environment._digest(name))
    environment._mark_complete()


def start(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "companion", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_start_after_an_interrupted_one_and_then_another(project):
    environment = Environment(project)
    environment.python.parent.mkdir(parents=True)
    half_made = environment.folder / "half-made"
    half_made.touch()

    first = start(project, "setup")
    assert not half_made.exists()
    assert first.stderr == ""
    assert first.returncode == 0
    assert f"Making the environment again in {environment.folder}" in first.stdout
    assert "Successfully installed deck-1.0" in first.stdout  # pip's own progress is seen
    assert first.stdout.endswith("The environment is ready.\n")
    assert environment.is_up_to_date(RUNTIME)

    second = start(project, "setup")
    assert (second.stdout, second.returncode) == ("The environment is ready.\n", 0)


def test_new_pins_are_installed_into_the_environment_that_is_there(project, monkeypatch, capsys):
    environment = Environment(project)
    pretend_made(environment)
    require(project, "1.1")
    asked: list[Any] = []
    status = iter((1, 0))

    def pip(command: list[str], **_: object) -> SimpleNamespace:
        asked.append(command)
        return SimpleNamespace(returncode=next(status))

    monkeypatch.setattr("subprocess.run", pip)
    # Pins that cannot be had: a sentence, and what was there before is still whole.
    with pytest.raises(StartError) as failed:
        environment.prepare(RUNTIME)
    assert str(failed.value) == (
        "The packages could not be installed (pip says why above): "
        "connect this machine to the internet and start again."
    )
    assert environment.is_complete()
    assert not environment.is_up_to_date(RUNTIME)
    environment.prepare(RUNTIME)
    assert environment.is_up_to_date(RUNTIME)
    assert "Making" not in capsys.readouterr().out
    assert asked[1][:4] == [str(environment.python), "-m", "pip", "install"]
    assert asked[1][-2:] == ["-r", str(project / "requirements.txt")]


def test_an_environment_fits_only_what_it_was_made_from(project):
    environment = Environment(project)
    assert not environment.is_complete()
    pretend_made(environment)
    assert environment.is_up_to_date(RUNTIME)
    (project / "tests").mkdir()
    (project / "tests/requirements.txt").write_text("", encoding="utf-8")
    assert not environment.is_up_to_date(launcher.TESTS)
    require(project, "1.1")
    assert not environment.is_up_to_date(RUNTIME)
    newer = project / "python3.99"
    newer.touch()
    environment.python.unlink()
    assert not environment.is_complete()
    environment.python.symlink_to(newer)  # the system's Python was replaced
    assert not environment.is_complete()
    environment._mark_complete()
    assert environment.is_complete()
    (environment.folder / "pyvenv.cfg").unlink()
    assert not environment.is_complete()


def test_the_current_environment_is_the_one_this_process_runs_in(project, monkeypatch):
    environment = Environment(project)
    assert not environment.is_running()
    pretend_made(environment)
    assert not environment.is_running()
    monkeypatch.setattr(sys, "prefix", str(environment.folder))
    assert environment.is_running()
    enter(RUNTIME, [], environment)  # nothing has to be made or entered


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_without_venv_one_sentence_says_how_to_get_it(project, missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(StartError, match=r"sudo apt install python3-venv.* and start again\.$"):
        enter(RUNTIME, [], Environment(project))
    assert not (project / ".venv").exists()


def test_a_folder_that_cannot_be_written_is_named(project):
    (project / ".venv").write_text("a file is in the way", encoding="utf-8")
    sentence = re.escape(f"The environment in {project / '.venv'} cannot be made (")
    with pytest.raises(StartError, match=rf"^{sentence}.*start again\.$"):
        Environment(project).prepare(RUNTIME)


def test_an_environment_whose_python_cannot_run_is_named(project):
    environment = Environment(project)
    pretend_made(environment)
    environment.python.unlink()
    environment.python.touch(0o600)
    environment._mark_complete()
    with pytest.raises(StartError, match=r"bin/python does not start .*: delete .*\.venv and"):
        enter(RUNTIME, ["setup"], environment)
    require(project, "1.1")
    sentence = re.escape(f"The environment in {environment.folder} cannot be made (Permission")
    with pytest.raises(StartError, match=rf"^{sentence}.*start again\.$"):
        enter(RUNTIME, [], environment)
    assert not environment.is_complete(), "an interrupted installation is begun anew"


def test_an_interpreter_with_every_pin_is_used_directly(project, monkeypatch):
    requirements = project / "requirements.txt"
    pins = f"pytest=={version('pytest')} \\\n    --hash=sha256:00\n# a remark\n"
    only_elsewhere = "no-such-package==1.0 ; sys_platform == 'win32'\n"
    requirements.write_text(pins + only_elsewhere, encoding="utf-8")
    assert has_pins([requirements])
    enter(RUNTIME, [], Environment(project))
    for line in ("pytest==0.1\n", "pytest[dev]==0.1\n", "no-such-package==1.0\n"):
        requirements.write_text(line, encoding="utf-8")
        assert not has_pins([requirements])
    requirements.unlink()
    assert not has_pins([requirements])
    with pytest.raises(StartError, match=r"requirements\.txt cannot be read"):
        enter(RUNTIME, [], Environment(project))
    monkeypatch.setenv("COMPANION_NO_VENV", "yes please")
    with pytest.raises(StartError, match=r"^COMPANION_NO_VENV is 1 or 0\.$"):
        enter(RUNTIME, [], Environment(project))
    for on in ("1", "on", "ON"):
        monkeypatch.setenv("COMPANION_NO_VENV", on)
        enter(RUNTIME, [], Environment(project))  # it can be told to make nothing
    assert not (project / ".venv").exists()


def test_an_old_python_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and you called 3\.9:"):
        runpy.run_module("companion", run_name="__main__")

    # It can read as far as that sentence.
    for name in ("__init__.py", "__main__.py"):
        source = (ROOT / "companion" / name).read_text(encoding="utf-8")
        ast.parse(source, feature_version=(3, 4))
        assert not re.search(r"\bf['\"]", source)  # which feature_version does not look at


# -- what is installed, and what runs without -----------------------------------------------------


def test_modules_that_must_run_anywhere_load_without_installed_packages():
    parts = ("rules", "notebook", "check", "cli", "launcher")
    script = "import sys, companion; print(*(n for n in sys.modules if n[:10] == 'companion.'));"
    script += f"import {', '.join(f'companion.{part}' for part in parts)}"
    run = subprocess.run(  # -S leaves the installed packages out
        [sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # And the package itself loads none of its parts.
    assert (run.returncode, run.stdout, run.stderr) == (0, "\n", "")


@pytest.mark.parametrize("address", ["postgresql://ana@host/companion", " postgres://host/a "])
def test_a_database_on_postgresql_needs_its_driver(monkeypatch, address):
    monkeypatch.setenv("COMPANION_DATABASE_URL", address)
    assert with_driver(RUNTIME) == (*RUNTIME, "requirements-postgres.txt")


def pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==(\S+)", text, re.MULTILINE))


def test_the_tests_run_on_the_same_versions_as_the_server():
    served, tested = pins("requirements.txt"), pins("tests/requirements.txt")
    assert served
    assert served.items() <= tested.items()


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_pins_have_hashes_and_their_command_but_no_registry_addresses(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"index|find-links|trusted-host| @ |^-", text, re.MULTILINE)
    requirements = text.replace("\\\n", "").splitlines()
    assert all("--hash=sha256:" in line for line in requirements if not line.startswith("#"))
    assert re.fullmatch(rf"# +uv pip compile .*pyproject\.toml -o {name}", text.splitlines()[1])
