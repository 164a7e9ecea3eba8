"""The secrets of an installation, each in a file of its own that only its owner may read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from companion.store.installation import keys_in


def kept_keys(path: Path, size: int) -> list[str]:
    """The keys in a file, the newest first; one of ``size`` random bytes if there is no such file.

    A key is never replaced here: with another one, every phone would lose its notebook. Raises
    ``OSError`` if the file cannot be read or made, or if what it holds is no key.
    """
    if not path.exists():
        _make(path, new_key(size))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)  # copied back from somewhere, and now for everyone to read
    return keys_in(path, size)


def kept_key(path: Path, size: int) -> str:
    """The newest key in a file. Makes it, and raises, as `kept_keys`."""
    return kept_keys(path, size)[0]


def new_key(size: int) -> str:
    """A key of ``size`` random bytes, as text for an address."""
    return secrets.token_urlsafe(size)


def replace_keys(path: Path, keys: Sequence[str]) -> None:
    """Put keys, the newest first, in the place of those that a file holds, all at once.

    Raises ``OSError``; then the file is as it was.
    """
    draft = _draft(path, keys)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    if os.name == "posix":
        _keep_name(path.parent)


def _make(path: Path, key: str) -> None:
    """Write a key so that the file is there as a whole or not at all, and survives a power cut."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _draft(path, [key])
    try:
        # Of two that start at once, the second finds the first one's key and takes it.
        with suppress(FileExistsError):
            _name(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path, keys: Sequence[str]) -> Path:
    """A file beside the one that is meant, with the keys in it and on the disk."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.writelines(f"{key}\n" for key in keys)
        file.flush()
        os.fsync(file.fileno())
    return draft


def _keep_name(folder: Path) -> None:
    """Only now a power cut leaves the new name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a disk on which a file has one name only
        if not path.exists():
            draft.replace(path)
