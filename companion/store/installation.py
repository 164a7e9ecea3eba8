"""Where an installation keeps what it has: its folder, its database, its keys, its backups.

And how its files are written: they are there as a whole or not at all, for their owner alone.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

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


def keys_in(path: Path) -> list[str]:
    """Return the keys in a key file, the newest first.

    Raises OSError if the file cannot be read or what it holds is no key.
    """
    text = path.read_bytes().decode("utf-8", "replace")
    if not holds_keys(path.name, text):
        raise OSError(errno.EINVAL, "it holds no key; put the saved one back", str(path))
    return text.split()


def holds_keys(name: str, text: str) -> bool:
    """True if the text of a key file of this name is one key or more."""
    keys = text.split()
    return bool(keys) and all(len(key) >= KEY_FILES[name] and key.isascii() for key in keys)


def new_key(name: str) -> str:
    """Return a random key for the key file of this name."""
    return secrets.token_urlsafe(KEY_FILES[name])


def make_private(path: Path) -> None:
    """An empty file that only its owner may read. Raises FileExistsError."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def keep_private(path: Path) -> None:
    """Take the rights to a file or folder from all but its owner. What may not be done is left."""
    if os.name != "posix":
        return
    with suppress(OSError):  # it is not there, or somebody else's
        found = path.stat().st_mode
        rights = stat.S_IMODE(found) & (0o700 if stat.S_ISDIR(found) else 0o600)
        if rights != stat.S_IMODE(found):
            path.chmod(rights)


def write_private(path: Path, text: str) -> None:
    """A file with this text, on the disk; what had the name before is gone. Raises OSError."""
    path.unlink(missing_ok=True)
    make_private(path)
    path.write_text(text, encoding="utf-8")
    flush(path)


def replace_private(path: Path, text: str) -> None:
    """Put a text into a file, for its owner alone. Raises OSError; then the file is as it was.

    Whoever replaces it may be root, and the server must still be able to open it.
    """
    draft = draft_of(path)
    try:
        write_private(draft, text)
        make_like(draft, path)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    flush(path.parent)


def draft_of(path: Path) -> Path:
    """Return where the file lies that is to take the place of this one."""
    return path.with_name(f".{path.name}.draft")


def give_name(draft: Path, path: Path) -> None:
    """Call a written draft by its name. Raises FileExistsError if something is called that."""
    flush(draft)
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a disk on which a file has one name only
        if path.exists():
            raise FileExistsError(path) from None
        draft.replace(path)
    else:
        draft.unlink()
    flush(path.parent)


def flush(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder. Raises OSError."""
    if path.is_dir() and os.name == "nt":  # there a folder cannot be opened
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_like(path: Path, other: Path, *, rights: bool = False) -> None:
    """Give a file the owner, and the rights too if asked, of the one whose place it takes.

    If there is none, its folder's owner. What may not be done is left.
    """
    with suppress(OSError):
        as_it_is = other.stat() if other.exists() else other.parent.stat()
        if rights and other.exists():
            path.chmod(as_it_is.st_mode & 0o777)
        if os.name == "posix":
            os.chown(path, as_it_is.st_uid, as_it_is.st_gid)


@contextmanager
def only_one(lock: Path) -> Iterator[bool]:
    """Whether this process is the only one to be in here now; who is killed is not any more."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _taken(handle)
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
