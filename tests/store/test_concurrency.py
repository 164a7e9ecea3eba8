"""Several writers at once: none loses an event, and none overwrites another's."""

import threading

import pytest

from companion import store
from tests.at_once import at_once
from tests.store.conftest import last_number

WRITERS = 8


@pytest.mark.slow
@pytest.mark.parametrize("acts", [8, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_eight_writers_leave_an_event_for_each_of_their_acts(database, game, mark, acts):
    def write(writer: int) -> list[int]:
        acknowledged = []
        for act in range(acts):
            with database.read() as session:
                base = last_number(session, game.id)
            while True:
                try:
                    with database.write() as session:
                        record = mark(session, base, key=f"{writer}-{act}", payload=f"{writer}")
                except store.StaleBase:
                    with database.read() as session:
                        base = last_number(session, game.id)
                else:
                    acknowledged.append(record.number)
                    break
        return acknowledged

    acknowledged = at_once(WRITERS, write)
    with database.read() as session:
        records = store.load(session, game.id)
        assert last_number(session, game.id) == WRITERS * acts
    assert [record.number for record in records] == list(range(1, WRITERS * acts + 1))
    for writer in range(WRITERS):
        own = [record for record in records if record.payload == f"{writer}"]
        assert [record.number for record in own] == acknowledged[writer]
        assert [record.key for record in own] == [f"{writer}-{act}" for act in range(acts)]


def test_of_many_writers_some_wait_the_rest_are_told_at_once_and_readers_go_on(
    database, database_url, game, mark
):
    crowded = store.Database(database_url, busy_timeout=60_000, queue=2)
    written: list[object] = []

    def wait_and_write() -> None:
        with crowded.write(game.id):
            written.append("waited")

    with database.write(game.id):
        waiting = [threading.Thread(target=wait_and_write) for _ in range(2)]
        for thread in waiting:
            thread.start()
        while crowded._queue._value:
            threading.Event().wait(0.01)
        with pytest.raises(store.DatabaseProblem) as told, crowded.write(game.id):
            pass
        assert told.value.reason == "locked"
        with crowded.read() as session:
            assert last_number(session, game.id) == 0
        assert not written
    for thread in waiting:
        thread.join()
    assert written == ["waited", "waited"]
    for _ in range(3):  # who fails has no place among those who wait
        with pytest.raises(ZeroDivisionError), crowded.write(game.id):
            raise ZeroDivisionError
    with crowded.write(game.id) as session:
        mark(session, 0)
    crowded.close()


@pytest.mark.parametrize("beside", ["a thread", "another program"])
def test_who_would_rather_not_wait_does_not(database_url, game, beside):
    patient = store.Database(database_url, busy_timeout=60_000)
    other = patient if beside == "a thread" else store.Database(database_url)
    began: list[str] = []

    def write() -> None:
        with patient.write(game.id, wait=False):
            began.append("writes")

    with other.write(game.id), pytest.raises(store.DatabaseProblem) as told:
        write()
    assert told.value.reason == "locked"
    assert not began
    write()
    assert began == ["writes"]
    for one in (other, patient):
        one.close()


@pytest.mark.database("sqlite")
def test_whoever_waits_after_one_who_did_not_waits_as_long_as_before(database):
    with database.write(wait=False):
        pass
    with database.write() as session:
        connection = session.connection()
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000
