"""A hand of Indian Chief on a phone: melds tapped in, a suit named, the seven parted."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .accessibility import barriers
from .conftest import begin, ready, visit
from .house import Server
from .sending import send
from .test_taps_end import SEEN
from .thumb import press, tap_cards

pytestmark = pytest.mark.browser


@pytest.fixture
def chief(phone: Page, server: Server) -> Page:
    """The phone at the first hand of a game of four, with two packs."""
    return begin(phone, server, "Ana", "Ben", "Cem", "Dee", game="indian_chief")


def card(page: Page, text: str) -> Locator:
    return page.locator(f'[data-step]:not([hidden]) .c:not([hidden]) input[value="{text}"]')


def told(page: Page) -> Locator:
    return page.locator("[data-step]:not([hidden]) output")


def test_the_five_poker_cards_are_tapped_and_survive_a_reload(chief):
    chief.get_by_role("link", name="End the round").tap()
    ready(chief)
    expect(chief.locator(".apart:visible")).to_have_count(0)
    tap_cards(chief.locator("[data-step]:not([hidden])"), "KC KC 5H 5S 5C 9C 9D")
    for key in range(5):  # 5♣ 9♣ K♣ K♣ 9♦: two pair, 15, and 5 + 5 is 0 at baccarat
        chief.locator(".apart:visible .k").nth(key).tap()
    ana = chief.locator("#sums tbody tr").first
    expect(ana).to_contain_text(re.compile(r"two pair.*15\s*15", re.DOTALL))
    assert barriers(chief) == []
    chief.reload()
    ready(chief)
    expect(ana).to_contain_text(re.compile(r"two pair.*15\s*15", re.DOTALL))
    chief.locator(".chip").first.tap()
    card(chief, "9D").tap()
    expect(told(chief)).to_have_text("6 cards · Doctor")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "9D 9D")
    expect(told(chief)).to_have_text("8 cards · no box")
    card(chief, "9D").tap()  # gives both back: a Doctor now, and nothing is parted
    expect(told(chief)).to_have_text("6 cards · Doctor")
    expect(chief.locator(".apart:visible")).to_have_count(0)


def test_a_round_by_points_costs_a_box_and_its_digits_for_each_player(chief, taps):
    taps(chief.get_by_role("link", name="End the round"))
    ready(chief)
    taps(chief.locator(".seg label", has_text="Points"))
    for name in ("Ana", "Ben", "Cem", "Dee"):
        shown = chief.locator("fieldset.holder > legend", has_text=name)
        shown.scroll_into_view_if_needed()
        assert shown.evaluate(SEEN)
    # 7 of a Thief, 16 of a Rich Man, 25 of a Lawyer, 20 of a Doctor.
    for seat, (box, points) in enumerate((("1", "7"), ("5", "16"), ("4", "25"), ("6", "20"))):
        taps(chief.locator(f'label:has([name="box-{seat}"][value="{box}"])'))
        chief.locator(f"#points-{seat}").fill(points)
    expect(chief.locator("#sums")).to_contain_text("Nothing is missing: this can be saved.")
    taps(press(chief, "Save"))
    expect(chief.locator("h1")).to_contain_text("Round 2")
    assert taps.count == 4 + 3  # a box for each player; the end of the round, by points, save
    expect(chief.locator(".totals")).to_contain_text("−16")


def test_what_is_refused_is_not_done_on_its_chip(chief):
    # Four sevens of another suit each: everybody's Thief.
    shown = [(f"cards-{seat}", f"7{suit}") for seat, suit in enumerate("CDHS")]
    send(chief, f"{chief.url}/end", shown)
    visit(chief, f"{chief.url}/end")
    chip = chief.locator(".chip").first
    card(chief, "7C").tap()
    expect(told(chief)).to_have_text("1 card · Thief: filled in round 1")
    expect(chief.locator("#sums")).to_contain_text("Ana filled the box Thief in round 1")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "AH 2C 3C 4C 5C")
    expect(chip).to_contain_text("look")  # a Doctor without its suit
    expect(chief.locator("#sums")).to_contain_text("The most is 50, with clubs.")
    chief.locator('label:has([name="suit-0"][value="C"])').tap()
    expect(chip).to_contain_text("done")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "8C 9C")
    expect(chip).to_contain_text("look")  # eight cards
