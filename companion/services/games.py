"""Games of a notebook: begun, listed, found, played again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from companion.notebook.events import Entry, GameStarted
from companion.notebook.names import same_name
from companion.notebook.possible import check_start
from companion.notebook.records import to_record
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.services.acts import project
from companion.services.books import Book, NotFound
from companion.store import (
    Database,
    GameRecord,
    MarkerRecord,
    append,
    change_viewer_key,
    create_game,
    game_begun_with,
    game_of_marker,
    list_games,
    load,
    marker,
    now_in,
    open_notebook,
)

PAGE = 50


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list, from what was kept for lists."""

    id: str
    title: str
    names: tuple[str, ...]
    game: str
    hand: int
    hands: int
    marked: int
    over: bool
    totals: tuple[int, ...]
    leaders: tuple[int, ...]
    updated_at: datetime
    last_number: int

    @property
    def name(self) -> str:
        """The title, or who plays if it has none."""
        return self.title or ", ".join(self.names)


class BegunAlready(Exception):
    """The key of a setup began a game before, with other people or rules."""

    def __init__(self, game_id: str) -> None:
        """``game_id`` is the game that it began."""
        super().__init__(f"Game {game_id} was begun with this key.")
        self.game_id = game_id


def open_as_marker(db: Database, label: str) -> MarkerRecord:
    """A new notebook with its first marker."""
    with db.write("notebook") as session:
        return open_notebook(session, label, now_in(session))


def find_marker(db: Database, marker_id: str) -> MarkerRecord | None:
    """The marker with an id, or None if there is none (any more)."""
    with db.read() as session:
        return marker(session, marker_id)


def start(db: Database, writer: MarkerRecord, event: GameStarted, key: str) -> str:
    """Begin a game; its id. The same key from the same notebook begins one game only.

    Raises `NotPossible` or `Malformed` if no game can begin so, `BegunAlready` if the key began
    another game.
    """
    check_start(event)
    kind, payload = to_record(event)
    with db.write(writer.notebook_id) as session:
        known = game_begun_with(session, writer.notebook_id, key)
        if known is not None:
            first = load(session, known)[0]
            if (first.kind, first.payload) != (kind, payload):
                raise BegunAlready(known)
            return known
        return begin(session, writer, event, key)


def begin(
    session: Session,
    writer: MarkerRecord,
    event: GameStarted,
    key: str,
    game_id: str | None = None,
) -> str:
    """Begin a game that `check_start` lets pass, within a transaction that writes; its id.

    It has the id that is given, or else a new one.
    """
    kind, payload = to_record(event)
    now = now_in(session)
    sheet = replay([Entry(1, now, writer.id, event, key)])
    projection = project(sheet, now)
    record = create_game(session, writer.notebook_id, projection, now, game_id=game_id)
    append(
        session,
        record.id,
        base=0,
        key=key,
        at=now,
        marker_id=writer.id,
        kind=kind,
        payload=payload,
        projection=projection,
    )
    return record.id


def lines(
    db: Database,
    writer: MarkerRecord,
    *,
    search: str = "",
    archived: bool = False,
    deleted: bool = False,
    page: int = 0,
) -> tuple[list[GameLine], bool]:
    """One page of the games that a marker keeps, newest first, and whether there are more."""
    with db.read() as session:
        found = list_games(
            session,
            writer.notebook_id,
            search=search,
            only=writer.game_id,
            archived=archived,
            deleted=deleted,
            limit=PAGE + 1,
            offset=page * PAGE,
        )
    return [game_line(record) for record in found[:PAGE]], len(found) > PAGE


def game_line(record: GameRecord) -> GameLine:
    """A game's line in a list."""
    kept = json.loads(record.summary)
    return GameLine(
        record.id,
        record.title,
        tuple(kept["names"]),
        kept["game"],
        kept["hand"],
        kept["hands"],
        kept["marked"],
        kept["over"],
        tuple(kept["totals"]),
        tuple(kept["leaders"]),
        record.updated_at,
        record.last_number,
    )


def people(recent: Sequence[GameLine], most: int = 14) -> list[str]:
    """The people of the last games, those of last time first, each once."""
    known: dict[str, str] = {}
    for line in recent:
        for name in line.names:
            known.setdefault(same_name(name), name)
    return list(known.values())[:most]


def rematch(sheet: ScoreSheet) -> GameStarted:
    """The start of another game with the same people and rules; the next one deals first."""
    return GameStarted(
        game=sheet.game.id,
        sheet=sheet.house.sheet,
        rules=dict(sheet.house.values),
        names=tuple(sheet.names),
        first_dealer=(sheet.first_dealer + 1) % len(sheet.names),
        title="",
    )


def change_viewers_link(db: Database, game_id: str, marker_id: str, old: str) -> None:
    """Give a game another link for viewers; the one before shows nothing any more.

    ``old`` is the digest of the link that is to go: the same change that comes twice is one. Raises
    `NotFound` if the marker has no such game.
    """
    with db.write(game_id) as session:
        record = game_of_marker(session, game_id, marker_id)
        if record is None:
            raise NotFound("game")
        if record.viewer_digest == old:
            change_viewer_key(session, game_id)


def hand_of(book: Book, number: int) -> int:
    """The number of a hand that has begun. Raises `NotFound` for any other."""
    if not 1 <= number <= len(book.sheet.hands):
        raise NotFound("hand")
    return number
