"""A program to be killed: `appending.py URL GAME MARKER`, then the name of a run on each line.

Each run is a process of its own, forked so that the imports are paid once. It prints its process
id, and then for ever `writing N` inside the transaction that writes event N and `written N` when
that event is acknowledged. When it is gone, `gone` is printed and the next line is read.
"""

import json
import os
import sys
from datetime import UTC, datetime

from companion import store
from tests.store.games import last_number


def say(line: str) -> None:
    # Past every buffer: what was said before the kill must reach the parent.
    os.write(1, f"{line}\n".encode())


def append_for_ever(url: str, game_id: str, marker_id: str, run: str) -> None:
    database = store.Database(url)
    database.migrate()
    with database.read() as session:
        last = last_number(session, game_id)
    say(str(os.getpid()))
    while True:
        with database.write() as session:
            event = store.EventRow(
                game_id=game_id,
                number=last + 1,
                key=f"{run}-{last + 1}",
                at=datetime(2024, 5, 3, 20, tzinfo=UTC),
                marker_id=marker_id,
                kind="HandMarked",
                payload=json.dumps({"run": run}),
            )
            projection = store.Projection(f"after {last + 1}", "", "{}")
            last = store.append(session, event, projection).number
            say(f"writing {last}")
        say(f"written {last}")


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            append_for_ever(*sys.argv[1:], line.strip())
        os.waitpid(child, 0)
        say("gone")
