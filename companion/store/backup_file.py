"""Backup files: seal them, read the seal, and read, copy and lock database files.

A backup is an SQLite file, whatever database it was made from. One more table, the seal, holds the
time, the keys of the installation and a digest of every row. SQLite's own check only looks at the
structure; the digest also finds a changed letter.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import NullPool, create_engine
from sqlmodel import Session

from companion.store.database import HEAD, DatabaseProblem
from companion.store.installation import KEY_FILES, holds_keys
from companion.store.models import VERSION_TABLE
from companion.store.sqlite import DAMAGED, TABLES, primary_code, problems

INSERT = "INSERT INTO companion_backup VALUES (?, ?)"
_FORMAT = "1"
# The bytes of a file that SQLite's readers lock.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
_REFUSALS: Final = {
    "cannot_open": "There is no file {file} that can be read.",
    "foreign": "{file} is not a backup of the companion. Name a file that `backup` or the server"
    " made.",
    "damaged": "{file} is damaged. Use another backup.",
    "newer": "{file} was made by a later version of this program ({version}; this one knows"
    f" {HEAD}). Restore it with that version.",
}


def refusal(reason: str, file: Path, version: str = "") -> DatabaseProblem:
    """Return what is wrong with a backup file, by the word of `DatabaseProblem.reason`."""
    return DatabaseProblem(reason, _REFUSALS[reason].format(file=file, version=version))


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Turn a copy of a database, which nobody has open, into a backup. Raises DatabaseProblem."""
    with problems(), closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it
        # The table is there if somebody renamed a backup to companion.sqlite3 and used it.
        connection.execute("DROP TABLE IF EXISTS companion_backup")
        connection.execute(
            "CREATE TABLE companion_backup (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
        )
        rows = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(INSERT, sorted(rows.items()))
        digest = _digest(connection)
        if digest is None:
            raise DatabaseProblem(*DAMAGED)
        connection.execute(INSERT, ("digest", digest))


def read_seal(file: Path, name: Path) -> tuple[datetime, dict[str, str]]:
    """Check that a backup is unchanged; return when it was made, and the key files in it.

    `name` is its path in messages. Raises DatabaseProblem: cannot_open, foreign, newer or damaged.
    """
    try:
        with closing(read_only(file, "mode=ro&immutable=1")) as connection:
            tables = dict(connection.execute(TABLES))
            if not {"companion_backup", VERSION_TABLE} <= tables.keys():
                raise refusal("foreign", name)
            # Damaged rows may not be text, so nothing else is read before the digest.
            digest = connection.execute("SELECT value FROM companion_backup WHERE name = 'digest'")
            if digest.fetchone() != (_digest(connection),):
                raise refusal("damaged", name)
            rows: dict[str, str] = dict(connection.execute("SELECT * FROM companion_backup"))
            (version,) = connection.execute("SELECT version_num FROM companion_version").fetchone()
    except sqlite3.Error as error:
        reasons = {sqlite3.SQLITE_NOTADB: "foreign", sqlite3.SQLITE_CANTOPEN: "cannot_open"}
        raise refusal(reasons.get(primary_code(error), "damaged"), name) from error
    if rows["format"] != _FORMAT or version > HEAD:
        raise refusal("newer", name, version)
    # Older versions also stored key files without a key in them.
    keys = {one: rows[one] for one in KEY_FILES if holds_keys(one, rows.get(one, ""))}
    return datetime.fromisoformat(rows["made_at"]), keys


def _digest(connection: sqlite3.Connection) -> str | None:
    """Return the SHA-256 of all tables but the digest itself; None if SQLite finds faults."""
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return None
    digest = hashlib.sha256()
    connection.text_factory = bytes  # damaged text may not decode
    for name, definition in connection.execute(TABLES).fetchall():
        digest.update(name + b"\0" + definition + b"\0")
        table = '"' + name.decode().replace('"', '""') + '"'
        but = " WHERE name <> 'digest'" if name == b"companion_backup" else ""
        for row in connection.execute(f"SELECT * FROM {table}{but} ORDER BY rowid"):  # noqa: S608
            digest.update(repr(row).encode())
    connection.text_factory = str
    return digest.hexdigest()


# -- database files, without a Database ------------------------------------------------------------


@contextmanager
def reading_file(file: Path) -> Iterator[Session]:
    """A session that reads a database file and changes nothing. Raises DatabaseProblem."""
    with problems():
        engine = create_engine(
            "sqlite://",
            creator=lambda: read_only(file),
            poolclass=NullPool,
            hide_parameters=True,
        )
        with Session(engine) as session:
            session.connection().exec_driver_sql("BEGIN")  # all reads see the same moment
            yield session


def read_only(file: Path, how: str = "mode=ro") -> sqlite3.Connection:
    """Open a file as this URI says. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        f"{file.resolve().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    # Damaged text becomes text that no sheet and no list accepts.
    connection.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
    return connection


def tables_in(file: Path) -> set[str]:
    """Return the names of the tables in a database file; none if SQLite cannot read it."""
    with suppress(sqlite3.Error), closing(read_only(file)) as connection:
        return {name for name, _ in connection.execute(TABLES)}
    return set()


def copy_pages(source: sqlite3.Connection, copy: Path) -> None:
    """Copy one moment of a database into a file. Raises DatabaseProblem."""
    with problems(), closing(sqlite3.connect(copy)) as target:
        source.backup(target)  # all pages in one step, so they are of one moment


@contextmanager
def alone(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Lock everybody else out of a database file, and yield a connection to copy it with.

    Yields None if there is no file. If SQLite cannot read it, neither can the connection. Raises
    DatabaseProblem (in_use) if another program has it open.
    """
    if not file.exists():
        yield None
        return
    with closing(sqlite3.connect(file, isolation_level=None, timeout=1)) as connection:
        try:
            # This fails while anybody else has a file with a write-ahead log open.
            connection.execute("PRAGMA journal_mode=DELETE")
            # Keeps the lock after the transaction; inside one, nothing can be copied.
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if primary_code(error) == sqlite3.SQLITE_BUSY or _is_read_elsewhere(file):
                raise DatabaseProblem(
                    "in_use",
                    "The database is in use. Stop the server (Ctrl-C, or its service) and every"
                    " other program that has it open, and try again. Nothing was changed.",
                ) from error
        yield connection


def _is_read_elsewhere(file: Path) -> bool:
    """True if another program reads a file, which SQLite cannot tell if the file is damaged."""
    if os.name == "nt":  # where nobody can replace a file that another has open
        return False
    import fcntl

    with file.open("r+b") as opened:
        try:
            fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except OSError:
            return True
    return False
