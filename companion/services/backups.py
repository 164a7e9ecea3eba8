"""Backups: make one while the server runs, check it before it gets its name, restore it whole.

A backup is an SQLite file, whatever database it was made from. One more table, the seal, holds the
time, the keys of the installation and a digest of every row. SQLite's own check only looks at the
structure; the digest also finds a changed letter. Besides, no entry may be missing, and a restore
replays every score sheet.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, TextClause, text
from sqlmodel import Session, func, select

from companion.services.games import faults
from companion.store import Database, DatabaseProblem, GameRecord, installation as disk, sqlite
from companion.store.database import DAMAGED, HEAD, refuse_foreign
from companion.store.installation import Installation
from companion.store.models import VERSION_TABLE, EventRow, NotebookRow, StoredRow

SUFFIX = ".backup"
KEPT = 14  # the latest daily backups
_DAILY = "daily-"
_FORMAT = "1"
_INSERT = "INSERT INTO companion_backup VALUES (?, ?)"
_REFUSALS = {
    "cannot_open": "There is no file {} that can be read.",
    "foreign": "{} is not a backup of the companion. Name a file that `backup` or the server made.",
    "damaged": "{} is damaged. Use another backup.",
    "newer": "{} was made by a later version of this program ({}; this one knows"
    f" {HEAD}). Restore it with that version.",
}
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

    made_at: datetime
    keys: Mapping[str, str]
    counts: Counts


def name_of(at: datetime, kind: str = "companion") -> str:
    """Return the default name of a backup made at this time."""
    return f"{kind}-{at.astimezone(UTC):%Y-%m-%d-%H%M%S}{SUFFIX}"


def newest(installation: Installation) -> tuple[Path, datetime] | None:
    """Return the latest backup with a default name, and when it was made.

    Ignores backups from the future: they were made while the clock was ahead.
    """
    files = (installation.backups.glob(f"{kind}*{SUFFIX}") for kind in (_DAILY, "companion-"))
    now, made = datetime.now(UTC), []
    for file in chain(*files):
        with suppress(FileNotFoundError):  # another process removed an old backup
            made_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            made += [(made_at, file)] if made_at <= now else []
    return max(made)[::-1] if made else None


def back_up(installation: Installation, file: Path, at: datetime) -> Backup:
    """Copy the installation, as it is at this moment, into a new file, and check the copy.

    Makes the folder if it is missing. Raises FileExistsError, OSError if the file cannot be
    written, and DatabaseProblem, also if a game is damaged; then leaves no file behind.
    """
    for draft in installation.backups.glob(f".*{SUFFIX}.*"):
        with suppress(FileNotFoundError):  # another process removes it, too
            if at.timestamp() - draft.stat().st_mtime > 86_400:  # its process was killed
                disk.remove(draft)
    with disk.new_file(file) as draft:
        _copy_database(installation, draft, at)
        return check_backup(draft)


def back_up_unchecked(installation: Installation, before: str, at: datetime) -> Path:
    """Back up the installation, damaged games too; return the new file. Raises as `back_up`."""
    kept = installation.backups / name_of(at, f"before-{before}")
    with disk.new_file(kept) as draft:
        _copy_database(installation, draft, at)
    return kept


def _keys(installation: Installation) -> dict[str, str]:
    """Return the texts of the key files that hold keys, by their names, the unused ones too."""
    files = filter(Path.is_file, (installation.folder / name for name in disk.KEY_FILES))
    texts = {path.name: path.read_text("utf-8", "replace") for path in files}
    return {name: text for name, text in texts.items() if disk.holds_keys(name, text)}


def keys_lacking(installation: Installation, backup: Backup) -> list[str]:
    """Return the names of the key files, used here, whose keys are not in the backup."""
    return [path.name for path in installation.key_files if path.name not in backup.keys]


@contextmanager
def reading(of: str | Path) -> Iterator[Session]:
    """A session that reads a database, named by address or file. Raises DatabaseProblem."""
    url = of if isinstance(of, str) else disk.url_of(of)
    with closing(Database(url, read_only=True)) as database, database.read() as session:
        yield session


def _copy_database(installation: Installation, copy: Path, at: datetime) -> None:
    """Copy one moment of the database into an empty file, while others write, and seal it."""
    finish_restore(installation)
    if installation.file is None:
        with (
            closing(Database(installation.url)) as server,
            closing(Database(disk.url_of(copy))) as target,
        ):
            server.require_ready()
            target.migrate()
            with server.read() as source, target.write() as writes:
                _copy_rows(source.connection(), writes.connection())
    elif installation.file.is_file():
        with sqlite.problems(), closing(sqlite.open_read_only(installation.file)) as connection:
            _copy_pages(connection, copy)
    else:
        raise DatabaseProblem("cannot_open", no_database_at(installation.file))
    seal(copy, _keys(installation), at)


def no_database_at(file: Path) -> str:
    """Return the sentence that an installation has no database yet, and how it gets one."""
    return f"There is no database at {file} yet. The first start makes it."


def _copy_pages(source: sqlite3.Connection, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as target:
        source.backup(target)  # all pages in one step, so they are of one moment


def _copy_rows(source: Connection, target: Connection) -> None:
    """Copy every row of our tables into the same, empty tables of another database."""
    # PostgreSQL would send all rows at once, and then end our transaction as idle.
    for table in StoredRow.metadata.sorted_tables:
        rows = source.execute(table.select(), execution_options={"yield_per": 1000})
        for part in rows.mappings().partitions():
            target.execute(table.insert(), [dict(row) for row in part])


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Turn a copy of a database, which nobody has open, into a backup. Raises DatabaseProblem."""
    with sqlite.problems(), closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it
        # The table is there if somebody renamed a backup to companion.sqlite3 and used it.
        connection.execute("DROP TABLE IF EXISTS companion_backup")
        connection.execute(
            "CREATE TABLE companion_backup (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
        )
        rows = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(_INSERT, sorted(rows.items()))
        digest = _digest(connection)
        if digest is None:
            raise DatabaseProblem(*DAMAGED)
        connection.execute(_INSERT, ("digest", digest))


def _read_seal(file: Path, name: Path) -> tuple[datetime, dict[str, str]]:
    """Check that a backup is unchanged; return when it was made, and the key files in it.

    `name` is its path in messages. Raises DatabaseProblem: cannot_open, foreign, newer or damaged.
    """
    try:
        with closing(sqlite.open_read_only(file, "mode=ro&immutable=1")) as connection:
            tables = dict(connection.execute(sqlite.TABLES))
            if not {"companion_backup", VERSION_TABLE} <= tables.keys():
                raise _refusal("foreign", name)
            # Damaged rows may not be text, so nothing else is read before the digest.
            digest = connection.execute("SELECT value FROM companion_backup WHERE name = 'digest'")
            if digest.fetchone() != (_digest(connection),):
                raise _refusal("damaged", name)
            rows: dict[str, str] = dict(connection.execute("SELECT * FROM companion_backup"))
            (version,) = connection.execute("SELECT version_num FROM companion_version").fetchone()
            if rows["format"] != _FORMAT or version > HEAD:
                raise _refusal("newer", name, version)
    except (sqlite3.Error, TypeError) as error:  # TypeError: the version is missing, or no text
        reasons = {sqlite3.SQLITE_NOTADB: "foreign", sqlite3.SQLITE_CANTOPEN: "cannot_open"}
        raise _refusal(reasons.get(sqlite.primary_code(error), "damaged"), name) from error
    # Older versions also stored key files without a key in them.
    keys = {one: rows[one] for one in disk.KEY_FILES if disk.holds_keys(one, rows.get(one, ""))}
    return datetime.fromisoformat(rows["made_at"]), keys


def _refusal(reason: str, *of: object) -> DatabaseProblem:
    return DatabaseProblem(reason, _REFUSALS[reason].format(*of))


def _digest(connection: sqlite3.Connection) -> str | None:
    """Return the SHA-256 of all tables but the digest itself; None if SQLite finds faults."""
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return None
    digest = hashlib.sha256()
    connection.text_factory = bytes  # damaged text may not decode
    for name, definition in connection.execute(sqlite.TABLES).fetchall():
        digest.update(name + b"\0" + definition + b"\0")
        table = '"' + name.decode().replace('"', '""') + '"'
        where = " WHERE name <> 'digest'" if name == b"companion_backup" else ""
        for row in connection.execute(f"SELECT * FROM {table}{where} ORDER BY rowid"):  # noqa: S608
            digest.update(repr(row).encode())
    connection.text_factory = str
    return digest.hexdigest()


def check_backup(file: Path) -> Backup:
    """Check a backup and return its contents. Raises DatabaseProblem."""
    return _replayed(file, *_read_seal(file, file), _INCOMPLETE)


def _replayed(file: Path, made_at: datetime, keys: dict[str, str], *only: TextClause) -> Backup:
    """Replay all games of a backup, or only some, and return its contents, if none is damaged."""
    with reading(file) as session:
        for fault in faults(session, *only):
            # `doctor.repair` computes all the rest from the entries again.
            if fault and not fault.sheet:
                raise DatabaseProblem("damaged", f"A game is damaged. {fault}")
        return Backup(made_at, keys, count_all(session))


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    tables = (NotebookRow, GameRecord, EventRow)
    notebooks, games, entries = (
        session.exec(select(func.count()).select_from(table)).one() for table in tables
    )
    return Counts(notebooks, games, entries, session.exec(select(func.max(EventRow.at))).one())


# A restore replaces the file and the keys, even if the program is killed half-way. The new database
# carries its keys in a table, `companion_restoring`, and replaces the old file in one step. Then
# the keys go into their files and the table is dropped, if need be by the next start.
@dataclass(frozen=True, slots=True)
class PreparedRestore:
    """A backup, copied beside the database, checked and migrated: it can replace the present one.

    ``present`` counts what that has, None if it cannot be read. ``keys`` are the new texts of the
    key files that a restore replaces: secrets. A key that the backup lacks is random.
    """

    installation: Installation
    draft: Path
    backup: Backup
    present: Counts | None
    keys: Mapping[str, str]

    def put_in_place(self, at: datetime) -> Path | None:
        """Restore the backup; return where the old database is kept, None if there was none.

        Raises DatabaseProblem, with nothing changed, if the database is in use; OSError.
        """
        if (file := self.installation.file) is None:
            return self._into_server(at)
        with sqlite.alone(file) if file.exists() else nullcontext() as connection:
            kept = self._keep(file, at, connection) if connection else None
            disk.remove(*disk.files_of(file)[1:])  # SQLite would play the old log into the new file
            disk.take_place(self.draft, file)
            finish_restore(self.installation)
            return kept

    def _keep(self, file: Path, at: datetime, connection: sqlite3.Connection) -> Path:
        """Keep a copy of the old database, as a backup if it can be read."""
        folder = self.installation.backups
        kept = folder / name_of(at, "before-restore")
        try:
            with sqlite.problems(), disk.new_file(kept) as draft:
                _copy_pages(connection, draft)
                seal(draft, _keys(self.installation), at)
        except DatabaseProblem as problem:
            if problem.reason != "damaged":
                raise
            # Keep the damaged file with its log: some games may still be saved from it.
            kept = folder / name_of(at, "unreadable").removesuffix(SUFFIX)
            kept.mkdir(mode=0o700, parents=True)
            for part in filter(Path.exists, disk.files_of(file)):
                shutil.copy(part, kept)
        return kept

    def _into_server(self, at: datetime) -> Path | None:
        kept = None
        with closing(Database(self.installation.url)) as database:
            database.migrate()
            # Servers may keep running: they wait to write until all is restored.
            with reading(self.draft) as source, database.rewrite() as target:
                if target.execute(select(NotebookRow)).first():
                    kept = back_up_unchecked(self.installation, "restore", at)
                for table in reversed(StoredRow.metadata.sorted_tables):
                    target.execute(table.delete())
                _copy_rows(source.connection(), target)
        for name, key in self.keys.items():
            disk.replace_private(self.installation.folder / name, key)
        return kept


@contextmanager
def prepared(installation: Installation, file: Path) -> Iterator[PreparedRestore]:
    """Check a backup and make it ready to be restored; at the end, remove the copy.

    Raises DatabaseProblem if it cannot be restored; OSError.
    """
    finish_restore(installation)
    target = installation.file or installation.folder / "companion"
    refuse_foreign(sqlite.tables_in(target))
    with disk.draft_of(target) as draft:
        if not file.is_file():
            raise _refusal("cannot_open", file)
        shutil.copyfile(file, draft)
        sealed = _read_seal(draft, file)
        with closing(Database(disk.url_of(draft))) as database:
            database.migrate()
        backup = _replayed(draft, *sealed)
        # The server would not start with a key file without a key.
        new = {name: f"{disk.new_key(name)}\n" for name in keys_lacking(installation, backup)}
        here = _keys(installation)
        wanted = {**new, **here, **backup.keys}.items()
        keys = {name: text for name, text in wanted if text != here.get(name)}
        with sqlite.problems(), closing(sqlite3.connect(draft)) as connection, connection:
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("DELETE FROM companion_backup")
            connection.executemany(_INSERT, keys.items())
            connection.execute("ALTER TABLE companion_backup RENAME TO companion_restoring")
        present = None
        with suppress(Exception), reading(installation.url) as session:
            present = count_all(session)
        yield PreparedRestore(installation, draft, backup, present, keys)


def is_interrupted(installation: Installation) -> bool:
    """True if a restore began and did not finish."""
    file = installation.file
    return bool(file and "companion_restoring" in sqlite.tables_in(file))


def finish_restore(installation: Installation) -> None:
    """Finish an interrupted restore, before anybody opens the database.

    Raises DatabaseProblem and OSError.
    """
    if installation.file is None or not is_interrupted(installation):
        return
    with sqlite.problems(), closing(sqlite3.connect(installation.file)) as connection, connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        if is_interrupted(installation):  # unless another process was quicker
            for name, text in connection.execute("SELECT * FROM companion_restoring"):
                disk.replace_private(installation.folder / name, text)
            connection.execute("DROP TABLE companion_restoring")


def back_up_daily(installation: Installation, now: datetime, logged: str = "") -> str:
    """Make today's backup, unless there is one or another process makes it.

    Returns what prevents it, or an empty text. Logs that, unless it was `logged` before.
    """
    folder = installation.backups
    file = folder / f"{_DAILY}{now.astimezone(UTC).date()}{SUFFIX}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with disk.only_one(folder / ".lock") as first:
            if not first or file.exists():
                return ""
            back_up(installation, file, now)
            # By count, not by date, and never this one: the clock may have been set ahead or back.
            others = sorted({*folder.glob(f"{_DAILY}*{SUFFIX}")} - {file})
            disk.remove(*others[: 1 - KEPT])
    except Exception as error:  # noqa: BLE001 - whatever it was, there is another try
        trouble = getattr(error, "strerror", None) or str(error)
        if trouble != logged:
            _log.error("Today's backup was not made: %s", trouble)
        return trouble
    # A warning, so that it shows where nobody has set up logging.
    _log.warning("Today's backup is %s (%d bytes). It was checked.", file, file.stat().st_size)
    return ""
