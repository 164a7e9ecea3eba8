"""Rate limits: some tries at once, then one now and then, for each client."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from companion.services import rate_limits
from companion.services.rate_limits import Allowance, Tried
from companion.store import Database
from companion.store.models import RateRow
from tests.at_once import at_once

EIGHT = datetime(2024, 5, 3, 20, tzinfo=UTC)
CODE = Tried.CODE


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three at once, then one a minute; all together five, then one every 10 seconds."""
    for what in Tried:
        monkeypatch.setitem(rate_limits.ALLOWED, what, (Allowance(3, 60), Allowance(5, 10)))


class Clock:
    """The database's clock, which stands still."""

    now = EIGHT


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "now_in", lambda _session: Clock.now)


def attempt(db: Database, what: Tried, who: str, at: datetime) -> int:
    Clock.now = at
    return rate_limits.attempt(db, what, who)


def must_wait(db: Database, what: Tried, who: str, at: datetime) -> int:
    Clock.now = at
    return rate_limits.must_wait(db, what, who)


def count_wrong(db: Database, what: Tried, who: str, at: datetime) -> None:
    Clock.now = at
    rate_limits.count_wrong(db, what, who)


def after(seconds: float) -> datetime:
    return EIGHT + timedelta(seconds=seconds)


def rows(db: Database) -> dict[tuple[str, str], int]:
    """Return clients, kinds of tries, and how many seconds after 8:00 they are forgiven."""
    eight = int(EIGHT.timestamp()) * 1000
    with db.read() as session:
        found = session.connection().execute(select(RateRow)).all()
    return {(what, who): (at - eight) // 1000 for what, who, at in found}


def test_some_tries_pass_at_once_and_the_next_one_waits_uncounted(db):
    for _ in range(3):
        assert attempt(db, CODE, "ana", EIGHT) == 0
    before = rows(db)
    assert attempt(db, CODE, "ana", EIGHT) == 60
    assert attempt(db, CODE, "ana", after(59.5)) == 1
    assert rows(db) == before
    assert attempt(db, CODE, "ana", after(60)) == 0
    assert attempt(db, CODE, "ana", after(60)) == 60
    assert attempt(db, Tried.NOTEBOOK, "ana", after(60)) == 0  # which is counted by itself
    for _ in range(3):  # whoever waited long enough has all tries again
        assert attempt(db, CODE, "ana", after(240)) == 0
    assert attempt(db, CODE, "ana", after(240)) == 60


def test_each_client_has_its_own_limit_until_all_together_try_too_often(db):
    for who in ("ana", "ana", "ana", "ben", "chandi"):
        assert attempt(db, CODE, who, EIGHT) == 0
    assert attempt(db, CODE, "dora", EIGHT) == 10, "five were tried, all together"
    assert attempt(db, CODE, "dora", after(10)) == 0
    assert attempt(db, CODE, "ana", after(20)) == 40


def test_forgiven_tries_are_deleted(db):
    for who in ("ana", "ana", "ben"):
        attempt(db, CODE, who, EIGHT)
    assert rows(db) == {("code", ""): 30, ("code", "ana"): 120, ("code", "ben"): 60}
    attempt(db, CODE, "chandi", after(90))
    assert rows(db) == {("code", ""): 100, ("code", "ana"): 120, ("code", "chandi"): 150}


def test_tries_from_a_clock_far_ahead_do_not_count(db):
    for day in (1, 0):  # a server began with a wrong clock, which was set right
        for _ in range(3):
            assert attempt(db, CODE, "ana", after(day * 86400)) == 0
    assert attempt(db, CODE, "ana", EIGHT) == 60
    count_wrong(db, CODE, "ben", after(86400))
    assert must_wait(db, CODE, "ben", EIGHT) == 0
    count_wrong(db, CODE, "ana", EIGHT)
    assert rows(db) == {("code", ""): 10, ("code", "ana"): 60}, "tomorrow all was forgiven"


@pytest.mark.parametrize("what", Tried)
def test_workers_share_the_count_of_tries(db, database_url, what):
    with closing(Database(database_url)) as other:
        for one in (db, other, db):
            assert attempt(one, what, "ana", EIGHT) == 0
        assert attempt(other, what, "ana", EIGHT) == 60


def test_of_many_simultaneous_tries_only_the_allowed_pass_and_guesses_count_up_to_the_limit(db):
    answers = at_once(8, lambda _: [attempt(db, CODE, "ana", EIGHT) for _ in range(3)])
    assert [wait for each in answers for wait in each].count(0) == 3
    at_once(8, lambda _: [count_wrong(db, CODE, "ben", EIGHT) for _ in range(3)])
    assert rows(db) == {("code", ""): 50, ("code", "ana"): 180, ("code", "ben"): 180}
    assert must_wait(db, CODE, "ben", EIGHT) == 60


def test_a_try_that_comes_between_looking_and_counting_is_not_lost(db, monkeypatch):
    for _ in range(3):
        attempt(db, CODE, "ana", EIGHT)
    stored, seen = rate_limits.forgiven_at, [0, 0]  # what it looked like a moment ago
    monkeypatch.setattr(
        rate_limits, "forgiven_at", lambda *given: seen.pop() if seen else stored(*given)
    )
    before = rows(db)
    assert attempt(db, CODE, "ana", EIGHT) == 1
    assert rows(db) == before


# -- guessing digits ------------------------------------------------------------------------------


def guess(db: Database, who: str, when: float = 0) -> int:
    """Try wrong digits; return how many seconds the try has to wait."""
    wait = must_wait(db, CODE, who, after(when))
    if wait == 0:
        count_wrong(db, CODE, who, after(when))
    return wait


def test_after_too_many_wrong_guesses_the_next_one_has_to_wait(db):
    assert [guess(db, "ana") for _ in range(4)] == [0, 0, 0, 60]
    assert guess(db, "ana", 59.5) == 1
    assert guess(db, "ana", 60) == 0
    assert guess(db, "ana", 60) == 60


def test_a_right_guess_counts_nothing_and_does_not_wait_for_other_clients(db):
    for _ in range(20):
        assert must_wait(db, CODE, "ana", EIGHT) == 0
    assert rows(db) == {}
    for number in range(40):
        assert guess(db, f"client {number}") == 0
    assert must_wait(db, CODE, "ana", EIGHT) == 0


def test_while_all_together_guess_too_often_each_client_has_one_try_at_a_time(db):
    for number in range(5):
        assert guess(db, f"client {number}") == 0
    assert guess(db, "ana") == 0
    assert guess(db, "ana", 1) == 9, "they all may try again before Ana is forgiven"
    for number in range(5):  # and so they do
        guess(db, f"other {number}", 50)
    assert guess(db, "ana", 59) == 1, "Ana is forgiven before they all may try again"
    assert guess(db, "ana", 60) == 0
