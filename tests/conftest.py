"""The kinds of database that tests run on. See selection.py for what runs and what is skipped."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.store import Database
from tests import selection
from tests.databases import Another, Shelf, copied, file_in
from tests.postgres_server import Server
from tests.selection import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_ignore_collect,
    pytest_runtest_protocol,
    pytest_terminal_summary,
)
from tests.torture.storage import Cluster, Place

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_ignore_collect",
    "pytest_runtest_protocol",
    "pytest_terminal_summary",
]

# Where it is asked for, a test says so: elsewhere a thread would be at work beside it.
os.environ.setdefault("COMPANION_DAILY_BACKUPS", "off")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more process than there are cores: they wait for disks, servers and browsers."""
    told = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    waits = 0 if config.getoption("quick") else 1
    return int(told) if told else (os.cpu_count() or 1) + waits


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that touches a database on every kind, or on the one that it names."""
    if "stored_in" in metafunc.fixturenames:
        metafunc.parametrize("stored_in", selection.kinds(metafunc), indirect=True)


@pytest.fixture
def stored_in(request: pytest.FixtureRequest) -> str:
    """The kind of database that the test runs on."""
    return str(request.param)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file, brought up to date once for all tests."""
    file = tmp_path_factory.mktemp("migrated") / "companion.sqlite3"
    empty = Database(f"sqlite:///{file}")
    empty.migrate()
    empty.close()
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
    """Makes databases with empty tables, and answers the address of each."""
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
    """The address of a database in which there is nothing, not even tables."""
    if stored_in == "postgresql":
        return request.getfixturevalue("shelf").bare()
    return file_in(tmp_path, "bare.sqlite3")


@pytest.fixture
def place(stored_in: str, tmp_path: Path) -> Iterator[Place]:
    """A database that the server is killed over; one that is a server can be killed itself."""
    place = Cluster(tmp_path) if stored_in == "postgresql" else Place(tmp_path)
    yield place
    place.close()
