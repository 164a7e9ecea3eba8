"""Checks of a whole database: how much is in it, and whether each game is what its entries say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from sqlmodel import Session, col, func, or_, select

from companion.services.game_log import DamagedGame, LoadedGame, project, read_game
from companion.services.games import game_line
from companion.store import UNREADABLE, GameRecord, digest
from companion.store.games import columns_of_projection
from companion.store.models import EventRow, NotebookRow

_SAYS: Final = {
    "viewer_digest": "the lookup key of its viewers' link is wrong, so the link finds nothing",
    "created_at": "the time when it was made cannot be read",
    "updated_at": "the time of its last entry cannot be read",
}
_LISTED: Final = "the list of games shows it otherwise"


class Counts(NamedTuple):
    """How much is in a database."""

    notebooks: int
    games: int
    entries: int
    last_at: datetime | None
    """When the last entry was made, None if there is none."""


def count_all(session: Session) -> Counts:
    """Return how many notebooks, games and entries there are, and when the last one was made."""
    notebooks, games = (
        session.exec(select(func.count()).select_from(table)).one()
        for table in (NotebookRow, GameRecord)
    )
    entries, last_at = session.exec(select(func.count(), func.max(EventRow.at))).one()
    return Counts(notebooks, games, entries, last_at)


def every_game(session: Session) -> Iterator[GameRecord]:
    """Yield the games of every notebook, archived and deleted ones too."""
    at, its_id = col(GameRecord.created_at), col(GameRecord.id)
    yield from session.exec(select(GameRecord).order_by(at, its_id)).all()


def game_with_a_gap(session: Session) -> GameRecord | None:
    """Return a game whose entries are not numbered 1, 2, 3, … up to its last one, if any."""
    # No number comes twice or is below 1, so the last one says whether there are gaps.
    count, last = func.count(col(EventRow.number)), func.max(EventRow.number)
    of = (
        select(EventRow.game_id, count.label("n"), last.label("last"))
        .group_by(EventRow.game_id)
        .subquery()
    )
    uncounted = or_(of.c.n.is_(None), of.c.n != GameRecord.last_number, of.c.last != of.c.n)
    games = select(GameRecord).outerjoin(of, of.c.game_id == GameRecord.id)
    return session.exec(games.where(uncounted)).first()


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a game."""

    game: GameRecord
    says: str
    derived: Mapping[str, object] = field(default_factory=dict)
    """The columns that are wrong and follow from the entries; empty if the entries are damaged."""

    def __str__(self) -> str:
        name = self.game.title or self.game.names or "without a name"
        return f"Game {self.game.id} ({name}): {self.says}"


def faults(session: Session, looked_at: Callable[[int], None] = lambda _: None) -> Iterator[Fault]:
    """Replay every game, and yield a fault for each that is not what its entries come to.

    `looked_at` gets the number of games so far, after each.
    """
    for count, record in enumerate(every_game(session), start=1):
        fault = fault_of(session, record)
        if fault is not None:
            yield fault
        looked_at(count)


def fault_of(session: Session, record: GameRecord) -> Fault | None:
    """Return what is wrong with a game, None if nothing is."""
    key: object = record.viewer_key
    if not isinstance(key, str):
        return Fault(record, "the key of its viewers' link cannot be read.")
    try:
        loaded = read_game(session, record)
    except DamagedGame as damage:
        return Fault(record, str(damage))
    wrong = {
        name: value for name, value in _derived(loaded).items() if _differs(record, name, value)
    }
    says = dict.fromkeys(_SAYS.get(name, _LISTED) for name in wrong)
    return Fault(record, f"{'; '.join(says)}.", wrong) if wrong else None


def _derived(loaded: LoadedGame) -> dict[str, object]:
    """Return what the columns of a game should hold, as far as its entries tell."""
    record, first, last = loaded.record, loaded.entries[0], loaded.entries[-1]
    deleted_at = record.deleted_at
    if deleted_at is None or deleted_at == UNREADABLE:
        deleted_at = last.at
    times = {"created_at": first.at, "updated_at": last.at}
    return {
        **columns_of_projection(project(loaded.sheet, deleted_at)),
        "viewer_digest": digest(record.viewer_key),
        **{name: at for name, at in times.items() if getattr(record, name) == UNREADABLE},
    }


def _differs(record: GameRecord, name: str, value: object) -> bool:
    if name != "summary":
        return bool(getattr(record, name) != value)
    if game_line(record).damaged and record.updated_at != UNREADABLE:
        return True
    shown, told = json.loads(record.summary), json.loads(str(value))
    # What a later version says in addition is not there in what an earlier one wrote.
    return any(shown[key] != told[key] for key in shown.keys() & told.keys())
