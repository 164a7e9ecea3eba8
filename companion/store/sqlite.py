"""A database in an SQLite file: settings, locks, and messages for its errors."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from companion.rules.language import noted
from companion.store.database import (
    BUSY,
    DAMAGED,
    DISK,
    FULL,
    DatabaseProblem,
    raising_problems,
    refuse_foreign,
)
from companion.store.installation import files_of, keep_private, make_private

TABLES: Final = (
    "SELECT name, sql FROM sqlite_master"
    " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
"""The names and definitions of the tables."""
_FILE = "companion_file"  # the key of the file's identity in a connection's info
# The bytes of a file that SQLite's readers lock.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510

_GONE: Final = (
    "gone",
    noted(
        "The database file is not where it was. Nothing was saved. Put it back, or stop the server,"
        " restore a backup, and start again."
    ),
)
# The problem by SQLite's result code, either an extended code or a primary one.
_PROBLEMS: Final[Mapping[int, tuple[str, str]]] = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: (
        "read_only",
        noted(
            "The database may only be read. Give this user the right to write to it and its folder."
        ),
    ),
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: (
        "damaged",
        noted("The file is not a database. Name another file, or restore the latest backup."),
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot_open",
        noted("The database cannot be opened. Check that its folder exists and may be written to."),
    ),
    sqlite3.SQLITE_IOERR: DISK,
    sqlite3.SQLITE_IOERR_SHMSIZE: FULL,  # SQLite makes a -shm file when it opens the database
}


class SqliteFile:
    """A database in a file, with one writer at a time."""

    def __init__(self, url: URL, busy_timeout: int, *, read_only: bool) -> None:
        """`busy_timeout` is how many ms to wait for another writer. Nothing is opened yet."""
        self.busy_timeout = busy_timeout
        self._write_lock = Lock()
        self._file = file = Path(url.database or "")
        self._was_opened = False
        self.engine: Engine = create_engine(
            url,
            poolclass=QueuePool,
            max_overflow=-1,  # the number of threads is the limit, and SQLite makes writers wait
            hide_parameters=True,  # keep viewer keys out of the log
        )
        if read_only:
            event.listen(self.engine, "do_connect", lambda *_: open_read_only(file))
            return
        event.listen(self.engine, "do_connect", self._prepare_file)
        event.listen(self.engine, "connect", self._set_up)
        event.listen(self.engine, "begin", self._refuse_lost)
        event.listen(self.engine, "commit", self._refuse_lost)

    def problems(self) -> AbstractContextManager[None]:
        """Turn SQLite's errors into DatabaseProblems."""
        return problems()

    @contextmanager
    def write_lock(self, *, wait: bool) -> Iterator[None]:
        """Let one thread write at a time. Raises DatabaseProblem (locked) after the timeout."""
        # SQLite has no queue: waiting threads try again now and then. Of eight threads that wrote
        # without a pause, one got nothing done for six seconds. So the threads of a process queue
        # here, and only processes compete for SQLite's lock.
        if not self._write_lock.acquire(timeout=self.busy_timeout / 1000 if wait else 0):
            raise DatabaseProblem(*BUSY)
        try:
            yield
        finally:
            self._write_lock.release()

    def begin_reading(self, connection: Connection) -> None:
        """Begin a transaction that sees one moment of the database."""
        connection.exec_driver_sql("BEGIN")

    def begin_writing(self, connection: Connection, _of: str | None, *, wait: bool) -> None:
        """Begin a transaction that locks the whole file, whatever it writes."""
        if not wait:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            if not wait:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={self.busy_timeout:d}")

    def lock(self, connection: Connection, of: str) -> None:
        """Do nothing: `begin_writing` locked the whole file."""

    def now(self, _connection: Connection) -> datetime:
        """Return the time by this machine's clock."""
        return datetime.now(UTC)

    @contextmanager
    def only_writer(self) -> Iterator[Connection]:
        """Yield a connection that is the only writer, in a transaction that may rebuild tables."""
        with self.engine.connect() as connection:
            # Rebuilding drops a table, which must not delete the rows that refer to it. The setting
            # cannot change inside a transaction; the connection does not go back to the pool.
            connection.detach()
            with closing(connection.connection.cursor()) as cursor:
                cursor.execute("PRAGMA foreign_keys=OFF")
                # Another process may be migrating: 1,000 games take 20 seconds.
                cursor.execute("PRAGMA busy_timeout=60000")
            with connection.begin():
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                    raise DatabaseProblem(
                        "damaged",
                        noted(
                            "The database holds rows that refer to missing ones. Nothing was"
                            " changed. Restore the latest backup."
                        ),
                    )

    def _prepare_file(self, *_: object) -> None:
        """Make a new file private before SQLite opens it: its log gets the same permissions.

        Raises DatabaseProblem (gone) if the file is missing: SQLite would make a new, empty one.
        """
        if self._was_opened and self._identity() is None:
            raise DatabaseProblem(*_GONE)
        with suppress(OSError):  # the file exists, or SQLite will say what is wrong
            make_private(self._file)
        for file in files_of(self._file):
            keep_private(file)

    def _refuse_lost(self, connection: Connection) -> None:
        """Raise DatabaseProblem (gone) if the file was removed or replaced since it was opened.

        SQLite goes on writing into an open file that was removed or renamed. Every save would be
        acknowledged, and lost when the last process closes the file.
        """
        if connection.info[_FILE] != self._identity():
            self.engine.dispose()  # idle connections use the old file, too
            connection.invalidate()
            raise DatabaseProblem(*_GONE)

    def _identity(self) -> tuple[int, int] | None:
        """Return the device and inode numbers of the file; None if it does not exist."""
        try:
            status = self._file.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _set_up(self, connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        try:
            # Otherwise the driver begins transactions itself, and never with IMMEDIATE.
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout={self.busy_timeout:d}")
            # The next statement changes the file, so check first that it is ours.
            refuse_foreign(name for name, _ in connection.execute(TABLES))
            if _write_ahead(connection) != "wal":
                raise DatabaseProblem(
                    "unsuitable",
                    noted(
                        "The database must be a file on a disk of this machine, not on a network"
                        " drive."
                    ),
                )
            connection.execute("PRAGMA synchronous=FULL")
            # On macOS fsync alone leaves the data in the disk's cache.
            connection.execute("PRAGMA fullfsync=ON")
            connection.execute("PRAGMA foreign_keys=ON")
            # A damaged title must not make the whole list unreadable.
            connection.text_factory = lambda stored: stored.decode("utf-8", "replace")
            self._was_opened = True
            record.info[_FILE] = self._identity()
        except BaseException:
            connection.close()  # the pool has not taken it over yet
            raise


def open_read_only(file: Path, how: str = "mode=ro") -> sqlite3.Connection:
    """Open a database file with these parameters of SQLite's URIs. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    # Damaged bytes become surrogates, so that the checks of sheets and lists find them.
    connection.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
    return connection


def tables_in(file: Path) -> set[str]:
    """Return the names of the tables in a database file; none if SQLite cannot read the file."""
    with suppress(sqlite3.Error), closing(open_read_only(file)) as connection:
        return {name for name, _ in connection.execute(TABLES)}
    return set()


@contextmanager
def alone(file: Path) -> Iterator[sqlite3.Connection]:
    """Lock all other programs out of a database file, and yield a connection to copy it with.

    Reading from it fails if SQLite cannot read the file. Raises DatabaseProblem (in_use) if another
    program has the file open.
    """
    with closing(sqlite3.connect(file, isolation_level=None, timeout=1)) as connection:
        try:
            # This fails while any other connection has a file with a write-ahead log open.
            connection.execute("PRAGMA journal_mode=DELETE")
            # This keeps the lock after the transaction: inside one, nothing can be copied.
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
    """True if another program reads the file. SQLite cannot tell that of a damaged file."""
    if os.name == "nt":  # there nobody can replace a file that another program has open
        return False
    import fcntl

    with file.open("r+b") as opened, suppress(OSError):
        fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        return False
    return True


def problems() -> AbstractContextManager[None]:
    """Turn SQLite's errors about its file and its locks into DatabaseProblems."""
    return raising_problems(sqlite3.Error, _problem)


def _write_ahead(connection: sqlite3.Connection) -> str:
    """Switch the file to a write-ahead log for good; return its journal mode."""
    switch = "PRAGMA journal_mode=WAL"
    for _ in range(3):
        try:
            return str(connection.execute(switch).fetchone()[0])
        except sqlite3.Error as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY:
                raise
            # If two processes open a new file at once, one of them fails here without waiting.
            # Its exclusive transaction does wait for the other process.
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    return str(connection.execute(switch).fetchone()[0])


def _problem(error: BaseException) -> tuple[str, str] | None:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return _PROBLEMS.get(code, _PROBLEMS.get(primary_code(error)))


def primary_code(error: BaseException) -> int:
    """Return SQLite's primary result code of a driver's error, 0 if it has none."""
    # The low byte is the primary code; the rest gives details.
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
