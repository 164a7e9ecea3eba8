"""Backups: make one while the server runs, check it before it gets its name, restore it whole.

The seal of a backup (`companion.store.backup_file`) tells whether a row was changed. Besides, no
entry may be missing, and a restore replays every score sheet.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, TextClause, text
from sqlmodel import Session, func, select

from companion.services.games import fault_of
from companion.store import Database, DatabaseProblem, GameRecord, installation as disk
from companion.store.backup_file import (
    INSERT,
    alone,
    copy_pages,
    read_only,
    read_seal,
    reading_file,
    refusal,
    seal,
    tables_in,
)
from companion.store.database import refuse_foreign
from companion.store.installation import Installation
from companion.store.models import EventRow, NotebookRow, StoredRow
from companion.store.sqlite import problems

SUFFIX = ".backup"
KEPT = timedelta(days=14)  # how long the daily backups are kept
_DAILY = "daily-"
_ROWS_AT_ONCE = 1000
# Numbers are unique and at least 1, so there is no gap if the highest equals their count.
_INCOMPLETE = text(
    "((last_number, last_number) = (SELECT count(*), max(number) FROM event"
    " WHERE game_id = game.id)) IS NOT TRUE"
)
_log = logging.getLogger("companion.backups")


class Counts(NamedTuple):
    """How much is in a database, and when its last entry was made."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None


class Backup(NamedTuple):
    """A backup that passed the checks, and its ``keys``: texts of key files, secrets."""

    file: Path
    made_at: datetime
    keys: Mapping[str, str]
    counts: Counts


def name_of(at: datetime, kind: str = "companion") -> str:
    """Return the default name of a backup made at this time."""
    return f"{kind}-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"


def newest(installation: Installation) -> tuple[Path, datetime] | None:
    """Return the latest backup with a default name, and when it was made."""
    files = (installation.backups.glob(f"{kind}*{SUFFIX}") for kind in (_DAILY, "companion-"))
    found = [(datetime.fromtimestamp(one.stat().st_mtime, UTC), one) for one in chain(*files)]
    return max(found)[::-1] if found else None


def back_up(installation: Installation, file: Path, at: datetime) -> Backup:
    """Copy the installation, as it is at this moment, into a new file, and check the copy.

    Makes the folder if it is missing. Raises FileExistsError, OSError if the file cannot be
    written, and DatabaseProblem, also if a game is damaged; then leaves no file behind.
    """
    with disk.new_file(file) as draft:
        copy_database(installation, draft)
        seal(draft, _keys(installation), at)
        return look_at(draft)._replace(file=file)


def keep_as_it_is(
    installation: Installation, before: str, at: datetime, source: sqlite3.Connection | None = None
) -> Path:
    """Back up the installation, damaged games too, before something changes it; return the file.

    `source` is a connection to its database, if no other may read it. Raises as `back_up`.
    """
    kept = installation.backups / name_of(at, f"before-{before}")
    with disk.new_file(kept) as draft:
        if source:
            copy_pages(source, draft)
        else:
            copy_database(installation, draft)
        seal(draft, _keys(installation), at)
    return kept


def _keys(installation: Installation) -> dict[str, str]:
    """Return the texts of the key files that hold keys, by their names."""
    files = filter(Path.is_file, installation.key_files)
    texts = {path.name: path.read_text("utf-8", "replace") for path in files}
    return {name: text for name, text in texts.items() if disk.holds_keys(name, text)}


def keys_lacking(installation: Installation, backup: Backup) -> list[str]:
    """Return the names of the installation's key files that are not in its backup."""
    files = filter(Path.is_file, installation.key_files)
    return [path.name for path in files if path.name not in backup.keys]


@contextmanager
def reading(installation: Installation) -> Iterator[Session]:
    """A session that reads the database and changes nothing. Raises DatabaseProblem."""
    if installation.file:
        with reading_file(installation.file) as session:
            yield session
    else:
        with closing(Database(installation.url)) as database, database.read() as session:
            yield session


def copy_database(installation: Installation, copy: Path) -> None:
    """Copy one moment of a database into an empty file, while others write.

    Finishes an interrupted restore first. Raises DatabaseProblem and OSError.
    """
    finish_restore(installation)
    if installation.file is None:
        with (
            closing(Database(installation.url)) as server,
            closing(Database(f"sqlite:///{copy}")) as target,
        ):
            server.require_ready()
            target.migrate()
            with server.read() as source, target.write() as writes:
                copy_rows(source.connection(), writes.connection())
    elif installation.file.is_file():
        with problems(), closing(read_only(installation.file)) as connection:
            copy_pages(connection, copy)
    else:
        raise DatabaseProblem("cannot_open", f"There is no database at {installation.file} yet.")


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy every row of our tables into the same, empty tables of another database."""
    # PostgreSQL would send all rows at once, and then end our transaction as idle.
    in_parts = {"stream_results": True, "max_row_buffer": _ROWS_AT_ONCE}
    for table in StoredRow.metadata.sorted_tables:
        found = source.execute(table.select(), execution_options=in_parts).mappings()
        for some in found.partitions(_ROWS_AT_ONCE):
            target.execute(table.insert(), [dict(row) for row in some])


def look_at(file: Path) -> Backup:
    """Check a backup and return its contents. Raises DatabaseProblem."""
    return _replayed(file, *read_seal(file, file), _INCOMPLETE)


def _replayed(file: Path, made_at: datetime, keys: dict[str, str], *only: TextClause) -> Backup:
    """Replay all games of a backup, or only some, and return its contents.

    Raises DatabaseProblem if one is damaged.
    """
    with reading_file(file) as session:
        for game in session.exec(select(GameRecord).where(*only)):
            fault = fault_of(session, game)
            # What follows from the entries and is wrong is no reason to refuse: see `repair`.
            if fault and not fault.sheet:
                raise DatabaseProblem("damaged", f"A game is damaged. {fault}")
        return Backup(file, made_at, keys, count_all(session))


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    tables = (NotebookRow, GameRecord, EventRow)
    notebooks, games, entries = (
        session.exec(select(func.count()).select_from(table)).one() for table in tables
    )
    return Counts(notebooks, games, entries, session.exec(select(func.max(EventRow.at))).one())


# A file is replaced, with the keys, even if the program is killed half-way: the new database
# carries its keys in a table, `companion_restoring`, and replaces the old file in one step. Then
# the keys go into their files and the table is dropped, if need be by the next start.
@dataclass(frozen=True, slots=True)
class Ready:
    """A backup, copied beside the database, checked and migrated: it can replace what is there.

    ``present`` is what can be read of that. ``keys`` are the new texts of the key files that it
    replaces: secrets. One that the backup does not have is random.
    """

    installation: Installation
    backup: Backup
    present: Counts | None
    keys: Mapping[str, str]

    def put_in_place(self, at: datetime) -> Path | None:
        """Restore it; return where the old database is kept, None if there was none.

        Raises DatabaseProblem, with nothing changed, if the database is in use; OSError.
        """
        if (file := self.installation.file) is None:
            return self._into_server(at)
        with alone(file) as connection:
            kept = self._keep(file, at, connection) if connection else None
            self._replace(file)
            return kept

    def _keep(self, file: Path, at: datetime, connection: sqlite3.Connection) -> Path:
        """Keep the database that is replaced, as a backup if it can be read."""
        try:
            return keep_as_it_is(self.installation, "restore", at, connection)
        except DatabaseProblem as problem:
            if problem.reason != "damaged":
                raise
        # As it is, with its log: something may still be saved of it.
        folder = self.installation.backups / name_of(at, "unreadable").removesuffix(SUFFIX)
        folder.mkdir(mode=0o700, parents=True)
        for part in filter(Path.exists, disk.files_of(file)):
            shutil.copy(part, folder)
        return folder

    def _replace(self, file: Path) -> None:
        draft = self.backup.file
        with closing(sqlite3.connect(draft)) as connection, connection:
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("DELETE FROM companion_backup")
            connection.executemany(INSERT, self.keys.items())
            connection.execute("ALTER TABLE companion_backup RENAME TO companion_restoring")
        disk.remove(*disk.files_of(file)[1:])  # SQLite would play the old log into the new file
        disk.take_place(draft, file)
        finish_restore(self.installation)

    def _into_server(self, at: datetime) -> Path | None:
        kept = None
        with closing(Database(self.installation.url)) as database:
            database.migrate()
            # Servers may keep running: they wait to write until all is restored.
            with reading_file(self.backup.file) as source, database.rewrite() as target:
                if target.execute(select(NotebookRow)).first():
                    kept = keep_as_it_is(self.installation, "restore", at)
                for table in reversed(StoredRow.metadata.sorted_tables):
                    target.execute(table.delete())
                copy_rows(source.connection(), target)
        for name, key in self.keys.items():
            disk.replace_private(self.installation.folder / name, key)
        return kept


@contextmanager
def ready(installation: Installation, file: Path) -> Iterator[Ready]:
    """Check a backup and make it ready to be restored; at the end, remove the copy.

    Raises DatabaseProblem if it cannot be restored; OSError.
    """
    finish_restore(installation)
    target = installation.file or installation.folder / "companion"
    refuse_foreign(tables_in(target))
    with disk.draft_of(target) as draft:
        if not file.is_file():
            raise refusal("cannot_open", file)
        shutil.copyfile(file, draft)
        sealed = read_seal(draft, file)
        with closing(Database(f"sqlite:///{draft}")) as database:
            database.migrate()
        backup = _replayed(draft, *sealed)
        here = _keys(installation)
        keys = {name: text for name, text in backup.keys.items() if text != here.get(name)}
        # The server would not start with a key file without a key.
        new = {*keys_lacking(installation, backup)} - here.keys()
        keys |= {name: f"{disk.new_key(name)}\n" for name in new}
        present = None
        with suppress(Exception), reading(installation) as session:
            present = count_all(session)
        yield Ready(installation, backup, present, keys)


def is_interrupted(installation: Installation) -> bool:
    """True if a restore began and did not finish."""
    file = installation.file
    return file is not None and "companion_restoring" in tables_in(file)


def finish_restore(installation: Installation) -> None:
    """Finish an interrupted restore. Call this before the database is opened.

    Raises DatabaseProblem and OSError.
    """
    if installation.file is None or not is_interrupted(installation):
        return
    with problems(), closing(sqlite3.connect(installation.file)) as connection, connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        if is_interrupted(installation):  # else another process was quicker
            for name, text in connection.execute("SELECT * FROM companion_restoring"):
                disk.replace_private(installation.folder / name, text)
            connection.execute("DROP TABLE companion_restoring")


@dataclass(slots=True)
class Daily:
    """Makes the backup of each day once, even if several processes have one of these each."""

    installation: Installation
    _trouble: str = ""

    def make_if_missing(self, now: datetime) -> bool:
        """Make today's backup unless it exists or another process makes it; True if made.

        Logs what prevents it once, and again only if that changes or comes back.
        """
        before, self._trouble = self._trouble, ""
        try:
            return self._make(now)
        except (OSError, DatabaseProblem) as error:
            self._trouble = getattr(error, "strerror", None) or str(error)
            if self._trouble != before:
                _log.error("Today's backup was not made: %s", self._trouble)
            return False

    def _make(self, now: datetime) -> bool:
        folder = self.installation.backups
        today = now.astimezone(UTC).date()
        file, oldest = (folder / f"{_DAILY}{day}{SUFFIX}" for day in (today, today - KEPT))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with disk.only_one(folder / ".lock") as first:
            if not first or file.exists():
                return False
            made = back_up(self.installation, file, now)
            disk.remove(*(old for old in folder.glob(f"{_DAILY}*{SUFFIX}") if old < oldest))
            disk.remove(*folder.glob(f".{_DAILY}*{SUFFIX}.*"))  # drafts of killed processes
        # A warning, so that it shows where nobody has set up logging.
        _log.warning("Today's backup is %s (%d bytes). It was checked.", file, file.stat().st_size)
        for name in keys_lacking(self.installation, made):
            _log.error("It lacks %s, which holds no key: put the saved one back.", name)
        return True
