"""The game that is played again after another one: the same people and rules, the next one deals.

Its id follows from that of the game before. So a phone without a network has its pages before it is
begun, and it is begun once, however often and on however many phones that was asked for.
"""

from __future__ import annotations

from dataclasses import replace

from companion.notebook.checks import check_start
from companion.notebook.events import Entry, NotPossible
from companion.notebook.replay import replay
from companion.services.books import Book, book_in
from companion.services.games import begin, rematch
from companion.store import (
    Database,
    MarkerRecord,
    following_game_id,
    game_of_marker,
    list_games,
    state_for_marker,
)


def play_again(db: Database, writer: MarkerRecord, game_id: str, key: str) -> str:
    """Begin the game that follows on a game, unless it is begun; its id.

    Raises `NotFound` if the marker has no game of that id, and `NotPossible` or `Malformed` if none
    can follow on it.
    """
    following = following_game_id(game_id)
    with db.write(writer.notebook_id) as session:
        sheet = book_in(session, game_id, writer.id).sheet
        if game_of_marker(session, following, writer.id) is None:
            if sheet.deleted:
                raise NotPossible("This game is deleted. Restore it to play it again.")
            event = rematch(sheet)
            check_start(event)
            begin(session, writer, event, key, following)
    return following


def is_played_again(db: Database, marker_id: str, game_id: str) -> bool:
    """Whether the game that follows on a game is begun, in a notebook of the marker."""
    return state_for_marker(db, following_game_id(game_id), marker_id) is not None


def to_follow(book: Book) -> Book:
    """The game that follows on a game, as it is before it is begun: no entry of it is written."""
    start = Entry(0, book.record.updated_at, "", rematch(book.sheet), "")
    record = replace(
        book.record,
        id=following_game_id(book.record.id),
        viewer_key="",
        viewer_digest="",
        last_number=0,
    )
    return Book(record, (), replay([start]))


def is_newest(db: Database, writer: MarkerRecord, game_id: str) -> bool:
    """Whether nothing was written later in any other game that the marker keeps."""
    with db.read() as session:
        newest = list_games(session, writer.notebook_id, only=writer.game_id, limit=1)
    return [game.id for game in newest] == [game_id]
