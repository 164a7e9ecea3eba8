"""An installation with one game, and functions that return its totals and keys."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlmodel import select

from companion.notebook.events import HandEntry, HandMarked, PenaltyCharged
from companion.notebook.replay import replay
from companion.services import backups, doctor, game_log, games
from companion.services.backups import reading
from companion.services.game_log import entry_of
from companion.store import Database, GameRecord, load
from companion.store.installation import Installation
from tests.databases import bring_up_to_date
from tests.notebook.evening import started

NINE = datetime(2024, 5, 3, 21, 0, tzinfo=UTC)
OLD, NEW = "o" * 43, "n" * 43
TOUCHED = PenaltyCharged(1, 1, "PRO-13.3")  # 20 points for seat 1
MARKED = HandMarked(1, 0, (HandEntry(1, "KH"), HandEntry(2, "3C 4D")))  # 13 and 7
Acts = tuple[PenaltyCharged | HandMarked, ...]


@contextmanager
def opened(installation: Installation) -> Iterator[Database]:
    """Open an installation's database, brought up to date."""
    database = Database(installation.url)
    database.migrate()
    try:
        yield database
    finally:
        database.close()


def made(
    folder: Path, key: str = "k" * 43, url: str | None = None, acts: Acts = ()
) -> Installation:
    """Make a new installation with keys and an empty database: a file, or at this address."""
    folder.mkdir(mode=0o700, exist_ok=True)
    installation = Installation.in_folder(folder, url)
    for path in installation.key_files:
        path.write_text(f"{key}\n")
        path.chmod(0o600)
    if installation.file:
        installation.file.write_bytes(_file(acts))
        installation.file.chmod(0o600)
    else:
        _begin(installation, acts)
    return installation


def friday(folder: Path, key: str = "k" * 43, url: str | None = None) -> Installation:
    """Make an installation with one game of three entries: 0, 20 + 13 and 7 points."""
    return made(folder, key, url, (TOUCHED, MARKED))


def _begin(installation: Installation, acts: Acts) -> None:
    if acts:
        play(installation, *acts, title="Friday")
    else:
        bring_up_to_date(installation.url)


@cache
def _file(acts: Acts) -> bytes:
    """A database file, made once for all tests: it takes 40 ms and more."""
    with TemporaryDirectory() as folder:
        installation = Installation.in_folder(Path(folder))
        _begin(installation, acts)
        assert installation.file
        return installation.file.read_bytes()


def play(installation: Installation, *events: PenaltyCharged | HandMarked, title: str = "") -> str:
    """Store a game with these events in a notebook of its own; return its id."""
    start = started(("Ana", "Ben", "Chandi"), title=title)
    with opened(installation) as database:
        marker = games.start_notebook(database, "Phone")
        game = games.start(database, marker, start, "start")
        for base, event in enumerate(events, start=1):
            game_log.write(
                database, game, marker.id, base=base, key=f"act-{base}", make=lambda _, e=event: e
            )
    return game


def execute(installation: Installation, script: str) -> None:
    """Run SQL on an installation's database file, as SQLite's own program could."""
    with closing(sqlite3.connect(str(installation.file))) as connection:
        connection.executescript(script)


def restore(installation: Installation, backup: Path) -> Path | None:
    """Restore a backup at nine the next morning; return what was there before, if anything was."""
    with backups.prepared(installation, backup) as ready:
        return ready.put_in_place(NINE + timedelta(hours=12))


def totals(installation: Installation) -> dict[str, list[int]]:
    """Return everybody's points in each game, by the game's title."""
    found = {}
    with reading(installation.url) as session:
        for record in session.exec(select(GameRecord)):
            sheet = replay([entry_of(one) for one in load(session, record.id)])
            found[record.title] = [sheet.total(player) for player in sheet.players]
    return found


def wrong(installation: Installation) -> list[str]:
    """Return what the doctor finds wrong, without findings about this machine's disk."""
    found = doctor.examine(installation, datetime.now(UTC))
    return [one.sentence for one in found if one.is_wrong and "are free in" not in one.sentence]


def keys(installation: Installation) -> list[str]:
    """Return the contents of the key files."""
    return [path.read_text().strip() for path in installation.key_files]
