"""What is wrong with an installation, and what to do about it: looked at, and left as it is."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlmodel import Session

from companion.services.backups import newest, served
from companion.services.checking import faults
from companion.store import DatabaseProblem
from companion.store.database import HEAD
from companion.store.installation import Installation
from companion.store.replacing import is_interrupted
from companion.store.sealed import reading
from companion.store.sqlite_file import told_in_sentences
from companion.store.whole import Counts, count_all, told_by_server, version_of

LEAST_ROOM = 100_000_000
OLDEST_BACKUP = timedelta(days=2)
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    sentence: str
    is_wrong: bool = False


def examine(
    installation: Installation, now: datetime, told_elsewhere: Collection[str] = ()
) -> Iterator[Finding]:
    """Everything that can be looked at while a server runs; nothing is changed.

    `told_elsewhere` has the names of the key files whose keys come from somewhere else.
    """
    if is_interrupted(installation):
        yield Finding("A restore was interrupted. Start the server: it goes on with it.", True)
    yield from _database(installation)
    yield from _keys(path for path in installation.key_files if path.name not in told_elsewhere)
    yield from _room(installation)
    yield _last_backup(installation, now)


def _database(installation: Installation) -> Iterator[Finding]:
    file = installation.file
    try:
        if file is None:
            with served(installation) as session:
                yield from _server(session)
                yield from _rows(session)
        elif not file.is_file():
            yield Finding(f"There is no database at {file} yet. The first start makes it.", True)
        else:
            yield from _structure(file)
            with reading(file) as session:
                yield from _rows(session)
    except DatabaseProblem as problem:
        yield Finding(f"The database cannot be read: {problem}", True)


def _structure(file: Path) -> Iterator[Finding]:
    with (
        told_in_sentences(),
        closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
        if found != ["ok"]:
            told = "; ".join(line.replace("\n", " ") for line in found)
            yield Finding(
                f"The database file is damaged ({told}). Stop the server and restore the latest"
                f" backup.",
                True,
            )
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        if orphans:
            yield Finding(
                f"{len(orphans)} rows belong to nothing. Restore the latest backup.", True
            )
    log = file.with_name(f"{file.name}-wal")
    log_size = log.stat().st_size if log.exists() else 0
    yield Finding(f"{file} has {file.stat().st_size:,} bytes, and its log {log_size:,}.")


def _server(session: Session) -> Iterator[Finding]:
    told = told_by_server(session)
    if told is None:
        return
    yield Finding(
        f"The database on the server has {told.size:,} bytes. How much room is left on its disk"
        f" can only be seen there."
    )
    if told.unsafe:
        yield Finding(
            f"On the database server {' and '.join(told.unsafe)}: off. A power cut can destroy the"
            f" database. Turn that on in postgresql.conf, and start the server again.",
            True,
        )


def _rows(session: Session) -> Iterator[Finding]:
    version = version_of(session)
    if version is None:
        yield Finding("The database has no tables yet. Start the server: it makes them.", True)
        return
    if version != HEAD:
        yield Finding(
            f"The database is at version {version} and this program at {HEAD}: its games were not"
            f" looked at. Start the server, which brings an older database up to date.",
            True,
        )
        return
    wrong = 0
    for fault in faults(session):
        wrong += 1
        if wrong <= _MOST_FAULTS:
            yield Finding(f"{fault} Restore a backup from before that.", True)
    if wrong > _MOST_FAULTS:
        yield Finding(f"So it is with {wrong - _MOST_FAULTS} more games.", True)
    yield _said(count_all(session), wrong)


def _said(counts: Counts, wrong: int) -> Finding:
    replays = "every sheet replays" if not wrong else f"{wrong} do not hold together"
    return Finding(
        f"{counts.notebooks:,} notebooks, {counts.games:,} games, {counts.entries:,} entries,"
        f" version {HEAD}: {replays}."
    )


def _keys(files: Iterable[Path]) -> Iterator[Finding]:
    for path in files:
        if not path.exists():
            yield Finding(
                f"{path} is missing. Restore a backup, which has it; a start would make a new one.",
                True,
            )
        elif os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield Finding(f"{path} can be read by others. Say: chmod 600 {path}", True)


def _room(installation: Installation) -> Iterator[Finding]:
    file = installation.file
    folders = {installation.folder, *([file.parent] if file is not None else [])}
    for folder in sorted(folder for folder in folders if folder.is_dir()):
        free = shutil.disk_usage(folder).free
        yield Finding(
            f"{free / 1e6:,.0f} MB are free in {folder}."
            + (" Free some space: a full disk saves nothing." if free < LEAST_ROOM else ""),
            free < LEAST_ROOM,
        )


def _last_backup(installation: Installation, now: datetime) -> Finding:
    found = newest(installation)
    if found is None:
        return Finding(
            "There is no backup yet. Run `python3 -m companion backup`, or leave the server"
            " running: it makes one a day.",
            True,
        )
    file, made_at = found
    said = f"The latest backup is {file.name}, of {made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
    if now - made_at > OLDEST_BACKUP:
        return Finding(f"{said} It is old: run `python3 -m companion backup`.", True)
    return Finding(said)
