"""A backup of each day, made while the server runs, by one of its workers; kept for two weeks."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from companion.services.backups import SUFFIX, NotABackup, back_up
from companion.store import DatabaseProblem
from companion.store.installation import Installation, only_one

KEPT: Final = timedelta(days=14)
LOG: Final = logging.getLogger("companion.backups")
_PREFIX: Final = "daily-"


class Daily:
    """Makes the backup of a day when it is missing. Several processes may have one each."""

    def __init__(self, installation: Installation) -> None:
        """The installation whose backups these are."""
        self._installation = installation
        self._trouble = ""

    def make_if_missing(self, now: datetime) -> bool:
        """Make the backup of this day, unless it is there or being made; whether it was made.

        What is in the way is told to the log once, until it is something else or all is well.
        """
        file = self._installation.backups / f"{_PREFIX}{now.astimezone(UTC):%Y-%m-%d}{SUFFIX}"
        try:
            if file.exists():
                return False
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with only_one(file.parent / ".lock") as first:
                if not first or file.exists():
                    return False
                made = back_up(self._installation, file, now)
                remove_old(self._installation, now)
        except (OSError, DatabaseProblem, NotABackup) as error:
            self._tell(error.strerror or str(error) if isinstance(error, OSError) else str(error))
            return False
        self._trouble = ""
        LOG.warning(  # so that it is seen where nobody has set up any logging
            "The backup of today is %s, %d bytes; it was checked.", file, made.size
        )
        return True

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            LOG.error("The backup of today was not made: %s", trouble)


def remove_old(installation: Installation, now: datetime) -> None:
    """Remove the daily backups of more than two weeks ago, but never the last one there is."""
    oldest = f"{_PREFIX}{(now - KEPT).astimezone(UTC):%Y-%m-%d}{SUFFIX}"
    *found, _last = sorted(installation.backups.glob(f"{_PREFIX}*{SUFFIX}")) or [Path()]
    for file in found:
        if file.name < oldest:
            file.unlink(missing_ok=True)
    # What a killed process left behind.
    for draft in installation.backups.glob(f".{_PREFIX}*{SUFFIX}.*"):
        draft.unlink(missing_ok=True)
