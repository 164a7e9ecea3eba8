"""Who finds out whether the database's server can be reached, and who need not wait for that."""

import threading

import pytest

from companion.store import DatabaseProblem
from companion.store.problems import BUSY, UNREACHABLE
from companion.store.reach import Reach

PATIENCE = 60.0
LATER = 3600.0  # seconds until another attempt: not in this test


class Server:
    """What is tried to be reached: how often, and what comes of it."""

    def __init__(self, *says: DatabaseProblem | None) -> None:
        self.says = [*says]
        self.tries = 0
        self.may_answer = threading.Event()
        self.may_answer.set()

    def attempt(self) -> None:
        self.tries += 1
        assert self.may_answer.wait(PATIENCE)
        if (problem := self.says.pop(0)) is not None:
            raise problem


def unreachable() -> DatabaseProblem:
    return DatabaseProblem(*UNREACHABLE)


def ask(reach: Reach, problem: DatabaseProblem | None = None) -> str:
    """How a question fares that meets this: asked, or refused before; and what its problem is."""
    fared = "refused"
    try:
        with reach.asked():
            fared = "asked"
            if problem is not None:
                raise problem
    except DatabaseProblem as met:
        return f"{fared}: {met.reason}"
    return fared


def lost(server: Server, **seconds: float) -> Reach:
    """As it is once somebody has waited in vain."""
    reach = Reach(server.attempt, long=0, **{"pause": LATER, "moment": PATIENCE} | seconds)
    assert ask(reach, unreachable()) == "asked: unreachable"
    return reach


def test_whoever_is_told_quickly_has_held_nobody_up() -> None:
    server = Server()
    reach = Reach(server.attempt, long=LATER)
    for _ in range(3):
        assert ask(reach, unreachable()) == "asked: unreachable"
    assert ask(reach) == "asked"
    assert server.tries == 0


def test_what_is_locked_is_within_reach() -> None:
    server = Server()
    reach = Reach(server.attempt, long=0)
    for _ in range(3):
        assert ask(reach, DatabaseProblem(*BUSY)) == "asked: locked"
    assert server.tries == 0


def test_after_somebody_has_waited_in_vain_the_others_are_refused_and_one_attempt_is_made() -> None:
    server = Server(unreachable())
    reach = lost(server)
    for _ in range(5):
        assert ask(reach) == "refused: unreachable"
    assert server.tries == 1


def test_nobody_waits_for_an_attempt_that_takes_long() -> None:
    server = Server(None)
    server.may_answer.clear()
    reach = lost(server, moment=0)
    for _ in range(5):
        assert ask(reach) == "refused: unreachable"  # or this test would not come to its end
    assert server.tries == 1
    server.may_answer.set()
    while ask(reach) != "asked":  # the attempt is on a thread of its own
        threading.Event().wait(0.01)
    assert server.tries == 1


def test_where_the_server_is_back_whoever_finds_that_is_answered() -> None:
    server = Server(None)
    reach = lost(server)
    for _ in range(3):
        assert ask(reach) == "asked"
    assert server.tries == 1


def test_after_a_pause_another_attempt_is_made() -> None:
    server = Server(unreachable(), unreachable(), None)
    reach = lost(server, pause=0)
    assert [ask(reach) for _ in range(3)] == ["refused: unreachable"] * 2 + ["asked"]
    assert server.tries == 3


@pytest.mark.parametrize("reason", ["refused", "locked", "cannot_open"])
def test_a_server_that_gives_a_reason_is_reached(reason: str) -> None:
    server = Server(DatabaseProblem(reason, "A sentence."))
    assert ask(lost(server)) == "asked"
