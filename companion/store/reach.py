"""Whether a database's server can be reached; while it cannot, nobody waits for it in vain."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from time import monotonic

from companion.store.problems import UNREACHABLE, DatabaseProblem


class Reach:
    """Refuses at once what would wait in vain. Threads may share it.

    Who has waited in vain tells the others. From then on each is refused, and a thread of its own
    finds out whether the server is back: one at a time, when somebody asks, with a pause between.
    """

    def __init__(
        self,
        attempt: Callable[[], None],
        *,
        long: float = 1.0,
        pause: float = 1.0,
        moment: float = 0.25,
    ) -> None:
        """`attempt` reaches the server, or raises DatabaseProblem. The others are seconds.

        Who is told sooner than after `long` that it cannot be reached has held nobody up. `pause`
        is between two attempts. Whose question begins one waits a `moment` for it: it takes no
        more where the server is back, and then that question is answered, too.
        """
        self._attempt = attempt
        self._long = long
        self._pause = pause
        self._moment = moment
        self._lock = Lock()
        self.is_lost = False
        """Whether somebody has waited in vain, and nobody has reached it since."""
        self._is_trying = False
        self._next = 0.0

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Asks the server something. Raises DatabaseProblem (unreachable) where that is in vain."""
        self._require()
        begun = monotonic()
        try:
            yield
        except DatabaseProblem as problem:
            if problem.reason == UNREACHABLE[0] and monotonic() - begun >= self._long:
                self.is_lost = True
            raise

    def _require(self) -> None:
        if not self.is_lost:
            return
        with self._lock:
            begins = not self._is_trying and monotonic() >= self._next
            self._is_trying |= begins
        if begins:
            # On its own, and no reason for the process to live: it may take long.
            trying = Thread(target=self._try, name="companion-reach", daemon=True)
            trying.start()
            trying.join(self._moment)
        if self.is_lost:
            raise DatabaseProblem(*UNREACHABLE)

    def _try(self) -> None:
        is_lost = False
        try:
            self._attempt()
        except DatabaseProblem as problem:
            is_lost = problem.reason == UNREACHABLE[0]
        finally:
            with self._lock:
                self.is_lost = is_lost
                self._is_trying = False
                self._next = monotonic() + self._pause
