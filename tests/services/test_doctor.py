"""The doctor finds what is wrong, says what to do, and leaves everything as it is."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.services import backups, doctor
from companion.store.installation import Installation
from companion.store.replacing import draft_of, replace
from tests.services.an_installation import MARKED, TOUCHED, made, opened, play


@pytest.fixture
def house(tmp_path: Path) -> Installation:
    """A house that is in order: one game, and a backup of just now."""
    house = made(tmp_path / "house")
    play(house, TOUCHED, MARKED, title="Friday")
    now = datetime.now(UTC)
    backups.back_up(house, house.backups / backups.name_of(now), now)
    return house


def wrong(house: Installation, **also: object) -> list[str]:
    """What is wrong, as far as it does not depend on this machine's disk."""
    found = doctor.examine(house, datetime.now(UTC), **also)  # type: ignore[arg-type]
    return [one.sentence for one in found if one.is_wrong and "are free in" not in one.sentence]


def execute(house: Installation, *statements: str) -> None:
    assert house.file is not None
    with closing(sqlite3.connect(house.file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_all_is_well_and_nothing_is_changed(house: Installation) -> None:
    before = {path: path.read_bytes() for path in house.folder.rglob("*") if path.is_file()}
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC))]
    assert wrong(house) == []
    (rows,) = [line for line in found if "every sheet replays" in line]
    assert rows.startswith("1 notebooks, 1 games, 3 entries, version ")
    assert any("MB are free in" in line for line in found)
    assert any(line.startswith("The latest backup is companion-") for line in found)
    after = {path: path.read_bytes() for path in house.folder.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if not path.name.endswith("-shm")} == {
        path: data for path, data in before.items() if not path.name.endswith("-shm")
    }


def test_it_looks_while_a_server_writes(house: Installation) -> None:
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("DELETE FROM event")
        assert wrong(house) == []
        session.rollback()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DELETE FROM event WHERE number = 2", "entry 2 is missing."),
        ("DELETE FROM event WHERE number = 3", "it has 2 entries, and should have 3."),
        ("DELETE FROM event", "it has 0 entries, and should have 3."),
        ("UPDATE event SET payload = '{}' WHERE number = 2", "its sheet cannot be replayed"),
        ("UPDATE event SET payload = 'no' WHERE number = 2", "its sheet cannot be replayed"),
        ("UPDATE game SET archived = 1", "the list of games shows it otherwise."),
        ("UPDATE game SET names = ''", "the list of games shows it otherwise."),
        (
            "UPDATE game SET summary = replace(summary, '33', '13')",
            "the list of games shows it otherwise.",
        ),
    ],
)
def test_a_game_that_does_not_hold_together_is_named(
    statement: str, sentence: str, house: Installation
) -> None:
    execute(house, statement)
    (found,) = wrong(house)
    assert "(Friday): " in found
    assert sentence in found
    assert found.endswith("Restore a backup from before that.")


def test_a_game_without_entries_is_named_by_its_players(house: Installation) -> None:
    execute(house, "DELETE FROM event", "UPDATE game SET last_number = 0, title = ''")
    assert "(ana ben chandi friday): it has no entries." in wrong(house)[0]


def test_of_very_many_games_only_some_are_named(house: Installation) -> None:
    execute(
        house,
        "DELETE FROM event",
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 29)"
        " INSERT INTO game SELECT 'x' || n, notebook_id, viewer_key, 'd' || n, created_at,"
        " updated_at, last_number, title, names, summary, archived, deleted_at FROM game, n",
    )
    found = wrong(house)
    assert len(found) == 21
    assert found[-1] == "So it is with 10 more games."


def test_rows_that_belong_to_nothing_are_counted(house: Installation) -> None:
    execute(house, "DELETE FROM game")
    assert wrong(house) == ["3 rows belong to nothing. Restore the latest backup."]


def test_a_damaged_file_is_said_to_be_damaged(house: Installation) -> None:
    assert house.file is not None
    content = bytearray(house.file.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    house.file.write_bytes(content)
    assert any("damaged" in line for line in wrong(house))
    house.file.write_bytes(b"no database " * 500)
    assert any("The file is not a database." in line for line in wrong(house))


def test_other_versions_are_not_looked_into(house: Installation) -> None:
    execute(house, "UPDATE companion_version SET version_num = '9999'")
    assert "The database is at version 9999" in wrong(house)[0]
    execute(house, "DROP TABLE companion_version")
    assert wrong(house) == ["The database has no tables yet. Start the server: it makes them."]


def test_a_house_with_nothing_in_it(tmp_path: Path) -> None:
    found = wrong(Installation.in_folder(tmp_path))
    assert [line.partition(" is missing")[0] for line in found[1:3]] == [
        str(tmp_path / "secret.key"),
        str(tmp_path / "house.key"),
    ]
    assert found[0].startswith("There is no database at ")
    assert found[3].startswith("There is no backup yet.")
    told = wrong(Installation.in_folder(tmp_path), told_elsewhere=["secret.key", "house.key"])
    assert len(told) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_keys_that_others_can_read_are_named(house: Installation) -> None:
    house.key_files[0].chmod(0o644)
    assert wrong(house) == [
        f"{house.key_files[0]} can be read by others. Say: chmod 600 {house.key_files[0]}"
    ]


def test_an_old_backup_is_too_old(house: Installation) -> None:
    (backup,) = house.backups.iterdir()
    old = (datetime.now(UTC) - timedelta(days=3)).timestamp()
    os.utime(backup, (old, old))
    assert "It is old: run" in wrong(house)[0]


def test_a_disk_with_little_room(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_ROOM", 10**18)
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC)) if one.is_wrong]
    assert found[0].endswith("Free some space: a full disk saves nothing.")


def test_a_restore_that_was_interrupted(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = house.key_files[0]
    draft_of(key).write_text("k" * 43 + "\n")
    monkeypatch.setattr("companion.store.replacing.go_on", lambda _: None)
    replace(house, {key.name: key})
    assert wrong(house)[0].startswith("A restore was interrupted.")


def test_a_servers_database_is_looked_at_too(house: Installation) -> None:
    execute(house, "DELETE FROM event WHERE number = 2")
    (found,) = wrong(Served(house.folder, house.url))
    assert "entry 2 is missing." in found


class Served(Installation):
    """An installation whose database is treated as a server's."""

    @property
    def file(self) -> None:
        return None
