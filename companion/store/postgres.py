"""A database on a PostgreSQL server: connections, locks, and messages for its errors.

Imported only if the database's address asks for it, because the driver, psycopg, is optional.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader
from sqlalchemy import URL, Connection, Engine, create_engine, event

from companion.rules.language import noted
from companion.store.database import BUSY, DAMAGED, DISK, FULL, DatabaseProblem, raising_problems

# A thread needs one connection, rarely two. A worker has 16 at most, so the usual 100 connections
# of a database server are enough for six workers.
POOL: Final = 8

# With READ COMMITTED, statements after the lock see everything that was written before we got it. A
# stricter transaction would only see what was written before it began to wait.
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

_NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"

# A writer without an id locks out every other writer. A writer with an id locks out writers of the
# same id and writers without one. All take their locks at the beginning and in this order, so there
# is no deadlock.
_HOLD_ALL = "SELECT pg_advisory_xact_lock(1886547828, 0)"
_HOLD_ONE = "SELECT pg_advisory_xact_lock_shared(1886547828, 0), pg_advisory_xact_lock(%s)"

_SET_UP = """
    SELECT set_config('lock_timeout', %s, false),
        set_config('idle_in_transaction_session_timeout', '20000', false),
        CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN set_config('synchronous_commit', 'on', false) END,
        current_setting('server_encoding')
"""

_CONNECT: Final = {
    "application_name": "companion",
    # When to give up on a server that vanished: while connecting, sending, or waiting for an
    # answer. It is so soon that people still wait for the page that reports it.
    "connect_timeout": 5,  # seconds
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 8000,  # milliseconds
}

# Messages for problems with the server or the network, without names or secrets.
_UNREACHABLE: Final = (
    "unreachable",
    noted(
        "The database server cannot be reached. Your last entry may not be saved. Check that it"
        " runs and that COMPANION_DATABASE_URL names it, and try again."
    ),
)
_REFUSED: Final = (
    "refused",
    noted(
        "The database server refused the user name or the password. Correct them in"
        " COMPANION_DATABASE_URL."
    ),
)
_NO_DATABASE: Final = (
    "cannot_open",
    noted(
        "The database server has no database of that name. Create it, or correct"
        " COMPANION_DATABASE_URL."
    ),
)
_NO_ROOM: Final = (
    "locked",
    noted(
        "The database server has no connection left. Try again; start fewer workers, or raise"
        " max_connections there."
    ),
)
_NOT_OURS: Final = (
    "read_only",
    noted("The database's user may not do this. Make that user the owner of the database."),
)
_READ_ONLY: Final = (
    "read_only",
    noted(
        "The database is read-only: the server is a replica, or set so. Name the primary server."
    ),
)
_STOPPED: Final = (
    "disk",
    noted(
        "The database server's disk is full, and the server has stopped. Your last entry may not"
        " be saved. Free some space there, and start it again if it does not start by itself."
    ),
)
_NOT_UNDERSTOOD: Final = (
    "unsuitable",
    noted("COMPANION_DATABASE_URL has an option that the database's driver does not accept."),
)

# The problem by the server's error code, or by its first two characters, the class of the error.
_BY_CODE: Final = {
    "08": _UNREACHABLE,
    "25006": _READ_ONLY,
    "28": _REFUSED,
    "3D000": _NO_DATABASE,
    "3F000": _NOT_OURS,
    "40001": BUSY,
    "40P01": BUSY,
    "42501": _NOT_OURS,
    "53100": FULL,
    "53300": _NO_ROOM,
    "53": BUSY,
    "55P03": BUSY,
    "57014": BUSY,
    "57": _UNREACHABLE,
    "25P03": BUSY,
    "58": DISK,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}
# The problem by words in the server's message: if a connection fails, the driver has no code. A
# message in another language counts as unreachable.
_BY_WORDS: Final = (
    ("password", _REFUSED),
    ("pg_hba.conf", _REFUSED),
    ("authentication failed", _REFUSED),
    ("role ", _REFUSED),
    ("database system", _UNREACHABLE),  # is starting up, or shutting down
    ("database ", _NO_DATABASE),
    ("too many clients", _NO_ROOM),
    ("connection slots", _NO_ROOM),
    ("too many connections", _NO_ROOM),
)
# The driver's message about an option that it does not know, or about the option's value.
_AN_OPTION: Final = re.compile("connection option|bad value for")


class Postgres:
    """A database on a server, with many writers at a time."""

    def __init__(self, url: URL, busy_timeout: int) -> None:
        """`busy_timeout` is how many ms to wait for another writer. Nothing is opened yet."""
        self.busy_timeout = busy_timeout
        self.engine: Engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={name: v for name, v in _CONNECT.items() if name not in url.query},
            pool_size=POOL,
            max_overflow=POOL,
            pool_timeout=max(busy_timeout / 1000, 1),
            pool_pre_ping=True,  # connect again after the server was restarted
            hide_parameters=True,  # keep viewer keys out of the log
        )
        event.listen(self.engine, "connect", self._set_up)
        event.listen(self.engine, "commit", _refuse_failed)

    def problems(self) -> AbstractContextManager[None]:
        """Turn errors of the server and the network into DatabaseProblems."""
        return raising_problems(psycopg.Error, problem_of)

    def write_lock(self, *, wait: bool) -> AbstractContextManager[None]:  # noqa: ARG002 - no queue here
        """Do nothing: the server queues writers itself."""
        return nullcontext()

    def begin_reading(self, connection: Connection) -> None:
        """Begin a transaction that sees one moment of the database."""
        connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def begin_writing(self, connection: Connection, of: str | None, *, wait: bool) -> None:
        """Begin a transaction, and wait for other writers as `lock` does."""
        connection.exec_driver_sql(_WRITE)
        if not wait:
            connection.exec_driver_sql("SET LOCAL lock_timeout = 1")
        self.lock(connection, of)

    def lock(self, connection: Connection, of: str | None) -> None:
        """Wait until no other writer has this id; with None, until there is no other writer."""
        if of is None:
            connection.exec_driver_sql(_HOLD_ALL)
        else:
            connection.exec_driver_sql(_HOLD_ONE, (_number_of(of),))

    def now(self, connection: Connection) -> datetime:
        """Return the time by the server's clock, which all machines that use it share."""
        return datetime.fromtimestamp(connection.exec_driver_sql(_NOW).scalar_one(), UTC)

    @contextmanager
    def only_writer(self) -> Iterator[Connection]:
        """Yield a connection that is the only writer, in a transaction without a time limit."""
        with self.engine.connect() as connection, connection.begin():
            connection.exec_driver_sql(_WRITE)
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            self.lock(connection, None)
            yield connection

    def _set_up(self, connection: psycopg.Connection, _record: object) -> None:
        try:
            # Otherwise the driver begins transactions itself, all of one kind.
            connection.autocommit = True
            # The models read times and days from text: Python lacks some that PostgreSQL has.
            connection.adapters.register_loader("timestamptz", TextLoader)
            connection.adapters.register_loader("date", TextLoader)
            *_, encoding = connection.execute(_SET_UP, (str(self.busy_timeout),)).fetchone() or ()
            if encoding != "UTF8":
                raise DatabaseProblem(
                    "unsuitable",
                    f"The database stores text in {encoding}, which lacks some letters. Create it"
                    " with ENCODING 'UTF8'.",
                )
        except BaseException:
            connection.close()  # the pool has not taken it over yet
            raise


def _number_of(name: str) -> int:
    """Return the number of an id's lock. If two ids share one, a writer waits without need."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


def _refuse_failed(connection: Connection) -> None:
    """Raise RuntimeError if a statement has failed: otherwise COMMIT rolls back silently."""
    driver: Any = connection.connection.driver_connection
    if driver.info.transaction_status is TransactionStatus.INERROR:
        raise RuntimeError("A statement failed, so nothing was written.")


def problem_of(error: BaseException) -> tuple[str, str] | None:
    """Return the reason and sentence of a driver's error, None if the mistake is ours."""
    code = getattr(error, "sqlstate", None)
    if code:
        diagnosis = getattr(error, "diag", None)
        if getattr(diagnosis, "severity_nonlocalized", None) == "PANIC":
            # The server could not write its log, and stops. A commit at that moment may or may not
            # be there after its restart.
            return _STOPPED if code == "53100" else _UNREACHABLE
        return _BY_CODE.get(code) or _BY_CODE.get(code[:2])
    if isinstance(error, psycopg.OperationalError):
        return _by_words(str(error))
    if isinstance(error, psycopg.ProgrammingError) and _AN_OPTION.search(str(error)):
        return _NOT_UNDERSTOOD
    return None


def _by_words(message: str) -> tuple[str, str]:
    if "no password supplied" in message:  # the driver's own message: it did not even connect
        return _REFUSED
    # The lines before it name the host and the database, which may contain any words.
    _, fatal, reason = message.rpartition("FATAL:")
    if not fatal:
        return _UNREACHABLE
    return next((problem for words, problem in _BY_WORDS if words in reason), _UNREACHABLE)
