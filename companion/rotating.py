"""Changes the keys of an installation in use: the secret that signs, and the house key."""

import os
import sys

from companion.launcher import StartError
from companion.serving import announce, cannot_be_used
from companion.store.installation import Installation
from companion.web.config import (
    Misconfigured,
    from_environment,
    new_house_key,
    new_secret,
    public_address,
)


def rotate_secret(*, forget: bool) -> None:
    """Make a new secret, with which servers sign once they start again. Raises StartError.

    What former ones signed stays good, or with ``forget`` nothing of it.
    """
    _from_files(
        "COMPANION_SECRET_KEY",
        "put a new one there, and the old one first into "
        "COMPANION_SECRET_KEY_FALLBACKS; then start the servers again, one by one.",
    )
    try:
        new_secret(Installation.told_by(os.environ).folder, forget=forget)
    except OSError as error:
        raise cannot_be_used(error) from error
    print("There is a new secret. Restart or reload the server: from then on it signs.")
    if forget:
        print("Every phone has to open the printed address again, and gets a new notebook.")
    else:
        print("Cookies and open pages that the former ones signed stay good.")


def rotate_house_key(host: str, port: int) -> None:
    """Make a new house key, and print its address. Raises StartError."""
    _from_files("COMPANION_HOUSE_KEY", "put a new one there, and start the servers again.")
    try:
        config = {"TRUSTED_HOSTS": None} | from_environment(os.environ)
        key = new_house_key(Installation.told_by(os.environ).folder)
    except Misconfigured as problem:
        raise StartError(str(problem)) from problem
    except OSError as error:
        raise cannot_be_used(error) from error
    print("Restart or reload the server: from then on this address opens, and the former one not.")
    print("Markers stay markers.")
    announce(key, host, port, sys.stdout, public_address(config))


def _from_files(variable: str, instead: str) -> None:
    if os.environ.get(variable, "").strip():
        raise StartError(f"This key comes from {variable}: {instead}")
