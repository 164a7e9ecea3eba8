"""The seasons of a notebook: made, changed, and shown to markers and viewers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from operator import index
from typing import Any, NamedTuple

from sqlmodel import Session, col, select

from companion.notebook.events import NotPossible
from companion.notebook.names import same_name
from companion.notebook.seasons import Evening, Game, Plan, Seat, check, evenings
from companion.services import NotFound
from companion.services.people import of_notebook, read_played
from companion.store import (
    UNREADABLE,
    Database,
    GameRecord,
    MarkerRecord,
    SeasonRecord,
    SeatRow,
    digest,
    now_in,
    people as store,
    random_game_id,
    random_key,
    same_key,
)
from companion.store.models import UNREADABLE_DAY


class DamagedSeason(Exception):
    """What was saved of how a season is scored cannot be read."""


class Season(NamedTuple):
    """A season, how it is scored, and its evenings."""

    record: SeasonRecord
    plan: Plan
    evenings: list[Evening]


def seasons(db: Database, writer: MarkerRecord) -> list[SeasonRecord]:
    """Return the seasons of the marker's notebook, the one that began last first."""
    with db.read() as session:
        return store.seasons_of(session, writer.notebook_id)


def season(db: Database, writer: MarkerRecord, season_id: str) -> Season:
    """Return a season of the marker's notebook. Raises `NotFound` and `DamagedSeason`."""
    with db.read() as session:
        return _shown(session, of_notebook(session, writer, SeasonRecord, season_id))


def season_for_viewer(db: Database, key: str) -> Season:
    """Return the season that a viewers' key shows. Raises `NotFound` and `DamagedSeason`."""
    with db.read() as session:
        of_key = select(SeasonRecord).where(SeasonRecord.viewer_digest == digest(key))
        record = session.exec(of_key).first()
        if record is None or not same_key(record.viewer_key, key):
            raise NotFound("season")
        return _shown(session, record)


def record_of(db: Database, writer: MarkerRecord, season_id: str) -> SeasonRecord:
    """Return what is saved of a season of the notebook, damaged or not. Raises `NotFound`."""
    with db.read() as session:
        return of_notebook(session, writer, SeasonRecord, season_id)


def is_damaged(record: SeasonRecord) -> bool:
    """True if nobody can tell how a season is scored."""
    try:
        _plan(record)
    except DamagedSeason:
        return True
    return False


def _plan(record: SeasonRecord) -> Plan:
    """Return how a season is scored. Raises `DamagedSeason`."""
    columns: dict[str, Any] = {name: getattr(record, name) for name in Plan.__slots__}
    try:
        if any(one is UNREADABLE_DAY for one in columns.values()):
            raise ValueError("a day")
        points = tuple(map(int, record.points.split()))
        plan = Plan(**columns | {"points": points, "best": index(record.best)})  # no fraction
        check(plan)
    except (NotPossible, TypeError, ValueError) as error:
        raise DamagedSeason(f"Season {record.id} is damaged ({error}).") from error
    return plan


def _shown(session: Session, record: SeasonRecord) -> Season:
    plan = _plan(record)
    chosen = [one.id for one in record.people]
    names = {
        one.id: one.name
        for one in store.people_of(session, record.notebook_id)
        if not one.hidden and (record.everybody or one.id in chosen)
    }
    games: dict[str, Game] = {}
    for game_id, at, person_id, text in store.finished_seats(
        session,
        col(GameRecord.notebook_id) == record.notebook_id,
        col(SeatRow.game) == plan.game,
        store.played_within(plan.first_day, plan.last_day),
    ):
        for done in read_played(text) if at != UNREADABLE else ():
            game = games.setdefault(game_id, Game(game_id, at.astimezone(), []))
            whose = person_id if person_id in names else ""
            game.seats.append(Seat(whose, names.get(whose, ""), done.place, done.total))
    return Season(record, plan, evenings(plan, games.values()))


# -- what a marker changes ------------------------------------------------------------------------


def add(db: Database, writer: MarkerRecord, plan: Plan, people: Collection[str]) -> str:
    """Add a season among these people, or everybody if there are none; return its id.

    Raises `NotPossible`.
    """
    with db.write(writer.notebook_id) as session:
        key = random_key()
        record = SeasonRecord(
            id=random_game_id(),
            notebook_id=writer.notebook_id,
            viewer_key=key,
            viewer_digest=digest(key),
            created_at=now_in(session),
            **_columns(session, writer, plan, people),
        )
        session.add(record)
        return record.id


def change(
    db: Database, writer: MarkerRecord, season_id: str, plan: Plan, people: Collection[str]
) -> None:
    """Score a season otherwise or among others, or everybody if there are none.

    Raises `NotFound` and `NotPossible`, also if those who were chosen have lost all their seats and
    nobody else is chosen: the season would become everybody's unasked.
    """
    with db.write(writer.notebook_id) as session:
        record = of_notebook(session, writer, SeasonRecord, season_id)
        if not (people or record.everybody or record.people):
            raise NotPossible(
                "None of those who were chosen has a game any more. Choose two people or more, or "
                "make a new season for everybody.",
                "people",
            )
        for name, value in _columns(session, writer, plan, people, season_id).items():
            setattr(record, name, value)


def _columns(
    session: Session, writer: MarkerRecord, plan: Plan, people: Collection[str], season_id: str = ""
) -> dict[str, Any]:
    """Return the columns of a season that is scored so, and those who are chosen.

    Raises `NotPossible`, also for unknown people and the name of another season. A damaged one may
    have the name: a new season takes its place.
    """
    check(plan, people)
    chosen = [one for one in store.people_of(session, writer.notebook_id) if one.id in people]
    if len(chosen) < len({*people}):
        raise NotPossible("Choose one of these people.", "people")
    others = store.seasons_of(session, writer.notebook_id)
    names = [one.name for one in others if one.id != season_id and not is_damaged(one)]
    if same_name(plan.name) in map(same_name, names):
        raise NotPossible("Another season has this name.", "name")
    return {
        **asdict(plan),
        "points": " ".join(map(str, plan.points)),
        "everybody": not people,
        "people": chosen,
    }


def delete(db: Database, writer: MarkerRecord, season_id: str) -> None:
    """Delete a season. Its games stay. Raises `NotFound`."""
    with db.write(writer.notebook_id) as session:
        session.delete(of_notebook(session, writer, SeasonRecord, season_id))


def change_link(db: Database, writer: MarkerRecord, season_id: str, old: str) -> None:
    """Give a season another viewers' link; the old one stops working.

    ``old`` is the digest of the old link, so that a request that is sent twice changes it once.
    Raises `NotFound`.
    """
    with db.write(writer.notebook_id) as session:
        record = of_notebook(session, writer, SeasonRecord, season_id)
        if record.viewer_digest == old:
            record.viewer_key = random_key()
            record.viewer_digest = digest(record.viewer_key)
