"""What goes into the store and what comes out of it: frozen records, no rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Record:
    """One event of a game, as it was written down."""

    number: int
    """Its place in the game, from 1."""
    key: str
    """The idempotency key: the same act sent twice has the same key."""
    at: datetime
    """When, in UTC."""
    marker_id: str
    """Who."""
    kind: str
    """What kind of act; the store does not know the kinds."""
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


@dataclass(frozen=True, slots=True)
class MarkerRecord:
    """A browser that may write in a notebook."""

    id: str
    notebook_id: str
    label: str
    """What it runs on."""
    created_at: datetime
    revoked_at: datetime | None = None
    nickname: str | None = None
    """What people call it."""
    game_id: str | None = None
    """The only game it may write in; None for all of them."""
    seen_at: datetime | None = None
    """When it asked for something, to some minutes; None for never since it was made."""

    @property
    def name(self) -> str:
        """What it is called where people read who wrote."""
        return self.nickname or self.label


@dataclass(frozen=True, slots=True)
class HandoverRecord:
    """A one-time code that makes another browser a marker."""

    link_digest: str
    code_digest: str
    notebook_id: str
    game_id: str | None
    """The only game that is handed on; None for the whole notebook."""
    by_marker_id: str
    resigns: bool
    """Whether whoever hands it on stops being a marker in the same step."""
    expires_at: datetime
    taken_by: str | None = None
    """The marker that the browser became which took it."""
    taker_digest: str | None = None
    wrong_digits: int = 0
    """How many wrong digits anybody tried while it could be taken."""


@dataclass(frozen=True, slots=True)
class RecoveryRecord:
    """What is known of a notebook's recovery code; the code itself is not."""

    made_at: datetime
    marker_id: str | None
    """The marker that made it; None if that was not noted, as before version 0004."""


class State(NamedTuple):
    """How far a game has come: whatever was read of it at the same state is still true.

    The viewers' link belongs to it, as that is changed without an event.
    """

    game_id: str
    last_number: int
    updated_at: datetime
    viewer_digest: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game's row: where it belongs, how far it has come, and its projection."""

    id: str
    """Public: it is in the addresses of the game's pages."""
    notebook_id: str
    viewer_key: str
    """Secret: whoever has it may look on."""
    viewer_digest: str
    created_at: datetime
    updated_at: datetime
    last_number: int
    """The number of its last event, 0 before the first."""
    title: str
    names: str
    """What it is found by, folded: the projection's names and the title."""
    summary: str
    archived: bool
    deleted_at: datetime | None

    @property
    def state(self) -> State:
        """How far the game has come."""
        return State(self.id, self.last_number, self.updated_at, self.viewer_digest)


class Place(NamedTuple):
    """Where a game stands in a list: the same place, whatever is written in other games."""

    at: datetime
    """When its last event was written."""
    game_id: str
