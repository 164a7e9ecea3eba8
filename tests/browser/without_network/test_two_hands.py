"""Two phones, one of them without a network: what was entered for a hand stays with that hand."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import arrive, begun, ready, visit
from tests.browser.offline import (
    back_online,
    leave_the_network,
    mark,
    penalty,
    tap_in,
    total,
    waits,
)

pytestmark = pytest.mark.browser

SURE = "Discard this entry? It can't be recovered."


@pytest.fixture
def second(marker: Page, new_phone: Callable[[], Page]) -> Page:
    """A second phone that keeps the same game, at its hand."""
    game = marker.url
    marker.goto(f"{game}/transfer")
    marker.get_by_role("button", name=re.compile("^This game")).tap()
    address = marker.locator("[data-copy]").get_attribute("data-copy")
    well_made(marker)
    page = new_phone()
    page.goto(address or "")
    well_made(page)
    page.get_by_role("button", name="Keep the score here").tap()
    page.wait_for_url(game)
    ready(page)
    visit(marker, game)
    return page


def well_made(page: Page) -> None:
    """Of a page that test_every_page.py does not open."""
    ready(page)
    assert barriers(page) == []


def bar_of(page: Page) -> str:
    """What the list of what waits says, once something of it was refused."""
    bar = page.locator("#waiting")
    expect(bar).to_contain_text("1 not accepted")
    return bar.inner_text()


def open_it(page: Page, heading: str) -> None:
    """Open what was refused: the page that it is answered with says its hand."""
    page.locator("#waiting").get_by_role("button", name="Open it").tap()
    expect(page.locator("h1")).to_have_text(heading)
    well_made(page)


@pytest.mark.parametrize(
    "is_mine", [True, pytest.param(False, marks=pytest.mark.exhaustive)], ids=["mine", "theirs"]
)
def test_a_hand_waits_behind_a_hand_that_both_phones_marked(pocket, house, marker, second, is_mine):
    game = leave_the_network(marker, "hand=3$")
    mark(marker, 1, "Ana", waiting=1, Ben="5C", Chandi="KC")
    mark(second, 1, "Ana", Ben="9C", Chandi="TC")
    penalty(marker, "Ben", 2, waiting=2)
    mark(marker, 2, "Ben", waiting=3, Ana="JC", Chandi="QC")
    back_online(pocket)
    assert "End of hand 1" in bar_of(marker)
    # The hand to go on with is not one of another game.
    visit(marker, begun(marker, house.server, ("Dee", "Ewa"), "proter"))
    assert "Go on" not in bar_of(marker)
    visit(marker, game)
    open_it(marker, "Correct hand 1")
    rows = marker.locator(".versus tbody tr")
    expect(rows.nth(1)).to_have_text(re.compile(r"Ben\s*9 points\s*5 points"))
    expect(rows.nth(2)).to_have_text(re.compile(r"Chandi\s*10 points\s*13 points"))
    if is_mine:
        marker.reload()  # it is still sent in the place of what waits
        arrive(marker, "Correct hand 1")
        marker.locator(".actions .save").tap()
        expect(marker.locator("#messages .good")).to_contain_text("Hand 1 is corrected")
        marker.wait_for_url(f"{game}/hands/1")
        waits(marker, 0)
        visit(marker, game)
    else:
        marker.get_by_role("link", name="Discard mine").tap()
        marker.get_by_role("link", name=SURE).tap()
    expect(marker.locator("h1")).to_contain_text("Hand 3")
    hand_one = {"Ben": 5, "Chandi": 13} if is_mine else {"Ben": 9, "Chandi": 10}
    total(marker, Ana=11, Ben=hand_one["Ben"] + 20, Chandi=hand_one["Chandi"] + 12)
    waits(marker, 0)
    visit(marker, f"{game}/hands/1/correct")  # a draft has nothing of what was discarded
    bens = marker.locator("input[name='cards-1']:checked")
    expect(bens).to_have_attribute("value", "5C" if is_mine else "9C")


@pytest.mark.exhaustive
def test_a_hand_that_another_phone_has_marked_is_not_thrown_in(pocket, marker, second):
    game = leave_the_network(marker, r"/ruling\?ask=turn$")
    visit(marker, f"{game}/throw-in")
    marker.get_by_role("button", name="Throw it in").tap()
    waits(marker, 1)
    mark(second, 1, "Ana", Ben="9C", Chandi="TC")
    back_online(pocket)
    assert "hand 1" in bar_of(marker)
    open_it(marker, "Throwing in hand 1")
    expect(marker.locator("main")).to_contain_text("Yours, not saved Hand 1 thrown in")
    # Hand 1 is corrected instead: that takes its place.
    marker.get_by_role("link", name="Correct hand 1").tap()
    expect(marker.locator("h1")).to_have_text("Correct hand 1")
    ready(marker)
    tap_in(marker, "Ben", "2D")
    marker.locator(".actions .save").tap()
    expect(marker.locator("#messages .good")).to_contain_text("Hand 1 is corrected")
    visit(marker, game)
    expect(marker.locator("h1")).to_contain_text("Hand 2")  # and nothing of it is marked
    expect(marker.locator("main")).not_to_contain_text("Thrown in")


# -- whoever holds the phone ----------------------------------------------------------------------


def test_waiting_entries_are_sent_once_the_phone_has_its_notebook_back(pocket, house, marker):
    game = leave_the_network(marker, "/penalty$")
    penalty(marker, "Ben", waiting=1)
    cookies = pocket.cookies()
    pocket.clear_cookies()
    back_online(pocket)
    expect(marker.locator("#waiting")).to_contain_text("does not keep the score here any more")
    expect(marker.locator("#copy")).to_contain_text("Connected again")  # it was answered
    page = pocket.new_page()
    for address in ("/", "/rules", "/join"):
        page.goto(f"{house.server.address}{address}")
        waits(page, 1)
        bar = page.locator("#waiting")
        expect(bar).to_contain_text("Penalty, hand 1: Ben")
        expect(bar).to_contain_text("This phone does not keep the score here any more.")
        expect(bar).not_to_contain_text("sent automatically")
    page.goto(game)  # an address of a game that this phone may not open
    waits(page, 1)
    # The printed address gives it another notebook, in which there is no such game.
    visit(page, house.server.house)
    expect(bar).to_contain_text("1 not accepted")
    expect(bar).to_contain_text("bring back the notebook in which it was entered")
    bar.get_by_role("link", name="Join from another phone").tap()
    arrive(page, "Keep the score")
    bar.get_by_role("link", name="Use the recovery code").tap()
    arrive(page, "The phone is lost")
    pocket.add_cookies(cookies)
    visit(page, game)
    total(page, Ben=20)
    waits(page, 0)


def test_the_browser_is_asked_to_keep_waiting_entries_and_safari_may_delete_them(pocket, marker):
    pocket.add_init_script(
        """
        navigator.standalone = false; // as Safari has it, not on the home screen
        navigator.storage.persist = async () => {
            localStorage.setItem("asked to keep", "yes");
            return localStorage.getItem("is refused") === null;
        };
        """
    )
    visit(marker, marker.url)
    assert marker.evaluate("localStorage.getItem('asked to keep')") is None
    game = leave_the_network(marker, "/penalty$")
    penalty(marker, "Ben", waiting=1)
    word = marker.locator("#waiting", has_text="Safari deletes this after seven days")
    expect(word).to_have_count(0)
    assert marker.evaluate("localStorage.getItem('asked to keep')") == "yes"
    marker.evaluate("localStorage.setItem('is refused', 'yes')")
    visit(marker, game)
    expect(word).to_have_count(1)
