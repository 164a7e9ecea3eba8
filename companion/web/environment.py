"""What the environment says about an installation: the settings beside the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_KEY: Final = re.compile(r"[!-+\--~]+")  # visible, and no comma: that parts one from the next
_IN_AN_ADDRESS: Final = re.compile(r"[\w-]+", re.ASCII)
_SECRET, _HOUSE, _TOKEN = 32, 16, 16
_PROXIES: Final = 9


class Misconfigured(ValueError):
    """A setting that cannot be what was meant. The message is a sentence that says what to do."""


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
    for variable, (name, read) in _READ.items():
        text = environ.get(variable, "").strip()
        if text:
            found[name] = read(variable, text)
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


def _secret(variable: str, text: str) -> str:
    if len(text) < _SECRET or not _KEY.fullmatch(text):
        raise Misconfigured(
            f"{variable} must be at least {_SECRET} visible ASCII characters, no comma among them."
        )
    return text


def _secrets(variable: str, text: str) -> list[str]:
    """Former secrets. The environment has the newest first, Flask wants it last."""
    return [_secret(variable, one.strip()) for one in text.split(",") if one.strip()][::-1]


def _house_key(variable: str, text: str) -> str:
    if len(text) < _HOUSE or not _IN_AN_ADDRESS.fullmatch(text):
        raise Misconfigured(
            f"{variable} goes into an address: at least {_HOUSE} letters, digits, - or _."
        )
    return text


def _token(variable: str, text: str) -> str:
    if len(text) < _TOKEN or not _KEY.fullmatch(text):
        raise Misconfigured(f"{variable} must be at least {_TOKEN} visible ASCII characters.")
    return text


def _proxies(variable: str, text: str) -> int:
    number = int(text) if re.fullmatch(r"[0-9]", text) else -1
    if number < 0:
        raise Misconfigured(
            f"{variable} is how many proxies are in front, 0 to {_PROXIES}: mostly 1."
        )
    return number


def _hosts(variable: str, text: str) -> list[str]:
    hosts = [host.strip() for host in text.split(",") if host.strip()]
    if not all(re.fullmatch(r"\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]", host) for host in hosts):
        raise Misconfigured(f"{variable} is a list of host names with commas, without https://.")
    return hosts


def _log(variable: str, text: str) -> str:
    if text not in {"text", "json"}:
        raise Misconfigured(f"{variable} is json or text.")
    return text


_READ: Final[dict[str, tuple[str, Callable[[str, str], object]]]] = {
    "COMPANION_SECRET_KEY": ("SECRET_KEY", _secret),
    "COMPANION_SECRET_KEY_FALLBACKS": ("SECRET_KEY_FALLBACKS", _secrets),
    "COMPANION_HOUSE_KEY": ("HOUSE_KEY", _house_key),
    "COMPANION_TRUST_PROXY": ("TRUST_PROXY", _proxies),
    "COMPANION_HOSTS": ("TRUSTED_HOSTS", _hosts),
    "COMPANION_LOG": ("LOG", _log),
    "COMPANION_METRICS_TOKEN": ("METRICS_TOKEN", _token),
}
