"""Databases for servers that are killed or cut off, and the entries found there afterwards."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg
from sqlmodel import select

from companion import store
from companion.notebook.events import Entry
from companion.services.game_log import entry_of
from companion.services.games import faults
from tests.postgres_server import Server

# PostgreSQL's own defaults: a commit is on the disk before it is acknowledged, and pages are whole.
_SAFE: Mapping[str, str] = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "checkpoint_timeout": "30s",  # so that some kills happen during a checkpoint
    "log_min_messages": "panic",
}


class Result(NamedTuple):
    """The result of a part: a sentence with the figures, and the errors."""

    sentence: str
    wrong: list[str]


class Place:
    """A database that outlives the server that writes to it: a file in a folder."""

    name = "SQLite"
    """The name of this kind of database, for people."""
    server: Server | None = None
    """PostgreSQL's server, which can be killed too."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "companion.sqlite3"
        self.address = f"sqlite:///{self.file}"
        """The value of COMPANION_DATABASE_URL."""

    def written(self) -> object:
        """Return a value that changes with every write to the database's log on the disk."""
        status = self.file.with_name(f"{self.file.name}-wal").stat()
        return status.st_size, status.st_mtime_ns

    def another(self, folder: Path) -> str:
        """Return the address of another, empty database of the same kind."""
        return Place(folder).address

    def faults(self) -> list[str]:
        """Return the errors that the database's own checks find."""
        with closing(sqlite3.connect(self.file)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        return [
            *(says for (says,) in found if says != "ok"),
            *(f"{row} refers to nothing" for row in broken),
        ]

    def close(self) -> None:
        """Do nothing: there is no server to stop."""


class Cluster(Place):
    """A PostgreSQL server with durable commits."""

    name = "PostgreSQL"

    def __init__(self, folder: Path) -> None:
        self.server = Server(folder, _SAFE)
        self._made = 0
        self.address = self.another(folder)

    def another(self, folder: Path) -> str:
        self._made += 1
        name = f"games_{self._made}"
        with psycopg.connect(self.server.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.server.address(name)

    def written(self) -> object:
        log = self.server.place / "data/pg_wal"
        return max(file.stat().st_mtime_ns for file in log.iterdir() if file.is_file())

    def faults(self) -> list[str]:
        return []  # each page has a checksum, and the doctor reads all pages

    def close(self) -> None:
        self.server.close()


def on_disk(address: str) -> tuple[dict[str, list[Entry]], list[str]]:
    """Return the entries of every game by its address, and the faults that the doctor finds."""
    with closing(store.Database(address)) as database, database.read() as session:
        entries = {
            f"/games/{game.id}": [entry_of(event) for event in store.load(session, game.id)]
            for game in session.exec(select(store.GameRecord))
        }
        return entries, [str(fault) for fault in faults(session) if fault]
