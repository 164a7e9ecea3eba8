"""People on a phone: from home to a person in two taps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import begin, ready, visit

pytestmark = pytest.mark.browser


def test_a_person_is_two_taps_from_home(phone, server, taps):
    begin(phone, server, "Ana", "Ben")
    begin(phone, server, "Anna", "Ben")
    visit(phone, server.address)
    taps(phone.get_by_role("link", name="People", exact=True))
    ready(phone)
    found = phone.locator("a[href^='/people/'] bdi").all_text_contents()
    assert sorted(found) == ["Ana", "Anna", "Ben"]
    taps(phone.get_by_role("link", name=re.compile("^Ana ")))
    expect(phone.locator("h1")).to_have_text("Ana")
    assert taps.count == 2
    ready(phone)
