"""The people and seasons of a notebook, who has which seat in its games, and their figures there.

Deleted games do not count, but their seats keep their people.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, String, cast, select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select, update

from companion.store.models import GameRecord, NotebookRow, PersonRecord, SeasonRecord, SeatRow
from companion.store.notebooks import random_key

Rows = Sequence[Any]
# When a game was finished, or if it goes on, when its last event was written.
_PLAYED_AT: Final = func.coalesce(col(SeatRow.finished_at), col(GameRecord.updated_at))


def people_of(session: Session, notebook_id: str) -> list[PersonRecord]:
    """Return the people of a notebook, by name."""
    people = select(PersonRecord).where(PersonRecord.notebook_id == notebook_id)
    return [*session.exec(people.order_by(PersonRecord.name, PersonRecord.id))]


def seasons_of(session: Session, notebook_id: str) -> list[SeasonRecord]:
    """Return the seasons of a notebook, the one that began last first."""
    seasons = select(SeasonRecord).where(SeasonRecord.notebook_id == notebook_id)
    last_first = (col(SeasonRecord.first_day).desc(), col(SeasonRecord.created_at).desc())
    return [*session.exec(seasons.order_by(*last_first, SeasonRecord.id))]


def seats_changed(session: Session, notebook_id: str, left: Collection[str]) -> None:
    """Note that seats have changed, and delete the people among ``left`` who have no seat now.

    Figures that are kept in memory are then read again. Deleted people also leave their seasons.
    Call it after each change, inside Database.write(), as the only writer of the notebook.
    """
    session.get_one(NotebookRow, notebook_id).seats_key = random_key()
    seated = select(SeatRow.person_id).where(col(SeatRow.person_id).in_(left))
    id_ = col(PersonRecord.id)
    for person in session.exec(select(PersonRecord).where(id_.in_(left), id_.not_in(seated))):
        session.delete(person)
    session.flush()


def joined_games(session: Session, notebook_id: str) -> list[GameRecord]:
    """Return the games joined to people by name, the last first; none once a marker saw them."""
    until = session.get_one(NotebookRow, notebook_id).joined_until
    if until is None:
        return []
    games = select(GameRecord).where(GameRecord.notebook_id == notebook_id)
    games = games.where(GameRecord.created_at <= until, col(GameRecord.deleted_at).is_(None))
    return [*session.exec(games.order_by(col(GameRecord.updated_at).desc(), GameRecord.id))]


def seats_of(session: Session, game_id: str) -> list[SeatRow]:
    """Return the seats of a game as they are now, in the order of play."""
    seats = select(SeatRow).where(SeatRow.game_id == game_id).order_by(col(SeatRow.seat))
    return [*session.exec(seats.execution_options(populate_existing=True))]


def give_seats(session: Session, giver: str, taker: str, names: Collection[str]) -> None:
    """Give one person's seats under these names to another. Call it inside Database.write()."""
    seats = update(SeatRow).where(col(SeatRow.person_id) == giver, col(SeatRow.name).in_(names))
    session.exec(seats.values(person_id=taker))


def names_of(session: Session, person_id: str) -> list[str]:
    """Return the names under which a person has played, in deleted games too."""
    names = select(SeatRow.name).where(SeatRow.person_id == person_id).distinct()
    return sorted(session.exec(names))


def last_names(session: Session, notebook_id: str) -> Rows:
    """Return each name in a notebook's games with its ``person_id``, the one played last first."""
    pair = col(SeatRow.name), col(SeatRow.person_id)
    names = select_columns(*pair).join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    names = names.where(col(GameRecord.notebook_id) == notebook_id).group_by(*pair)
    return session.connection().execute(names.order_by(func.max(_PLAYED_AT).desc(), pair[0])).all()


# -- figures --------------------------------------------------------------------------------------


def _counted(*columns: Any) -> Any:
    """Select columns of the seats of all games that are not deleted."""
    seats = select_columns(*columns).select_from(SeatRow)
    seats = seats.join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    return seats.where(col(GameRecord.deleted_at).is_(None))


def places_of(session: Session, notebook_id: str) -> Rows:
    """Return how often each person of a notebook came in each place of each game.

    A row has a ``person_id``, ``game``, ``place``, ``players`` and ``times``. Games that are not
    over have no place.
    """
    group = [col(SeatRow.person_id), col(SeatRow.game), col(SeatRow.place), col(SeatRow.players)]
    rows = _counted(*group, func.count().label("times")).group_by(*group)
    is_person = col(SeatRow.person_id).is_not(None)
    rows = rows.where(col(GameRecord.notebook_id) == notebook_id, is_person)
    return session.connection().execute(rows).all()


def finished_seats(
    session: Session, *where: ColumnElement[bool], last_column: Any = SeatRow.person_id
) -> Rows:
    """Return the seats of finished games that meet these conditions, the last game first.

    A row has the game's id, when the game was over, the seat's ``played``, and ``last_column``.
    """
    seats = _counted(SeatRow.game_id, _PLAYED_AT, SeatRow.played, last_column)
    seats = seats.where(col(SeatRow.played).is_not(None), *where)
    in_order = seats.order_by(_PLAYED_AT.desc(), col(SeatRow.game_id))
    return session.connection().execute(in_order).all()


def finished_games(session: Session, person_id: str) -> Rows:
    """Return a person's seats as `finished_seats` does, with the other people in those games.

    They are the ids of those people and their places as one text, ``a1 2 b1 3``, or None.
    """
    other = aliased(SeatRow)
    place = col(other.person_id) + " " + cast(col(other.place), String)
    others = select_columns(func.aggregate_strings(place, " ")).where(
        col(other.game_id) == SeatRow.game_id, col(other.person_id) != person_id
    )
    own = col(SeatRow.person_id) == person_id
    return finished_seats(session, own, last_column=others.scalar_subquery())
