"""The tables, and the frozen records of events that leave the store.

Events are read by the thousand: they come as records that are made faster than the table's class.
This module must not use postponed annotations: SQLModel reads the annotations when the class is
made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    Index,
    MetaData,
    TypeDecorator,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

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


class MarkerRecord(StoredRow, table=True):
    """A browser that may write; its id lies in that browser's signed cookie."""

    __tablename__: ClassVar[str] = "marker"

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id", index=True)
    label: str
    """What it runs on."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    nickname: str | None = None
    """What people call it."""
    game_id: str | None = Field(default=None, foreign_key="game.id")
    """The only game it may write in; None for all of them."""
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it asked for something, to some minutes; None for never since it was made."""

    @property
    def name(self) -> str:
        """What it is called where people read who wrote."""
        return self.nickname or self.label


class GameRecord(StoredRow, table=True):
    """A game: where it belongs, how far it has come, and what lists show of it."""

    __tablename__: ClassVar[str] = "game"
    __table_args__ = (Index(None, "notebook_id", "updated_at"),)

    id: str = Field(primary_key=True)
    """Public: it is in the addresses of the game's pages."""
    notebook_id: str = Field(foreign_key="notebook.id")
    viewer_key: str
    """Secret: whoever has it may watch."""
    viewer_digest: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    last_number: int
    """The number of its last event, 0 before the first."""
    title: str
    names: str
    """What it is found by, folded: the projection's names and the title."""
    summary: str
    archived: bool
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    @property
    def state(self) -> "State":
        """How far the game has come."""
        return State(self.id, self.last_number, self.updated_at, self.viewer_digest)


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


class HandoverRecord(StoredRow, table=True):
    """A one-time code that makes another browser a marker. Of its two forms only digests are kept.

    ``taker_digest`` tells the browser that took it, so that an answer that was lost can be had
    again. ``wrong_digits`` counts what anybody tried in vain while it could be taken.
    """

    __tablename__: ClassVar[str] = "handover"

    link_digest: str = Field(primary_key=True)
    code_digest: str = Field(index=True)
    notebook_id: str = Field(foreign_key="notebook.id")
    game_id: str | None = Field(default=None, foreign_key="game.id")
    """The only game that is handed on; None for the whole notebook."""
    by_marker_id: str = Field(foreign_key="marker.id", index=True)
    resigns: bool
    """Whether whoever hands it on stops being a marker in the same step."""
    expires_at: datetime = Field(sa_type=UtcDateTime)
    taken_by: str | None = None
    """The marker that the browser became which took it."""
    taker_digest: str | None = None
    wrong_digits: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class RateRow(StoredRow, table=True):
    """Until when tries of one kind count, for one client (a digest of its address) or for all."""

    __tablename__: ClassVar[str] = "rate"

    what: str = Field(primary_key=True)
    who: str = Field(primary_key=True)
    forgiven_at: int = Field(sa_type=BigInteger)


@dataclass(frozen=True, slots=True)
class Record:
    """One event of a game, as it was written down."""

    number: int
    """Its place in the game, from 1."""
    key: str
    """The idempotency key: the same action sent twice has the same key."""
    at: datetime
    """When, in UTC."""
    marker_id: str
    """Who."""
    kind: str
    """What kind of action; the store does not know the kinds."""
    payload: dict[str, object]
    """What JSON can hold."""


@dataclass(frozen=True, slots=True)
class Projection:
    """What lists show of a game, so that they need not replay its events.

    It is handed over with every event and replaces the one before.
    """

    title: str
    names: str
    """The names that the game is found by beside its title, in any case, parted by white space."""
    summary: str
    """JSON text for the list; the store does not look into it."""
    archived: bool = False
    deleted_at: datetime | None = None


class State(NamedTuple):
    """How far a game has come: whatever was read of it at the same state is still true.

    The viewers' link belongs to it, as that is changed without an event.
    """

    game_id: str
    last_number: int
    updated_at: datetime
    viewer_digest: str


class Place(NamedTuple):
    """Where a game stands in a list: the same place, whatever is written in other games."""

    at: datetime
    """When its last event was written."""
    game_id: str


class RecoveryRecord(NamedTuple):
    """What is known of a notebook's recovery code; the code itself is not."""

    made_at: datetime
    marker_id: str | None
    """The marker that made it; None if that was not noted, as before version 0004."""
