"""A whole game of Indian Rummy is kept where no server answers, and is paid when one does."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.conftest import arrive, begun, ready, visit
from tests.browser.offline import back_online, kept, open_page, tap_cards, total, waits

pytestmark = pytest.mark.browser

# Two clean sequences, a sequence with a joker, and a set with an eight: a Rummy if eights are wild.
RUMMY = "4H 5H 6H 7H 9C TC JC 2S XX 4S KC KD 8D"
# 4 5 6 7 of hearts and 9 10 J of clubs are clean; two kings of spades are in no set (IND-3).
BENS, BENS_LEFT = "4H 5H 6H 7H 9C TC JC 2S 3D 5D KS KS KC", 2 + 3 + 5 + 10 + 10 + 10
# No clean sequence: every card counts, the eight and the joker nothing (IND-8).
CHANDIS, CHANDIS_LEFT = "8D XX AC AD 3H 5C 7C 9D JD QS KH 4S 6S", 20 + 3 + 5 + 7 + 9 + 30 + 10


def press(page: Page, name: str) -> None:
    """Tap what has that name in the thumb bar."""
    page.locator(".actions").get_by_text(name, exact=True).locator("visible=true").tap()


def on_hand(page: Page, number: int, waiting: int) -> None:
    """The page of the hand is there, and so many acts wait."""
    expect(page.locator("h1")).to_have_text(f"Hand {number}")
    ready(page)
    waits(page, waiting)


def tap_in(page: Page, name: str, cards: str) -> None:
    """Tap in all the cards that a player held."""
    page.locator(".chips .chip", has_text=name).tap()
    thumb.tap_cards(page.locator(f"fieldset[data-step='{name}']"), cards)


@pytest.mark.exhaustive
def test_a_game_of_indian_rummy_is_kept_from_the_turned_card_to_the_second_rummy(
    pocket, house, marker
):
    game = begun(marker, house.server, ("Ana", "Ben", "Chandi"), "indian_rummy")
    visit(marker, game)
    kept(marker, game)
    pocket.set_offline(True)
    marker.locator("button[name=rank][value='9']").tap()
    waits(marker, 1)
    ready(marker)
    open_page(marker, "End the hand", "End of hand 1")
    marker.locator("#out label.tile", has_text="Ana").tap()
    press(marker, "Save")
    on_hand(marker, 2, 2)
    main = marker.locator("main")
    expect(main).to_contain_text("Hand 1 is not saved yet")
    expect(main).to_contain_text("The card turned up was not saved yet when this page was kept")
    # It is thrown in, and another card turned up.
    open_page(marker, "End the hand", "End of hand 2")
    marker.locator("summary", has_text="Thrown in, dealt again").tap()
    marker.get_by_role("button", name="Throw it in, deal again").tap()
    on_hand(marker, 2, 3)
    marker.get_by_role("link", name="Not entered yet?").tap()
    arrive(marker, "The card turned up")
    marker.locator("button[name=rank][value='8']").tap()
    waits(marker, 4)
    ready(marker)
    marker.locator("#waiting").get_by_role("link", name="Go on with hand 2").tap()
    on_hand(marker, 2, 4)
    # Is it Ana's second one? That is ruled on later, and she says so.
    open_page(marker, "Ruling", "What is in dispute?")
    marker.locator("#player label.tile", has_text="Ana").tap()
    marker.locator("#ask button[value=declare]").tap()
    arrive(marker, "What did the player declare?")
    tap_cards(marker, *RUMMY.split())
    marker.locator(".whose button", has_text="Ana").tap()
    on_hand(marker, 2, 5)
    open_page(marker, "End the hand", "End of hand 2")
    bens = marker.locator(".chips .chip", has_text="Ben")
    expect(bens).to_be_hidden()
    marker.locator("#out label.tile", has_text="Ana").tap()
    expect(bens).to_be_hidden()
    marker.locator("#second label.tile", has_text="The first").tap()
    expect(bens).to_be_hidden()
    marker.locator("#second label.tile", has_text="The second").tap()
    tap_in(marker, "Ben", BENS)
    tap_in(marker, "Chandi", CHANDIS)
    press(marker, "Save")
    # The game is won: there is no hand to go on with, but another game.
    expect(marker.locator("h1")).to_have_text("Play again?")
    ready(marker)
    waits(marker, 6)
    expect(marker.locator("#waiting")).not_to_contain_text("Go on")
    marker.get_by_role("link", name="Back").tap()
    on_hand(marker, 1, 6)
    expect(marker.locator("#waiting")).to_contain_text("Go on")
    expect(marker.locator("#waiting")).not_to_contain_text("Go on with hand")
    back_online(pocket)
    expect(marker.locator("h1")).to_have_text("Ana wins")
    ready(marker)
    expect(main).to_contain_text(f"Is paid {BENS_LEFT + CHANDIS_LEFT} points.")
    for name, points in {"Ana": 0, "Ben": BENS_LEFT, "Chandi": CHANDIS_LEFT}.items():
        total(marker, name, points)
    bar = marker.locator("#waiting")
    expect(bar.locator("summary")).to_have_text("ruled on: look")
    bar.get_by_role("link", name="See the ruling").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(main).to_contain_text("in hand 2.")
    ready(marker)
    waits(marker, 0)


def test_a_second_question_waits_in_a_game_without_a_table(pocket, house, marker):
    game = begun(marker, house.server, ("Ana", "Ben"), "indian_rummy")
    visit(marker, game)
    kept(marker, game)
    pocket.set_offline(True)
    for waiting, name in enumerate(("Ana", "Ben"), 1):
        open_page(marker, "Ruling", "What is in dispute?")
        marker.locator("#player label.tile", has_text=name).tap()
        marker.locator("#ask button[value=meld]").tap()
        arrive(marker, "What did the player meld?")
        tap_cards(marker, "5C", "6C", "7C")
        marker.locator(".whose button", has_text=name).tap()
        on_hand(marker, 1, waiting)
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar.get_by_text("Ruled on.")).to_have_count(2)
