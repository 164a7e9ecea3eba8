"""One database: how its connections are set up, its transactions, and bringing it up to date."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, QueuePool, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError
from sqlmodel import Session

from companion.store.presence import watch
from companion.store.problems import DatabaseProblem, locked, primary_code, told_in_sentences

# The last file in migrations/versions. It stands here so that a start need not load Alembic.
HEAD = "0003"
# A table of this name tells our databases from those of other programs.
VERSION_TABLE = "companion_version"

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_BEGIN = "companion_begin"
_WRITING = "companion_writing"
# How many events a session is about to commit.
EVENTS = "companion_events"


class Database:
    """A database file. Threads may share one object; a transaction belongs to one thread."""

    def __init__(self, url: str, *, busy_timeout: int = 5000) -> None:
        """`url` is `sqlite:///` and a path; `busy_timeout` how many ms to wait for another writer.

        Nothing is opened yet. Raises DatabaseProblem (unsuitable) if the URL is not SQLite's.
        """
        if not _is_sqlite(url):
            raise DatabaseProblem(
                "unsuitable", "The database's address must begin with sqlite:/// and name a file."
            )
        self._busy_timeout = busy_timeout
        self._turn = Lock()
        self._engine = create_engine(
            url,
            poolclass=QueuePool,
            max_overflow=-1,  # the server's threads are the limit; SQLite itself makes writers wait
            hide_parameters=True,  # they hold viewer keys, which must not get into a log
        )
        event.listen(self._engine, "connect", self._set_up)
        event.listen(self._engine, "begin", _begin)
        self.events_written = 0
        """How many events were committed through this object."""
        file = make_url(url).database
        if file and file != ":memory:":
            watch(self._engine, Path(file))
        # The same pool and the same listeners, but another BEGIN.
        self._writing = self._engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})

    def close(self) -> None:
        """Closes every connection that is not in use."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one moment of the database, whatever is written meanwhile.

        Raises DatabaseProblem.
        """
        with told_in_sentences(), Session(self._engine) as session:
            yield session

    def glance(self, query: str, keys: Mapping[str, str]) -> tuple[Any, ...] | None:
        """The first row that a query in SQLite's own words finds, or None.

        For the one question that every page begins with: a session and a transaction around it
        would cost ten times what it does. Values come as SQLite stores them. Raises
        DatabaseProblem.
        """
        with told_in_sentences():
            connection = self._engine.raw_connection()
            try:
                row: tuple[Any, ...] | None = connection.cursor().execute(query, keys).fetchone()
            finally:
                connection.close()  # back into the pool
        return row

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that is the only writer, from its first statement to its commit at the end.

        An exception inside rolls everything back and goes on. When the block is left without one,
        what was written is on the disk. Raises DatabaseProblem, also instead of committing.
        """
        with (
            told_in_sentences(),
            self._turn_to_write(),
            Session(self._writing, info={_WRITING: True}) as session,
        ):
            session.connection()  # takes the lock now: whatever is read next stays true
            yield session
            session.commit()
            self.events_written += session.info.get(EVENTS, 0)

    def require_ready(self) -> None:
        """Raises DatabaseProblem unless the database answers and is at this program's version."""
        with told_in_sentences(), self._engine.connect() as connection:
            if _version(connection) != HEAD:
                raise DatabaseProblem(
                    "other_version",
                    "The database is at another version than this program. Start the latest one.",
                )

    def migrate(self) -> None:
        """Brings an empty or older database to this version of the program; whole or not at all.

        Raises DatabaseProblem: newer (a later version wrote it), foreign (it is another program's),
        unsuitable (no file that can keep a write-ahead log), and what opening a file may raise.
        """
        with told_in_sentences(), self._engine.connect() as connection:
            if _version(connection) == HEAD:
                return
        with told_in_sentences(), self._writing.connect() as connection:
            # Rebuilding a table drops the old one, which must not take its children along. The
            # setting cannot change inside a transaction, and this connection ends with this block.
            connection.detach()
            with closing(connection.connection.cursor()) as cursor:
                cursor.execute("PRAGMA foreign_keys=OFF")
            with connection.begin():
                _upgrade(connection)

    @contextmanager
    def _turn_to_write(self) -> Iterator[None]:
        # SQLite has no queue: who waits for its lock looks again now and then, and of eight threads
        # that wrote without a pause one came to nothing for six seconds. So our own threads queue
        # here, and only other processes are met with at SQLite's lock.
        if not self._turn.acquire(timeout=self._busy_timeout / 1000):
            raise locked()
        try:
            yield
        finally:
            self._turn.release()

    def _set_up(self, connection: sqlite3.Connection, _record: object) -> None:
        try:
            # The driver would begin transactions where it sees fit, and never with IMMEDIATE.
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout={self._busy_timeout:d}")
            _refuse_foreign(connection.execute(_TABLES))  # before the next line changes the file
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
        except BaseException:
            connection.close()  # the pool has not taken it over yet
            raise


def require_write(session: Session) -> None:
    """Raises RuntimeError unless the session came from Database.write()."""
    if not session.info.get(_WRITING):
        raise RuntimeError("This writes, and so it must be called inside Database.write().")


def _is_sqlite(url: str) -> bool:
    try:
        return make_url(url).drivername in {"sqlite", "sqlite+pysqlite"}
    except ArgumentError:
        return False


def _write_ahead(connection: sqlite3.Connection) -> str:
    """Switches the file to a write-ahead log, where it stays; answers the mode it is in."""
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


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


def _refuse_foreign(tables: Iterable[tuple[str]]) -> None:
    names = {name for (name,) in tables}
    if names and VERSION_TABLE not in names:
        raise DatabaseProblem(
            "foreign", "The database belongs to another program. Name another file."
        )


def _version(connection: Connection) -> str | None:
    """The migration that the database is at, or None if it is empty."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version: str | None = connection.exec_driver_sql(
        f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608  # a constant
    ).scalar()
    return version


def _upgrade(connection: Connection) -> None:
    version = _version(connection)
    if version == HEAD:  # another process was quicker
        return
    from companion.store import migrating

    if version is not None and version not in migrating.revisions():
        raise DatabaseProblem(
            "newer",
            f"The database was written by a later version of this program ({version}; this one"
            f" knows {HEAD}). Start that version, or name another file.",
        )
    migrating.upgrade(connection)
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise DatabaseProblem(
            "damaged",
            "The database holds entries that belong to nothing; it was left as it is."
            " Put back the latest backup.",
        )
