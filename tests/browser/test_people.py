"""People on a phone: from home to a person, two names that are one person, and apart again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import begun, ready, visit
from tests.browser.thumb import press

pytestmark = pytest.mark.browser


def link(page: Page, name: str | re.Pattern[str]) -> None:
    """Tap a link, by what it says, and wait for the page behind it."""
    page.get_by_role("link", name=name, exact=isinstance(name, str)).first.tap()
    ready(page)


def people(page: Page) -> list[str]:
    return page.locator("a[href^='/people/'] bdi").all_text_contents()


def test_two_games_of_the_same_people_and_two_names_of_one(phone, server, taps):
    for name in ("Ana", "Anna"):
        begun(phone, server, (name, "Ben"), "proter")
    visit(phone, server.address)
    taps(phone.get_by_role("link", name="People", exact=True))
    ready(phone)
    assert sorted(people(phone)) == ["Ana", "Anna", "Ben"]
    taps(phone.get_by_role("link", name=re.compile("^Ana ")))
    expect(phone.locator("h1")).to_have_text("Ana")
    assert taps.count == 2
    ready(phone)

    link(phone, "Change")
    phone.get_by_label("Who is the same person?").select_option("Anna")
    press(phone, "They are one person").tap()
    expect(phone.locator(".notice.good")).to_have_text("Anna is this person from now on.")
    ready(phone)
    expect(phone.get_by_role("link", name="Find games with")).to_have_count(2)

    link(phone, "Change")
    press(phone, "Anna is somebody else").tap()
    expect(phone.locator("h1")).to_have_text("Anna")
    expect(phone.get_by_role("link", name="Find games with")).to_have_count(1)
    ready(phone)
    link(phone, "All people")
    assert sorted(people(phone)) == ["Ana", "Anna", "Ben"]
