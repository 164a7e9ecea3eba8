"""Without a network nothing is lost: what is entered waits on the phone, and is saved once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import begin, ready
from tests.browser.offline import House

pytestmark = pytest.mark.browser


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A server that this test may kill."""
    house = House(tmp_path)
    yield house
    house.kill()


@pytest.fixture
def marker(pocket: BrowserContext, house: House) -> Page:
    """A phone at the first hand of a game of Ana, Ben and Chandi."""
    page = pocket.new_page()
    page.goto(house.server.house)
    return begin(page, house.server, "Ana", "Ben", "Chandi")


def waits(page: Page, count: int) -> None:
    """So many acts wait, and the page says so."""
    if count:
        expect(page.locator("#waiting summary")).to_contain_text(f"{count} waiting to be saved")
    else:
        expect(page.locator("#waiting")).to_have_count(0, timeout=20_000)


def charge(page: Page, name: str, rule: str = "PRO-13.3") -> None:
    """Charge a player 20 points, on the page for it."""
    page.locator("#player label.tile", has_text=name).tap()
    page.locator(f"button.tile[value='{rule}']").tap()


def totals(page: Page, game: str) -> list[int]:
    """What the score sheet on the server comes to."""
    foot = page.request.get(f"{game}/sheet").text().partition("<tfoot>")[2].partition("</tfoot>")[0]
    return [int(total) for total in re.findall(r"<td[^>]*>(\d+)", foot)]


def entries(page: Page, game: str) -> list[str]:
    """What was written down, the first entry first."""
    log = page.request.get(f"{game}/log").text()
    return re.findall(r"20 points to <bdi>(\w+)|20 points to (\w+)", log)


def test_penalties_wait_while_the_server_is_dead_and_are_saved_once_in_order(
    pocket: BrowserContext, house: House, marker: Page
) -> None:
    game = marker.url
    marker.goto(f"{game}/penalty")
    ready(marker)
    house.kill()
    for count, name in enumerate(("Ana", "Ben", "Ben"), start=1):
        charge(marker, name)
        waits(marker, count)
    (house.folder / "secret.key").touch()
    house.start()
    # A tab that is opened anew sends what another one has kept; both go on from there.
    other = pocket.new_page()
    marker.close()
    other.goto(game)
    expect(other.locator(".totals li", has_text="Ben").locator("b")).to_have_text(
        "40", timeout=60_000
    )
    waits(other, 0)
    assert totals(other, game) == [20, 40, 0]


def test_what_the_server_refuses_stays_with_its_reason_until_the_marker_settles_it(
    pocket: BrowserContext, house: House, marker: Page
) -> None:
    game = marker.url
    marker.goto(f"{game}/penalty")
    ready(marker)
    pocket.set_offline(True)
    charge(marker, "Ana")
    waits(marker, 1)
    charge(marker, "Ben", "PRO-13.1")
    waits(marker, 2)
    # Meanwhile somebody else of the same notebook charges Chandi.
    page = marker.request.get(f"{game}/penalty").text()
    fields = dict(re.findall(r'name="(csrf_token|key|base)" value="([^"]*)"', page)[:3])
    fields |= {"player": "2", "rule": "PRO-13.3"}
    headers = {"Referer": f"{game}/penalty"}
    assert marker.request.post(f"{game}/penalty", form=fields, headers=headers).ok
    pocket.set_offline(False)
    bar = marker.locator("#waiting")
    expect(bar).to_contain_text("1 not accepted", timeout=60_000)
    expect(bar).to_contain_text("The game has changed since this page was opened")
    waits(marker, 2)
    assert totals(marker, game) == [0, 0, 20]
    # The first is opened and saved on the game as it is now; the second is dropped.
    bar.get_by_role("link", name="Open it").tap()
    ready(marker)
    expect(marker.locator("#player label.tile", has_text="Ana").locator("input")).to_be_checked()
    marker.locator("button.tile[value='PRO-13.3']").tap()
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    expect(bar).to_contain_text("1 not accepted", timeout=60_000)
    waits(marker, 1)
    bar.get_by_role("button", name="Drop it").tap()
    bar.get_by_role("button", name="Really drop it?").tap()
    waits(marker, 0)
    assert totals(marker, game) == [20, 0, 20]
