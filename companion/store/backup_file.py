"""Backups: a database copied into a file, sealed with a digest, and put in another's place.

It is always SQLite's, whatever database it was made from, and in one table more it has when it was
made, the keys of the installation, and the digest. So a changed letter in it is found, which
SQLite's own check, made for broken structure, would pass over.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, NullPool, create_engine, select
from sqlmodel import Session

from companion.store.database import HEAD, Database
from companion.store.inspection import version_of
from companion.store.installation import (
    KEY_FILES,
    Installation,
    flush,
    holds_keys,
    make_private,
    write_private,
)
from companion.store.models import NOTEBOOK, VERSION_TABLE, StoredRow
from companion.store.problems import DatabaseProblem
from companion.store.sqlite import primary_code, told_in_sentences

_SEAL = "companion_backup"
_FORMAT = "1"
_AT_ONCE = 1000
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
    """The installation's keys by the names of their files. Secrets."""


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Make a backup of a database file that nobody else has open.

    Raises DatabaseProblem, damaged among them if SQLite finds the file not in order.
    """
    with told_in_sentences(), closing(sqlite3.connect(file)) as connection, connection:
        # It is there if somebody called a backup companion.sqlite3 and went on with it.
        connection.execute(f"DROP TABLE IF EXISTS {_SEAL}")
        connection.execute(f"CREATE TABLE {_SEAL} (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        told = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(_insert(), sorted(told.items()))
        connection.execute(_insert(), ("digest", _digest(connection)))
        if not _is_in_order(connection):
            raise DatabaseProblem(
                "damaged",
                "The database file is damaged. Stop the server and put back the latest backup.",
            )


def take_seal_off(file: Path) -> None:
    """Make a plain database of a copy of a backup; no trace of the keys stays in it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        with connection:
            connection.execute(f"DROP TABLE {_SEAL}")


def read_seal(file: Path) -> Seal:
    """What a backup says of itself, once everything in it was found to be as it was written.

    Raises DatabaseProblem: cannot_open, foreign (no backup of ours), newer or damaged.
    """
    if not file.is_file():
        raise DatabaseProblem("cannot_open", f"There is no file {file}. Name a backup.")
    try:
        with closing(_connected(file, "immutable=1")) as connection:
            return _read(connection, file)
    except sqlite3.Error as error:
        if primary_code(error) == sqlite3.SQLITE_NOTADB:
            raise _foreign(file) from error
        if primary_code(error) == sqlite3.SQLITE_CANTOPEN:
            raise DatabaseProblem(
                "cannot_open", f"{file} cannot be read. Give this user the right to read it."
            ) from error
        raise damaged(file) from error


def refuse_foreign(file: Path) -> None:
    """Raises DatabaseProblem (foreign) if a file is another program's database.

    One that cannot be read at all is nobody's.
    """
    with suppress(sqlite3.Error):
        if not file.is_file():
            return
        with closing(_connected(file, "mode=ro")) as connection:
            tables = {name for name, _ in connection.execute(_TABLES)}
        if tables and VERSION_TABLE not in tables:
            raise DatabaseProblem(
                "foreign", f"{file} belongs to another program. Name another database."
            )


@contextmanager
def reading(file: Path) -> Iterator[Session]:
    """A session that only reads a database file, and leaves everything about it as it is.

    Raises DatabaseProblem.
    """
    with told_in_sentences():
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


def damaged(file: Path) -> DatabaseProblem:
    """What to raise for a backup that is not what was written."""
    return DatabaseProblem(
        "damaged", f"{file} is damaged: it is not what was written. Use another backup."
    )


def _foreign(file: Path) -> DatabaseProblem:
    return DatabaseProblem(
        "foreign",
        f"{file} is no backup of the companion. Name a file that `backup` or the server made.",
    )


def _connected(file: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{file.resolve().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA query_only=ON")
    connection.text_factory = _text
    return connection


def _text(stored: bytes) -> str:
    # What is no text comes out as something that no sheet and no list accepts.
    return stored.decode("utf-8", "surrogateescape")


def _read(connection: sqlite3.Connection, file: Path) -> Seal:
    tables = {name for name, _ in connection.execute(_TABLES)}
    if _SEAL not in tables or VERSION_TABLE not in tables:
        raise _foreign(file)
    # What was changed may be no text at all any more; so the digest comes before any reading.
    told = connection.execute(f"SELECT value FROM {_SEAL} WHERE name = 'digest'").fetchone()  # noqa: S608
    if told != (_digest(connection),) or not _is_in_order(connection):
        raise damaged(file)
    values: dict[str, str] = dict(connection.execute(f"SELECT name, value FROM {_SEAL}"))  # noqa: S608
    (version,) = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()  # noqa: S608
    if values["format"] != _FORMAT or _is_newer(version):
        raise DatabaseProblem(
            "newer",
            f"{file} was made by a later version of this program ({version}; this one knows"
            f" {HEAD}). Restore it with that version.",
        )
    keys = {n: values[n] for n in KEY_FILES if holds_keys(n, values.get(n, ""))}
    return Seal(datetime.fromisoformat(values["made_at"]), version, keys)


def _is_in_order(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _is_newer(version: str) -> bool:
    if version == HEAD:
        return False
    from companion.store import migrating

    return version not in migrating.revisions()


def _digest(connection: sqlite3.Connection) -> str:
    """The SHA-256 of every table's definition and rows, but for the digest itself."""
    digest = hashlib.sha256()
    factory = connection.text_factory
    connection.text_factory = bytes  # what is damaged may be no text
    try:
        for name, definition in connection.execute(_TABLES).fetchall():
            digest.update(name + b"\0" + definition + b"\0")
            table = '"' + name.decode().replace('"', '""') + '"'
            but = " WHERE name <> 'digest'" if name == _SEAL.encode() else ""
            rows = connection.execute(f"SELECT * FROM {table}{but} ORDER BY rowid")  # noqa: S608
            while some := rows.fetchmany(_AT_ONCE):
                digest.update("".join(map(repr, some)).encode())
    finally:
        connection.text_factory = factory
    return digest.hexdigest()


def _insert() -> str:
    return f"INSERT INTO {_SEAL} VALUES (?, ?)"  # noqa: S608  # a constant


# -- copying a database at one moment of it, while it is in use ------------------------------------


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


# -- putting a database in another's place, while nobody has it open, and never by half ------------
#
# The new files lie beside the old ones before anything is touched. Then a note says what takes the
# place of what; from that moment on the old ones are given up, and whoever is interrupted finds the
# note at the next start and goes on. Before that moment nothing has happened.


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
