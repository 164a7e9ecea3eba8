"""A program that restores and is killed: `restoring.py FOLDER BACKUP`, then a step on each line.

Each run is a process of its own, forked so that the imports are paid once, and it kills itself at
the step of that number: before a file is given a name, takes another's place, is removed, or is
written to the disk. `killed` is printed, or `restored` if there are no more steps.
"""

import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from companion.services import backups
from companion.store.installation import Installation

NOW = datetime(2024, 5, 4, 9, tzinfo=UTC)


def restore(folder: str, backup: str, last: int) -> None:
    steps = 0

    def killing(does: Callable[..., object]) -> Callable[..., object]:
        def counted(*given: object, **named: object) -> object:
            nonlocal steps
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return does(*given, **named)

        return counted

    for owner, name in ((os, "link"), (os, "fsync"), (Path, "replace"), (Path, "unlink")):
        setattr(owner, name, killing(getattr(owner, name)))
    with backups.ready(Installation.in_folder(Path(folder)), Path(backup)) as ready:
        ready.put_in_place(NOW)


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            restore(*sys.argv[1:], int(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else f"restored {status}", flush=True)
