"""The games of a notebook: created, found by those who may see them, listed and searched."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, or_, select
from sqlmodel import Session

from companion.store.database import Database, require_write
from companion.store.entries import columns_of_projection, copy_records
from companion.store.folding import folded
from companion.store.keys import can_be_kept, digest, random_game_id, random_key, same_key
from companion.store.records import GameRecord, Place, Projection, Record, State
from companion.store.tables import EVENT, GAME, MARKER, UNREADABLE, moment

_LARGEST = 2**31 - 1
_LONGEST_SEARCH = 200

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
    """Give a game another viewer key; the one before lets nobody look on any more.

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
