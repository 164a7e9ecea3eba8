"""The doctor finds what is wrong, says what to do, and mends nothing but what can be derived."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from companion.notebook.seasons import Plan
from companion.services import backups, doctor, games, seasons
from companion.services.phones import handle_of
from companion.store import DatabaseProblem, list_games
from companion.store.installation import Installation
from tests.services.installations import friday, opened, totals, wrong
from tests.services.test_people import Table


@pytest.fixture
def house(tmp_path: Path) -> Installation:
    """A house that is in order: one game, and a backup of just now."""
    house = friday(tmp_path / "house")
    now = datetime.now(UTC)
    backups.back_up(house, house.backups / backups.name_of(now), now)
    return house


@pytest.fixture
def one_game(tmp_path: Path) -> Installation:
    """A house with one game, and no backup."""
    return friday(tmp_path / "house")


def faults(house: Installation) -> list[str]:
    """What is wrong with its games, as the doctor finds it."""
    with backups.reading(house.url) as session:
        return [str(fault) for fault in games.faults(session) if fault]


def mend(house: Installation) -> None:
    with opened(house) as database, database.read() as session:
        for game in games.every_game(session):
            games.repair_game(game.id, database)


def execute(house: Installation, *statements: str) -> None:
    assert house.file is not None
    with closing(sqlite3.connect(house.file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_all_is_well_and_nothing_is_changed(house):
    before = {path: path.read_bytes() for path in house.folder.rglob("*") if path.is_file()}
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC))]
    assert wrong(house) == []
    (rows,) = [line for line in found if line.startswith("Version ")]
    assert rows.endswith(", notebooks: 1, games: 1, entries: 3, games with something wrong: 0.")
    assert any("MB are free in" in line for line in found)
    assert any(line.startswith("The latest backup is companion-") for line in found)
    after = {path: path.read_bytes() for path in house.folder.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if not path.name.endswith("-shm")} == {
        path: data for path, data in before.items() if not path.name.endswith("-shm")
    }


def test_it_looks_while_a_server_writes(house):
    with opened(house) as database, database.write() as session:
        session.connection().exec_driver_sql("DELETE FROM event")
        assert wrong(house) == []
        session.rollback()


UNREADABLE = "its score sheet cannot be computed"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DELETE FROM event WHERE number = 2", "entry 2 is missing."),
        ("DELETE FROM event WHERE number = 3", "it has 2 entries, and should have 3."),
        ("DELETE FROM event", "it has 0 entries, and should have 3."),
        ("UPDATE event SET payload = '{}' WHERE number = 2", UNREADABLE),
        (
            "UPDATE event SET payload = CAST(replace(payload, '3C', x'ff') AS TEXT)",
            UNREADABLE,
        ),
        ("UPDATE event SET kind = 'Nothing' WHERE number = 2", UNREADABLE),
        ("UPDATE event SET at = 'soon' WHERE number = 2", "the time of entry 2 cannot be read."),
        ("UPDATE game SET last_number = 'no'", "it has 3 entries, and should have no."),
        ("UPDATE game SET viewer_key = x'00'", "the key of its viewers' link cannot be read."),
    ],
)
def test_a_game_that_does_not_hold_together_is_named(statement, sentence, one_game):
    execute(one_game, statement)
    (found,) = faults(one_game)
    assert "(Friday): " in found
    assert sentence in found
    assert found.endswith("Restore a backup from before that.")
    mend(one_game)
    assert faults(one_game) == [found]


LISTED = "the list of games shows something else."


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE game SET archived = 1", LISTED),
        ("UPDATE game SET deleted_at = 'soon'", LISTED),
        ("UPDATE game SET title = x'ff'", LISTED),
        ("UPDATE game SET title = CAST(x'ff' AS TEXT)", LISTED),
        ("UPDATE game SET summary = replace(summary, '33', '13')", LISTED),
        ("UPDATE game SET summary = 'no'", LISTED),
        ("UPDATE game SET summary = x'ff'", LISTED),
        ("UPDATE game SET summary = replace(hex(zeroblob(99999)), '00', '[')", LISTED),
        ("UPDATE game SET updated_at = 'soon'", "the time of its last entry cannot be read."),
        ("UPDATE game SET created_at = '2024-13-01'", "the time when it was made cannot be read."),
        (
            "UPDATE game SET viewer_digest = 'no'",
            "the lookup key of its viewers' link is wrong, so the link finds nothing.",
        ),
    ],
)
def test_what_follows_from_the_entries_is_mended(statement, sentence, one_game):
    before = rows(one_game)
    execute(one_game, statement)
    (found,) = faults(one_game)
    assert sentence in found
    mend(one_game)
    assert faults(one_game) == []
    after = rows(one_game)
    times = {name: after[name] for name in ("created_at", "updated_at") if name in statement}
    assert after == before | times


def rows(house: Installation) -> dict[str, object]:
    with opened(house) as database, database.read() as session:
        return {**session.connection().exec_driver_sql("SELECT * FROM game").one()._mapping}


def test_what_was_put_right_meanwhile_is_left_alone(house):
    execute(house, "UPDATE game SET archived = 1")
    (found,) = [one for one in doctor.examine(house, datetime.now(UTC)) if one.repair]
    execute(house, "UPDATE game SET archived = 0")
    with opened(house) as database:
        found.repair(database)
    assert wrong(house) == []


@pytest.mark.parametrize("column", ["created_at", "revoked_at", "seen_at"])
def test_a_phone_with_a_damaged_time_is_named(column, house):
    with opened(house) as database, database.read() as session:
        (marker,) = session.connection().exec_driver_sql("SELECT id FROM marker").scalars()
    execute(house, f"UPDATE marker SET {column} = 'soon'")
    (found,) = wrong(house)
    assert found.startswith(f"The phone “Phone” (/phones/{handle_of(marker)}): the time when it ")
    if column != "seen_at":
        assert found.endswith("cannot be read. Restore a backup from before that.")
        assert list(doctor.repair(house)) == []
        return
    assert [f"{mended} {doctor.REPAIR}" for mended in doctor.repair(house)] == [found]
    assert wrong(house) == []


def test_a_damaged_season_is_named_and_what_to_do_about_it(house):
    plan = Plan("Cup", "proter", date(2026, 1, 1), None, "all", (5, 3), "shared", 0)
    with opened(house) as database:
        writer = games.find_marker(database, *_markers(house))
        named = (replace(plan, name=f"Cup {number}") for number in range(4))
        ids = [seasons.save(database, writer, one, []) for one in named]
    assert wrong(house) == []
    damages = ("points = '5 x'", "game = 'chess'", "first_day = 'infinity'")
    for one, damage in zip(ids, damages, strict=False):  # and the last one stays sound
        execute(house, f"UPDATE season SET {damage} WHERE id = '{one}'")
    assert {*wrong(house)} == {
        f"The season “Cup {number}” (/seasons/{one}): how it is scored cannot be read. Delete it in"
        " the list of seasons, or restore a backup from before that."
        for number, one in enumerate(ids[:3])
    }
    assert list(doctor.repair(house)) == []
    with opened(house) as database:
        for one in ids:
            seasons.delete(database, writer, one)
    assert wrong(house) == []


def test_a_missing_index_is_found_and_made_again(house):
    execute(house, "DROP INDEX ix_game_notebook_id_updated_at")
    assert wrong(house) == [
        f"The index ix_game_notebook_id_updated_at is missing: lists take long. {doctor.REPAIR}"
    ]
    assert list(doctor.repair(house)) == [
        "The index ix_game_notebook_id_updated_at is missing: lists take long."
    ]
    assert wrong(house) == []


def test_an_added_trigger_is_named_and_left_to_people(house):
    execute(
        house, "CREATE TRIGGER cheat AFTER INSERT ON event BEGIN UPDATE game SET archived = 1; END"
    )
    (found,) = wrong(house)
    assert found.startswith("The trigger cheat was added to the database")
    assert list(doctor.repair(house)) == []
    assert wrong(house) == [found]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DROP TABLE rate", "(add table rate)"),
        ("ALTER TABLE marker DROP COLUMN label", "(add column marker label)"),
    ],
)
def test_tables_that_are_otherwise_are_named_and_nothing_is_mended(statement, sentence, house):
    execute(house, statement)
    (found,) = wrong(house)
    assert sentence in found
    assert found.endswith("Restore the latest backup.")


def test_a_table_of_the_version_that_was_changed_is_damage(house):
    execute(house, "ALTER TABLE companion_version RENAME COLUMN version_num TO n")
    damaged = "The database is damaged. Stop the server and restore the latest backup."
    assert wrong(house) == [f"The database cannot be read: {damaged}"]
    with pytest.raises(DatabaseProblem, match=damaged):
        [*doctor.repair(house)]


def test_nothing_is_mended_in_tables_that_are_otherwise(house):
    execute(house, "DROP TABLE rate", "UPDATE game SET summary = 'no'")
    assert list(doctor.repair(house)) == []
    execute(house, "UPDATE companion_version SET version_num = '0001'")
    assert list(doctor.repair(house)) == []


def test_a_damaged_game_is_in_its_list_and_the_others_are_too(house):
    with opened(house) as database:
        writer = games.find_marker(database, *_markers(house))
        for number in range(3):
            with database.write() as session:
                (first,) = list_games(session, writer.notebook_id, limit=1)
                session.connection().exec_driver_sql(
                    "INSERT INTO game SELECT id || ?, notebook_id, viewer_key, viewer_digest || ?,"
                    " created_at, ?, last_number, '', names, ?, archived, deleted_at FROM game"
                    " WHERE title = 'Friday'",
                    (
                        f"{number}",
                        f"{number}",
                        "soon" if number else first.updated_at.isoformat(),
                        "no",
                    ),
                )
        found = games.lines(database, writer).lines
    assert {line.name for line in found if not line.damaged} == {"Friday"}
    assert [line.name for line in found if line.damaged] == ["A damaged game"] * 3


def _markers(house: Installation) -> list[str]:
    assert house.file is not None
    with closing(sqlite3.connect(house.file)) as connection:
        return [one for (one,) in connection.execute("SELECT id FROM marker")]


def test_a_game_without_entries_is_named_by_its_players(house):
    execute(house, "DELETE FROM event", "UPDATE game SET last_number = 0, title = ''")
    assert "(ana ben chandi friday): it has no entries." in wrong(house)[0]


def test_of_very_many_games_only_some_are_named(house):
    execute(
        house,
        "DELETE FROM event",
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 29)"
        " INSERT INTO game SELECT 'x' || n, notebook_id, viewer_key, 'd' || n, created_at,"
        " updated_at, last_number, title, names, summary, archived, deleted_at FROM game, n",
    )
    found = wrong(house)
    assert len(found) == 21
    assert found[-1] == "Something is wrong with 10 more games."
    assert list(doctor.repair(house)) == []


def test_rows_that_belong_to_nothing_are_counted(house):
    execute(house, "DELETE FROM game")
    # Three entries, and three seats.
    assert wrong(house) == ["6 rows refer to missing ones. Restore the latest backup."]


SEATS = "its players' figures are not what its entries give."


def test_figures_that_do_not_follow_from_the_entries_are_mended(house):
    execute(house, "UPDATE seat SET place = 1, players = 3")
    (found,) = wrong(house)
    assert SEATS in found
    assert [f"{mended} {doctor.REPAIR}" for mended in doctor.repair(house)] == [found]
    assert wrong(house) == []


def test_a_seat_whose_person_is_missing_gets_a_new_one(house):
    execute(house, "DELETE FROM person WHERE name = 'Ben'")
    orphan, found = wrong(house)
    assert orphan == "1 rows refer to missing ones. Restore the latest backup."
    assert SEATS in found
    assert len(list(doctor.repair(house))) == 1
    assert wrong(house) == []


def test_a_game_that_was_listed_as_deleted_is_one_of_its_people_again_while_a_server_runs(house):
    with opened(house) as database:
        table = Table(database, games.find_marker(database, *_markers(house)))
        game = table.over("Dil", "Esha")
        assert len(table.page("Dil").played) == 1
        execute(house, f"UPDATE game SET deleted_at = '2024-05-03' WHERE id = '{game}'")
        table.over("Dil", "Fay")
        assert len(table.page("Dil").played) == 1
        assert len(list(doctor.repair(house))) == 1
        assert len(table.page("Dil").played) == 2


def test_a_damaged_file_is_said_to_be_damaged(house):
    assert house.file is not None
    content = bytearray(house.file.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    house.file.write_bytes(content)
    assert any("damaged" in line for line in wrong(house))
    with pytest.raises(DatabaseProblem, match="damaged"):
        backups.keep_as_it_is(house, "repair", datetime.now(UTC))
    house.file.write_bytes(b"no database " * 500)
    assert any("The file is not a database." in line for line in wrong(house))


def test_pages_that_belong_to_nothing_are_damage(house):
    execute(
        house,
        "PRAGMA writable_schema=ON",
        "DELETE FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    )
    assert any("is damaged" in line and "never used" in line for line in wrong(house))


def test_other_versions_are_not_looked_into(house):
    execute(house, "UPDATE companion_version SET version_num = '9999'")
    assert "The database is at version 9999" in wrong(house)[0]
    assert "Install the later version of this program" in wrong(house)[0]
    execute(house, "UPDATE companion_version SET version_num = '0001'")
    assert "Start the server, which brings an older database up to date." in wrong(house)[0]
    execute(house, "DROP TABLE companion_version")
    assert wrong(house) == [
        (
            "The database has no tables yet. If games were kept here before, restore the latest"
            " backup and do not start the server. Otherwise start it: it makes them."
        )
    ]


def test_a_house_with_nothing_in_it(tmp_path):
    found = wrong(Installation.in_folder(tmp_path))
    assert [line.partition(" is missing")[0] for line in found[1:3]] == [
        str(tmp_path / "secret.key"),
        str(tmp_path / "house.key"),
    ]
    assert found[0].startswith("There is no database at ")
    assert found[3].startswith("There is no backup yet.")
    variables = ("INSTANCE", "SECRET_KEY", "HOUSE_KEY")
    told = wrong(Installation.told_by({f"COMPANION_{one}": str(tmp_path) for one in variables}))
    assert len(told) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_what_others_can_read_is_named_and_made_private(house):
    assert house.file is not None
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


@pytest.mark.parametrize("what", ["empty", "short", "no text", "folder"])
def test_a_key_file_without_a_key_is_named(what, house):
    key = house.key_files[0]
    if what == "folder":
        key.unlink()
        key.mkdir(mode=0o700)
    else:
        key.write_bytes({"empty": b"\n", "short": b"k" * 31, "no text": b"\xff" * 43}[what])
    (found,) = wrong(house)
    assert found.startswith(f"{key} cannot be used (")
    assert "the server does not start" in found
    assert backups.keep_as_it_is(house, "repair", datetime.now(UTC)).is_file()


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


def test_a_folder_in_the_place_of_the_database_is_named(house):
    assert house.file is not None
    house.file.unlink()
    house.file.mkdir(mode=0o700)
    (found,) = wrong(house)
    assert found == f"{house.file} is not a file. Move it away, and restore the latest backup."


def test_what_the_system_refuses_is_named(house, monkeypatch):
    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied", "instance")

    monkeypatch.setattr(backups, "newest", refuse)
    (found,) = wrong(house)
    assert found.startswith("instance cannot be read (Permission denied). Run this as the user")


@pytest.mark.parametrize("what", ["empty", "gap", "folder"])
def test_a_latest_backup_that_cannot_be_restored_is_named(what, house):
    (backup,) = house.backups.iterdir()
    if what == "empty":
        backup.write_bytes(b"")
    elif what == "gap":
        execute(house, "DELETE FROM event WHERE number = 2")
        backups.keep_as_it_is(house, "repair", datetime.now(UTC)).replace(backup)
    else:
        backup.unlink()
        backup.mkdir(mode=0o700)
    found = wrong(house)[-1]
    assert found.startswith("The latest backup cannot be restored: ")
    assert found.endswith(f"Move {backup} away, and run `python3 -m companion backup`.")


def test_what_follows_from_the_entries_is_no_reason_not_to_restore(house, tmp_path):
    execute(house, "UPDATE game SET summary = 'no', viewer_digest = 'no'")
    backups.back_up(house, tmp_path / "a.backup", datetime.now(UTC))
    elsewhere = Installation.in_folder(tmp_path / "elsewhere")
    with backups.ready(elsewhere, tmp_path / "a.backup") as ready:
        ready.put_in_place(datetime.now(UTC))
    assert totals(elsewhere) == {"Friday": [0, 33, 7]}
    assert len(list(doctor.repair(elsewhere))) == 1


def test_an_old_backup_is_too_old(house):
    (backup,) = house.backups.iterdir()
    old = (datetime.now(UTC) - timedelta(days=3)).timestamp()
    os.utime(backup, (old, old))
    assert "It is old: run" in wrong(house)[0]


def test_a_disk_with_little_room(house, monkeypatch):
    monkeypatch.setattr(doctor, "LEAST_ROOM", 10**18)
    found = [one.sentence for one in doctor.examine(house, datetime.now(UTC)) if one.is_wrong]
    assert found[0].endswith("Free some space: a full disk saves nothing.")


@pytest.mark.slow
def test_a_restore_that_was_interrupted(house, monkeypatch):
    (backup,) = house.backups.iterdir()
    house.key_files[0].write_text("n" * 43 + "\n")
    with monkeypatch.context() as patched, backups.ready(house, backup) as ready:
        patched.setattr(backups, "finish_restore", lambda _: None)
        ready.put_in_place(datetime.now(UTC))
    assert wrong(house)[0].startswith("A restore was interrupted.")
    backups.finish_restore(house)
    assert house.key_files[0].read_text() == "k" * 43 + "\n"
    assert wrong(house) == []
