"""The secret that signs and the house key: from the environment or from files, old ones with them.

What a former secret signed stays good, so that a secret can be changed without sending anybody away
from a table. A server that runs takes over what changes in the files.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final

from flask import Flask

from companion.store.installation import KEY_FILES
from companion.web.key_files import kept_key, kept_keys, new_key, replace_keys

SECRET_FILE: Final = "secret.key"  # noqa: S105 (the name of a file)
HOUSE_FILE: Final = "house.key"
_SECRET_SIZE, _HOUSE_SIZE = KEY_FILES[SECRET_FILE], KEY_FILES[HOUSE_FILE]
# Whoever comes once in so many changes of the secret stays who they are.
_FORMER: Final = 12

_log = logging.getLogger("companion")


class Keyring:
    """The keys of an application, which it has in its configuration."""

    def __init__(self, app: Flask) -> None:
        """Read what the configuration does not say from the instance folder, or make it once.

        Raises ``OSError`` if that cannot be done.
        """
        self._app = app
        folder = Path(app.instance_path)
        self._files = []
        if app.config.get("SECRET_KEY") is None:
            self._files.append((folder / SECRET_FILE, self._take_secrets))
        else:
            self._sign_with([app.config["SECRET_KEY"], *reversed(self._former())])
        if app.config.get("HOUSE_KEY") is None:
            self._files.append((folder / HOUSE_FILE, self._take_house_key))
        for path, take in self._files:
            take(path)
        self._seen = self._state()

    def changed(self) -> bool:
        """Take over what the files hold, if they were changed; whether they were.

        A file that went away or holds no key any more changes nothing.
        """
        now = self._state()
        if now == self._seen:
            return False
        self._seen = now
        for path, take in self._files:
            try:
                if path.exists():
                    take(path)
            except OSError as problem:
                _log.warning("%s was changed, but cannot be used: %s", path.name, problem.strerror)
        return True

    def _state(self) -> list[tuple[int, int, int] | None]:
        return [_state_of(path) for path, _ in self._files]

    def _take_secrets(self, path: Path) -> None:
        self._sign_with(kept_keys(path, _SECRET_SIZE))

    def _take_house_key(self, path: Path) -> None:
        self._app.config["HOUSE_KEY"] = kept_key(path, _HOUSE_SIZE)

    def _sign_with(self, keys: list[str]) -> None:
        """The newest first. What signs comes last here, so that it is never without the others."""
        config = self._app.config
        oldest_first = keys[::-1]
        config["SECRET_KEY_FALLBACKS"] = oldest_first[:-1]
        config["WTF_CSRF_SECRET_KEY"] = oldest_first
        config["SECRET_KEY"] = keys[0]

    def _former(self) -> list[str]:
        return list(self._app.config.get("SECRET_KEY_FALLBACKS") or ())


def _state_of(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (at every request: a third of what Path.stat takes)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def new_secret(folder: Path, *, forget: bool = False) -> None:
    """From now on another secret signs; what former ones signed stays good, or is forgotten.

    Raises ``OSError``.
    """
    path = folder / SECRET_FILE
    former = kept_keys(path, _SECRET_SIZE)[:_FORMER]
    replace_keys(path, [new_key(_SECRET_SIZE), *([] if forget else former)])


def new_house_key(folder: Path) -> str:
    """From now on another house key opens, which is answered. Raises ``OSError``."""
    path = folder / HOUSE_FILE
    kept_key(path, _HOUSE_SIZE)  # there is a folder, and what is replaced is a key
    key = new_key(_HOUSE_SIZE)
    replace_keys(path, [key])
    return key
