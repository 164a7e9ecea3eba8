"""Killed without warning, the store has kept every event that it acknowledged."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion import store

# After so many lines of the child: the odd ones are said inside a transaction, before its commit.
KILLS = [1, 2, 3, 4, 7, 12, 31]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_every_acknowledged_event_survives_a_kill(database, stored_in, database_url, ana, game):
    database.close()
    program = subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).with_name("appending.py")),
            database_url,
            game.id,
            ana.id,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(store.__file__).parents[2])},
    )
    with program:
        acknowledged: list[tuple[int, str]] = []
        last = 0
        for lines in KILLS:
            run = f"run-{lines}"
            program.stdin.write(f"{run}\n")
            program.stdin.flush()
            child = int(program.stdout.readline())
            said = [program.stdout.readline().split() for _ in range(lines)]
            os.kill(child, signal.SIGKILL)
            # What it went on to say between our reading and its end counts as well.
            while (line := program.stdout.readline()) != "gone\n":
                said.append(line.split())

            numbers = [int(number) for word, number in said if word == "written"]
            acknowledged += [(number, run) for number in numbers]
            with database.read() as session:
                records = store.load(session, game.id)
                row = store.game_of_marker(session, game.id, ana.id)
            assert [record.number for record in records] == list(range(1, len(records) + 1))
            # At most the one that was being written when the kill came is there unacknowledged.
            assert len(records) - (numbers[-1] if numbers else last) in (0, 1)
            assert row.last_number == len(records)
            assert row.title == (f"after {len(records)}" if records else "Friday")
            last = len(records)
            database.close()
        program.stdin.close()

    assert program.returncode == 0
    assert len(acknowledged) > len(KILLS)
    kept = {record.number: json.loads(record.payload)["run"] for record in records}
    assert [(number, run) for number, run in acknowledged if kept.get(number) != run] == []
    if stored_in == "postgresql":  # which has no such check
        return
    with database.read() as session:
        check = session.connection().exec_driver_sql("PRAGMA integrity_check").scalar()
    assert check == "ok"
