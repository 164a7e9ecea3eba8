"""The next game of the same people begins where no server answers, and is saved when one does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import arrive, ready, visit
from tests.browser.offline import back_online, charge, kept, mark, open_page, total, waits
from tests.browser.sending import send

pytestmark = pytest.mark.browser


def kept_until(page: Page, game: str, hand: int) -> None:
    """Wait until the phone has what marks that hand of the next game, and all that comes before."""
    kept(page, game, rf"/penalty\?follows=\w+&hand={hand}$")


def on_hand(page: Page, number: int, waiting: int) -> None:
    """The page of the hand is there, and so many acts wait."""
    arrive(page, f"Hand {number}")
    waits(page, waiting)


def begin_next(page: Page, waiting: int) -> None:
    """Begin the next game, from the page that asks for it; then so many acts wait."""
    expect(page.locator("h1")).to_have_text("Play again?")
    ready(page)
    expect(page.locator("main")).to_contain_text("Ben deals first.")
    page.get_by_role("button", name="Start with Ana, Ben, Chandi").tap()
    on_hand(page, 1, waiting)
    expect(page.locator("main")).to_contain_text("The start of this game is not saved yet")


def test_the_last_hand_and_the_next_game_are_kept_without_the_server(pocket, house, marker):
    game = marker.url
    points = [("by", "points"), ("points-1", "5"), ("points-2", "10")]
    cards = [("by", "cards"), ("cards-1", "5C"), ("cards-2", "TC")]
    for left in (*[points] * 11, cards):
        send(marker, f"{game}/end", [("out", "0"), *left, ("rest", "melded")])
    visit(marker, game)
    kept_until(marker, game, 3)
    house.kill()
    mark(marker, 13, "Ana", Ben="5C", Chandi="QC")  # 5 and 12
    waits(marker, 1)
    begin_next(marker, 2)
    turns = marker.locator("dl.turns")
    expect(turns).to_contain_text("Ben")
    open_page(marker, "Penalty", "Penalty")
    charge(marker, "Chandi")
    on_hand(marker, 1, 3)
    mark(marker, 1, "Ben", Ana="6C", Chandi="KC")  # 6, and 20 + 13
    on_hand(marker, 2, 4)
    # The tab is closed, and the app opened from the home screen: it leads on to the next game.
    marker.close()
    other = pocket.new_page()
    other.goto(f"{house.server.address}/")
    on_hand(other, 13, 4)
    bar = other.locator("#waiting")
    bar.locator("summary").tap()
    expect(bar.locator("li b")).to_have_text(
        [
            "End of hand 13",
            "New game: Ana, Ben, Chandi",
            "Penalty, hand 1: Chandi, Touched stock or pile",
            "End of hand 1",
        ]
    )
    bar.get_by_role("link", name="Go on with hand 2").tap()
    on_hand(other, 2, 4)
    mark(other, 2, "Chandi", Ana="9C", Ben="JC")  # 9 and 11
    on_hand(other, 3, 5)
    house.start()
    back_online(pocket)
    for name, points in {"Ana": 15, "Ben": 11, "Chandi": 33}.items():
        total(other, name, points)
    waits(other, 0)
    expect(other.locator("h1")).to_contain_text("Hand 3")
    other.goto(game)
    expect(other.locator("h1")).to_have_text("Ana wins")
    for name, points in {"Ana": 0, "Ben": 12 * 5 + 5, "Chandi": 12 * 10 + 12}.items():
        total(other, name, points)


@pytest.mark.exhaustive
def test_what_is_entered_in_the_next_game_waits_behind_what_begins_it(pocket, marker):
    game = marker.url
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    on_hand(marker, 2, 0)
    kept_until(marker, game, 1)
    pocket.set_offline(True)
    visit(marker, f"{game}/manage")
    marker.get_by_role("link", name="Rematch").tap()
    begin_next(marker, 1)
    open_page(marker, "Penalty", "Penalty")
    charge(marker, "Chandi")
    on_hand(marker, 1, 2)
    # Meanwhile the game before is deleted on another phone.
    send(marker, f"{game}/delete", [])
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar).to_contain_text("Not saved: This game is deleted. Restore it to play it again.")
    expect(bar).to_contain_text("It waits for the one above.")
    waits(marker, 2)
    send(marker, f"{game}/manage", [], f"{game}/restore")
    bar.get_by_role("button", name="Open it").tap()
    total(marker, "Chandi", 20)
    waits(marker, 0)
    expect(marker.locator("h1")).to_contain_text("Hand 1")
