"""A server that is frozen, and a line that is cut: nobody waits for ever, nor all in turn."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic

import pytest
from sqlmodel import Session

from companion import store
from companion.store.postgres_line import Line
from tests.databases import Shelf
from tests.relay import Relay
from tests.store.conftest import Mark
from tests.throwaway import USER

pytestmark = pytest.mark.database("postgresql")

LONG, SHORT = 60.0, 0.3  # seconds of patience
ASKED = 20


def driver_of(session: Session) -> Line:
    driver = session.connection().connection.driver_connection
    assert isinstance(driver, Line)
    return driver


@contextmanager
def frozen(driver: Line) -> Iterator[None]:
    """The server's process at the other end; its machine acknowledges what it is sent.

    From then on nobody has much patience with it.
    """
    assert driver.patience == LONG
    process = driver.info.backend_pid
    os.kill(process, signal.SIGSTOP)
    driver.patience = SHORT
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(store.DatabaseProblem) as caught:
        act()
    return caught.value.reason


@pytest.fixture
def patient(database_url: str) -> Iterator[store.Database]:
    database = store.Database(database_url, patience=LONG)
    yield database
    database.close()


@pytest.mark.parametrize("asks", ["read", "write"])
def test_a_server_that_is_frozen_is_given_up(
    patient: store.Database, asks: str, caplog: pytest.LogCaptureFixture
) -> None:
    def ask() -> None:
        with getattr(patient, asks)() as session, frozen(driver_of(session)):
            session.connection().exec_driver_sql("SELECT 1")

    assert refused(ask) == "unreachable"
    assert patient.glance("SELECT 1", {}) == (1,)
    assert caplog.records == []


def test_a_connection_that_froze_while_nobody_used_it_is_given_up_for_another(
    patient: store.Database,
) -> None:
    with patient.read() as session:
        driver = driver_of(session)
    with frozen(driver):
        assert patient.glance("SELECT 1", {}) == (1,)
    assert driver.closed


def test_what_was_not_acknowledged_is_there_at_most_once(
    patient: store.Database, game: store.GameRecord, mark: Mark
) -> None:
    def save() -> None:
        with patient.write(game.id) as session:
            mark(session, 0)
            freezing.enter_context(frozen(driver_of(session)))

    with ExitStack() as freezing:
        assert refused(save) == "unreachable"
    with patient.write(game.id) as session:  # when the one that was frozen has ended, either way
        if store.find_by_key(session, game.id, "act-1") is None:
            mark(session, 0)
    with patient.read() as session:
        assert [record.number for record in store.load(session, game.id)] == [1]


def test_a_migration_and_a_backup_have_all_the_time_they_need(
    database: store.Database, patient: store.Database
) -> None:
    with patient.rewrite() as connection:
        assert driver_of(Session(connection)).patience is None
    with patient.read() as session:
        assert driver_of(session).patience == LONG
    with database.read() as session:
        assert driver_of(session).patience is None


def test_nobody_waits_for_a_line_that_is_cut_but_the_first(shelf: Shelf, bare: str) -> None:
    relay = Relay(shelf.server.place / ".s.PGSQL.5432")
    name = bare.partition("@/")[2].partition("?")[0]
    address = f"postgresql://{USER}@127.0.0.1:{relay.port}/{name}?connect_timeout=2"
    database = store.Database(address, patience=LONG)
    answered(database)

    def ask_meanwhile() -> None:
        with database.read() as session:
            relay.cut()
            assert refused(lambda: database.glance("SELECT 1", {})) == "unreachable"
            knocked.append(relay.unheard)
            session.connection()

    knocked: list[int] = []
    assert refused(ask_meanwhile) == "unreachable"
    assert knocked == [relay.unheard]
    for _ in range(ASKED):
        assert refused(lambda: database.glance("SELECT 1", {})) == "unreachable"
    assert relay.unheard < ASKED / 2  # else each has knocked for himself, and waited
    relay.heal()
    answered(database)
    database.close()
    relay.close()


def answered(database: store.Database) -> None:
    """Ask until there is an answer."""
    begun = monotonic()
    while True:
        try:
            assert database.glance("SELECT 1", {}) == (1,)
        except store.DatabaseProblem:
            assert monotonic() - begun < LONG
            threading.Event().wait(0.05)
        else:
            return
