"""Threads that begin at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Answer = TypeVar("_Answer")


def at_once(count: int, ask: Callable[[int], _Answer]) -> list[_Answer]:
    """Call `ask` in `count` threads at the same moment, with their numbers; return the results."""
    barrier = threading.Barrier(count)

    def wait_and_ask(number: int) -> _Answer:
        barrier.wait(60)
        return ask(number)

    with ThreadPoolExecutor(count) as threads:
        return [*threads.map(wait_and_ask, range(count))]
