"""Questions about a whole database, of every notebook in it: for backups and the doctor."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlmodel import Session, col, func, or_, select

from companion.store.models import UNREADABLE, EventRow, GameRecord, MarkerRecord, NotebookRow


class Counts(NamedTuple):
    """How much is in a database."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None
    """When the last entry was made, None if there is none."""


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    notebooks, games = (
        session.exec(select(func.count()).select_from(table)).one()
        for table in (NotebookRow, GameRecord)
    )
    entries, last_at = session.exec(select(func.count(), func.max(EventRow.at))).one()
    return Counts(notebooks, games, entries, last_at)


def told_by_server(session: Session) -> tuple[int, list[str]] | None:
    """Return the size of a server's database, and what is off of the settings that protect it.

    None if the database is a file.
    """
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        return None
    size: int = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    off = text(
        "SELECT name FROM pg_settings WHERE setting = 'off'"
        " AND name IN ('fsync', 'full_page_writes') ORDER BY name"
    )
    return size, [*connection.execute(off).scalars()]


def every_game(session: Session) -> Iterator[GameRecord]:
    """Yield the games of every notebook, archived and deleted ones too."""
    at, its_id = col(GameRecord.created_at), col(GameRecord.id)
    yield from session.exec(select(GameRecord).order_by(at, its_id)).all()


def game_with_a_gap(session: Session) -> GameRecord | None:
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


def markers_with_unreadable_times(session: Session) -> Iterator[tuple[MarkerRecord, str]]:
    """Yield every marker that has a damaged time, revoked ones too, and the name of that time."""
    for marker in session.exec(select(MarkerRecord)):
        for name in ("created_at", "revoked_at", "seen_at"):
            if getattr(marker, name) == UNREADABLE:
                yield marker, name
