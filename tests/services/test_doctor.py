"""The doctor finds what is wrong, says what to do, and repairs only derived data."""

import os
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from companion.notebook.seasons import Plan
from companion.services import backups, doctor, games, seasons
from companion.services.games import EARLIER
from companion.services.phones import handle_of
from companion.store import Database, DatabaseProblem, GameRecord, MarkerRecord
from companion.store.installation import Installation
from tests.services.installations import execute, friday, opened, wrong
from tests.services.test_people import Table


@pytest.fixture
def house(tmp_path: Path) -> Installation:
    """An installation without faults: one game, and a new backup."""
    house = friday(tmp_path / "house")
    now = datetime.now(UTC)
    backups.back_up(house, house.backups / backups.name_of(now), now)
    return house


def faults(house: Installation) -> list[str]:
    """Return what the doctor finds wrong with the games."""
    with backups.reading(house.url) as session:
        return [str(fault) for fault in games.faults(session) if fault]


def mend(house: Installation) -> None:
    with opened(house) as database, database.read() as session:
        for game in session.exec(select(GameRecord)):
            games.repair_game(game.id, database)


def test_all_is_well_and_nothing_is_changed(house):
    before = files(house)
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC))]
    assert wrong(house) == []
    (rows,) = [line for line in found if line.startswith("Version ")]
    assert rows.endswith(", notebooks: 1, games: 1, entries: 3, games with something wrong: 0.")
    assert any("MB are free in" in line for line in found)
    assert any(line.startswith("The latest backup is companion-") for line in found)
    assert files(house) == before
    with opened(house) as database, database.write() as session:  # it looks while a server writes
        session.connection().exec_driver_sql("DELETE FROM event")
        assert wrong(house) == []
        session.rollback()


def files(house: Installation) -> dict[Path, bytes]:
    found = (path for path in house.folder.rglob("*") if not path.name.endswith("-shm"))
    return {path: path.read_bytes() for path in found if path.is_file()}


UNREADABLE = "its score sheet cannot be computed"
LISTED = "the list of games shows something else."
LINK = "the lookup key of its viewers' link is wrong, so the link finds nothing."
# What is done to a game, what is said of it, and whether it can be repaired.
DAMAGE = [
    ("DELETE FROM event WHERE number = 2", "entry 2 is missing.", False),
    ("DELETE FROM event WHERE number = 3", "it has 2 entries, and should have 3.", False),
    ("UPDATE event SET payload = '{}' WHERE number = 2", UNREADABLE, False),
    ("UPDATE event SET payload = CAST(replace(payload, '3C', x'ff') AS TEXT)", UNREADABLE, False),
    ("UPDATE event SET kind = 'Nothing' WHERE number = 2", UNREADABLE, False),
    ("UPDATE event SET at = 'soon' WHERE number = 2", "time of entry 2 cannot be read.", False),
    ("UPDATE game SET last_number = 'no'", "it has 3 entries, and should have no.", False),
    ("DELETE FROM event; UPDATE game SET last_number = 0", "it has no entries.", False),
    ("UPDATE game SET viewer_key = x'00'", "the key of its viewers' link cannot be read.", False),
    ("UPDATE game SET archived = 1", LISTED, True),
    ("UPDATE game SET deleted_at = 'soon'", LISTED, True),
    ("UPDATE game SET title = CAST(x'ff' AS TEXT)", LISTED, True),
    ("UPDATE game SET summary = replace(summary, '33', '13')", LISTED, True),
    ("UPDATE game SET summary = 'no'", LISTED, True),
    ("UPDATE game SET summary = replace(hex(zeroblob(99999)), '00', '[')", LISTED, True),
    ("UPDATE game SET updated_at = 'soon'", "the time of its last entry cannot be read.", True),
    ("UPDATE game SET created_at = '2024-13-01'", "when it was made cannot be read.", True),
    ("UPDATE game SET viewer_digest = 'no'", LINK, True),
]


@pytest.mark.parametrize(("statement", "sentence", "derived"), DAMAGE)
def test_a_damaged_game_is_named_and_repaired_if_possible(statement, sentence, derived, tmp_path):
    one_game = friday(tmp_path / "house")
    before = rows(one_game)
    execute(one_game, statement)
    (found,) = faults(one_game)
    assert "(Friday): " in found or "title" in statement
    assert sentence in found
    assert found.endswith("Restore a backup from before that.") is not derived
    mend(one_game)
    assert faults(one_game) == [found] * (not derived)
    if derived:
        after = rows(one_game)
        times = {name: after[name] for name in ("created_at", "updated_at") if name in statement}
        assert after == before | times


def rows(house: Installation) -> dict[str, object]:
    with opened(house) as database, database.read() as session:
        return {**session.connection().exec_driver_sql("SELECT * FROM game").one()._mapping}


def test_a_fault_that_is_gone_meanwhile_is_left_alone(house):
    execute(house, "UPDATE game SET archived = 1")
    (found,) = [one for one in doctor.examine(house, datetime.now(UTC)) if one.repair]
    execute(house, "UPDATE game SET archived = 0")
    with opened(house) as database:
        found.repair(database)
    assert wrong(house) == []


def test_a_damaged_season_is_named_with_what_to_do(house):
    plan = Plan("Cup", "proter", date(2026, 1, 1), None, "all", (5, 3), "shared", 0)
    with opened(house) as database:
        writer = marker_of(database)
        ids = [seasons.save(database, writer, replace(plan, name=name), []) for name in "ABCD"]
    damages = ("points = '5 x'", "game = 'chess'", "first_day = 'infinity'")
    for one, damage in zip(ids, damages, strict=False):  # and the last one stays sound
        execute(house, f"UPDATE season SET {damage} WHERE id = '{one}'")
    assert {*wrong(house)} == {
        f"The scoring of the season “{name}” (/seasons/{one}) cannot be read. Delete it in"
        " the list of seasons, or restore a backup from before that."
        for name, one in zip("ABC", ids, strict=False)
    }
    assert list(doctor.repair(house)) == []


def marker_of(database: Database) -> MarkerRecord:
    with database.read() as session:
        return session.exec(select(MarkerRecord)).one()


PHONE = f"The phone “Phone” (/phones/{handle_of('m')}): the time when it "
LATEST = "Restore the latest backup."
SEATS = "the stored figures of its players differ from its entries."
INDEX = "The index ix_game_notebook_id_updated_at is missing, so lists load slowly."


@pytest.mark.parametrize(
    ("script", "begins", "ends"),
    [
        ("DROP INDEX ix_game_notebook_id_updated_at", INDEX, doctor.REPAIR),
        ("UPDATE seat SET place = 1, players = 3", "Game ", f"{SEATS} {doctor.REPAIR}"),
        ("UPDATE marker SET id = 'm', seen_at = 'soon'", PHONE, doctor.REPAIR),
        ("UPDATE marker SET id = 'm', created_at = 'soon'", PHONE, EARLIER),
        ("UPDATE marker SET id = 'm', revoked_at = 'soon'", PHONE, EARLIER),
        (
            "CREATE TRIGGER cheat AFTER INSERT ON event BEGIN UPDATE game SET archived = 1; END",
            *("The trigger cheat was added to the database", "or restore a backup from before."),
        ),
        ("DROP TABLE rate", "The tables differ", f"(add table rate). {LATEST}"),
        (
            "ALTER TABLE marker DROP COLUMN label; UPDATE game SET summary = 'no'",
            *("The tables differ", f"(add column marker label). {LATEST}"),
        ),
        ("DELETE FROM game", "Rows that refer to missing ones: 6.", LATEST),  # entries, seats
        (
            "DELETE FROM event; UPDATE game SET title = ''",
            *("Game ", f"(ana ben chandi friday): it has 0 entries, and should have 3. {EARLIER}"),
        ),
        (
            "UPDATE companion_version SET version_num = '9999'; UPDATE game SET summary = 'no'",
            "The database is at version 9999 and this program at ",
            "Install the later version of this program that wrote it.",
        ),
        (
            "UPDATE companion_version SET version_num = '0001'",
            "The database is at version 0001 and this program at ",
            "Start the server, which brings an older database up to date.",
        ),
        (
            "DROP TABLE companion_version",
            "The database has no tables yet. If games were kept here before, restore the latest",
            "Otherwise start it: it makes them.",
        ),
    ],
)
def test_every_fault_is_named_and_repaired_if_possible(script, begins, ends, house):
    execute(house, script)
    (found,) = wrong(house)
    assert found.startswith(begins)
    assert found.endswith(ends)
    can_be = ends.endswith(doctor.REPAIR)
    assert list(doctor.repair(house)) == [found.removesuffix(f" {doctor.REPAIR}")] * can_be
    assert wrong(house) == [found] * (not can_be)


def test_a_changed_table_of_the_version_is_damage(house):
    execute(house, "ALTER TABLE companion_version RENAME COLUMN version_num TO n")
    damaged = "The database is damaged. Stop the server and restore the latest backup."
    assert wrong(house) == [f"The database cannot be read: {damaged}"]
    with pytest.raises(DatabaseProblem, match=damaged):
        [*doctor.repair(house)]


def test_a_game_wrongly_listed_as_deleted_counts_again_for_its_people_while_a_server_runs(house):
    with opened(house) as database:
        table = Table(database, marker_of(database))
        game = table.over("Dil", "Esha")
        assert len(table.page("Dil").played) == 1
        execute(house, f"UPDATE game SET deleted_at = '2024-05-03' WHERE id = '{game}'")
        table.over("Dil", "Fay")
        assert len(table.page("Dil").played) == 1
        assert len(list(doctor.repair(house))) == 1
        assert len(table.page("Dil").played) == 2


def test_a_damaged_file_is_reported(house):
    unlist = "DELETE FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    execute(house, f"PRAGMA writable_schema=ON; {unlist}")  # pages that belong to nothing
    assert any("is damaged" in line and "never used" in line for line in wrong(house))
    content = bytearray(house.file.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    house.file.write_bytes(content)
    assert any("damaged" in line for line in wrong(house))
    with pytest.raises(DatabaseProblem, match="damaged"):
        backups.back_up_unchecked(house, "repair", datetime.now(UTC))
    house.file.write_bytes(b"no database " * 500)
    assert any("The file is not a database." in line for line in wrong(house))
    house.file.unlink()
    house.file.mkdir(mode=0o700)
    (found,) = wrong(house)
    assert found == f"{house.file} is not a file. Move it away, and restore the latest backup."


def test_an_empty_folder_lacks_database_keys_and_backup(tmp_path):
    found = wrong(Installation.in_folder(tmp_path))
    assert [line.partition(" is missing")[0] for line in found[1:3]] == [
        str(tmp_path / "secret.key"),
        str(tmp_path / "house.key"),
    ]
    assert found[0].startswith("There is no database at ")
    assert found[3].startswith("There is no backup yet.")
    variables = ("COMPANION_INSTANCE", "COMPANION_SECRET_KEY", "COMPANION_HOUSE_KEY")
    told = wrong(Installation.from_environment(dict.fromkeys(variables, str(tmp_path))))
    assert len(told) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_files_that_others_can_read_are_named_and_made_private(house):
    (backup,) = house.backups.iterdir()
    log = house.file.with_name("companion.sqlite3-wal")
    files = [*house.key_files, house.file, backup]
    with opened(house) as database:  # as long as a server has it open, there is a log
        with database.write() as session:
            session.connection().exec_driver_sql("UPDATE marker SET nickname = 'Ana'")
        paths = (log, house.folder, house.backups, *files)
        for path in paths:
            path.chmod(path.stat().st_mode | 0o044)
        said = {f"{path} can be read by others." for path in paths}
        assert {f"{one} {doctor.REPAIR}" for one in said} <= {*wrong(house)}
        assert said <= {*doctor.repair(house)}
        assert wrong(house) == []
        house.folder.chmod(0o1777)  # one that all users share, like /tmp
        assert wrong(house) == []


@pytest.mark.parametrize("content", [b"\n", b"k" * 31, b"\xff" * 43, None])
def test_a_key_file_without_a_key_is_named(content, house):
    key = house.key_files[0]
    if content is None:
        key.unlink()
        key.mkdir(mode=0o700)
    else:
        key.write_bytes(content)
    (found,) = wrong(house)
    assert found.startswith(f"{key} cannot be used (")
    assert "the server does not start" in found
    assert backups.back_up_unchecked(house, "repair", datetime.now(UTC)).is_file()


def test_a_latest_backup_without_a_key_is_named(house):
    key, good = house.key_files[0], house.key_files[0].read_bytes()
    key.write_text("\n")
    (backup,) = house.backups.iterdir()
    backup.unlink()
    backups.back_up(house, backup, datetime.now(UTC))
    key.write_bytes(good)
    (found,) = wrong(house)
    assert found.startswith(f"The latest backup is {backup.name}, ")
    assert "It has no key for secret.key: put the saved one back, and run" in found
    assert wrong(replace(house, keys_elsewhere=frozenset({"secret.key"}))) == []


REFUSED = PermissionError(13, "Permission denied", "instance")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (REFUSED, "instance cannot be read (Permission denied). Run this as the user that"),
        (ValueError("odd"), f"The database is damaged (odd). {LATEST}"),
    ],
)
def test_an_error_that_stops_the_doctor_is_named(error, says, house, monkeypatch):
    def stop(_: object) -> None:
        raise error

    monkeypatch.setattr(backups, "newest", stop)
    (found,) = wrong(house)
    assert found.startswith(says)


@pytest.mark.parametrize("what", ["empty", "gap", "folder"])
def test_a_latest_backup_that_cannot_be_restored_is_named(what, house):
    (backup,) = house.backups.iterdir()
    if what == "empty":
        backup.write_bytes(b"")
    elif what == "gap":
        execute(house, "DELETE FROM event WHERE number = 2")
        backups.back_up_unchecked(house, "repair", datetime.now(UTC)).replace(backup)
    else:
        backup.unlink()
        backup.mkdir(mode=0o700)
    found = wrong(house)[-1]
    assert found.startswith("The latest backup cannot be restored: ")
    assert found.endswith(f"Move {backup} away, and run `python3 -m companion backup`.")


def test_an_old_backup_and_a_disk_with_little_room_are_named(house, monkeypatch):
    (backup,) = house.backups.iterdir()
    old = (datetime.now(UTC) - timedelta(days=3)).timestamp()
    os.utime(backup, (old, old))
    assert "It is old: run" in wrong(house)[0]
    later = backup.with_name(f"daily-2999-01-01{backups.SUFFIX}")  # the clock was ahead
    shutil.copy(backup, later)
    os.utime(later, (old + 10**9, old + 10**9))
    assert "It is old: run" in wrong(house)[0]
    monkeypatch.setattr(doctor, "LEAST_ROOM", 10**18)
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC)) if one.is_wrong]
    assert found[0].endswith("Free some space: a full disk saves nothing.")


@pytest.mark.slow
def test_a_folder_that_may_only_be_read_is_named(house, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (house.folder, os.W_OK))
    (sentence,) = wrong(house)
    assert sentence.startswith(f"{house.folder} cannot be written to, so nothing is saved.")


def test_an_interrupted_restore_is_named(house, monkeypatch):
    (backup,) = house.backups.iterdir()
    house.key_files[0].write_text("n" * 43 + "\n")
    with monkeypatch.context() as patched, backups.prepared(house, backup) as ready:
        patched.setattr(backups, "finish_restore", lambda _: None)
        ready.put_in_place(datetime.now(UTC))
    assert wrong(house)[0].startswith("A restore was interrupted.")
    backups.finish_restore(house)
    assert house.key_files[0].read_text() == "k" * 43 + "\n"
    assert wrong(house) == []
