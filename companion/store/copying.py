"""Copies of a whole database, taken at one moment of it while it is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, select

from companion.store.database import HEAD, Database
from companion.store.durable import make_private
from companion.store.installation import Installation
from companion.store.problems import DatabaseProblem
from companion.store.sqlite_file import told_in_sentences
from companion.store.tables import NOTEBOOK, StoredRow
from companion.store.whole import version_of

_AT_ONCE = 1000


def copy_database(installation: Installation, copy: Path) -> None:
    """Write the database as it is at this moment into a new SQLite file. Writers go on meanwhile.

    Raises DatabaseProblem; OSError if the copy cannot be made.
    """
    file = installation.file
    if file is None:
        _copy_rows_into_file(installation.url, copy)
        return
    if not file.is_file():
        raise DatabaseProblem("cannot_open", f"There is no database at {file} yet.")
    with told_in_sentences():
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as source:
            copy_pages(source, copy)


def copy_pages(source: sqlite3.Connection, copy: Path) -> None:
    """Write what a connection sees into a new file. Raises DatabaseProblem."""
    make_private(copy)
    with told_in_sentences(), closing(sqlite3.connect(copy)) as target:
        source.backup(target)  # all pages in one step: one moment
        target.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it


def copy_rows(source: Connection, target: Connection) -> None:
    """Write every row of our tables into the same, empty tables of another database."""
    for table in StoredRow.metadata.sorted_tables:
        # A server would send all of them at once, and then take the reader for one who sleeps.
        found = source.execute(
            select(table), execution_options={"stream_results": True, "max_row_buffer": _AT_ONCE}
        ).mappings()
        for some in found.partitions(_AT_ONCE):
            target.execute(table.insert(), [dict(row) for row in some])


def empty_tables(target: Connection) -> None:
    """Remove every row of our tables."""
    for table in reversed(StoredRow.metadata.sorted_tables):
        target.execute(table.delete())


def is_empty(target: Connection) -> bool:
    """Whether there is no notebook in our tables, and so nothing at all that anybody wrote."""
    return target.execute(select(NOTEBOOK.c.id).limit(1)).first() is None


def _copy_rows_into_file(url: str, copy: Path) -> None:
    make_private(copy)
    source, target = Database(url), Database(f"sqlite:///{copy}")
    try:
        target.migrate()
        with source.read() as reading, target.write() as writing:
            if version_of(reading) != HEAD:
                raise DatabaseProblem(
                    "older",
                    "The database is not of this version of the program. Bring it up to date with"
                    " `python3 -m companion migrate`, and try again.",
                )
            copy_rows(reading.connection(), writing.connection())
    finally:
        target.close()
        source.close()
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
