"""What is asked of a whole database, of every notebook in it: by backups and by the doctor only."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Index, func, inspect, or_, select, text
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.models import (
    EVENT,
    GAME,
    NOTEBOOK,
    UNREADABLE,
    VERSION_TABLE,
    GameRecord,
    MarkerRecord,
)

_TRIGGERS: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname",
}


class Counts(NamedTuple):
    """How much is in a database."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None
    """When the last entry was made, None if there is none."""


def count_all(session: Session) -> Counts:
    """How many notebooks, games and entries there are, and when the last one was made."""
    connection = session.connection()
    notebooks = connection.execute(select(func.count()).select_from(NOTEBOOK)).scalar_one()
    games = connection.execute(select(func.count()).select_from(GAME)).scalar_one()
    entries, last_at = connection.execute(select(func.count(), func.max(EVENT.c.at))).one()
    return Counts(notebooks, games, entries, last_at)


def version_of(session: Session) -> str | None:
    """The migration that a database is at, None if it has no tables of ours."""
    connection = session.connection()
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found: str | None = connection.execute(
        text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608  # a constant
    ).scalar()
    return found


class ServerTold(NamedTuple):
    """What a database server says of itself."""

    size: int
    """Of the database, in bytes."""
    unsafe: tuple[str, ...]
    """The settings that are off and without which a power cut can destroy what was written."""


def told_by_server(session: Session) -> ServerTold | None:
    """What the database's server says of itself, None if there is none."""
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        return None
    size, *settings = connection.execute(
        text(
            "SELECT pg_database_size(current_database()),"
            " current_setting('fsync'), current_setting('full_page_writes')"
        )
    ).one()
    named = zip(("fsync", "full_page_writes"), settings, strict=True)
    return ServerTold(size, tuple(name for name, set_to in named if set_to == "off"))


_GAME: Final = select(*(GAME.c[name] for name in GameRecord.__slots__))


def every_game(session: Session) -> Iterator[GameRecord]:
    """The games of every notebook, archived and deleted ones too."""
    found = session.connection().execute(_GAME.order_by(GAME.c.created_at, GAME.c.id))
    for row in found.all():
        yield GameRecord(*row)


def stored_game(session: Session, game_id: str) -> GameRecord:
    """A game of any notebook. Raises an error of SQLAlchemy's if there is none."""
    return GameRecord(*session.connection().execute(_GAME.where(GAME.c.id == game_id)).one())


def game_with_a_gap(session: Session) -> GameRecord | None:
    """A game whose entries are not as many as it says, or not numbered 1, 2, 3, …; None if none."""
    # No number comes twice or is below 1, so the last one says whether there are gaps.
    count, last = func.count(EVENT.c.number), func.max(EVENT.c.number)
    counted = select(EVENT.c.game_id, count.label("n"), last.label("last")).group_by(
        EVENT.c.game_id
    )
    of = counted.subquery()
    uncounted = or_(of.c.n.is_(None), of.c.n != GAME.c.last_number, of.c.last != of.c.n)
    asked = _GAME.outerjoin(of, of.c.game_id == GAME.c.id).where(uncounted).limit(1)
    row = session.connection().execute(asked).first()
    return None if row is None else GameRecord(*row)


def correct_game(session: Session, game_id: str, columns: Mapping[str, object]) -> None:
    """Write what follows from a game's entries. Must be called inside Database.write()."""
    require_write(session)
    session.connection().execute(GAME.update().where(GAME.c.id == game_id), dict(columns))


def markers_with_unreadable_times(session: Session) -> Iterator[tuple[MarkerRecord, str]]:
    """The markers of every notebook whose times are damaged, each with the name of one such time.

    Those that were taken off, too.
    """
    for marker in session.scalars(select(MarkerRecord)):
        for name in ("created_at", "revoked_at", "seen_at"):
            if getattr(marker, name) == UNREADABLE:
                yield marker, name


def forget_when_seen(session: Session, marker_id: str) -> None:
    """A marker was never seen. Must be called inside Database.write()."""
    require_write(session)
    session.get_one(MarkerRecord, marker_id).seen_at = None


class Differences(NamedTuple):
    """How the tables differ from those that this version of the program makes."""

    indexes: list[Index]
    """Those that are missing."""
    others: list[str]
    """What else is missing or otherwise, in words."""
    triggers: list[str]
    """The names of those that were added; the program has none."""


def differences(session: Session) -> Differences:
    """How the tables differ from those that this version of the program makes."""
    from companion.store import migrating

    connection = session.connection()
    indexes, others = migrating.differences(connection)
    triggers = connection.execute(text(_TRIGGERS[connection.dialect.name])).scalars().all()
    return Differences(indexes, others, [*triggers])
