"""Nobody else has a database open while it is replaced, whatever is in its file."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import DatabaseProblem
from companion.store.installation import Installation, only_one
from companion.store.sqlite import alone, copy_pages

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


@pytest.mark.skipif(os.name != "posix", reason="needs locks as POSIX has them")
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
    with alone(file) as connection:
        assert connection is not None
        if damaged:
            with pytest.raises(DatabaseProblem, match="not a database"):
                copy_pages(connection, file.with_name("copy"))
        else:
            copy_pages(connection, file.with_name("copy"))


def test_meanwhile_nobody_else_reads_it(file, tmp_path):
    with alone(file) as connection:
        assert connection is not None
        copy_pages(connection, tmp_path / "copy")
        with (
            closing(sqlite3.connect(file, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("SELECT * FROM event")
    with closing(sqlite3.connect(tmp_path / "copy")) as copy:
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
