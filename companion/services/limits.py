"""How often something may be tried, by one client and by all of them, in every worker together.

Wrong keys, new notebooks and codes are limited. A right key is never counted and never refused:
whoever guesses behind the same address as a house must not lock it out of its own games.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from companion.store import Database, count_try, forget_past_tries, forgiven_at, now_in

EVERYBODY: Final = ""


class Tried(StrEnum):
    """What is limited."""

    WRONG_KEY = "wrong key"
    """A house key or a viewer's key that opens nothing: to be counted only when it was wrong."""
    NOTEBOOK = "notebook"
    """A new notebook for somebody who has the house key."""
    CODE = "code"
    """A short code. It can be guessed, so it must be counted before it is looked at."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """``at_once`` tries without a pause, and then one more every ``seconds``."""

    at_once: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Too often: the next try is possible in so many seconds, at least 1."""

    seconds: int


# What one client may do, and what all of them together may. The second number also bounds how many
# rows there can be, and how often anything is written at all.
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
    if who == EVERYBODY:
        raise ValueError("A client has to be told from all of them.")
    one, all_of_them = ALLOWED[what]
    with db.read() as session:
        now = int((at or now_in(session)).timestamp() * 1000)
        # All of them first: who writes that row is alone with these rows until the end.
        limits = [_Limit(EVERYBODY, now, all_of_them), _Limit(who, now, one)]
        too_early = max(forgiven_at(session, what, limit.who) - limit.latest for limit in limits)
    if too_early > 0:
        return Wait(-(-too_early // 1000))
    try:
        with db.write(f"tries of {what}") as session:
            for limit in limits:
                if not count_try(
                    session, what, limit.who, now=now, cost=limit.cost, latest=limit.latest
                ):
                    raise _TooLate
            forget_past_tries(session, what, now)
    except _TooLate:
        return Wait(1)
    return None


class _TooLate(Exception):
    """Another worker has counted the last one that was left, since this one looked."""


class _Limit:
    """What a client may do now, in milliseconds."""

    def __init__(self, who: str, now: int, allowance: Allowance) -> None:
        self.who = who
        self.cost = allowance.seconds * 1000
        self.latest = now + (allowance.at_once - 1) * self.cost
