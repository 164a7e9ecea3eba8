"""No ruling rests on what nobody stated. Hand 1; Ana deals, Ben plays first."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import arrive, begin, ready, visit
from .thumb import card, press, ruling_link, whose

pytestmark = pytest.mark.browser


def rules(page: Page, word: str, *says: str) -> None:
    expect(page.locator(".verdict .word")).to_have_text(re.compile(word))
    for sentence in says:
        expect(page.locator("main")).to_contain_text(sentence)


def open_ruling(page: Page, game: str) -> None:
    visit(page, game)
    ruling_link(page).tap()


def discard(page: Page, game: str, player: str, text: str) -> None:
    """Ask about a discard."""
    open_ruling(page, game)
    if player:
        whose(page, player).tap()
    press(page, "Discard").tap()
    card(page, text).tap()


def test_a_meld_that_lies_there_is_named_inside_the_question(evening):
    game = evening.url
    open_ruling(evening, game)
    press(evening, "Lay-off").tap()
    expect(evening.locator("main")).to_contain_text("No meld is on record.")
    for text in ("5C", "6C", "7C"):
        card(evening, text).tap()
    press(evening, "It lies there").tap()
    expect(evening.locator("#onto input:checked")).to_have_count(1)
    card(evening, "8C").tap()
    press(evening, "Dee").tap()
    rules(evening, "Legal", "Added to the record.")
    evening.goto(f"{game}/table")
    expect(evening.locator("[data-melds-list]")).to_contain_text("8")
    # The meld is nobody's: whether Dee laid one is still asked when the hand ends.
    visit(evening, f"{game}/end?out=0")
    evening.locator(".chip", has_text="Dee").tap()
    for text in ("KD", "QD", "TD", "9D", "4D", "2D"):
        evening.locator(f'[id="cards-3"] label:has(input[value="{text}"])').tap()
    expect(evening.get_by_text(re.compile("meld", re.IGNORECASE)).first).to_be_visible()


def in_sight(page: Page, *places: Locator) -> None:
    """Nothing has to be scrolled for: each place is above the buttons at the bottom, and whole."""
    dock = page.locator(".dock").bounding_box()
    assert dock is not None
    for place in places:
        box = place.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= box["y"] + box["height"] <= dock["y"], place


def test_the_verdict_its_facts_and_the_charge_are_in_sight_together(phone, server):
    def looks_right() -> None:
        ready(phone)
        phone.set_viewport_size({"width": 360, "height": 640})
        facts = phone.locator(".rests li, .rest > summary")
        assert facts.count() == 2
        changes = facts.locator(".btn", has_text="Change")
        in_sight(phone, phone.locator(".verdict"), *facts.all(), *changes.all())
        assert all((one.bounding_box() or {})["height"] >= 44 for one in changes.all())
        phone.set_viewport_size({"width": 640, "height": 360})
        in_sight(phone, *phone.locator(".verdict :is(.word, .ruleno), .rests li").all())
        phone.set_viewport_size({"width": 360, "height": 640})

    begin(phone, server, "Ana", "Ben", "Chidi")
    discard(phone, phone.url, "Ana", "TH")
    arrive(phone, "What was on top of the pile")
    card(phone, "TD").tap()
    rules(phone, "Illegal", "PRO-11")
    looks_right()
    phone.locator("summary", has_text="Who plays").tap()
    in_sight(phone, press(phone, "Ben"), press(phone, "Chidi"))
    begin(phone, server, "Ana", "Ben", "Chidi", game="carioca")
    open_ruling(phone, phone.url)
    press(phone, "Lay-off").tap()
    for text in ("8C", "8D", "8H"):
        card(phone, text).tap()
    press(phone, "It lies there").tap()
    expect(phone.locator("#onto input:checked")).to_have_count(1)
    card(phone, "8S").tap()
    press(phone, "Ben").tap()
    press(phone, "Not yet").tap()
    rules(phone, "Illegal", "CAR-5")
    looks_right()
