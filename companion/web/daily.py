"""Has the running server make its daily backup: beside the requests, and in no test."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from typing import Final

from flask import Flask

from companion.services.backups import Daily
from companion.store.installation import Installation

LOOKS_EVERY: Final = 600.0  # seconds


def init_app(app: Flask, installation: Installation) -> None:
    """Look for the backup of the day from the first request on, in one thread of each process.

    Not before: a server that forks its workers after it made the application would lose the
    thread. `DAILY_BACKUPS` false switches it off.
    """
    if not app.config.get("DAILY_BACKUPS", True):
        return
    daily = Daily(installation)
    started_in = 0
    stop = threading.Event()

    def look() -> None:
        while True:
            daily.make_if_missing(datetime.now(UTC))
            if stop.wait(LOOKS_EVERY):
                return

    def begin() -> None:
        nonlocal started_in
        if started_in != os.getpid():
            started_in = os.getpid()
            threading.Thread(target=look, name="daily backup", daemon=True).start()

    app.extensions["companion_daily"] = stop
    app.before_request(begin)
