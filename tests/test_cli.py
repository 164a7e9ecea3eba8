import argparse
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion import cli, launcher
from companion.store.installation import Installation
from tests.databases import copied

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment is made or entered."""
    monkeypatch.setenv("COMPANION_NO_VENV", "1")


def test_without_a_command_it_serves_on_every_address_and_port_8000():
    for words, host, port in (
        ([], "0.0.0.0", 8000),
        (["serve"], "0.0.0.0", 8000),
        (["--host", "127.0.0.1", "--port", "65535"], "127.0.0.1", 65535),
        (["--port", "0"], "0.0.0.0", 0),
    ):
        args = cli.parse(words)
        assert (args.command, args.host, args.port) == ("serve", host, port)
        assert args.needs == launcher.RUNTIME


def ended(words: list[str]) -> object:
    """The status with which a command line ends the program at once."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(words)
    return stopped.value.code


NO_PORT = "is not a port: give a number up to 65535"
NO_COMMAND = "there is no command {!r}, only serve, check"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        *(([f"--port={port}"], NO_PORT) for port in ("65536", "-1", "x", "٣", "80.5", "")),
        *((words, NO_COMMAND.format(words[0])) for words in (["dance"], ["dance", "-h"], [""])),
        *((words, "") for words in (["--prt", "9"], ["serve", "x"], ["check", "x"], ["--host"])),
        (["rotate", "--house", "--forget"], "not allowed with"),
    ],
)
def test_a_wrong_command_line_gets_one_sentence_and_status_2(words, says, capsys):
    assert ended(words) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("Wrong command line: ")
    assert says in sentence
    assert "python3 -m companion --help" in sentence


def test_each_command_asks_for_the_packages_it_needs():
    for words, needs in (
        (["test"], launcher.TESTS),
        (["setup"], launcher.RUNTIME),
        (["setup", "--tests"], launcher.TESTS),
        (["bench"], launcher.TESTS),
        (["bench", "--quick", "--beside"], launcher.BESIDE),
        (["test", "--beside"], launcher.TESTS),
        (["torture", "--kills", "5"], launcher.TESTS),
        (["screens", "DIR"], launcher.TESTS),
        (["migrate"], launcher.RUNTIME),
        (["check"], ()),
    ):
        assert cli.parse(words).needs == needs


# A word in the help of each command.
HELP = {
    "serve": "--port",
    "test": "pytest",
    "check": "lay_off",
    "bench": "benchmarks",
    "torture": "--kills",
    "screens": "DIR",
    "backup": "FILE",
    "restore": "--yes",
    "rotate": "--forget",
    "doctor": "--repair",
    "migrate": "database",
    "setup": "--tests",
}


def test_help_names_every_command_and_shows_examples(capsys):
    assert ended(["-h"]) == 0
    shown = capsys.readouterr().out
    assert ended(["--help"]) == 0
    assert capsys.readouterr().out == shown
    assert "python3 -m companion --port 9000" in shown
    assert "COMPANION_NO_VENV" in shown
    assert {*HELP} == {*cli._COMMANDS}
    for command, word in HELP.items():
        assert f"\n    {command} " in shown
        assert ended([command, "--help"]) == 0
        assert word in capsys.readouterr().out


def test_check_rules_on_each_line_without_any_package():
    question = {"id": "run", "ask": "meld", "game": "proter", "hand": 12, "cards": "5C 6C 7C"}
    run = subprocess.run(
        [sys.executable, "-S", "-m", "companion", "check"],  # -S: no installed packages
        cwd=ROOT,
        input=f"{json.dumps(question)}\nthis is no question\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (2, "")
    ruling, refused = (json.loads(line) for line in run.stdout.splitlines())
    assert (ruling["id"], ruling["legal"]) == ("run", True)
    assert "error" in refused


@pytest.mark.parametrize("words", [["setup"], ["doctor", "--repair"]])
def test_a_command_whose_output_is_not_read_ends_quietly(
    tmp_path, migrated, words, monkeypatch, capsys
):
    copied(migrated, tmp_path / "companion.sqlite3")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path))
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as nobody, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", nobody)
        assert cli.main(words) == 1
    assert capsys.readouterr().err == ""


def test_letters_that_the_outputs_encoding_lacks_are_printed_as_escapes(
    tmp_path, migrated, monkeypatch
):
    folder = tmp_path / "ශ"
    folder.mkdir()
    copied(migrated, folder / "companion.sqlite3")
    monkeypatch.setenv("COMPANION_INSTANCE", str(folder))
    output = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", output)
    assert cli.main(["backup"]) == 0
    assert b"/\\u0dc1/backups/" in output.buffer.getvalue()


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (["test", "-k", "lay_off", "--port", "--", "-h", "tests/rules"], "tests"),
        (["bench", "arrange", "--quick"], "tests.bench"),
        (["torture", "--only", "kills"], "tests.torture"),
        (["screens", "DIR"], "tests.browser.screens"),
    ],
)
def test_a_module_outside_the_package_gets_the_arguments(words, module, monkeypatch):
    called: list[Any] = []

    def run(command: list[str], **given: Any) -> int:
        called.extend((command[1:], given["cwd"], given["env"].get("PYTHONDONTWRITEBYTECODE")))
        return 3

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr("subprocess.call", run)
    assert cli.main(words) == 3
    assert called == [["-m", module, *words[1:]], ROOT, None]


def test_migrate_makes_the_database(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "instance"))
    monkeypatch.delenv("COMPANION_DATABASE_URL", raising=False)
    for _ in range(2):  # the second time there is nothing to do
        assert cli.main(["migrate"]) == 0
        assert capsys.readouterr() == ("The database is up to date.\n", "")
    assert list((tmp_path / "instance").glob("*.sqlite*"))
    # The default instance folder is in the checkout.
    assert Installation.from_environment({}) == Installation.in_folder(ROOT / "instance")


def test_a_database_that_cannot_be_opened_gets_a_sentence_and_status_1(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "instance").write_text("a file is in the way", encoding="utf-8")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "instance"))
    assert cli.main(["migrate"]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "instance") in sentence
    assert "start again" in sentence


def test_a_missing_package_is_named(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "companion.serving", raising=False)
    monkeypatch.setitem(sys.modules, "segno", None)
    assert cli.main(["--port", "0"]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "'segno'" in sentence
    assert "COMPANION_NO_VENV" in sentence


def missing_part(_args: argparse.Namespace) -> int:
    import companion.no_such_part  # noqa: F401  # type: ignore[import-not-found]

    return 0


def interrupted(_args: argparse.Namespace) -> int:
    raise KeyboardInterrupt


def test_ctrl_c_ends_quietly_and_a_missing_module_of_our_own_is_a_mistake(monkeypatch, capsys):
    monkeypatch.setitem(cli._COMMANDS, "check", interrupted)
    assert cli.main(["check"]) == 130
    assert capsys.readouterr() == ("", "")
    monkeypatch.setitem(cli._COMMANDS, "check", missing_part)
    with pytest.raises(ModuleNotFoundError, match=r"companion\.no_such_part"):
        cli.main(["check"])
