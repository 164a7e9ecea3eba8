"""The games of a notebook and their events: create, find, list, append to and load them."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Tuple, bindparam, literal, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, or_, select, update

from companion.store.models import (
    UNREADABLE,
    EventRow,
    GameRecord,
    MarkerRecord,
    Place,
    Projection,
    UtcDateTime,
)
from companion.store.notebooks import can_be_kept, digest, random_id, viewers_link

_LONGEST_SEARCH = 200
_KEY = re.compile(r"[!-~]{1,100}")
# The Turkish dotless i: "I" folds to "i", and so must its small letter.
_DOTLESS_I = str.maketrans("ı", "i")

# Every page and poll runs one of these queries. They are built once: that takes longer than the
# database needs for the answer.
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
_OF_VIEWER = select(GameRecord).where(
    GameRecord.viewer_digest == bindparam("digest"), col(GameRecord.deleted_at).is_(None)
)
# Most polls find nothing new and run only this query. A column takes half as long as an object.
_NUMBER_OF_VIEWER = _OF_VIEWER.with_only_columns(col(GameRecord.last_number))


class StaleBase(Exception):
    """The event's number is not the next one of its game, or there is no such game."""


def create_game(
    session: Session,
    notebook_id: str,
    projection: Projection,
    at: datetime,
    events: Sequence[EventRow] = (),
    *,
    game_id: str | None = None,
) -> GameRecord:
    """Make a game, with a new id unless `game_id` is given.

    `events` are the events of an imported game, numbered 1, 2, 3, …; they keep their keys and
    times. Call it inside Database.write(). Raises ValueError if the projection holds half a
    surrogate pair.
    """
    game = GameRecord(
        id=game_id or random_id(),
        notebook_id=notebook_id,
        **viewers_link(),
        created_at=at,
        updated_at=at,
        last_number=len(events),
        **columns_of_projection(projection),
    )
    session.add(game)
    session.flush()  # its events refer to it
    for event in events:
        event.game_id = game.id
    session.add_all(events)
    session.flush()
    return _detached(session, game)


def game_of_marker(session: Session, game_id: str, marker_id: str) -> GameRecord | None:
    """Return the game, deleted or not, if this marker may write in it and was not revoked.

    This takes one query, because every page of a marker begins with it.
    """
    if not can_be_kept(game_id) or not can_be_kept(marker_id):
        return None
    keys = {"game_id": game_id, "marker_id": marker_id}
    game = session.exec(_OF_MARKER, params=keys).first()
    return None if game is None else _detached(session, game)


def game_of_viewer(session: Session, viewer_key: str) -> GameRecord | None:
    """Return the game that a viewer key shows, unless it was deleted."""
    game = session.exec(_OF_VIEWER, params={"digest": digest(viewer_key)}).first()
    return None if game is None else _detached(session, game)


def number_for_viewer(connection: Connection, viewer_key: str) -> int | None:
    """Return the number of the last entry of the game that `game_of_viewer` finds."""
    return connection.execute(_NUMBER_OF_VIEWER, {"digest": digest(viewer_key)}).scalar()


def games_begun_with(session: Session, notebook_id: str, key: str) -> list[str]:
    """Return the ids of the notebook's games whose first event has this idempotency key.

    There may be several imported ones. Those that are not deleted come first.
    """
    if not can_be_kept(key):
        return []
    games = select(GameRecord.id).join(EventRow, col(EventRow.game_id) == GameRecord.id)
    games = games.where(
        GameRecord.notebook_id == notebook_id, EventRow.number == 1, EventRow.key == key
    )
    return [*session.exec(games.order_by(col(GameRecord.deleted_at).is_not(None), GameRecord.id))]


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
    """Return at most `limit` games of a notebook, the games with the latest events first.

    With `older` or `newer`, only the games next to that place in the list. `archived` lists the
    archived games that are not deleted, `deleted` the deleted ones; without both it lists all other
    games. `search` finds games that have each of its words in the title or the players' names,
    ignoring case and accents. With `only`, a game's id, only that game.
    """
    words = folded(search.replace(",", " "))  # lists have commas between names
    if len(words) > _LONGEST_SEARCH:  # no title is so long, and SQLite has limits
        return []
    games = select(GameRecord).where(GameRecord.notebook_id == notebook_id)
    if deleted:
        games = games.where(col(GameRecord.deleted_at).is_not(None))
    else:
        games = games.where(col(GameRecord.deleted_at).is_(None), GameRecord.archived == archived)
    if only is not None:
        games = games.where(GameRecord.id == only)
    for word in words.split():
        games = games.where(col(GameRecord.names).contains(word, autoescape=True))
    order = (col(GameRecord.updated_at), col(GameRecord.id))
    if newer is not None:
        games = games.where(tuple_(*order) > _columns(newer)).order_by(*order)
    else:
        if older is not None:
            games = games.where(tuple_(*order) < _columns(older))
        games = games.order_by(*(column.desc() for column in order))
    found = [_detached(session, game) for game in session.exec(games.limit(limit))]
    return found if newer is None else found[::-1]


def _columns(place: Place) -> Tuple:
    """Return a place in a list as the two columns that the list is sorted by."""
    at: Any = literal(place.at, UtcDateTime)
    if place.at == UNREADABLE:  # the database sorts by the damaged value
        stored = aliased(GameRecord)
        at = select(stored.updated_at).where(stored.id == place.game_id).scalar_subquery()
    return tuple_(at, place.game_id)


def _detached(session: Session, game: GameRecord) -> GameRecord:
    """Detach a game from its session, so that threads can share it."""
    session.expunge(game)
    return game


def append(session: Session, event: EventRow, projection: Projection) -> EventRow:
    """Write the next event of a game, and what lists now show of the game; return the event.

    The caller first checks, in the same transaction, that the key is new. Call it inside
    Database.write(). Raises StaleBase if the event's number is not the next one.
    """
    columns = columns_of_projection(projection)
    updated = session.exec(
        update(GameRecord)
        .where(col(GameRecord.id) == event.game_id, col(GameRecord.last_number) == event.number - 1)
        .values(last_number=event.number, updated_at=event.at, **columns)
    )
    if updated.rowcount != 1:
        raise StaleBase(f"Event {event.number} is not the next one of game {event.game_id}.")
    session.add(event)
    session.flush()
    return event


def is_key(text: str) -> bool:
    """True if an event may have this idempotency key: 1 to 100 visible ASCII characters."""
    return _KEY.fullmatch(text) is not None


def load(session: Session, game_id: str) -> list[EventRow]:
    """Return the events of a game in order; none if there is no such game."""
    if not can_be_kept(game_id):
        return []
    events = select(EventRow).where(EventRow.game_id == game_id)
    return [*session.exec(events.order_by(col(EventRow.number)))]


def columns_of_projection(projection: Projection) -> dict[str, Any]:
    """Return the columns of a game that each event updates."""
    return projection._asdict() | {"names": folded(f"{projection.names} {projection.title}")}


def folded(text: str) -> str:
    """Return a text as searches compare it: without case, accents and variants of letters.

    "İSTANBUL" and "istanbul" become the same, as do "ΝΊΚΟΣ" and "Νίκος", "Ａna" and "ana". White
    space becomes single spaces. Folding a folded text changes nothing.
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
