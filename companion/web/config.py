"""The configuration: what the environment says, the keys, and how far proxies are believed.

The secret that signs and the house key are from the environment or from files, and read at the
start. What a former secret signed stays good, so that a secret can be changed without sending
anybody away from a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from companion.store.installation import (
    Installation,
    keep_private,
    keys_in,
    new_file,
    new_key,
    replace_private,
)

# Visible, and no comma: that parts one from the next.
_SECRET: Final = r"[!-+\--~]{32,}"  # noqa: S105 (a pattern)
_HOST: Final = r"(\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])"

# How many former secrets stay: with a new one each month, a cookie is good for its year.
FORMER: Final = 12


class Misconfigured(ValueError):
    """A setting that cannot be what was meant. The message is a sentence that says what to do."""


class _Setting(NamedTuple):
    name: str
    """In the configuration."""
    pattern: str
    says: str
    """What it must be."""
    read: Callable[[str], object] = str


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


_SETTINGS: Final = {
    "COMPANION_SECRET_KEY": _Setting(
        "SECRET_KEY",
        _SECRET,
        "must be at least 32 visible ASCII characters, no comma among them",
    ),
    "COMPANION_SECRET_KEY_FALLBACKS": _Setting(
        "SECRET_KEY_FALLBACKS",
        rf"{_SECRET}(\s*,\s*{_SECRET})*[\s,]*",
        "must be secrets of at least 32 visible ASCII characters each, with commas between them",
        lambda text: _parts(text)[::-1],  # here the newest comes first, and for Flask last
    ),
    "COMPANION_HOUSE_KEY": _Setting(
        "HOUSE_KEY",
        r"[A-Za-z0-9_-]{16,}",
        "goes into an address: at least 16 letters, digits, - or _",
    ),
    "COMPANION_TRUST_PROXY": _Setting(
        "TRUST_PROXY",
        "[0-9]",
        "is how many proxies are in front, 0 to 9: mostly 1",
        int,
    ),
    "COMPANION_HOSTS": _Setting(
        "TRUSTED_HOSTS",
        rf"{_HOST}(\s*,\s*{_HOST})*[\s,]*",
        "is a list of host names with commas, without https://",
        _parts,
    ),
    "COMPANION_LOG": _Setting("LOG", "text|json", "is json or text"),
    "COMPANION_METRICS_TOKEN": _Setting(
        "METRICS_TOKEN", r"[!-+\--~]{16,}", "must be at least 16 visible ASCII characters"
    ),
}


def from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """The configuration that the environment gives; what is empty there counts as not given.

    Raises `Misconfigured`; the sentence never repeats a value, which may be a secret.
    """
    found: dict[str, object] = {
        "DATABASE_URL": environ.get("COMPANION_DATABASE_URL") or None,
        "SESSION_COOKIE_SECURE": environ.get("COMPANION_HTTPS") == "1",
        "DAILY_BACKUPS": environ.get("COMPANION_DAILY_BACKUPS") != "off",
        "RATE_LIMITS": environ.get("COMPANION_RATE_LIMITS") != "off",
    }
    for variable, setting in _SETTINGS.items():
        text = environ.get(variable, "").strip()
        if text and not re.fullmatch(setting.pattern, text):
            raise Misconfigured(f"{variable} {setting.says}.")
        if text:
            found[setting.name] = setting.read(text)
    if "SECRET_KEY_FALLBACKS" in found and "SECRET_KEY" not in found:
        raise Misconfigured(
            "COMPANION_SECRET_KEY_FALLBACKS goes with COMPANION_SECRET_KEY: set that too."
        )
    return found


def public_address(config: Mapping[str, Any]) -> str | None:
    """Where the pages are, ``https://scores.example``, if the configuration names a host."""
    for host in config["TRUSTED_HOSTS"] or ():
        if not host.startswith("."):  # which would mean all hosts below it
            return f"{'https' if config['SESSION_COOKIE_SECURE'] else 'http'}://{host}"
    return None


def trust_proxies(app: Flask) -> None:
    """Take the client's address and scheme from the last ``TRUST_PROXY`` proxies; from none if 0.

    The host is not taken from X-Forwarded-Host: a proxy that does not set that hands on what the
    client claims. It is to hand on Host itself.
    """
    proxies = app.config["TRUST_PROXY"]
    if proxies:
        wsgi = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=0)
        app.wsgi_app = wsgi  # type: ignore[method-assign]


def read_keys(app: Flask) -> None:
    """Read the keys that the configuration does not say from the instance folder, or make them.

    Raises ``OSError`` if that cannot be done.
    """
    config = app.config
    secrets, house = Installation.in_folder(Path(app.instance_path)).key_files
    if config.get("SECRET_KEY") is None:
        config["SECRET_KEY"], *config["SECRET_KEY_FALLBACKS"] = kept_keys(secrets)
    if config.get("HOUSE_KEY") is None:
        config["HOUSE_KEY"] = kept_keys(house)[0]
    # Flask's fallbacks are for the cookies; forms are to have them too. The last one signs.
    former = config.get("SECRET_KEY_FALLBACKS") or []
    config["WTF_CSRF_SECRET_KEY"] = [*former, config["SECRET_KEY"]]


def replace_key(path: Path, former: int = 0) -> str:
    """Put a new key into a file, before this many of its former ones, and return it.

    It is used from the next start on. Raises ``OSError``.
    """
    kept = kept_keys(path)  # there is a folder, and what is replaced is a key
    keys = [new_key(path.name), *kept[:former]]
    replace_private(path, "".join(f"{key}\n" for key in keys))
    return keys[0]


def kept_keys(path: Path) -> list[str]:
    """The keys in a file, the newest first; a random one if there is no such file.

    A key is never replaced here: with another one, every phone would lose its notebook. Raises
    ``OSError`` if the file cannot be read or made, or if what it holds is no key.
    """
    with suppress(FileExistsError), new_file(path) as draft:  # or another start is quicker
        draft.write_text(f"{new_key(path.name)}\n", encoding="utf-8")
    keep_private(path)  # it may have been copied back from somewhere
    return keys_in(path)
