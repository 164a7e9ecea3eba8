"""A game's entries: load and replay them, write each new one once, undo and redo."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlmodel import Session

from companion import store
from companion.notebook.checks import settle
from companion.notebook.events import Entry, Event, NotPossible, Redone, Undone
from companion.notebook.replay import replay, with_entry
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record, to_record
from companion.services import NotFound, people
from companion.store import DAMAGE, UNREADABLE, Database, EventRow, GameRecord, Projection


class DamagedGame(Exception):
    """The entries of a game are damaged; the message says what is wrong."""

    def __init__(self, record: GameRecord, says: str) -> None:
        """``record`` is the damaged game."""
        super().__init__(says)
        self.record = record


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game: its record, entries and score sheet. Requests share it, so change nothing in it."""

    record: GameRecord
    entries: tuple[Entry, ...]
    sheet: ScoreSheet
    game_before: str = ""
    """If the game has not begun, the id of the game before it."""

    def number_of(self, key: str) -> int:
        """Return the number of the entry with this idempotency key, 0 if there is none."""
        return next((entry.number for entry in self.entries if entry.key == key), 0)


# The games that were loaded last, by their ids. Entries never change, so a loaded game is up to
# date if its record is. A game takes about 70 kB, and a house seldom plays at more tables at once.
_CACHE: Final[dict[str, LoadedGame]] = {}
_MOST_KEPT = 64
_CACHE_LOCK: Final = threading.Lock()


def _put_in_cache(loaded: LoadedGame) -> None:
    with _CACHE_LOCK:
        _CACHE.pop(loaded.record.id, None)
        _CACHE[loaded.record.id] = loaded
        while len(_CACHE) > _MOST_KEPT:
            del _CACHE[next(iter(_CACHE))]


def load_game(db: Database, game_id: str, marker_id: str) -> LoadedGame:
    """Return a game in which the marker may write. Raises `NotFound` for any other."""
    with db.read() as session:
        return load_game_in(session, game_id, marker_id)


def load_game_in(session: Session, game_id: str, marker_id: str) -> LoadedGame:
    """Return a game as `load_game` does, in a transaction that is already open."""
    return _load(session, store.game_of_marker(session, game_id, marker_id))


def open_for_viewer(db: Database, viewer_key: str) -> LoadedGame:
    """Return the game that a viewer's key shows. Raises `NotFound` if it shows none."""
    with db.read() as session:
        return _load(session, store.game_of_viewer(session, viewer_key))


def viewed_number(db: Database, viewer_key: str) -> int | None:
    """Return the number of the last entry that a viewer's key shows; None if it shows no game."""
    with db.glance() as connection:
        return store.number_for_viewer(connection, viewer_key)


def _load(session: Session, record: GameRecord | None) -> LoadedGame:
    if record is None:
        raise NotFound("game")
    known = _CACHE.get(record.id)
    if known is not None and known.record == record:
        return known
    # One transaction reads the record and its events, so they are of the same moment.
    loaded = read_game(session, record)
    _put_in_cache(loaded)
    return loaded


def read_game(session: Session, record: GameRecord) -> LoadedGame:
    """Read and replay a stored game, without the cache. Raises `DamagedGame`."""
    try:
        entries = tuple(entry_of(one) for one in store.load(session, record.id))
        fault = _find_damage(entries, record.last_number)
        if not fault:
            return LoadedGame(record, entries, replay(entries))
    except DAMAGE as error:
        raise DamagedGame(record, f"its score sheet cannot be computed ({error}).") from error
    raise DamagedGame(record, fault)


def _find_damage(entries: tuple[Entry, ...], last: int) -> str:
    for number, entry in enumerate(entries, start=1):
        if entry.number != number:
            return f"entry {number} is missing."
        if entry.at == UNREADABLE:
            return f"the time of entry {number} cannot be read."
    if len(entries) != last:
        return f"it has {len(entries)} entries, and should have {last}."
    return "" if entries else "it has no entries."


def entry_of(row: EventRow) -> Entry:
    """Return the entry that a row holds."""
    event = from_record(row.kind, json.loads(row.payload))
    return Entry(row.number, row.at, row.marker_id, event, row.key)


def row_of(entry: Entry, game_id: str = "") -> EventRow:
    """Return the row in which an entry of a game is stored."""
    kind, payload = to_record(entry.event)
    return EventRow(
        game_id=game_id,
        number=entry.number,
        key=entry.key,
        at=entry.at,
        marker_id=entry.by,
        kind=kind,
        # ASCII only, so that half a surrogate pair, which no database stores, stays escaped.
        payload=json.dumps(payload, allow_nan=False, separators=(",", ":")),
    )


def who_wrote(db: Database, loaded: LoadedGame) -> dict[str, str]:
    """Return who wrote the entries, by the ids in them; imported ones have the name itself."""
    with db.read() as session:
        known = store.marker_labels(session, loaded.record.notebook_id)
    return {entry.by: known.get(entry.by, entry.by) for entry in loaded.entries}


Make = Callable[[ScoreSheet], Event]


@dataclass(eq=False)
class Conflict(Exception):
    """The action was meant for an older state of the game.

    ``loaded`` is the game now, ``meanwhile`` the entries that the marker had not seen, and
    ``meant`` the event that the marker wanted to write, None if it is not possible.
    """

    loaded: LoadedGame
    meanwhile: tuple[Entry, ...]
    meant: Event | None


def write(
    db: Database,
    game_id: str,
    marker_id: str,
    *,
    base: int,
    key: str,
    make: Make,
    hand: int | None = None,
) -> tuple[LoadedGame, Entry]:
    """Write one event after entry ``base``; return the game afterwards and the new entry.

    ``make`` returns the event for a score sheet; ``hand`` is the hand that the form was for. The
    same key with the same event is written once, however often it is sent. Raises `NotFound`,
    `Conflict` if the game has changed since ``base`` or the key belongs to another event, and
    `NotPossible` or an error of the rules if the event is not possible.

    An entry for a hand that had not begun does not depend on the hands before it. Changes to those
    are no conflict, as long as others have written nothing else.
    """
    load_game(db, game_id, marker_id)  # fill the cache before others have to wait for us
    with db.write(game_id) as session:
        loaded = load_game_in(session, game_id, marker_id)
        known = loaded.number_of(key)
        if known:  # the answer to the first try was lost
            entry, meant = loaded.entries[known - 1], _meant(loaded, known - 1, make)
            if meant != entry.event:
                raise Conflict(loaded, loaded.entries[known - 1 :], meant)
            return loaded, entry
        last = loaded.record.last_number
        if base != last and not _is_untouched(loaded, base, marker_id, hand):
            # At ``base`` the event is not possible if its hand had not begun.
            meant = _meant(loaded, base, make) or (_meant(loaded, last, make) if hand else None)
            raise Conflict(loaded, loaded.entries[base:], meant)
        event = settle(make(loaded.sheet), loaded.sheet)
        if base != last and getattr(event, "hand", None) != hand:
            raise Conflict(loaded, loaded.entries[base:], event)
        from_record(*to_record(event))  # raises `Malformed` if it could not be read again
        entry = Entry(last + 1, store.now_in(session), marker_id, event, key)
        entries = (*loaded.entries, entry)
        sheet = with_entry(loaded.sheet, entries)
        append_entry(session, game_id, entry, sheet)
        record = store.game_of_marker(session, game_id, marker_id)
        assert record is not None  # noqa: S101 (this transaction found it above)
    after = LoadedGame(record, entries, sheet)
    _put_in_cache(after)  # only now that it is committed
    return after, entry


def append_entry(session: Session, game_id: str, entry: Entry, sheet: ScoreSheet) -> None:
    """Store an entry, what lists show of the game after it, and who sits in its seats."""
    store.append(session, row_of(entry, game_id), project(sheet, entry.at))
    if people.seats_differ(session, game_id, sheet):
        people.keep_seats(session, game_id, sheet)


def as_first_sent(loaded: LoadedGame, key: str) -> LoadedGame:
    """Return the game as it was when the form with this key was first sent.

    If the answer was lost, the form is sent again, and its entry is there already. The form is
    about the game before that entry.
    """
    made = loaded.number_of(key)
    if made <= 1:
        return loaded  # there is no game before its first entry
    before = loaded.entries[: made - 1]
    return replace(loaded, entries=before, sheet=replay(before))


def _is_untouched(loaded: LoadedGame, base: int, marker_id: str, hand: int | None) -> bool:
    """True if a hand began after entry ``base``, and others wrote only in hands before it since."""
    if hand is None or not 1 <= base < len(loaded.entries):
        return False
    return replay(loaded.entries[:base]).hand.number < hand and all(
        entry.by == marker_id or 0 < _hand_of(entry.event, loaded) < hand
        for entry in loaded.entries[base:]
    )


def _hand_of(event: Event, loaded: LoadedGame) -> int:
    """Return the hand that an event was written in; 0 if it belongs to the whole game."""
    if isinstance(event, Undone | Redone):
        event = loaded.entries[event.act - 1].event
    return getattr(event, "hand", 0)


def _meant(loaded: LoadedGame, base: int, make: Make) -> Event | None:
    """Return the event that ``make`` gives after entry ``base``; None if it is not possible."""
    try:
        before = replay(loaded.entries[:base])  # raises before the start of the game
        return settle(make(before), before)
    except ValueError:
        return None


def project(sheet: ScoreSheet, now: datetime) -> Projection:
    """Return what lists show of a game, so that they need not replay it."""
    summary = {
        "game": sheet.game.id,
        "names": sheet.names,
        "hand": sheet.hand.number,
        "hands": sheet.game.hands,
        "marked": len(sheet.marked),
        "over": sheet.over,
        "totals": [sheet.total(player) for player in sheet.players],
        "leaders": sheet.leaders(),
    }
    return Projection(
        title=sheet.title,
        names=" ".join(sheet.names),
        summary=json.dumps(summary, ensure_ascii=False),
        archived=sheet.archived,
        deleted_at=now if sheet.deleted else None,
    )


def undo(sheet: ScoreSheet) -> Event:
    """Return the event that undoes the last action. Raises `NotPossible` if there is none."""
    if sheet.can_undo is None:
        raise NotPossible("There is nothing to undo.")
    return Undone(sheet.can_undo.number)


def redo(sheet: ScoreSheet) -> Event:
    """Return the event that redoes the last undone one. Raises `NotPossible` if there is none."""
    if sheet.can_redo is None:
        raise NotPossible("There is nothing to redo.")
    return Redone(sheet.can_redo.number)
