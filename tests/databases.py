"""Databases for tests: empty and up to date, of either kind, quickly made and used again."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from companion.store import Database
from companion.store.models import StoredRow
from tests.postgres_server import Server

# Nearly nothing is in the tables, and then this is ten times as quick as to truncate them.
_EMPTY = "SET session_replication_role = replica; " + "; ".join(  # in whatever order
    f"DELETE FROM {name}" for name in StoredRow.metadata.tables
)

# Answers the address of one more database.
Another = Callable[[], str]


class Shelf:
    """The databases that one process of the tests has made on the throwaway server."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self._name = name
        self._made = 0
        self._free: list[str] = []
        self._up_to_date = ""

    def bare(self) -> str:
        """The address of a database with nothing in it, not even tables."""
        return self.server.address(self._create("template0"))

    def migrated(self) -> str:
        """The address of a database with empty tables, which is never handed out again."""
        return self.server.address(self._copy())

    @contextmanager
    def up_to_date(self) -> Iterator[str]:
        """The address of a database with empty tables, until the block is left."""
        name = self._free.pop() if self._free else self._copy()
        address = self.server.address(name)
        yield address
        with psycopg.connect(address) as connection:
            connection.execute(_EMPTY)
        self._free.append(name)

    def _copy(self) -> str:
        if not self._up_to_date:
            self._up_to_date = self._create("template0")
            database = Database(self.server.address(self._up_to_date))
            database.migrate()
            database.close()
        return self._create(self._up_to_date)

    def _create(self, template: str) -> str:
        self._made += 1
        name = f"{self._name}_{self._made}"
        with psycopg.connect(self.server.address("postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )
        return name


def file_in(folder: Path, name: str = "companion.sqlite3") -> str:
    """The address of a file in a folder."""
    return f"sqlite:///{folder / name}"


def copied(migrated: Path, file: Path) -> str:
    """The address of a file with empty tables."""
    shutil.copy(migrated, file)
    return f"sqlite:///{file}"
