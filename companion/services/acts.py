"""Writing an act down: once, on the state that it was meant for, and only if it can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from companion.notebook.checks import settle
from companion.notebook.events import Entry, Event, NotPossible, Redone, Undone
from companion.notebook.replay import replay, with_entry
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record, to_record
from companion.services.books import Book, book_in, keep, open_book
from companion.store import Database, Projection, append, find_by_key, game_of_marker, now_in

Make = Callable[[ScoreSheet], Event]


class Conflict(Exception):
    """The act was meant for an older state of the game.

    ``book`` is the game as it stands; ``meanwhile`` the entries that the marker had not seen;
    ``meant`` the event that was to be written, if it could have been before them.
    """

    def __init__(self, book: Book, meanwhile: Sequence[Entry], meant: Event | None = None) -> None:
        super().__init__("The game has changed meanwhile.")
        self.book = book
        self.meanwhile = tuple(meanwhile)
        self.meant = meant


def write(
    db: Database,
    game_id: str,
    marker_id: str,
    *,
    base: int,
    key: str,
    make: Make,
    hand: int | None = None,
) -> tuple[Book, Entry]:
    """Write one event down, after entry ``base``; the book afterwards and the entry.

    ``make`` gives the event from the sheet that it was meant for; ``hand`` is the hand that its
    form says it is for. The same key with the same event is one act, however often it comes. Raises
    `NotFound`, `Conflict` if the game has changed since ``base`` or the key was used for something
    else, and `NotPossible` or an error of the rules if the event cannot be.

    What was entered for a hand that had not begun does not depend on how the hands before it end.
    Later changes to those are no conflict, as long as nobody else has written in that hand.
    """
    open_book(db, game_id, marker_id)  # read and replayed now, while nobody waits for it
    with db.write(game_id) as session:
        book = book_in(session, game_id, marker_id)
        known = find_by_key(session, game_id, key)
        if known is not None:
            return _again(book, known.number, make)
        last = book.record.last_number
        if base != last and not _is_untouched(book, base, marker_id, hand):
            meant = _meant(book, base, make) or (_meant(book, last, make) if hand else None)
            raise Conflict(book, book.since(base), meant)
        event = settle(make(book.sheet), book.sheet)
        if base != last and getattr(event, "hand", None) != hand:
            raise Conflict(book, book.since(base), event)
        kind, payload = to_record(event)
        from_record(kind, payload)  # what is kept must be readable: raises `Malformed`
        now = now_in(session)
        entry = Entry(last + 1, now, marker_id, event, key)
        sheet = with_entry(book.sheet, (*book.entries, entry))
        append(
            session,
            game_id,
            base=last,
            key=key,
            at=now,
            marker_id=marker_id,
            kind=kind,
            payload=payload,
            projection=project(sheet, now),
        )
        record = game_of_marker(session, game_id, marker_id)
        assert record is not None  # noqa: S101 (it was found above, in this transaction)
    after = Book(record, (*book.entries, entry), sheet)
    keep(after)  # only now: what is kept must have been committed
    return after, entry


def as_meant(book: Book, key: str) -> Book:
    """The book before the entry that this key has made already; as it is if it has made none.

    What comes once more, since its answer was lost, is about the game as it was at first.
    """
    made = next((entry.number for entry in book.entries if entry.key == key), 0)
    if made <= 1:
        return book  # there is no game before its beginning
    before = book.entries[: made - 1]
    return replace(book, entries=before, sheet=replay(before))


def sheet_with(book: Book, base: int, event: Event) -> ScoreSheet:
    """The sheet as it would be if the event had been written after entry ``base``, and no other."""
    before = book.entries[:base]
    return replay([*before, replace(book.entries[base], event=event)])


def _again(book: Book, number: int, make: Make) -> tuple[Book, Entry]:
    """The entry that a repeated key has made already, if it was for the same event."""
    entry = book.entries[number - 1]
    event = _meant(book, number - 1, make)
    if event != entry.event:
        raise Conflict(book, book.since(number - 1), event)
    return book, entry


def _is_untouched(book: Book, base: int, marker_id: str, hand: int | None) -> bool:
    """Return whether a hand began after entry ``base``, and nobody else has written in it."""
    if hand is None or not 1 <= base < len(book.entries):
        return False
    return replay(book.entries[:base]).hand.number < hand and all(
        entry.by == marker_id or 0 < _hand_of(entry.event, book) < hand
        for entry in book.since(base)
    )


def _hand_of(event: Event, book: Book) -> int:
    """Return the hand that an event was written in; 0 if it belongs to the whole game."""
    if isinstance(event, Undone | Redone):
        event = book.entries[event.act - 1].event
    return getattr(event, "hand", 0)


def _meant(book: Book, base: int, make: Make) -> Event | None:
    """Return the event that ``make`` gives after entry ``base``; None if it cannot be there."""
    try:
        before = replay(book.entries[:base])  # there is none before the start of a game
        return settle(make(before), before)
    except ValueError:
        return None


def project(sheet: ScoreSheet, now: datetime) -> Projection:
    """What lists show of a game, so that a list need not replay it."""
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
    """The event that takes the last act back. Raises `NotPossible` if there is none."""
    if sheet.can_undo is None:
        raise NotPossible("There is nothing to undo.")
    return Undone(sheet.can_undo.number)


def redo(sheet: ScoreSheet) -> Event:
    """The event that brings the last undone act back. Raises `NotPossible` if there is none."""
    if sheet.can_redo is None:
        raise NotPossible("There is nothing to redo.")
    return Redone(sheet.can_redo.number)
