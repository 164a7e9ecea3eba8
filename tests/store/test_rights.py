"""Only its owner may read the database, what lies beside it, and the folders of an installation."""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import Database
from companion.store.installation import Installation, keep_private

pytestmark = [
    pytest.mark.database("sqlite"),
    pytest.mark.skipif(os.name != "posix", reason="needs permissions"),
]


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def files_of(database: Path) -> list[Path]:
    return [database.with_name(database.name + kind) for kind in ("", "-wal", "-shm")]


def test_a_new_database_and_what_lies_beside_it_are_its_owners_alone(bare):
    with closing(Database(bare)) as database:
        database.migrate()
        with database.write() as session:
            session.connection().exec_driver_sql("DELETE FROM game")
            found = files_of(Path(bare.removeprefix("sqlite:///")))
            assert [rights(file) for file in found] == [0o600] * 3


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
