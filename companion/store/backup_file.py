"""Backups: a database copied into one SQLite file, sealed with a digest, and put in place again.

A backup is always SQLite's, whatever database it was made from. One table more, its seal, says when
it was made, and holds the keys of the installation and a digest. So a changed letter in it is
found, which SQLite's own check, made for broken structure, would pass over.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, NullPool, create_engine, select
from sqlmodel import Session, col

from companion.store.database import HEAD, Database, DatabaseProblem, refuse_foreign, version_of
from companion.store.installation import (
    KEY_FILES,
    Installation,
    flush,
    holds_keys,
    make_like,
    make_private,
    replace_private,
)
from companion.store.models import VERSION_TABLE, NotebookRow, StoredRow
from companion.store.sqlite import DAMAGED, primary_code, sqlite_problems

_SEAL = "companion_backup"
_INSERT = f"INSERT INTO {_SEAL} VALUES (?, ?)"  # noqa: S608  # a constant
_FORMAT = "1"
# Keys that a database was put in place with, until they are in their files.
_KEYS = "companion_restoring"
_ROWS_AT_ONCE = 1000
# Where SQLite's readers lock a file, whatever is in it.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
_TABLES = (
    "SELECT name, sql FROM sqlite_master"
    " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
)


@dataclass(frozen=True, slots=True)
class Seal:
    """What a backup says of itself."""

    made_at: datetime
    version: str
    """The migration that its tables are at."""
    keys: Mapping[str, str]
    """The texts of the key files, by their names. Secrets."""


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Make a backup of a database file that nobody else has open.

    Raises DatabaseProblem, damaged among them if SQLite finds the file not in order.
    """
    with sqlite_problems(), closing(sqlite3.connect(file)) as connection, connection:
        # It is there if somebody called a backup companion.sqlite3 and went on with it.
        connection.execute(f"DROP TABLE IF EXISTS {_SEAL}")
        connection.execute(f"CREATE TABLE {_SEAL} (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        says = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(_INSERT, sorted(says.items()))
        connection.execute(_INSERT, ("digest", _digest(connection)))
        if not _is_in_order(connection):
            raise DatabaseProblem(*DAMAGED)


def read_seal(file: Path, name: Path | None = None) -> Seal:
    """Return what a backup says of itself, once all of it was found to be as it was written.

    `name` is what to call it, if it is a copy. Raises DatabaseProblem: cannot_open, foreign (no
    backup of ours), newer or damaged.
    """
    name = name or file
    try:
        with closing(_connected(file, "immutable=1")) as connection:
            return _read(connection, name)
    except sqlite3.Error as error:
        if primary_code(error) == sqlite3.SQLITE_NOTADB:
            raise _no_backup(name) from error
        if primary_code(error) == sqlite3.SQLITE_CANTOPEN:
            raise _no_file(name) from error
        raise _damaged(name) from error


def _read(connection: sqlite3.Connection, name: Path) -> Seal:
    if not {_SEAL, VERSION_TABLE} <= {table for table, _ in connection.execute(_TABLES)}:
        raise _no_backup(name)
    # What was changed may be no text at all any more; so the digest comes before any reading.
    digest = connection.execute(f"SELECT value FROM {_SEAL} WHERE name = 'digest'").fetchone()  # noqa: S608
    if digest != (_digest(connection),) or not _is_in_order(connection):
        raise _damaged(name)
    says: dict[str, str] = dict(connection.execute(f"SELECT name, value FROM {_SEAL}"))  # noqa: S608
    (version,) = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()  # noqa: S608
    if says["format"] != _FORMAT or _is_newer(version):
        raise DatabaseProblem(
            "newer",
            f"{name} was made by a later version of this program ({version}; this one knows"
            f" {HEAD}). Restore it with that version.",
        )
    # An older version also kept a key file in which there was no key.
    keys = {one: says[one] for one in KEY_FILES if holds_keys(one, says.get(one, ""))}
    return Seal(datetime.fromisoformat(says["made_at"]), version, keys)


def _no_file(name: Path) -> DatabaseProblem:
    return DatabaseProblem("cannot_open", f"There is no file {name} that can be read.")


def _no_backup(name: Path) -> DatabaseProblem:
    return DatabaseProblem(
        "foreign",
        f"{name} is no backup of the companion. Name a file that `backup` or the server made.",
    )


def _damaged(name: Path) -> DatabaseProblem:
    return DatabaseProblem(
        "damaged", f"{name} is damaged: it is not what was written. Use another backup."
    )


def _is_in_order(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _is_newer(version: str) -> bool:
    if version == HEAD:
        return False
    from companion.store import migrations

    return version not in migrations.revisions()


def _digest(connection: sqlite3.Connection) -> str:
    """Return the SHA-256 of every table's definition and rows, but for the digest itself."""
    digest = hashlib.sha256()
    factory = connection.text_factory
    connection.text_factory = bytes  # what is damaged may be no text
    try:
        for name, definition in connection.execute(_TABLES).fetchall():
            digest.update(name + b"\0" + definition + b"\0")
            table = '"' + name.decode().replace('"', '""') + '"'
            but = " WHERE name <> 'digest'" if name == _SEAL.encode() else ""
            rows = connection.execute(f"SELECT * FROM {table}{but} ORDER BY rowid")  # noqa: S608
            while some := rows.fetchmany(_ROWS_AT_ONCE):
                digest.update("".join(map(repr, some)).encode())
    finally:
        connection.text_factory = factory
    return digest.hexdigest()


# -- reading and copying a database at one moment of it, while it is in use ------------------------


@contextmanager
def reading(file: Path) -> Iterator[Session]:
    """A session that only reads a database file, and leaves everything about it as it is.

    Raises DatabaseProblem.
    """
    with sqlite_problems():
        engine = create_engine(
            "sqlite://",
            creator=lambda: _connected(file, "mode=ro"),
            poolclass=NullPool,
            hide_parameters=True,
        )
        with Session(engine) as session:
            # One moment of the database, whatever is written meanwhile.
            session.connection().exec_driver_sql("BEGIN")
            yield session


def _connected(file: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{file.resolve().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA query_only=ON")
    # What is no text comes out as something that no sheet and no list accepts.
    connection.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
    return connection


def copy_backup(backup: Path, copy: Path) -> Seal:
    """Copy a backup, and return what the copy says of itself. Raises as `read_seal`; OSError."""
    if not backup.is_file():
        raise _no_file(backup)
    make_private(copy)
    with backup.open("rb") as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return read_seal(copy, backup)


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
    with sqlite_problems(), closing(_connected(file, "mode=ro")) as source:
        _copy_pages(source, copy)


def _copy_pages(source: sqlite3.Connection, copy: Path) -> None:
    make_private(copy)
    with sqlite_problems(), closing(sqlite3.connect(copy)) as target:
        source.backup(target)  # all pages in one step: one moment
        target.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it


def _copy_rows_into_file(url: str, copy: Path) -> None:
    make_private(copy)
    with closing(Database(url)) as source, closing(Database(f"sqlite:///{copy}")) as target:
        target.migrate()
        with source.read() as reading, target.write() as writing:
            if version_of(reading.connection()) != HEAD:
                raise DatabaseProblem(
                    "older",
                    "The database is not of this version of the program. Bring it up to date with"
                    " `python3 -m companion migrate`, and try again.",
                )
            copy_rows(reading.connection(), writing.connection())
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def copy_rows(source: Connection, target: Connection) -> None:
    """Write every row of our tables into the same, empty tables of another database."""
    for table in StoredRow.metadata.sorted_tables:
        # A server would send all of them at once, and then take the reader for one who sleeps.
        found = source.execute(
            select(table),
            execution_options={"stream_results": True, "max_row_buffer": _ROWS_AT_ONCE},
        ).mappings()
        for some in found.partitions(_ROWS_AT_ONCE):
            target.execute(table.insert(), [dict(row) for row in some])


def empty_tables(target: Connection) -> None:
    """Remove every row of our tables."""
    for table in reversed(StoredRow.metadata.sorted_tables):
        target.execute(table.delete())


def is_empty(target: Connection) -> bool:
    """True if there is no notebook in our tables, and so nothing at all that anybody wrote."""
    return target.execute(select(col(NotebookRow.id)).limit(1)).first() is None


# -- putting a database in another's place, while nobody has it open, and never by half ------------
#
# The new database has the keys that go with it in a table of its own. It takes the place of the old
# one in one step. Then the keys go into their files; whoever is interrupted there finds the table
# at the next start, and goes on.


def unseal(file: Path, keys: Mapping[str, str]) -> None:
    """Make of a copy of a backup a database with these keys; no trace of others stays in it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        with connection:
            connection.execute(f"DROP TABLE {_SEAL}")
            if keys:
                connection.execute(f"CREATE TABLE {_KEYS} (name TEXT PRIMARY KEY, text TEXT)")
                connection.executemany(f"INSERT INTO {_KEYS} VALUES (?, ?)", keys.items())  # noqa: S608


def put_in_place(draft: Path, installation: Installation, file: Path) -> None:
    """Let an unsealed database take the place of a file that nobody has open, and its keys."""
    make_like(draft, file, rights=True)
    flush(draft)
    for part in beside(file):  # a log of the old one would be played into the new one
        part.unlink(missing_ok=True)
    draft.replace(file)
    flush(file.parent)
    finish_restore(installation)


def beside(file: Path) -> list[Path]:
    """Return what SQLite keeps beside a database file, whether it is there or not."""
    return [file.with_name(file.name + kind) for kind in ("-wal", "-shm", "-journal")]


def is_interrupted(installation: Installation) -> bool:
    """True if a restore was begun that has not come to its end."""
    file = installation.file
    if file is not None and file.is_file():
        with suppress(sqlite3.Error), closing(_connected(file, "mode=ro")) as connection:
            return _has_keys(connection)
    return False


def finish_restore(installation: Installation) -> None:
    """Bring an interrupted restore to its end; to be called before the database is opened.

    Raises DatabaseProblem and OSError.
    """
    if installation.file is None or not is_interrupted(installation):
        return
    with sqlite_problems(), closing(sqlite3.connect(installation.file)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if _has_keys(connection):  # no other process was quicker
                for name, text in connection.execute(f"SELECT name, text FROM {_KEYS}"):  # noqa: S608
                    replace_private(installation.folder / name, text)
                connection.execute(f"DROP TABLE {_KEYS}")


def _has_keys(connection: sqlite3.Connection) -> bool:
    return any(name == _KEYS for name, _ in connection.execute(_TABLES))


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
            yield partial(_copy_pages, connection)
            return
    with _alone_with_bytes(file):
        yield None


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


def refuse_foreign_file(file: Path) -> None:
    """Raise DatabaseProblem (foreign) if a file that can be read is another program's database."""
    with suppress(sqlite3.Error), closing(_connected(file, "mode=ro")) as connection:
        refuse_foreign(name for name, _ in connection.execute(_TABLES))
