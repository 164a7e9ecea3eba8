"""Where a server keeps its games that is killed or cut off, and what is found there afterwards."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg

from companion import store
from companion.notebook.events import Entry
from companion.services.game_log import entry_of
from companion.services.games import every_game, faults
from tests.postgres_server import Server

# As it is by default, a commit is on the disk before it is acknowledged, and pages are whole.
_SAFE: Mapping[str, str] = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "checkpoint_timeout": "30s",  # so that kills meet those, too
    "log_min_messages": "panic",
}


class Found(NamedTuple):
    """What came of a part: the figures, and what is wrong, a sentence each."""

    sentence: str
    wrong: list[str]


class Place:
    """A database that must outlive the server which writes to it: a file in a folder."""

    name = "SQLite"
    """What people call this kind of database."""
    server: Server | None = None
    """The database's own server, which can be killed too."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "companion.sqlite3"
        self.address = f"sqlite:///{self.file}"
        """What COMPANION_DATABASE_URL is for it."""

    def written(self) -> object:
        """Something that changes when anything has been written to its log on the disk."""
        found = self.file.with_name(f"{self.file.name}-wal").stat()
        return found.st_size, found.st_mtime_ns

    def another(self, folder: Path) -> str:
        """The address of an empty database of the same kind, for an instance folder of its own."""
        return Place(folder).address

    def faults(self) -> list[str]:
        """What the database itself finds wrong with what is in it."""
        with closing(sqlite3.connect(self.file)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        return [
            *(says for (says,) in found if says != "ok"),
            *(f"{row} refers to nothing" for row in broken),
        ]

    def close(self) -> None:
        """End for good. Nothing runs."""


class Cluster(Place):
    """A PostgreSQL server of one's own, which keeps what it says it has kept."""

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
        return []  # each page has a checksum, and the doctor has read them all

    def close(self) -> None:
        self.server.close()


def on_disk(address: str) -> tuple[dict[str, list[Entry]], list[str]]:
    """The entries of every game by the game's address, and what is wrong with what is stored."""
    with closing(store.Database(address)) as database, database.read() as session:
        entries = {
            f"/games/{game.id}": [entry_of(one) for one in store.load(session, game.id)]
            for game in every_game(session)
        }
        return entries, [str(fault) for fault in faults(session) if fault]
