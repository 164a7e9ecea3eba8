"""Migrating a database file: an empty one, an older one, and files to leave alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import Connection, create_engine, event

from companion import store
from companion.store import migrations
from companion.store.database import HEAD
from companion.store.models import VERSION_TABLE, StoredRow
from tests.at_once import at_once
from tests.databases import bring_up_to_date
from tests.store.conftest import refused

pytestmark = pytest.mark.database("sqlite")

TABLES = {*StoredRow.metadata.tables, VERSION_TABLE}


def tables(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as connection:
        return {
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        }


def run(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def bare_connection(file: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def unmigrated(database: store.Database) -> store.DatabaseProblem:
    problem = refused(database.migrate)
    database.close()
    return problem


def test_the_migrations_make_the_same_constraints_and_names_as_the_models(database, file, tmp_path):
    assert tables(file) == TABLES
    assert max(migrations.revisions()) == HEAD
    with bare_connection(tmp_path / "migrated.sqlite") as connection:
        migrations.upgrade(connection)
        connection.commit()

    def described(path: Path) -> dict[str, tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            return {
                name: tuple(  # a table that was rebuilt has its name in quotes
                    sorted(line.strip(" ,\t") for line in (sql or "").replace('"', "").splitlines())
                )
                for name, sql in connection.execute("SELECT name, sql FROM sqlite_master")
            }

    before = described(file)
    assert before == described(tmp_path / "migrated.sqlite")
    database.migrate()  # again changes nothing
    assert described(file) == before


def test_a_newer_database_and_another_programs_are_left_as_they_are(database, file, game):
    database.close()
    run(file, f"UPDATE {VERSION_TABLE} SET version_num = '9999'", "CREATE TABLE later (x)")
    other = file.with_name("recipes.sqlite3")
    run(other, "CREATE TABLE recipe (name TEXT)", "INSERT INTO recipe VALUES ('Sacher')")
    for one, reason, said in (
        (file, "newer", ("later version", "9999")),
        (other, "foreign", ()),
    ):
        before = one.read_bytes()
        problem = unmigrated(store.Database(f"sqlite:///{one}"))
        assert problem.reason == reason
        assert all(words in str(problem) for words in said)
        assert one.read_bytes() == before
    assert {path.name for path in file.parent.iterdir()} == {file.name, other.name}


@pytest.mark.database("sqlite", "postgresql")
def test_a_database_without_a_readable_version_is_damaged(database):
    with database.write() as session:
        session.connection().exec_driver_sql(
            f"ALTER TABLE {VERSION_TABLE} RENAME COLUMN version_num TO number"
        )
    for act in (database.migrate, database.require_ready):
        problem = refused(act)
        assert problem.reason == "damaged"
        assert "restore the latest backup" in str(problem)
    with database.write() as session:  # others get these tables after it
        session.connection().exec_driver_sql(
            f"ALTER TABLE {VERSION_TABLE} RENAME COLUMN number TO version_num"
        )


@pytest.mark.database("sqlite", "postgresql")
def test_tables_that_have_no_version_are_not_made_again(database):
    with database.write() as session:
        session.connection().exec_driver_sql(f"DELETE FROM {VERSION_TABLE}")
    with pytest.raises(store.DatabaseProblem, match="restore the latest backup"):
        database.migrate()
    with database.write() as session:  # others get these tables after it
        session.connection().exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')")


def test_a_migration_that_fails_leaves_nothing_behind(file):
    database = store.Database(f"sqlite:///{file}")

    @event.listens_for(database._engine, "connect")
    def small_disk(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count=8")

    assert unmigrated(database).reason == "full"
    assert tables(file) == set()
    bring_up_to_date(f"sqlite:///{file}")
    assert tables(file) == TABLES


def test_entries_without_a_game_stop_a_migration(file):
    with bare_connection(file) as connection, connection.begin():
        command.upgrade(migrations._config(connection), "0001")
    before = tables(file)
    run(file, "INSERT INTO marker VALUES ('ana', 'nobody', 'iPad', '2024-05-03 20:00:00', NULL)")
    assert "rows that refer to missing ones" in str(unmigrated(store.Database(f"sqlite:///{file}")))
    assert tables(file) == before
    run(file, "DELETE FROM marker")
    bring_up_to_date(f"sqlite:///{file}")
    assert tables(file) == TABLES


def test_rebuilding_a_table_does_not_delete_the_rows_that_refer_to_it(file):
    """Migrations run without foreign keys; other connections do not."""
    database = store.Database(f"sqlite:///{file}")
    seen = []

    @event.listens_for(database._engine, "begin")
    def look(connection: Connection) -> None:
        seen.append(connection.exec_driver_sql("PRAGMA foreign_keys").scalar())

    database.migrate()
    assert seen == [1, 0]  # looking at the version, then migrations
    database.migrate()
    with database.write() as session:
        session.connection()
    assert seen == [1, 0, 1, 1]
    database.close()


def test_a_second_process_finds_the_migration_done(file):
    first = store.Database(f"sqlite:///{file}")
    second = store.Database(f"sqlite:///{file}")
    looks = []

    @event.listens_for(second._engine, "rollback")
    def between(_connection: Connection) -> None:
        # The second has looked and found nothing; it has not yet begun to migrate.
        looks.append(tables(file))
        first.migrate()

    second.migrate()
    assert looks[0] == set()
    assert tables(file) == TABLES
    first.close()
    second.close()


def test_a_second_process_waits_longer_for_a_migration_than_for_a_save(database):
    with database.rewrite() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000  # milliseconds
    with database.write() as session:
        assert session.connection().exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000


@pytest.mark.database("sqlite", "postgresql")
def test_several_starts_at_once_all_succeed(bare):
    at_once(4, lambda _: bring_up_to_date(bare))
    with closing(store.Database(bare)) as database:
        database.require_ready()
