"""An evening of Indian Rummy on a phone, worked out by hand (IND-1 … IND-8).

An 8 is turned, so eights are wild, and so are the two printed jokers.
"""

import re

import pytest
from playwright.sync_api import expect

from .conftest import Taps, ready
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
PAID = WRONG + BENS_LEFT + CHANDIS_LEFT + EARLY


class Evening(Thumb):
    """The marker's thumb on one game of Indian Rummy."""

    def declare(self, name: str, cards: str) -> None:
        """Ask whether a player's cards are a Rummy, from the hand's page."""
        phone, taps = self.phone, Taps()
        taps(self.bar("Ruling"))
        ready(phone)
        taps(phone.locator("#ask button[value=declare]"))
        ready(phone)
        tap_cards(phone.locator("form#ask"), cards, taps)
        taps(self.bar(name))
        phone.wait_for_url(re.compile(r"/rulings/\d+"))
        ready(phone)
        assert taps.count == len(cards.split()) + 3

    def rummy(self, name: str, **left: str) -> None:
        """End the open hand with a Rummy; if it wins, with the cards of the others."""
        phone, taps = self.phone, Taps()
        taps(self.bar("End the hand"))
        ready(phone)
        steps = phone.locator(".chips, [data-steps-nav]")  # one question has none around it
        expect(steps.locator("visible=true")).to_have_count(0)
        taps(phone.locator("#out label.tile", has_text=name))
        for other, cards in left.items():
            if other != next(iter(left)):
                taps(phone.locator("[data-steps-nav] button", has_text="Next"))
            expect(self.step(other)).to_be_visible()
            tap_cards(self.step(other), cards, taps)
        if left:
            chip = phone.locator(".chip bdi").first
            expect(chip).to_have_text("Rummy")
            assert chip.evaluate("chip => chip.scrollWidth <= chip.clientWidth")
            expect(phone.locator("#sums")).to_contain_text(f"Winner: {name}, who is paid {PAID}")
        taps(self.bar("Save"))
        self.settled()
        # A tap a card; the second king of spades is a tap too. And Next between two players.
        assert taps.count == 3 + 13 * len(left) + max(0, len(left) - 1)


def test_an_evening_of_indian_rummy(phone, server):
    evening = Evening(phone, "Indian Rummy", NAMES)
    evening.set_up(server)
    phone.locator("button[name=rank][value='8']").tap()
    evening.settled()
    evening.declare("Ben", NONE)
    expect(phone.locator(".verdict h1")).to_contain_text("Illegal")
    evening.bar(f"Charge Ben {WRONG}").tap()
    evening.settled()
    evening.declare("Ana", RUMMY)
    expect(phone.locator(".verdict h1")).to_contain_text("Legal")
    evening.bar("End the hand with it").tap()
    ready(phone)
    expect(phone.locator("#sums")).to_contain_text("Ana takes 13 new cards")
    evening.bar("Save").tap()
    evening.settled()
    expect(phone.locator("h1")).to_have_text("Hand 2")
    evening.charge("Dilani", "IND-7.1")
    expect(phone.locator(".totals li", has_text="Dilani")).to_contain_text("left")
    evening.rummy("Chandi")
    expect(phone.get_by_role("img", name="Turned up: 8")).to_be_visible()
    evening.rummy("Ana", Ben=BENS, Chandi=CHANDIS)
    expect(phone.locator("h1")).to_have_text("Ana wins")
    assert [*evening.totals().values()] == [0, WRONG + BENS_LEFT, CHANDIS_LEFT, EARLY]
