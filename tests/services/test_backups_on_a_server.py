"""On PostgreSQL, too: backups are whole or refused, restoring keeps what was there, and the doctor.

What is the same wherever the games are is in test_backups.py, test_doctor.py and test_daily.py.
"""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from companion.services import backups, doctor, games, people, phones, seasons
from companion.services.backups import back_up_daily
from companion.store import DatabaseProblem
from companion.store.installation import Installation
from companion.store.models import StoredRow
from tests.notebook.evening import started
from tests.services.installations import (
    NINE,
    OLD,
    TOUCHED,
    friday,
    keys,
    opened,
    play,
    restore,
    totals,
    wrong,
)
from tests.services.test_seasons import YEARS

pytestmark = pytest.mark.database("postgresql")

# Ana is out, Ben pays 20 for the stock and 13 for his king, Chandi holds 3 and 4; and the same
# with another penalty of Ben's.
FRIDAY = {"Friday": [0, 33, 7], "Saturday": [0, 20, 0]}


@pytest.fixture
def house(tmp_path: Path, database_url: str) -> Installation:
    """A house with two games, each in a notebook of its own."""
    house = friday(tmp_path / "house", OLD, database_url)
    play(house, TOUCHED, title="Saturday")
    return house


@pytest.fixture
def backup(house: Installation, tmp_path: Path) -> Path:
    backups.back_up(house, tmp_path / "friday.backup", NINE)
    return tmp_path / "friday.backup"


def run(house: Installation, statement: str) -> None:
    with psycopg.connect(house.url, autocommit=True) as connection:
        connection.execute(statement)


def stored(house: Installation) -> dict[str, list[str]]:
    """Return every row of every table as text."""
    rows = {}
    with opened(house) as database, database.read() as session:
        for table in StoredRow.metadata.sorted_tables:
            found = session.connection().exec_driver_sql(f"SELECT t::text FROM {table.name} t")
            rows[table.name] = sorted(found.scalars())
    return rows


def test_every_row_of_every_table_is_copied_and_restored(house, another, tmp_path):
    # More rows than are moved at once.
    run(house, "INSERT INTO rate SELECT 'code', n::text, n FROM generate_series(1, 2500) AS n")
    with opened(house) as database:
        marker = games.start_notebook(database, "Another phone")
        game = games.start(database, marker, started(("Ana", "Ben"), title="Sunday"), "start")
        both = [one.id for one in people.people(database, marker).everybody]
        seasons.save(database, marker, YEARS, both)
        phones.offer(database, game, marker.id, secret=OLD, whole=True, resigns=False)
    assert all(stored(house).values())
    backups.back_up(house, tmp_path / "many.backup", NINE)
    other = Installation.in_folder(tmp_path / "other", another())
    assert restore(other, tmp_path / "many.backup") is None
    assert stored(other) == stored(house)
    assert (totals(other), keys(other)) == (FRIDAY | {"Sunday": [0, 0]}, [OLD, OLD])


def test_entries_that_others_write_until_the_restore_are_kept(house, backup, monkeypatch):
    begun, written = threading.Event(), threading.Event()

    def write() -> None:
        begun.wait(60)
        play(house, TOUCHED, title="Sunday")
        written.set()

    def while_keeping(does: Callable[..., object]) -> Callable[..., object]:
        def sealed(*given: object) -> object:
            begun.set()  # from here on another phone's game waits, until all is restored
            assert not written.wait(0.2)
            return does(*given)

        return sealed

    monkeypatch.setattr(backups, "seal", while_keeping(backups.seal))
    other_phone = threading.Thread(target=write)
    other_phone.start()
    kept = restore(house, backup)
    other_phone.join(60)
    assert backups.check_backup(kept).counts.games == 2
    assert totals(house) == FRIDAY | {"Sunday": [0, 20, 0]}


def test_the_doctor_repairs_derived_data(shelf, tmp_path, monkeypatch):
    house = friday(tmp_path / "house", OLD, shelf.migrated())  # no other test gets these tables
    play(house, TOUCHED, title="Saturday")

    backups.back_up(house, house.backups / backups.name_of(NINE), NINE)
    # Nothing but what is said of the throwaway server, which need not survive a power cut.
    (unsafe,) = wrong(house)
    assert unsafe.startswith("On the database server fsync and full_page_writes: off. A power cut")
    monkeypatch.setattr(doctor, "SERVER_STATE", text("SELECT 8000000, NULL"))
    well = [one.sentence for one in doctor.examine(house, NINE)]
    assert well[0].startswith("The database on the server has 8,000,000 bytes. ")
    assert ", notebooks: 2, games: 2, entries: 5, games with something wrong: 0." in well[1]
    assert wrong(house) == []
    run(house, "DROP INDEX ix_game_notebook_id_updated_at")
    run(house, "UPDATE game SET summary = 'no', viewer_digest = id WHERE title = 'Friday'")
    run(
        house, "CREATE FUNCTION cheat() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    )
    run(house, "CREATE TRIGGER cheat AFTER INSERT ON event EXECUTE FUNCTION cheat()")
    trigger, index, game = wrong(house)
    assert trigger.startswith("The trigger cheat was added to the database")
    assert index.startswith("The index ix_game_notebook_id_updated_at is missing")
    assert "(Friday): the list of games shows something else; the lookup key of " in game
    kept = backups.back_up_unchecked(house, "repair", NINE)
    assert backups.check_backup(kept).counts.games == 2
    assert [*doctor.repair(house)] == [
        index.removesuffix(f" {doctor.REPAIR}"),
        game.removesuffix(f" {doctor.REPAIR}"),
    ]
    assert wrong(house) == [trigger]
    run(house, "DELETE FROM event WHERE number = 2 AND kind = 'PenaltyCharged' AND game_id ="
        " (SELECT id FROM game WHERE title = 'Friday')")  # fmt: skip
    _, gap = wrong(house)
    assert "(Friday): entry 2 is missing." in gap
    with pytest.raises(DatabaseProblem, match=r"Friday.*entry 2 is missing"):
        backups.back_up(house, tmp_path / "gap.backup", NINE)
    assert not (tmp_path / "gap.backup").exists()


def test_daily_backups_need_the_database_server(house, caplog):
    for _ in range(2):
        assert back_up_daily(house, NINE) == ""
    (copy,) = house.backups.glob("*.backup")
    assert copy.name == "daily-2024-05-03.backup"
    assert backups.check_backup(copy).counts.entries == 5
    gone = Installation(house.folder, "postgresql://ana:SECRET@127.0.0.1:1/games")
    prevented = back_up_daily(gone, NINE + timedelta(days=1))
    assert prevented.startswith("The database server cannot be reached.")
    assert "SECRET" not in caplog.text
