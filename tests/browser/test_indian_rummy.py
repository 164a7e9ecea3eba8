"""An evening of Indian Rummy on a phone, from setup to paper, worked out by hand (IND-1 … IND-8).

An 8 is turned, so eights are wild, and so are the two printed jokers.
"""

import io
import re

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from .conftest import Taps, begun, ready, visit
from .house import Server
from .thumb import Thumb, tap_cards

pytestmark = pytest.mark.browser

NAMES = ("Ana", "Ben", "Chandi", "Dilani")

# Two clean sequences, a sequence with a joker, and a set with an eight: a Rummy (IND-5).
RUMMY = "4H 5H 6H 7H 9C TC JC 2S XX 4S KC KD 8D"
# With the king of hearts for the jack of clubs there is one clean sequence alone.
NONE = "4H 5H 6H 7H 9C TC KH 2S XX 4S KC KD 8D"
# 4 5 6 7 of hearts and 9 10 J of clubs are clean; two kings of spades are in no set (IND-3).
BENS, BENS_LEFT = "4H 5H 6H 7H 9C TC JC 2S 3D 5D KS KS KC", 2 + 3 + 5 + 10 + 10 + 10
# No clean sequence: every card counts, the eight and the joker nothing (IND-8).
CHANDIS, CHANDIS_LEFT = "8D XX AC AD 3H 5C 7C 9D JD QS KH 4S 6S", 20 + 3 + 5 + 7 + 9 + 30 + 10
WRONG, EARLY = 80, 10


class Evening(Thumb):
    """The marker's thumb on one game of Indian Rummy."""

    def declare(self, name: str, cards: str, taps: Taps) -> None:
        """Ask whether a player's cards are a Rummy, from the hand's page."""
        phone = self.phone
        taps(self.bar("Ruling"))
        ready(phone)
        taps(phone.locator("#ask button[value=declare]"))
        ready(phone)
        tap_cards(phone.locator("form#ask"), cards, taps)
        taps(self.bar(name))
        phone.wait_for_url(re.compile(r"/rulings/\d+"))
        ready(phone)
        assert taps.count == len(cards.split()) + 3

    def rummy(self, name: str, taps: Taps) -> None:
        """End the open hand with a Rummy after which it goes on."""
        taps(self.bar("End the hand"))
        ready(self.phone)
        taps(self.phone.locator("#out label.tile", has_text=name))
        taps(self.bar("Save"))
        self.settled()
        assert taps.count == 3

    def tap_in(self, name: str, cards: str, taps: Taps) -> None:
        """Tap in all the cards of a player, whose step is open."""
        step = self.step(name)
        expect(step).to_be_visible()
        tap_cards(step, cards, taps)


@pytest.fixture
def evening(phone: Page, server: Server) -> Evening:
    """A game that has just begun, in which an 8 was turned by one tap on the hand's page."""
    evening = Evening(phone, "Indian Rummy", NAMES)
    evening.set_up(server)
    phone.locator("button[name=rank][value='8']").tap()
    evening.settled()
    expect(phone.get_by_role("img", name="Turned up: 8")).to_be_visible()
    return evening


def test_an_evening_of_indian_rummy(evening):
    phone = evening.phone
    evening.declare("Ben", NONE, Taps())
    expect(phone.locator(".verdict h1")).to_contain_text("Illegal")
    evening.bar(f"Charge Ben {WRONG}").tap()
    evening.settled()
    evening.declare("Ana", RUMMY, Taps())
    expect(phone.locator(".verdict h1")).to_contain_text("Legal")
    evening.bar("End the hand with it").tap()
    ready(phone)
    expect(phone.locator("#sums")).to_contain_text("Ana takes 13 new cards")
    evening.bar("Save").tap()
    evening.settled()
    expect(phone.locator("h1")).to_have_text("Hand 2")
    evening.charge("Dilani", "IND-7.1")
    expect(phone.locator(".totals li", has_text="Dilani")).to_contain_text("left")
    evening.rummy("Chandi", Taps())
    expect(phone.get_by_role("img", name="Turned up: 8")).to_be_visible()
    wins(evening, Taps())
    assert [*evening.totals().values()] == [0, WRONG + BENS_LEFT, CHANDIS_LEFT, EARLY]
    the_tally(evening)


def wins(evening: Evening, taps: Taps) -> None:
    """Ana declares again; the others' cards are tapped in, and arranged."""
    phone = evening.phone
    taps(evening.bar("End the hand"))
    ready(phone)
    steps = phone.locator(".chips, [data-steps-nav]")  # one question has none before it or after
    expect(steps.locator("visible=true")).to_have_count(0)
    taps(phone.locator("#out label.tile", has_text="Ana"))
    evening.tap_in("Ben", BENS, taps)
    taps(phone.locator("[data-steps-nav] button", has_text="Next"))
    evening.tap_in("Chandi", CHANDIS, taps)
    expect(phone.locator("#sums")).to_contain_text(
        f"Winner: Ana, who is paid {WRONG + BENS_LEFT + CHANDIS_LEFT + EARLY} points"
    )
    taps(evening.bar("Save"))
    evening.settled()
    # A tap a card and four: End the hand, Ana, Next, Save. The second king of spades is a tap too.
    assert taps.count == 13 + 13 + 4
    expect(phone.locator("h1")).to_have_text("Ana wins")


def the_tally(evening: Evening) -> None:
    """Who pays whom, on the screen and on paper."""
    phone = evening.phone
    evening.open("/tally")
    paid = WRONG + BENS_LEFT + CHANDIS_LEFT + EARLY
    expect(phone.locator(".paper .lead")).to_have_text(f"Ana wins and is paid {paid} points.")
    rows = phone.locator("table.standings tbody tr")
    assert rows.locator("th bdi").all_inner_texts() == ["Ana", "Dilani", "Chandi", "Ben"]
    paper = PdfReader(io.BytesIO(phone.pdf(format="A4", prefer_css_page_size=True)))
    first, *others = (" ".join(page.extract_text().split()) for page in paper.pages)
    for name, pays in (("Ben", WRONG + BENS_LEFT), ("Chandi", CHANDIS_LEFT), ("Dilani", EARLY)):
        assert f"{name} pays Ana {pays}" in first
    assert "Rummy" in first
    assert "IND-5" in " ".join(others)


def test_the_steps_of_a_hand_that_may_win_are_named_in_full(phone, server):
    game = begun(phone, server, NAMES[:3], "indian_rummy")
    visit(phone, f"{game}/end?hand=3")
    phone.locator("#out label.tile", has_text="Ana").tap()
    name = phone.locator(".chip bdi").first
    expect(name).to_have_text("Rummy")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
