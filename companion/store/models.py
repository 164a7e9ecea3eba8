"""The tables, and the types that the store takes and returns besides their rows.

This module must not use postponed annotations: SQLModel reads the annotations when
it makes a class.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Date,
    DateTime,
    Dialect,
    Index,
    MetaData,
    TypeDecorator,
    UniqueConstraint,
)
from sqlmodel import Field, Relationship, SQLModel

from companion.rules.language import gettext

# A table of this name tells our databases from those of other programs.
VERSION_TABLE = "companion_version"
# A damaged time is read as this value, so that pages and lists still work. The doctor finds it.
UNREADABLE: Final = datetime.min.replace(tzinfo=UTC)
# A damaged day is read as this object. Compare with `is`: earlier versions could save the same day.
UNREADABLE_DAY: Final = date(9999, 12, 31)
# The errors that damaged entries can cause. DatabaseProblem is not among them.
DAMAGE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A time, stored in UTC. It takes and returns aware datetimes.

    A naive datetime raises ValueError. A stored value that is not a time is read as UNREADABLE.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the same time in UTC."""
        return None if value is None else in_utc(value)

    def result_processor(
        self, _dialect: Dialect, _coltype: object
    ) -> Callable[[Any], datetime | None]:
        """Return a function that turns the driver's values, even damaged ones, into times."""
        return lambda value: None if value is None else moment(value)


class Day(TypeDecorator[date]):
    """A day. A stored value that is not a day is read as UNREADABLE_DAY."""

    impl = Date
    cache_ok = True

    def result_processor(self, _dialect: Dialect, _coltype: object) -> Callable[[Any], date | None]:
        """Return a function that turns the driver's values, even damaged ones, into days."""
        return lambda value: None if value is None else _day(value)


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC. Raises ValueError if it is naive."""
    if moment.tzinfo is None:
        raise ValueError(f"The time {moment.isoformat()} has no time zone.")
    return moment.astimezone(UTC)


def moment(value: str) -> datetime:
    """Return a driver's value as a time in UTC, or UNREADABLE. SQLite gives text without a zone."""
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return UNREADABLE
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return UNREADABLE_DAY


class StoredRow(SQLModel):
    """The base of all tables, with a naming convention for indexes and constraints."""

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
    """A notebook: the games, people and seasons of one marker or several."""

    __tablename__: ClassVar[str] = "notebook"

    id: str = Field(primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    recovery_digest: str | None = Field(default=None, unique=True)
    recovery_made_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    # Not a foreign key: markers refer to notebooks, and one of the two tables has to be made first.
    recovery_marker_id: str | None = None
    """The marker that made the recovery code; None for codes from before version 0004."""
    joined_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Until when games were joined to people by name; None once a marker has looked at the list."""
    seats_key: str | None = None
    """A random key, new whenever the seats of its games change; None before the first change."""


class MarkerRecord(StoredRow, table=True):
    """A browser that may write. Its id is in that browser's signed cookie."""

    __tablename__: ClassVar[str] = "marker"

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id", index=True)
    label: str
    """The kind of device, in English: ``Android phone``."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    nickname: str | None = None
    """The name that a person gave it."""
    game_id: str | None = Field(default=None, foreign_key="game.id")
    """The only game it may write in; None for all of them."""
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it last sent a request, to within some minutes; None if it has sent none."""

    @property
    def name(self) -> str:
        """Its nickname, or else its label in the reader's language."""
        return self.nickname or gettext(self.label)


class GameRecord(StoredRow, table=True):
    """A game: its notebook, its last event, and what lists show of it."""

    __tablename__: ClassVar[str] = "game"
    __table_args__ = (Index(None, "notebook_id", "updated_at"),)

    id: str = Field(primary_key=True)
    """Public: part of the addresses of the game's pages."""
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
    """The text that a search looks in, folded: the projection's names and title."""
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
    """The idempotency key: the same action sent twice has the same key."""
    at: datetime = Field(sa_type=UtcDateTime)
    # Not a foreign key: an imported game keeps the markers of the installation it came from.
    marker_id: str
    kind: str
    """The kind of event. The store does not know the kinds."""
    payload: str
    """The event's fields, as JSON."""


class SeasonPersonRow(StoredRow, table=True):
    """A person who was chosen for a season."""

    __tablename__: ClassVar[str] = "season_person"

    season_id: str = Field(foreign_key="season.id", primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True, index=True)


class PersonRecord(StoredRow, table=True):
    """A person who plays in the games of a notebook. No two people of it have the same name."""

    __tablename__: ClassVar[str] = "person"

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id", index=True)
    name: str
    colour: str
    hidden: bool = False
    """True if the person was taken out of all figures and lists."""
    seasons: list["SeasonRecord"] = Relationship(
        back_populates="people", link_model=SeasonPersonRow
    )
    """The seasons that the person was chosen for."""


class SeatRow(StoredRow, table=True):
    """A seat of a game: who sits there, and the player's figures, which follow from the events.

    The columns after `person_id` are null until the game is over (`companion.notebook.figures`).
    """

    __tablename__: ClassVar[str] = "seat"

    game_id: str = Field(foreign_key="game.id", primary_key=True)
    seat: int = Field(primary_key=True)
    name: str
    """The player's name in this game."""
    person_id: str | None = Field(default=None, foreign_key="person.id", index=True)
    """None for a guest."""
    game: str | None = None
    place: int | None = None
    players: int | None = None
    played: str | None = None
    number: int | None = None
    finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class SeasonRecord(StoredRow, table=True):
    """A season: a notebook's evenings of one game between two days, and how they are scored."""

    __tablename__: ClassVar[str] = "season"

    id: str = Field(primary_key=True)
    notebook_id: str = Field(foreign_key="notebook.id", index=True)
    name: str
    game: str
    first_day: date = Field(sa_type=Day)
    last_day: date | None = Field(sa_type=Day)
    games: str
    """Which games of an evening count."""
    points: str
    """For places, as ``5 3 2 1``; empty for the sum of marks."""
    ties: str
    best: int
    everybody: bool
    """True if nobody was chosen, so all count. Deleting the last who was chosen keeps it False."""
    viewer_key: str
    """Secret: whoever has it may see the season."""
    viewer_digest: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    people: list[PersonRecord] = Relationship(
        back_populates="seasons",
        link_model=SeasonPersonRow,
        sa_relationship_kwargs={"order_by": "PersonRecord.name", "lazy": "selectin"},
    )
    """The people who were chosen, the hidden ones too."""


class TransferRecord(StoredRow, table=True):
    """A one-time code that makes another browser a marker. Only digests of it are stored.

    ``taker_digest`` identifies the browser that took it, which may take it again if the answer was
    lost. ``wrong_digits`` counts the wrong tries of all clients while the code was valid.
    """

    __tablename__: ClassVar[str] = "handover"

    link_digest: str = Field(primary_key=True)
    code_digest: str = Field(index=True)
    notebook_id: str = Field(foreign_key="notebook.id")
    game_id: str | None = Field(default=None, foreign_key="game.id")
    """The only game that it transfers; None for the whole notebook."""
    by_marker_id: str = Field(foreign_key="marker.id", index=True)
    """The marker that made it."""
    resigns: bool
    """True if that marker stops being one when the code is taken."""
    expires_at: datetime = Field(sa_type=UtcDateTime)
    taken_by: str | None = None
    """The new marker, once a browser has taken the code."""
    taker_digest: str | None = None
    wrong_digits: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class RateRow(StoredRow, table=True):
    """When all tries of one kind are forgiven, for one client (a digest) or, as "", for all."""

    __tablename__: ClassVar[str] = "rate"

    what: str = Field(primary_key=True)
    who: str = Field(primary_key=True)
    forgiven_at: int = Field(sa_type=BigInteger)


class Projection(NamedTuple):
    """What lists show of a game without a replay of its events. Each event comes with a new one."""

    title: str
    names: str
    """The names that a search finds the game by, in any case, separated by white space."""
    summary: str
    """JSON text for the list; the store does not read it."""
    archived: bool = False
    deleted_at: datetime | None = None


class Place(NamedTuple):
    """The position of a game in a list. It does not change when other games do."""

    at: datetime
    """When its last event was written."""
    game_id: str
