"""The events of a game: appended, found again, loaded; never changed and never removed."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlmodel import Session

from companion.store.database import EVENTS, require_write
from companion.store.folding import folded
from companion.store.keys import can_be_kept
from companion.store.records import Projection, Record
from companion.store.tables import EVENT, GAME, in_utc

_LARGEST = 2**31 - 1
_KEY = re.compile(r"[!-~]{1,100}")

_RECORD = (
    EVENT.c.number,
    EVENT.c.key,
    EVENT.c.at,
    EVENT.c.marker_id,
    EVENT.c.kind,
    EVENT.c.payload,
)
# Made once: SQLAlchemy then finds the compiled text by identity, and SQLite its prepared statement.
_BY_KEY = select(*_RECORD).where(
    EVENT.c.game_id == bindparam("game_id"), EVENT.c.key == bindparam("key")
)
_SINCE = (
    select(*_RECORD)
    .where(EVENT.c.game_id == bindparam("game_id"), EVENT.c.number > bindparam("since"))
    .order_by(EVENT.c.number)
)
_LAST_NUMBER = select(GAME.c.last_number).where(GAME.c.id == bindparam("game_id"))
# On PostgreSQL others may write meanwhile; whoever writes in this game waits here at the latest.
_LAST_NUMBER_HELD = _LAST_NUMBER.with_for_update()


class NoSuchGame(LookupError):
    """No game has this id."""


class KeyReused(Exception):
    """An idempotency key came again with other content. `record` is what it was first used for."""

    def __init__(self, record: Record) -> None:
        """`record` is what the key was first used for."""
        super().__init__(f"The key was used before, for event {record.number}.")
        self.record = record


class StaleBase(Exception):
    """An act was based on a state of the game that is not its last: `base` is not `last`."""

    def __init__(self, base: int, last: int) -> None:
        """Both are event numbers."""
        super().__init__(f"The act was based on event {base}, but the game is at event {last}.")
        self.base = base
        self.last = last


def append(
    session: Session,
    game_id: str,
    *,
    base: int,
    key: str,
    at: datetime,
    marker_id: str,
    kind: str,
    payload: Mapping[str, object],
    projection: Projection,
) -> Record:
    """Writes one event after number `base`, and with it what lists show of the game from now on.

    If the key is there already with the same kind and payload, the answer is the event that was
    written then, and nothing changes. Must be called inside Database.write().

    Raises KeyReused, StaleBase, NoSuchGame; ValueError if the time is naive, the key is not 1–100
    visible ASCII characters or the payload holds what JSON cannot (TypeError for some of it).
    """
    require_write(session)
    content = _as_json(payload)
    connection = session.connection()
    last = _last_number(session, _LAST_NUMBER_HELD, game_id)
    known = find_by_key(session, game_id, key)
    if known is not None:
        if known.kind == kind and _same(known.payload, json.loads(content)):
            return known
        raise KeyReused(known)
    if base != last:
        raise StaleBase(base, last)
    record = Record(last + 1, key, in_utc(at), marker_id, kind, json.loads(content))
    connection.execute(EVENT.insert(), columns_of_record(game_id, record))
    _count(session, 1)
    connection.execute(
        GAME.update().where(GAME.c.id == game_id),
        {
            "last_number": record.number,
            "updated_at": record.at,
            **columns_of_projection(projection),
        },
    )
    return record


def find_by_key(session: Session, game_id: str, key: str) -> Record | None:
    """The event of a game that was written with this idempotency key."""
    if not can_be_kept(game_id) or not can_be_kept(key):
        return None
    row = session.connection().execute(_BY_KEY, {"game_id": game_id, "key": key}).first()
    return None if row is None else _record(row)


def load(session: Session, game_id: str, since: int = 0) -> list[Record]:
    """The events of a game after number `since`, in order; none if there is no such game."""
    if not can_be_kept(game_id) or since > _LARGEST:
        return []
    found = session.connection().execute(_SINCE, {"game_id": game_id, "since": max(since, 0)})
    return [_record(row) for row in found.all()]  # all(): row by row takes twice as long


def last_number(session: Session, game_id: str) -> int:
    """The number of a game's last event, 0 before the first. Raises NoSuchGame."""
    return _last_number(session, _LAST_NUMBER, game_id)


def copy_records(session: Session, game_id: str, records: Iterable[Record]) -> int:
    """Writes the events of a game that came from elsewhere as they are; answers the last number.

    Raises ValueError if they are not numbered 1, 2, 3, …, if a key comes twice, and as append().
    """
    require_write(session)
    rows = []
    keys = set()
    for number, record in enumerate(records, start=1):
        if record.number != number:
            raise ValueError(f"Event {number} is missing: event {record.number} is in its place.")
        if record.key in keys:
            raise ValueError(f"Event {number} has the key of an earlier one.")
        keys.add(record.key)
        rows.append(columns_of_record(game_id, record))
    if rows:
        session.connection().execute(EVENT.insert(), rows)
        _count(session, len(rows))
    return len(rows)


def columns_of_record(game_id: str, record: Record) -> dict[str, object]:
    """The row of an event. Raises as append()."""
    if not _KEY.fullmatch(record.key):
        raise ValueError("An event's key must be 1 to 100 visible ASCII characters.")
    return {
        "game_id": game_id,
        "number": record.number,
        "key": record.key,
        "at": in_utc(record.at),
        "marker_id": record.marker_id,
        "kind": record.kind,
        "payload": _as_json(record.payload),
    }


def columns_of_projection(projection: Projection) -> dict[str, object]:
    """The columns of a game that each event rewrites."""
    return {
        "title": projection.title,
        "names": folded(f"{projection.names} {projection.title}"),
        "summary": projection.summary,
        "archived": projection.archived,
        "deleted_at": projection.deleted_at,
    }


def _count(session: Session, events: int) -> None:
    session.info[EVENTS] = session.info.get(EVENTS, 0) + events


def _last_number(session: Session, statement: Select[int], game_id: str) -> int:
    if not can_be_kept(game_id):
        raise NoSuchGame(game_id)
    last: int | None = session.connection().execute(statement, {"game_id": game_id}).scalar()
    if last is None:
        raise NoSuchGame(game_id)
    return last


def _record(row: Row[*tuple[Any, ...]]) -> Record:
    number, key, at, marker_id, kind, payload = row
    return Record(number, key, at, marker_id, kind, json.loads(payload))


def _as_json(payload: Mapping[str, object]) -> str:
    # ASCII only: half a surrogate pair, which JSON may spell and no database stores, stays spelt.
    return json.dumps(dict(payload), allow_nan=False, separators=(",", ":"))


def _same(one: dict[str, object], other: dict[str, object]) -> bool:
    # As text, for Python takes 1, 1.0 and True to be equal.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
