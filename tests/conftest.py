"""Where there is no Chromium, the browser tests are skipped with one loud line, or fail in CI."""

import os

import pytest

from companion.testing import NO_CHROMIUM, find_chromium, needs_chromium

# Where it is asked for, a test says so: elsewhere a thread would be at work beside it.
os.environ.setdefault("COMPANION_DAILY_BACKUPS", "off")

_skipped = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)  # after -k and -m: tests that nobody asked for need no browser
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    browser_tests = [item for item in items if item.get_closest_marker("browser")]
    if not browser_tests or find_chromium():
        return
    if needs_chromium():
        raise pytest.UsageError(NO_CHROMIUM)
    config.stash[_skipped] = len(browser_tests)
    for item in browser_tests:
        item.add_marker(pytest.mark.skip(reason=NO_CHROMIUM))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if skipped := config.stash.get(_skipped, 0):
        line = f"{NO_CHROMIUM} Skipped: {skipped}."
        terminalreporter.write_line(line, red=True, bold=True)
