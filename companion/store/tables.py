"""The tables: notebooks, markers, games, the events of each game, codes handed on, and rates.

Only the store reads these classes; what leaves it are frozen records. This module must not use
postponed annotations: SQLModel reads the annotations when the class is made.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, cast

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    Index,
    MetaData,
    Table,
    TypeDecorator,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from companion.store.problems import DatabaseProblem

# A table of this name tells our databases from those of other programs.
VERSION_TABLE = "companion_version"
# What a damaged time is read as: no page and no list may fail for it, and the doctor finds it.
UNREADABLE: Final = datetime.min.replace(tzinfo=UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: stored in UTC, aware on its way in and on its way out.

    A naive datetime raises ValueError, since nobody could say what moment it means. What is stored
    and is no time at all comes out as UNREADABLE.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002  # SQLAlchemy hands it over
    ) -> datetime | None:
        """The same moment in UTC."""
        return None if value is None else in_utc(value)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002  # SQLAlchemy hands it over
    ) -> datetime | None:
        """The moment, aware: SQLite hands it back without a zone, PostgreSQL in the session's."""
        if value is None or value.tzinfo is not None:
            return value and value.astimezone(UTC)
        return value.replace(tzinfo=UTC)

    def result_processor(
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any], datetime | None] | None:
        """Reads what the driver hands back, damaged or not."""
        read = super().result_processor(dialect, coltype)
        assert read is not None  # noqa: S101  # there is a process_result_value

        def tolerant(value: object) -> datetime | None:
            try:
                return read(value)
            except (TypeError, ValueError):
                return UNREADABLE

        return tolerant


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC. Raises ValueError if it is naive."""
    if moment.tzinfo is None:
        raise ValueError(f"The time {moment.isoformat()} has no time zone.")
    return moment.astimezone(UTC)


def moment(value: str | datetime) -> datetime:
    """The moment that a driver gave, in UTC: SQLite's as text without a zone; or UNREADABLE."""
    try:
        read = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return UNREADABLE
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def refuse_foreign(tables: Iterable[str]) -> None:
    """Raises DatabaseProblem (foreign) if these are the tables of another program."""
    names = set(tables)
    if names and VERSION_TABLE not in names:
        raise DatabaseProblem(
            "foreign", "The database belongs to another program. Name another one."
        )


class StoredRow(SQLModel):
    """What the tables share: their names' convention, so that migrations can name a thing."""

    metadata: ClassVar[MetaData] = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class NotebookRow(StoredRow, table=True):
    """A notebook: the games that one marker, or several, keep."""

    __tablename__: ClassVar[str] = "notebook"

    id: str = Field(primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    recovery_digest: str | None = Field(default=None, unique=True)
    recovery_made_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    # Not a foreign key: markers name their notebooks, and two tables cannot wait for each other.
    recovery_marker_id: str | None = None


class MarkerRow(StoredRow, table=True):
    """A browser that may write; its id lies in that browser's signed cookie.

    In every game of the notebook, or in one game alone.
    """

    __tablename__: ClassVar[str] = "marker"

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id", index=True)
    label: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    nickname: str | None = None
    game_id: str | None = Field(default=None, foreign_key="game.id")
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class GameRow(StoredRow, table=True):
    """A game, and the projection of its events that lists are made from."""

    __tablename__: ClassVar[str] = "game"
    __table_args__ = (Index(None, "notebook_id", "updated_at"),)

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id")
    viewer_key: str
    viewer_digest: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    last_number: int
    title: str
    names: str
    summary: str
    archived: bool
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class EventRow(StoredRow, table=True):
    """One event of a game: numbered from 1 without gaps, and never changed."""

    __tablename__: ClassVar[str] = "event"
    __table_args__ = (
        UniqueConstraint("game_id", "key"),
        CheckConstraint("number >= 1", name="number_from_1"),
    )

    game_id: str = Field(foreign_key="game.id", primary_key=True)
    number: int = Field(primary_key=True)
    key: str
    at: datetime = Field(sa_type=UtcDateTime)
    # Not a foreign key: an imported game keeps the markers of the installation it came from.
    marker_id: str
    kind: str
    payload: str


class HandoverRow(StoredRow, table=True):
    """A one-time code that makes another browser a marker. Of its two forms only digests are kept.

    ``taker_digest`` tells the browser that took it, so that an answer that was lost can be had
    again. ``wrong_digits`` counts what anybody tried in vain while it could be taken.
    """

    __tablename__: ClassVar[str] = "handover"

    link_digest: str = Field(primary_key=True)
    code_digest: str = Field(index=True)
    notebook_id: str = Field(foreign_key="notebook.id")
    game_id: str | None = Field(default=None, foreign_key="game.id")
    by_marker_id: str = Field(foreign_key="marker.id", index=True)
    resigns: bool
    expires_at: datetime = Field(sa_type=UtcDateTime)
    taken_by: str | None = None
    taker_digest: str | None = None
    wrong_digits: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class RateRow(StoredRow, table=True):
    """Until when tries of one kind count, for one client (a digest of its address) or for all."""

    __tablename__: ClassVar[str] = "rate"

    what: str = Field(primary_key=True)
    who: str = Field(primary_key=True)
    forgiven_at: int = Field(sa_type=BigInteger)


def _table(row: type[StoredRow]) -> Table:
    return cast("Table", row.__table__)  # type: ignore[attr-defined]  # SQLAlchemy sets it


NOTEBOOK = _table(NotebookRow)
MARKER = _table(MarkerRow)
GAME = _table(GameRow)
EVENT = _table(EventRow)
HANDOVER = _table(HandoverRow)
RATE = _table(RateRow)
