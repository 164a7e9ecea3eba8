"""The people of a notebook, whose each seat of its games is, and what they did there.

Games that were deleted count nowhere, except that their seats keep their people.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, case
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, func, insert, select, update

from companion.store.database import require_write
from companion.store.games import folded
from companion.store.keys import can_be_kept, random_game_id
from companion.store.models import GameRecord, NotebookRow, PersonRecord, SeasonPersonRow, SeatRow

# When somebody played in a game: once it is over, when its last hand was marked.
_PLAYED_AT = func.coalesce(col(SeatRow.finished_at), col(GameRecord.updated_at))


class Count(NamedTuple):
    """In how many games somebody has played, and when last."""

    games: int
    last_at: datetime


class Sat(NamedTuple):
    """A seat of somebody: the name there, when, and what they did, None until the game is over."""

    game_id: str
    name: str
    at: datetime
    played: str | None


class Versus(NamedTuple):
    """Another person, and in how many games somebody finished above, equal to and below them."""

    person_id: str
    name: str
    above: int
    equal: int
    below: int


class Ranked(NamedTuple):
    """A person in finished games of one kind.

    ``expected`` is how many wins chance gives: one over the number of players, summed up. ``place``
    is the average place, from 0 for first to 1 for last.
    """

    person_id: str
    name: str
    games: int
    wins: int
    expected: float
    place: float


def people_of(session: Session, notebook_id: str) -> list[PersonRecord]:
    """Return the people of a notebook, in the order of their ids."""
    of = select(PersonRecord).where(PersonRecord.notebook_id == notebook_id)
    return [*session.exec(of.order_by(PersonRecord.id))]


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
    for table, its in (
        (SeasonPersonRow, col(SeasonPersonRow.person_id)),
        (PersonRecord, col(PersonRecord.id)),
    ):
        session.exec(delete(table).where(its.in_(people), its.not_in(seated)))


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


def seat_numbers(session: Session, game_id: str) -> list[tuple[str, int | None]]:
    """Return each seat's name and the event that its figures were worked out for, in order."""
    of = select_columns(col(SeatRow.name), col(SeatRow.number)).where(
        col(SeatRow.game_id) == game_id
    )
    rows = session.connection().execute(of.order_by(col(SeatRow.seat))).all()
    return [(name, number) for name, number in rows]


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


def last_names(session: Session, notebook_id: str, name: str) -> list[tuple[str, str | None]]:
    """Return names in games with this one, with whose they are, the one played last first.

    Looks in the last thousand games that a search for the name would find.
    """
    words = (col(GameRecord.names).contains(one, autoescape=True) for one in folded(name).split())
    games = (
        select_columns(col(GameRecord.id), col(GameRecord.updated_at))
        .where(col(GameRecord.notebook_id) == notebook_id, *words)
        .order_by(col(GameRecord.updated_at).desc())
        .limit(1000)
        .subquery()
    )
    last = func.max(func.coalesce(col(SeatRow.finished_at), games.c.updated_at))
    of = (
        select_columns(col(SeatRow.name), col(SeatRow.person_id))
        .join(games, games.c.id == SeatRow.game_id)
        .group_by(col(SeatRow.name), col(SeatRow.person_id))
        .order_by(last.desc(), col(SeatRow.name))
    )
    return [(name, person_id) for name, person_id in session.connection().execute(of)]


# -- what people did ------------------------------------------------------------------------------


def _counted(*columns: Any) -> Select[Any]:
    """These columns of the seats of all games that are not deleted."""
    of = select_columns(*columns).join(GameRecord, col(GameRecord.id) == SeatRow.game_id)
    return of.where(col(GameRecord.deleted_at).is_(None))


def counts_of(session: Session, notebook_id: str) -> dict[str, Count]:
    """Return in how many games the people of a notebook have played, and when last, by id."""
    of = _counted(col(SeatRow.person_id), func.count(), func.max(_PLAYED_AT)).where(
        col(GameRecord.notebook_id) == notebook_id, col(SeatRow.person_id).is_not(None)
    )
    found = session.connection().execute(of.group_by(col(SeatRow.person_id)))
    return {person_id: Count(games, last_at) for person_id, games, last_at in found}


def games_played(session: Session, notebook_id: str) -> list[str]:
    """Return the ids of what was played to its end in a notebook, what most people played first."""
    of = _counted(col(SeatRow.game)).where(
        col(GameRecord.notebook_id) == notebook_id, col(SeatRow.game).is_not(None)
    )
    of = of.group_by(col(SeatRow.game)).order_by(func.count().desc(), col(SeatRow.game))
    return [*session.connection().execute(of).scalars()]


def ranked(session: Session, notebook_id: str, game: str, fewest: int) -> list[Ranked]:
    """Return everyone with so many finished games of a kind, the best average place first.

    Hidden people are not among them.
    """
    place, players = col(SeatRow.place), col(SeatRow.players)
    average = func.avg((place - 1.0) / (players - 1.0))
    of = (
        _counted(
            col(PersonRecord.id),
            col(PersonRecord.name),
            func.count(),
            func.sum(case((place == 1, 1), else_=0)),
            func.sum(1.0 / players),
            average,
        )
        .join(PersonRecord, col(PersonRecord.id) == SeatRow.person_id)
        .where(
            col(GameRecord.notebook_id) == notebook_id,
            col(SeatRow.game) == game,
            col(PersonRecord.hidden).is_(False),
        )
        .group_by(col(PersonRecord.id), col(PersonRecord.name))
        .having(func.count() >= fewest)
        .order_by(average, col(PersonRecord.name))
    )
    found = session.connection().execute(of)
    return [
        Ranked(person_id, name, games, wins, float(expected), float(place))
        for person_id, name, games, wins, expected, place in found
    ]


def names_of(session: Session, person_id: str) -> list[str]:
    """Return the names under which a person has played, in deleted games too."""
    of = select(SeatRow.name).where(SeatRow.person_id == person_id).distinct()
    return sorted(session.exec(of))


def sat(session: Session, person_id: str) -> list[Sat]:
    """Return every seat of a person, that of the last game first."""
    of = _counted(col(SeatRow.game_id), col(SeatRow.name), _PLAYED_AT, col(SeatRow.played)).where(
        col(SeatRow.person_id) == person_id
    )
    found = session.connection().execute(of.order_by(_PLAYED_AT.desc(), col(SeatRow.game_id)))
    return [Sat(*row) for row in found]


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


def games_with(session: Session, person_id: str, company: Sequence[str]) -> set[str]:
    """Return the ids of a person's games in which all of these people sat, too."""
    of = select(SeatRow.game_id).where(SeatRow.person_id == person_id, *_with(company))
    return {*session.exec(of)}


def tables_of(session: Session, games: Sequence[str]) -> list[tuple[str, str]]:
    """Return what every seat of these games did, with the game's id, in the order of play."""
    of = select_columns(col(SeatRow.game_id), col(SeatRow.played)).where(
        col(SeatRow.game_id).in_(games), col(SeatRow.played).is_not(None)
    )
    found = session.connection().execute(of.order_by(col(SeatRow.game_id), col(SeatRow.seat)))
    return [(game_id, played or "") for game_id, played in found]


def versus_of(session: Session, person_id: str, company: Sequence[str] = ()) -> list[Versus]:
    """Return how a person finished beside everyone who is not hidden, by their names.

    With ``company``, only in the games in which all of these people sat, too.
    """
    other = aliased(SeatRow)
    mine, theirs = col(SeatRow.place), col(other.place)
    of = (
        _counted(
            col(PersonRecord.id),
            col(PersonRecord.name),
            func.sum(case((mine < theirs, 1), else_=0)),
            func.sum(case((mine == theirs, 1), else_=0)),
            func.sum(case((mine > theirs, 1), else_=0)),
        )
        .join(other, (col(other.game_id) == SeatRow.game_id) & (col(other.seat) != SeatRow.seat))
        .join(PersonRecord, col(PersonRecord.id) == other.person_id)
        .where(
            col(SeatRow.person_id) == person_id,
            mine.is_not(None),
            col(PersonRecord.hidden).is_(False),
            *_with(company),
        )
        .group_by(col(PersonRecord.id), col(PersonRecord.name))
        .order_by(col(PersonRecord.name), col(PersonRecord.id))
    )
    return [Versus(*row) for row in session.connection().execute(of)]


def _with(company: Sequence[str]) -> list[ColumnElement[bool]]:
    """The conditions that each of these people sat in the game, too."""
    return [
        col(SeatRow.game_id).in_(select(SeatRow.game_id).where(SeatRow.person_id == one))
        for one in company
        if can_be_kept(one)
    ]


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
