"""Backup files: copy a database into one SQLite file, check it, and put it in place again.

A backup is an SQLite file, whatever database it was made from. One more table, the seal, holds the
time, the keys of the installation and a digest of every row. SQLite's own check only looks at the
structure; the digest also finds a changed letter.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, select
from sqlmodel import Session

from companion.store import sqlite
from companion.store.database import HEAD, Database, DatabaseProblem, version_of
from companion.store.installation import (
    KEY_FILES,
    Installation,
    files_of,
    flush,
    holds_keys,
    make_like,
    remove,
    replace_private,
)
from companion.store.models import VERSION_TABLE, StoredRow

_INSERT: Final = "INSERT INTO companion_backup VALUES (?, ?)"
_FORMAT: Final = "1"
_ROWS_AT_ONCE: Final = 1000
_REFUSALS: Final = {
    "cannot_open": "There is no file {file} that can be read.",
    "foreign": "{file} is not a backup of the companion. Name a file that `backup` or the server"
    " made.",
    "damaged": "{file} is damaged. Use another backup.",
    "newer": "{file} was made by a later version of this program ({version}; this one knows"
    f" {HEAD}). Restore it with that version.",
}


def _refusal(reason: str, file: Path, version: str = "") -> DatabaseProblem:
    return DatabaseProblem(reason, _REFUSALS[reason].format(file=file, version=version))


class Seal(NamedTuple):
    """When a backup was made, and the texts of the key files in it, by their names: secrets."""

    made_at: datetime
    keys: Mapping[str, str]


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Turn a copy of a database, which nobody has open, into a backup.

    Raises DatabaseProblem: damaged if SQLite finds faults in the file.
    """
    with sqlite.problems(), closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it
        # The table is there if somebody renamed a backup to companion.sqlite3 and used it.
        connection.execute("DROP TABLE IF EXISTS companion_backup")
        connection.execute(
            "CREATE TABLE companion_backup (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
        )
        rows = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(_INSERT, sorted(rows.items()))
        digest = _digest(connection)
        if digest is None:
            raise DatabaseProblem(*sqlite.DAMAGED)
        connection.execute(_INSERT, ("digest", digest))


def read_seal(file: Path, name: Path | None = None) -> Seal:
    """Check that a backup is unchanged, and return its seal.

    `name` is the path to show in messages, if `file` is a copy. Raises DatabaseProblem:
    cannot_open, foreign, newer or damaged.
    """
    name = name or file
    try:
        with closing(sqlite.read_only(file, "mode=ro&immutable=1")) as connection:
            tables = dict(connection.execute(sqlite.TABLES))
            if not {"companion_backup", VERSION_TABLE} <= tables.keys():
                raise _refusal("foreign", name)
            # Damaged rows may not be text, so nothing else is read before the digest.
            digest = connection.execute("SELECT value FROM companion_backup WHERE name = 'digest'")
            if digest.fetchone() != (_digest(connection),):
                raise _refusal("damaged", name)
            rows: dict[str, str] = dict(connection.execute("SELECT * FROM companion_backup"))
            (version,) = connection.execute("SELECT version_num FROM companion_version").fetchone()
    except sqlite3.Error as error:
        reasons = {sqlite3.SQLITE_NOTADB: "foreign", sqlite3.SQLITE_CANTOPEN: "cannot_open"}
        raise _refusal(reasons.get(sqlite.primary_code(error), "damaged"), name) from error
    if rows["format"] != _FORMAT or version > HEAD:
        raise _refusal("newer", name, version)
    # Older versions also stored key files without a key in them.
    keys = {one: rows[one] for one in KEY_FILES if holds_keys(one, rows.get(one, ""))}
    return Seal(datetime.fromisoformat(rows["made_at"]), keys)


def _digest(connection: sqlite3.Connection) -> str | None:
    """Return the SHA-256 of every table's definition and rows, except the digest itself.

    Returns None if SQLite finds faults in the file.
    """
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return None
    digest = hashlib.sha256()
    connection.text_factory = bytes  # damaged text may not decode
    for name, definition in connection.execute(sqlite.TABLES).fetchall():
        digest.update(name + b"\0" + definition + b"\0")
        table = '"' + name.decode().replace('"', '""') + '"'
        but = " WHERE name <> 'digest'" if name == b"companion_backup" else ""
        for row in connection.execute(f"SELECT * FROM {table}{but} ORDER BY rowid"):  # noqa: S608
            digest.update(repr(row).encode())
    connection.text_factory = str
    return digest.hexdigest()


# -- reading and copying a database while it is in use ---------------------------------------------


@contextmanager
def reading(installation: Installation) -> Iterator[Session]:
    """A session that reads the database and changes nothing. Raises DatabaseProblem."""
    if installation.file:
        with sqlite.reading_file(installation.file) as session:
            yield session
    else:
        with closing(Database(installation.url)) as database, database.read() as session:
            yield session


def copy_backup(backup: Path, copy: Path) -> Seal:
    """Copy a backup, check the copy and return its seal. Raises as `read_seal`; OSError."""
    if not backup.is_file():
        raise _refusal("cannot_open", backup)
    shutil.copyfile(backup, copy)
    return read_seal(copy, backup)


def copy_database(installation: Installation, copy: Path) -> None:
    """Copy one moment of a database into an empty file, while others write.

    Finishes an interrupted restore first. Raises DatabaseProblem; OSError if the copy cannot be
    written.
    """
    finish_restore(installation)
    file = installation.file
    if file is None:
        with closing(Database(f"sqlite:///{copy}")) as target, reading(installation) as source:
            if version_of(source.connection()) != HEAD:
                raise DatabaseProblem(
                    "older",
                    "The database is at another version than this program. Run `python3 -m"
                    " companion migrate`, and try again.",
                )
            target.migrate()
            with target.write() as writes:
                copy_rows(source.connection(), writes.connection())
    elif not file.is_file():
        raise DatabaseProblem("cannot_open", f"There is no database at {file} yet.")
    else:
        with sqlite.problems(), closing(sqlite.read_only(file)) as connection:
            sqlite.copy_pages(connection, copy)


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy every row of our tables into the same, empty tables of another database."""
    for table in StoredRow.metadata.sorted_tables:
        # PostgreSQL would send all rows at once, and then end our transaction as idle.
        found = source.execute(
            select(table),
            execution_options={"stream_results": True, "max_row_buffer": _ROWS_AT_ONCE},
        ).mappings()
        for some in found.partitions(_ROWS_AT_ONCE):
            target.execute(table.insert(), [dict(row) for row in some])


# -- replacing a database file and the keys, even if the program is killed half-way ----------------
#
# The new database carries its keys in a table, `companion_restoring`. It replaces the old file in
# one step. Then the keys go into their files and the table is dropped. If the program is killed
# between, the next start finds the table and finishes.


def put_in_place(
    draft: Path, keys: Mapping[str, str], installation: Installation, file: Path
) -> None:
    """Replace a database file, which nobody has open, and these keys by a copy of a backup."""
    with closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA secure_delete=ON")
        with connection:
            connection.execute("DELETE FROM companion_backup")
            connection.executemany(_INSERT, keys.items())
            connection.execute("ALTER TABLE companion_backup RENAME TO companion_restoring")
    make_like(draft, file, rights=True)
    flush(draft)
    remove(*files_of(file)[1:])  # SQLite would play the old log into the new file
    draft.replace(file)
    flush(file.parent)
    finish_restore(installation)


def is_interrupted(installation: Installation) -> bool:
    """True if a restore began and did not finish."""
    file = installation.file
    return file is not None and "companion_restoring" in sqlite.tables_in(file)


def finish_restore(installation: Installation) -> None:
    """Finish an interrupted restore. Call this before the database is opened.

    Raises DatabaseProblem and OSError.
    """
    if installation.file is None or not is_interrupted(installation):
        return
    with sqlite.problems(), closing(sqlite3.connect(installation.file)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if is_interrupted(installation):  # else another process was quicker
                for name, text in connection.execute("SELECT * FROM companion_restoring"):
                    replace_private(installation.folder / name, text)
                connection.execute("DROP TABLE companion_restoring")
