"""A real database for each test, with one marker and one game in it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, select

from companion import store
from companion.store.models import GameRecord

EIGHT = datetime(2024, 5, 3, 20, 0, 0, 123456, tzinfo=UTC)

Mark = Callable[..., store.EventRow]


def last_number(session: Session, game_id: str) -> int:
    """The number of the game's last event, 0 before the first."""
    return session.exec(select(GameRecord.last_number).where(GameRecord.id == game_id)).one()


def refused(act: Callable[[], object]) -> store.DatabaseProblem:
    """Return the problem that an act has with its database: a sentence without secrets."""
    with pytest.raises(store.DatabaseProblem) as caught:
        act()
    assert str(caught.value).endswith(".")
    assert "SECRET" not in str(caught.value)
    return caught.value


@pytest.fixture
def file(stored_in: str, tmp_path: Path) -> Path:
    """Where the database is, for tests of files."""
    assert stored_in == "sqlite", "Mark it: pytest.mark.database('sqlite')."
    return tmp_path / "companion.sqlite3"


@pytest.fixture
def database(database_url: str) -> Iterator[store.Database]:
    database = store.Database(database_url)
    yield database
    database.close()


@pytest.fixture
def eight() -> datetime:
    """Eight in the evening."""
    return EIGHT


@pytest.fixture
def ana(database: store.Database) -> store.MarkerRecord:
    with database.write() as session:
        return store.add_notebook(session, "Ana's phone", EIGHT)


@pytest.fixture
def friday() -> store.Projection:
    return store.Projection(title="Friday", names="Ana\nBen", summary='{"hand":1}')


@pytest.fixture
def game(
    database: store.Database, ana: store.MarkerRecord, friday: store.Projection
) -> store.GameRecord:
    with database.write() as session:
        return store.create_game(session, ana.notebook_id, friday, EIGHT)


@pytest.fixture
def mark(ana: store.MarkerRecord, game: store.GameRecord, friday: store.Projection) -> Mark:
    """Appends one event to the game: `mark(session, base)`, anything else may be given by name."""

    def mark(
        session: Session,
        base: int,
        *,
        of: str = game.id,
        projection: store.Projection = friday,
        **given: object,
    ) -> store.EventRow:
        entry: dict[str, object] = {
            "key": f"act-{base + 1}",
            "at": EIGHT + timedelta(seconds=base),
            "marker_id": ana.id,
            "kind": "HandMarked",
            "payload": f'{{"hand": {base + 1}}}',
        }
        event = store.EventRow(game_id=of, number=base + 1, **(entry | given))
        return store.append(session, event, projection)

    return mark
