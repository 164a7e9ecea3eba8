"""Phones whose service worker keeps pages, and a companion that they may find gone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import begin, pocket_in
from tests.browser.house import Server


@pytest.fixture
def pocket(chromium: Browser) -> Iterator[BrowserContext]:
    """A phone's browser, with a service worker, where midnight has just passed."""
    hour = datetime.now(UTC).hour
    zone = f"Etc/GMT+{hour}" if hour <= 12 else f"Etc/GMT-{24 - hour}"  # + is to the west
    context = pocket_in(chromium, timezone_id=zone)
    yield context
    context.close()


@pytest.fixture
def marker(phone: Page, server: Server) -> Page:
    """That phone at the first hand of a game of Ana, Ben and Chandi."""
    return begin(phone, server, "Ana", "Ben", "Chandi")
