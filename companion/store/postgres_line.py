"""A connection to PostgreSQL that is given up when nothing is heard on it any more."""

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.rows import TupleRow

Answer = TypeVar("Answer")


class Line(psycopg.Connection[TupleRow]):
    """A connection that knows how long it may take until the server says something.

    A machine that has vanished is noticed by the kernel: nobody acknowledges its packets. The
    machine of a server that is frozen still does, and only the answer never comes.
    """

    patience: float | None = None
    """How many seconds may pass without a word from the server; None: as many as it takes."""

    def wait(self, gen: PQGen[Answer], *args: Any, **kwargs: Any) -> Answer:
        """Wait for an answer, as the driver does everywhere. Raises OperationalError."""
        return super().wait(self._listen(gen), *args, **kwargs)

    def _listen(self, gen: PQGen[Answer]) -> Generator[Any, Any, Answer]:
        """Hand on what the driver asks of the socket, and close it once the patience is over."""
        try:
            awaited = next(gen)
            heard = monotonic()
            while True:
                # The driver comes back several times a second, also where there is nothing.
                ready = yield awaited
                now = monotonic()
                if ready:
                    heard = now
                elif self.patience is not None and now - heard >= self.patience:
                    self.close()
                    raise psycopg.OperationalError("The server has not said a word for too long.")
                awaited = gen.send(ready)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
