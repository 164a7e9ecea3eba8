"""Questions about a whole database, of every notebook in it: for backups and the doctor."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select, text
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.models import (
    EVENT,
    GAME,
    NOTEBOOK,
    UNREADABLE,
    GameRecord,
    MarkerRecord,
)

_GAME: Final = select(*(GAME.c[name] for name in GameRecord.__slots__))


class Counts(NamedTuple):
    """How much is in a database."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None
    """When the last entry was made, None if there is none."""


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    connection = session.connection()
    notebooks, games = (
        connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (NOTEBOOK, GAME)
    )
    entries, last_at = connection.execute(select(func.count(), func.max(EVENT.c.at))).one()
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
    found = session.connection().execute(_GAME.order_by(GAME.c.created_at, GAME.c.id))
    for row in found.all():
        yield GameRecord(*row)


def stored_game(session: Session, game_id: str) -> GameRecord:
    """Return a game of any notebook. Raises an error of SQLAlchemy's if there is none."""
    return GameRecord(*session.connection().execute(_GAME.where(GAME.c.id == game_id)).one())


def game_with_a_gap(session: Session) -> GameRecord | None:
    """Return a game whose entries are not numbered 1, 2, 3, … up to its last one, if any."""
    # No number comes twice or is below 1, so the last one says whether there are gaps.
    count, last = func.count(EVENT.c.number), func.max(EVENT.c.number)
    of = (
        select(EVENT.c.game_id, count.label("n"), last.label("last"))
        .group_by(EVENT.c.game_id)
        .subquery()
    )
    uncounted = or_(of.c.n.is_(None), of.c.n != GAME.c.last_number, of.c.last != of.c.n)
    asked = _GAME.outerjoin(of, of.c.game_id == GAME.c.id).where(uncounted).limit(1)
    row = session.connection().execute(asked).first()
    return None if row is None else GameRecord(*row)


def correct_game(session: Session, game_id: str, columns: Mapping[str, object]) -> None:
    """Write what follows from a game's entries. Must be called inside Database.write()."""
    require_write(session)
    session.connection().execute(GAME.update().where(GAME.c.id == game_id), dict(columns))


def markers_with_unreadable_times(session: Session) -> Iterator[tuple[MarkerRecord, str]]:
    """Yield every marker that has a damaged time, revoked ones too, and the name of that time."""
    for marker in session.scalars(select(MarkerRecord)):
        for name in ("created_at", "revoked_at", "seen_at"):
            if getattr(marker, name) == UNREADABLE:
                yield marker, name


def forget_when_seen(session: Session, marker_id: str) -> None:
    """Note that a marker was never seen. Must be called inside Database.write()."""
    require_write(session)
    session.get_one(MarkerRecord, marker_id).seen_at = None
