"""The files of an installation: keys, permissions, and replacing the database."""

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
    new_file,
    only_one,
    replace_key,
)
from companion.store.sqlite import alone, tables_in

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="needs permissions and locks as POSIX has them"
)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_made_once_and_kept_private(tmp_path):
    file = tmp_path / "one" / "two" / "house.key"
    (key,) = kept_keys(file)
    assert file.read_text().strip() == key
    assert [one.name for one in file.parent.iterdir()] == ["house.key"]
    file.chmod(0o644)  # everybody may read it
    assert kept_keys(file) == [key]
    assert rights(file) == 0o600
    file.chmod(0o444)
    keep_private(file)
    assert rights(file) == 0o400
    keep_private(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_file_without_a_key_is_not_replaced(tmp_path):
    file = tmp_path / "house.key"
    for content in (b"", b"\n", b"short\n", b"\xff" * 60):
        file.write_bytes(content)
        with pytest.raises(OSError, match="holds no key") as caught:
            kept_keys(file)
        assert caught.value.filename == str(file)
        assert file.read_bytes() == content


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("quicker", [True, False])
def test_two_simultaneous_starts_use_the_same_key(tmp_path, monkeypatch, quicker, links):
    file = tmp_path / "house.key"
    link = os.link

    def slower(source: Path, target: Path) -> None:
        if quicker:  # than this one
            file.write_text("k" * 22 + "\n")
        if not links:  # on this disk
            raise OSError(errno.EPERM, "Operation not permitted")
        link(source, target)

    monkeypatch.setattr(os, "link", slower)
    (key,) = kept_keys(file)
    assert (key == "k" * 22) is quicker
    assert kept_keys(file) == [key]
    assert [one.name for one in tmp_path.iterdir()] == ["house.key"]


# -- new keys -------------------------------------------------------------------------------------


def test_a_new_key_is_put_first_or_the_file_stays_unchanged(tmp_path, monkeypatch):
    file = tmp_path / "secret.key"
    (first,) = kept_keys(file)
    second = replace_key(file, 12)
    assert kept_keys(file) == [second, first]
    assert second != first
    assert len(second) == 43
    assert rights(file) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]
    newest = [replace_key(file, 2) for _ in range(2)]
    assert kept_keys(file) == [*newest[::-1], second]  # and only so many former ones

    before = kept_keys(file)

    def full(self: Path, target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="full"):
        replace_key(file, 12)
    assert kept_keys(file) == before
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]


# -- who may read them ----------------------------------------------------------------------------


def files_of(database: Path) -> list[Path]:
    return [database.with_name(database.name + kind) for kind in ("", "-wal", "-shm")]


@pytest.mark.database("sqlite")
def test_only_the_owner_can_use_a_database_and_the_files_beside_it(bare):
    files = files_of(Path(bare.removeprefix("sqlite:///")))
    with closing(Database(bare)) as older:
        older.migrate()
        with older.write():
            pass
        assert [rights(file) for file in files] == [0o600] * 3
        for file in files:
            file.chmod(0o664)
        with closing(Database(bare)) as database:
            database.migrate()
            with database.write():
                pass
            assert [rights(file) for file in files] == [0o600] * 3


def test_only_the_owner_can_use_the_folders_of_an_installation(tmp_path):
    installation = Installation.in_folder(tmp_path / "instance")
    installation.keep_private()
    assert not installation.folder.exists()
    installation.backups.mkdir(parents=True)
    for folder in (installation.folder, installation.backups):
        folder.chmod(0o755)
    installation.keep_private()
    assert [rights(one) for one in (installation.folder, installation.backups)] == [0o700] * 2
    installation.folder.chmod(0o1777)  # all users share it
    installation.keep_private()
    assert rights(installation.folder) == 0o1777


def test_the_server_can_use_a_folder_and_files_that_root_made(tmp_path, monkeypatch):
    given = []

    def give(target: Path | int, *owner: int) -> None:
        given.append((target if isinstance(target, Path) else os.fstat(target).st_ino, *owner))

    monkeypatch.setattr(os, "chown", give)
    instance, backups = tmp_path.stat(), tmp_path / "backups"
    files = [backups / name for name in ("a.backup", "b.backup")]
    for file in files:
        with new_file(file):
            pass
    owned = [backups, *(file.stat().st_ino for file in files)]
    assert given == [(each, instance.st_uid, instance.st_gid) for each in owned]


def test_a_link_to_itself_is_no_database(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert tables_in(tmp_path / "loop") == set()


# -- locking a database file while it is replaced -------------------------------------------------

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
def test_a_database_that_another_process_has_open_is_in_use(damaged, file):
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
            with (
                closing(sqlite3.connect(file, timeout=0)) as other,
                pytest.raises(sqlite3.OperationalError, match="locked"),
            ):
                other.execute("SELECT * FROM event")


def test_one_process_has_the_lock_until_its_block_ends(tmp_path):
    for _ in range(2):
        with only_one(tmp_path / "lock") as first, only_one(tmp_path / "lock") as second:
            assert (first, second) == (True, False)


def test_a_databases_file_follows_from_its_address():
    for url, file in (
        ("sqlite:///a/b.sqlite3", Path("a/b.sqlite3")),
        ("sqlite://", None),
        ("postgresql://ana:secret@host/companion", None),
        ("nonsense", None),
    ):
        assert Installation.in_folder(Path("instance"), url).file == file
        environment = {"COMPANION_INSTANCE": "there", "COMPANION_DATABASE_URL": url}
        installation = Installation.from_environment(environment)
        assert (installation.folder, installation.file) == (Path("there"), file)


def test_a_blank_variable_counts_as_not_set():
    names = ("INSTANCE", "DATABASE_URL", "SECRET_KEY", "HOUSE_KEY")
    blank = {f"COMPANION_{name}": " " for name in names}
    assert Installation.from_environment(blank) == Installation.from_environment({})
    around = Installation.from_environment({"COMPANION_DATABASE_URL": " sqlite:///a/b.sqlite3\n"})
    assert around.file == Path("a/b.sqlite3")


def test_what_is_no_file_or_folder_is_not_closed_to_others(tmp_path):
    pipe = tmp_path / "pipe"  # like /dev/null, to which a key file may be linked
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    keep_private(pipe)
    assert rights(pipe) == 0o666


def test_a_folder_may_have_any_name(tmp_path):
    for name in ("two words", "50%25", "what?no=1", "a#b", "Zoë"):
        file = Installation.in_folder(tmp_path / name).file
        assert file == tmp_path / name / "companion.sqlite3"
