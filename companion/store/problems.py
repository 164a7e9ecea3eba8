"""What can be wrong with a database, in sentences for the person who runs the server."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

# SQLite's primary result codes, which the standard library's names hold as well.
_REASONS = {
    sqlite3.SQLITE_BUSY: (
        "locked",
        "The database was busy for too long. Nothing was written; try again.",
    ),
    sqlite3.SQLITE_FULL: (
        "full",
        "The disk is full. Nothing was written; free some space and try again.",
    ),
    sqlite3.SQLITE_READONLY: (
        "read_only",
        "The database may only be read. Give this user the right to write to it and its folder.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "damaged",
        "The database file is damaged. Stop the server and put back the latest backup.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "damaged",
        "The file is not a database. Name another file, or put back the latest backup.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot_open",
        "The database cannot be opened. Check that its folder exists and may be written to.",
    ),
    sqlite3.SQLITE_IOERR: (
        "disk",
        "The disk did not do what it was asked. Nothing was acknowledged; check the disk.",
    ),
}


class DatabaseProblem(Exception):
    """The database cannot be used, or could not be just now.

    `reason` is one word for the program: locked, full, read_only, damaged, cannot_open, disk, gone
    (the file was removed while it was open), in_use, newer (written by a later version), foreign
    (not this program's) or unsuitable. The message is a sentence that says what to do.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        """`reason` is the word and `sentence` the message."""
        super().__init__(sentence)
        self.reason = reason


@contextmanager
def told_in_sentences() -> Iterator[None]:
    """Turns what SQLite reports of its file and its locks into a DatabaseProblem.

    Everything else, a broken constraint among it, is a mistake in this program and stays as it is.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        code = primary_code(error.orig if isinstance(error, DBAPIError) else error)
        if code not in _REASONS:
            raise
        raise DatabaseProblem(*_REASONS[code]) from error


def locked() -> DatabaseProblem:
    """What to raise for somebody who has waited long enough."""
    return DatabaseProblem(*_REASONS[sqlite3.SQLITE_BUSY])


def primary_code(error: BaseException | None) -> int:
    """SQLite's primary result code of a driver's error, 0 if it has none."""
    # Only the low byte: the rest says more finely what happened.
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
