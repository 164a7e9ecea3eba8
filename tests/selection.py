"""Which tests a run takes: what guards a change, less of it with --quick, everything with --all.

A change is guarded by every test on SQLite, in a browser too, and by those of what holds SQL on
PostgreSQL. ``--all`` runs every test on both, and those marked exhaustive. ``--quick`` runs rules,
notebook, check, store, services and pages on SQLite, of services and pages one case of each test.

To follow each line takes as long again as the test itself, so coverage is measured where one case
is enough: not in drawn cases and browsers, not in slow tests of pages nor in the further cases of
others, not in files of REACHED_ELSEWHERE, and not in services on PostgreSQL after SQLite. The
limits hold without them.

Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI; and so
are those in Safari's engine, the tests on PostgreSQL, and those behind nginx, where there is none.
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
# Where a case takes a database or a page, and a quick run is content with one of each test.
ONE_CASE = {"services", "web"}
# How many cases Hypothesis draws for a test.
DRAWN = 40
DRAWN_QUICK, DRAWN_ALL = 10, 150

# Where there is SQL of our own, or one request to every route: on both kinds in every run.
HOLDS_SQL = {"store", "services", "test_every_route.py"}
SQLITE_ALONE = {"web"}

# Many pages, or several processes; all but one in a hundred of their lines are reached by others.
REACHED_ELSEWHERE = {
    "tests": {"test_behind_a_proxy.py", "test_kill_server.py"},
    "web": {
        "test_actions.py",
        "test_auth.py",
        "test_damaged.py",
        "test_disputes.py",
        "test_errors.py",
        "test_every_route.py",
        "test_injection.py",
        "test_language.py",
        "test_limited.py",
        "test_outbox.py",
        "test_previews.py",
        "test_rules.py",
        "test_security.py",
        "test_server_gone.py",
        "test_pages.py",
        "test_sheet.py",
        "test_tally.py",
        "test_who_may.py",
    },
}

MEASURED = pytest.StashKey[bool]()  # of a test: whether coverage is measured in it


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("companion", "which tests of the companion run")
    group.addoption("--quick", action="store_true", help="no browser, SQLite alone: a minute")
    group.addoption("--all", action="store_true", help="every test on every kind of database")


def pytest_configure(config: pytest.Config) -> None:
    """Say how many cases are drawn, before the first test is read."""
    drawn = DRAWN_QUICK if config.getoption("quick") else DRAWN
    settings.register_profile(
        "tests",
        max_examples=DRAWN_ALL if config.getoption("all") else drawn,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("tests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what a quick run leaves out."""
    if not config.getoption("quick") or TESTS not in collection_path.parents:
        return None
    first = collection_path.relative_to(TESTS).parts[0]
    return None if first in QUICK else True


def kinds(metafunc: pytest.Metafunc) -> Sequence[str]:
    """Return the kinds of database that a test can run on: those it names, or all."""
    named = metafunc.definition.get_closest_marker("database")
    if named:
        return named.args
    return KINDS[:1] if metafunc.config.getoption("quick") else KINDS


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more process than there are cores: they wait for disks, servers and browsers."""
    told = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    waits = 0 if config.getoption("quick") else 1
    return int(told) if told else (os.cpu_count() or 1) + waits


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that touches a database on every kind, or on the one that it names."""
    if "stored_in" in metafunc.fixturenames:
        metafunc.parametrize("stored_in", kinds(metafunc), indirect=True)


def kind(item: pytest.Item) -> object:
    """Return the kind of database that a test runs on; None if it needs no database."""
    called = getattr(item, "callspec", None)
    return None if called is None else called.params.get("stored_in")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that this run leaves out, and say of the others which are measured."""
    taken = [item for item in items if not _is_left(config, item)]
    # On SQLite, where a test runs on both: that is the one which is measured.
    order = [(kind(item) == "postgresql", item.nodeid) for item in taken]
    named = [one for _, one in sorted(order, reverse=True)]
    first = {*{one.partition("[")[0]: one for one in named}.values()}
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
    """Return whether coverage is measured in a test; ``first`` has one case of each."""
    place = item.path.parent.name
    if item.get_closest_marker("hypothesis") or "browser" in item.path.parts:
        return False
    if item.path.name in REACHED_ELSEWHERE.get(place, ()):
        return False
    if place != "store" and kind(item) == "postgresql":
        return item.get_closest_marker("database") is not None  # else it ran on SQLite, too
    return place != "web" or (item.nodeid in first and item.get_closest_marker("slow") is None)


def _is_left(config: pytest.Config, item: pytest.Item) -> bool:
    """Return whether this run leaves a test out."""
    if config.getoption("all"):
        return False
    if item.get_closest_marker("exhaustive"):
        return True
    on_postgres = kind(item) == "postgresql" or "shelf" in getattr(item, "fixturenames", ())
    if config.getoption("quick"):
        return on_postgres or item.get_closest_marker("slow") is not None
    named = item.get_closest_marker("database") or HOLDS_SQL & {*item.path.parts}
    return kind(item) == "postgresql" and not named and bool(SQLITE_ALONE & {*item.path.parts})


# -- what is skipped, and where nothing is measured -----------------------------------------------


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
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
    """Measure no coverage in a test that is not chosen for it, its fixtures included.

    pytest-cov's own no_cover stops one of two: each process of pytest-xdist starts one for itself
    and one as a worker, and when the second is stopped, the first goes on.

    A measured test finds nothing worked out already by one before it that was not: else its answers
    come from memory, and the lines that work them out count as never run.
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
            _forget()
        measuring.start()


def _forget() -> None:
    for name, module in [*sys.modules.items()]:
        if name.startswith(("companion.rules", "companion.notebook", "companion.services")):
            for remembered in vars(module).values():
                if hasattr(remembered, "cache_clear"):
                    remembered.cache_clear()
