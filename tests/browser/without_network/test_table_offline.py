"""What waits to be recorded on the table can be laid off on, swapped into and asked about."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import arrive, ready, visit
from tests.browser.offline import back_online, kept, mark, open_page, tap_cards, waits

pytestmark = pytest.mark.browser


def faces(cards: str) -> str:
    """Cards as pages have them."""
    return re.sub("([♣♦♥♠])", "\\1\ufe0e", cards)


def of(page: Page, who: str) -> None:
    """It was a play of this player."""
    page.locator("#player label.tile", has_text=who).tap()


def table(page: Page) -> None:
    """Open the recorded table from the page of the hand."""
    there = page.locator("a", has_text="Record")
    if not there.is_visible():
        page.locator("summary", has_text="The table as recorded").tap()
    there.tap()
    arrive(page, "The recorded table")


def record(page: Page, who: str, *cards: str) -> None:
    """Record a meld on the page of the table, where it waits."""
    of(page, who)
    tap_cards(page, *cards)
    page.locator(".actions button", has_text="Meld").tap()
    ready(page)


def lie(page: Page, *melds: str) -> None:
    """These melds are shown as the table, each waiting to be saved."""
    expect(page.locator("[data-melds-list] p")).to_have_text(
        [f"{faces(meld)} waits" for meld in melds]
    )


def question(page: Page, who: str, play: str) -> None:
    """Ask about a play of somebody, from the page of the hand."""
    open_page(page, "Ruling", "What is in dispute?")
    of(page, who)
    page.locator("button[name=ask]", has_text=play).tap()
    arrive(page, re.compile("the player|Which meld lies there"))


def onto(page: Page, meld: str) -> None:
    """Choose one of the melds that lie there."""
    page.locator("#onto label.tile", has_text=faces(meld)).tap()


def test_a_meld_that_waits_is_laid_off_on_and_swapped_into(pocket, marker):
    game = marker.url
    kept(marker, game)
    pocket.set_offline(True)
    open_page(marker, "Ruling", "What is in dispute?")
    marker.locator("button[name=ask]", has_text="Lay-off").tap()
    expect(marker.locator("main")).to_contain_text("No meld is on record.")
    ready(marker)
    visit(marker, game)
    # In hand 1 the aces are wild: this one is the 6 of clubs.
    table(marker)
    record(marker, "Ben", "5C", "AS", "7C")
    waits(marker, 1)
    lie(marker, "5♣ 7♣ A♠")
    expect(marker.locator("#cards input[value='5C']")).to_be_disabled()
    record(marker, "Chandi", "9D", "9H", "9S")
    lie(marker, "5♣ 7♣ A♠", "9♦ 9♥ 9♠")
    visit(marker, game)
    question(marker, "Ben", "Lay-off")
    expect(marker.locator("#onto label.tile")).to_have_count(2)
    onto(marker, "5♣ 7♣ A♠")
    tap_cards(marker, "8C")
    marker.locator(".whose button", has_text="Ben").tap()
    arrive(marker, "Hand 1")
    question(marker, "Chandi", "Swap")
    expect(marker.locator("p", has_text="can be swapped out")).to_be_hidden()
    onto(marker, "5♣ 7♣ A♠ 8♣")
    marker.locator("#card button[value='6C']").tap()
    arrive(marker, "Hand 1")
    waits(marker, 4)
    # A whole turn begins on all of it.
    question(marker, "Ana", "A whole turn")
    rows = marker.locator(".targets .row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(faces("5♣ 7♣ 6♣ 8♣"))
    visit(marker, game)
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar.get_by_text("Ruled on.")).to_have_count(2)
    bar.get_by_role("link", name="See the ruling").first.tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Ben: lay-off 8♣\ufe0e on")
    ready(marker)
    bar.get_by_role("link", name="See the ruling").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Chandi: swap 6♣")


@pytest.mark.exhaustive
def test_the_table_of_the_next_hand_is_recorded_and_asked_about_before_it_has_begun(pocket, marker):
    game = marker.url
    kept(marker, game)
    pocket.set_offline(True)
    table(marker)
    record(marker, "Ben", "JD", "JH", "JS")
    lie(marker, "J♦ J♥ J♠")
    visit(marker, game)
    mark(marker, 1, "Ben", Ana="JC", Chandi="QC")
    arrive(marker, "Hand 2")
    # What lay there in hand 1 is gone. In hand 2 the 2 is the Proter.
    table(marker)
    expect(marker.locator("main")).to_contain_text("No meld is recorded in this hand.")
    record(marker, "Chandi", "9D", "9H", "9S")
    lie(marker, "9♦ 9♥ 9♠")
    visit(marker, f"{game}?hand=2")
    # The meld that is in dispute comes to lie there if it is legal.
    question(marker, "Chandi", "Meld")
    tap_cards(marker, "5C", "6C", "7C")
    marker.locator(".whose button", has_text="Chandi").tap()
    arrive(marker, "Hand 2")
    question(marker, "Chandi", "Lay-off")
    onto(marker, "5♣ 6♣ 7♣")
    tap_cards(marker, "8C")
    marker.locator(".whose button", has_text="Chandi").tap()
    arrive(marker, "Hand 2")
    waits(marker, 5)
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar.get_by_text("Ruled on.")).to_have_count(2)
    bar.get_by_role("link", name="See the ruling").last.tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Chandi: lay-off 8♣\ufe0e on")
    expect(marker.locator("main")).to_contain_text("in hand 2.")
