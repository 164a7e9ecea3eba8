"""Questions that are asked without a network wait, and are ruled on when there is one."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import arrive, begin, begun, ready, visit
from tests.browser.offline import (
    back_online,
    leave_the_network,
    mark,
    on_hand,
    open_page,
    question,
    rule_on,
    see_a_ruling,
    total,
    waits,
)
from tests.browser.sending import listed, send
from tests.browser.thumb import press, tap_cards, whose

pytestmark = pytest.mark.browser


def test_a_second_question_waits_in_a_game_without_a_table(pocket, phone, server):
    marker = begin(phone, server, "Ana", "Ben", game="indian_rummy")
    game = leave_the_network(marker, r"/ruling\?ask=meld$")
    for waiting, name in enumerate(("Ana", "Ben"), 1):
        question(marker, name, "meld")
        tap_cards(marker, "5C 6C 7C")
        rule_on(marker, name)
        on_hand(marker, 1, waiting)
    first, _second = marker.locator("#waiting li b").all()
    expect(first).to_have_text("Ruling: Meld, hand 1: Ana, 5♣\ufe0e 6♣\ufe0e 7♣\ufe0e")
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar.get_by_text("Ruled on.")).to_have_count(2)
    expect(bar.locator("summary")).to_have_text("2 rulings given")
    # They take no room where another game is marked.
    told = bar.locator("details")
    expect(told).to_have_attribute("open", "")
    visit(marker, begun(marker, server, ("Chandi", "Dee"), "proter"))
    expect(bar.locator("summary")).to_have_text("2 rulings given")
    expect(told).not_to_have_attribute("open", "")
    visit(marker, game)
    expect(told).to_have_attribute("open", "")


# -- several plays of one question ----------------------------------------------------------------


def faces(cards: str) -> str:
    """Cards as pages have them."""
    return re.sub("([♣♦♥♠])", "\\1\ufe0e", cards)


def steps(page: Page, *plays: str) -> None:
    """The list has these plays, as people write them."""
    expect(page.locator(".steps li .row > span")).to_have_text([*map(faces, plays)])


def test_a_turn_and_a_meld_of_the_next_hand_are_asked_about_without_a_network(pocket, marker):
    game = marker.url
    # In hand 1 the aces are wild: this one is the 6 of clubs.
    run = [("player", "1"), *listed("cards", "5C AS 7C"), ("add", "meld")]
    send(marker, f"{game}/table", run)
    # One ruling that can be read without a network: J, Q and K of diamonds, a run.
    visit(marker, f"{game}/ruling?ask=meld&player=2")
    tap_cards(marker, "JD QD KD")
    marker.locator(".actions button").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    visit(marker, game)
    leave_the_network(marker, r"ruling\?hand=2&ask=meld")
    marker.locator("nav.tabs a", has_text="Rulings").tap()
    marker.locator("a.item", has_text="Legal").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator("#copy")).to_contain_text("no connection")
    # Only the server can ask anew. That it did not answer is said in sight.
    upright = marker.viewport_size or {}
    marker.set_viewport_size({"width": upright["width"], "height": upright["width"]})
    marker.locator("summary", has_text="Change").tap()
    marker.locator("main").evaluate("() => scrollTo(0, 9999)")
    marker.locator("button[name=other]", has_text="Ana").tap()
    expect(marker.locator("#trouble")).to_be_in_viewport()
    marker.set_viewport_size(upright)
    marker.goto(game)
    open_page(marker, "Ruling", "What is in dispute?")
    expect(marker.locator("main")).to_contain_text("Without a connection the question stays")
    marker.goto(game)
    question(marker, "Ana", "turn")
    tap_cards(marker, "9D 9H 9S")
    press(marker, "Meld").tap()
    steps(marker, "Meld 9♦ 9♥ 9♠")
    expect(marker.locator(".c:has([value='9H'])")).to_contain_text("turn")
    expect(marker.locator("input[value='9H']")).to_be_disabled()
    press(marker, "Discard").tap()
    expect(marker.locator("#cards-error")).to_have_text("Tap the cards that were played.")
    tap_cards(marker, "KS")
    press(marker, "Discard").tap()
    expect(marker.locator("input[value='AS']")).to_be_disabled()
    tap_cards(marker, "6C")
    press(marker, "Swap into meld 1").tap()
    expect(marker.locator("input[value='AS']")).to_be_enabled()
    tap_cards(marker, "8C")
    press(marker, "Lay off on meld 1").tap()
    swap = "Swap 6♣ on 5♣ A♠ for 6♣ 7♣"
    steps(marker, "Meld 9♦ 9♥ 9♠", "Discard K♠", swap, "Lay-off 8♣ on 5♣ 6♣ 7♣")
    expect(marker.locator(".targets .row")).to_have_count(3)
    expect(marker.locator(".targets .row").first).to_contain_text("5♣\ufe0e 6♣\ufe0e 7♣\ufe0e 8♣")
    press(marker, "Remove play 2").tap()
    expect(marker.locator("input[value='KS']")).to_be_enabled()
    # The page may be closed and opened again.
    marker.reload()
    ready(marker)
    steps(marker, "Meld 9♦ 9♥ 9♠", swap, "Lay-off 8♣ on 5♣ 6♣ 7♣")
    ana = marker.locator("#player label.tile", has_text="Ana")
    expect(ana.locator("input")).to_be_checked()
    tap_cards(marker, "QS")
    press(marker, "Discard").tap()
    press(marker, "Rule on it").tap()
    arrive(marker, "Hand 1")
    bar = marker.locator("#waiting")
    expect(bar.locator("summary")).to_have_text("1 waiting for a ruling")
    bar.locator("summary").tap()
    plays = "Meld 9♦ 9♥ 9♠; Swap 6♣ on 5♣ A♠ for 6♣ 7♣; Lay-off 8♣ on 5♣ 6♣ 7♣; Discard Q♠"
    expect(bar.locator("li b")).to_have_text(f"Ruling: A whole turn, hand 1: Ana, {faces(plays)}")
    expect(bar).to_contain_text("No ruling yet: it comes when this is saved.")
    # Ben went out. In hand 2 the 2 is the Proter, and the table is empty.
    mark(marker, 1, "Ben", waiting=2, Ana="JC", Chandi="QC")
    says = "2 waiting to be saved, 1 of them for a ruling"
    expect(marker.locator("#waiting summary")).to_have_text(says)
    question(marker, "Chandi", "meld")
    expect(marker.locator("main")).to_contain_text("Hand 1 is not saved yet")
    expect(marker.locator("input[value='2S']")).to_have_attribute(
        "aria-label", "2 of spades, the Proter"
    )
    tap_cards(marker, "5C 6C 7C")
    rule_on(marker, "Chandi")
    on_hand(marker, 2, 3)
    # The turn ended with a discard, and nobody has said what lay on the pile.
    back_online(pocket)
    expect(bar).to_contain_text("1 to be answered: look")
    expect(bar).to_contain_text("It asks: What was on top of the pile before Q♠")
    waits(marker, 3)
    bar.get_by_role("button", name="Answer it").tap()
    arrive(marker, "What was on top of the pile before Q♠")
    press(marker, "The pile was empty").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator(".verdict")).to_contain_text("Ana: lay-off 8♣\ufe0e on")
    # The other one is given in its hand.
    see_a_ruling(marker, "Legal", "Chandi: meld 5♣")
    expect(marker.locator("main")).to_contain_text("in hand 2.")
    expect(bar).to_have_count(0)


def test_first_melds_can_be_completed_when_the_server_is_gone(house, server, phone):
    # Hand 1 asks for two sets.
    game = begun(phone, server, ("Ana", "Ben", "Chandi"), "contract_rummy")
    visit(phone, f"{game}/ruling?ask=contract&player=0")
    tap_cards(phone, "8C 8D 8H")
    press(phone, "Next meld").tap()
    steps(phone, "8♣ 8♦ 8♥")
    ready(phone)
    house.kill()
    tap_cards(phone, "KC KD KH")
    press(phone, "Next meld").tap()
    steps(phone, "8♣ 8♦ 8♥", "K♣ K♦ K♥")
    expect(phone.locator("main")).to_contain_text("you can still enter the plays")
    expect(phone.locator("#trouble")).to_be_hidden()
    press(phone, "Remove meld 1").tap()
    steps(phone, "K♣ K♦ K♥")
    tap_cards(phone, "9C 9D 9H")
    house.start()
    phone.locator(".actions button.wide").tap()
    expect(phone.locator("h1")).to_contain_text("Legal")
    expect(phone.locator(".played")).to_have_count(2)
    expect(phone.locator(".played").first).to_contain_text("K♣")


# -- the recorded table ---------------------------------------------------------------------------


def record(page: Page, who: str, cards: str) -> None:
    """Record a meld on the page of the table, where it waits."""
    whose(page, who).tap()
    tap_cards(page, cards)
    page.locator(".actions button", has_text="Meld").tap()
    ready(page)


def lie(page: Page, *melds: str) -> None:
    """These melds are shown as the table, each waiting to be saved."""
    expect(page.locator("[data-melds-list] p")).to_have_text(
        [f"{faces(meld)} waits" for meld in melds]
    )


def onto(page: Page, meld: str) -> None:
    """Choose one of the melds that lie there."""
    page.locator("#onto label.tile", has_text=faces(meld)).tap()


def lies_there(page: Page) -> None:
    """Say that a meld lies there which is not on record; only the server can add it."""
    tap_cards(page, "KD KH KS")
    page.locator(".hint button", has_text="It's on the table").tap()
    error = page.locator("#cards-error")
    expect(error).to_have_text("Without a connection, record that meld first.")
    expect(error).to_be_in_viewport()
    tap_cards(page, "KD KH KS")


def test_players_lay_off_on_a_waiting_meld_and_swap_into_it(pocket, marker):
    game = leave_the_network(marker, "ask=turn$")
    open_page(marker, "Ruling", "What is in dispute?")
    marker.locator("button[name=ask]", has_text="Lay-off").tap()
    expect(marker.locator("main")).to_contain_text("No meld is on record.")
    ready(marker)
    # In hand 1 the aces are wild: this one is the 6 of clubs.
    visit(marker, f"{game}/table")
    record(marker, "Ben", "5C AS 7C")
    waits(marker, 1)
    said = faces("The recorded table, hand 1: Ben, Meld, 5♣ 7♣ A♠")
    expect(marker.locator("#waiting li b")).to_have_text(said)
    lie(marker, "5♣ 7♣ A♠")
    expect(marker.locator("#cards input[value='5C']")).to_be_disabled()
    record(marker, "Chandi", "9D 9H 9S")
    lie(marker, "5♣ 7♣ A♠", "9♦ 9♥ 9♠")
    visit(marker, game)
    question(marker, "Ben", "lay_off")
    expect(marker.locator("#onto label.tile")).to_have_count(2)
    expect(marker.get_by_role("heading", name="What did the player lay off?")).to_be_visible()
    expect(marker.get_by_role("group", name="The cards of the lay-off")).to_be_visible()
    lies_there(marker)
    onto(marker, "5♣ 7♣ A♠")
    tap_cards(marker, "8C")
    rule_on(marker, "Ben")
    arrive(marker, "Hand 1")
    question(marker, "Chandi", "swap")
    expect(marker.locator("p", has_text="can be swapped out")).to_be_hidden()
    onto(marker, "5♣ 7♣ A♠ 8♣")
    marker.locator("#card button[value='6C']").tap()
    arrive(marker, "Hand 1")
    waits(marker, 4)
    # A whole turn begins on all of it.
    question(marker, "Ana", "turn")
    rows = marker.locator(".targets .row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(faces("5♣ 7♣ 6♣ 8♣"))
    lies_there(marker)
    steps(marker)
    visit(marker, game)
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar.get_by_text("Ruled on.")).to_have_count(2)
    see_a_ruling(marker, "Legal", "Ben: lay-off 8♣\ufe0e on")
    see_a_ruling(marker, "Legal", "Chandi: swap 6♣")


def test_a_ruling_asked_for_again_lies_on_the_table_once_and_is_told_of(pocket, marker):
    game = marker.url
    # In hand 1 the aces are wild: a first meld has none (PRO-7), but Ben had melded before.
    asked = [("ask", "meld"), ("player", "1"), *listed("cards", "5C AS 7C")]
    asked.append(("melded_this_turn", "1"))
    ruled = send(marker, f"{game}/ruling?ask=meld&player=1", asked, f"{game}/ruling")
    visit(marker, game)
    leave_the_network(marker, r"/rulings/\d+$")
    visit(marker, ruled)
    expect(marker.locator("h1")).to_contain_text("Legal")
    marker.locator(".rests button", has_text="Change").tap()
    on_hand(marker, 1, 1)
    said = re.compile("^Ruling on Ben's play, hand 1: Change")
    expect(marker.locator("#waiting li b")).to_have_text(said)
    visit(marker, f"{game}/table")
    expect(marker.locator("[data-melds-list] p")).to_have_text([faces("5♣ A♠ for 6♣ 7♣")])
    back_online(pocket)
    see_a_ruling(marker, "Illegal", "Ben: meld 5♣")


def test_a_ruling_is_charged_and_its_charge_taken_back_once_without_a_network(pocket, marker):
    game = marker.url
    asked = [("ask", "discard"), ("player", "1"), ("cards", "9H"), ("top", "9S")]
    ruled = send(marker, f"{game}/ruling?ask=discard&player=1", asked, f"{game}/ruling")
    visit(marker, game)
    leave_the_network(marker, r"/rulings/\d+$")
    visit(marker, ruled)
    marker.locator(".actions button", has_text="Charge").tap()
    on_hand(marker, 1, 1)  # the ruling and its buttons are left behind
    back_online(pocket)
    total(marker, Ben=20)
    leave_the_network(marker, r"/rulings/\d+$")
    visit(marker, ruled)
    marker.get_by_role("button", name="Take the 20 points back").tap()
    on_hand(marker, 1, 1)
    back_online(pocket)
    total(marker, Ben=0)
