"""Backup files: seal them, and read the seal.

A backup is an SQLite file, whatever database it was made from. One more table, the seal, holds the
time, the keys of the installation and a digest of every row. SQLite's own check only looks at the
structure; the digest also finds a changed letter.
"""

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

from companion.store.database import HEAD, DatabaseProblem
from companion.store.installation import KEY_FILES, holds_keys
from companion.store.models import VERSION_TABLE
from companion.store.sqlite import DAMAGED, TABLES, primary_code, problems, read_only

INSERT = "INSERT INTO companion_backup VALUES (?, ?)"
_FORMAT = "1"
_REFUSALS: Final = {
    "cannot_open": "There is no file {file} that can be read.",
    "foreign": "{file} is not a backup of the companion. Name a file that `backup` or the server"
    " made.",
    "damaged": "{file} is damaged. Use another backup.",
    "newer": "{file} was made by a later version of this program ({version}; this one knows"
    f" {HEAD}). Restore it with that version.",
}


def refusal(reason: str, file: Path, version: str = "") -> DatabaseProblem:
    """Return what is wrong with a backup file, by the word of `DatabaseProblem.reason`."""
    return DatabaseProblem(reason, _REFUSALS[reason].format(file=file, version=version))


def seal(file: Path, keys: Mapping[str, str], at: datetime) -> None:
    """Turn a copy of a database, which nobody has open, into a backup. Raises DatabaseProblem."""
    with problems(), closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it
        # The table is there if somebody renamed a backup to companion.sqlite3 and used it.
        connection.execute("DROP TABLE IF EXISTS companion_backup")
        connection.execute(
            "CREATE TABLE companion_backup (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
        )
        rows = {"format": _FORMAT, "made_at": at.isoformat(), **keys}
        connection.executemany(INSERT, sorted(rows.items()))
        digest = _digest(connection)
        if digest is None:
            raise DatabaseProblem(*DAMAGED)
        connection.execute(INSERT, ("digest", digest))


def read_seal(file: Path, name: Path) -> tuple[datetime, dict[str, str]]:
    """Check that a backup is unchanged; return when it was made, and the key files in it.

    `name` is its path in messages. Raises DatabaseProblem: cannot_open, foreign, newer or damaged.
    """
    try:
        with closing(read_only(file, "mode=ro&immutable=1")) as connection:
            tables = dict(connection.execute(TABLES))
            if not {"companion_backup", VERSION_TABLE} <= tables.keys():
                raise refusal("foreign", name)
            # Damaged rows may not be text, so nothing else is read before the digest.
            digest = connection.execute("SELECT value FROM companion_backup WHERE name = 'digest'")
            if digest.fetchone() != (_digest(connection),):
                raise refusal("damaged", name)
            rows: dict[str, str] = dict(connection.execute("SELECT * FROM companion_backup"))
            (version,) = connection.execute("SELECT version_num FROM companion_version").fetchone()
    except sqlite3.Error as error:
        reasons = {sqlite3.SQLITE_NOTADB: "foreign", sqlite3.SQLITE_CANTOPEN: "cannot_open"}
        raise refusal(reasons.get(primary_code(error), "damaged"), name) from error
    if rows["format"] != _FORMAT or version > HEAD:
        raise refusal("newer", name, version)
    # Older versions also stored key files without a key in them.
    keys = {one: rows[one] for one in KEY_FILES if holds_keys(one, rows.get(one, ""))}
    return datetime.fromisoformat(rows["made_at"]), keys


def _digest(connection: sqlite3.Connection) -> str | None:
    """Return the SHA-256 of all tables but the digest itself; None if SQLite finds faults."""
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return None
    digest = hashlib.sha256()
    connection.text_factory = bytes  # damaged text may not decode
    for name, definition in connection.execute(TABLES).fetchall():
        digest.update(name + b"\0" + definition + b"\0")
        table = '"' + name.decode().replace('"', '""') + '"'
        but = " WHERE name <> 'digest'" if name == b"companion_backup" else ""
        for row in connection.execute(f"SELECT * FROM {table}{but} ORDER BY rowid"):  # noqa: S608
            digest.update(repr(row).encode())
    connection.text_factory = str
    return digest.hexdigest()
