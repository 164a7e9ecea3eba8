"""Begin, list, play again, check and repair the games of a notebook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from sqlalchemy import TextClause
from sqlmodel import Session, col, select

from companion import store
from companion.notebook.checks import check_start
from companion.notebook.events import Entry, GameStarted, NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import to_record
from companion.rules.games import GAMES
from companion.rules.language import isolated
from companion.services import NotFound, people
from companion.services.game_log import (
    DamagedGame,
    LoadedGame,
    append_entry,
    load_game_in,
    project,
    read_game,
)
from companion.store import UNREADABLE, Database, GameRecord, MarkerRecord, Place
from companion.store.games import columns_of_projection

PAGE = 50
EARLIER: Final = "Restore a backup from before that."
_COLUMN_FAULTS: Final = {
    "viewer_digest": "the lookup key of its viewers' link is wrong, so the link finds nothing",
    "created_at": "the time when it was made cannot be read",
    "updated_at": "the time of its last entry cannot be read",
}
_LIST_FAULT: Final = "the list of games shows something else"
_SEATS_FAULT: Final = "the stored figures of its players differ from its entries"


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list, from its stored summary."""

    id: str
    title: str
    updated_at: datetime
    last_number: int
    names: tuple[str, ...] = ()
    game: str = ""
    hand: int = 0
    hands: int = 0
    marked: int = 0
    over: bool = False
    totals: tuple[int, ...] = ()
    leaders: tuple[int, ...] = ()
    damaged: bool = False
    """True if the stored summary cannot be read; then the fields before are empty."""

    @property
    def name(self) -> str:
        """The title, or the players if it has none, in their order whatever the script."""
        return isolated(self.title) or ", ".join(map(isolated, self.names)) or "A damaged game"

    @property
    def place(self) -> Place:
        """Its place in the list."""
        return Place(self.updated_at, self.id)


class ListPage(NamedTuple):
    """One page of a list of games.

    ``newer`` is the place of its first line, None if no page comes before it; ``older`` is that of
    its last line, None if none comes after it.
    """

    lines: list[GameLine]
    newer: Place | None = None
    older: Place | None = None


@dataclass(eq=False)
class BegunAlready(Exception):
    """This key has already begun the game ``game_id``, with other people or rules."""

    game_id: str


def start_notebook(db: Database, label: str) -> MarkerRecord:
    """Make a notebook, and return its first marker."""
    with db.write("notebook") as session:
        return store.add_notebook(session, label, store.now_in(session))


def find_marker(db: Database, marker_id: str) -> MarkerRecord | None:
    """Return the marker with an id, revoked or not; None if it is unknown."""
    with db.read() as session:
        return store.any_marker(session, marker_id)


def start(db: Database, writer: MarkerRecord, event: GameStarted, key: str) -> str:
    """Begin a game and return its id. The same key in the same notebook begins only one game.

    Raises `NotPossible` or `Malformed` if the start is not possible, and `BegunAlready` if the key
    has begun another game.
    """
    check_start(event)
    kind, payload = to_record(event)
    with db.write(writer.notebook_id) as session:
        if games := store.games_begun_with(session, writer.notebook_id, key):
            first = store.load(session, games[0])[0]
            if (first.kind, json.loads(first.payload)) != (kind, payload):
                raise BegunAlready(games[0])
            return games[0]
        return _begin(session, writer, event, key)


def _begin(
    session: Session,
    writer: MarkerRecord,
    event: GameStarted,
    key: str,
    game_id: str | None = None,
) -> str:
    entry = Entry(1, store.now_in(session), writer.id, event, key)
    sheet = replay([entry])
    projection = project(sheet, entry.at)
    record = store.create_game(session, writer.notebook_id, projection, entry.at, game_id=game_id)
    append_entry(session, record.id, entry, sheet)
    return record.id


def lines(
    db: Database,
    writer: MarkerRecord,
    *,
    search: str = "",
    archived: bool = False,
    deleted: bool = False,
    older: Place | None = None,
    newer: Place | None = None,
) -> ListPage:
    """Return the first page of a marker's games, newest first, or the page next to a place."""
    with db.read() as session:
        records = store.list_games(
            session,
            writer.notebook_id,
            search=search,
            only=writer.game_id,
            archived=archived,
            deleted=deleted,
            limit=PAGE + 1,
            older=older,
            newer=newer,
        )
    if (newer and len(records) <= PAGE) or (older and not records):  # show the first page
        return lines(db, writer, search=search, archived=archived, deleted=deleted)
    if newer:
        records = records[-PAGE:]
    shown = [game_line(record) for record in records[:PAGE]]
    before = shown[0].place if shown and (older or newer) else None
    more = bool(newer) or len(records) > PAGE
    return ListPage(shown, before, shown[-1].place if more else None)


def game_line(record: GameRecord) -> GameLine:
    """Return a game's line in a list; a damaged one if its stored summary cannot be shown."""
    stored: object = record.title
    title = stored if isinstance(stored, str) else ""
    line = GameLine(record.id, title, record.updated_at, record.last_number, damaged=True)
    try:
        kept = json.loads(record.summary)
        known: dict[str, Any] = {
            name: kept[name] for name in ("game", "hand", "hands", "marked", "over")
        }
        known |= {name: tuple(kept[name]) for name in ("names", "totals", "leaders")}
        whole = replace(line, **known, damaged=False)
        return whole if title == stored and _can_be_shown(whole) else line
    except (LookupError, RecursionError, TypeError, ValueError):
        return line


def _can_be_shown(line: GameLine) -> bool:
    def are(kind: type, *values: Any) -> bool:
        return all(type(value) is kind for value in values)

    return (
        line.updated_at != UNREADABLE
        and are(str, *line.names)
        and line.game in GAMES
        and are(int, line.hand, line.hands, line.marked, *line.totals, *line.leaders)
        and are(bool, line.over)
        and len(line.totals) == len(line.names) > 0
        and bool(line.leaders or not (line.marked and GAMES[line.game].won_by.totals))
        and all(0 <= seat < len(line.names) for seat in line.leaders)
    )


def rematch(sheet: ScoreSheet) -> GameStarted:
    """Return the start of a game with the same people and rules. The next player deals first."""
    return GameStarted(
        game=sheet.game.id,
        sheet=sheet.house.sheet,
        rules=dict(sheet.house.values),
        names=tuple(sheet.names),
        first_dealer=(sheet.first_dealer + 1) % len(sheet.names),
        title="",
    )


def change_viewers_link(db: Database, game_id: str, marker_id: str, old: str) -> None:
    """Give a game another viewers' link; the old one stops working.

    ``old`` is the digest of the old link, so that a request that is sent twice changes it once.
    Raises `NotFound` if the marker has no such game.
    """
    with db.write(game_id) as session:
        record = store.game_of_marker(session, game_id, marker_id)
        if record is None:
            raise NotFound("game")
        if record.viewer_digest == old:
            session.get_one(GameRecord, game_id).sqlmodel_update(store.viewers_link())


def hand_of(loaded: LoadedGame, number: int) -> HandSheet:
    """Return the hand of that number. Raises `NotFound` if it has not begun."""
    if not 1 <= number <= len(loaded.sheet.hands):
        raise NotFound("hand")
    return loaded.sheet.hands[number - 1]


# -- the next game --------------------------------------------------------------------------------


def begin_next_game(db: Database, writer: MarkerRecord, game_id: str, key: str) -> str:
    """Begin the rematch of a game, unless it has begun; return its id.

    Raises `NotFound` if the marker has no such game, and `NotPossible` or `Malformed` if it cannot
    be played again.
    """
    next_id = store.next_game_id(game_id)
    with db.write(writer.notebook_id) as session:
        sheet = load_game_in(session, game_id, writer.id).sheet
        if store.game_of_marker(session, next_id, writer.id) is None:
            if sheet.deleted:
                raise NotPossible("This game is deleted. Restore it to play it again.")
            event = rematch(sheet)
            check_start(event)
            _begin(session, writer, event, key, next_id)
    return next_id


def has_next_game(db: Database, marker_id: str, game_id: str) -> bool:
    """True if the rematch of a game has begun and the marker may write in it."""
    next_id = store.next_game_id(game_id)
    with db.read() as session:
        return store.game_of_marker(session, next_id, marker_id) is not None


def next_viewer_key(db: Database, record: GameRecord) -> str:
    """Return the viewers' key of a game's rematch; empty if it has not begun."""
    with db.read() as session:
        begun = session.get(GameRecord, store.next_game_id(record.id))
    if begun is None or begun.notebook_id != record.notebook_id or begun.deleted_at:
        return ""
    return begun.viewer_key


def next_game(loaded: LoadedGame) -> LoadedGame:
    """Return the rematch of a game as it is before it begins, without any entry."""
    start = Entry(0, loaded.record.updated_at, "", rematch(loaded.sheet), "")
    new = {"id": store.next_game_id(loaded.record.id), "last_number": 0}
    new |= {"viewer_key": "", "viewer_digest": ""}
    record = GameRecord(**loaded.record.model_dump() | new)
    return LoadedGame(record, (), replay([start]), game_before=loaded.record.id)


def is_newest(db: Database, writer: MarkerRecord, game_id: str) -> bool:
    """True if this game is the first in the marker's list: it has the latest entry there."""
    with db.read() as session:
        newest = store.list_games(session, writer.notebook_id, only=writer.game_id, limit=1)
    return [game.id for game in newest] == [game_id]


# -- stored games that differ from their entries --------------------------------------------------


class Fault(NamedTuple):
    """Something wrong with a stored game.

    ``derived`` has the columns that are wrong, with the values that the entries give. ``sheet`` is
    None if the entries are damaged, so that nothing can be repaired.
    """

    game: GameRecord
    says: str
    derived: Mapping[str, object] = MappingProxyType({})
    sheet: ScoreSheet | None = None

    def __str__(self) -> str:
        name = self.game.title or self.game.names or "without a name"
        return f"Game {self.game.id} ({name}): {self.says}"


def faults(session: Session, *only: TextClause) -> Iterator[Fault | None]:
    """Replay every game, or ``only`` some, and yield its fault, None if it has none."""
    games = select(GameRecord).where(*only).order_by(col(GameRecord.created_at), GameRecord.id)
    return (fault_of(session, record) for record in session.exec(games).all())


def fault_of(session: Session, record: GameRecord) -> Fault | None:
    """Return what is wrong with a game, None if nothing is."""
    key: object = record.viewer_key
    if not isinstance(key, str):
        return Fault(record, f"the key of its viewers' link cannot be read. {EARLIER}")
    try:
        loaded = read_game(session, record)
    except DamagedGame as damage:
        return Fault(record, f"{damage} {EARLIER}")
    wrong = {
        name: value for name, value in _derived(loaded).items() if _differs(record, name, value)
    }
    says = dict.fromkeys(_COLUMN_FAULTS.get(name, _LIST_FAULT) for name in wrong)
    if people.seats_differ(session, record.id, loaded.sheet):
        says[_SEATS_FAULT] = None
    return Fault(record, f"{'; '.join(says)}.", wrong, loaded.sheet) if says else None


def repair_game(game_id: str, db: Database) -> None:
    """Store what follows from the entries of a game again, if it differs."""
    with db.write(game_id) as session:
        fault = fault_of(session, session.get_one(GameRecord, game_id))
        if fault and fault.sheet:
            fault.game.sqlmodel_update({**fault.derived})
            people.keep_seats(session, game_id, fault.sheet)


def _derived(loaded: LoadedGame) -> dict[str, object]:
    """Return the values of a game's columns that follow from its entries."""
    record, first, last = loaded.record, loaded.entries[0], loaded.entries[-1]
    deleted_at = record.deleted_at
    if deleted_at is None or deleted_at == UNREADABLE:
        deleted_at = last.at
    times = {"created_at": first.at, "updated_at": last.at}
    return {
        **columns_of_projection(project(loaded.sheet, deleted_at)),
        "viewer_digest": store.digest(record.viewer_key),
        **{name: at for name, at in times.items() if getattr(record, name) == UNREADABLE},
    }


def _differs(record: GameRecord, name: str, value: object) -> bool:
    if name != "summary":
        return bool(getattr(record, name) != value)
    if game_line(record).damaged and record.updated_at != UNREADABLE:
        return True
    stored, given = json.loads(record.summary), json.loads(str(value))
    # A later version may add keys, which an earlier one did not write.
    return any(stored[key] != given[key] for key in stored.keys() & given.keys())
