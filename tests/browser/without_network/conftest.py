"""Phones whose service worker keeps pages, and a companion that they may find gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import MOBILE, PATIENCE, begin
from tests.browser.offline import House


@pytest.fixture(scope="session")
def houses(request: pytest.FixtureRequest) -> Iterator[Callable[[str], House]]:
    """The house on a kind of database, started when it is first asked for."""
    there: list[House] = []

    @cache
    def on(kind: str) -> House:
        postgres = kind == "postgresql"
        folder = request.getfixturevalue("tmp_path_factory").mktemp("instance")
        database = request.getfixturevalue("shelf").bare() if postgres else None
        there.append(House(folder, database))
        return there[-1]

    yield on
    for house in there:
        house.kill()


@pytest.fixture
def house(houses: Callable[[str], House], stored_in: str) -> House:
    """A server that these tests may kill, if they start it again."""
    return houses(stored_in)


@pytest.fixture
def pocket(chromium: Browser) -> Iterator[BrowserContext]:
    """A phone's browser, with a service worker, where midnight has just passed."""
    hour = datetime.now(UTC).hour
    zone = f"Etc/GMT+{hour}" if hour <= 12 else f"Etc/GMT-{24 - hour}"  # + is to the west
    context = chromium.new_context(timezone_id=zone, **MOBILE)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def marker(pocket: BrowserContext, house: House) -> Iterator[Page]:
    """A phone at the first hand of a game of Ana, Ben and Chandi, whose scripts have no errors."""
    page = pocket.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(house.server.house)
    yield begin(page, house.server, "Ana", "Ben", "Chandi")
    assert wrong == []
