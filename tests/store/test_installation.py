"""The files of an installation: its keys, who may read them, and a database that is replaced."""

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import Database, DatabaseProblem
from companion.store.installation import (
    Installation,
    keep_private,
    kept_keys,
    only_one,
    replace_key,
)
from companion.store.sqlite import alone

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="needs permissions and locks as POSIX has them"
)


def test_a_file_that_everybody_may_read_is_taken_back(tmp_path):
    file = tmp_path / "house.key"
    key = kept_keys(file)[0]
    file.chmod(0o644)
    assert kept_keys(file)[0] == key
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_is_made_in_a_folder_that_is_not_there_yet(tmp_path):
    file = tmp_path / "one" / "two" / "house.key"
    assert kept_keys(file)[0] == file.read_text().strip()
    assert [one.name for one in file.parent.iterdir()] == ["house.key"]


@pytest.mark.parametrize("content", [b"", b"\n", b"short\n", b"\xff" * 60])
def test_what_is_no_key_is_not_replaced(tmp_path, content):
    file = tmp_path / "house.key"
    file.write_bytes(content)
    with pytest.raises(OSError, match="holds no key") as caught:
        kept_keys(file)[0]
    assert caught.value.filename == str(file)
    assert file.read_bytes() == content


def test_of_two_that_start_at_once_both_take_the_first_key(tmp_path, monkeypatch):
    file = tmp_path / "house.key"
    link = os.link

    def slower(source: Path, target: Path) -> None:
        file.write_text("k" * 22 + "\n")  # the other one was quicker
        link(source, target)

    monkeypatch.setattr(os, "link", slower)
    assert kept_keys(file)[0] == "k" * 22
    assert [one.name for one in tmp_path.iterdir()] == ["house.key"]


@pytest.mark.parametrize("other", [False, True])
def test_where_a_file_has_one_name_only_it_is_moved_there(tmp_path, monkeypatch, other):
    file = tmp_path / "house.key"

    def refused(source: Path, target: Path) -> None:
        if other:
            file.write_text("k" * 22)
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    key = kept_keys(file)[0]
    assert (key == "k" * 22) is other
    assert kept_keys(file)[0] == key
    assert [one.name for one in tmp_path.iterdir()] == ["house.key"]


# -- a new one ------------------------------------------------------------------------------------


def test_a_new_key_comes_before_the_former_one(tmp_path):
    file = tmp_path / "secret.key"
    (first,) = kept_keys(file)
    second = replace_key(file, 12)
    assert kept_keys(file) == [second, first]
    assert second != first
    assert len(second) == 43
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]


def test_only_so_many_former_ones_are_kept(tmp_path):
    file = tmp_path / "secret.key"
    (first,) = kept_keys(file)
    for _ in range(12):
        replace_key(file, 12)
    assert len(kept_keys(file)) == 13
    assert kept_keys(file)[-1] == first
    replace_key(file, 12)
    assert len(kept_keys(file)) == 13
    assert first not in kept_keys(file)


def test_a_file_that_could_not_be_replaced_is_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "secret.key"
    before = kept_keys(file)

    def full(self: Path, target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="full"):
        replace_key(file, 12)
    assert kept_keys(file) == before
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]


# -- who may read them ----------------------------------------------------------------------------


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def files_of(database: Path) -> list[Path]:
    return [database.with_name(database.name + kind) for kind in ("", "-wal", "-shm")]


@pytest.mark.database("sqlite")
def test_a_new_database_and_what_lies_beside_it_are_its_owners_alone(bare):
    with closing(Database(bare)) as database:
        database.migrate()
        with database.write() as session:
            session.connection().exec_driver_sql("DELETE FROM game")
            found = files_of(Path(bare.removeprefix("sqlite:///")))
            assert [rights(file) for file in found] == [0o600] * 3


@pytest.mark.database("sqlite")
def test_those_of_an_older_version_are_put_right_when_they_are_opened(database_url):
    files = files_of(Path(database_url.removeprefix("sqlite:///")))
    with closing(Database(database_url)) as older:
        with older.write():
            pass
        for file in files:
            file.chmod(0o664)
        with closing(Database(database_url)) as database:
            database.migrate()
            with database.write():
                pass
            assert [rights(file) for file in files] == [0o600] * 3


def test_a_file_that_its_owner_may_only_read_stays_so(tmp_path):
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o444)
    keep_private(file)
    assert rights(file) == 0o400


def test_what_is_not_there_is_left(tmp_path):
    keep_private(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_the_folders_of_an_installation_are_its_owners_alone(tmp_path):
    installation = Installation.in_folder(tmp_path / "instance")
    installation.keep_private()
    assert not installation.folder.exists()
    installation.backups.mkdir(parents=True)
    for folder in (installation.folder, installation.backups):
        folder.chmod(0o755)
    installation.keep_private()
    assert [rights(one) for one in (installation.folder, installation.backups)] == [0o700] * 2


# -- nobody else has a database open while it is replaced, whatever is in its file ----------------

OPENS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode=WAL")
connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.sqlite3"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE event (number INTEGER)")
    return file


@pytest.mark.parametrize("damaged", [False, True])
def test_what_another_process_has_open_is_in_use(damaged, file):
    with subprocess.Popen(
        [sys.executable, "-c", OPENS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        if damaged:
            file.write_bytes(b"no database " * 1000)
        with pytest.raises(DatabaseProblem, match="Stop the server") as refused, alone(file):
            pass
        assert refused.value.reason == "in_use"
        other.communicate()
    with alone(file) as connection, closing(sqlite3.connect(":memory:")) as copy:
        if damaged:
            with pytest.raises(sqlite3.DatabaseError, match="not a database"):
                connection.backup(copy)
        else:
            connection.backup(copy)


def test_meanwhile_nobody_else_reads_it(file):
    with alone(file) as connection, closing(sqlite3.connect(":memory:")) as copy:
        connection.backup(copy)
        with (
            closing(sqlite3.connect(file, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("SELECT * FROM event")
        assert copy.execute("SELECT * FROM event").fetchall() == []


def test_the_only_one_is_the_only_one_until_it_leaves(tmp_path):
    for _ in range(2):
        with only_one(tmp_path / "lock") as first, only_one(tmp_path / "lock") as second:
            assert (first, second) == (True, False)


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:///a/b.sqlite3", Path("a/b.sqlite3")),
        ("sqlite://", None),
        ("postgresql://ana:secret@host/companion", None),
        ("nonsense", None),
    ],
)
def test_a_file_is_known_by_its_address(url, file):
    assert Installation.in_folder(Path("instance"), url).file == file
    told = Installation.told_by({"COMPANION_INSTANCE": "there", "COMPANION_DATABASE_URL": url})
    assert (told.folder, told.file) == (Path("there"), file)
