"""The doctor: what is wrong with an installation, what to do, and mending what can be derived."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlmodel import Session, select

from companion.services.backups import NotABackup, count_all, keys_lacking, look_at, newest, served
from companion.services.games import fault_of, faults
from companion.services.phones import handle_of
from companion.store import (
    UNREADABLE,
    Database,
    DatabaseProblem,
    GameRecord,
    MarkerRecord,
    migrations,
)
from companion.store.backup_file import beside, is_interrupted, reading
from companion.store.database import HEAD, version_of
from companion.store.installation import Installation, keys_in

LEAST_ROOM = 100_000_000
OLDEST_BACKUP = timedelta(days=2)
REPAIR: Final = "Run `python3 -m companion doctor --repair`."
_RESTORE: Final = "Restore a backup from before that."
_MOST_FAULTS = 20
_TIMES: Final = {
    "created_at": "when it got the book",
    "revoked_at": "when it was taken off the book",
    "seen_at": "when it was seen",
}

LookedAt = Callable[[int, int], None]
"""Gets how many games were looked at, and how many there are."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    sentence: str
    is_wrong: bool = False


def _wrong(sentence: str) -> Finding:
    return Finding(sentence, is_wrong=True)


def examine(
    installation: Installation,
    now: datetime,
    told_elsewhere: Collection[str] = (),
    looked_at: LookedAt = lambda *_: None,
) -> Iterator[Finding]:
    """Look at everything that can be looked at while a server runs; nothing is changed.

    `told_elsewhere` has the names of the key files whose keys come from somewhere else.
    """
    if is_interrupted(installation):
        yield _wrong("A restore was interrupted. Start the server: it goes on with it.")
    yield from _tried(_database(installation, looked_at))
    yield from _keys(path for path in installation.key_files if path.name not in told_elsewhere)
    yield from _tried(_rights(installation))
    yield from _tried(_room(installation))
    yield from _tried(_last_backup(installation, now, told_elsewhere))


def repair(installation: Installation) -> Iterator[str]:
    """Mend what follows from the entries of the games, missing indexes and the rights of files.

    Says what was mended. A server may run meanwhile. Raises DatabaseProblem; OSError.
    """
    for path in _open_to_others(installation):
        path.chmod(0o700 if path.is_dir() else 0o600)
        yield f"{path} can be read by its owner alone."
    with closing(Database(installation.url)) as database:
        with database.read() as session:
            connection = session.connection()
            if version_of(connection) != HEAD:
                return
            indexes, different, _ = migrations.differences(connection)
        if different:
            return
        if indexes:
            with database.rewrite() as connection:
                for index in indexes:
                    index.create(connection)
                    yield f"The index {index.name} is there again."
        yield from _mend_rows(database)


def _mend_rows(database: Database) -> Iterator[str]:
    with database.read() as session:
        wrong = [fault.game for fault in faults(session) if fault.derived]
        unseen = [one for one, name in _unreadable_times(session) if name == "seen_at"]
    for game in wrong:
        with database.write(game.id) as session:  # somebody may have gone on with it meanwhile
            stored = session.get_one(GameRecord, game.id)
            if fault := fault_of(session, stored):
                stored.sqlmodel_update({**fault.derived})
        yield f"Game {game.id} ({game.title or game.names}) is shown as its entries tell."
    for marker in unseen:
        with database.write(marker.notebook_id) as session:
            session.get_one(MarkerRecord, marker.id).seen_at = None
        yield f"The phone “{marker.name}” counts as not seen since it got the book."


def _tried(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings, the last of them what kept from looking further."""
    try:
        yield from findings
    except OSError as error:
        yield _wrong(
            f"{error.filename or 'A file'} cannot be looked at ({error.strerror}). Look as the user"
            f" that the server runs as."
        )
    except DatabaseProblem as problem:
        yield _wrong(f"The database cannot be read: {problem}")
    except Exception as error:  # noqa: BLE001 - whatever damaged tables lead to is the answer
        yield _wrong(
            f"The database is damaged, and cannot be looked at further ({error}). Restore the"
            f" latest backup."
        )


def _database(installation: Installation, looked_at: LookedAt) -> Iterator[Finding]:
    file = installation.file
    if file is None:
        with served(installation) as session:
            yield from _server(session)
            yield from _tables(session, looked_at)
    elif file.is_file():
        with reading(file) as session:
            yield from _structure(session, file)
            yield from _tables(session, looked_at)
    elif file.exists():
        yield _wrong(f"{file} is no file. Move it away, and restore the latest backup.")
    else:
        yield _wrong(f"There is no database at {file} yet. The first start makes it.")


def _structure(session: Session, file: Path) -> Iterator[Finding]:
    connection = session.connection()
    found = [*connection.exec_driver_sql("PRAGMA integrity_check(5)").scalars()]
    if found != ["ok"]:
        told = "; ".join(line.replace("\n", " ") for line in found)
        yield _wrong(
            f"The database file is damaged ({told}). Stop the server and restore the latest backup."
        )
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if orphans:
        yield _wrong(f"{len(orphans)} rows belong to nothing. Restore the latest backup.")
    log, *_ = beside(file)
    log_size = log.stat().st_size if log.exists() else 0
    yield Finding(f"{file} has {file.stat().st_size:,} bytes, and its log {log_size:,}.")


def _server(session: Session) -> Iterator[Finding]:
    size, off = told_by_server(session)
    yield Finding(
        f"The database on the server has {size:,} bytes. How much room is left on its disk can"
        f" only be seen there."
    )
    if off:
        yield _wrong(
            f"On the database server {' and '.join(off)}: off. A power cut can destroy the"
            f" database. Turn that on in postgresql.conf, and start the server again."
        )


def told_by_server(session: Session) -> tuple[int, list[str]]:
    """Return the size of a server's database, and which settings that protect it are off."""
    connection = session.connection()
    size: int = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    off = text(
        "SELECT name FROM pg_settings WHERE setting = 'off'"
        " AND name IN ('fsync', 'full_page_writes') ORDER BY name"
    )
    return size, [*connection.execute(off).scalars()]


def _tables(session: Session, looked_at: LookedAt) -> Iterator[Finding]:
    version = version_of(session.connection())
    if version is None:
        yield _wrong(
            "The database has no tables yet. If games were kept here before, restore the latest"
            " backup and do not start the server. Otherwise start it: it makes them."
        )
        return
    if version != HEAD:
        to_do = (
            "Start the server, which brings an older database up to date."
            if version < HEAD
            else "Install the later version of this program that wrote it."
        )
        yield _wrong(
            f"The database is at version {version} and this program at {HEAD}: its games were not"
            f" looked at. {to_do}"
        )
        return
    indexes, different, triggers = migrations.differences(session.connection())
    for name in triggers:
        yield _wrong(
            f"The trigger {name} was added to the database, and can change whatever is saved."
            f" Unless somebody means it to be there, drop it, or restore a backup from before."
        )
    for index in indexes:
        yield _wrong(f"The index {index.name} is missing: lists take long. {REPAIR}")
    if different:
        yield _wrong(
            f"The tables are not as this program makes them ({'; '.join(different)}). Restore"
            f" the latest backup."
        )
        return
    yield from _games(session, looked_at)
    for marker, name in _unreadable_times(session):
        yield _wrong(
            f"The phone “{marker.name}” (/phones/{handle_of(marker.id)}): the time {_TIMES[name]}"
            f" cannot be read. {REPAIR if name == 'seen_at' else _RESTORE}"
        )


def _games(session: Session, looked_at: LookedAt) -> Iterator[Finding]:
    wrong = 0
    counts = count_all(session)
    for fault in faults(session, lambda count: looked_at(count, counts.games)):
        wrong += 1
        if wrong <= _MOST_FAULTS:
            yield _wrong(f"{fault} {REPAIR if fault.derived else _RESTORE}")
    if wrong > _MOST_FAULTS:
        yield _wrong(f"So it is with {wrong - _MOST_FAULTS} more games.")
    replays = "every sheet replays" if not wrong else f"{wrong} do not hold together"
    yield Finding(
        f"{counts.notebooks:,} notebooks, {counts.games:,} games, {counts.entries:,} entries,"
        f" version {HEAD}: {replays}."
    )


def _unreadable_times(session: Session) -> Iterator[tuple[MarkerRecord, str]]:
    """Yield every phone that has a damaged time, revoked ones too, and the name of that time."""
    for marker in session.exec(select(MarkerRecord)):
        for name in _TIMES:
            if getattr(marker, name) == UNREADABLE:
                yield marker, name


def _keys(files: Iterable[Path]) -> Iterator[Finding]:
    for path in files:
        try:
            keys_in(path)
        except FileNotFoundError:
            yield _wrong(
                f"{path} is missing. Restore a backup, which has it; a start would make a new one."
            )
        except OSError as error:
            yield _wrong(
                f"{path} cannot be used ({error.strerror}), and the server does not start. Put the"
                f" saved one back, or restore a backup, which has it."
            )


def _rights(installation: Installation) -> Iterator[Finding]:
    for path in _open_to_others(installation):
        rights = 700 if path.is_dir() else 600
        yield _wrong(f"{path} can be read by others. {REPAIR} Or: chmod {rights} {path}")


def _open_to_others(installation: Installation) -> list[Path]:
    """Return what holds games or keys and somebody else than its owner may read or write."""
    file, backups = installation.file, installation.backups
    found = [
        installation.folder,
        *installation.key_files,
        *([] if file is None else [file, *beside(file)]),
        backups,
        *sorted(backups.glob("*")),
    ]
    return [
        path
        for path in found
        if os.name == "posix" and path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]


def _room(installation: Installation) -> Iterator[Finding]:
    file = installation.file
    folders = {installation.folder, *([] if file is None else [file.parent])}
    for folder in sorted(folder for folder in folders if folder.is_dir()):
        free = shutil.disk_usage(folder).free
        yield Finding(
            f"{free / 1e6:,.0f} MB are free in {folder}."
            + (" Free some space: a full disk saves nothing." if free < LEAST_ROOM else ""),
            free < LEAST_ROOM,
        )


def _last_backup(
    installation: Installation, now: datetime, told_elsewhere: Collection[str]
) -> Iterator[Finding]:
    again = "run `python3 -m companion backup`"
    found = newest(installation)
    if found is None:
        yield _wrong(
            "There is no backup yet. Run `python3 -m companion backup`, or leave the server"
            " running: it makes one a day."
        )
        return
    file, made_at = found
    try:
        backup = look_at(file)
    except (DatabaseProblem, NotABackup) as problem:
        yield _wrong(
            f"The latest backup cannot be restored: {problem} Move {file} away, and {again}."
        )
        return
    said = f"The latest backup is {file.name}, of {made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
    lacking = [name for name in keys_lacking(installation, backup) if name not in told_elsewhere]
    if now - made_at > OLDEST_BACKUP:
        yield _wrong(f"{said} It is old: {again}.")
    elif lacking:
        yield _wrong(
            f"{said} It has no key for {' and '.join(lacking)}: see that there is one, and {again}."
        )
    else:
        yield Finding(f"{said} It is whole.")
