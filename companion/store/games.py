"""The games of a notebook and their events: created, found, listed, appended to, loaded."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, or_, select
from sqlmodel import Session

from companion.store.database import EVENTS, Database, require_write
from companion.store.keys import can_be_kept, digest, random_game_id, random_key, same_key
from companion.store.models import (
    EVENT,
    GAME,
    MARKER,
    UNREADABLE,
    GameRecord,
    Place,
    Projection,
    Record,
    State,
    in_utc,
    moment,
)

_LARGEST = 2**31 - 1
_LONGEST_SEARCH = 200
_KEY = re.compile(r"[!-~]{1,100}")
# The Turkish dotless i: "I" folds to "i", and so must the letter that it is the capital of.
_DOTLESS_I = str.maketrans("ı", "i")

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
_COLUMNS = tuple(GAME.c[name] for name in GameRecord.__slots__)
_OF_MARKER = (
    select(*_COLUMNS)
    .join(MARKER, MARKER.c.notebook_id == GAME.c.notebook_id)
    .where(
        GAME.c.id == bindparam("game_id"),
        MARKER.c.id == bindparam("marker_id"),
        MARKER.c.revoked_at.is_(None),
        or_(MARKER.c.game_id.is_(None), MARKER.c.game_id == GAME.c.id),
    )
)
_BEGUN_WITH = (
    select(GAME.c.id)
    .join(EVENT, EVENT.c.game_id == GAME.c.id)
    .where(
        GAME.c.notebook_id == bindparam("notebook_id"),
        EVENT.c.number == 1,
        EVENT.c.key == bindparam("key"),
    )
)
_OF_VIEWER = select(*_COLUMNS).where(GAME.c.viewer_digest == bindparam("viewer_digest"))
_SEEN_BY_MARKER = """
    SELECT game.id, game.last_number, game.updated_at, game.viewer_digest
    FROM game JOIN marker ON marker.notebook_id = game.notebook_id
    WHERE game.id = :game_id AND marker.id = :marker_id AND marker.revoked_at IS NULL
    AND (marker.game_id IS NULL OR marker.game_id = game.id)
"""
_SEEN_BY_VIEWER = """
    SELECT id, last_number, updated_at, viewer_digest, viewer_key FROM game
    WHERE viewer_digest = :digest AND deleted_at IS NULL
"""


class StaleBase(Exception):
    """An event was to follow on another one than the game's last, or there is no such game."""


def create_game(
    session: Session,
    notebook_id: str,
    projection: Projection,
    at: datetime,
    *,
    game_id: str | None = None,
) -> GameRecord:
    """A new game without events, of that id or of a new one.

    Must be called inside Database.write().
    Raises ValueError if the time is naive or the projection holds half a surrogate pair.
    """
    return create_game_with(session, notebook_id, (), projection, at, game_id=game_id)


def create_game_with(
    session: Session,
    notebook_id: str,
    records: Iterable[Record],
    projection: Projection,
    at: datetime,
    *,
    game_id: str | None = None,
) -> GameRecord:
    """A new game with events that were written down elsewhere: their numbers, keys and times stay.

    Its viewer key and its own times are new, and so is its id, if none is given. Must be called
    inside Database.write().
    Raises ValueError if the events are not numbered 1, 2, 3, … or a key comes twice, and as
    append().
    """
    require_write(session)
    connection = session.connection()
    game_id = game_id or random_game_id()
    viewer_key = random_key()
    columns = {
        "id": game_id,
        "notebook_id": notebook_id,
        "viewer_key": viewer_key,
        "viewer_digest": digest(viewer_key),
        "created_at": at,
        "updated_at": at,
        "last_number": 0,
        **columns_of_projection(projection),
    }
    connection.execute(GAME.insert(), columns)
    last = copy_records(session, game_id, records)
    if last:
        connection.execute(GAME.update().where(GAME.c.id == game_id), {"last_number": last})
    return _game(connection.execute(select(*_COLUMNS).where(GAME.c.id == game_id)).one())


def game_of_marker(session: Session, game_id: str, marker_id: str) -> GameRecord | None:
    """The game, if this marker may write in it and was not revoked; deleted ones too.

    One query: every page of a marker begins with it.
    """
    if not can_be_kept(game_id) or not can_be_kept(marker_id):
        return None
    keys = {"game_id": game_id, "marker_id": marker_id}
    row = session.connection().execute(_OF_MARKER, keys).first()
    return None if row is None else _game(row)


def game_of_viewer(session: Session, viewer_key: str) -> GameRecord | None:
    """The game that this key lets one look at; deleted ones too."""
    key = {"viewer_digest": digest(viewer_key)}
    row = session.connection().execute(_OF_VIEWER, key).first()
    if row is None:
        return None
    game = _game(row)
    return game if same_key(game.viewer_key, viewer_key) else None


def change_viewer_key(session: Session, game_id: str) -> None:
    """Give a game another viewer key; the one before lets nobody watch any more.

    Must be called inside Database.write().
    """
    require_write(session)
    viewer_key = random_key()
    session.connection().execute(
        GAME.update().where(GAME.c.id == game_id),
        {"viewer_key": viewer_key, "viewer_digest": digest(viewer_key)},
    )


def state_for_marker(db: Database, game_id: str, marker_id: str) -> State | None:
    """How far the game has come, if this marker may write in it; deleted ones too.

    Without a session: what was read of the game before may still be all there is.
    """
    if not can_be_kept(game_id) or not can_be_kept(marker_id):
        return None
    return _state(db.glance(_SEEN_BY_MARKER, {"game_id": game_id, "marker_id": marker_id}))


def state_for_viewer(db: Database, viewer_key: str) -> State | None:
    """How far the game has come that this key lets one look at, unless it was deleted.

    One row found by its index: all that a poll costs while nothing happens.
    """
    row = db.glance(_SEEN_BY_VIEWER, {"digest": digest(viewer_key)})
    if row is None or not same_key(row[4], viewer_key):
        return None
    return _state(row[:4])


def _state(row: tuple[Any, ...] | None) -> State | None:
    if row is None:
        return None
    game_id, last_number, updated_at, viewer_digest = row
    return State(game_id, last_number, moment(updated_at), viewer_digest)


def game_begun_with(session: Session, notebook_id: str, key: str) -> str | None:
    """The id of the notebook's game whose first event has this idempotency key, if there is one."""
    if not can_be_kept(key):
        return None
    wanted = {"notebook_id": notebook_id, "key": key}
    begun: str | None = session.connection().execute(_BEGUN_WITH, wanted).scalar()
    return begun


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
    """The games of a notebook, those with the latest event first.

    Only those `older` than a place in the list, or those next to it that are `newer`.

    Games that are neither archived nor deleted, or with `archived` those that are archived and not
    deleted, or with `deleted` all that are deleted. `search` keeps those in whose title or players'
    names each of its words occurs, whatever the case and the accents; `only` keeps one game.
    """
    words = folded(search)
    if len(words) > _LONGEST_SEARCH:  # no game is called that, and SQLite has limits of its own
        return []
    chosen = select(*_COLUMNS).where(GAME.c.notebook_id == notebook_id)
    if deleted:
        chosen = chosen.where(GAME.c.deleted_at.is_not(None))
    else:
        chosen = chosen.where(GAME.c.deleted_at.is_(None), GAME.c.archived == archived)
    if only is not None:
        chosen = chosen.where(GAME.c.id == only)
    for word in words.split():
        chosen = chosen.where(GAME.c.names.contains(word, autoescape=True))
    if newer is not None:
        chosen = chosen.where(_beyond(newer, is_newer=True))
        chosen = chosen.order_by(GAME.c.updated_at, GAME.c.id.desc())
    else:
        if older is not None:
            chosen = chosen.where(_beyond(older, is_newer=False))
        chosen = chosen.order_by(GAME.c.updated_at.desc(), GAME.c.id)
    chosen = chosen.limit(min(max(limit, 0), _LARGEST))
    found = [_game(row) for row in session.connection().execute(chosen).all()]
    return found if newer is None else found[::-1]


def _beyond(place: Place, *, is_newer: bool) -> ColumnElement[bool]:
    # The index finds the first row by what comes before the OR, and reads on from there.
    at, its_id = GAME.c.updated_at, GAME.c.id
    of: Any = place.at
    if place.at == UNREADABLE:  # sorted as it is stored, whatever that is
        stored = GAME.alias()
        of = select(stored.c.updated_at).where(stored.c.id == place.game_id).scalar_subquery()
    if is_newer:
        return and_(at >= of, or_(at > of, its_id < place.game_id))
    return and_(at <= of, or_(at < of, its_id > place.game_id))


def _game(row: Row[*tuple[Any, ...]]) -> GameRecord:
    return GameRecord(*row)


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
    """Write one event after number `base`, and with it what lists show of the game from now on.

    Whether the key has been used is for the caller to ask, in the same transaction. Must be called
    inside Database.write().

    Raises StaleBase; ValueError if the time is naive, the key is not 1–100 visible ASCII characters
    or the payload holds what JSON cannot (TypeError for some of it).
    """
    require_write(session)
    record = Record(base + 1, key, in_utc(at), marker_id, kind, json.loads(_as_json(payload)))
    event = columns_of_record(game_id, record)
    connection = session.connection()
    moved = connection.execute(
        GAME.update().where(GAME.c.id == game_id, GAME.c.last_number == base),
        {
            "last_number": record.number,
            "updated_at": record.at,
            **columns_of_projection(projection),
        },
    )
    if moved.rowcount != 1:
        raise StaleBase(f"Event {base} is not the last one of game {game_id}.")
    connection.execute(EVENT.insert(), event)
    _count(session, 1)
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


def folded(text: str) -> str:
    """The text as it is searched: without case, accents, and differences of spelling in Unicode.

    "İSTANBUL" and "istanbul" become the same, as do "ΝΊΚΟΣ" and "Νίκος", "Ａna" and "ana". White
    space becomes single spaces. Folding what is folded changes nothing.
    """
    spelt_out = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(letter for letter in spelt_out if not _is_mark(letter)).translate(_DOTLESS_I)
    return " ".join(kept.split())


def _is_mark(letter: str) -> bool:
    # Accents and vowel points; the two selectors that make a sign text or emoji; and halves of a
    # surrogate pair, which are no characters and which no database stores; nor does every one NUL.
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
    # ASCII only: half a surrogate pair, which JSON may spell and no database stores, stays spelt.
    return json.dumps(dict(payload), allow_nan=False, separators=(",", ":"))
