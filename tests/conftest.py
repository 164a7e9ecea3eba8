"""The kinds of database that tests run on. selection.py decides which tests run."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.databases import Another, Shelf, bring_up_to_date, copied, file_in
from tests.postgres_server import Server
from tests.torture.storage import Cluster, Place

pytest_plugins = ["tests.selection"]

# Tests of daily backups switch them on; in other tests a thread would run beside the test.
os.environ.setdefault("COMPANION_DAILY_BACKUPS", "off")


@pytest.fixture
def stored_in(request: pytest.FixtureRequest) -> str:
    """The kind of database that the test runs on: sqlite or postgresql."""
    return str(request.param)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file, brought up to date once for all tests."""
    file = tmp_path_factory.mktemp("migrated") / "companion.sqlite3"
    bring_up_to_date(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    """Databases on a throwaway PostgreSQL, which all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    process = os.environ.get("PYTEST_XDIST_WORKER", "")
    server = Server(folder.parent if process else folder)
    yield Shelf(server, process or "alone")
    server.close()


@pytest.fixture
def another(request: pytest.FixtureRequest, stored_in: str, tmp_path: Path) -> Iterator[Another]:
    """A function that makes a database with empty tables and returns its address."""
    made = 0
    with ExitStack() as used:

        def make() -> str:
            nonlocal made
            if stored_in == "postgresql":
                return used.enter_context(request.getfixturevalue("shelf").up_to_date())
            made += 1
            file = f"companion{made}.sqlite3" if made > 1 else "companion.sqlite3"
            return copied(request.getfixturevalue("migrated"), tmp_path / file)

        yield make


@pytest.fixture
def database_url(another: Another) -> str:
    """The address of a database with empty tables."""
    return another()


@pytest.fixture
def bare(request: pytest.FixtureRequest, stored_in: str, tmp_path: Path) -> str:
    """The address of an empty database, without tables."""
    if stored_in == "postgresql":
        return request.getfixturevalue("shelf").bare()
    return file_in(tmp_path, "bare.sqlite3")


@pytest.fixture
def place(stored_in: str, tmp_path: Path) -> Iterator[Place]:
    """The database of a server that the test kills; on PostgreSQL it can be killed as well."""
    place = Cluster(tmp_path) if stored_in == "postgresql" else Place(tmp_path)
    yield place
    place.close()
