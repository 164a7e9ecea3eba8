"""From the tables of every release, with an evening in them, to those of this version."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from alembic import command
from sqlalchemy import Connection, MetaData, create_engine, insert

from companion import store
from companion.notebook.events import Event, GameStarted, HandEntry, HandMarked, PenaltyCharged
from companion.notebook.serialize import to_record
from companion.rules.games import GAMES
from companion.services.game_log import load_game, open_for_viewer
from companion.store import migrations

EIGHT = datetime(2024, 5, 3, 20, 0, 0, 123456, tzinfo=UTC)
KEY = "the-key-of-a-viewer-22"
RELEASES = sorted(migrations.revisions())


def evening() -> list[Event]:
    """A hand of three players: Ana is out, and Chandi has touched the stock before."""
    house = GAMES["proter"].house()
    return [
        GameStarted("proter", house.sheet, dict(house.values), ("Ana", "Ben", "Chandi"), 0, ""),
        PenaltyCharged(1, 1, "PRO-13.3"),
        HandMarked(1, 0, (HandEntry(1, "KH", melded=True), HandEntry(2, "3C 4D", melded=True))),
    ]


# What a database holds that was written by a release, for the tables that came with it. A migration
# that adds a table adds its rows here, and one that adds a column needs nothing.
def rows_of_0001() -> dict[str, list[dict[str, object]]]:
    records = [to_record(event) for event in evening()]
    game = {"id": "game000001", "notebook_id": "notebook", "viewer_key": KEY, "title": "Friday"}
    game |= {"viewer_digest": store.digest(KEY), "created_at": EIGHT, "updated_at": EIGHT}
    game |= {"last_number": 3, "names": "ana ben chandi friday", "summary": "{}", "archived": False}
    events = [
        {"game_id": "game000001", "number": number, "key": f"act-{number}", "kind": kind}
        | {"at": EIGHT + timedelta(minutes=number), "marker_id": "ana"}
        | {"payload": store.games._as_json(payload)}  # type: ignore[attr-defined]
        for number, (kind, payload) in enumerate(records, start=1)
    ]
    marker = {"notebook_id": "notebook", "created_at": EIGHT}
    return {
        "notebook": [{"id": "notebook", "created_at": EIGHT}],
        "marker": [
            marker | {"id": "ana", "label": "Ana's phone", "revoked_at": None},
            marker | {"id": "ben", "label": "Ben's phone", "revoked_at": EIGHT},
        ],
        "game": [game],
        "event": events,
    }


def rows_of_0002() -> dict[str, list[dict[str, object]]]:
    return {"rate": [{"what": "code", "who": "somebody", "forgiven_at": 1714766400000}]}


def rows_of_0003() -> dict[str, list[dict[str, object]]]:
    handover = {"link_digest": "a" * 64, "code_digest": "b" * 64, "notebook_id": "notebook"}
    handover |= {"game_id": "game000001", "by_marker_id": "ana", "resigns": False}
    return {"handover": [handover | {"expires_at": EIGHT + timedelta(minutes=10)}]}


ROWS: dict[str, Callable[[], dict[str, list[dict[str, object]]]]] = {
    "0001": rows_of_0001,
    "0002": rows_of_0002,
    "0003": rows_of_0003,
    "0004": dict,  # columns alone
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


def test_every_release_has_its_rows_here():
    assert sorted(ROWS) == RELEASES


@pytest.mark.parametrize("release", RELEASES)
def test_what_a_release_wrote_is_there_and_replays_after_the_upgrade(bare, driven, release):
    engine = create_engine(driven)
    with engine.begin() as connection:
        command.upgrade(migrations._config(connection=connection), release)
        tables = MetaData()
        tables.reflect(connection)
        for one in RELEASES[: RELEASES.index(release) + 1]:
            for name, rows in ROWS[one]().items():
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
    assert [entry.event for entry in loaded.entries] == evening()
    assert loaded.entries[0].at == EIGHT + timedelta(minutes=1)
    assert open_for_viewer(database, KEY).record == loaded.record
    with database.read() as session:
        assert store.marker_labels(session, "notebook") == {
            "ana": "Ana's phone",
            "ben": "Ben's phone",
        }
        assert store.marker(session, "ben") is None
        record = store.marker(session, "ana")
    assert record is not None
    # And the evening goes on.
    kind, payload = to_record(PenaltyCharged(1, 2, "PRO-13.3"))
    with database.write("game000001") as session:
        projection = store.Projection("Friday", "Ana Ben Chandi", "{}")
        written = store.append(
            session, "game000001", base=3, key="later", at=EIGHT, marker_id="ana",
            kind=kind, payload=payload, projection=projection,
        )  # fmt: skip
    assert written.number == 4
    loaded = load_game(database, "game000001", "ana")
    assert [loaded.sheet.total(seat) for seat in loaded.sheet.players] == [0, 33, 27]
    database.close()
