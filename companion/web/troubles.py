"""What is wrong with the database: told to the log once, not with each of a thousand requests."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from companion.store import DatabaseProblem

LOG: Final = logging.getLogger("companion.database")
# What comes and goes, such as a lock, is not told anew each time.
QUIET: Final = 600.0


class Troubles:
    """Which troubles there are now: with writing, and with reading. Threads may share it."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        """``now`` is a clock of seconds."""
        self._now = now
        self._lock = threading.Lock()
        self._open: dict[bool, str] = {}
        self._told: dict[str, float] = {}
        self._failed = 0
        self._log_end = False

    def met(self, problem: DatabaseProblem, *, writing: bool) -> None:
        """A request failed because of this."""
        with self._lock:
            self._failed += 1
            if self._open.get(writing) == problem.reason:
                return
            known = problem.reason in self._open.values()  # of the other kind: it is the same one
            self._open[writing] = problem.reason
            now, told = self._now(), self._told.get(problem.reason)
            if known or (told is not None and now - told < QUIET):
                return
            self._told[problem.reason] = now
            self._log_end = True
        LOG.error("%s", problem)

    def went_well(self, *, writing: bool) -> None:
        """A request found the database in order. Reading well says nothing of writing."""
        if not self._open:
            return
        with self._lock:
            self._open.pop(False, None)
            if writing:
                self._open.pop(True, None)
            if self._open:
                return
            failed, self._failed = self._failed, 0
            tell, self._log_end = self._log_end, False
        if tell:  # the end of what was told
            LOG.warning("The database can be used again; %d requests had failed.", failed)
