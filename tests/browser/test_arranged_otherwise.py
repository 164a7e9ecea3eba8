"""What a player insists on at the end of a hand of Pay Me survives a reload of the marks."""

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import begin, ready

pytestmark = pytest.mark.browser


def left(page: Page) -> Locator:
    """The cards of Ben's that are marked as left."""
    return page.locator("#left-1 label.c:has(input:checked)")


def test_another_arrangement_survives_a_reload(phone, server):
    begin(phone, server, "Ana", "Ben", game="pay_me")
    phone.get_by_role("link", name="End the hand").tap()
    ready(phone)
    phone.locator("#out label.tile", has_text="Ana").tap()
    phone.locator(".chips .chip", has_text="Ben").tap()
    ben = phone.locator("fieldset[data-step='Ben']")
    # A run of clubs: nothing would be left of it, but Ben counts the five and the six.
    for card in ("5C", "6C", "7C"):
        ben.locator(f"label.c:has(input[value='{card}'])").first.tap()
    ben.locator("label.switch", has_text="otherwise").tap()
    expect(phone.locator("#left-1 label.c")).to_have_count(3)
    expect(left(phone)).to_have_count(0)
    for card in ("5C", "6C"):
        phone.locator(f"#left-1 label.c:has(input[value='{card}'])").tap()
        expect(left(phone).filter(has=phone.locator(f"input[value='{card}']"))).to_have_count(1)
    sums = phone.locator("#sums tbody tr", has_text="Ben")
    expect(sums).to_contain_text("10 in 2 cards")  # ace to seven count 5 (PAY-10)
    phone.reload()
    ready(phone)
    expect(left(phone)).to_have_count(2)
    expect(sums).to_contain_text("10 in 2 cards")
