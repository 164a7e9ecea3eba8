"""Backups: made while the server runs, checked before they get their name, and restored whole.

A backup is checked by SQLite, by a digest of every row, and by counting: no entry is missing. What
the entries come to is the doctor's affair, and once more that of whoever restores.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from sqlmodel import Session

from companion.services.checking import Fault, faults
from companion.services.game_log import DamagedGame, read_game
from companion.store import Database, DatabaseProblem
from companion.store.backup_file import (
    Seal,
    alone,
    copy_database,
    copy_rows,
    damaged,
    draft_of,
    empty_tables,
    finish_restore,
    is_empty,
    read_seal,
    reading,
    refuse_foreign,
    replace,
    seal,
    take_seal_off,
)
from companion.store.database import HEAD
from companion.store.inspection import Counts, count_all, game_with_a_gap, version_of
from companion.store.installation import (
    Installation,
    give_name,
    holds_keys,
    make_like,
    make_private,
    new_key,
    only_one,
    write_private,
)

SUFFIX = ".backup"
# A server makes a backup each day, and keeps those of two weeks.
KEPT = timedelta(days=14)
_DAILY = "daily-"
_log = logging.getLogger("companion.backups")


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was found to be whole."""

    file: Path
    made_at: datetime
    version: str
    counts: Counts
    keys: tuple[str, ...]
    """The names of the key files that are in it."""
    size: int
    """In bytes."""


class NotABackup(Exception):
    """What was to be copied or restored does not hold together; the message says where."""


def name_of(at: datetime) -> str:
    """What a backup of this moment is called where nobody says otherwise."""
    return f"companion-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"


def newest(installation: Installation) -> tuple[Path, datetime] | None:
    """The latest backup among those that nobody named otherwise, and when it was made."""
    found = [
        (datetime.fromtimestamp(file.stat().st_mtime, UTC), file)
        for kind in (_DAILY, "companion-")
        for file in installation.backups.glob(f"{kind}*{SUFFIX}")
    ]
    if not found:
        return None
    made_at, file = max(found)
    return file, made_at


def back_up(installation: Installation, file: Path, at: datetime) -> Backup:
    """Copy the whole installation, as it is at this moment, into a new file, and check that.

    Its folder is made if it is missing. Raises FileExistsError if there is such a file, OSError if
    it cannot be written, DatabaseProblem, and NotABackup if the database itself is not in order:
    then nothing has been left behind.
    """
    finish_restore(installation)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.exists():
        raise FileExistsError(file)
    keys = _keys(installation)
    with _sealed(file, partial(copy_database, installation), keys, at) as draft:
        counts, version = _counted(draft)
    return Backup(file, at, version, counts, tuple(keys), file.stat().st_size)


def keep_as_it_is(
    installation: Installation,
    before: str,
    at: datetime,
    copy_to: Callable[[Path], None] | None = None,
) -> Path:
    """Back up what is there before it is changed, even if it is damaged; return the file.

    Raises as `back_up`, but NotABackup.
    """
    installation.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"before-{before}-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"
    kept = installation.backups / name
    copy_to = copy_to or partial(copy_database, installation)
    with _sealed(kept, copy_to, _keys(installation), at):
        return kept


def look_at(file: Path) -> Backup:
    """What is in a backup, once it was checked. Raises DatabaseProblem and NotABackup."""
    told = read_seal(file)
    counts, version = _counted(file)
    return Backup(file, told.made_at, version, counts, tuple(told.keys), file.stat().st_size)


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
    new_keys: tuple[str, ...]
    """The names of the key files that hold no key, neither here nor in the backup: they get one."""
    _keys: Mapping[str, str]
    """What the key files get that are to be replaced."""
    _draft: Path

    @property
    def keys_differ(self) -> bool:
        """Whether phones that are known now will have to open the printed address again."""
        return bool(self._keys)

    def put_in_place(self, at: datetime) -> Path | None:
        """Restore it; where that which was there is kept now, None if there was nothing.

        Raises DatabaseProblem, before anything was changed, if the database is in use; OSError.
        """
        installation = self.installation
        if installation.file is None:
            return self._into_server(at)
        with alone(installation.file) as copy_to:
            kept = None
            if copy_to is not None:
                kept = self._keep(copy_to, at)
            elif installation.file.exists():
                kept = _set_aside(installation, at)
            targets = self._write_keys() | {"database": installation.file}
            make_like(self._draft, installation.file, rights=True)
            replace(installation, targets)
        return kept

    def _keep(self, copy_to: Callable[[Path], None], at: datetime) -> Path:
        installation = self.installation
        try:
            return keep_as_it_is(installation, "restore", at, copy_to)
        except DatabaseProblem as problem:
            if problem.reason != "damaged" or installation.file is None:
                raise
            return _set_aside(installation, at)

    def _into_server(self, at: datetime) -> Path | None:
        installation = self.installation
        database = Database(installation.url)
        try:
            database.migrate()
            kept = None
            # A server may go on meanwhile: from here on nobody writes what would not be kept.
            with reading(self._draft) as source, database.rewrite() as target:
                if not is_empty(target):
                    kept = self._keep(partial(copy_database, installation), at)
                empty_tables(target)
                copy_rows(source.connection(), target)
        finally:
            database.close()
        replace(installation, self._write_keys())
        return kept

    def _write_keys(self) -> dict[str, Path]:
        written = {}
        for path in self.installation.key_files:
            if path.name in self._keys:
                write_private(draft_of(path), self._keys[path.name])
                make_like(draft_of(path), path)
                written[path.name] = path
        return written


@contextmanager
def ready(installation: Installation, file: Path) -> Iterator[Ready]:
    """A backup made ready to be restored; if it is not, nothing of that stays behind.

    Raises DatabaseProblem and NotABackup if it cannot be restored; OSError.
    """
    finish_restore(installation)
    told = read_seal(file)
    if installation.file is not None:
        refuse_foreign(installation.file)
    target = installation.file or installation.folder / "companion"
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    installation.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = draft_of(target)
    _remove(draft)
    try:
        make_private(draft)
        with file.open("rb") as source, draft.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        if read_seal(draft) != told:
            raise damaged(file)
        take_seal_off(draft)
        _bring_up_to_date(draft, told)
        backup = Backup(
            file,
            told.made_at,
            told.version,
            _replayed(draft),
            tuple(told.keys),
            file.stat().st_size,
        )
        # Without a key in it the server would not start.
        made = {name: f"{new_key(name)}\n" for name in _without_a_key(installation, told.keys)}
        differ = {
            path.name: told.keys[path.name]
            for path in installation.key_files
            if told.keys.get(path.name, _text(path)) != _text(path)
        }
        present = _present(installation)
        yield Ready(installation, backup, present, tuple(made), differ | made, draft)
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
            self._tell(error.strerror or str(error) if isinstance(error, OSError) else str(error))
            return False
        self._trouble = ""
        _log.warning(  # so that it is seen where nobody has set up any logging
            "The backup of today is %s, %d bytes; it was checked.", file, made.size
        )
        for name in keys_lacking(self._installation, made):
            _log.error("It lacks %s, which holds no key: put the saved one back.", name)
        return True

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("The backup of today was not made: %s", trouble)


def remove_old(installation: Installation, now: datetime) -> None:
    """Remove the daily backups of more than two weeks ago, but never the last one there is."""
    oldest = f"{_DAILY}{(now - KEPT).astimezone(UTC):%Y-%m-%d}{SUFFIX}"
    *found, _last = sorted(installation.backups.glob(f"{_DAILY}*{SUFFIX}")) or [Path()]
    for file in found:
        if file.name < oldest:
            file.unlink(missing_ok=True)
    # What a killed process left behind.
    for draft in installation.backups.glob(f".{_DAILY}*{SUFFIX}.*"):
        draft.unlink(missing_ok=True)


def _counted(file: Path) -> tuple[Counts, str]:
    """What is in a copy, and its version, once no entry was found to be missing."""
    with reading(file) as session:
        record = game_with_a_gap(session)
        if record is not None:
            try:
                read_game(session, record)
            except DamagedGame as damage:
                raise NotABackup(str(Fault(record, str(damage)))) from None
        return count_all(session), version_of(session) or ""


def _replayed(draft: Path) -> Counts:
    """What is in a copy, once every sheet was replayed. The doctor mends what follows from them."""
    with reading(draft) as session:
        wrong = next((fault for fault in faults(session) if not fault.derived), None)
        if wrong is not None:
            raise NotABackup(str(wrong))
        return count_all(session)


def _bring_up_to_date(file: Path, told: Seal) -> None:
    if told.version == HEAD:
        return
    database = Database(f"sqlite:///{file}")
    try:
        database.migrate()
    finally:
        database.close()
    with alone(file):  # one file again, with no log beside it
        pass


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
    database = Database(installation.url)
    try:
        with database.read() as session:
            yield session
    finally:
        database.close()


def _set_aside(installation: Installation, at: datetime) -> Path:
    """Copy what cannot be read as it is, with its log: somebody may still get something out."""
    assert installation.file is not None  # noqa: S101
    folder = installation.backups / f"unreadable-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}"
    folder.mkdir(mode=0o700, parents=True)
    for kind in ("", "-wal", "-journal"):
        part = installation.file.with_name(installation.file.name + kind)
        if part.exists():
            shutil.copyfile(part, folder / part.name)
            (folder / part.name).chmod(0o600)
    return folder


def _keys(installation: Installation) -> dict[str, str]:
    """Return what the key files hold, but for those that hold no key."""
    found = {path.name: _text(path) for path in installation.key_files}
    return {name: text for name, text in found.items() if holds_keys(name, text)}


def _without_a_key(installation: Installation, given: Mapping[str, str]) -> list[str]:
    """Return the names of the key files that hold no key and are given none."""
    known = {*_keys(installation), *given}
    return [
        path.name for path in installation.key_files if path.is_file() and path.name not in known
    ]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


@contextmanager
def _sealed(
    file: Path, copy_to: Callable[[Path], None], keys: dict[str, str], at: datetime
) -> Iterator[Path]:
    """A sealed copy beside the file, which gets its name at the end of the block."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        copy_to(draft)
        seal(draft, keys, at)
        yield draft
        give_name(draft, file)
    finally:
        _remove(draft)


def _remove(draft: Path) -> None:
    for kind in ("", "-wal", "-shm", "-journal"):
        draft.with_name(draft.name + kind).unlink(missing_ok=True)
