"""The seasons of a notebook, and the seats that may count in one."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from companion.store.keys import can_be_kept, digest, same_key
from companion.store.models import GameRecord, PersonRecord, SeasonRecord, SeatRow

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
