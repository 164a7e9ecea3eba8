"""What is asked of a whole database, of every notebook in it: by backups and by the doctor only."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, inspect, select, text
from sqlmodel import Session

from companion.store.records import GameRecord
from companion.store.tables import EVENT, GAME, NOTEBOOK, VERSION_TABLE


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


def every_game(session: Session) -> Iterator[GameRecord]:
    """The games of every notebook, archived and deleted ones too."""
    columns = tuple(GAME.c[name] for name in GameRecord.__slots__)
    found = session.connection().execute(select(*columns).order_by(GAME.c.created_at, GAME.c.id))
    for row in found.all():
        yield GameRecord(*row)
