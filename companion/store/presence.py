"""Whether a database's file is still the one that was opened.

Where a file may be removed or renamed while it is open, SQLite goes on writing into it: each save
would be acknowledged, and gone with the last process that has it open.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, event

from companion.store.problems import DatabaseProblem

_FILE = "companion_file"


def watch(engine: Engine, file: Path) -> None:
    """Let nobody use a connection, nor commit, once the file has gone or another took its place.

    They get a DatabaseProblem (gone) until it is there again. The first connection may make it.
    """
    opened = False

    def identity() -> tuple[int, int] | None:
        try:
            found = file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def connecting(*_: object) -> None:
        if opened and identity() is None:
            raise gone()

    def connected(_: object, record: object) -> None:
        nonlocal opened
        opened = True
        record.info[_FILE] = identity()  # type: ignore[attr-defined]

    def taken(_: object, record: object, __: object) -> None:
        if record.info.get(_FILE) != identity():  # type: ignore[attr-defined]
            engine.dispose()  # what is open leads to the old file
            raise gone()

    def committing(connection: Connection) -> None:
        if connection.info.get(_FILE, identity()) != identity():
            raise gone()

    event.listen(engine, "do_connect", connecting)
    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", taken)
    event.listen(engine, "commit", committing)


def gone() -> DatabaseProblem:
    """What to raise when the file is not there any more."""
    return DatabaseProblem(
        "gone",
        "The database file is not where it was. Nothing was written. Put it back, or stop the"
        " server, restore a backup, and start again.",
    )
