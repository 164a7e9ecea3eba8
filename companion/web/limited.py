"""Rate limiting for keys, notebooks and codes: whoever has to wait is told how long."""

from __future__ import annotations

import hashlib
import hmac
from ipaddress import IPv6Address, ip_address
from typing import Final, cast

from flask import current_app, request
from werkzeug.exceptions import TooManyRequests

from companion.services.limits import Tried, Wait, attempt, count_wrong, must_wait
from companion.store import Database

_SAYS: Final = {
    Tried.WRONG_KEY: (
        "Too many links or recovery codes that open nothing were tried from here. Wait {}. "
        "The right one opens all the time: scan the code again, or compare it with the paper."
    ),
    Tried.NOTEBOOK: (
        "Too many notebooks were begun from here. Wait {}, then open the address again. "
        "Phones that have a notebook go on as before."
    ),
    Tried.CODE: (
        "Too many wrong digits were tried. Wait {}, then enter the right ones. "
        "The code to scan and its link open all the time."
    ),
}


class TooOften(TooManyRequests):
    """Something was tried too often. ``says`` is what to do, ``retry_after`` when, in seconds."""

    def __init__(self, what: Tried, seconds: int) -> None:
        super().__init__(retry_after=seconds)
        self.says = _SAYS[what].format(_in_words(seconds))


def limit(what: Tried) -> None:
    """Count a try by whoever sent this request. Raises `TooOften` if there were too many.

    A wrong key is counted once it was found to be wrong, a new notebook before it is made.
    """
    if current_app.config["RATE_LIMITS"]:
        _refuse(what, attempt(_database(), what, client()))


def hold_back(what: Tried) -> None:
    """Before what can be guessed is looked at: raise `TooOften` if whoever sent it has to wait."""
    if current_app.config["RATE_LIMITS"]:
        _refuse(what, must_wait(_database(), what, client()))


def count_wrong_guess(what: Tried) -> None:
    """Count what can be guessed, once it was found to be wrong."""
    if current_app.config["RATE_LIMITS"]:
        count_wrong(_database(), what, client())


def _refuse(what: Tried, wait: Wait | None) -> None:
    if wait is not None:
        raise TooOften(what, wait.seconds)


def _database() -> Database:
    return cast("Database", current_app.extensions["companion_database"])


def client() -> str:
    """A digest of the house that this request came from, which says nothing without the secret."""
    secret = str(current_app.config["SECRET_KEY"]).encode()
    seen = f"client {house_of(request.remote_addr or '')}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, seen, hashlib.sha256).hexdigest()[:32]


def house_of(address: str) -> str:
    """The address or network that a house has: one IPv4 address, or 64 bits of IPv6."""
    try:
        known = ip_address(address)
    except ValueError:  # a socket of this machine has none
        return address
    if isinstance(known, IPv6Address):
        known = known.ipv4_mapped or IPv6Address(int(known) >> 64 << 64)
    return str(known)


def _in_words(seconds: int) -> str:
    if seconds < 100:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{-(-seconds // 60)} minutes"
