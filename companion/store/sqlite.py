"""A database in an SQLite file: settings, the write lock, and its errors in sentences."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event

from companion.store.database import (
    BEGIN,
    BUSY,
    DISK,
    FULL,
    NO_WAIT,
    DatabaseProblem,
    raising_problems,
    refuse_foreign,
)
from companion.store.installation import keep_private, make_private

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_FILE = "companion_file"

DAMAGED = (
    "damaged",
    "The database file is damaged. Stop the server and put back the latest backup.",
)
# SQLite's primary result codes, which the standard library's names hold as well.
_REASONS: Final[Mapping[int, tuple[str, str]]] = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: (
        "read_only",
        "The database may only be read. Give this user the right to write to it and its folder.",
    ),
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: (
        "damaged",
        "The file is not a database. Name another file, or put back the latest backup.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot_open",
        "The database cannot be opened. Check that its folder exists and may be written to.",
    ),
    sqlite3.SQLITE_IOERR: DISK,
}


class SqliteFile:
    """A database in one file, which has one writer at a time."""

    def __init__(self, url: URL, busy_timeout: int) -> None:
        """`busy_timeout` is how many ms to wait for another writer. Nothing is opened yet."""
        self.busy_timeout = busy_timeout
        self._write_lock = Lock()
        self.reading: Engine = create_engine(
            url,
            poolclass=QueuePool,
            max_overflow=-1,  # the server's threads are the limit; SQLite itself makes writers wait
            hide_parameters=True,  # they hold viewer keys, which must not get into a log
        )
        event.listen(self.reading, "connect", self._set_up)
        event.listen(self.reading, "begin", self._begin)
        if url.database and url.database != ":memory:":
            self._file = Path(url.database)
            _watch(self.reading, self._file)
            event.listen(self.reading, "do_connect", self._make_private)
        # The same pool and the same listeners, but another BEGIN.
        self.writing: Engine = self.reading.execution_options(**{BEGIN: "BEGIN IMMEDIATE"})

    def problems(self) -> AbstractContextManager[None]:
        """Raise a DatabaseProblem in the place of SQLite's errors."""
        return sqlite_problems()

    def in_its_style(self, query: str) -> str:
        """Return a query with `:name` for each value as the driver takes it."""
        return query

    @contextmanager
    def write_lock(self, *, wait: bool) -> Iterator[None]:
        """Let one thread write at a time. Raises DatabaseProblem (locked) after the timeout."""
        # SQLite has no queue: who waits for its lock looks again now and then, and of eight threads
        # that wrote without a pause one came to nothing for six seconds. So our own threads queue
        # here, and only other processes are met with at SQLite's lock.
        if not self._write_lock.acquire(timeout=self.busy_timeout / 1000 if wait else 0):
            raise DatabaseProblem(*BUSY)
        try:
            yield
        finally:
            self._write_lock.release()

    def lock(self, connection: Connection, of: str | None, *, wait: bool) -> None:
        """Do nothing: BEGIN IMMEDIATE has locked the whole file."""

    def now(self, _connection: Connection) -> datetime:
        """Return the present moment by this machine's clock."""
        return datetime.now(UTC)

    def check(self, connection: Connection) -> None:
        """Do nothing: SQLite undoes a statement that failed, and that alone."""

    @contextmanager
    def only_writer(self) -> Iterator[Connection]:
        """The only writer's connection, in a transaction that may rebuild tables."""
        with self.writing.connect() as connection:
            # Rebuilding a table drops the old one, which must not take its children along. The
            # setting cannot change inside a transaction, and this connection ends with this block.
            connection.detach()
            with closing(connection.connection.cursor()) as cursor:
                cursor.execute("PRAGMA foreign_keys=OFF")
            with connection.begin():
                yield connection
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                    raise DatabaseProblem(
                        "damaged",
                        "The database holds entries that belong to nothing; it was left as it is."
                        " Put back the latest backup.",
                    )

    def _make_private(self, *_: object) -> None:
        """Before it is opened: SQLite gives the files beside it the rights of the database."""
        with suppress(OSError):  # it is there, or SQLite says what is wrong
            make_private(self._file)
        for kind in ("", "-wal", "-shm"):
            keep_private(self._file.with_name(self._file.name + kind))

    def _begin(self, connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(NO_WAIT):
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            connection.exec_driver_sql(options.get(BEGIN, "BEGIN"))
        finally:
            if options.get(NO_WAIT):
                connection.exec_driver_sql(f"PRAGMA busy_timeout={self.busy_timeout:d}")

    def _set_up(self, connection: sqlite3.Connection, _record: object) -> None:
        try:
            # The driver would begin transactions where it sees fit, and never with IMMEDIATE.
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout={self.busy_timeout:d}")
            # Before the next line changes the file.
            refuse_foreign(name for (name,) in connection.execute(_TABLES))
            if _write_ahead(connection) != "wal":
                raise DatabaseProblem(
                    "unsuitable",
                    "The database must be a file on a disk of this machine, neither in memory"
                    " nor on a network drive.",
                )
            connection.execute("PRAGMA synchronous=FULL")
            # On macOS a mere fsync leaves it in the cache of the disk.
            connection.execute("PRAGMA fullfsync=ON")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.text_factory = _text
        except BaseException:
            connection.close()  # the pool has not taken it over yet
            raise


def sqlite_problems() -> AbstractContextManager[None]:
    """Raise a DatabaseProblem in the place of what SQLite reports of its file and its locks."""
    return raising_problems(sqlite3.Error, _problem)


def _text(stored: bytes) -> str:
    # A damaged title must not keep a whole list from being read.
    return stored.decode("utf-8", "replace")


def _write_ahead(connection: sqlite3.Connection) -> str:
    """Switch the file to a write-ahead log, where it stays; return the mode it is in."""
    switch = "PRAGMA journal_mode=WAL"
    for _ in range(3):
        try:
            return str(connection.execute(switch).fetchone()[0])
        except sqlite3.Error as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY:
                raise
            # Of two that open a new file at once one is turned away here without being made to
            # wait. An exclusive transaction does wait until the other is through.
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    return str(connection.execute(switch).fetchone()[0])


def _problem(error: BaseException) -> DatabaseProblem | None:
    reason = _REASONS.get(primary_code(error))
    return None if reason is None else DatabaseProblem(*reason)


def primary_code(error: BaseException) -> int:
    """Return SQLite's primary result code of a driver's error, 0 if it has none."""
    # Only the low byte: the rest says more finely what happened.
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _watch(engine: Engine, file: Path) -> None:
    """Let nobody use a connection, nor commit, once the file has gone or another took its place.

    Where a file may be removed or renamed while it is open, SQLite goes on writing into it: each
    save would be acknowledged, and gone with the last process that has it open. They get a
    DatabaseProblem (gone) until it is there again. The first connection may make it.
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
            raise _gone()

    def connected(_: object, record: object) -> None:
        nonlocal opened
        opened = True
        record.info[_FILE] = identity()  # type: ignore[attr-defined]

    def taken(_: object, record: object, __: object) -> None:
        if record.info.get(_FILE) != identity():  # type: ignore[attr-defined]
            engine.dispose()  # what is open leads to the old file
            raise _gone()

    def committing(connection: Connection) -> None:
        if connection.info.get(_FILE, identity()) != identity():
            raise _gone()

    event.listen(engine, "do_connect", connecting)
    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", taken)
    event.listen(engine, "commit", committing)


def _gone() -> DatabaseProblem:
    """What to raise when the file is not there any more."""
    return DatabaseProblem(
        "gone",
        "The database file is not where it was. Nothing was written. Put it back, or stop the"
        " server, restore a backup, and start again.",
    )
