"""Where a server that is killed keeps its games, and what can be seen of it from outside."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol


class Place(Protocol):
    """A database that must outlive the server which writes to it."""

    name: str
    """What people call this kind of database."""
    address: str
    """What COMPANION_DATABASE_URL is for it."""
    mortal: bool
    """Whether the database is a server, which can be killed too."""

    def written(self) -> object:
        """Something that changes when anything has been written to its log on the disk."""
        ...

    def another(self, folder: Path) -> str:
        """The address of an empty database of the same kind, for an instance folder of its own."""
        ...

    def faults(self) -> list[str]:
        """What the database itself finds wrong with what is in it."""
        ...

    def kill(self) -> None:
        """Kill the database's own server without warning, and all of its processes."""
        ...

    def start(self) -> None:
        """Start it again on what is there; returns when it answers."""
        ...

    def close(self) -> None:
        """End for good."""
        ...


class SqliteFile:
    """A file in a folder: no server of its own, so nothing to kill."""

    name = "SQLite"
    mortal = False

    def __init__(self, folder: Path) -> None:
        self.file = folder / "companion.sqlite3"
        self.address = f"sqlite:///{self.file}"
        self._log = self.file.with_name(f"{self.file.name}-wal")

    def written(self) -> tuple[int, int]:
        found = self._log.stat()
        return found.st_size, found.st_mtime_ns

    def another(self, folder: Path) -> str:
        return SqliteFile(folder).address

    def faults(self) -> list[str]:
        with closing(sqlite3.connect(self.file)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        return [
            *(says for (says,) in found if says != "ok"),
            *(f"{row} refers to nothing" for row in broken),
        ]

    def kill(self) -> None:
        raise NotImplementedError("A file has no process.")

    def start(self) -> None:
        raise NotImplementedError("A file has no process.")

    def close(self) -> None:
        """Nothing runs."""
