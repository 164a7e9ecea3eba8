"""Make, change and show the seasons of a notebook, to markers and viewers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlmodel import Session, col, select

from companion.notebook.events import NotPossible
from companion.notebook.names import name_key
from companion.notebook.seasons import Evening, FinishedGame, Plan, check, evenings
from companion.rules.language import noted
from companion.services import NotFound
from companion.services.people import of_notebook, read_seats
from companion.store import (
    UNREADABLE_DAY,
    Database,
    GameRecord,
    MarkerRecord,
    SeasonRecord,
    SeatRow,
    digest,
    now_in,
    people as stored,
    random_id,
    viewers_link,
)

# The years that may be entered.
FIRST_DAY: Final = date(1900, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)
_PLAN: Final = TypeAdapter(Plan)


class DamagedSeason(Exception):
    """How a season is scored cannot be read."""


class Season(NamedTuple):
    """A season, how it is scored, and its evenings."""

    record: SeasonRecord
    plan: Plan
    evenings: list[Evening]


def seasons(db: Database, writer: MarkerRecord) -> list[SeasonRecord]:
    """Return the seasons of the marker's notebook, the one that began last first."""
    with db.read() as session:
        return stored.seasons_of(session, writer.notebook_id)


def season(db: Database, writer: MarkerRecord, season_id: str) -> Season:
    """Return a season of the marker's notebook. Raises `NotFound` and `DamagedSeason`."""
    with db.read() as session:
        return _load(session, of_notebook(session, writer, SeasonRecord, season_id))


def season_for_viewer(db: Database, key: str) -> Season:
    """Return the season that a viewers' key shows. Raises `NotFound` and `DamagedSeason`."""
    with db.read() as session:
        of_key = select(SeasonRecord).where(SeasonRecord.viewer_digest == digest(key))
        record = session.exec(of_key).first()
        if record is None:
            raise NotFound("season")
        return _load(session, record)


def read_plan(values: Mapping[str, Any]) -> Plan:
    """Return how a season is scored, from what was entered or saved. Raises `NotPossible`."""
    try:
        plan = _PLAN.validate_python(values)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        if field.endswith("_day"):
            says = noted("Enter the day as in 2026-01-31.")
            raise NotPossible(says, field.removesuffix("_day")) from None
        raise NotPossible("Enter whole numbers.", field) from None
    check(plan)
    return plan


def plan_of(record: SeasonRecord) -> Plan | None:
    """Return how a season is scored; None if what was saved of that is damaged."""
    if any(day is UNREADABLE_DAY for day in (record.first_day, record.last_day)):
        return None
    try:
        return read_plan(record.model_dump(warnings=False) | {"points": record.points.split()})
    except NotPossible:
        return None


def _load(session: Session, record: SeasonRecord) -> Season:
    plan = plan_of(record)
    if plan is None:
        raise DamagedSeason(f"Season {record.id} is damaged.")
    people = stored.people_of(session, record.notebook_id) if record.everybody else record.people
    names = {one.id: one.name for one in people if not one.hidden}
    # Local days begin up to a day before or after those in UTC, and last until six in the morning.
    first, last = max(plan.first_day, FIRST_DAY), min(plan.last_day or LAST_DAY, LAST_DAY)
    begin = datetime.combine(first, time(), UTC) - timedelta(days=1)
    end = datetime.combine(last, time(), UTC) + timedelta(days=3)
    rows = stored.finished_seats(
        session,
        col(GameRecord.notebook_id) == record.notebook_id,
        col(SeatRow.game) == plan.game,
        col(SeatRow.finished_at).between(begin, end),
    )
    games: dict[str, FinishedGame] = {}
    for game_id, at, played, person_id in read_seats(rows):
        game = games.setdefault(game_id, FinishedGame(at, []))
        game.seats.append((names.get(person_id, ""), played))
    return Season(record, plan, evenings(plan, games.values()))


# -- what a marker changes ------------------------------------------------------------------------


def save(
    db: Database, writer: MarkerRecord, plan: Plan, people: Collection[str], season_id: str = ""
) -> str:
    """Save how a season is scored, among these people or everybody if there are none.

    Returns its id; without ``season_id`` makes a new season. Raises `NotFound`, and `NotPossible`
    for one person alone, unknown people, the name of another season, and if nobody is chosen and
    none of the season's people is left: that must not come to mean everybody.
    """
    if len({*people}) == 1:
        raise NotPossible("Choose two people or more. If you choose nobody, all count.", "people")
    # Earlier versions took any year, so this is asked of what is entered, not of what is saved.
    for field, day in (("first", plan.first_day), ("last", plan.last_day or plan.first_day)):
        if not FIRST_DAY <= day <= LAST_DAY:
            raise NotPossible("Enter a year from 1900 to 2999.", field)
    points = " ".join(map(str, plan.points))
    values: dict[str, Any] = asdict(plan) | {"points": points, "everybody": not people}
    with db.write(writer.notebook_id) as session:
        others = stored.seasons_of(session, writer.notebook_id)
        if season_id:
            record = of_notebook(session, writer, SeasonRecord, season_id)
            others.remove(record)
            if not (people or record.everybody or record.people):
                raise NotPossible(
                    "None of those who were chosen has a game any more. Choose two people or more,"
                    " or make a new season for everybody.",
                    "people",
                )
            record.sqlmodel_update(values)
        else:
            values |= {"id": random_id(), "notebook_id": writer.notebook_id, **viewers_link()}
            record = SeasonRecord(created_at=now_in(session), **values)
            session.add(record)
        known = stored.people_of(session, writer.notebook_id)
        record.people = [one for one in known if one.id in people]
        if len(record.people) < len({*people}):
            raise NotPossible("Choose one of these people.", "people")
        if name_key(plan.name) in [name_key(other.name) for other in others]:
            raise NotPossible("Another season has this name.", "name")
        return record.id


def delete(db: Database, writer: MarkerRecord, season_id: str) -> None:
    """Delete a season. Its games stay. Raises `NotFound`."""
    with db.write(writer.notebook_id) as session:
        session.delete(of_notebook(session, writer, SeasonRecord, season_id))


def change_link(db: Database, writer: MarkerRecord, season_id: str, old: str) -> None:
    """Give a season another viewers' link; the old one stops working. Raises `NotFound`.

    ``old`` is the digest of the old link, so that a request that is sent twice changes it once.
    """
    with db.write(writer.notebook_id) as session:
        record = of_notebook(session, writer, SeasonRecord, season_id)
        if record.viewer_digest == old:
            record.sqlmodel_update(viewers_link())
