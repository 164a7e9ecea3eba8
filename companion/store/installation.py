"""The folder, database, keys and backups of an installation, and how to write its files.

A file is written whole or not at all, and only its owner may read it.
"""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

ROOT = Path(__file__).resolve().parents[2]
# How many random bytes a key in each file has. Without the first every phone loses its notebook;
# without the second the printed address changes.
KEY_FILES = {"secret.key": 32, "house.key": 16}


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation on this machine. Its files need not exist yet."""

    folder: Path
    url: str
    """The database's address. It may hold a password, so never show it."""
    keys_elsewhere: frozenset[str] = frozenset()
    """The names of the key files that are not used because the environment has their keys."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Installation:
        """Return the installation of these environment variables, by default the checkout's.

        As in the server's settings, a blank variable counts as not set.
        """
        environment = {name: text.strip() for name, text in environment.items()}
        folder = Path(environment.get("COMPANION_INSTANCE") or ROOT / "instance")
        installation = cls.in_folder(folder, environment.get("COMPANION_DATABASE_URL"))
        # COMPANION_SECRET_KEY takes the place of secret.key.
        variables = {f"COMPANION_{name.upper().replace('.', '_')}": name for name in KEY_FILES}
        given = frozenset(name for variable, name in variables.items() if environment.get(variable))
        return replace(installation, keys_elsewhere=given)

    @classmethod
    def in_folder(cls, folder: Path, url: str | None = None) -> Installation:
        """Return the installation in a folder, with its database at `url` or in the same folder."""
        return cls(folder, url or url_of(folder / "companion.sqlite3"))

    @property
    def file(self) -> Path | None:
        """The database's file, None if the database is on a server."""
        try:
            url = make_url(self.url)
        except (ArgumentError, ValueError):  # Database says what is wrong with it
            return None
        if url.get_backend_name() != "sqlite" or not url.database:
            return None
        return Path(url.database)

    @property
    def backups(self) -> Path:
        """The default folder for backups."""
        return self.folder / "backups"

    @property
    def key_files(self) -> tuple[Path, ...]:
        """The files of the secret and the house key, but for keys that the environment has."""
        return tuple(self.folder / name for name in KEY_FILES if name not in self.keys_elsewhere)

    def keep_private(self) -> None:
        """Let only the owner use the installation's folders, if they exist."""
        for folder in (self.folder, self.backups):
            keep_private(folder)


def url_of(file: Path) -> str:
    """Return the address of an SQLite database; any character may be in the name of its file."""
    return URL.create("sqlite", database=str(file)).render_as_string()


def keys_in(path: Path) -> list[str]:
    """Return the keys in a key file, the newest first. Raises OSError, also if it holds none."""
    text = path.read_bytes().decode("utf-8", "replace")
    if not holds_keys(path.name, text):
        raise OSError(errno.EINVAL, "it holds no key", str(path))
    return text.split()


def holds_keys(name: str, text: str) -> bool:
    """True if a key file of this name may hold this text: at least one key, each long enough."""
    keys = text.split()
    return bool(keys) and all(len(key) >= KEY_FILES[name] and key.isascii() for key in keys)


def new_key(name: str) -> str:
    """Return a random key for the key file of this name."""
    return secrets.token_urlsafe(KEY_FILES[name])


def kept_keys(path: Path) -> list[str]:
    """Return the keys in a file, the newest first. Makes the file, with a random key, if needed.

    It never replaces a key: with a new secret, every phone would lose its notebook. Raises OSError
    if the file cannot be read or made, or holds no key.
    """
    with suppress(FileExistsError), new_file(path) as draft:  # another process may make it first
        draft.write_text(f"{new_key(path.name)}\n", encoding="utf-8")
    keep_private(path)  # it may be a copy that everybody can read
    return keys_in(path)


def replace_key(path: Path, former: int = 0) -> str:
    """Write a new key and the newest `former` old ones into a file, and return the new one.

    A server uses it from its next start on. Raises OSError.
    """
    old_keys = kept_keys(path)  # makes the folder, and raises OSError if the file holds no key
    keys = [new_key(path.name), *old_keys[:former]]
    replace_private(path, "".join(f"{key}\n" for key in keys))
    return keys[0]


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read: the folder's owner, if root makes it.

    Raises FileExistsError.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _copy_owner(path.parent, handle)
    os.close(handle)


def keep_private(path: Path) -> None:
    """Let only the owner use a file or folder, if this user may set its permissions."""
    with suppress(OSError):  # it does not exist, or belongs to somebody else
        if is_open(path):
            path.chmod(path.stat().st_mode & (0o700 if path.is_dir() else 0o600))


def is_open(path: Path) -> bool:
    """True if others can use a file or folder, unless all share it: ``/tmp``, ``/dev/null``.

    Raises OSError if it does not exist.
    """
    mode = path.stat().st_mode
    is_shared = mode & stat.S_ISVTX or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return os.name == "posix" and bool(mode & 0o077) and not is_shared


def make_folder(folder: Path) -> None:
    """Make a private folder, unless there is one. Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _copy_owner(folder.parent, folder)


@contextmanager
def draft_of(path: Path, suffix: str = "draft") -> Iterator[Path]:
    """Yield an empty private file that can take the place of another; remove it at the end.

    `suffix` ends its name. Processes that may do this at the same time need different ones. Makes
    the folder. Raises OSError.
    """
    make_folder(path.parent)
    draft = path.with_name(f".{path.name}.{suffix}")
    remove(*files_of(draft))  # left by a process that was killed
    try:
        make_private(draft)
        yield draft
    finally:
        remove(*files_of(draft))


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield a private draft; at the end it gets the name `path`, unless the block has raised.

    Raises FileExistsError if there is a file with that name.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, "it exists already", str(path))
    with draft_of(path, secrets.token_hex(4)) as draft:
        yield draft
        flush(draft)
        try:
            os.link(draft, path)
        except OSError:
            if path.exists():
                raise FileExistsError(errno.EEXIST, "it exists already", str(path)) from None
            draft.replace(path)  # this disk has no hard links
        flush(path.parent)


def files_of(file: Path) -> list[Path]:
    """Return the paths of a database file and of the files that SQLite may keep beside it."""
    return [file.with_name(file.name + kind) for kind in ("", "-wal", "-shm", "-journal")]


def remove(*files: Path) -> None:
    """Remove files that may exist."""
    for file in files:
        file.unlink(missing_ok=True)


def replace_private(path: Path, text: str) -> None:
    """Replace a file's text in one step. Raises OSError, and then leaves the file as it was."""
    with draft_of(path) as draft:
        draft.write_text(text, encoding="utf-8")
        take_place(draft, path)


def take_place(draft: Path, path: Path) -> None:
    """Move a draft to `path` in one step, and replace any file there. Raises OSError."""
    _copy_owner(path if path.exists() else path.parent, draft)
    flush(draft)
    draft.replace(path)
    flush(path.parent)


def _copy_owner(source: Path, target: Path | int) -> None:
    """Give a file or folder, or an open file, the owner of `source`, if this user may do that.

    If root runs a command, the server must still be able to use the files.
    """
    if os.name == "posix":
        with suppress(OSError):
            owner = source.stat()
            os.chown(target, owner.st_uid, owner.st_gid)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk. Raises OSError."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def only_one(lock: Path) -> Iterator[bool]:
    """Yield True if this process gets the lock, False if another process holds it.

    The lock ends with the block, or if the process is killed. Raises OSError if the file cannot be
    locked.
    """
    with suppress(FileExistsError):
        make_private(lock)
    with ExitStack() as stack:
        try:
            # An empty database: SQLite knows how each system locks files.
            connection = stack.enter_context(closing(sqlite3.connect(lock, timeout=0)))
            connection.execute("BEGIN EXCLUSIVE")
            is_ours = True
        except sqlite3.Error as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise OSError(errno.ENOLCK, f"{lock} cannot be locked ({error})") from error
            is_ours = False
        yield is_ours
