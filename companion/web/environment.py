"""What the environment says about an installation: the settings beside the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

# Visible, and no comma: that parts one from the next.
_SECRET: Final = r"[!-+\--~]{32,}"  # noqa: S105 (a pattern)
_HOST: Final = r"(\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])"


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
