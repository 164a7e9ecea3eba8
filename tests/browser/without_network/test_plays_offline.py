"""Several plays of one question are put together on the phone where the server does not answer."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import arrive, begun, ready, visit
from tests.browser.offline import (
    back_online,
    kept,
    mark,
    open_page,
    tap_cards,
    waits,
)
from tests.browser.sending import listed, send

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    """Tap the one button of that name."""
    page.get_by_role("button", name=name, exact=True).tap()


def steps(page: Page, *plays: str) -> None:
    """The list has these plays, as people write them."""
    texts = [re.sub("([♣♦♥♠])", "\\1\ufe0e", play) for play in plays]
    expect(page.locator(".steps li .row > span")).to_have_text(texts)


def question(page: Page, who: str, play: str) -> None:
    """Ask about a play of somebody, from the page of the hand."""
    open_page(page, "Ruling", "What is in dispute?")
    page.locator("#player label.tile", has_text=who).tap()
    page.locator("button[name=ask]", has_text=play).tap()
    arrive(page, re.compile("the player"))
    expect(page.locator("#copy")).to_contain_text("no connection")
    if play != "Meld":  # the last tap says whose it was
        player = page.locator("#player label.tile", has_text=who)
        expect(player.locator("input")).to_be_checked()


def test_a_turn_and_a_meld_of_the_next_hand_are_asked_about_without_a_network(pocket, marker):
    game = marker.url
    # In hand 1 the aces are wild: this one is the 6 of clubs.
    run = [("player", "1"), *listed("cards", "5C AS 7C"), ("add", "meld")]
    send(marker, f"{game}/table", run)
    visit(marker, game)
    kept(marker, game)
    pocket.set_offline(True)
    question(marker, "Ana", "A whole turn")
    tap_cards(marker, "9D", "9H", "9S")
    press(marker, "Meld")
    steps(marker, "Meld 9♦ 9♥ 9♠")
    expect(marker.locator(".c:has([value='9H'])")).to_contain_text("turn")
    expect(marker.locator("input[value='9H']")).to_be_disabled()
    press(marker, "Discard")
    expect(marker.locator("#cards-error")).to_have_text("Tap the cards that were played.")
    tap_cards(marker, "KS")
    press(marker, "Discard")
    expect(marker.locator("input[value='AS']")).to_be_disabled()
    tap_cards(marker, "6C")
    press(marker, "Swap into meld 1")
    expect(marker.locator("input[value='AS']")).to_be_enabled()
    tap_cards(marker, "8C")
    press(marker, "Lay off on meld 1")
    swap = "Swap 6♣ on 5♣ A♠ for 6♣ 7♣"
    steps(marker, "Meld 9♦ 9♥ 9♠", "Discard K♠", swap, "Lay-off 8♣ on 5♣ 6♣ 7♣")
    expect(marker.locator(".targets .row")).to_have_count(2)
    expect(marker.locator(".targets .row").first).to_contain_text("5♣\ufe0e 6♣\ufe0e 7♣\ufe0e 8♣")
    press(marker, "Take play 2 out")
    expect(marker.locator("input[value='KS']")).to_be_enabled()
    # The page may be closed and opened again.
    marker.reload()
    ready(marker)
    steps(marker, "Meld 9♦ 9♥ 9♠", swap, "Lay-off 8♣ on 5♣ 6♣ 7♣")
    ana = marker.locator("#player label.tile", has_text="Ana")
    expect(ana.locator("input")).to_be_checked()
    tap_cards(marker, "QS")
    press(marker, "Discard")
    press(marker, "Rule on it")
    arrive(marker, "Hand 1")
    bar = marker.locator("#waiting")
    expect(bar.locator("summary")).to_contain_text("1 waiting to be saved, 1 for a ruling")
    expect(bar.locator("li b")).to_have_text("Ruling: A whole turn, hand 1: Ana")
    # Ben went out. In hand 2 the 2 is the Proter, and the table is empty.
    mark(marker, 1, "Ben", Ana="JC", Chandi="QC")
    arrive(marker, "Hand 2")
    question(marker, "Chandi", "Meld")
    expect(marker.locator("main")).to_contain_text("Hand 1 is not saved yet")
    expect(marker.locator("input[value='2S']")).to_have_attribute(
        "aria-label", "2 of spades, the Proter"
    )
    tap_cards(marker, "5C", "6C", "7C")
    press(marker, "Chandi")
    arrive(marker, "Hand 2")
    waits(marker, 3)
    # The turn ended with a discard, and nobody has said what lay on the pile.
    back_online(pocket)
    expect(bar).to_contain_text("1 to be answered: look")
    expect(bar).to_contain_text("It asks: What was on top of the pile before Q♠")
    waits(marker, 3)
    bar.get_by_role("button", name="Answer it").tap()
    arrive(marker, "What was on top of the pile before Q♠")
    press(marker, "The pile was empty")
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Ana: lay-off 8♣\ufe0e on")
    # The other one is given in its hand.
    expect(bar).to_contain_text("Ruled on.")
    bar.get_by_role("link", name="See the ruling").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Chandi: meld 5♣")
    expect(marker.locator("main")).to_contain_text("in hand 2.")
    ready(marker)
    expect(bar).to_have_count(0)


def test_first_melds_go_on_when_the_server_is_gone_and_are_ruled_on_when_it_is_back(
    pocket, house, marker
):
    # Hand 1 asks for two sets.
    game = begun(marker, house.server, ("Ana", "Ben", "Chandi"), "contract_rummy")
    visit(marker, f"{game}/ruling?ask=contract&player=0")
    tap_cards(marker, "8C", "8D", "8H")
    press(marker, "Next meld")
    steps(marker, "8♣ 8♦ 8♥")
    ready(marker)
    house.kill()
    tap_cards(marker, "KC", "KD", "KH")
    press(marker, "Next meld")
    steps(marker, "8♣ 8♦ 8♥", "K♣ K♦ K♥")
    expect(marker.locator("main")).to_contain_text("put together on this phone")
    expect(marker.locator("#trouble")).to_be_hidden()
    press(marker, "Take meld 1 out")
    steps(marker, "K♣ K♦ K♥")
    tap_cards(marker, "9C", "9D", "9H")
    house.start()
    marker.locator(".actions button.wide").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".played")).to_have_count(2)
    expect(marker.locator(".played").first).to_contain_text("K♣")
