"""The commands that keep an installation: what they say, what they ask, and how they end."""

import io
import re
from pathlib import Path

import pytest

from companion import cli, keeping
from companion.store.installation import Installation, kept_keys
from tests.services.installations import TOUCHED, friday, made, opened, play, totals


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the environment names, which says nothing else; it is empty."""
    for name in ("DATABASE_URL", "SECRET_KEY", "SECRET_KEY_FALLBACKS", "HOUSE_KEY", "HOSTS"):
        monkeypatch.delenv(f"COMPANION_{name}", raising=False)
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "house"))
    (tmp_path / "house").mkdir(mode=0o700)
    return tmp_path / "house"


@pytest.fixture
def house(instance: Path) -> Installation:
    """The house that the environment names; a game of three entries was played there."""
    return friday(instance)


def test_backup_says_what_is_in_it_and_that_it_was_checked(house, capsys):
    assert cli.main(["backup"]) == 0
    (file,) = house.backups.iterdir()
    assert re.fullmatch(r"companion-\d{4}-\d\d-\d\d-\d{6}\.backup", file.name)
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{file} holds 1 game with 3 entries, the last one of 20")
    size = f"{file.stat().st_size:,} bytes."
    assert second == f"It was checked: no row was changed and no entry is missing. {size}"
    assert "keys" in third


def test_backup_and_restore_say_that_a_key_is_missing(house, tmp_path, capsys):
    house.key_files[0].write_text("")
    file = str(tmp_path / "a.backup")
    assert cli.main(["backup", file]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[2].startswith("It lacks secret.key, which holds no key: put the saved one back")
    assert cli.main(["restore", file, "--yes"]) == 0
    assert "Neither this backup nor secret.key here holds a key: secret.key gets a new one." in (
        capsys.readouterr().out
    )


def test_backup_goes_where_it_is_told_to(house, tmp_path):
    assert cli.main(["backup", str(tmp_path / "a.backup")]) == 0
    assert (tmp_path / "a.backup").is_file()
    assert cli.main(["backup", str(tmp_path)]) == 0
    assert len(list(tmp_path.glob("companion-*.backup"))) == 1


def test_restore_puts_it_back_and_says_what_it_replaced(house, tmp_path, capsys):
    file = str(tmp_path / "a.backup")
    cli.main(["backup", file])
    play(house, TOUCHED, title="Saturday")
    capsys.readouterr()
    assert cli.main(["restore", file, "--yes"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert " holds 1 game with 3 entries, the last one of 20" in said[0]
    assert said[1].startswith("It replaces 2 games with 5 entries, the last one of 20")
    assert said[2].startswith(f"The old database is kept in {house.backups}/before-restore-")
    assert said[3:] == ["Restored. Start the server again."]
    assert totals(house) == {"Friday": [0, 33, 7]}


@pytest.mark.parametrize(("answer", "status", "games"), [("yes", 0, 1), ("no", 1, 2), ("", 1, 2)])
def test_restore_asks_first(answer, status, games, house, tmp_path, monkeypatch, capsys):
    file = str(tmp_path / "a.backup")
    cli.main(["backup", file])
    play(house, TOUCHED, title="Saturday")
    typed = io.StringIO(f"{answer}\n")
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", typed)
    assert cli.main(["restore", file]) == status
    assert len(totals(house)) == games
    said = capsys.readouterr()
    assert said.err == ("" if status == 0 else "Nothing was changed.\n")


def test_where_nobody_can_be_asked_restore_wants_yes(house, tmp_path, monkeypatch, capsys):
    file = str(tmp_path / "a.backup")
    cli.main(["backup", file])
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert cli.main(["restore", file]) == 1
    sentence = "Nothing was changed: there is no terminal to ask on, so add --yes.\n"
    assert capsys.readouterr().err == sentence


def test_what_cannot_be_done_is_said_in_a_sentence(house, tmp_path, capsys):
    file = str(tmp_path / "a.backup")
    cli.main(["backup", file])
    for words, sentence in [
        (["backup", file], f"{file} exists already: name another file."),
        (["backup", "/proc/no/a.backup"], "/proc/no cannot be used"),
        (["restore", str(tmp_path / "none"), "--yes"], "There is no file"),
        (["restore", str(house.file), "--yes"], "is not a backup of the companion"),
    ]:
        assert cli.main(words) == 1
        assert sentence in capsys.readouterr().err
    with opened(house) as database:
        with database.read() as session:
            session.connection()
        assert cli.main(["restore", file, "--yes"]) == 1
    assert "Stop the server" in capsys.readouterr().err


def test_a_house_with_nothing_in_it_can_be_restored_to_and_from(
    instance, tmp_path, monkeypatch, capsys
):
    made(instance)
    file = str(tmp_path / "a.backup")
    assert cli.main(["backup", file]) == 0
    assert "holds 0 games and no entries." in capsys.readouterr().out
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "new"))
    assert cli.main(["restore", file, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "It replaces nothing that can be read." in said
    assert "It also replaces the keys" in said


def test_the_doctor_says_what_is_wrong_and_the_status_tells_too(house, capsys):
    cli.main(["backup"])
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "All is well."
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("DELETE FROM event WHERE number = 1")
    assert cli.main(["doctor"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("WRONG  Game ")]
    assert said[-1] == "Something is wrong: see above."


def test_the_doctor_mends_after_a_backup_and_looks_again(house, capsys):
    cli.main(["backup"])
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("UPDATE game SET summary = 'no', title = '\x1b[2J'")
    assert house.file is not None
    house.file.chmod(0o644)
    assert cli.main(["doctor"]) == 1
    capsys.readouterr()
    assert cli.main(["doctor", "--repair"]) == 0
    said = capsys.readouterr().out.splitlines()
    (kept,) = house.backups.glob("before-repair-*.backup")
    assert said[0] == f"There is a backup in {kept}."
    assert said[1] == f"FIXED  {house.file} can be read by others."
    (mended,) = [line for line in said if line.startswith("FIXED  Game ")]
    assert mended.endswith(" (\ufffd[2J): the list of games shows something else.")
    assert said[-1] == "All is well."


def test_nothing_is_mended_where_nothing_can_be_kept(house, capsys):
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("UPDATE game SET summary = 'no'")
    house.backups.write_text("no folder")
    assert cli.main(["doctor", "--repair"]) == 1
    assert f"{house.backups} cannot be used (File exists)" in capsys.readouterr().err
    with opened(house) as database, database.read() as session:
        assert session.connection().exec_driver_sql("SELECT summary FROM game").scalar() == "no"


def test_the_doctor_says_how_far_it_is(house, monkeypatch, capsys):
    monkeypatch.setattr(keeping, "_EVERY", 2)
    for title in ("Saturday", "Sunday", "Monday"):
        play(house, title=title)
    cli.main(["doctor"])
    assert capsys.readouterr().err.splitlines() == [
        "2 of 4 games were checked.",
        "4 of 4 games were checked.",
    ]


def test_a_backup_whose_last_entry_has_no_time_says_so(house, capsys):
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("UPDATE event SET at = 'soon'")
    assert cli.main(["backup"]) == 0
    assert "the last one of an unknown time" in capsys.readouterr().out


# -- new keys -------------------------------------------------------------------------------------


def test_rotate_signs_with_a_new_secret(instance, capsys):
    (first,) = kept_keys(instance / "secret.key")
    assert cli.main(["rotate"]) == 0
    second, former = kept_keys(instance / "secret.key")
    assert former == first
    said = capsys.readouterr()
    assert "stay valid" in said.out
    assert said.err == ""
    assert second not in said.out
    assert not (instance / "house.key").exists()


def test_rotate_can_forget(instance, capsys):
    (first,) = kept_keys(instance / "secret.key")
    assert cli.main(["rotate", "--forget"]) == 0
    assert first not in kept_keys(instance / "secret.key")
    assert "Every phone has to open the printed address again" in capsys.readouterr().out


def test_rotate_house_prints_the_new_address(instance, capsys):
    first = kept_keys(instance / "house.key")[0]
    assert cli.main(["rotate", "--house", "--host", "127.0.0.1", "--port", "9000"]) == 0
    second = kept_keys(instance / "house.key")[0]
    assert second != first
    assert f"http://localhost:9000/k/{second}\n" in capsys.readouterr().out
    assert not (instance / "secret.key").exists()


def test_behind_a_proxy_it_prints_the_proxys_address(instance, monkeypatch, capsys):
    monkeypatch.setenv("COMPANION_HOSTS", "scores.example")
    monkeypatch.setenv("COMPANION_HTTPS", "1")
    assert cli.main(["rotate", "--house"]) == 0
    key = kept_keys(instance / "house.key")[0]
    assert f"  https://scores.example/k/{key}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "variable"), [((), "COMPANION_SECRET_KEY"), (("--house",), "COMPANION_HOUSE_KEY")]
)
def test_a_key_from_the_environment_is_changed_there(
    instance, monkeypatch, capsys, arguments, variable
):
    monkeypatch.setenv(variable, "k" * 43)
    assert cli.main(["rotate", *arguments]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith(f"This key comes from {variable}: put a new one there")
    assert "k" * 43 not in sentence
    assert list(instance.iterdir()) == []


@pytest.mark.parametrize(("arguments", "name"), [((), "secret.key"), (("--house",), "house.key")])
def test_what_is_no_key_is_left_alone(instance, capsys, arguments, name):
    (instance / name).write_text("x")
    assert cli.main(["rotate", *arguments]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert name in sentence
    assert "(it holds no key). Put the saved one back" in sentence
    assert "free some space" not in sentence
    assert (instance / name).read_text() == "x"


def test_a_setting_that_cannot_be_is_said_first(instance, monkeypatch, capsys):
    monkeypatch.setenv("COMPANION_HOSTS", "https://scores.example")
    for command in (["rotate", "--house"], ["migrate"]):
        assert cli.main(command) == 1
        (sentence,) = capsys.readouterr().err.splitlines()
        assert sentence == "COMPANION_HOSTS is a list of host names with commas, without https://."
    assert list(instance.iterdir()) == []


def test_forgetting_is_about_secrets_and_not_about_houses(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["rotate", "--house", "--forget"])
    assert stopped.value.code == 2
    assert "not allowed with" in capsys.readouterr().err
