"""People and seasons on a phone: the way to a person, a season's link, settling up."""

import re

import pytest
from playwright.sync_api import expect

from companion.notebook.events import GameEnded
from tests.browser.conftest import begun, ready, visit
from tests.browser.sending import import_game
from tests.browser.thumb import press
from tests.notebook.evening import Evening, started
from tests.services.seven_at_table import as_file

pytestmark = pytest.mark.browser


def test_a_person_is_two_taps_from_home(phone, server, taps):
    for name in ("Ana", "Anna"):
        begun(phone, server, (name, "Ben"), "proter")
    visit(phone, server.address)
    taps(phone.get_by_role("link", name="People", exact=True))
    ready(phone)
    found = phone.locator("a[href^='/people/'] bdi").all_text_contents()
    assert sorted(found) == ["Ana", "Anna", "Ben"]
    taps(phone.get_by_role("link", name=re.compile("^Ana ")))
    expect(phone.locator("h1")).to_have_text("Ana")
    assert taps.count == 2
    ready(phone)


def test_a_season_is_two_taps_from_home_and_its_form_a_third(phone, server, taps):
    visit(phone, server.address)
    taps(phone.get_by_role("link", name="Seasons", exact=True))
    ready(phone)
    taps(phone.get_by_role("link", name="New season"))
    ready(phone)
    phone.get_by_label("Name", exact=True).fill("The cup")
    taps(press(phone, "Save"))
    expect(phone.locator("h1")).to_have_text("The cup")
    assert taps.count == 3


def test_a_game_is_settled_by_what_was_chosen_alone(phone, server):
    evening = Evening(started(("Ana", "Ben", "Cem")))
    evening.mark_hands(1)
    evening.write(GameEnded(2))
    visit(phone, f"{import_game(phone, server.address, as_file(evening))}/tally")
    phone.locator("summary", has_text="Settle up").tap()
    expect(phone.get_by_label("Prizes, from")).to_be_hidden()
    phone.locator("label.tile", has_text="Prizes").tap()
    expect(phone.get_by_label("What a point costs")).to_be_hidden()
    press(phone, "Show who pays whom").tap()
    expect(phone.locator(".summary")).to_be_in_viewport()
    phone.locator("label.tile", has_text="For points").tap()
    phone.get_by_label("What a point costs").fill("0,05")
    phone.get_by_label("Currency sign").fill("€")
    press(phone, "Show who pays whom").tap()
    # A queen: 12 points.
    expect(phone.locator("#settled li").first).to_have_text("Ben pays Ana €0.60")
    expect(phone.locator("#settled")).to_be_in_viewport()
