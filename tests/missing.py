"""What is skipped where something is missing, and what is measured.

Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI; and so
are those in Safari's engine and in Firefox, the tests on PostgreSQL, and those behind nginx, where
there is none.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from coverage import Coverage

from tests import scope
from tests.programs import (
    NO_CHROMIUM,
    NO_FIREFOX,
    NO_NGINX,
    NO_POSTGRES,
    NO_WEBKIT,
    find_chromium,
    find_firefox,
    find_nginx,
    find_postgres,
    find_webkit,
    is_required,
)

FIGURES = "figures"  # what a test found, to be told at the end

_told = pytest.StashKey[list[str]]()
_left = pytest.StashKey[str]()


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    scope.choose(config, items)
    config.stash[_told] = []
    in_browser = [item for item in items if item.get_closest_marker("browser")]
    in_webkit = [item for item in items if item.get_closest_marker("webkit")]
    in_firefox = [item for item in items if item.get_closest_marker("firefox")]
    behind_nginx = [item for item in items if item.get_closest_marker("nginx")]
    on_postgres = [item for item in items if scope.kind(item) == "postgresql"]
    _skip(config, in_browser, NO_CHROMIUM, find_chromium, "BROWSER")
    _skip(config, in_webkit, NO_WEBKIT, find_webkit, "BROWSER")
    _skip(config, in_firefox, NO_FIREFOX, find_firefox, "BROWSER")
    _skip(config, behind_nginx, NO_NGINX, find_nginx, "NGINX")
    _skip(config, on_postgres, NO_POSTGRES, find_postgres, "POSTGRES")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Measure no coverage in a test that scope.py does not name for it, its fixtures included.

    pytest-cov's own no_cover stops one of two: each process of pytest-xdist starts one for itself
    and one as a worker, and when the second is stopped, the first goes on.

    A measured test finds nothing worked out already by one before it that was not: else its answers
    come from memory, and the lines that work them out count as never run.
    """
    measuring = Coverage.current()
    if measuring is None or item.stash[scope.MEASURED]:
        return (yield)
    while running := Coverage.current():
        running.stop()
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.stash[scope.MEASURED]:
            _forget()
        measuring.start()


def _forget() -> None:
    for name, module in [*sys.modules.items()]:
        if name.startswith(("companion.rules", "companion.notebook", "companion.services")):
            for remembered in vars(module).values():
                if hasattr(remembered, "cache_clear"):
                    remembered.cache_clear()


def _skip(
    config: pytest.Config,
    items: list[pytest.Item],
    why: str,
    find: Callable[[], object],
    what: str,
) -> None:
    if not items or find():
        return
    if is_required(what):
        raise pytest.UsageError(why)
    config.stash[_told].append(f"{why} Skipped: {len(items)}.")
    for item in items:
        item.add_marker(pytest.mark.skip(reason=why))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that prints the summary what one that runs tests has skipped and left."""
    told = session.config.stash.get(_told, None)
    if told is not None and hasattr(session.config, "workeroutput"):
        session.config.workeroutput["told"] = [told, scope.left_out(session.config)]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Keep what a process that ran tests has told."""
    if told := getattr(node, "workeroutput", {}).get("told"):
        node.config.stash[_told], node.config.stash[_left] = told


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.get(_told, []):
        terminalreporter.write_line(line, red=True, bold=True)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, line in report.user_properties:
                    if name == FIGURES:
                        terminalreporter.write_line(line)
    if left := config.stash.get(_left, "") or scope.left_out(config):
        terminalreporter.write_line(left)
