"""The people of a notebook: who sits where in its games, and what markers can change about it.

Each name in a game is joined to a person: the one of that name; else the one who last played under
it, or a guest if a guest did; else the one whose name differs only in accents; else a new person.
No two people of a notebook have the same name, and nobody sits twice in a game.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import count, product
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlmodel import Session, col, delete, select

from companion.notebook import figures
from companion.notebook.events import NotPossible
from companion.notebook.figures import FEWEST, Finished, Played, Ranks
from companion.notebook.names import LONGEST_NAME, characters, check_name, name_key, unaccented
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.games import GAMES
from companion.rules.language import noted
from companion.services import NotFound
from companion.store import (
    UNREADABLE,
    Database,
    GameRecord,
    MarkerRecord,
    PersonRecord,
    SeasonRecord,
    SeatRow,
    lock_notebook,
    people as stored,
    random_id,
)
from companion.store.models import NotebookRow
from companion.store.notebooks import can_be_kept

COLOURS: Final = ("red", "blue", "green", "orange", "violet", "teal", "pink", "brown")
NEW: Final = "new"
"""Stands for a new person. No id is so short."""
# The games of this many people, those shown last, stay in memory: it takes half a second or more to
# read 20,000 games, and 23 MB to keep them.
_MOST_IN_MEMORY: Final = 5
_PLAYED: Final = TypeAdapter(Played)
_PLACE: Final = re.compile(r"(\w+) (\d+)")

Owned = TypeVar("Owned", GameRecord, PersonRecord, SeasonRecord)


def of_notebook(session: Session, writer: MarkerRecord, kind: type[Owned], id_: str) -> Owned:
    """Return the record with this id in the marker's notebook. Raises `NotFound`."""
    record = session.get(kind, id_) if can_be_kept(id_) else None
    if record is None or record.notebook_id != writer.notebook_id:
        raise NotFound(kind.__tablename__)
    return record


# -- keeping the seats of a game ------------------------------------------------------------------


def keep_seats(session: Session, game_id: str, sheet: ScoreSheet) -> None:
    """Store who sits in each seat of a game and, once it is over, what they did in it.

    Each seat keeps its person; one whose name has changed is joined to a person again. Call it
    inside Database.write() of the game or its notebook.
    """
    notebook_id = session.get_one(GameRecord, game_id).notebook_id
    lock_notebook(session, notebook_id)
    kept = stored.seats_of(session, game_id)
    whose = _people_of_seats(session, notebook_id, sheet.names, kept)
    left = {row.person_id for row in kept if row.person_id} - {*whose.values()}
    session.exec(delete(SeatRow).where(col(SeatRow.game_id) == game_id))
    for at, seat in enumerate(figures.seats(sheet)):
        session.add(SeatRow(game_id=game_id, seat=at, person_id=whose[at], **seat))
    stored.seats_changed(session, notebook_id, left)


def seats_differ(session: Session, game_id: str, sheet: ScoreSheet) -> bool:
    """True if the stored seats of a game are not what its entries give, or lack their person."""
    rows = stored.seats_of(session, game_id)
    ids = {row.person_id for row in rows if row.person_id}
    existing = session.exec(select(PersonRecord.id).where(col(PersonRecord.id).in_(ids))).all()
    not_derived = {"game_id", "seat", "person_id"}
    columns = [row.model_dump(exclude=not_derived, warnings=False) for row in rows]
    return columns != figures.seats(sheet) or len(existing) < len(ids)


def _people_of_seats(
    session: Session, notebook_id: str, names: Sequence[str], kept: Sequence[SeatRow]
) -> dict[int, str | None]:
    """Return each seat's person id, None for a guest; a seat with its old name keeps its person."""
    called = [(one.name, one.id) for one in stored.people_of(session, notebook_id)]
    known = {None, *(id_ for _name, id_ in called)}
    whose: dict[int, str | None] = {}

    def join(seats: Iterable[int], rows: stored.Rows, key: Callable[[str], str] = name_key) -> None:
        """Give each seat to the first person in the rows who has its name, and no seat yet."""
        for seat, (name, id_) in product(seats, rows):
            is_free = id_ in known and (id_ is None or id_ not in whose.values())
            is_text = isinstance(name, str)  # else it is damaged
            if seat not in whose and is_free and is_text and key(name) == key(names[seat]):
                whose[seat] = id_

    every = range(len(names))
    for row in kept:
        if row.seat in every:
            join([row.seat], [(row.name, row.person_id)])
    join(every, called)
    if len(whose) < len(names):
        join(every, stored.last_names(session, notebook_id))
        join(every, called, unaccented)
    for seat, name in enumerate(names):
        if seat not in whose:
            whose[seat] = _new_person(session, notebook_id, name).id
    return whose


def _new_person(session: Session, notebook_id: str, name: str) -> PersonRecord:
    """Add a person of this name, or with a number behind it, in one of the rarest colours."""
    people = stored.people_of(session, notebook_id)
    called = {name_key(person.name) for person in people}
    used = [person.colour for person in people]
    free, numbers = name, count(2)
    while name_key(free) in called:
        ending = f" {next(numbers)}"
        free = "".join(characters(name)[: LONGEST_NAME - len(ending)]).rstrip() + ending
    colour = min(COLOURS, key=used.count)
    new = PersonRecord(id=random_id(), notebook_id=notebook_id, name=free, colour=colour)
    session.add(new)
    session.flush()
    return new


# -- what the pages show --------------------------------------------------------------------------


class People(NamedTuple):
    """The people of a notebook, those with the most games first, the hidden ones too.

    ``counts`` has the number of games of each, by id. ``joined`` are older games that were joined
    to people by name, which no marker has looked at. ``games`` are the ids of the games that were
    played to the end, ``game`` the one to show, ``best`` the people with `FEWEST` or more of it.
    """

    everybody: list[PersonRecord]
    counts: Counter[str]
    joined: list[GameRecord]
    games: list[str]
    game: str
    best: list[tuple[PersonRecord, Ranks]]


class Person(NamedTuple):
    """A person, the names in their games, and their finished games, the last one first.

    A hidden person has no games here. ``others`` has the names of all who are not hidden, by id.
    """

    record: PersonRecord
    names: list[str]
    played: list[Finished]
    others: dict[str, str]


def people(db: Database, writer: MarkerRecord, game: str = "") -> People:
    """Return the people of the marker's notebook, and the best at a game or the most played one."""
    with db.read() as session:
        known = stored.people_of(session, writer.notebook_id)
        rows = stored.places_of(session, writer.notebook_id)
        joined = stored.joined_games(session, writer.notebook_id)
    counts, played = Counter[str](), Counter[str]()
    ended: defaultdict[tuple[str, str], dict[tuple[int, int], int]] = defaultdict(dict)
    for row in rows:
        counts[row.person_id] += row.times
        # Before a game is over its seats have no place.
        if row.game in GAMES and row.place and (row.players or 0) > 1:
            played[row.game] += row.times
            ended[row.game, row.person_id][row.place, row.players] = row.times
    kinds = sorted(played, key=lambda one: (-played[one], one))
    chosen = game if game in kinds else next(iter(kinds), "")
    known.sort(key=lambda one: -counts[one.id])
    ranked = [(one, figures.ranks(ended[chosen, one.id])) for one in known if not one.hidden]
    best = [one for one in ranked if one[1].games >= FEWEST]
    best.sort(key=lambda one: (one[1].place, one[0].name))
    return People(known, counts, joined, kinds, chosen, best)


def people_at(db: Database, games: Sequence[str]) -> list[str]:
    """Return the names of people in these games, in their order, each once; no hidden ones."""
    seats = select(SeatRow.game_id, PersonRecord.name).join(PersonRecord)
    seats = seats.where(col(SeatRow.game_id).in_(games), col(PersonRecord.hidden).is_(False))
    with db.read() as session:
        found = session.exec(seats.order_by(col(SeatRow.seat))).all()
    return [*dict.fromkeys(name for game in games for game_id, name in found if game_id == game)]


def person(db: Database, writer: MarkerRecord, person_id: str) -> Person:
    """Return a person and their finished games. Raises `NotFound`."""
    with db.read() as session:
        record = of_notebook(session, writer, PersonRecord, person_id)
        key = session.get_one(NotebookRow, writer.notebook_id).seats_key
        known = stored.people_of(session, writer.notebook_id)
        names = stored.names_of(session, person_id)
    return Person(
        record=record,
        names=names,
        played=[] if record.hidden else _finished_games(db, person_id, key),
        others={other.id: other.name for other in known if not other.hidden},
    )


@lru_cache(maxsize=_MOST_IN_MEMORY)
def _finished_games(db: Database, person_id: str, _seats_key: str | None) -> list[Finished]:
    """Return a person's finished games, which are read again after seats change.

    Requests share the list: change nothing in it.
    """
    with db.read() as session:
        seats = stored.finished_games(session, person_id)
    return [
        Finished(id_, at, seat, {of: int(place) for of, place in _PLACE.findall(beside or "")})
        for id_, at, seat, beside in read_seats(seats)
    ]


def played_in(db: Database, games: Collection[str]) -> dict[str, list[Played]]:
    """Return what every seat did in each of these finished games, by the games' ids."""
    by_game: dict[str, list[Played]] = {}
    with db.read() as session:
        rows = stored.finished_seats(session, col(SeatRow.game_id).in_(games))
    for game, _at, played, _person in read_seats(rows):
        by_game.setdefault(game, []).append(played)
    return by_game


def read_seats(rows: stored.Rows) -> Iterator[tuple[str, datetime, Played, Any]]:
    """Yield rows of finished seats, with local times and each `Played` read from its text.

    Leaves out damaged rows, which the doctor finds.
    """
    for game, at, text, more in rows:
        try:
            played = _PLAYED.validate_json(text, strict=True)
        except ValidationError:
            continue
        if played.is_sound and at != UNREADABLE:
            yield game, at.astimezone(), played, more


def seats_at(
    db: Database, writer: MarkerRecord, game_id: str
) -> tuple[GameRecord, list[SeatRow], list[PersonRecord]]:
    """Return a game, its seats, and all people of its notebook by name. Raises `NotFound`."""
    with db.read() as session:
        game = of_notebook(session, writer, GameRecord, game_id)
        known = stored.people_of(session, writer.notebook_id)
        return game, stored.seats_of(session, game_id), known


# -- what a marker changes ------------------------------------------------------------------------


def dismiss_joined(db: Database, writer: MarkerRecord) -> None:
    """Store that the marker has looked at how older games were joined to people."""
    with db.write(writer.notebook_id) as session:
        session.get_one(NotebookRow, writer.notebook_id).joined_until = None


def change(
    db: Database, writer: MarkerRecord, person_id: str, name: str, colour: str, *, hidden: bool
) -> None:
    """Set a person's name and colour, and whether they are left out of all figures and lists.

    Raises `NotFound`, and `NotPossible` for an impossible or taken name, or an unknown colour.
    """
    with db.write(writer.notebook_id) as session:
        record = of_notebook(session, writer, PersonRecord, person_id)
        known = stored.people_of(session, writer.notebook_id)
        check_name(name, [other.name for other in known if other is not record], "name")
        if colour not in COLOURS:
            raise NotPossible("Choose one of the colours.", "colour")
        record.name, record.colour, record.hidden = name, colour, hidden


def merge(db: Database, writer: MarkerRecord, person_id: str, other_id: str) -> str:
    """Move another person's seats and seasons to this one, delete that person, return their name.

    Raises `NotFound`, and `NotPossible` if there is no such other person or both played in a game.
    """
    with db.write(writer.notebook_id) as session:
        one = of_notebook(session, writer, PersonRecord, person_id)
        known = stored.people_of(session, writer.notebook_id)
        other = next((row for row in known if row.id == other_id and row is not one), None)
        if other is None:
            raise NotPossible("Choose the other person.", "other")
        met = select(SeatRow.game_id).where(SeatRow.person_id == other.id)
        both = select(SeatRow).where(SeatRow.person_id == one.id, col(SeatRow.game_id).in_(met))
        if session.exec(both).first():
            says = noted("%(one)s and %(other)s played in the same game, so they are two people.")
            raise NotPossible(says, "other", one=one.name, other=other.name)
        stored.give_seats(session, other.id, one.id, stored.names_of(session, other.id))
        one.seasons += [season for season in other.seasons if season not in one.seasons]
        stored.seats_changed(session, writer.notebook_id, [other.id])
        return other.name


def split_off(db: Database, writer: MarkerRecord, person_id: str, spelling: str) -> str:
    """Make a spelling of a person's name a person of its own, and return the new one's id.

    The new person is in the same seasons, so that the games there still count. Raises `NotFound`,
    and `NotPossible` if the person has no such other spelling.
    """
    with db.write(writer.notebook_id) as session:
        record = of_notebook(session, writer, PersonRecord, person_id)
        key = name_key(spelling)
        names = [one for one in stored.names_of(session, person_id) if name_key(one) == key]
        if not names or key == name_key(record.name):
            raise NotPossible("No game has this person under that name.")
        new = _new_person(session, writer.notebook_id, names[-1])
        new.seasons = [*record.seasons]
        stored.give_seats(session, person_id, new.id, names)
        stored.seats_changed(session, writer.notebook_id, [person_id])
        return new.id


def give_seats(db: Database, writer: MarkerRecord, game_id: str, given: Sequence[str]) -> None:
    """Give each seat of a game to the person with that id, to a `NEW` one, or to nobody (``""``).

    Raises `NotFound`, and `NotPossible` if there is no such person or somebody would sit twice.
    """
    with db.write(writer.notebook_id) as session:
        of_notebook(session, writer, GameRecord, game_id)
        rows = stored.seats_of(session, game_id)
        if len(given) != len(rows):
            raise NotPossible(
                "Part of this form was missing. What you entered is still here: try again."
            )
        called = {one.id: one.name for one in stored.people_of(session, writer.notebook_id)}
        before = [row.person_id for row in rows if row.person_id]
        for row, person_id in zip(rows, given, strict=True):
            at, name = f"person.{row.seat}", called.get(person_id)
            row.person_id = person_id if name else None
            if not name and person_id not in {"", NEW}:
                raise NotPossible("Choose one of these people.", at)
            if name and person_id in given[: row.seat]:
                raise NotPossible("%(name)s cannot sit twice in one game.", at, name=name)
        session.flush()
        stored.seats_changed(session, writer.notebook_id, before)
        for row in rows:
            if given[row.seat] == NEW:
                row.person_id = _new_person(session, writer.notebook_id, row.name).id
