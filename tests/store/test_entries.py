"""Events: gapless numbers, one act one event, and nothing written on a stale base."""

from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, StatementError

from companion import store
from tests.store.conftest import last_number


def test_what_is_loaded_is_what_was_appended(database, ana, game, mark, eight):
    payload = '{"names": ["Ana", "Đặng", "🃏"]}'
    with database.write() as session:
        written = mark(session, 0, payload=payload)
    assert written == store.EventRow(
        game_id=game.id,
        number=1,
        key="act-1",
        at=eight,
        marker_id=ana.id,
        kind="HandMarked",
        payload=payload,
    )
    with database.read() as session:
        assert store.load(session, game.id) == [written]


def test_an_act_that_is_based_on_another_state_is_refused(database, ana, game, mark, friday, eight):
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


def test_a_key_that_is_used_again_is_refused_with_all_that_came_with_it(database, game, mark):
    with database.write() as session:
        first = mark(session, 0)
    with pytest.raises(IntegrityError), database.write() as session:
        mark(session, 1, key="act-1")
    with database.read() as session:
        assert store.load(session, game.id) == [first]
        assert last_number(session, game.id) == 1


def test_numbers_begin_at_1_and_a_game_is_loaded_with_one_query(database, game, mark):
    with database.write() as session:
        assert [mark(session, base).number for base in range(60)] == [*range(1, 61)]
    sent: list[str] = []
    with database.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *given: sent.append(given[2]))
        assert [record.number for record in store.load(session, game.id)] == [*range(1, 61)]
        assert len(sent) == 1
        assert last_number(session, game.id) == 60


def test_times_come_back_in_utc_and_none_goes_in_without_a_zone(database, game, mark):
    in_india = datetime(2024, 5, 4, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5.5)))
    with database.write() as session:
        mark(session, 0, at=in_india)
    with database.read() as session:
        (loaded,) = store.load(session, game.id)
    assert loaded.at.isoformat() == "2024-05-03T20:00:00.123456+00:00"
    with pytest.raises(StatementError, match="no time zone"), database.write() as session:
        mark(session, 1, at=in_india.replace(tzinfo=None))


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "\x00", "\ud800", "x" * 101])
def test_a_key_has_1_to_100_visible_ascii_characters(key):
    assert store.is_key("!")
    assert store.is_key("~" * 100)
    assert not store.is_key(key)
