"""Events: numbers without gaps, one event for each key, nothing saved on a stale base."""

import threading
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, StatementError

from companion import store
from tests.at_once import at_once
from tests.store.conftest import last_number


def test_appended_events_are_loaded_unchanged(database, ana, game, mark, eight):
    payload = '{"names": ["Ana", "Đặng", "🃏"]}'
    with database.write() as session:
        written = mark(session, 0, payload=payload)
    fields = {"game_id": game.id, "number": 1, "key": "act-1", "at": eight, "marker_id": ana.id}
    assert written == store.EventRow(**fields, kind="HandMarked", payload=payload)
    with database.read() as session:
        assert store.load(session, game.id) == [written]


def test_an_event_on_another_base_is_refused(database, ana, game, mark, friday, eight):
    with database.write() as session:
        mark(session, 0)
        mark(session, 1)
        other = store.create_game(session, ana.notebook_id, friday, eight)
        assert mark(session, 0, of=other.id).number == 1  # it has numbers and keys of its own
        for base in (-1, 0, 1, 3):
            with pytest.raises(store.StaleBase):
                mark(session, base, key="late", at=game.created_at)
        with pytest.raises(store.StaleBase):
            mark(session, 0, of="0000000000")
        assert len(store.load(session, game.id)) == 2
        for text in ("0000000000", "", "nothing", "é", "\ud800", "a\x00b", "x" * 100_000):
            assert store.load(session, text) == []


def test_a_repeated_key_is_refused_with_its_whole_transaction(database, game, mark):
    with database.write() as session:
        first = mark(session, 0)
    with pytest.raises(IntegrityError), database.write() as session:
        mark(session, 1, key="act-1")
    with database.read() as session:
        assert store.load(session, game.id) == [first]
        assert last_number(session, game.id) == 1


def test_a_game_is_loaded_with_one_query_and_times_come_back_in_utc(database, game, mark):
    in_india = datetime(2024, 5, 4, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5.5)))
    with database.write() as session:
        assert [mark(session, base, at=in_india).number for base in range(60)] == [*range(1, 61)]
    sent: list[str] = []
    with database.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *given: sent.append(given[2]))
        loaded = store.load(session, game.id)
        assert len(sent) == 1
        assert [record.number for record in loaded] == [*range(1, 61)]
        assert last_number(session, game.id) == 60
    assert {one.at.isoformat() for one in loaded} == {"2024-05-03T20:00:00.123456+00:00"}
    with pytest.raises(StatementError, match="no time zone"), database.write() as session:
        mark(session, 60, at=in_india.replace(tzinfo=None))


def test_a_key_has_1_to_100_visible_ascii_characters():
    assert all(map(store.is_key, ("!", "~" * 100)))
    assert not any(map(store.is_key, ("", " ", "a b", "é", "\x00", "\ud800", "x" * 101)))


# -- several writers at once ---------------------------------------------------------------------

WRITERS = 8


@pytest.mark.slow
@pytest.mark.parametrize("acts", [8, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_eight_writers_lose_no_event(database, game, mark, acts):
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


def test_some_writers_wait_others_fail_and_readers_go_on(database, database_url, game, mark):
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
def test_a_writer_that_must_not_wait_fails_at_once(database_url, game, beside):
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
    with patient.write() as session:  # and who waits after that waits as long as before
        if session.get_bind().dialect.name == "sqlite":
            waits = session.connection().exec_driver_sql("PRAGMA busy_timeout").scalar()
            assert waits == 60_000
    for one in (other, patient):
        one.close()
