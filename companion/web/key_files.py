"""The secrets of an installation, each in a file of its own that only its owner may read."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path


def kept_key(path: Path, size: int) -> str:
    """The key in a file, made of ``size`` random bytes if there is no such file.

    A key is never replaced: with another one, every phone would lose its notebook. Raises
    ``OSError`` if the file cannot be read or made, or if what it holds is no key.
    """
    if not path.exists():
        _make(path, secrets.token_urlsafe(size))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)  # copied back from somewhere, and now for everyone to read
    key = path.read_bytes().strip()
    if len(key) < size or not key.isascii():
        raise OSError(errno.EINVAL, "it holds no key; put the saved one back", str(path))
    return key.decode("ascii")


def _make(path: Path, key: str) -> None:
    """Write a key so that the file is there as a whole or not at all, and survives a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        # Of two that start at once, the second finds the first one's key and takes it.
        with suppress(FileExistsError):
            _name(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a disk on which a file has one name only
        if not path.exists():
            draft.replace(path)
