"""The maintenance commands: output, questions and exit status."""

import errno
import io
import re
from pathlib import Path

import pytest

from companion import cli, maintenance
from companion.store.installation import Installation, kept_keys
from tests.services.installations import TOUCHED, execute, friday, made, opened, play, totals


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty instance folder that the environment names, without other settings."""
    for name in ("DATABASE_URL", "SECRET_KEY", "SECRET_KEY_FALLBACKS", "HOUSE_KEY", "HOSTS"):
        monkeypatch.delenv(f"COMPANION_{name}", raising=False)
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "house"))
    (tmp_path / "house").mkdir(mode=0o700)
    return tmp_path / "house"


@pytest.fixture
def house(instance: Path) -> Installation:
    """The installation that the environment names, with a game of three entries."""
    return friday(instance)


@pytest.fixture
def said(capsys):
    """Run a command, and return the printed lines, of stderr if it fails with 1."""

    def run(*words: str, fails: bool = False) -> list[str]:
        capsys.readouterr()
        assert cli.main(words) == fails
        out, err = capsys.readouterr()
        return (err or out if fails else out).splitlines()

    return run


@pytest.fixture
def file(house, tmp_path, said) -> str:
    """A backup of the house."""
    said("backup", str(tmp_path / "a.backup"))
    return str(tmp_path / "a.backup")


def test_backup_says_what_is_in_it_and_that_it_was_checked(house, said):
    first, second, third = said("backup")
    (file,) = house.backups.iterdir()
    assert re.fullmatch(r"companion-\d{4}-\d\d-\d\d-\d{6}\.backup", file.name)
    assert first.startswith(f"{file} holds 1 game with 3 entries, the last one of 20")
    size = f"{file.stat().st_size:,} bytes."
    assert second == f"It was checked: no row was changed and no entry is missing. {size}"
    assert "keys" in third
    execute(house, "UPDATE event SET at = 'soon'")
    folder = house.folder.parent
    assert "the last one of an unknown time" in said("backup", str(folder))[0]
    assert len(list(folder.glob("companion-*.backup"))) == 1


@pytest.mark.parametrize("content", ["", None])
def test_backup_and_restore_say_that_a_key_is_missing(content, house, tmp_path, said):
    house.key_files[0].unlink()
    if content is not None:
        house.key_files[0].write_text(content)
    file = str(tmp_path / "a.backup")
    lacks = "It lacks secret.key, which holds no key: put the saved one back"
    assert said("backup", file)[2].startswith(lacks)
    gets = "Neither this backup nor secret.key here holds a key: secret.key gets a new one."
    assert gets in said("restore", file, "--yes")


def test_restore_restores_a_backup_and_says_what_it_replaced(house, file, said):
    play(house, TOUCHED, title="Saturday")
    first, second, kept, last = said("restore", file, "--yes")
    assert " holds 1 game with 3 entries, the last one of 20" in first
    assert second.startswith("It replaces 2 games with 5 entries, the last one of 20")
    assert kept.startswith(f"The old database is kept in {house.backups}/before-restore-")
    assert last == "Restored. Start the server again."
    assert totals(house) == {"Friday": [0, 33, 7]}


NOBODY = "Nothing was changed: there is no terminal to ask on, so add --yes."


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("yes\n", None),
        ("no\n", "Nothing was changed."),
        ("", "Nothing was changed."),  # Ctrl-D
        (None, NOBODY),
    ],
)
def test_restore_asks_first(answer, error, house, file, monkeypatch, said):
    play(house, TOUCHED, title="Saturday")
    typed = io.StringIO(answer)
    monkeypatch.setattr(typed, "isatty", lambda: answer is not None)
    monkeypatch.setattr("sys.stdin", typed)
    told = said("restore", file, fails=error is not None)
    assert error in (None, *told)
    assert len(totals(house)) == (2 if error else 1)


def test_a_command_that_fails_says_why_in_a_sentence(house, file, tmp_path, said):
    for words, sentence in [
        (["backup", file], f"{file} exists already: name another file."),
        (["backup", "/proc/no/a.backup"], "/proc/no cannot be used"),
        (["backup", "a" * 300], f"{'a' * 300} cannot be used (File name too long)"),
        (["restore", str(tmp_path / "none"), "--yes"], "There is no file"),
        (["restore", str(house.file), "--yes"], "is not a backup of the companion"),
    ]:
        assert sentence in said(*words, fails=True)[0]
    with opened(house) as database:
        with database.read() as session:
            session.connection()
        assert "Stop the server" in said("restore", file, "--yes", fails=True)[-1]


def test_a_file_without_room_on_the_disk_is_named(house, file, monkeypatch, said):
    def copy(backup: Path, draft: Path) -> None:  # as the standard library's does
        raise OSError(errno.ENOSPC, "No space left on device", str(backup), None, str(draft))

    monkeypatch.setattr("shutil.copyfile", copy)
    (line,) = said("restore", file, "--yes", fails=True)
    assert line.startswith(f"{house.folder}/.companion.sqlite3.draft cannot be used")


def test_an_empty_house_can_be_restored_to_and_from(instance, tmp_path, monkeypatch, said):
    made(instance)
    file = str(tmp_path / "a.backup")
    assert said("backup", file)[0].endswith("holds 0 games and no entries.")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path / "new"))
    told = said("restore", file, "--yes")
    assert "It replaces nothing that can be read." in told
    assert "It also replaces the keys, which are different here." in told


def test_the_doctor_makes_a_backup_repairs_and_says_what_is_still_wrong(house, said):
    said("backup")
    joined = "\u0dc1\u0dca\u200d\u0dbb\u0dd3"  # a word in Sinhala with a joiner
    execute(house, f"UPDATE game SET summary = 'no', title = char(27) || '[2J {joined}'")
    house.file.chmod(0o644)
    said("doctor", fails=True)
    told = said("doctor", "--repair")
    (kept,) = house.backups.glob("before-repair-*.backup")
    assert told[0] == f"There is a backup in {kept}."
    assert told[1] == f"FIXED  {house.file} can be read by others."
    (mended,) = [line for line in told if line.startswith("FIXED  Game ")]
    assert mended.endswith(f" (\ufffd[2J {joined}): the list of games shows something else.")
    assert told[-1] == "All is well."
    assert said("doctor")[-1] == "All is well."
    execute(house, "DELETE FROM event WHERE number = 1")
    told = said("doctor", fails=True)
    assert [line for line in told if line.startswith("WRONG  Game ")]
    assert told[-1] == "Something is wrong: see above."


def test_nothing_is_repaired_if_no_backup_can_be_made(house, said):
    execute(house, "UPDATE game SET summary = 'no'")
    house.backups.write_text("no folder")
    (told,) = said("doctor", "--repair", fails=True)
    assert told.startswith(f"{house.backups} cannot be used (File exists)")
    with opened(house) as database, database.read() as session:
        assert session.connection().exec_driver_sql("SELECT summary FROM game").scalar() == "no"


def test_the_doctor_prints_its_progress(house, monkeypatch, capsys):
    monkeypatch.setattr(maintenance, "_PROGRESS_STEP", 2)
    for title in ("Saturday", "Sunday", "Monday"):
        play(house, title=title)
    cli.main(["doctor"])
    assert capsys.readouterr().err.splitlines() == [
        "2 of 4 games were checked.",
        "4 of 4 games were checked.",
    ]


# -- new keys -------------------------------------------------------------------------------------


def test_rotate_signs_with_a_new_secret(instance, said):
    (first,) = kept_keys(instance / "secret.key")
    told = said("rotate")
    assert "stay valid" in told[1]
    second, former = kept_keys(instance / "secret.key")
    assert former == first
    assert second not in "".join(told)
    told = said("rotate", "--forget")
    assert told[1].startswith("Every phone has to open the printed address again")
    assert not {first, second} & {*kept_keys(instance / "secret.key")}
    assert not (instance / "house.key").exists()


def test_restore_names_a_key_that_the_environment_overrides(instance, file, monkeypatch, said):
    monkeypatch.setenv("COMPANION_SECRET_KEY", "s" * 32)
    unused = "Its secret.key is not used here: the environment has a key instead."
    assert unused in said("restore", file, "--yes")


@pytest.mark.parametrize("proxy", [False, True])
def test_rotate_house_prints_the_new_address(proxy, instance, monkeypatch, said):
    (first,) = kept_keys(instance / "house.key")
    if proxy:
        monkeypatch.setenv("COMPANION_HOSTS", "scores.example")
        monkeypatch.setenv("COMPANION_HTTPS", "1")
    told = said("rotate", "--house", "--host", "127.0.0.1", "--port", "9000")
    (second,) = kept_keys(instance / "house.key")
    assert second != first
    here = "https://scores.example" if proxy else "http://localhost:9000"
    assert any(line.endswith(f" {here}/k/{second}") for line in told)
    assert not (instance / "secret.key").exists()


@pytest.mark.parametrize(
    ("arguments", "key", "then"),
    [
        ([], "secret", ", and put the old one first into COMPANION_SECRET_KEY_FALLBACKS;"),
        (["--forget"], "secret", ", and remove COMPANION_SECRET_KEY_FALLBACKS;"),
        (["--house"], "house", ", and start the servers again."),
    ],
)
def test_a_key_from_the_environment_and_a_file_without_a_key_are_left_alone(
    instance, monkeypatch, said, arguments, key, then
):
    file, variable = instance / f"{key}.key", f"COMPANION_{key.upper()}_KEY"
    file.write_text("x")
    (sentence,) = said("rotate", *arguments, fails=True)
    assert sentence.startswith(str(file))
    assert sentence.endswith(
        "(it holds no key). Put the saved one back, or restore a backup, and start again."
    )
    monkeypatch.setenv(variable, "k" * 43)
    (sentence,) = said("rotate", *arguments, fails=True)
    assert sentence.startswith(f"This key comes from {variable}: put a new one there")
    assert "k" * 43 not in sentence
    assert then in sentence
    assert list(instance.iterdir()) == [file]
    assert file.read_text() == "x"


def test_a_wrong_setting_is_reported_first(instance, monkeypatch, said):
    monkeypatch.setenv("COMPANION_HOSTS", "https://scores.example")
    for command in (["rotate", "--house"], ["migrate"]):
        (sentence,) = said(*command, fails=True)
        assert sentence == "COMPANION_HOSTS is a list of host names with commas, without https://."
    assert list(instance.iterdir()) == []


def test_the_first_start_makes_the_folder_even_if_it_has_to_make_no_key(
    instance, monkeypatch, said
):
    instance.rmdir()
    monkeypatch.setenv("COMPANION_SECRET_KEY", "s" * 32)
    monkeypatch.setenv("COMPANION_HOUSE_KEY", "h" * 16)
    assert said("migrate") == ["The database is up to date."]
    assert (instance / "companion.sqlite3").is_file()
    assert instance.stat().st_mode & 0o077 == 0
