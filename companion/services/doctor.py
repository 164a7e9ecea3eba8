"""The doctor: find what is wrong with an installation, say what to do, repair what it can."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import filterfalse, product
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Index, text
from sqlmodel import Session, select

from companion import store
from companion.services import backups, games
from companion.services.phones import handle_of
from companion.services.seasons import plan_of
from companion.store import Database, DatabaseProblem, MarkerRecord
from companion.store.database import HEAD, version_of
from companion.store.installation import Installation, files_of, is_open, keys_in
from companion.store.migrations import differences

LEAST_ROOM = 100_000_000  # bytes that should be free
OLDEST_BACKUP = timedelta(days=2)
REPAIR: Final = "Run `python3 -m companion doctor --repair`."
_LATEST: Final = "Restore the latest backup."
_TIMES: Final = {
    "created_at": "got the notebook",
    "revoked_at": "was removed from it",
    "seen_at": "was seen",
}
# The size of a server's database, and which settings that protect it are off.
SERVER_STATE: Final = text(
    "SELECT pg_database_size(current_database()), ARRAY(SELECT name FROM pg_settings"
    " WHERE setting = 'off' AND name IN ('fsync', 'full_page_writes') ORDER BY name)"
)
Progress = Callable[[int, int], None]


class Finding(NamedTuple):
    """The result of one check. ``repair``, if there is one, repairs what is wrong."""

    said: str
    is_wrong: bool = True
    repair: Callable[[Database], None] | None = None

    @property
    def sentence(self) -> str:
        """What was found, and who repairs it if the doctor can."""
        return f"{self.said} {REPAIR}" if self.repair else self.said


def examine(
    installation: Installation, now: datetime, progress: Progress = lambda *_: None
) -> Iterator[Finding]:
    """Check everything and change nothing. A server may be running.

    After each game it calls ``progress`` with the number of games so far, and of all.
    """
    for findings in (
        _database(installation, progress),
        _files(installation),
        _last_backup(installation, now),
    ):
        try:
            yield from findings
        except OSError as error:
            says = f"{error.filename or 'A file'} cannot be read ({error.strerror})."
            yield Finding(f"{says} Run this as the user that the server runs as.")
        except DatabaseProblem as problem:
            yield Finding(f"The database cannot be read: {problem}")
        except Exception as error:  # noqa: BLE001 - damaged tables can lead to any of them
            yield Finding(f"The database is damaged ({error}). {_LATEST}")


def repair(installation: Installation) -> Iterator[str]:
    """Repair file permissions, missing indexes, and what follows from the entries of the games.

    Yields after each repair what was wrong. A server may be running. Raises DatabaseProblem and
    OSError.
    """
    findings = [*_files(installation), *_database(installation, lambda *_: None)]
    with closing(Database(installation.url)) as database:
        for finding in findings:
            if finding.repair:
                finding.repair(database)
                yield finding.said


def _make_index(index: Index, database: Database) -> None:
    with database.rewrite() as connection:
        index.create(connection)


def _forget_seen(marker: MarkerRecord, database: Database) -> None:
    with database.write(marker.notebook_id) as session:
        session.get_one(MarkerRecord, marker.id).seen_at = None


def _make_private(path: Path, _database: Database) -> None:
    path.chmod(0o700 if path.is_dir() else 0o600)


def _database(installation: Installation, progress: Progress) -> Iterator[Finding]:
    file = installation.file
    if backups.is_interrupted(installation):
        yield Finding("A restore was interrupted. Start the server to finish it.")
    if file is not None and not file.is_file():
        missing = backups.no_database_at(file)
        other = f"{file} is not a file. Move it away, and restore the latest backup."
        yield Finding(other if file.exists() else missing)
        return
    with backups.reading(installation.url) as session:
        yield from _server(session) if file is None else _file(session, file)
        yield from _tables(session, progress)


def _file(session: Session, file: Path) -> Iterator[Finding]:
    connection = session.connection()
    faults = [*connection.exec_driver_sql("PRAGMA integrity_check(5)").scalars()]
    if faults != ["ok"]:
        says = "; ".join(line.replace("\n", " ") for line in faults)
        yield Finding(f"The database file is damaged ({says}). Stop the server. {_LATEST}")
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if orphans:
        yield Finding(f"Rows that refer to missing ones: {len(orphans)}. {_LATEST}")
    size, log = [one.stat().st_size if one.exists() else 0 for one in files_of(file)[:2]]
    yield Finding(f"{file} has {size:,} bytes, and its log {log:,}.", is_wrong=False)


def _server(session: Session) -> Iterator[Finding]:
    size, off = session.connection().execute(SERVER_STATE).one()
    says = f"The database on the server has {size:,} bytes. Check the free space of its disk there."
    yield Finding(says, is_wrong=False)
    if off:
        yield Finding(
            f"On the database server {' and '.join(off)}: off. A power cut can destroy the"
            " database. Turn that on in postgresql.conf, and start the server again."
        )


def _tables(session: Session, progress: Progress) -> Iterator[Finding]:
    version = version_of(session.connection())
    if version is None:
        yield Finding(
            "The database has no tables yet. If games were kept here before, restore the latest"
            " backup and do not start the server. Otherwise start it: it makes them."
        )
        return
    if version != HEAD:
        older = "Start the server, which brings an older database up to date."
        later = "Install the later version of this program that wrote it."
        yield Finding(
            f"The database is at version {version} and this program at {HEAD}: its games were not"
            f" checked. {older if version < HEAD else later}"
        )
        return
    indexes, different, triggers = differences(session.connection())
    for name in triggers:
        yield Finding(
            f"The trigger {name} was added to the database, and can change whatever is saved."
            " Unless you added it, drop it, or restore a backup from before."
        )
    if different:
        yield Finding(f"The tables differ from the program's ({'; '.join(different)}). {_LATEST}")
        return
    for index in indexes:
        says = f"The index {index.name} is missing, so lists load slowly."
        yield Finding(says, repair=partial(_make_index, index))
    yield from _games(session, progress)
    for marker, name in product(session.exec(select(MarkerRecord)), _TIMES):
        if getattr(marker, name) == store.UNREADABLE:
            phone = f"The phone “{marker.name}” (/phones/{handle_of(marker.id)})"
            says = f"{phone}: the time when it {_TIMES[name]} cannot be read."
            fix = partial(_forget_seen, marker) if name == "seen_at" else None
            yield Finding(says if fix else f"{says} {games.EARLIER}", repair=fix)
    for season in filterfalse(plan_of, session.exec(select(store.SeasonRecord))):
        yield Finding(
            f"The scoring of the season “{season.name}” (/seasons/{season.id}) cannot be read."
            " Delete it in the list of seasons, or restore a backup from before that."
        )


def _games(session: Session, progress: Progress) -> Iterator[Finding]:
    counts = backups.count_all(session)
    wrong = 0
    for number, fault in enumerate(games.faults(session), start=1):
        if fault:
            wrong += 1
            fix = partial(games.repair_game, fault.game.id) if fault.sheet else None
            yield Finding(str(fault), repair=fix)
        progress(number, counts.games)
    yield Finding(
        f"Version {HEAD}, notebooks: {counts.notebooks:,}, games: {counts.games:,}, entries:"
        f" {counts.entries:,}, games with something wrong: {wrong}.",
        is_wrong=False,
    )


def _files(installation: Installation) -> Iterator[Finding]:
    for path in installation.key_files:
        try:
            keys_in(path)
        except FileNotFoundError:
            yield Finding(f"{path} is missing. Restore a backup; a start would make a new key.")
        except OSError as error:
            yield Finding(
                f"{path} cannot be used ({error.strerror}), and the server does not start. Put the"
                " saved one back, or restore a backup."
            )
    file = installation.file or installation.folder / "companion"
    keys, kept = installation.folder.glob("*.key"), sorted(installation.backups.glob("*"))
    for path in (installation.folder, installation.backups, *keys, *kept, *files_of(file)):
        if path.exists() and is_open(path):
            yield Finding(f"{path} can be read by others.", repair=partial(_make_private, path))
    for folder in sorted(filter(Path.is_dir, {installation.folder, file.parent})):
        free = shutil.disk_usage(folder).free
        is_full = free < LEAST_ROOM
        what = " Free some space: a full disk saves nothing." if is_full else ""
        yield Finding(f"{free / 1e6:,.0f} MB are free in {folder}.{what}", is_full)
        if not os.access(folder, os.W_OK):
            yield Finding(f"{folder} cannot be written to, so nothing is saved. Make it writable.")


def _last_backup(installation: Installation, now: datetime) -> Iterator[Finding]:
    again = "run `python3 -m companion backup`"
    newest = backups.newest(installation)
    if newest is None:
        yield Finding(f"There is no backup yet. Keep the server running for a day, or {again}.")
        return
    file, made_at = newest
    try:
        lacking = backups.keys_lacking(installation, backups.check_backup(file))
    except DatabaseProblem as problem:
        says = f"The latest backup cannot be restored: {problem} Move {file} away, and {again}."
        yield Finding(says)
        return
    said = f"The latest backup is {file.name}, of {made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
    if now - made_at > OLDEST_BACKUP:
        yield Finding(f"{said} It is old: {again}.")
    elif lacking:
        names = " and ".join(lacking)
        yield Finding(f"{said} It has no key for {names}: put the saved one back, and {again}.")
    else:
        yield Finding(f"{said} It passed all checks.", is_wrong=False)
