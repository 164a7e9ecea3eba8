"""What is skipped where a program is missing, and in which tests coverage is measured.

Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI; and so
are those in Safari's engine, the tests on PostgreSQL, and those behind nginx, where there is none.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from coverage import Coverage

from tests import selection
from tests.programs import MISSING


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.choose(config, items)
    for marker, (find, why) in MISSING.items():
        need = [item for item in items if marker in {selection.kind(item), *_marks(item)}]
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
    """Measure no coverage in a test that selection.py does not name for it, its fixtures included.

    pytest-cov's own no_cover stops one of two: each process of pytest-xdist starts one for itself
    and one as a worker, and when the second is stopped, the first goes on.

    A measured test finds nothing worked out already by one before it that was not: else its answers
    come from memory, and the lines that work them out count as never run.
    """
    measuring = Coverage.current()
    if measuring is None or item.stash[selection.MEASURED]:
        return (yield)
    while running := Coverage.current():
        running.stop()
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.stash[selection.MEASURED]:
            _forget()
        measuring.start()


def _forget() -> None:
    for name, module in [*sys.modules.items()]:
        if name.startswith(("companion.rules", "companion.notebook", "companion.services")):
            for remembered in vars(module).values():
                if hasattr(remembered, "cache_clear"):
                    remembered.cache_clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was skipped and why."""
    skipped = Counter(one.longrepr[2] for one in terminalreporter.stats.get("skipped", ()))
    for why, tests in skipped.items():
        line = f"{why.removeprefix('Skipped: ')} Skipped: {tests}."
        terminalreporter.write_line(line, red=True, bold=True)
