"""Where an installation keeps what it has: its folder, its database, its keys, its backups."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from companion.store.durable import keep_private

ROOT = Path(__file__).resolve().parents[2]
# Without the first every phone loses its notebook, without the second the printed address changes.
# Each with how many random bytes a key in it has.
KEY_FILES = {"secret.key": 32, "house.key": 16}


@dataclass(frozen=True, slots=True)
class Installation:
    """One companion on this machine. Nothing of it need exist yet."""

    folder: Path
    url: str
    """The database's address, which may hold a password: it must not be shown."""

    @classmethod
    def told_by(cls, environment: Mapping[str, str]) -> Installation:
        """The one that COMPANION_INSTANCE and COMPANION_DATABASE_URL name, or the checkout's."""
        folder = Path(environment.get("COMPANION_INSTANCE") or ROOT / "instance")
        return cls.in_folder(folder, environment.get("COMPANION_DATABASE_URL"))

    @classmethod
    def in_folder(cls, folder: Path, url: str | None = None) -> Installation:
        """The one in a folder, with the database at `url`, or else in the same folder."""
        return cls(folder, url or f"sqlite:///{folder / 'companion.sqlite3'}")

    @property
    def file(self) -> Path | None:
        """The database's file, None if the database is a server's."""
        try:
            url = make_url(self.url)
        except (ArgumentError, ValueError):  # Database says what is wrong with it
            return None
        if url.get_backend_name() != "sqlite" or not url.database:
            return None
        return Path(url.database)

    @property
    def backups(self) -> Path:
        """The folder of the backups that nobody named otherwise."""
        return self.folder / "backups"

    @property
    def key_files(self) -> tuple[Path, ...]:
        """The secrets, each in a file of its own."""
        return tuple(self.folder / name for name in KEY_FILES)

    def keep_private(self) -> None:
        """Take the rights to its folders, if they are there, from all but their owner."""
        for folder in (self.folder, self.backups):
            keep_private(folder)


def keys_in(path: Path, size: int) -> list[str]:
    """The keys in a file, the newest first, none of fewer than `size` characters.

    Raises OSError if the file cannot be read or what it holds is no key.
    """
    keys = path.read_bytes().split()
    if not keys or any(len(key) < size or not key.isascii() for key in keys):
        raise OSError(errno.EINVAL, "it holds no key; put the saved one back", str(path))
    return [key.decode("ascii") for key in keys]
