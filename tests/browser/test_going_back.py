"""What the browser's own back button may not do."""

import pytest
from playwright.sync_api import expect

from .conftest import begin, ready

pytestmark = pytest.mark.browser


def test_going_back_after_a_hand_does_not_mark_the_next_one_with_its_cards(phone, server):
    begin(phone, server, "Ana", "Ben")
    phone.get_by_role("link", name="End the hand").tap()
    ready(phone)
    phone.locator("#out label", has_text="Ana").tap()
    phone.locator('#cards-1 label:has(input[value="5C"])').tap()
    phone.get_by_role("button", name="Save", exact=True).tap()
    expect(phone.locator("h1")).to_contain_text("Hand 2 of 13")
    phone.go_back()
    ready(phone)
    expect(phone.locator("h1")).to_have_text("End of hand 2")
    expect(phone.locator("#end input:checked:not([name=by])")).to_have_count(0)
    phone.get_by_role("button", name="Save", exact=True).tap()
    expect(phone.locator(".summary")).to_contain_text("Say who went out")


def test_a_half_entered_hand_is_there_after_going_on_and_back(phone, server):
    begin(phone, server, "Ana", "Ben")
    phone.get_by_role("link", name="End the hand").tap()
    ready(phone)
    phone.locator("#out label", has_text="Ana").tap()
    phone.locator('#cards-1 label:has(input[value="5C"])').tap()
    phone.get_by_role("link", name="Rules", exact=True).tap()
    expect(phone.locator("h1")).not_to_have_text("End of hand 1")
    phone.go_back()
    ready(phone)
    expect(phone.locator("#end input:checked:not([name=by])")).to_have_count(2)
    expect(phone.locator('#cards-1 input[value="5C"]')).to_be_checked()


def test_a_half_entered_penalty_is_there_after_going_on_and_back_until_it_is_charged(phone, server):
    begin(phone, server, "Ana", "Ben")
    phone.get_by_role("link", name="Penalty", exact=True).tap()
    ready(phone)
    chosen = phone.locator("#player input:checked")
    phone.locator("#player label.tile", has_text="Ben").tap()
    phone.get_by_label("Reason").fill("Spilled tea")
    phone.get_by_role("link", name="Rules", exact=True).tap()
    expect(phone.locator("h1")).not_to_contain_text("Penalty")
    phone.go_back()
    ready(phone)
    expect(chosen).to_have_attribute("value", "1")
    expect(phone.get_by_label("Reason")).to_have_value("Spilled tea")
    phone.locator("#points").fill("15")
    phone.get_by_role("button", name="Add the points").tap()
    expect(phone.locator(".totals li", has_text="Ben").locator("b")).to_have_text("15")
    phone.get_by_role("link", name="Penalty", exact=True).tap()
    ready(phone)
    expect(chosen).to_have_count(0)


def test_cancel_leaves_the_form_and_drops_what_was_entered(phone, server):
    begin(phone, server, "Ana", "Ben")
    phone.get_by_role("link", name="End the hand").tap()
    ready(phone)
    phone.locator("#out label", has_text="Ana").tap()
    phone.get_by_role("link", name="Cancel", exact=True).tap()
    expect(phone.locator("h1")).to_contain_text("Hand 1")
    phone.get_by_role("link", name="End the hand").tap()
    ready(phone)
    expect(phone.locator("#end input:checked:not([name=by])")).to_have_count(0)
