"""A database on a server: connections, users, locks, and messages when it fails."""

import os
import socket
import sys
from contextlib import ExitStack, closing
from types import SimpleNamespace

import psycopg
import pytest

from companion import store
from companion.store.postgres import POOL, problem_of
from companion.web.errors import UNSURE
from tests.postgres_server import PASSWORD, STRANGER, USER
from tests.relay import Relay
from tests.store.conftest import last_number, refused

pytestmark = pytest.mark.database("postgresql")

_OPTIONS = ("TCP_USER_TIMEOUT", "TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
NEWER = "companion_version AS SELECT '9999' AS version_num"
OF_A_DEAD_LINE = [getattr(socket, name, 0) for name in _OPTIONS]


def run(address: str, *statements: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def read(database: store.Database) -> object:
    with database.read() as session:
        return session.connection().exec_driver_sql("SELECT 1").scalar()


SETTINGS = {
    "synchronous_commit": "on",
    "lock_timeout": "5s",
    "transaction_isolation": "repeatable read",
    "transaction_read_only": "on",
}


def test_commits_wait_for_the_disk_and_locks_have_a_timeout(database_url):
    name = database_url.partition("@/")[2].partition("?")[0]
    run(database_url, f"ALTER DATABASE {name} SET synchronous_commit = off")
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        with closing(store.Database(database_url.replace("postgresql", scheme, 1))) as database:
            database.migrate()
            with database.read() as session:
                for setting, value in SETTINGS.items():
                    told = session.connection().exec_driver_sql(f"SHOW {setting}").scalar()
                    assert told == value
    run(database_url, f"ALTER DATABASE {name} RESET synchronous_commit")


def test_an_unusable_database_is_reported(shelf, database_url):
    run(
        shelf.server.address("postgres"),
        "DROP DATABASE IF EXISTS latin",
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0",
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and says nothing
        here = f"127.0.0.1:{silent.getsockname()[1]}"
        for address, reason in (
            ("postgresql://ana:SECRET@127.0.0.1:1/games", "unreachable"),
            (f"postgresql://ana:SECRET@{here}/games?connect_timeout=2", "unreachable"),
            (shelf.server.address("nothing_of_this_name"), "cannot_open"),
            (f"{database_url}&colour=SECRET", "unsuitable"),  # an option that does not exist
            (f"{database_url}&connect_timeout=SECRET", "unsuitable"),
            (shelf.server.address("latin"), "unsuitable"),  # which lacks some letters
        ):
            assert refused(store.Database(address).migrate).reason == reason


@pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere not all of these can be set.")
def test_a_vanished_server_is_given_up_before_the_proxy_gives_up(shelf, bare):
    """nginx.conf waits 30 s; giving up takes 8 s on an old connection and 5 s on a new one."""
    name = bare.partition("@/")[2].partition("?")[0]
    with closing(Relay(shelf.server.place / ".s.PGSQL.5432")) as relay:
        database = store.Database(f"postgresql://{USER}@127.0.0.1:{relay.port}/{name}")
        with database.read() as session:
            driver = session.connection().connection.driver_connection
            with socket.socket(fileno=os.dup(driver.fileno())) as line:
                told = [line.getsockopt(socket.IPPROTO_TCP, option) for option in OF_A_DEAD_LINE]
        database.close()
    assert told == [8000, 5, 2, 3]  # ms; silent for so long, then so often, so many times


def test_a_wrong_password_and_an_unknown_user_are_reported(shelf, database_url):
    with psycopg.connect(database_url, autocommit=True) as connection:
        if not connection.execute(f"SELECT FROM pg_roles WHERE rolname='{STRANGER}'").fetchone():
            connection.execute(f"CREATE ROLE {STRANGER} LOGIN PASSWORD '{PASSWORD}'")
    for user in (f"{STRANGER}:SECRET", "nobody_of_this_name:SECRET", STRANGER):
        database = store.Database(database_url.replace("companion@", f"{user}@"))
        assert refused(database.migrate).reason == "refused"
    database = store.Database(database_url.replace("companion@", f"{STRANGER}:{PASSWORD}@"))
    assert refused(database.migrate).reason == "read_only"  # it may enter, and read nothing
    database.close()


def test_a_missing_driver_is_reported(monkeypatch, stored_in):
    monkeypatch.delitem(sys.modules, "companion.store.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    problem = refused(lambda: store.Database("postgresql://ana:SECRET@localhost/games"))
    assert problem.reason == "unsuitable"
    assert "companion setup" in str(problem)


@pytest.mark.parametrize(("table", "reason"), [("recipe (name text)", "foreign"), (NEWER, "newer")])
def test_tables_of_another_program_and_of_a_later_version_are_left_alone(bare, table, reason):
    run(bare, f"CREATE TABLE {table}")
    database = store.Database(bare)
    assert refused(database.migrate).reason == reason
    database.close()


def test_after_lost_connections_the_next_request_works(
    database, database_url, ana, game, mark, caplog
):
    with database.read() as session:
        assert last_number(session, game.id) == 0
    hang_up = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    hang_up += " AND datname = current_database()"
    run(database_url, hang_up)
    with database.read() as session:
        assert store.game_of_marker(session, game.id, ana.id) is not None
    run(database_url, hang_up)
    with database.write(game.id) as session:
        mark(session, 0)

    def cut() -> None:
        with database.write(game.id) as session:
            mark(session, 1)
            run(database_url, hang_up)

    def cut_off() -> None:
        with database.read() as session:
            session.connection().exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

    assert refused(cut).reason == refused(cut_off).reason == "unreachable"
    assert caplog.records == []  # no traceback
    with database.read() as session:
        assert [record.number for record in store.load(session, game.id)] == [1]


@pytest.mark.parametrize("time", ["infinity", "4713-01-01 00:00:00+00 BC"])
def test_a_time_that_python_lacks_is_read_as_damaged(database, database_url, ana, game, time):
    run(
        database_url,
        f"UPDATE game SET updated_at = '{time}'",
        f"UPDATE marker SET created_at = '{time}', seen_at = '{time}'",
    )
    with database.read() as session:
        known = store.marker(session, ana.id)
        assert known.created_at == known.seen_at == store.UNREADABLE
        (listed,) = store.list_games(session, ana.notebook_id)
    assert listed.updated_at == store.UNREADABLE
    assert listed.created_at == game.created_at
    with database.read() as session:
        game = store.game_of_marker(session, game.id, ana.id)
    assert game.updated_at == store.UNREADABLE


def test_writers_of_one_game_do_not_block_writers_of_another(database, database_url):
    impatient = store.Database(database_url, busy_timeout=50)
    with database.write("one"):
        with impatient.write("another"):
            pass
        for of in ("one", None):
            assert refused(impatient.write(of).__enter__).reason == "locked"
    with database.write():
        assert refused(impatient.write("one").__enter__).reason == "locked"
    with impatient.write("one"), database.write("another"):
        pass
    with ExitStack() as stack:  # when no connection is free, it is told
        for _ in range(2 * POOL):
            stack.enter_context(impatient.read()).connection()
        assert refused(lambda: read(impatient)).reason == "locked"
    impatient.close()


def test_a_statement_that_failed_is_never_committed_in_silence(database):
    def write() -> None:
        with database.write() as session:
            with pytest.raises(Exception, match="nowhere"):
                session.connection().exec_driver_sql("SELECT nothing FROM nowhere")
            session.connection().connection.driver_connection.commit = pytest.fail

    with pytest.raises(RuntimeError, match="so nothing was written"):
        write()


REASONS = {
    "read_only": ["25006"],
    "full": ["53100"],
    "locked": ["53300", "40P01", "40001", "55P03"],
    "disk": ["58030"],
    "damaged": ["XX001"],
    "unreachable": ["57P01"],
    None: ["23505", "42P01"],  # our mistake
}


def test_the_servers_errors_have_a_reason_or_are_our_mistakes(stored_in):
    for reason, codes in REASONS.items():
        for problem in (problem_of(psycopg.errors.lookup(code)("SECRET")) for code in codes):
            assert (problem and problem[0]) == reason
            assert "SECRET" not in str(problem)
    # One that is starting, or has stopped itself, says so.
    said = psycopg.OperationalError("connection failed: FATAL:  the database system is starting up")
    assert problem_of(said)[0] == "unreachable"
    for code, reason in (("53100", "disk"), ("XX000", "unreachable")):

        class Panic(psycopg.errors.lookup(code)):
            diag = SimpleNamespace(severity_nonlocalized="PANIC")

        found, says = problem_of(Panic("SECRET"))
        assert found == reason
        assert found in UNSURE  # the page does not promise that nothing was written
        assert "Your last entry may not be saved" in says
