"""Putting a database in another's place: while nobody has it open, and never by half.

The new files lie beside the old ones before anything is touched. Then a note says what takes the
place of what; from that moment on the old ones are given up, and whoever is interrupted finds the
note at the next start and goes on. Before that moment nothing has happened.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from companion.store.copying import copy_pages
from companion.store.durable import flush, write_private
from companion.store.installation import Installation
from companion.store.problems import DatabaseProblem
from companion.store.sqlite_file import primary_code

# Where SQLite's readers lock a file, whatever is in it.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510


def draft_of(path: Path) -> Path:
    """Where the file lies that is to take the place of this one."""
    return path.with_name(f".{path.name}.restored")


@contextmanager
def alone(file: Path) -> Iterator[Callable[[Path], None] | None]:
    """Keep everybody else out of a database; meanwhile, what copies it into an empty file.

    None where there is nothing, or nothing that SQLite can read.

    Raises DatabaseProblem (in_use) if a server or another program has it open.
    """
    if not file.exists():
        yield None
        return
    with closing(sqlite3.connect(file, isolation_level=None, timeout=1)) as connection:
        try:
            # Whoever has a file with a write-ahead log open is in the way of this.
            connection.execute("PRAGMA journal_mode=DELETE")
            # Keep the lock after the transaction, as nothing can be copied within one.
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise _in_use() from error
        else:
            yield partial(copy_pages, connection)
            return
    with _alone_with_bytes(file):
        yield None


def replace(installation: Installation, targets: Mapping[str, Path]) -> None:
    """Put the drafts of these files in their places. `targets` must be all on the disk."""
    for target in targets.values():
        flush(draft_of(target))
        flush(target.parent)
    note = _note(installation)
    draft = note.with_name(f".{note.name}")
    write_private(draft, json.dumps({name: str(path) for name, path in targets.items()}))
    draft.replace(note)
    flush(note.parent)
    go_on(installation)


def is_interrupted(installation: Installation) -> bool:
    """Whether a restore was begun that has not come to its end."""
    return _note(installation).exists()


def go_on(installation: Installation) -> None:
    """Do what the note says is still to be done. Doing it twice is doing it once."""
    note = _note(installation)
    for name, path in json.loads(note.read_text(encoding="utf-8")).items():
        target = Path(path)
        draft = draft_of(target)
        if not draft.exists():
            continue
        if name == "database":  # a log of the old one would be played into the new one
            for kind in ("-wal", "-shm", "-journal"):
                target.with_name(target.name + kind).unlink(missing_ok=True)
        draft.replace(target)
        flush(target.parent)
    note.unlink()
    flush(note.parent)


def finish_restore(installation: Installation) -> None:
    """Bring a restore to its end that was interrupted; to be called before anything is opened.

    Raises DatabaseProblem (in_use) if it is still going on.
    """
    if not is_interrupted(installation):
        return
    with alone(installation.file) if installation.file else nullcontext():
        if is_interrupted(installation):
            go_on(installation)


def _note(installation: Installation) -> Path:
    return installation.folder / "restoring.json"


def _in_use() -> DatabaseProblem:
    return DatabaseProblem(
        "in_use",
        "The database is in use. Stop the server (Ctrl-C, or its service), and whatever else has"
        " it open, and try again. Nothing was changed.",
    )


@contextmanager
def _alone_with_bytes(file: Path) -> Iterator[None]:
    """As `alone`, for a file that SQLite cannot read but that a server may have open."""
    if os.name == "nt":  # there nobody replaces a file that another has open
        yield
        return
    import fcntl

    with file.open("r+b") as opened:
        try:
            fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except OSError as error:
            raise _in_use() from error
        yield
