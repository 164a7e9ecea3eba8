"""Files that are there as a whole or not at all, and survive a power cut once they have a name."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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

    Who restores may be root, and the server must still be able to open what was restored.
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
