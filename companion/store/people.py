"""The people of a notebook, whose each seat of its games is, and what they did there.

Games that were deleted count nowhere, except that their seats keep their people.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, func, insert, select, update

from companion.store.database import require_write
from companion.store.keys import can_be_kept, random_game_id
from companion.store.models import GameRecord, NotebookRow, PersonRecord, SeatRow

# When somebody played in a game: once it is over, when its last hand was marked.
_PLAYED_AT = func.coalesce(col(SeatRow.finished_at), col(GameRecord.updated_at))


def people_of(session: Session, notebook_id: str) -> list[PersonRecord]:
    """Return the people of a notebook, by name."""
    of = select(PersonRecord).where(PersonRecord.notebook_id == notebook_id)
    return [*session.exec(of.order_by(PersonRecord.name, PersonRecord.id))]


def person_of(session: Session, notebook_id: str, person_id: str) -> PersonRecord | None:
    """Return the person of a notebook with this id, None if there is none."""
    found = session.get(PersonRecord, person_id) if can_be_kept(person_id) else None
    return found if found and found.notebook_id == notebook_id else None


def add_person(session: Session, notebook_id: str, name: str, colour: str) -> PersonRecord:
    """Add a person to a notebook, and return them. Call it inside Database.write()."""
    require_write(session)
    added = PersonRecord(id=random_game_id(), notebook_id=notebook_id, name=name, colour=colour)
    session.add(added)
    session.flush()
    return added


def drop_unseated(session: Session, people: Collection[str]) -> None:
    """Delete those of these people who have no seat, who leave their seasons, too.

    Call it inside Database.write().
    """
    require_write(session)
    seated = select(SeatRow.person_id).where(col(SeatRow.person_id).in_(people))
    its = col(PersonRecord.id)
    for one in session.exec(select(PersonRecord).where(its.in_(people), its.not_in(seated))):
        session.delete(one)
    session.flush()


def joined_games(session: Session, notebook_id: str) -> list[GameRecord]:
    """Return the games that were joined to people by name, unseen yet, the last one first."""
    of = (
        select(GameRecord)
        .join(NotebookRow)
        .where(
            NotebookRow.id == notebook_id,
            GameRecord.created_at <= NotebookRow.joined_until,  # type: ignore[operator]
            col(GameRecord.deleted_at).is_(None),
        )
    )
    return [*session.exec(of.order_by(col(GameRecord.updated_at).desc(), GameRecord.id))]


# -- seats ----------------------------------------------------------------------------------------


def seats_of(session: Session, game_id: str) -> list[SeatRow]:
    """Return the seats of a game, in the order of play."""
    of = select(SeatRow).where(SeatRow.game_id == game_id)
    return [*session.exec(of.order_by(col(SeatRow.seat)))]


def replace_seats(session: Session, game_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store these rows as all the seats of a game. Call it inside Database.write()."""
    require_write(session)
    session.exec(delete(SeatRow).where(col(SeatRow.game_id) == game_id))
    session.connection().execute(insert(SeatRow), [{**row, "game_id": game_id} for row in rows])


def give_seats(session: Session, one: str, other: str, names: Collection[str]) -> None:
    """Give one person's seats under these names to another. Call it inside Database.write()."""
    require_write(session)
    of = update(SeatRow).where(col(SeatRow.person_id) == one, col(SeatRow.name).in_(names))
    session.exec(of.values(person_id=other))


def have_met(session: Session, one: str, other: str) -> bool:
    """True if two people sit in one game, deleted or not."""
    there = aliased(SeatRow)
    of = select(SeatRow.game_id).join(there, col(there.game_id) == SeatRow.game_id)
    both = of.where(SeatRow.person_id == one, there.person_id == other)
    return session.exec(both).first() is not None


def last_names(session: Session, notebook_id: str) -> list[tuple[str, str | None]]:
    """Return all names in a notebook's games, with whose they are, the one played last first."""
    of = (
        select_columns(col(SeatRow.name), col(SeatRow.person_id))
        .join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
        .where(col(GameRecord.notebook_id) == notebook_id)
        .group_by(col(SeatRow.name), col(SeatRow.person_id))
        .order_by(func.max(_PLAYED_AT).desc(), col(SeatRow.name))
    )
    return [(name, person_id) for name, person_id in session.connection().execute(of)]


# -- what people did ------------------------------------------------------------------------------


def _counted(*columns: Any) -> Any:
    """These columns of the seats of all games that are not deleted."""
    of = select_columns(*columns).join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    return of.where(col(GameRecord.deleted_at).is_(None))


def places_of(session: Session, notebook_id: str) -> Sequence[Row[Any]]:
    """Return how often each person of a notebook finished a game in which place, and when last.

    A row has a ``person_id``, ``game``, ``place``, ``players``, ``times`` and ``last_at``. Games
    that are not over have no place.
    """
    what = [col(SeatRow.person_id), col(SeatRow.game), col(SeatRow.place), col(SeatRow.players)]
    of = _counted(*what, func.count().label("times"), func.max(_PLAYED_AT).label("last_at"))
    of = of.where(col(GameRecord.notebook_id) == notebook_id, col(SeatRow.person_id).is_not(None))
    return session.connection().execute(of.group_by(*what)).all()


def names_of(session: Session, person_id: str) -> list[str]:
    """Return the names under which a person has played, in deleted games too."""
    of = select(SeatRow.name).where(SeatRow.person_id == person_id).distinct()
    return sorted(session.exec(of))


def sat(session: Session, person_id: str) -> Sequence[Row[str, datetime, str | None]]:
    """Return every seat of a person: its ``game_id``, ``at`` when, and what was ``played``.

    The last game comes first. Nothing is played until the game is over.
    """
    of = _counted(col(SeatRow.game_id), _PLAYED_AT.label("at"), col(SeatRow.played))
    of = of.where(col(SeatRow.person_id) == person_id)
    return session.connection().execute(of.order_by(_PLAYED_AT.desc(), col(SeatRow.game_id))).all()


def places_beside(session: Session, person_id: str) -> Sequence[Row[str, str, int, int]]:
    """Return the game's id, whose seat, the person's place and theirs, of all seats beside them.

    Only those of finished games that belong to somebody.
    """
    own, who = aliased(SeatRow), col(SeatRow.person_id)
    of = (
        _counted(col(SeatRow.game_id), who, col(own.place), col(SeatRow.place))
        .join(own, col(own.game_id) == SeatRow.game_id)
        .where(col(own.person_id) == person_id, who != person_id)
        .where(col(own.place) > 0, col(SeatRow.place) > 0)
    )
    return session.connection().execute(of).all()


def tables_of(session: Session, games: Sequence[str]) -> Sequence[Row[str, str | None]]:
    """Return what every seat of these games did, with the game's id, in the order of play."""
    of = select_columns(col(SeatRow.game_id), col(SeatRow.played))
    of = of.where(col(SeatRow.game_id).in_(games), col(SeatRow.played).is_not(None))
    return session.connection().execute(of.order_by(col(SeatRow.game_id), col(SeatRow.seat))).all()


def games_of(
    session: Session, person_id: str, games: Sequence[str]
) -> list[tuple[GameRecord, SeatRow]]:
    """Return these games of a person with their seat there, the last one first."""
    of = (
        select(GameRecord, SeatRow)
        .join(SeatRow, col(SeatRow.game_id) == GameRecord.id)
        .where(SeatRow.person_id == person_id, col(SeatRow.game_id).in_(games))
    )
    return [*session.exec(of.order_by(_PLAYED_AT.desc(), GameRecord.id))]


def people_at(session: Session, games: Sequence[str]) -> list[str]:
    """Return the names of the people in these games who are not hidden, each once.

    Those of the first game come first, in the order of play.
    """
    of = (
        select_columns(col(SeatRow.game_id), col(SeatRow.seat), col(PersonRecord.name))
        .join(PersonRecord)
        .where(col(SeatRow.game_id).in_(games), col(PersonRecord.hidden).is_(False))
    )
    at = {game_id: number for number, game_id in enumerate(games)}
    found = sorted((at[game], seat, name) for game, seat, name in session.connection().execute(of))
    return [*dict.fromkeys(name for _, _, name in found)]
