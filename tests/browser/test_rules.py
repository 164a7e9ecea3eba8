"""The page of rules at the table: a rule is found while typing, and a usual dispute is asked."""

import re

import pytest
from playwright.sync_api import expect

from .accessibility import barriers_in_any_light
from .conftest import ready, visit
from .thumb import press

pytestmark = pytest.mark.browser


def test_a_usual_dispute_is_asked_by_the_rules_of_another_hand_and_a_rule_is_found(evening):
    visit(evening, f"{evening.url}/rules")
    evening.get_by_text("Often disputed").tap()
    assert barriers_in_any_light(evening) == []
    swap = evening.locator(".disputes section", has_text="Swapping a Proter")
    swap.get_by_role("link", name="Ask this by the rules of hand 8").tap()
    ready(evening)
    press(evening, re.compile("^Rule on 6")).tap()
    expect(evening.locator("h1.word")).to_have_text("Legal")
    expect(evening.locator("main")).to_contain_text("it is not put on record")
    evening.get_by_role("link", name="Back to the rules").tap()
    expect(swap).to_be_visible()
    ready(evening)
    evening.get_by_role("searchbox").press_sequentially("lay-off claim")
    expect(evening.locator("#found .notice")).to_contain_text("No rule has all of")
    evening.get_by_role("searchbox").fill("proter in hand")
    evening.locator("#found a", has_text="PRO-13.4 Proter in hand").tap()
    expect(evening).to_have_url(re.compile("#PRO-13.4$"))
    expect(evening.locator("[id='PRO-13.4']")).to_be_in_viewport()
