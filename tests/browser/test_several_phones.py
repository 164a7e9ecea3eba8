"""One book on several phones: handed on, written in by two at once, looked at, taken back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import begun, ready, visit
from tests.browser.test_viewers import link

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=re.compile(f"^{name}")).tap()


def well_made(page: Page) -> None:
    """Of a page that test_every_page.py does not open."""
    ready(page)
    assert barriers(page) == []


def total(page: Page, points: str) -> None:
    """Wait until the sheet says what Ben has."""
    expect(page.locator("tfoot td").nth(1)).to_have_text(points)


def mark(phone: Page, card: str) -> None:
    """Ana is out, and Ben is left with one card."""
    phone.locator("#out label", has_text="Ana").tap()
    phone.locator(f'[data-step]:not([hidden]) input[value="{card}"]').tap()
    phone.locator("button.save").tap()


def test_two_phones_keep_one_book_and_a_third_looks_on(phone, new_phone, server):
    game = begun(phone, server, ("Ana", "Ben"), "proter")
    viewer = new_phone()
    visit(viewer, link(phone, game))

    visit(phone, f"{game}/hand-on")
    press(phone, "This game")
    well_made(phone)
    address = phone.locator("[data-copy]").get_attribute("data-copy")
    assert address is not None
    ben = new_phone()
    ben.goto(address)
    well_made(ben)
    ben.get_by_label("Whose phone is this?").fill("Ben")
    press(ben, "Keep the score here")
    ben.wait_for_url(game)

    # Both have the end of the hand open, and both save it.
    for one in (phone, ben):
        visit(one, f"{game}/end")
    mark(ben, "KC")
    expect(ben.locator("h1")).to_contain_text("Hand 2")
    total(viewer, "13")
    mark(phone, "QD")
    both = phone.locator("section", has=phone.get_by_role("heading", name="Two phones at once"))
    expect(both).to_contain_text("Ben, ")
    expect(both.locator("tbody tr").nth(1)).to_have_text(re.compile(r"Ben\s*13 points\s*12 points"))
    well_made(phone)
    # A reload keeps what was entered for that hand.
    phone.reload()
    ready(phone)
    expect(phone.locator("h1")).to_have_text("Correct hand 1")
    expect(phone.locator("#out label", has_text="Ana").locator("input")).to_be_checked()
    expect(phone.locator('#cards-1 input[value="QD"]')).to_be_checked()
    expect(phone.locator(".draft")).to_contain_text("not yet saved")
    phone.locator("button.save").tap()
    expect(phone.locator("#messages .good")).to_contain_text("Hand 1 is corrected")
    for one in (phone, ben):
        one.goto(f"{game}/sheet")
        total(one, "12")
    total(viewer, "12")
    late = new_phone()
    late.goto(viewer.url)
    total(late, "12")

    # The phone that it was lent to is taken off the book, at once.
    visit(phone, f"{server.address}/phones")
    phone.get_by_role("link", name="Ben").tap()
    ready(phone)
    press(phone, "Remove it from the notebook")
    expect(phone.locator("#messages .good")).to_contain_text("Ben no longer keeps the notebook")
    ben.goto(game)
    expect(ben.get_by_role("heading", level=1)).to_have_text(
        "This phone was removed from the notebook"
    )
    well_made(ben)
    total(viewer, "12")
