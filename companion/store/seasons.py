"""The seasons of a notebook, who was chosen for them, and the seats that may count in one."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, delete, insert, select

from companion.store.database import now_in, require_write
from companion.store.keys import can_be_kept, digest, random_game_id, random_key, same_key
from companion.store.models import GameRecord, PersonRecord, SeasonPersonRow, SeasonRecord, SeatRow

# No game is earlier or later, and a day before or after them is still a day.
_EARLIEST: Final = date(1900, 1, 1)
_LATEST: Final = date(9000, 1, 1)


def seasons_of(session: Session, notebook_id: str) -> list[SeasonRecord]:
    """Return the seasons of a notebook, the one that began last first."""
    of = select(SeasonRecord).where(SeasonRecord.notebook_id == notebook_id)
    last = (col(SeasonRecord.first_day).desc(), col(SeasonRecord.created_at).desc())
    return [*session.exec(of.order_by(*last, SeasonRecord.id))]


def season_of(session: Session, notebook_id: str, season_id: str) -> SeasonRecord | None:
    """Return the season of a notebook with this id, None if there is none."""
    found = session.get(SeasonRecord, season_id) if can_be_kept(season_id) else None
    return found if found and found.notebook_id == notebook_id else None


def season_of_viewer(session: Session, viewer_key: str) -> SeasonRecord | None:
    """Return the season that a viewer key shows, None if there is none."""
    of_key = select(SeasonRecord).where(SeasonRecord.viewer_digest == digest(viewer_key))
    found = session.exec(of_key).first()
    return found if found and same_key(found.viewer_key, viewer_key) else None


def add_season(session: Session, notebook_id: str, columns: Mapping[str, Any]) -> SeasonRecord:
    """Add a season to a notebook, and return it. Call it inside Database.write()."""
    require_write(session)
    key = random_key()
    added = SeasonRecord(
        id=random_game_id(),
        notebook_id=notebook_id,
        viewer_key=key,
        viewer_digest=digest(key),
        created_at=now_in(session),
        **columns,
    )
    session.add(added)
    session.flush()  # those who are chosen for it name it
    return added


def delete_season(session: Session, season: SeasonRecord) -> None:
    """Delete a season. Call it inside Database.write()."""
    choose(session, season.id, ())
    session.delete(season)


def chosen_for(session: Session, season_id: str) -> list[PersonRecord]:
    """Return who was chosen for a season, by name."""
    of = select(PersonRecord).join(SeasonPersonRow).where(SeasonPersonRow.season_id == season_id)
    return [*session.exec(of.order_by(PersonRecord.name, PersonRecord.id))]


def choose(session: Session, season_id: str, people: Collection[str]) -> None:
    """Choose these people for a season, and no others. Call it inside Database.write()."""
    require_write(session)
    session.exec(delete(SeasonPersonRow).where(col(SeasonPersonRow.season_id) == season_id))
    if people:
        rows = [{"season_id": season_id, "person_id": one} for one in people]
        session.connection().execute(insert(SeasonPersonRow), rows)


def choose_beside(session: Session, person_id: str, other_id: str) -> None:
    """Choose a person for every season that another one is in. Call it inside Database.write()."""
    require_write(session)
    its = col(SeasonPersonRow.season_id)
    theirs = {*session.exec(select(its).where(SeasonPersonRow.person_id == other_id))}
    theirs -= {*session.exec(select(its).where(SeasonPersonRow.person_id == person_id))}
    session.add_all(SeasonPersonRow(season_id=one, person_id=person_id) for one in theirs)
    session.flush()


def finished_seats(
    session: Session, notebook_id: str, game: str, first: date, last: date | None
) -> Sequence[Any]:
    """Return the seats of a notebook's finished games of a kind that were not deleted.

    A seat has the game's id, when that ended, the person's id, name, and whether they are hidden,
    all three None for a guest, and what was played. There are those of these days, wherever in the
    world, and some of the days around them.
    """
    days = max(first, _EARLIEST), min(last or _LATEST, _LATEST)
    begin, end = (datetime.combine(day, time(), UTC) for day in days)
    at = col(SeatRow.finished_at)
    who = col(PersonRecord.id), col(PersonRecord.name), col(PersonRecord.hidden)
    of = (
        select_columns(col(SeatRow.game_id), at, *who, col(SeatRow.played))
        .join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
        .outerjoin(PersonRecord, col(PersonRecord.id) == SeatRow.person_id)
        .where(
            col(GameRecord.notebook_id) == notebook_id,
            col(GameRecord.deleted_at).is_(None),
            col(SeatRow.game) == game,
            at >= begin - timedelta(days=1),
            at < end + timedelta(days=3),
        )
    )
    return session.connection().execute(of).all()
