"""The games of a notebook and their events: create, find, list, append to and load them."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, insert
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, and_, col, or_, select, update

from companion.store.database import EVENTS, require_write
from companion.store.keys import can_be_kept, digest, random_game_id, random_key, same_key
from companion.store.models import (
    UNREADABLE,
    EventRow,
    GameRecord,
    MarkerRecord,
    Place,
    Projection,
    Record,
    State,
    in_utc,
)

_LARGEST = 2**31 - 1
_LONGEST_SEARCH = 200
_KEY = re.compile(r"[!-~]{1,100}")
# The Turkish dotless i: "I" folds to "i", and so must its small letter.
_DOTLESS_I = str.maketrans("ı", "i")

# Events are read by the thousand, as rows: objects take several times as long. The statements are
# made once, so that SQLAlchemy finds their compiled text by identity.
_EVENTS = select_columns(*(col(getattr(EventRow, name)) for name in Record.__slots__)).where(
    col(EventRow.game_id) == bindparam("game_id")
)
_BY_KEY = _EVENTS.where(col(EventRow.key) == bindparam("key"))
_SINCE = _EVENTS.where(col(EventRow.number) > bindparam("since")).order_by(col(EventRow.number))
_OF_MARKER = (
    select(GameRecord)
    .join(MarkerRecord, col(MarkerRecord.notebook_id) == GameRecord.notebook_id)
    .where(
        GameRecord.id == bindparam("game_id"),
        MarkerRecord.id == bindparam("marker_id"),
        col(MarkerRecord.revoked_at).is_(None),
        or_(col(MarkerRecord.game_id).is_(None), MarkerRecord.game_id == GameRecord.id),
    )
)
# How far a game has come is asked for by every page and every viewer's phone: as columns, which
# take a third of the time of an object.
_STATE = [col(getattr(GameRecord, name)) for name in ("id", *State._fields[1:])]
_STATE_FOR_MARKER = _OF_MARKER.with_only_columns(*_STATE)
_STATE_FOR_VIEWER = select_columns(*_STATE, col(GameRecord.viewer_key)).where(
    col(GameRecord.viewer_digest) == bindparam("digest"), col(GameRecord.deleted_at).is_(None)
)


class StaleBase(Exception):
    """The event does not follow on the last one of the game, or there is no such game."""


def create_game(
    session: Session,
    notebook_id: str,
    projection: Projection,
    at: datetime,
    records: Iterable[Record] = (),
    *,
    game_id: str | None = None,
) -> GameRecord:
    """Make a game, with a new id unless `game_id` is given.

    `records` are events from another installation, which keep their numbers, keys and times. Call
    it inside Database.write(). Raises ValueError if they are not numbered 1, 2, 3, … or a key comes
    twice, if the projection holds half a surrogate pair, and as append().
    """
    require_write(session)
    viewer_key = random_key()
    game = GameRecord(
        id=game_id or random_game_id(),
        notebook_id=notebook_id,
        viewer_key=viewer_key,
        viewer_digest=digest(viewer_key),
        created_at=in_utc(at),
        updated_at=in_utc(at),
        last_number=0,
        **columns_of_projection(projection),
    )
    session.add(game)
    session.flush()  # its events name it
    game.last_number = _write_records(session, game.id, records)
    session.flush()
    return _apart(session, game)


def game_of_marker(session: Session, game_id: str, marker_id: str) -> GameRecord | None:
    """Return the game, deleted or not, if this marker may write in it and was not revoked.

    It takes one query, because every page of a marker begins with it.
    """
    if not can_be_kept(game_id) or not can_be_kept(marker_id):
        return None
    keys = {"game_id": game_id, "marker_id": marker_id}
    game = session.exec(_OF_MARKER, params=keys).first()
    return None if game is None else _apart(session, game)


def state_for_marker(session: Session, game_id: str, marker_id: str) -> State | None:
    """Return how far a game has come, deleted or not, if `game_of_marker` finds it."""
    if not can_be_kept(game_id) or not can_be_kept(marker_id):
        return None
    keys = {"game_id": game_id, "marker_id": marker_id}
    row = session.connection().execute(_STATE_FOR_MARKER, keys).first()
    return None if row is None else State(*row)


def state_for_viewer(connection: Connection, viewer_key: str) -> State | None:
    """Return how far the game has come that a viewer key shows, unless it was deleted.

    It reads one row by its index, which is all that a poll without news costs.
    """
    row = connection.execute(_STATE_FOR_VIEWER, {"digest": digest(viewer_key)}).first()
    return State(*row[:4]) if row is not None and same_key(row.viewer_key, viewer_key) else None


def game_begun_with(session: Session, notebook_id: str, key: str) -> str | None:
    """Return the id of the notebook's game whose first event has this idempotency key, if any."""
    if not can_be_kept(key):
        return None
    return session.exec(
        select(GameRecord.id)
        .join(EventRow, col(EventRow.game_id) == GameRecord.id)
        .where(GameRecord.notebook_id == notebook_id, EventRow.number == 1, EventRow.key == key)
    ).first()


def list_games(
    session: Session,
    notebook_id: str,
    *,
    search: str = "",
    only: str | None = None,
    archived: bool = False,
    deleted: bool = False,
    limit: int = 50,
    older: Place | None = None,
    newer: Place | None = None,
) -> list[GameRecord]:
    """Return at most `limit` games of a notebook, those with the latest event first.

    With `older` or `newer`, only the games next to that place in the list. `archived` lists the
    archived games that are not deleted, `deleted` the deleted ones, neither of them all others.
    `search` finds games with each of its words in the title or the players' names, whatever the
    case and the accents. `only` is the id of the only game to list.
    """
    words = folded(search)
    if len(words) > _LONGEST_SEARCH:  # no title is so long, and SQLite has limits
        return []
    at, its_id = col(GameRecord.updated_at), col(GameRecord.id)
    chosen = select(GameRecord).where(GameRecord.notebook_id == notebook_id)
    if deleted:
        chosen = chosen.where(col(GameRecord.deleted_at).is_not(None))
    else:
        chosen = chosen.where(col(GameRecord.deleted_at).is_(None), GameRecord.archived == archived)
    if only is not None:
        chosen = chosen.where(its_id == only)
    for word in words.split():
        chosen = chosen.where(col(GameRecord.names).contains(word, autoescape=True))
    if newer is not None:
        chosen = chosen.where(_beyond(newer, is_newer=True)).order_by(at, its_id.desc())
    else:
        if older is not None:
            chosen = chosen.where(_beyond(older, is_newer=False))
        chosen = chosen.order_by(at.desc(), its_id)
    chosen = chosen.limit(min(max(limit, 0), _LARGEST))
    found = [_apart(session, game) for game in session.exec(chosen).all()]
    return found if newer is None else found[::-1]


def _beyond(place: Place, *, is_newer: bool) -> ColumnElement[bool]:
    # The index finds the first row by what comes before the OR, and reads on from there.
    at, its_id = col(GameRecord.updated_at), col(GameRecord.id)
    of: Any = place.at
    if place.at == UNREADABLE:  # the database sorts by the damaged value
        stored = aliased(GameRecord)
        of = select(stored.updated_at).where(stored.id == place.game_id).scalar_subquery()
    if is_newer:
        return and_(at >= of, or_(at > of, its_id < place.game_id))
    return and_(at <= of, or_(at < of, its_id > place.game_id))


def _apart(session: Session, game: GameRecord) -> GameRecord:
    """Detach a game from its session, so that threads can share it."""
    session.expunge(game)
    return game


def append(session: Session, game_id: str, record: Record, projection: Projection) -> Record:
    """Write the next event of a game, and what lists show of it from now on; return what is stored.

    The caller first checks, in the same transaction, that the key is new. Call it inside
    Database.write(). Raises StaleBase if the event does not follow on the last one; ValueError if
    the time is naive, the key is not 1–100 visible ASCII characters or the payload is not JSON (for
    some values TypeError).
    """
    require_write(session)
    record = replace(record, at=in_utc(record.at), payload=json.loads(_as_json(record.payload)))
    event = _columns_of_record(game_id, record)
    columns = columns_of_projection(projection)
    moved = session.exec(
        update(GameRecord)
        .where(col(GameRecord.id) == game_id, col(GameRecord.last_number) == record.number - 1)
        .values(last_number=record.number, updated_at=record.at, **columns)
    )
    if moved.rowcount != 1:
        raise StaleBase(f"Event {record.number} is not the next one of game {game_id}.")
    session.connection().execute(insert(EventRow), event)
    _count(session, 1)
    return record


def find_by_key(session: Session, game_id: str, key: str) -> Record | None:
    """Return the event of a game with this idempotency key, None if there is none."""
    if not can_be_kept(game_id) or not can_be_kept(key):
        return None
    row = session.connection().execute(_BY_KEY, {"game_id": game_id, "key": key}).first()
    return None if row is None else _record(row)


def load(session: Session, game_id: str, since: int = 0) -> list[Record]:
    """Return the events of a game after number `since`, in order; none if there is no such game."""
    if not can_be_kept(game_id) or since > _LARGEST:
        return []
    found = session.connection().execute(_SINCE, {"game_id": game_id, "since": max(since, 0)})
    return [_record(row) for row in found.all()]  # all(): row by row takes twice as long


def _write_records(session: Session, game_id: str, records: Iterable[Record]) -> int:
    """Write the events of an imported game; return the last number."""
    rows = []
    keys = set()
    for number, record in enumerate(records, start=1):
        if record.number != number:
            raise ValueError(f"Event {number} is missing: event {record.number} is in its place.")
        if record.key in keys:
            raise ValueError(f"Event {number} has the key of an earlier one.")
        keys.add(record.key)
        rows.append(_columns_of_record(game_id, record))
    if rows:
        session.connection().execute(insert(EventRow), rows)
        _count(session, len(rows))
    return len(rows)


def _columns_of_record(game_id: str, record: Record) -> dict[str, object]:
    """Return the row of an event. Raises as append()."""
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


def columns_of_projection(projection: Projection) -> dict[str, Any]:
    """Return the columns of a game that each event updates."""
    return {
        "title": projection.title,
        "names": folded(f"{projection.names} {projection.title}"),
        "summary": projection.summary,
        "archived": projection.archived,
        "deleted_at": projection.deleted_at,
    }


def folded(text: str) -> str:
    """Return a text as searches compare it: without case, accents and variants of letters.

    "İSTANBUL" and "istanbul" become the same, as do "ΝΊΚΟΣ" and "Νίκος", "Ａna" and "ana". White
    space becomes single spaces. Folding twice changes nothing.
    """
    spelt_out = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(letter for letter in spelt_out if not _is_mark(letter)).translate(_DOTLESS_I)
    return " ".join(kept.split())


def _is_mark(letter: str) -> bool:
    # Accents and vowel points, the selectors of text and emoji, and what a database may not store:
    # NUL and halves of a surrogate pair.
    return (
        unicodedata.combining(letter) != 0
        or letter in "\0\ufe0e\ufe0f"
        or "\ud800" <= letter <= "\udfff"
    )


def _count(session: Session, events: int) -> None:
    session.info[EVENTS] = session.info.get(EVENTS, 0) + events


def _record(row: Row[*tuple[Any, ...]]) -> Record:
    number, key, at, marker_id, kind, payload = row
    return Record(number, key, at, marker_id, kind, json.loads(payload))


def _as_json(payload: Mapping[str, object]) -> str:
    # ASCII only, so that half a surrogate pair, which no database stores, stays escaped.
    return json.dumps(dict(payload), allow_nan=False, separators=(",", ":"))
