"""Rate limits for keys, new notebooks and codes, for all workers together.

What nobody can guess (keys, links, recovery codes) is looked at first and counted if it was wrong:
the right one is never refused, whoever guesses, and from wherever. New notebooks are counted before
they are made.

Digits can be guessed. A client with too many wrong tries has to wait before the next is looked at,
and while all clients together have too many, so does every client with one at all. A client without
a wrong try never waits: guessing elsewhere locks nobody out. See `transfer` for what digits are
worth.

The database has one row for each client that tries, with the moment at which all that it tried will
be forgiven, in milliseconds since 1970. Each try puts that off; a row from the past counts no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import text
from sqlmodel import Session, col, delete, select

from companion.store import Database, now_in
from companion.store.models import RateRow

EVERYBODY: Final = ""
# One statement both decides and counts, whatever other processes do meanwhile. It is in words that
# SQLite and PostgreSQL share, for SQLAlchemy knows each one's upsert by another name.
_TRY: Final = text(
    "INSERT INTO rate (what, who, forgiven_at) VALUES (:what, :who, :now + :cost)"
    " ON CONFLICT (what, who) DO UPDATE SET forgiven_at ="
    " CASE WHEN rate.forgiven_at > :now THEN rate.forgiven_at ELSE :now END + :cost"
    " WHERE rate.forgiven_at <= :latest RETURNING forgiven_at"
)


class Tried(StrEnum):
    """What is limited."""

    WRONG_KEY = "wrong key"
    """A house key, a link or a recovery code that opens nothing: `attempt`, once it was wrong."""
    NOTEBOOK = "notebook"
    """A new notebook for somebody who has the house key: `attempt` before it is made."""
    CODE = "code"
    """The digits of a code: `must_wait` before anybody looks, `count_wrong` if they were wrong."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """``at_once`` tries without a pause, and then one more every ``seconds``."""

    at_once: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Too often: the next try is possible in so many seconds, at least 1."""

    seconds: int


# What one client may do, and what all of them together may. For `attempt` the second number also
# bounds how many rows there can be, and how often anything is written at all.
ALLOWED: Final[dict[Tried, tuple[Allowance, Allowance]]] = {
    Tried.WRONG_KEY: (Allowance(30, 10), Allowance(3000, 1)),
    Tried.NOTEBOOK: (Allowance(200, 30), Allowance(2000, 2)),
    Tried.CODE: (Allowance(10, 60), Allowance(100, 6)),
}


def attempt(db: Database, what: Tried, who: str, at: datetime | None = None) -> Wait | None:
    """Count a try by a client; how long it has to wait, if it may not try now.

    ``who`` is a digest of the client's address; ``at`` is the present moment, which the database
    says if nobody else does. What is refused is not counted and writes nothing. Raises
    `companion.store.DatabaseProblem`, and ``ValueError`` if the client is nobody.
    """
    with db.read() as session:
        now = _milliseconds(session, at)
        limits = _limits(what, who, now)
        too_early = max(forgiven_at(session, what, limit.who) - limit.latest for limit in limits)
    if too_early > 0:
        return _wait(too_early)
    try:
        with db.write(f"tries of {what}") as session:
            if not all(limit.count(session, what) for limit in limits):
                raise _TooLate
            _sweep(session, what, now)
    except _TooLate:
        return Wait(1)
    return None


def must_wait(db: Database, what: Tried, who: str, at: datetime | None = None) -> Wait | None:
    """How long a client has to wait before its next try is looked at; None if it need not wait.

    Nothing is counted. Raises as `attempt` does.
    """
    with db.read() as session:
        now = _milliseconds(session, at)
        everybody, client = _limits(what, who, now)
        own = forgiven_at(session, what, who)
        if own <= now:
            return None
        of_all = forgiven_at(session, what, EVERYBODY)
    too_early = max(own - client.latest, min(of_all - everybody.latest, own - now))
    return _wait(too_early) if too_early > 0 else None


def count_wrong(db: Database, what: Tried, who: str, at: datetime | None = None) -> None:
    """Count a try that was wrong. Several at the same moment may each be one too many."""
    with db.write(f"tries of {what}") as session:
        now = _milliseconds(session, at)
        for limit in _limits(what, who, now):
            limit.count(session, what)
        _sweep(session, what, now)


def _milliseconds(session: Session, at: datetime | None) -> int:
    return int((at or now_in(session)).timestamp() * 1000)


def forgiven_at(session: Session, what: Tried, who: str) -> int:
    """Return when all that one client has tried will be forgiven; 0 if it has tried nothing."""
    row = select(RateRow.forgiven_at).where(RateRow.what == what, RateRow.who == who)
    return session.exec(row).first() or 0


def _sweep(session: Session, what: Tried, now: int) -> None:
    """Remove the rows of those who have been forgiven all of it."""
    past = (col(RateRow.what) == what) & (col(RateRow.forgiven_at) < now)
    session.exec(delete(RateRow).where(past))


def _wait(milliseconds: int) -> Wait:
    return Wait(-(-milliseconds // 1000))


class _TooLate(Exception):
    """Another worker has counted the last one that was left, since this one looked."""


def _limits(what: Tried, who: str, now: int) -> tuple[_Limit, _Limit]:
    """What all of them and a client may do now. Who writes the first row is alone with both."""
    if who == EVERYBODY:
        raise ValueError("A client has to be told from all of them.")
    one, all_of_them = ALLOWED[what]
    return _Limit(EVERYBODY, now, all_of_them), _Limit(who, now, one)


class _Limit:
    """What a client may do now, in milliseconds."""

    def __init__(self, who: str, now: int, allowance: Allowance) -> None:
        self.who = who
        self.now = now
        self.cost = allowance.seconds * 1000
        self.latest = now + (allowance.at_once - 1) * self.cost

    def count(self, session: Session, what: Tried) -> bool:
        """Count a try, unless it is one too many; whether it was counted."""
        tried = {"what": what, "who": self.who, "now": self.now}
        tried |= {"cost": self.cost, "latest": self.latest}
        return session.connection().execute(_TRY, tried).first() is not None
