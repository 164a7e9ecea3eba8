"""A game opened for reading: its entries and the score sheet replayed from them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from sqlmodel import Session

from companion.notebook.events import Entry
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record
from companion.store import (
    UNREADABLE,
    Database,
    GameRecord,
    Record,
    State,
    game_of_marker,
    game_of_viewer,
    load,
    marker_labels,
    state_for_marker,
    state_for_viewer,
)


class NotFound(LookupError):
    """There is no such game for whoever asks, or no such part of it."""


class DamagedGame(Exception):
    """The entries of a game are not what was written; the message says what is wrong with them."""

    def __init__(self, record: GameRecord, says: str) -> None:
        """``record`` is the game's."""
        super().__init__(says)
        self.record = record


# What may come of damaged entries. What the database reports of itself is nothing of these.
_DAMAGE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Book:
    """A game as it stands: the stored record, every entry, and the sheet they come to.

    Shared between requests, so nothing in it may be changed.
    """

    record: GameRecord
    entries: tuple[Entry, ...]
    sheet: ScoreSheet

    def since(self, number: int) -> tuple[Entry, ...]:
        """The entries after a number."""
        return tuple(entry for entry in self.entries if entry.number > number)


class _Shelf:
    """The books that were opened last. An entry is never changed, so a book never gets stale:

    it is found by the state of its game, or not at all.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._books: OrderedDict[State, Book] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, state: State) -> Book | None:
        with self._lock:
            book = self._books.get(state)
            if book is not None:
                self._books.move_to_end(state)
            return book

    def keep(self, book: Book) -> None:
        with self._lock:
            self._books[book.record.state] = book
            while len(self._books) > self._size:
                self._books.popitem(last=False)


# A book is some 70 kB; more tables than these are seldom open at once in one house.
_SHELF: Final = _Shelf(64)


def keep(book: Book) -> None:
    """Keep a book that was just written in, for the page that follows."""
    _SHELF.keep(book)


def open_book(db: Database, game_id: str, marker_id: str) -> Book:
    """A game of the marker's notebook. Raises `NotFound` for every other."""
    state = state_for_marker(db, game_id, marker_id)
    if state is None:
        raise NotFound("game")
    known = _SHELF.find(state)
    if known is not None:
        return known
    with db.read() as session:
        return book_in(session, game_id, marker_id)


def viewed_number(db: Database, viewer_key: str) -> int | None:
    """The number of the last entry of the game that a viewer's key shows, read in one row.

    None for a wrong key or a deleted game.
    """
    state = state_for_viewer(db, viewer_key)
    return None if state is None else state.last_number


def open_for_viewer(db: Database, viewer_key: str) -> Book:
    """The game that a viewer's key shows. Raises `NotFound` for a wrong key or a deleted game."""
    state = state_for_viewer(db, viewer_key)
    known = None if state is None else _SHELF.find(state)
    if known is not None:
        return known
    with db.read() as session:
        record = game_of_viewer(session, viewer_key)
        if record is None or record.deleted_at is not None:
            raise NotFound("viewer")
        return _book(session, record)


def book_in(session: Session, game_id: str, marker_id: str) -> Book:
    """As `open_book`, within a transaction that is open already."""
    record = game_of_marker(session, game_id, marker_id)
    if record is None:
        raise NotFound("game")
    return _book(session, record)


def _book(session: Session, record: GameRecord) -> Book:
    known = _SHELF.find(record.state)
    if known is not None:
        return known
    # The record and its events are read in one transaction, which sees one moment of the store.
    book = read_book(session, record)
    _SHELF.keep(book)
    return book


def read_book(session: Session, record: GameRecord) -> Book:
    """Read a stored game from the database again. Raises `DamagedGame`."""
    try:
        entries = tuple(entry_of(one) for one in load(session, record.id))
        fault = _fault(entries, record.last_number)
        if not fault:
            return Book(record, entries, replay(entries))
    except _DAMAGE as error:
        raise DamagedGame(record, f"its sheet cannot be replayed ({error}).") from error
    raise DamagedGame(record, fault)


def _fault(entries: tuple[Entry, ...], last: int) -> str:
    for number, entry in enumerate(entries, start=1):
        if entry.number != number:
            return f"entry {number} is missing."
        if entry.at == UNREADABLE:
            return f"the time of entry {number} cannot be read."
    if len(entries) != last:
        return f"it has {len(entries)} entries, and should have {last}."
    return "" if entries else "it has no entries."


def entry_of(record: Record) -> Entry:
    """The entry that a stored record holds."""
    event = from_record(record.kind, record.payload)
    return Entry(record.number, record.at, record.marker_id, event, record.key)


def who_wrote(db: Database, book: Book) -> dict[str, str]:
    """The names of the markers of the book's notebook, by the id that their entries carry."""
    with db.read() as session:
        return marker_labels(session, book.record.notebook_id)
