"""A database without notebooks, and a marker."""

from collections.abc import Iterator

import pytest

from companion.services import games
from companion.store import Database, MarkerRecord


@pytest.fixture
def db(database_url: str) -> Iterator[Database]:
    """A database without notebooks."""
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def marker(db: Database) -> MarkerRecord:
    """A marker with a notebook of their own."""
    return games.start_notebook(db, "Phone")


@pytest.fixture
def other(db: Database) -> MarkerRecord:
    """A marker of another notebook."""
    return games.start_notebook(db, "Other phone")
