"""A backup: a database file of the companion's own tables, sealed with a digest of what is in it.

It is always SQLite's, whatever database it was made from, and in one table more it has when it was
made, the keys of the installation, and the digest. So a changed letter in it is found, which
SQLite's own check, made for broken structure, would pass over.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import NullPool, create_engine
from sqlmodel import Session

from companion.store.database import HEAD
from companion.store.problems import DatabaseProblem
from companion.store.sqlite_file import told_in_sentences
from companion.store.tables import VERSION_TABLE

_SEAL = "companion_backup"
_FORMAT = "1"
_AT_ONCE = 1000
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
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_NOTADB:
            raise _foreign(file) from error
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN:
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
    keys = {name: value for name, value in values.items() if name.endswith(".key")}
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
