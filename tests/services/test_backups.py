"""Backups are complete or refused, and a restore leaves the old or the new, never a mixture."""

import multiprocessing
import os
import shutil
import signal
import sqlite3
import stat
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from companion.services import backups, doctor
from companion.services.backups import finish_restore, is_interrupted, reading, seal
from companion.store import DatabaseProblem
from companion.store.database import HEAD, version_of
from companion.store.installation import Installation, keys_in
from tests.services import restoring
from tests.services.installations import (
    NEW,
    NINE,
    OLD,
    TOUCHED,
    execute,
    friday,
    keys,
    made,
    opened,
    play,
    restore,
    totals,
)

pytestmark = pytest.mark.database("sqlite")
WHEREVER_IT_IS = pytest.mark.database("sqlite", "postgresql")


@pytest.fixture
def house(tmp_path: Path, stored_in: str, request: pytest.FixtureRequest) -> Installation:
    """An installation with one game: 0, 20 + 13 and 7 points."""
    server = request.getfixturevalue("database_url") if stored_in == "postgresql" else None
    return friday(tmp_path / "house", OLD, server)


@pytest.fixture
def backup(house: Installation, tmp_path: Path) -> Path:
    backups.back_up(house, tmp_path / "friday.backup", NINE)
    return tmp_path / "friday.backup"


def test_a_backup_has_everything_and_restores_it_elsewhere(house, tmp_path):
    file = tmp_path / "new" / "friday.backup"
    made_backup = backups.back_up(house, file, NINE)
    counts = made_backup.counts
    assert (counts.notebooks, counts.games, counts.entries) == (1, 1, 3)
    assert (made_backup.made_at, (*made_backup.keys,)) == (NINE, ("secret.key", "house.key"))
    elsewhere = Installation.in_folder(tmp_path / "elsewhere")
    assert restore(elsewhere, file) is None
    assert totals(elsewhere) == {"Friday": [0, 33, 7]}
    assert keys(elsewhere) == [OLD, OLD]
    assert not is_interrupted(elsewhere)
    assert OLD.encode() in file.read_bytes()
    assert OLD.encode() not in elsewhere.file.read_bytes()
    for path in (file, elsewhere.file, *elsewhere.key_files):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with opened(elsewhere):
        pass
    names = {path.name for path in elsewhere.folder.iterdir()}
    assert names == {"companion.sqlite3", "house.key", "secret.key"}


@WHEREVER_IT_IS
def test_a_backup_is_one_moment_of_a_database_in_use(house, tmp_path):
    with opened(house) as database:
        play(house, TOUCHED, title="Saturday")  # which may not be in the file yet
        with database.write() as session:  # somebody writes, and is not made to wait
            session.connection().exec_driver_sql("DELETE FROM event")
            backups.back_up(house, tmp_path / "now.backup", NINE)
            session.rollback()
    elsewhere = Installation.in_folder(tmp_path / "elsewhere")
    restore(elsewhere, tmp_path / "now.backup")
    assert totals(elsewhere) == {"Friday": [0, 33, 7], "Saturday": [0, 20, 0]}


def test_no_backup_is_made_of_a_damaged_database_or_over_a_file(house, backup):
    before, other = backup.read_bytes(), backup.with_name("a.backup")
    with pytest.raises(FileExistsError):
        backups.back_up(house, backup, NINE)
    unlist = "DELETE FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    for script, says in (
        ("DELETE FROM event WHERE number = 2", r"Friday.*entry 2 is missing"),
        ("UPDATE companion_version SET version_num = x'00'", "is damaged"),
        ("DELETE FROM companion_version", "is damaged"),
        (f"PRAGMA writable_schema=ON; {unlist}", "is damaged"),  # which SQLite finds itself
    ):
        execute(house, script)
        with pytest.raises(DatabaseProblem, match=says):
            backups.back_up(house, other, NINE)
    assert {path.name for path in backup.parent.iterdir()} == {"house", backup.name}
    assert backup.read_bytes() == before


CHANGES = {
    "cut": lambda content: content[: len(content) // 2],
    # A card that is as good as the other: no sheet would miss it.
    "letter": lambda content: content.replace(b"3C 4D", b"3C 5D"),
    "key": lambda content: content.replace(b"ooo", b"oop", 1),
    "middle": lambda content: content[:8192] + bytes(4096) + content[12288:],
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_backup_is_refused_and_changes_nothing(what, house, backup):
    content = backup.read_bytes()
    backup.write_bytes(CHANGES[what](content))
    assert backup.read_bytes() != content
    with pytest.raises(DatabaseProblem, match="is damaged") as refused:
        restore(house, backup)
    assert refused.value.reason == "damaged"
    assert totals(house) == {"Friday": [0, 33, 7]}
    assert not house.backups.exists()


def recipes(file: Path) -> Path:
    """The database of another program."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cooking (recipe TEXT)")
    return file


def test_a_file_that_is_not_a_backup_is_refused(house, tmp_path):
    (tmp_path / "text").write_text("Ana has 33 points. " * 100)
    (tmp_path / "empty").touch()
    for file in (tmp_path / "text", tmp_path / "empty", recipes(tmp_path / "other"), house.file):
        with pytest.raises(DatabaseProblem, match="is not a backup of the companion") as refused:
            restore(house, file)
        assert refused.value.reason == "foreign"
    with pytest.raises(DatabaseProblem, match="There is no file"):
        restore(house, tmp_path / "none.backup")


@pytest.mark.parametrize(
    ("statement", "reason", "says"),
    [
        (
            "UPDATE companion_version SET version_num = '9999'",
            *("newer", r"later version of this program \(9999"),
        ),
        (
            "UPDATE event SET payload = '{}' WHERE number = 3",
            *("damaged", r"Friday.*cannot be computed"),
        ),
    ],
)
def test_a_backup_changed_and_sealed_again_is_refused(statement, reason, says, house, backup):
    made_at, keys, _ = backups.check_backup(backup)
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute(statement)
    seal(backup, keys, made_at)
    with pytest.raises(DatabaseProblem, match=says) as refused:
        restore(house, backup)
    assert refused.value.reason == reason
    assert totals(house) == {"Friday": [0, 33, 7]}


@WHEREVER_IT_IS
def test_the_replaced_database_is_kept_and_can_be_restored(house, backup):
    play(house, TOUCHED, title="Saturday")
    kept = restore(house, backup)
    assert totals(house) == {"Friday": [0, 33, 7]}
    assert kept == house.backups / "before-restore-2024-05-04-090000.backup"
    with backups.prepared(house, kept) as ready:
        assert (ready.backup.counts.games, ready.present and ready.present.games) == (2, 1)
        assert not ready.keys
        ready.put_in_place(NINE)
    assert totals(house) == {"Friday": [0, 33, 7], "Saturday": [0, 20, 0]}


def test_a_restore_that_another_process_has_finished_is_left_alone(house, monkeypatch):
    looks = iter((True, False))
    monkeypatch.setattr(backups, "is_interrupted", lambda _: next(looks))
    finish_restore(house)
    assert (totals(house), keys(house)) == ({"Friday": [0, 33, 7]}, [OLD, OLD])


def test_an_empty_key_in_an_old_backup_replaces_no_key(house, backup, tmp_path):
    made_at, saved, _ = backups.check_backup(backup)
    seal(backup, {**saved, "secret.key": ""}, made_at)  # as earlier versions made it
    other, new = made(tmp_path / "other", NEW), Installation.in_folder(tmp_path / "new")
    restore(other, backup)
    assert keys(other) == [NEW, OLD]
    house.key_files[0].write_text("\n")
    with backups.prepared(house, backup) as ready:
        assert ready.keys.keys() == {"secret.key"}
        ready.put_in_place(NINE)
    restore(new, backup)
    for without_key in (house, new):  # then it gets one
        (secret,) = keys_in(without_key.key_files[0])
        assert len(secret) >= 32
    assert keys_in(house.key_files[1]) == keys_in(new.key_files[1]) == [OLD]


def test_nothing_is_restored_while_a_server_has_the_database(house, backup):
    before = {path: path.read_bytes() for path in house.folder.iterdir()}
    with backups.prepared(house, backup):
        pass  # nobody has said yes
    assert {path: path.read_bytes() for path in house.folder.iterdir()} == before
    with (
        opened(house) as database,
        backups.prepared(house, backup) as ready,
        database.read(),
        pytest.raises(DatabaseProblem, match="Stop the server") as refused,
    ):
        ready.put_in_place(NINE)
    assert refused.value.reason == "in_use"
    assert totals(house) == {"Friday": [0, 33, 7]}
    # What a killed restore has left behind is not in the way of the next one.
    house.file.with_name(f".{house.file.name}.draft").write_bytes(b"half of it")
    restore(house, backup)
    assert totals(house) == {"Friday": [0, 33, 7]}


# No database, one of whose pages one is lost, and one that breaks off while it is copied.
@pytest.mark.parametrize(("kept_of_it", "lost"), [(0, 12_000), (4096, 4096), (4096, 1_000_000)])
def test_a_database_that_cannot_be_read_is_set_aside_unchanged(kept_of_it, lost, house, backup):
    content = house.file.read_bytes()
    damaged = content[:kept_of_it] + bytes(min(lost, len(content) - kept_of_it))
    damaged += content[len(damaged) :]
    house.file.write_bytes(damaged)
    kept = restore(house, backup)
    assert kept == house.backups / "unreadable-2024-05-04-090000"
    assert (kept / "companion.sqlite3").read_bytes()[kept_of_it:] == damaged[kept_of_it:]
    assert totals(house) == {"Friday": [0, 33, 7]}


def test_another_programs_database_is_not_replaced(backup, tmp_path):
    file = recipes(tmp_path / "recipes.sqlite3")
    elsewhere = Installation(tmp_path / "elsewhere", f"sqlite:///{file}")
    with pytest.raises(DatabaseProblem, match="belongs to another program"):
        restore(elsewhere, backup)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize("each", [9, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_a_restore_killed_at_any_step_leaves_the_old_or_the_new(house, backup, tmp_path, each):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.services.restoring"])  # its imports are paid once
    old = made(tmp_path / "other.made", NEW)
    play(old, TOUCHED, title="Saturday")
    seen, ended = [], -signal.SIGKILL
    while ended == -signal.SIGKILL:
        shutil.rmtree(tmp_path / "other", ignore_errors=True)
        shutil.copytree(old.folder, tmp_path / "other")
        other = Installation.in_folder(tmp_path / "other")
        given = (other.folder, backup, 1 + len(seen) * each)
        process = processes.Process(target=restoring.restore, args=given)
        process.start()
        process.join()
        ended = process.exitcode
        finish_restore(other)
        seen.append((totals(other), keys(other)))
        assert not is_interrupted(other)
    assert ended == 0
    was, became = ({"Saturday": [0, 20, 0]}, [NEW, NEW]), ({"Friday": [0, 33, 7]}, [OLD, OLD])
    turn = seen.index(became)
    assert seen == [was] * turn + [became] * (len(seen) - turn)
    assert min(turn, len(seen) - turn) > 10 // each


def test_wrong_lists_and_figures_do_not_prevent_a_restore(house, tmp_path):
    execute(house, "UPDATE game SET summary = 'no', viewer_digest = 'no'")
    backups.back_up(house, tmp_path / "a.backup", NINE)
    elsewhere = Installation.in_folder(tmp_path / "elsewhere")
    restore(elsewhere, tmp_path / "a.backup")
    assert totals(elsewhere) == {"Friday": [0, 33, 7]}
    assert len(list(doctor.repair(elsewhere))) == 1


def older(tmp_path: Path) -> Installation:
    """Make a database of the first version, with one empty notebook."""
    from alembic import command
    from sqlalchemy import create_engine

    from companion.store import migrations

    installation = Installation.in_folder(tmp_path)
    engine = create_engine(installation.url)
    with engine.begin() as connection:
        command.upgrade(migrations._config(connection), "0001")
        connection.exec_driver_sql("INSERT INTO notebook VALUES ('n', '2024-05-03 20:00:00.000')")
    engine.dispose()
    return installation


def test_a_backup_of_an_older_version_is_checked_and_brought_up_to_date(house, tmp_path):
    (tmp_path / "old").mkdir()
    old = older(tmp_path / "old")
    old_backup = tmp_path / "old.backup"
    made_backup = backups.back_up(old, old_backup, NINE)
    with reading(old_backup) as session:
        version = version_of(session.connection())
    assert (version, made_backup.counts.notebooks) == ("0001", 1)
    assert sorted(path.name for path in tmp_path.glob("*old*")) == ["old", "old.backup"]
    restore(house, old_backup)
    with opened(house) as database, database.read() as session:
        assert version_of(session.connection()) == HEAD
    assert totals(house) == {}


def test_a_backup_that_is_changed_while_it_is_read_is_refused(house, backup, monkeypatch):
    def copy(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes().replace(b"3C 4D", b"3C 5D"))

    monkeypatch.setattr(shutil, "copyfile", copy)
    with pytest.raises(DatabaseProblem, match="is damaged"):
        restore(house, backup)
    assert totals(house) == {"Friday": [0, 33, 7]}


@WHEREVER_IT_IS
def test_a_database_that_cannot_be_kept_is_not_replaced(house, backup, monkeypatch, stored_in):
    def full(*_: object) -> None:
        raise DatabaseProblem("full", "The disk is full.")

    with backups.prepared(house, backup) as ready:
        # On a server rows are copied, when the tables are empty already.
        monkeypatch.setattr(backups, "_copy_rows" if stored_in == "postgresql" else "seal", full)
        with pytest.raises(DatabaseProblem, match="full"):
            ready.put_in_place(NINE)
    play(house, TOUCHED, title="Saturday")
    assert totals(house) == {"Friday": [0, 33, 7], "Saturday": [0, 20, 0]}


def test_a_full_disk_is_reported_before_anything_is_replaced(house, backup, monkeypatch):
    class Full(sqlite3.Connection):
        def executemany(self, *_: object) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with (
        pytest.raises(DatabaseProblem, match="The disk is full"),
        backups.prepared(house, backup),
    ):
        pass


def test_an_old_backup_that_is_removed_meanwhile_is_not_the_latest(house, monkeypatch):
    kept = house.backups / backups.name_of(NINE)
    backups.back_up(house, kept, NINE)
    old = kept.with_name("daily-2024-04-19.backup")
    monkeypatch.setattr(Path, "glob", lambda folder, _: iter([old, kept]))
    assert backups.newest(house)[0] == kept
