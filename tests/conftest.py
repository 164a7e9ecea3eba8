"""The kinds of database that tests run on, and what is skipped where something is missing.

Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI; and so
are the tests on PostgreSQL where there is none.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.store import Database
from companion.testing import (
    NO_CHROMIUM,
    NO_POSTGRES,
    find_chromium,
    find_postgres,
    needs_chromium,
    needs_postgres,
)
from tests.databases import KINDS, Another, Shelf, copied, file_in
from tests.throwaway import Server

# Where it is asked for, a test says so: elsewhere a thread would be at work beside it.
os.environ.setdefault("COMPANION_DAILY_BACKUPS", "off")

_loud = pytest.StashKey[list[str]]()


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[_loud] = []
    in_browser = [item for item in items if item.get_closest_marker("browser")]
    on_postgres = [item for item in items if _kind(item) == "postgresql"]
    _skip(config, in_browser, NO_CHROMIUM, find_chromium, needs_chromium)
    _skip(config, on_postgres, NO_POSTGRES, find_postgres, needs_postgres)
    if config.pluginmanager.hasplugin("_cov"):
        _measure_once(in_browser, on_postgres)


def _measure_once(in_browser: list[pytest.Item], on_postgres: list[pytest.Item]) -> None:
    """Measure coverage only where it can find anything: it takes a third of the time.

    Browser tests ask servers of their own; and what the pages and services do on PostgreSQL was
    measured on SQLite. The store, where the two differ, is measured on both.
    """
    elsewhere = [item for item in on_postgres if "store" not in item.path.parts]
    for item in (*in_browser, *elsewhere):
        item.add_marker("no_cover")


def _kind(item: pytest.Item) -> object:
    called = getattr(item, "callspec", None)
    return None if called is None else called.params.get("stored_in")


def _skip(
    config: pytest.Config,
    items: list[pytest.Item],
    why: str,
    find: Callable[[], object],
    needed: Callable[[], bool],
) -> None:
    if not items or find():
        return
    if needed():
        raise pytest.UsageError(why)
    config.stash[_loud].append(f"{why} Skipped: {len(items)}.")
    for item in items:
        item.add_marker(pytest.mark.skip(reason=why))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.get(_loud, []):
        terminalreporter.write_line(line, red=True, bold=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that touches a database on every kind, or on the one that it names."""
    if "stored_in" in metafunc.fixturenames:
        named = metafunc.definition.get_closest_marker("database")
        kinds = named.args if named else KINDS
        metafunc.parametrize("stored_in", kinds, indirect=True)


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
