"""Which tests a run takes: what guards a change, less of it with --quick, everything with --all.

A change is guarded by every test on SQLite, in a browser too, and by those of what holds SQL on
PostgreSQL. ``--all`` runs every test on both, those marked exhaustive, and endurance. ``--quick``
runs rules, notebook, check, store, services and pages on SQLite, of services and pages one case of
each test. Both draw fewer cases than ``--all``, which is as many as a test asks for.

To follow each line takes as long again as the test itself, so coverage is measured where one case
is enough: not in drawn cases and browsers, not in slow tests of pages nor in the further cases of
others, not in files of REACHED_ELSEWHERE, and not in services on PostgreSQL after SQLite. The
limits hold without them.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
KINDS = ("sqlite", "postgresql")

QUICK = {"rules", "vectors", "notebook", "check", "store", "services", "web"}
# Where a case takes a database or a page, and a quick run is content with one of each test.
ONE_CASE = {"services", "web"}
# Drawn cases that a run takes, of those that a test asks for.
ONE_IN_TEN = 10  # with --quick
ONE_IN_FOUR = 4
LEFT_BY_QUICK = (
    "Left to `companion test`: browsers, PostgreSQL, nginx, servers in processes of their own, the "
    "command line, slow tests, further cases of pages and services, "
    f"{ONE_IN_TEN - 1} of {ONE_IN_TEN} drawn cases, and the limits of coverage."
)

# What every run but --all leaves out inside of tests. The widths: tests/browser/test_every_page.py.
PARTS = f"one of {ONE_IN_FOUR} drawn cases, the width in every game of pages that all games have"

# Where there is SQL of our own, or one request to every route: on both kinds in every run.
HOLDS_SQL = {"store", "services", "test_every_route.py"}
_SQLITE_ALONE = {"web": "tests of pages", "browser": "browser tests"}

# Many pages, or several processes; all but one in a hundred of their lines are reached by others.
REACHED_ELSEWHERE = {
    "store": {"test_concurrency.py", "test_kill.py"},
    "tests": {"test_behind_a_proxy.py", "test_busy_server.py", "test_workers.py"},
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
        "test_lying.py",
        "test_outbox.py",
        "test_page_cache.py",
        "test_previews.py",
        "test_read_in.py",
        "test_rotated_keys.py",
        "test_rules.py",
        "test_rummies_ahead.py",
        "test_security.py",
        "test_server_gone.py",
        "test_settings.py",
        "test_settlement.py",
        "test_sheet.py",
        "test_tally.py",
        "test_text_browsers.py",
        "test_who_may.py",
        "test_words_apart.py",
    },
}

MEASURED = pytest.StashKey[bool]()  # of a test: whether coverage is measured in it
_left = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("companion", "which tests of the companion run")
    group.addoption("--quick", action="store_true", help="no browser, SQLite alone: a minute")
    group.addoption("--all", action="store_true", help="every test on every kind of database")


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


def kind(item: pytest.Item) -> object:
    """Return the kind of database that a test runs on; None if it needs no database."""
    called = getattr(item, "callspec", None)
    return None if called is None else called.params.get("stored_in")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that this run leaves out, and count them."""
    left = {item: why for item in items if (why := _why_left(config, item))}
    taken = [item for item in items if item not in left]
    named = sorted((item.nodeid for item in taken), reverse=True)
    first = {*{one.partition("[")[0]: one for one in named}.values()}
    if config.getoption("quick"):
        further = [
            item for item in taken if ONE_CASE & {*item.path.parts} and item.nodeid not in first
        ]
        left |= dict.fromkeys(further, "further cases")
        taken = [item for item in taken if item not in left]
    config.stash[_left] = Counter(left.values())
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = taken
    for item in items:
        drawn = item.get_closest_marker("hypothesis")
        item.stash[MEASURED] = drawn is None and _is_measured(item, first)
        if drawn and not config.getoption("all"):
            _draw_less(item, ONE_IN_TEN if config.getoption("quick") else ONE_IN_FOUR)


def _is_measured(item: pytest.Item, first: set[str]) -> bool:
    """Return whether coverage is measured in a test; ``first`` has one case of each."""
    place = item.path.parent.name
    if item.path.name in REACHED_ELSEWHERE.get(place, ()) or "browser" in item.path.parts:
        return False
    if place != "store" and kind(item) == "postgresql":
        return item.get_closest_marker("database") is not None  # else it ran on SQLite, too
    return place != "web" or (item.nodeid in first and item.get_closest_marker("slow") is None)


def left_out(config: pytest.Config) -> str:
    """Return the line that says what this run left out, or nothing."""
    if config.getoption("quick"):
        return LEFT_BY_QUICK
    counted = config.stash.get(_left, Counter()).most_common()
    left = [f"{why} ({n})" for why, n in counted]
    return f"Left to --all: {', '.join([*left, PARTS])}." if counted else ""


def _why_left(config: pytest.Config, item: pytest.Item) -> str:
    if config.getoption("all"):
        return ""
    if item.get_closest_marker("exhaustive"):
        return "more and longer of the same"
    if item.get_closest_marker("slow") and config.getoption("quick"):
        return "slow"
    on_postgres = kind(item) == "postgresql" or "shelf" in getattr(item, "fixturenames", ())
    if config.getoption("quick") and on_postgres:
        return "on PostgreSQL"
    if kind(item) != "postgresql":
        return ""
    if item.get_closest_marker("database") or HOLDS_SQL & {*item.path.parts}:
        return ""
    for place, what in _SQLITE_ALONE.items():
        if place in item.path.parts:
            return f"{what} on PostgreSQL"
    return ""


def _draw_less(item: pytest.Item, one_in: int) -> None:
    """Draw fewer cases than the test asks for, which Hypothesis has no public way to do."""
    machine = getattr(item, "cls", None)
    if hasattr(machine, "settings"):
        machine.settings = _fewer(machine.settings, one_in)
    else:
        drawn = item.function  # type: ignore[attr-defined]
        drawn._hypothesis_internal_use_settings = _fewer(
            drawn._hypothesis_internal_use_settings, one_in
        )


def _fewer(asked: Any, one_in: int) -> Any:
    from hypothesis import settings

    return settings(asked, max_examples=max(5, asked.max_examples // one_in))
