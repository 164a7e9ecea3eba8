"""Backups: make one while the server runs, check it before it gets its name, restore it whole.

Every backup is checked by SQLite, by a digest of every row, and for missing entries. A restore also
replays every score sheet.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import TextClause, text
from sqlmodel import Session, func, select

from companion.services.games import fault_of
from companion.store import Database, DatabaseProblem, GameRecord, backup_file, sqlite
from companion.store.database import refuse_foreign
from companion.store.installation import (
    Installation,
    draft_of,
    files_of,
    holds_keys,
    new_file,
    new_key,
    only_one,
    remove,
    replace_private,
)
from companion.store.models import EventRow, NotebookRow, StoredRow

SUFFIX = ".backup"
KEPT = timedelta(days=14)
"""How long the daily backups are kept."""
_DAILY = "daily-"
# Numbers are unique and at least 1, so there is no gap if the highest equals their count.
_INCOMPLETE = text(
    "((last_number, last_number) = (SELECT count(*), max(number) FROM event"
    " WHERE game_id = game.id)) IS NOT TRUE"
)
_log = logging.getLogger("companion.backups")

CopyTo = Callable[[Path], None]


class Counts(NamedTuple):
    """How much is in a database, and when its last entry was made."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None


class Backup(NamedTuple):
    """A backup that passed the checks: its size is in bytes, its keys are secret, by file name."""

    file: Path
    made_at: datetime
    keys: Mapping[str, str]
    counts: Counts
    size: int


class NotABackup(Exception):
    """A game in a database or a backup is damaged; the message says which, and where."""


def name_of(at: datetime, kind: str = "companion") -> str:
    """Return the default name of a backup made at this time."""
    return f"{kind}-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"


def newest(installation: Installation) -> tuple[Path, datetime] | None:
    """Return the latest backup with a default name, and when it was made."""
    found = [
        (datetime.fromtimestamp(file.stat().st_mtime, UTC), file)
        for kind in (_DAILY, "companion-")
        for file in installation.backups.glob(f"{kind}*{SUFFIX}")
    ]
    return max(found)[::-1] if found else None


def back_up(installation: Installation, file: Path, at: datetime) -> Backup:
    """Copy the installation, as it is at this moment, into a new file, and check the copy.

    Makes the folder if it is missing. Raises FileExistsError, OSError if the file cannot be
    written, DatabaseProblem, and NotABackup if a game is damaged; then leaves no file behind.
    """
    with new_file(file) as draft:
        backup_file.copy_database(installation, draft)
        backup_file.seal(draft, _keys(installation), at)
        return look_at(draft)._replace(file=file)


def keep_as_it_is(
    installation: Installation, before: str, at: datetime, copy_to: CopyTo | None = None
) -> Path:
    """Back up the installation, damaged games too, before something changes it; return the file.

    `copy_to` copies its database into a file. Raises as `back_up`, but never NotABackup.
    """
    kept = installation.backups / name_of(at, f"before-{before}")
    with new_file(kept) as draft:
        (copy_to or partial(backup_file.copy_database, installation))(draft)
        backup_file.seal(draft, _keys(installation), at)
    return kept


def look_at(file: Path) -> Backup:
    """Check a backup and return its contents. Raises DatabaseProblem and NotABackup."""
    return _checked(file, backup_file.read_seal(file), _INCOMPLETE)


def _checked(file: Path, told: backup_file.Seal, *only: TextClause) -> Backup:
    """Replay all games of a backup, or only some, and return its contents. Raises NotABackup."""
    with sqlite.reading_file(file) as session:
        for game in session.exec(select(GameRecord).where(*only)):
            fault = fault_of(session, game)
            # What follows from the entries and is wrong is no reason to refuse: see `repair`.
            if fault and not fault.sheet:
                raise NotABackup(str(fault))
        return Backup(file, *told, count_all(session), file.stat().st_size)


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    notebooks, games = (
        session.exec(select(func.count()).select_from(table)).one()
        for table in (NotebookRow, GameRecord)
    )
    entries, last_at = session.exec(select(func.count(), func.max(EventRow.at))).one()
    return Counts(notebooks, games, entries, last_at)


def _keys(installation: Installation) -> dict[str, str]:
    """Return the texts of the key files that hold keys, by their names."""
    files = filter(Path.is_file, installation.key_files)
    texts = ((path.name, path.read_text("utf-8", "replace")) for path in files)
    return {name: text for name, text in texts if holds_keys(name, text)}


def keys_lacking(installation: Installation, backup: Backup) -> list[str]:
    """Return the names of the installation's key files that are not in its backup."""
    files = filter(Path.is_file, installation.key_files)
    return [path.name for path in files if path.name not in backup.keys]


@dataclass(frozen=True, slots=True)
class Ready:
    """A backup, copied beside the database, checked and migrated: it can replace what is there."""

    installation: Installation
    backup: Backup
    present: Counts | None
    """What it replaces; None if there is nothing, or nothing that can be read."""
    keys: Mapping[str, str]
    """The new texts of the key files that it replaces. Secrets."""
    new_keys: list[str]
    """The names of those that get a random key, as there is none here nor in the backup."""
    draft: Path

    def put_in_place(self, at: datetime) -> Path | None:
        """Restore it; return where the old database is kept, None if there was none.

        Raises DatabaseProblem, with nothing changed, if the database is in use; OSError.
        """
        file = self.installation.file
        if file is None:
            return self._into_server(at)
        with sqlite.alone(file) as copy_to:
            kept = self._keep(file, at, copy_to) if file.exists() else None
            backup_file.put_in_place(self.draft, self.keys, self.installation, file)
        return kept

    def _keep(self, file: Path, at: datetime, copy_to: CopyTo | None) -> Path:
        """Keep the database that is replaced, as a backup if it can be read."""
        if copy_to is not None:
            try:
                return keep_as_it_is(self.installation, "restore", at, copy_to)
            except DatabaseProblem as problem:
                if problem.reason != "damaged":
                    raise
        # As it is, with its log: something may still be saved of it.
        folder = self.installation.backups / name_of(at, "unreadable").removesuffix(SUFFIX)
        folder.mkdir(mode=0o700, parents=True)
        for part in filter(Path.exists, files_of(file)):
            shutil.copy(part, folder)
        return folder

    def _into_server(self, at: datetime) -> Path | None:
        kept = None
        with closing(Database(self.installation.url)) as database:
            database.migrate()
            # Servers may keep running: they wait to write until all is restored.
            with sqlite.reading_file(self.draft) as source, database.rewrite() as target:
                if target.execute(select(NotebookRow)).first():
                    kept = keep_as_it_is(self.installation, "restore", at)
                for table in reversed(StoredRow.metadata.sorted_tables):
                    target.execute(table.delete())
                backup_file.copy_rows(source.connection(), target)
        for name, key in self.keys.items():
            replace_private(self.installation.folder / name, key)
        return kept


@contextmanager
def ready(installation: Installation, file: Path) -> Iterator[Ready]:
    """Check a backup and make it ready to be restored; at the end, remove the copy.

    Raises DatabaseProblem and NotABackup if it cannot be restored; OSError.
    """
    backup_file.finish_restore(installation)
    target = installation.file or installation.folder / "companion"
    refuse_foreign(sqlite.tables_in(target))
    with draft_of(target) as draft:
        told = backup_file.copy_backup(file, draft)
        with closing(Database(f"sqlite:///{draft}")) as database:
            database.migrate()
        backup = _checked(draft, told)
        here = _keys(installation)
        keys = {name: text for name, text in told.keys.items() if text != here.get(name)}
        # The server would not start with a key file without a key.
        new = [name for name in keys_lacking(installation, backup) if name not in here]
        keys |= {name: f"{new_key(name)}\n" for name in new}
        present = None
        with suppress(Exception), backup_file.reading(installation) as session:
            present = count_all(session)
        yield Ready(installation, backup, present, keys, new, draft)


class Daily:
    """Makes the backup of each day once, even if several processes have one of these each."""

    def __init__(self, installation: Installation) -> None:
        """Make backups of this installation."""
        self._installation = installation
        self._trouble = ""

    def make_if_missing(self, now: datetime) -> bool:
        """Make today's backup unless it exists or another process makes it; True if made.

        Logs what prevents it once, and again only if that changes or comes back.
        """
        trouble, made = "", False
        try:
            made = self._make(now)
        except (OSError, DatabaseProblem, NotABackup) as error:
            trouble = getattr(error, "strerror", None) or str(error)
            if trouble != self._trouble:
                _log.error("Today's backup was not made: %s", trouble)
        self._trouble = trouble
        return made

    def _make(self, now: datetime) -> bool:
        folder = self._installation.backups
        file, oldest = (
            folder / f"{_DAILY}{at.astimezone(UTC):%Y-%m-%d}{SUFFIX}" for at in (now, now - KEPT)
        )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with only_one(folder / ".lock") as first:
            if not first or file.exists():
                return False
            made = back_up(self._installation, file, now)
            remove(*(old for old in folder.glob(f"{_DAILY}*{SUFFIX}") if old < oldest))
            remove(*folder.glob(f".{_DAILY}*{SUFFIX}.*"))  # drafts of killed processes
        # A warning, so that it shows where nobody has set up logging.
        _log.warning("Today's backup is %s (%d bytes). It was checked.", file, made.size)
        for name in keys_lacking(self._installation, made):
            _log.error("It lacks %s, which holds no key: put the saved one back.", name)
        return True
