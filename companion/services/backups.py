"""Backups: made while the server runs, checked before they get their name, and restored whole.

A backup is checked by SQLite, by a digest of every row, and by counting: no entry is missing. Who
restores it has every score sheet computed, too.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Session, col, func, or_, select

from companion.services.game_log import DamagedGame, read_game
from companion.services.games import Fault, faults
from companion.store import Database, DatabaseProblem, GameRecord
from companion.store.backup_file import (
    alone,
    beside,
    copy_backup,
    copy_database,
    copy_rows,
    empty_tables,
    finish_restore,
    is_empty,
    put_in_place,
    read_seal,
    reading,
    refuse_foreign_file,
    seal,
    unseal,
)
from companion.store.installation import (
    Installation,
    draft_of,
    give_name,
    holds_keys,
    new_key,
    only_one,
    replace_private,
)
from companion.store.models import EventRow, NotebookRow

SUFFIX = ".backup"
# A server makes a backup each day, and keeps those of two weeks.
KEPT = timedelta(days=14)
_DAILY = "daily-"
_log = logging.getLogger("companion.backups")

CopyTo = Callable[[Path], None]
"""Copies a database into a file."""


class Counts(NamedTuple):
    """How much is in a database."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None
    """When the last entry was made, None if there is none."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was found to be whole."""

    file: Path
    made_at: datetime
    counts: Counts
    keys: tuple[str, ...]
    """The names of the key files that are in it."""
    size: int
    """In bytes."""


class NotABackup(Exception):
    """What was to be copied or restored does not hold together; the message says where."""


def name_of(at: datetime, kind: str = "companion") -> str:
    """Return what a backup of this moment is called where nobody says otherwise."""
    return f"{kind}-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"


def newest(installation: Installation) -> tuple[Path, datetime] | None:
    """Return the latest backup among those that nobody named otherwise, and when it was made."""
    found = [
        (datetime.fromtimestamp(file.stat().st_mtime, UTC), file)
        for kind in (_DAILY, "companion-")
        for file in installation.backups.glob(f"{kind}*{SUFFIX}")
    ]
    return max(found)[::-1] if found else None


def back_up(installation: Installation, file: Path, at: datetime) -> Backup:
    """Copy the whole installation, as it is at this moment, into a new file, and check that.

    Its folder is made if it is missing. Raises FileExistsError if there is such a file, OSError if
    it cannot be written, DatabaseProblem, and NotABackup if the database itself is not in order:
    then nothing has been left behind.
    """
    finish_restore(installation)
    with _sealed(installation, file, at) as draft:
        return _checked(draft, at, [*_keys(installation)], file)


def keep_as_it_is(
    installation: Installation, before: str, at: datetime, copy_to: CopyTo | None = None
) -> Path:
    """Back up what is there before it is changed, even if it is damaged; return the file.

    Raises as `back_up`, but NotABackup.
    """
    if copy_to is None:
        finish_restore(installation)
    kept = installation.backups / name_of(at, f"before-{before}")
    with _sealed(installation, kept, at, copy_to):
        return kept


@contextmanager
def _sealed(
    installation: Installation, file: Path, at: datetime, copy_to: CopyTo | None = None
) -> Iterator[Path]:
    """A sealed copy beside the file, which gets its name at the end of the block."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.exists():
        raise FileExistsError(file)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        (copy_to or partial(copy_database, installation))(draft)
        seal(draft, _keys(installation), at)
        yield draft
        give_name(draft, file)
    finally:
        _remove(draft)


def look_at(file: Path) -> Backup:
    """Return what is in a backup, once it was checked. Raises DatabaseProblem and NotABackup."""
    told = read_seal(file)
    return _checked(file, told.made_at, told.keys, file)


def _checked(copy: Path, made_at: datetime, keys: Iterable[str], file: Path) -> Backup:
    """Return what is in a copy that is called `file`, once no entry was found to be missing."""
    with reading(copy) as session:
        record = _game_with_a_gap(session)
        if record is not None:
            try:
                read_game(session, record)
            except DamagedGame as damage:
                raise NotABackup(str(Fault(record, str(damage)))) from None
        return Backup(file, made_at, count_all(session), (*keys,), copy.stat().st_size)


def _game_with_a_gap(session: Session) -> GameRecord | None:
    """Return a game whose entries are not numbered 1, 2, 3, … up to its last one, if any."""
    # No number comes twice or is below 1, so the last one says whether there are gaps.
    count, last = func.count(col(EventRow.number)), func.max(EventRow.number)
    of = (
        select(EventRow.game_id, count.label("n"), last.label("last"))
        .group_by(EventRow.game_id)
        .subquery()
    )
    uncounted = or_(of.c.n.is_(None), of.c.n != GameRecord.last_number, of.c.last != of.c.n)
    games = select(GameRecord).outerjoin(of, of.c.game_id == GameRecord.id)
    return session.exec(games.where(uncounted)).first()


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    notebooks, games = (
        session.exec(select(func.count()).select_from(table)).one()
        for table in (NotebookRow, GameRecord)
    )
    entries, last_at = session.exec(select(func.count(), func.max(EventRow.at))).one()
    return Counts(notebooks, games, entries, last_at)


def keys_lacking(installation: Installation, backup: Backup) -> list[str]:
    """Return the names of the key files that are in an installation and not in a backup of it."""
    return [
        path.name
        for path in installation.key_files
        if path.is_file() and path.name not in backup.keys
    ]


@dataclass(frozen=True, slots=True)
class Ready:
    """A backup that lies beside the database, checked and brought up to date, to be restored."""

    installation: Installation
    backup: Backup
    present: Counts | None
    """What it takes the place of; None if there is nothing, or nothing that can be read."""
    keys: Mapping[str, str]
    """What the key files get that are to be replaced. Secrets."""
    new_keys: list[str]
    """The names of those of them that hold no key, neither here nor in the backup."""
    _draft: Path

    def put_in_place(self, at: datetime) -> Path | None:
        """Restore it; where that which was there is kept now, None if there was nothing.

        Raises DatabaseProblem, before anything was changed, if the database is in use; OSError.
        """
        installation, file = self.installation, self.installation.file
        if file is None:
            return self._into_server(at)
        with alone(file) as copy_to:
            kept = None
            if copy_to is not None:
                kept = self._keep(copy_to, at)
            elif file.exists():
                kept = _set_aside(installation, file, at)
            unseal(self._draft, self.keys)
            put_in_place(self._draft, installation, file)
        return kept

    def _keep(self, copy_to: CopyTo | None, at: datetime) -> Path:
        file = self.installation.file
        try:
            return keep_as_it_is(self.installation, "restore", at, copy_to)
        except DatabaseProblem as problem:
            if problem.reason != "damaged" or file is None:
                raise
            return _set_aside(self.installation, file, at)

    def _into_server(self, at: datetime) -> Path | None:
        installation = self.installation
        with closing(Database(installation.url)) as database:
            database.migrate()
            kept = None
            # A server may go on meanwhile: from here on nobody writes what would not be kept.
            with reading(self._draft) as source, database.rewrite() as target:
                if not is_empty(target):
                    kept = self._keep(None, at)
                empty_tables(target)
                copy_rows(source.connection(), target)
        for name, text in self.keys.items():
            replace_private(installation.folder / name, text)
        return kept


@contextmanager
def ready(installation: Installation, file: Path) -> Iterator[Ready]:
    """A backup made ready to be restored; if it is not, nothing of that stays behind.

    Raises DatabaseProblem and NotABackup if it cannot be restored; OSError.
    """
    finish_restore(installation)
    target = installation.file or installation.folder / "companion"
    refuse_foreign_file(target)
    for folder in (target.parent, installation.folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = draft_of(target)
    _remove(draft)
    try:
        told = copy_backup(file, draft)
        with closing(Database(f"sqlite:///{draft}")) as database:
            database.migrate()
        with alone(draft):  # one file again, with no log beside it
            pass
        with reading(draft) as session:
            # What follows from the entries may be wrong: the doctor mends it.
            wrong = next((fault for fault in faults(session) if not fault.derived), None)
            if wrong is not None:
                raise NotABackup(str(wrong))
        backup = _checked(draft, told.made_at, told.keys, file)
        here = {path.name: _text(path) for path in installation.key_files if path.is_file()}
        keys = {name: text for name, text in told.keys.items() if text != here.get(name)}
        # With a key file in which there is no key the server would not start.
        new = [name for name in here if not holds_keys(name, told.keys.get(name, here[name]))]
        keys |= {name: f"{new_key(name)}\n" for name in new}
        yield Ready(installation, backup, _present(installation), keys, new, draft)
    finally:
        _remove(draft)


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
        file = self._installation.backups / f"{_DAILY}{now.astimezone(UTC):%Y-%m-%d}{SUFFIX}"
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
            trouble = getattr(error, "strerror", None) or str(error)
            if trouble != self._trouble:
                _log.error("The backup of today was not made: %s", trouble)
            self._trouble = trouble
            return False
        self._trouble = ""
        _log.warning(  # so that it is seen where nobody has set up any logging
            "The backup of today is %s, %d bytes; it was checked.", file, made.size
        )
        for name in keys_lacking(self._installation, made):
            _log.error("It lacks %s, which holds no key: put the saved one back.", name)
        return True


def remove_old(installation: Installation, now: datetime) -> None:
    """Remove the daily backups of more than two weeks ago, but never the last one there is."""
    oldest = f"{_DAILY}{(now - KEPT).astimezone(UTC):%Y-%m-%d}{SUFFIX}"
    for file in sorted(installation.backups.glob(f"{_DAILY}*{SUFFIX}"))[:-1]:
        if file.name < oldest:
            file.unlink(missing_ok=True)
    # What a killed process left behind.
    for draft in installation.backups.glob(f".{_DAILY}*{SUFFIX}.*"):
        draft.unlink(missing_ok=True)


def _present(installation: Installation) -> Counts | None:
    file = installation.file
    if file is not None and not file.is_file():
        return None
    with suppress(Exception), reading(file) if file else served(installation) as session:
        return count_all(session)
    return None


@contextmanager
def served(installation: Installation) -> Iterator[Session]:
    """A session that reads a server's database. Raises DatabaseProblem."""
    with closing(Database(installation.url)) as database, database.read() as session:
        yield session


def _set_aside(installation: Installation, file: Path, at: datetime) -> Path:
    """Copy what cannot be read as it is, with its log: somebody may still get something out."""
    folder = installation.backups / f"unreadable-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}"
    folder.mkdir(mode=0o700, parents=True)
    for part in (file, *beside(file)):
        if part.exists():
            shutil.copyfile(part, folder / part.name)
            (folder / part.name).chmod(0o600)
    return folder


def _keys(installation: Installation) -> dict[str, str]:
    """Return what the key files hold, but for those that hold no key."""
    found = {path.name: _text(path) for path in installation.key_files}
    return {name: text for name, text in found.items() if holds_keys(name, text)}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _remove(draft: Path) -> None:
    for part in (draft, *beside(draft)):
        part.unlink(missing_ok=True)
