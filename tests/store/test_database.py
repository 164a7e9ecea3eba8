"""Transactions, the settings of every connection, and messages when the file fails."""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from companion import store
from companion.store.models import MarkerRecord
from tests.store.conftest import last_number, refused


def other_program(file: Path) -> closing[sqlite3.Connection]:
    """A second connection, outside of the store, that never waits."""
    return closing(sqlite3.connect(file, timeout=0, isolation_level=None))


def pragma(session, name):
    return session.connection().exec_driver_sql(f"PRAGMA {name}").scalar()


@pytest.mark.database("sqlite")
def test_every_pooled_connection_has_every_setting(database):
    with ExitStack() as stack:
        # More at once than the pool keeps, the one that migrated perhaps among them.
        sessions = [stack.enter_context(database.read()) for _ in range(12)]
        opened = {id(session.connection().connection.driver_connection) for session in sessions}
        assert len(opened) == 12
        for session in sessions:
            assert pragma(session, "journal_mode") == "wal"
            assert pragma(session, "synchronous") == 2  # FULL
            assert pragma(session, "fullfsync") == 1
            assert pragma(session, "foreign_keys") == 1
            assert pragma(session, "busy_timeout") == 5000


@pytest.mark.database("sqlite")
def test_begin_immediate_is_sent_once_and_nothing_else_begins_a_transaction(database, mark):
    sent: list[str] = []
    with database.read() as session:
        session.connection().connection.driver_connection.set_trace_callback(sent.append)
    with database.write() as session:
        mark(session, 0)
    assert [line for line in sent if line.startswith(("BEGIN", "COMMIT", "ROLLBACK"))] == [
        "ROLLBACK",
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    assert next(line for line in sent if line != "ROLLBACK") == "BEGIN IMMEDIATE"
    with database.read() as session:
        session.connection().connection.driver_connection.set_trace_callback(None)


def test_a_reader_is_not_blocked_by_a_writer_and_sees_what_was_committed(database, game, mark):
    with database.write() as session:
        mark(session, 0)
    with database.read() as early:
        assert last_number(early, game.id) == 1
        with database.write() as writer:
            mark(writer, 1)
            with database.read() as reader:
                assert [record.number for record in store.load(reader, game.id)] == [1]
            assert [record.number for record in store.load(writer, game.id)] == [1, 2]
        assert last_number(early, game.id) == 1  # it sees one moment
        assert [record.number for record in store.load(early, game.id)] == [1]
    with database.read() as reader:
        assert [record.number for record in store.load(reader, game.id)] == [1, 2]


def test_an_exception_rolls_everything_back_and_is_raised_again(database, game, mark):
    def mark_and_fail() -> None:
        with database.write() as session:
            mark(session, 0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mark_and_fail()
    with database.read() as session:
        assert store.load(session, game.id) == []
        assert last_number(session, game.id) == 0


def write_something(database: store.Database) -> None:
    with database.write() as session:
        session.connection().execute(text("UPDATE marker SET label = 'x'"))


@pytest.mark.database("sqlite")
def test_a_lock_that_is_not_released_is_reported(database, file, game):
    impatient = store.Database(f"sqlite:///{file}", busy_timeout=1)
    with other_program(file) as other:
        other.execute("BEGIN IMMEDIATE")
        assert refused(lambda: write_something(impatient)).reason == "locked"
        other.execute("ROLLBACK")
        write_something(impatient)
    impatient.close()


@pytest.mark.database("sqlite")
def test_a_full_disk_is_reported_and_nothing_is_saved(database, game, mark):
    with database.read() as session:
        pages = pragma(session, "page_count")
        assert pragma(session, f"max_page_count={pages}") == pages
    with database.write() as session:  # the same connection: the pool hands out the last returned
        mark(session, 0)

    def fill() -> None:
        with database.write() as session:
            mark(session, 1, payload="x" * 100_000)

    assert refused(fill).reason == "full"
    with database.read() as session:
        assert [record.number for record in store.load(session, game.id)] == [1]
    with database.write() as session:
        mark(session, 1)  # what fits can still be written


@pytest.mark.database("sqlite")
def test_a_disk_error_is_reported(database, game, mark):
    resource = pytest.importorskip("resource", reason="limits a file's size; Unix only")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def exceed() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, hard))
        try:
            with database.write() as session:
                mark(session, 0, payload="x" * 200_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert refused(exceed).reason == "disk"
    with database.write() as session:
        assert store.load(session, game.id) == []
        mark(session, 0)


@pytest.mark.database("sqlite")
def test_closing_leaves_one_file_readable_in_a_read_only_folder(database, file, game, mark):
    with database.write() as session:
        mark(session, 0)
    assert file.with_name("companion.sqlite3-wal").exists()
    database.close()
    assert [path.name for path in file.parent.iterdir()] == ["companion.sqlite3"]
    with database.read() as session:  # a closed database opens again when it is asked
        assert last_number(session, game.id) == 1
    database.close()
    reading = store.Database(f"sqlite:///file:{file}?mode=ro&uri=true")
    reading.migrate()
    with reading.read() as session:
        assert last_number(session, game.id) == 1
    assert refused(lambda: write_something(reading)).reason == "read_only"
    reading.close()
    (file.parent / "empty").touch()
    reading = store.Database(f"sqlite:///file:{file.parent}/empty?mode=ro&uri=true")
    assert refused(reading.migrate).reason == "read_only"


@pytest.mark.database("sqlite")
def test_a_damaged_file_is_a_problem(database, file, game, mark):
    with database.write() as session:
        for base in range(60):
            mark(session, base)
    database.close()  # and with the last connection the log goes into the file
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))

    def look() -> None:
        with database.read() as session:
            store.load(session, game.id)

    assert refused(look).reason == "damaged"


def test_a_file_that_cannot_be_our_database_is_reported_and_left_alone(tmp_path):
    file = tmp_path / "text.sqlite3"
    file.write_text("Ana 12, Ben 30\n" * 500)
    for address, reason in (
        (f"sqlite:///{file}", "damaged"),
        ("sqlite:////nowhere/games.sqlite", "cannot_open"),
        (f"sqlite:///file:{tmp_path}/games?vfs=memdb&uri=true", "unsuitable"),  # keeps no log
    ):
        assert refused(store.Database(address).migrate).reason == reason
    assert file.read_text() == "Ana 12, Ben 30\n" * 500


def test_an_address_of_another_kind_is_refused_at_once():
    for url in (
        "",
        "sqlite://",  # in memory
        "sqlite:///:memory:",
        "games.sqlite",
        "sqlite+aiosqlite:///x",
        "mysql://ana:SECRET@localhost/games",
        "postgresql+asyncpg://ana:SECRET@localhost/games",
        "postgresql://ana:SECRET@localhost:port/games",
    ):
        assert refused(lambda url=url: store.Database(url)).reason == "unsuitable", url


def test_a_mistake_in_the_program_is_not_a_database_problem_and_shows_no_secrets(database, eight):
    with database.read() as session, pytest.raises(DBAPIError, match="nowhere"):
        session.connection().execute(text("SELECT nothing FROM nowhere"))
    row = {"id": "m", "notebook_id": "unknown", "label": "SECRET", "created_at": eight}
    with pytest.raises(IntegrityError) as caught, database.write() as session:
        session.connection().execute(insert(MarkerRecord), row)
    assert "SECRET" not in str(caught.value)


def on_statements(database: store.Database, acts) -> None:
    """Call a function before each new connection runs the statement."""

    def watch(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(lambda statement: acts.get(statement, bool)())

    event.listen(database._engine, "connect", watch, insert=True)


@pytest.mark.database("sqlite")
@pytest.mark.parametrize("again", [False, True])
def test_a_process_waits_while_another_one_opens_the_file(again, file):
    with other_program(file) as other:
        other.execute("CREATE TABLE companion_version (version_num TEXT)")

        def read() -> None:
            other.execute("BEGIN")
            other.execute("SELECT * FROM companion_version").fetchall()

        read()
        database = store.Database(f"sqlite:///{file}", busy_timeout=1)
        acts = {"BEGIN EXCLUSIVE": lambda: other.execute("ROLLBACK")}
        if again:
            acts["PRAGMA journal_mode=WAL"] = lambda: other.in_transaction or read()
        on_statements(database, acts)
        if again:
            assert refused(database.migrate).reason == "locked"
        else:
            database.migrate()
            with database.read() as session:
                assert pragma(session, "journal_mode") == "wal"
    database.close()
