"""People, and who has which seat of a game; older games are joined to people by name."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from companion.notebook.events import Entry
from companion.notebook.figures import seats
from companion.notebook.names import name_key
from companion.notebook.replay import replay
from companion.notebook.serialize import from_record
from companion.store.models import DAMAGE, moment
from companion.store.notebooks import random_id

revision = "0005"
down_revision = "0004"

_COLOURS = ("red", "blue", "green", "orange", "violet", "teal", "pink", "brown")
_AT_ONCE = 1000


def upgrade() -> None:
    # SQLite writes an added column behind the constraints, unless the table is copied.
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("notebook", recreate="always" if on_sqlite else "never") as notebook:
        notebook.add_column(sa.Column("joined_until", sa.DateTime(timezone=True), nullable=True))
    person = op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("notebook_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("colour", sa.String(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.ForeignKeyConstraint(
            ["notebook_id"], ["notebook.id"], name="fk_person_notebook_id_notebook"
        ),
    )
    op.create_index("ix_person_notebook_id", "person", ["notebook_id"])
    seat = op.create_table(
        "seat",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=True),
        sa.Column("game", sa.String(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("players", sa.Integer(), nullable=True),
        sa.Column("played", sa.String(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_seat"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_seat_game_id_game"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_seat_person_id_person"),
    )
    op.create_index("ix_seat_person_id", "seat", ["person_id"])
    _join(op.get_bind(), person, seat)


def _join(connection: sa.Connection, person: sa.Table, seat: sa.Table) -> None:
    """Join the seats of every game to people of their notebook, one for each name."""
    known: dict[tuple[str, str], str] = {}
    people: dict[str, int] = {}
    games = connection.exec_driver_sql(
        "SELECT id, notebook_id FROM game ORDER BY created_at, id"
    ).all()
    for first in range(0, len(games), _AT_ONCE):
        rows: list[dict[str, Any]] = []
        for game_id, notebook_id in games[first : first + _AT_ONCE]:
            for number, figures in enumerate(_seats(connection, game_id)):
                key = notebook_id, name_key(figures["name"])
                if key not in known:
                    known[key] = random_id()
                    count = people[notebook_id] = people.get(notebook_id, 0) + 1
                    colour = _COLOURS[(count - 1) % len(_COLOURS)]
                    new = {"id": known[key], "notebook_id": notebook_id, "name": figures["name"]}
                    connection.execute(person.insert(), new | {"colour": colour, "hidden": False})
                ids = {"game_id": game_id, "seat": number, "person_id": known[key]}
                rows.append(figures | ids)
        if rows:
            connection.execute(seat.insert(), rows)
    connection.exec_driver_sql(
        "UPDATE notebook SET joined_until ="
        " (SELECT max(created_at) FROM game WHERE notebook_id = notebook.id)"
    )


def _seats(connection: sa.Connection, game_id: str) -> list[dict[str, Any]]:
    """Return the seats of a game; none if its entries are damaged: the doctor reports that."""
    try:
        return seats(replay([*_entries(connection, game_id)]))
    except DAMAGE:
        return []


def _entries(connection: sa.Connection, game_id: str) -> Iterator[Entry]:
    written = sa.text(
        "SELECT number, at, marker_id, kind, payload, key FROM event"
        " WHERE game_id = :game ORDER BY number"
    )
    for number, at, by, kind, payload, key in connection.execute(written, {"game": game_id}):
        yield Entry(number, moment(at), by, from_record(kind, json.loads(payload)), key)
