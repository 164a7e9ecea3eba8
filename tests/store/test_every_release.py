"""Upgrade the tables of every release, with a game in them, to this version."""

import copy
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from alembic import command
from sqlalchemy import Connection, MetaData, create_engine, insert

from companion import store
from companion.notebook.events import Entry, GameStarted, HandEntry, HandMarked, PenaltyCharged
from companion.notebook.serialize import to_record
from companion.rules.games import GAMES
from companion.services.game_log import load_game, open_for_viewer, row_of
from companion.store import migrations, people
from tests.notebook.evening import Evening, started

EIGHT = datetime(2024, 5, 3, 20, 0, 0, 123456, tzinfo=UTC)
KEY = "the-key-of-a-viewer-22"
RELEASES = sorted(migrations.revisions())


NAMES = ("Ana", "Ben", "Chandi")
HOUSE = GAMES["proter"].house()
# A hand of three players: Ana is out, and Chandi has touched the stock before.
EVENING = [
    GameStarted("proter", HOUSE.sheet, dict(HOUSE.values), NAMES, 0, ""),
    PenaltyCharged(1, 1, "PRO-13.3"),
    HandMarked(1, 0, (HandEntry(1, "KH", melded=True), HandEntry(2, "3C 4D", melded=True))),
]
GAME = {"id": "game000001", "notebook_id": "notebook", "viewer_key": KEY, "title": "Friday"}
GAME |= {"viewer_digest": store.digest(KEY), "created_at": EIGHT, "updated_at": EIGHT}
GAME |= {"last_number": 3, "names": "ana ben chandi friday", "summary": "{}", "archived": False}


def event_rows(game_id: str, entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return the rows of a game's entries, in any release."""
    rows = []
    for entry in entries:
        kind, payload = to_record(entry.event)
        row = {"game_id": game_id, "number": entry.number, "key": entry.key, "kind": kind}
        rows.append(row | {"at": entry.at, "marker_id": "ana", "payload": json.dumps(payload)})
    return rows


_ENTRIES = [
    Entry(number, EIGHT + timedelta(minutes=number), "ana", event, f"act-{number}")
    for number, event in enumerate(EVENING, start=1)
]
_MARKER = {"notebook_id": "notebook", "created_at": EIGHT}
_SEAT = dict.fromkeys(("game", "place", "players", "played", "number", "finished_at"))
# What a database holds that was written by a release, for the tables that came with it. A migration
# that adds a table adds its rows here, and one that adds a column needs nothing.
ROWS: dict[str, dict[str, list[dict[str, object]]]] = {
    "0001": {
        "notebook": [{"id": "notebook", "created_at": EIGHT}],
        "marker": [
            _MARKER | {"id": "ana", "label": "Ana's phone", "revoked_at": None},
            _MARKER | {"id": "ben", "label": "Ben's phone", "revoked_at": EIGHT},
        ],
        "game": [GAME],
        "event": event_rows("game000001", _ENTRIES),
    },
    "0002": {"rate": [{"what": "code", "who": "somebody", "forgiven_at": 1714766400000}]},
    "0003": {
        "handover": [
            {"link_digest": "a" * 64, "code_digest": "b" * 64, "notebook_id": "notebook"}
            | {"game_id": "game000001", "by_marker_id": "ana", "resigns": False}
            | {"expires_at": EIGHT + timedelta(minutes=10)}
        ]
    },
    "0004": {},
    "0005": {
        "person": [
            {"id": name, "notebook_id": "notebook", "name": name, "colour": "red", "hidden": False}
            for name in NAMES
        ],
        "seat": [
            _SEAT | {"game_id": "game000001", "seat": seat, "name": name, "person_id": name}
            for seat, name in enumerate(NAMES)
        ],
    },
    "0006": {
        "season": [
            {"id": "season", "notebook_id": "notebook", "name": "Spring", "game": "proter"}
            | {"first_day": EIGHT.date(), "last_day": None, "games": "all", "points": "5 3 2 1"}
            | {"ties": "shared", "best": 0, "everybody": False, "created_at": EIGHT}
            | {"viewer_key": KEY, "viewer_digest": store.digest(KEY)}
        ],
        "season_person": [{"season_id": "season", "person_id": one} for one in ("Ana", "Ben")],
    },
    "0007": {},
}


def counts(connection: Connection) -> dict[str, int]:
    found = MetaData()
    found.reflect(connection)
    return {
        name: len(connection.execute(table.select()).all()) for name, table in found.tables.items()
    }


@pytest.fixture
def driven(bare: str) -> str:
    """The address of the empty database, as SQLAlchemy takes it."""
    return bare.replace("postgresql://", "postgresql+psycopg://")


def test_every_release_has_rows_in_this_file():
    assert sorted(ROWS) == RELEASES


# All migrations run from the first, 0004 rebuilds a table of 0003's, and all rows are there last.
OFTEN = (RELEASES[0], "0003", RELEASES[-2])


@pytest.mark.database("sqlite")
@pytest.mark.parametrize(
    "release",
    [pytest.param(one, marks=() if one in OFTEN else pytest.mark.exhaustive) for one in RELEASES],
)
def test_games_of_every_release_replay_after_the_upgrade(bare, driven, release):
    upgraded(bare, driven, release)


# From the first all migrations run, and from the last but one the last with all rows.
@pytest.mark.database("postgresql")
@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-2]])
def test_games_of_every_release_replay_after_the_upgrade_on_a_server(bare, driven, release):
    upgraded(bare, driven, release)


def upgraded(bare: str, driven: str, release: str) -> None:
    """Upgrade a database that a release has written, check its game, and play on."""
    engine = create_engine(driven)
    with engine.begin() as connection:
        command.upgrade(migrations._config(connection), release)
        tables = MetaData()
        tables.reflect(connection)
        for one in RELEASES[: RELEASES.index(release) + 1]:
            for name, rows in ROWS[one].items():
                connection.execute(insert(tables.tables[name]), rows)
        before = counts(connection)

    database = store.Database(bare)
    database.migrate()
    with engine.connect() as connection:
        after = counts(connection)
    assert {name: after[name] for name in before} == before
    engine.dispose()

    loaded = load_game(database, "game000001", "ana")
    # Ben pays 20 by PRO-13.3 and 13 for the king, Chandi 3 and 4.
    assert [loaded.sheet.total(seat) for seat in loaded.sheet.players] == [0, 33, 7]
    assert [entry.event for entry in loaded.entries] == EVENING
    assert loaded.entries[0].at == EIGHT + timedelta(minutes=1)
    assert open_for_viewer(database, KEY).record == loaded.record
    with database.read() as session:
        labels = {"ana": "Ana's phone", "ben": "Ben's phone"}
        assert store.marker_labels(session, "notebook") == labels
        assert store.marker(session, "ben") is None
        assert store.marker(session, "ana") is not None
    # And the evening goes on.
    with database.write("game000001") as session:
        projection = store.Projection("Friday", "Ana Ben Chandi", "{}")
        event = Entry(4, EIGHT, "ana", PenaltyCharged(1, 2, "PRO-13.3"), "later")
        written = store.append(session, row_of(event, "game000001"), projection)
    assert written.number == 4
    loaded = load_game(database, "game000001", "ana")
    assert [loaded.sheet.total(seat) for seat in loaded.sheet.players] == [0, 33, 27]
    database.close()


def test_older_games_are_joined_to_people_by_name(bare, driven):
    engine = create_engine(driven)
    with engine.begin() as connection:
        command.upgrade(migrations._config(connection), "0004")
        tables = MetaData()
        tables.reflect(connection)
        rows = copy.deepcopy(ROWS["0001"])
        # Two more games: one is over, of people known by other spellings, and one is damaged.
        over = Evening(started(("ANA", "Dil")))
        over.mark_hands(13)
        damaged = [row | {"payload": "{}"} for row in event_rows("game000003", over.entries[:1])]
        rows["event"] += [*event_rows("game000002", over.entries), *damaged]
        for days, game_id, last in ((2, "game000002", len(over.entries)), (3, "game000003", 1)):
            rows["game"].append(
                GAME
                | {"id": game_id, "viewer_key": game_id, "viewer_digest": store.digest(game_id)}
                | {"created_at": EIGHT + timedelta(days=days), "last_number": last}
            )
        rows["notebook"].append({"id": "empty", "created_at": EIGHT})
        for name, some in rows.items():
            connection.execute(insert(tables.tables[name]), some)
    engine.dispose()

    database = store.Database(bare)
    database.migrate()
    with database.read() as session:
        found = {one.name: one for one in people.people_of(session, "notebook")}
        assert {*found} == {"Ana", "Ben", "Chandi", "Dil"}
        assert {one.colour for one in found.values()} == {"red", "blue", "green", "orange"}
        assert people.people_of(session, "empty") == []
        seats = {id_: people.seats_of(session, id_) for id_ in ("game000001", "game000002")}
        assert people.seats_of(session, "game000003") == []
        assert people.joined_games(session, "empty") == []
        joined = [one.id for one in people.joined_games(session, "notebook")]
        assert joined == ["game000001", "game000002", "game000003"]
    whose = [[(one.name, one.person_id) for one in some] for some in seats.values()]
    assert whose == [
        [(name, found[name].id) for name in ("Ana", "Ben", "Chandi")],
        [("ANA", found["Ana"].id), ("Dil", found["Dil"].id)],
    ]
    assert [one.number for one in seats["game000001"]] == [None] * 3
    figures = [(one.place, one.players, one.number) for one in seats["game000002"]]
    assert figures == [(1, 2, 14), (2, 2, 14)]
    assert {one.finished_at for one in seats["game000002"]} == {over.entries[-1].at}
    database.close()
