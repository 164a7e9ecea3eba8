"""Rate limits for keys, new notebooks and codes, for all workers together.

Keys, links and recovery codes cannot be guessed. They are checked first, and counted if they are
wrong, so the right one always works. New notebooks are counted before they are made.

Digits can be guessed. A client with too many wrong tries has to wait before the next is checked.
While all clients together have too many, so does every client with a wrong try. A client without
one never waits: guessing elsewhere locks nobody out. `phones` says how safe digits are.

The database has one row for each client that tries, with the time when all its tries are forgiven,
in milliseconds since 1970. Each try delays that. A row no longer counts when that time is past, or
so far ahead that only a wrong clock can have written it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlmodel import Session, col, delete, select

from companion.store import Database, now_in
from companion.store.models import RateRow

EVERYBODY: Final = ""
# Milliseconds. No allowance delays the time of a row as long as this.
_MOST_AHEAD: Final = 2 * 60 * 60 * 1000


class Tried(StrEnum):
    """What is limited."""

    WRONG_KEY = "wrong key"
    """A wrong house key, link or recovery code: call `attempt` afterwards."""
    NOTEBOOK = "notebook"
    """A new notebook: call `attempt` before it is made."""
    CODE = "code"
    """The digits of a code: call `must_wait` before the check, `count_wrong` if they are wrong."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """``at_once`` tries without a pause, then one more every ``seconds``."""

    at_once: int
    seconds: int

    def latest(self, now: int) -> int:
        """Return when all tries must be forgiven at the latest, for one more to be allowed now."""
        return now + (self.at_once - 1) * self.seconds * 1000


# The allowance of one client, and of all clients together. For `attempt` the second one also limits
# how many rows there can be, and how often a row is written.
ALLOWED: Final[dict[Tried, tuple[Allowance, Allowance]]] = {
    Tried.WRONG_KEY: (Allowance(30, 10), Allowance(3000, 1)),
    Tried.NOTEBOOK: (Allowance(200, 30), Allowance(2000, 2)),
    Tried.CODE: (Allowance(10, 60), Allowance(100, 6)),
}


def attempt(db: Database, what: Tried, who: str) -> int:
    """Count a try by a client; return how many seconds it has to wait, 0 if it may try now.

    ``who`` is a digest of the client's address. A refused try is not counted and writes nothing.
    Raises `companion.store.DatabaseProblem`.
    """
    with db.read() as session:
        now = _milliseconds(session)
        too_early = _too_early(session, what, who, now)
    if too_early > 0:
        return _seconds(too_early)
    with db.write(f"tries of {what}") as session:
        if _too_early(session, what, who, now) > 0:
            return 1  # another worker has counted the last allowed try since
        _count(session, what, who, now)
    return 0


def must_wait(db: Database, what: Tried, who: str) -> int:
    """Return how many seconds a client has to wait for the check of its next try, 0 for none.

    Counts nothing. Raises as `attempt` does.
    """
    with db.read() as session:
        now = _milliseconds(session)
        client, everybody = ALLOWED[what]
        own = forgiven_at(session, what, who, now)
        if own <= now:
            return 0
        of_all = forgiven_at(session, what, EVERYBODY, now)
    too_early = max(own - client.latest(now), min(of_all - everybody.latest(now), own - now))
    return _seconds(max(too_early, 0))


def count_wrong(db: Database, what: Tried, who: str) -> None:
    """Count a wrong try. Several at the same time may exceed the limit."""
    with db.write(f"tries of {what}") as session:
        _count(session, what, who, _milliseconds(session))


def _milliseconds(session: Session) -> int:
    return int(now_in(session).timestamp() * 1000)


def forgiven_at(session: Session, what: Tried, who: str, now: int) -> int:
    """Return when all tries of a client are forgiven, 0 if there are none."""
    row = select(RateRow.forgiven_at).where(RateRow.what == what, RateRow.who == who)
    return session.exec(row.where(RateRow.forgiven_at <= now + _MOST_AHEAD)).first() or 0


def _too_early(session: Session, what: Tried, who: str, now: int) -> int:
    """Return how many milliseconds too early another try is; 0 or less if it is allowed."""
    return max(
        forgiven_at(session, what, each, now) - allowance.latest(now)
        for each, allowance in zip((who, EVERYBODY), ALLOWED[what], strict=True)
    )


def _count(session: Session, what: Tried, who: str, now: int) -> None:
    """Count a try of a client and of all, up to both limits; delete rows that no longer count."""
    counts = col(RateRow.forgiven_at).between(now, now + _MOST_AHEAD)
    session.exec(delete(RateRow).where(col(RateRow.what) == what, ~counts))
    for each, allowance in zip((who, EVERYBODY), ALLOWED[what], strict=True):
        row = session.get(RateRow, (what, each)) or RateRow(what=what, who=each, forgiven_at=now)
        if row.forgiven_at <= allowance.latest(now):
            row.forgiven_at = max(row.forgiven_at, now) + allowance.seconds * 1000
            session.add(row)


def _seconds(milliseconds: int) -> int:
    return -(-milliseconds // 1000)
