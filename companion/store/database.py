"""The database, an SQLite file or on a PostgreSQL server: transactions, problems, migrations."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from threading import Semaphore
from typing import TYPE_CHECKING, cast

from sqlalchemy import Connection, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError as NoConnectionFree
from sqlmodel import Session

from companion.rules.language import noted
from companion.store.models import VERSION_TABLE, StoredRow

if TYPE_CHECKING:
    from companion.store.postgres import Postgres
    from companion.store.sqlite import SqliteFile

# The last file in migrations/versions. It is here so that a start need not load Alembic.
HEAD = "0007"

# How many seconds a writer waits for a place in a full queue: longer than a few saves take.
_QUEUE_TIMEOUT = 0.1

_KIND = "companion_kind"  # the key of the database's kind in a session's info

# Reasons and messages of problems that both kinds of database have. A message that players may see
# is in the catalogue (`noted`); messages for whoever runs the server are in English only.
BUSY = ("locked", noted("The database was busy for too long. Nothing was saved; try again."))
FULL = ("full", noted("The disk is full. Nothing was saved; free some space and try again."))
DAMAGED = (
    "damaged",
    noted("The database is damaged. Stop the server and restore the latest backup."),
)
DISK = (
    "disk",
    noted("The disk reported an error. Your last entry may not be saved. Check the disk."),
)


class DatabaseProblem(Exception):
    """The database cannot be used, perhaps only at the moment.

    `reason` is one word for the program: locked, full, read_only, damaged, cannot_open, disk, gone
    (the file was removed while it was open), in_use, newer (a later version wrote it),
    other_version, foreign (another program's), unsuitable, and for a server unreachable or refused
    (wrong user or password). The message says what to do, and holds no secret.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        """`reason` is the word and `sentence` the message."""
        super().__init__(sentence)
        self.reason = reason


class Database:
    """A database. Threads may share one object; a transaction belongs to one thread."""

    def __init__(
        self,
        url: str,
        *,
        busy_timeout: int = 5000,
        queue: int = sys.maxsize,
        read_only: bool = False,
    ) -> None:
        """`url` is `sqlite:///` and a path, or `postgresql://user:password@host/name`.

        `busy_timeout` is how many ms to wait for another writer. At most `queue` threads wait for
        other writers at once, so that some are left to read; others get DatabaseProblem (locked).
        With `read_only`, a file is opened as it is, and no other file is made or changed.
        Nothing is opened yet. Raises DatabaseProblem (unsuitable) for any other URL, or if
        PostgreSQL's driver is missing.
        """
        self._kind = _kind(url, busy_timeout, read_only=read_only)
        self._engine = self._kind.engine
        self._queue = Semaphore(queue)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Yield a session that sees one moment of the database, whatever is written meanwhile.

        Raises DatabaseProblem.
        """
        info = {_KIND: self._kind}
        with self._kind.problems(), Session(self._engine, autobegin=False, info=info) as session:
            session.begin()
            self._kind.begin_reading(session.connection())
            yield session

    @contextmanager
    def glance(self) -> Iterator[Connection]:
        """Yield a connection for one reading statement, which takes half as long as a session.

        Viewers ask every two seconds whether anything is new. Raises DatabaseProblem.
        """
        with self._kind.problems(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, of: str | None = None, *, wait: bool = True) -> Iterator[Session]:
        """Yield a session that is the only writer, and commit at the end.

        With `of`, the id of a game or notebook, it is the only writer of that one; on PostgreSQL
        others may write other games meanwhile. Then base decisions only on rows that are always
        written under the same id. Without `of`, nobody else writes anything. Without `wait`, it
        raises DatabaseProblem (locked) instead of waiting for another writer.

        An exception inside rolls everything back and is raised again. When the block ends without
        one, the rows are on the disk. Raises DatabaseProblem, also from the commit.
        """
        with self._kind.problems(), ExitStack() as stack:
            if not self._queue.acquire(timeout=_QUEUE_TIMEOUT if wait else 0):
                raise DatabaseProblem(*BUSY)
            try:
                stack.enter_context(self._kind.write_lock(wait=wait))
                session = stack.enter_context(
                    Session(
                        self._engine,
                        autobegin=False,  # nothing may follow a commit or a roll-back
                        expire_on_commit=False,  # callers read the rows after the commit
                        info={_KIND: self._kind},
                    )
                )
                session.begin()
                # Take the lock now, so that nobody changes what is read next.
                self._kind.begin_writing(session.connection(), of, wait=wait)
            finally:
                self._queue.release()
            yield session
            if session.in_transaction():  # unless the block has rolled back
                session.commit()

    def require_ready(self) -> None:
        """Raise DatabaseProblem unless the database answers and is at this program's version."""
        with self._kind.problems(), self._engine.connect() as connection:
            if version_of(connection) != HEAD:
                raise DatabaseProblem(
                    "other_version",
                    noted(
                        "The database is at another version than this program. Start the latest"
                        " one."
                    ),
                )

    def migrate(self) -> None:
        """Bring an empty or older database to this version of the program, or leave it as it is.

        Raises DatabaseProblem: newer (a later version wrote it), foreign (another program's),
        unsuitable (the file cannot have a write-ahead log), and those of opening a database.
        """
        with self._kind.problems(), self._engine.connect() as connection:
            if version_of(connection) == HEAD:
                return
        with self.rewrite() as connection:
            _upgrade(connection)

    @contextmanager
    def rewrite(self) -> Iterator[Connection]:
        """Yield a connection that is the only writer, without a time limit; commit at the end.

        Others can read meanwhile, but not write. Raises DatabaseProblem.
        """
        with self._kind.problems(), self._kind.only_writer() as connection:
            yield connection


def now_in(session: Session) -> datetime:
    """Return the time in UTC by the database's clock, for a session of a `Database`.

    The clocks of servers that share a database may be minutes apart. Times that one server writes
    and another compares must come from the clock that they share.
    """
    kind: SqliteFile | Postgres = session.info[_KIND]
    return kind.now(session.connection())


def lock_notebook(session: Session, notebook_id: str) -> None:
    """Become the only writer of a notebook as well, in a transaction that writes one of its games.

    Call it inside Database.write(), before any row is changed. A writer that has the notebook never
    waits for a game, so there is no deadlock.
    """
    session.info[_KIND].lock(session.connection(), notebook_id)


def refuse_foreign(tables: Iterable[str]) -> None:
    """Raise DatabaseProblem (foreign) if these are the tables of another program."""
    names = set(tables)
    if names and VERSION_TABLE not in names:
        raise DatabaseProblem(
            "foreign", "The database belongs to another program. Name another one."
        )


@contextmanager
def raising_problems(
    errors: type[Exception], problem_of: Callable[[BaseException], tuple[str, str] | None]
) -> Iterator[None]:
    """Turn a driver's errors into DatabaseProblems.

    `errors` is the class of the driver's errors. `problem_of` returns the reason and sentence of
    one, or None for a mistake of ours, such as a broken constraint; then it is raised as it is.
    """
    try:
        yield
    except NoConnectionFree as error:
        raise DatabaseProblem(*BUSY) from error
    except (DBAPIError, errors) as error:
        problem = problem_of((error.orig or error) if isinstance(error, DBAPIError) else error)
        if problem is None:
            raise
        raise DatabaseProblem(*problem) from error


def _kind(url: str, busy_timeout: int, *, read_only: bool) -> "SqliteFile | Postgres":
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):  # its message may hold the password
        address = make_url("none://")
    is_sqlite = address.drivername in {"sqlite", "sqlite+pysqlite"}
    if is_sqlite and address.database not in {None, "", ":memory:"}:
        from companion.store.sqlite import SqliteFile

        return SqliteFile(address, busy_timeout, read_only=read_only)
    if address.drivername not in {"postgres", "postgresql", "postgresql+psycopg"}:
        raise DatabaseProblem(
            "unsuitable",
            "The database's address must begin with sqlite:/// and name a file, or with"
            " postgresql:// and name a server.",
        )
    try:
        from companion.store.postgres import Postgres
    except ImportError as error:
        raise DatabaseProblem(
            "unsuitable",
            "PostgreSQL needs a driver that is not installed here. Set COMPANION_DATABASE_URL and"
            " run `python3 -m companion setup`, or install requirements-postgres.txt.",
        ) from error
    return Postgres(address, busy_timeout)


def version_of(connection: Connection) -> str | None:
    """Return the number of the last migration of a database, None if it has none of our tables.

    Raises DatabaseProblem (damaged) if the version table has other columns.
    """
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    rows = connection.exec_driver_sql(f"SELECT * FROM {VERSION_TABLE}")  # noqa: S608  # a constant
    if [*rows.keys()] != ["version_num"]:
        raise DatabaseProblem(*DAMAGED)
    return cast("str | None", rows.scalar())


def _upgrade(connection: Connection) -> None:
    version = version_of(connection)
    if version == HEAD:  # another process was quicker
        return
    tables = inspect(connection).get_table_names()
    refuse_foreign(tables)
    if not tables:
        # The tables that all migrations make, without loading Alembic, which takes 13 MB.
        StoredRow.metadata.create_all(connection)
        connection.exec_driver_sql(
            f"CREATE TABLE {VERSION_TABLE} (\nversion_num VARCHAR(32) NOT NULL,\n"
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)\n)"
        )
        connection.exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')")  # noqa: S608
        return
    if version is None and tables != [VERSION_TABLE]:
        raise DatabaseProblem(*DAMAGED)
    from companion.store import migrations

    if version is not None and version not in migrations.revisions():
        raise DatabaseProblem(
            "newer",
            f"The database was written by a later version of this program ({version}; this one"
            f" knows {HEAD}). Start that version, or name another file.",
        )
    migrations.upgrade(connection)
