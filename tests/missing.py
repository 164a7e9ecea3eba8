"""What is skipped where something is missing, and what is measured.

Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI; and so
are the tests on PostgreSQL, and those behind nginx, where there is none.
"""

import os
import sys
from collections.abc import Callable

import pytest

from companion.testing import (
    NO_CHROMIUM,
    NO_NGINX,
    NO_POSTGRES,
    find_chromium,
    find_nginx,
    find_postgres,
    needs_chromium,
    needs_nginx,
    needs_postgres,
)

FIGURES = "figures"  # what a test found, to be told at the end

# How pages look, what a thumb does to come to one, what evenings of each game come to, and what a
# phone does with what waits: decided above the store, and the slowest tests there are. Each runs on
# one kind of database, half of them on each; COMPANION_POSTGRES_TESTS=all runs every one on both.
BY_TURNS = {
    *("test_again_offline", "test_arranged_otherwise", "test_evening_of_indian_chief"),
    "test_evenings",
    *("test_every_page", "test_indian_chief", "test_indian_rummy", "test_plays_offline"),
    *("test_print", "test_rummies_offline", "test_table_offline", "test_taps_end"),
    *("test_taps_family", "test_taps_games", "test_taps_rulings", "test_what_waits"),
}

_loud = pytest.StashKey[list[str]]()


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[_loud] = []
    if os.environ.get("COMPANION_POSTGRES_TESTS") != "all" and find_postgres():
        _take_turns(config, items)
    in_browser = [item for item in items if item.get_closest_marker("browser")]
    behind_nginx = [item for item in items if item.get_closest_marker("nginx")]
    on_postgres = [item for item in items if _kind(item) == "postgresql"]
    _skip(config, in_browser, NO_CHROMIUM, find_chromium, needs_chromium)
    _skip(config, behind_nginx, NO_NGINX, find_nginx, needs_nginx)
    _skip(config, on_postgres, NO_POSTGRES, find_postgres, needs_postgres)
    if config.pluginmanager.hasplugin("_cov"):
        drawn = [item for item in items if item.get_closest_marker("hypothesis")]
        _measure_once(in_browser, on_postgres, drawn)


def _take_turns(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave each of these tests on one kind of database, where it was asked for on both."""
    kinds: dict[str, dict[str, pytest.Item]] = {}
    for item in items:
        if "browser" in item.path.parts and item.path.stem in BY_TURNS:
            kind = str(_kind(item))
            kinds.setdefault(item.nodeid.replace(kind, ""), {})[kind] = item
    both = [sorted(kinds[name].items()) for name in sorted(kinds) if len(kinds[name]) > 1]
    spared = {found[turn % 2][1] for turn, found in enumerate(both)}
    if spared:
        config.hook.pytest_deselected(items=[*spared])
        items[:] = [item for item in items if item not in spared]


def _measure_once(
    in_browser: list[pytest.Item], on_postgres: list[pytest.Item], drawn: list[pytest.Item]
) -> None:
    """Measure coverage only where it can find anything: it takes a third of the time.

    Browser tests ask servers of their own; and what the pages and services do on PostgreSQL was
    measured on SQLite. The store, where the two differ, is measured on both, and so is what runs
    on PostgreSQL alone. What drawn cases come by is not the same in every run, and so no limit can
    be held to it.
    """
    elsewhere = [
        item
        for item in on_postgres
        if "store" not in item.path.parts and item.get_closest_marker("database") is None
    ]
    for item in (*in_browser, *elsewhere, *drawn):
        item.add_marker("no_cover")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let a measured test find nothing worked out already by one before it that was not measured.

    Else its answers come from memory, and the lines that work them out count as never run.
    """
    if nextitem is None or _is_measured(item) or not _is_measured(nextitem):
        return
    for name, module in [*sys.modules.items()]:
        if name.startswith(("companion.rules", "companion.notebook")):
            for remembered in vars(module).values():
                if hasattr(remembered, "cache_clear"):
                    remembered.cache_clear()


def _is_measured(item: pytest.Item) -> bool:
    return item.get_closest_marker("no_cover") is None


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
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, line in report.user_properties:
                    if name == FIGURES:
                        terminalreporter.write_line(line)
