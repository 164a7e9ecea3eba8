"""The people and seasons of a notebook, who has which seat in its games, and what they did there.

Deleted games count nowhere, except that their seats keep their people.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, String, cast, select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select, update

from companion.store.models import GameRecord, NotebookRow, PersonRecord, SeasonRecord, SeatRow
from companion.store.notebooks import random_key

Rows = Sequence[Any]
# When somebody played in a game: once it is over, when its last hand was marked.
_PLAYED_AT: Final = func.coalesce(col(SeatRow.finished_at), col(GameRecord.updated_at))


def people_of(session: Session, notebook_id: str) -> list[PersonRecord]:
    """Return the people of a notebook, by name."""
    of = select(PersonRecord).where(PersonRecord.notebook_id == notebook_id)
    return [*session.exec(of.order_by(PersonRecord.name, PersonRecord.id))]


def seasons_of(session: Session, notebook_id: str) -> list[SeasonRecord]:
    """Return the seasons of a notebook, the one that began last first."""
    of = select(SeasonRecord).where(SeasonRecord.notebook_id == notebook_id)
    last = (col(SeasonRecord.first_day).desc(), col(SeasonRecord.created_at).desc())
    return [*session.exec(of.order_by(*last, SeasonRecord.id))]


def seats_changed(session: Session, notebook_id: str, left: Collection[str]) -> None:
    """Note that seats have changed, and delete those of the people ``left`` who have no seat now.

    Figures that are kept in memory are read again after it. The deleted leave their seasons, too.
    Call it after each change, inside Database.write(), as the only writer of the notebook.
    """
    session.get_one(NotebookRow, notebook_id).seats_key = random_key()
    seated = select(SeatRow.person_id).where(col(SeatRow.person_id).in_(left))
    its = col(PersonRecord.id)
    for one in session.exec(select(PersonRecord).where(its.in_(left), its.not_in(seated))):
        session.delete(one)
    session.flush()


def joined_games(session: Session, notebook_id: str) -> list[GameRecord]:
    """Return the games that were joined to people by name, unseen yet, the last one first."""
    until = session.get_one(NotebookRow, notebook_id).joined_until
    if until is None:
        return []
    of = select(GameRecord).where(GameRecord.notebook_id == notebook_id)
    of = of.where(GameRecord.created_at <= until, col(GameRecord.deleted_at).is_(None))
    return [*session.exec(of.order_by(col(GameRecord.updated_at).desc(), GameRecord.id))]


def seats_of(session: Session, game_id: str) -> list[SeatRow]:
    """Return the seats of a game as they are now, in the order of play."""
    of = select(SeatRow).where(SeatRow.game_id == game_id).order_by(col(SeatRow.seat))
    return [*session.exec(of.execution_options(populate_existing=True))]


def give_seats(session: Session, one: str, other: str, names: Collection[str]) -> None:
    """Give one person's seats under these names to another. Call it inside Database.write()."""
    of = update(SeatRow).where(col(SeatRow.person_id) == one, col(SeatRow.name).in_(names))
    session.exec(of.values(person_id=other))


def names_of(session: Session, person_id: str) -> list[str]:
    """Return the names under which a person has played, in deleted games too."""
    of = select(SeatRow.name).where(SeatRow.person_id == person_id).distinct()
    return sorted(session.exec(of))


def last_names(session: Session, notebook_id: str) -> Rows:
    """Return all names in a notebook's games, with whose they are, the one played last first."""
    names = col(SeatRow.name), col(SeatRow.person_id)
    of = select_columns(*names).join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    of = of.where(col(GameRecord.notebook_id) == notebook_id).group_by(*names)
    return session.connection().execute(of.order_by(func.max(_PLAYED_AT).desc(), names[0])).all()


# -- what people did ------------------------------------------------------------------------------


def _counted(*columns: Any) -> Any:
    """Select columns of the seats of all games that are not deleted."""
    of = select_columns(*columns).select_from(SeatRow)
    of = of.join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    return of.where(col(GameRecord.deleted_at).is_(None))


def places_of(session: Session, notebook_id: str) -> Rows:
    """Return how often each person of a notebook finished a game in which place.

    A row has a ``person_id``, ``game``, ``place``, ``players`` and ``times``. Games that are not
    over have no place.
    """
    what = [col(SeatRow.person_id), col(SeatRow.game), col(SeatRow.place), col(SeatRow.players)]
    of = _counted(*what, func.count().label("times")).group_by(*what)
    of = of.where(col(GameRecord.notebook_id) == notebook_id, col(SeatRow.person_id).is_not(None))
    return session.connection().execute(of).all()


def finished_seats(
    session: Session, *of: ColumnElement[bool], more: Any = SeatRow.person_id
) -> Rows:
    """Return these seats of finished games, the last game first.

    A row has the game's id, when it was over, what was done, and the id of who sat there, or
    ``more`` in its place.
    """
    seats = _counted(SeatRow.game_id, _PLAYED_AT, SeatRow.played, more)
    seats = seats.where(col(SeatRow.played).is_not(None), *of)
    in_order = seats.order_by(_PLAYED_AT.desc(), col(SeatRow.game_id))
    return session.connection().execute(in_order).all()


def finished_games(session: Session, person_id: str) -> Rows:
    """Return a person's seats as `finished_seats` does, with who else was there.

    That is the ids of the other people and their places as one text, ``a1 2 b1 3``, or None.
    """
    other = aliased(SeatRow)
    place = col(other.person_id) + " " + cast(col(other.place), String)
    beside = select_columns(func.aggregate_strings(place, " ")).where(
        col(other.game_id) == SeatRow.game_id, col(other.person_id) != person_id
    )
    its = col(SeatRow.person_id) == person_id
    return finished_seats(session, its, more=beside.scalar_subquery())
