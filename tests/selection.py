"""Choose the tests of a run: by default those for a change, fewer with --quick, all with --all.

The default is every test on SQLite, also in a browser, and the tests of code with SQL on
PostgreSQL too. ``--all`` runs every test on both, and tests marked exhaustive. ``--quick`` runs
rules, notebook, check, store, services and pages on SQLite; of services and pages only one case of
each test.

Measuring coverage doubles a test's time, so it is left out where it adds nothing: in Hypothesis
tests and browsers, in slow tests of pages and all but the first case of others, in files of
REACHED_ELSEWHERE, and in services on PostgreSQL after SQLite. The limits are met without these.

Without Chromium, the browser tests are skipped with one loud line, or fail in CI. The same goes for
tests in Safari's engine, on PostgreSQL and behind nginx.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

from tests.programs import MISSING

TESTS = Path(__file__).parent
KINDS = ("sqlite", "postgresql")

QUICK = {"rules", "vectors", "notebook", "check", "store", "services", "web"}
# Folders whose cases need a database or a page: a quick run takes one case of each test.
ONE_CASE = {"services", "web"}
# How many examples Hypothesis draws for a test.
DRAWN = 40
DRAWN_QUICK, DRAWN_ALL = 10, 150

# Tests of our own SQL, and one request to every route: on both kinds of database in every run.
HOLDS_SQL = {"store", "services", "test_every_route.py"}
SQLITE_ALONE = {"web"}

# Tests of many pages or several processes; other tests cover all but a hundredth of their lines.
REACHED_PAGES = """
    actions auth damaged disputes errors every_route injection language limited outbox pages
    previews rules security server_gone sheet tally who_may
"""
REACHED_ELSEWHERE = {
    "tests": {"test_behind_a_proxy.py", "test_kill_server.py"},
    "web": {f"test_{name}.py" for name in REACHED_PAGES.split()},
}

MEASURED = pytest.StashKey[bool]()  # whether coverage is measured in a test


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("companion", "which tests of the companion run")
    group.addoption("--quick", action="store_true", help="no browser, SQLite alone: a minute")
    group.addoption("--all", action="store_true", help="every test on every kind of database")


def pytest_configure(config: pytest.Config) -> None:
    """Set the number of Hypothesis examples before the first test is read."""
    drawn = DRAWN_QUICK if config.getoption("quick") else DRAWN
    settings.register_profile(
        "tests",
        max_examples=DRAWN_ALL if config.getoption("all") else drawn,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("tests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore the folders that a quick run leaves out, so that they are not even imported."""
    if not config.getoption("quick") or TESTS not in collection_path.parents:
        return None
    first = collection_path.relative_to(TESTS).parts[0]
    return None if first in QUICK else True


def kinds(metafunc: pytest.Metafunc) -> Sequence[str]:
    """Return the kinds of database that a test can run on: the kinds that it names, or all."""
    named = metafunc.definition.get_closest_marker("database")
    if named:
        return named.args
    return KINDS[:1] if metafunc.config.getoption("quick") else KINDS


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return one more than the number of cores: tests wait for disks, servers and browsers."""
    chosen = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    more = 0 if config.getoption("quick") else 1
    return int(chosen) if chosen else (os.cpu_count() or 1) + more


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that uses a database on every kind, or on the kinds that it names."""
    if "stored_in" in metafunc.fixturenames:
        metafunc.parametrize("stored_in", kinds(metafunc), indirect=True)


def kind(item: pytest.Item) -> object:
    """Return the kind of database that a test runs on; None if it uses no database."""
    called = getattr(item, "callspec", None)
    return None if called is None else called.params.get("stored_in")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that this run leaves out, and note in which others to measure coverage."""
    taken = [item for item in items if not _is_left_out(config, item)]
    # The first case of a test is one on SQLite, if it runs on both: coverage is measured there.
    order = [(kind(item) == "postgresql", item.nodeid) for item in taken]
    ids = [id_ for _, id_ in sorted(order, reverse=True)]
    first = {*{id_.partition("[")[0]: id_ for id_ in ids}.values()}
    if config.getoption("quick"):
        taken = [
            item for item in taken if not ONE_CASE & {*item.path.parts} or item.nodeid in first
        ]
    left = {*items} - {*taken}
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = taken
    for item in items:
        item.stash[MEASURED] = _is_measured(item, first)


def _is_measured(item: pytest.Item, first: set[str]) -> bool:
    """True if coverage is measured in a test; ``first`` has the id of one case of each test."""
    place = item.path.parent.name
    if item.get_closest_marker("hypothesis") or "browser" in item.path.parts:
        return False
    if item.path.name in REACHED_ELSEWHERE.get(place, ()):
        return False
    if place != "store" and kind(item) == "postgresql":
        return item.get_closest_marker("database") is not None  # others ran on SQLite, too
    return place != "web" or (item.nodeid in first and item.get_closest_marker("slow") is None)


def _is_left_out(config: pytest.Config, item: pytest.Item) -> bool:
    """True if this run leaves a test out."""
    if config.getoption("all"):
        return False
    if item.get_closest_marker("exhaustive"):
        return True
    on_postgres = kind(item) == "postgresql" or "shelf" in getattr(item, "fixturenames", ())
    if config.getoption("quick"):
        return on_postgres or item.get_closest_marker("slow") is not None
    named = item.get_closest_marker("database") or HOLDS_SQL & {*item.path.parts}
    return kind(item) == "postgresql" and not named and bool(SQLITE_ALONE & {*item.path.parts})


# -- skipping tests and measuring coverage --------------------------------------------------------


@pytest.hookimpl(trylast=True)  # after -k and -m: deselected tests need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    choose(config, items)
    for marker, (find, why) in MISSING.items():
        need = [item for item in items if marker in {kind(item), *_marks(item)}]
        if not need or find():
            continue
        if os.environ.get("CI") == "true":
            raise pytest.UsageError(why)
        for item in need:
            item.add_marker(pytest.mark.skip(reason=why))


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Measure coverage, also of fixtures, only in the tests that are chosen for it.

    pytest-cov's own no_cover is not enough: each process of pytest-xdist starts two measurements,
    one for itself and one as a worker, and no_cover stops only the second.

    Before a measured test, caches that an unmeasured one has filled are emptied: otherwise the
    lines that compute the cached values count as never run.
    """
    measuring = Coverage.current()
    if measuring is None or item.stash[MEASURED]:
        return (yield)
    while running := Coverage.current():
        running.stop()
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.stash[MEASURED]:
            _clear_caches()
        measuring.start()


def _clear_caches() -> None:
    for name, module in [*sys.modules.items()]:
        if name.startswith(("companion.rules", "companion.notebook", "companion.services")):
            for function in vars(module).values():
                if hasattr(function, "cache_clear"):
                    function.cache_clear()
