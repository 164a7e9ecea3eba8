"""The secret that signs and the house key: from the environment or from files, read at the start.

What a former secret signed stays good, so that a secret can be changed without sending anybody away
from a table.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from flask import Flask

from companion.store.installation import (
    KEY_FILES,
    flush,
    give_name,
    keep_private,
    keys_in,
    write_private,
)

SECRET_FILE: Final = "secret.key"  # noqa: S105 (the name of a file)
HOUSE_FILE: Final = "house.key"
# With a new secret each month, a cookie is good for the year that it lasts.
_FORMER: Final = 12


def init_app(app: Flask) -> None:
    """Read the keys that the configuration does not say from the instance folder, or make them.

    Raises ``OSError`` if that cannot be done.
    """
    config, folder = app.config, Path(app.instance_path)
    if config.get("SECRET_KEY") is None:
        config["SECRET_KEY"], *config["SECRET_KEY_FALLBACKS"] = kept_keys(folder / SECRET_FILE)
    if config.get("HOUSE_KEY") is None:
        config["HOUSE_KEY"] = kept_key(folder / HOUSE_FILE)
    # Flask's fallbacks are for the cookies; forms are to have them too. The last one signs.
    former = config.get("SECRET_KEY_FALLBACKS") or []
    config["WTF_CSRF_SECRET_KEY"] = [*former, config["SECRET_KEY"]]


def new_secret(folder: Path, *, forget: bool = False) -> None:
    """Make another secret, which signs from the next start on; former ones stay good, or none.

    Raises ``OSError``.
    """
    path = folder / SECRET_FILE
    former = kept_keys(path)[:_FORMER]
    replace_keys(path, [_new_key(path), *([] if forget else former)])


def new_house_key(folder: Path) -> str:
    """Make another house key, which opens from the next start on. Raises ``OSError``."""
    path = folder / HOUSE_FILE
    kept_key(path)  # there is a folder, and what is replaced is a key
    key = _new_key(path)
    replace_keys(path, [key])
    return key


def kept_keys(path: Path) -> list[str]:
    """The keys in a file, the newest first; a random one if there is no such file.

    A key is never replaced here: with another one, every phone would lose its notebook. Raises
    ``OSError`` if the file cannot be read or made, or if what it holds is no key.
    """
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Of two that start at once, the second finds the first one's key and takes it.
        with suppress(FileExistsError):
            _write(path, [_new_key(path)], give_name)
    keep_private(path)  # it may have been copied back from somewhere
    return keys_in(path, KEY_FILES[path.name])


def kept_key(path: Path) -> str:
    """The newest key in a file. Makes it, and raises, as `kept_keys`."""
    return kept_keys(path)[0]


def replace_keys(path: Path, keys: Sequence[str]) -> None:
    """Put keys, the newest first, in the place of those that a file holds, all at once.

    Raises ``OSError``; then the file is as it was.
    """
    _write(path, keys, Path.replace)
    flush(path.parent)


def _write(path: Path, keys: Sequence[str], put: Callable[[Path, Path], object]) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        write_private(draft, "".join(f"{key}\n" for key in keys))
        put(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _new_key(path: Path) -> str:
    return secrets.token_urlsafe(KEY_FILES[path.name])
