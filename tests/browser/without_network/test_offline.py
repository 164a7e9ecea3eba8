"""Without a network nothing is lost: what is entered waits on the phone, and is saved once."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import arrive, begin, ready, visit
from tests.browser.offline import (
    back_online,
    charge,
    enter,
    entries,
    kept,
    leave_the_network,
    mark,
    on_hand,
    open_page,
    penalty,
    question,
    rule_on,
    tap_in,
    total,
    waits,
)
from tests.browser.sending import send
from tests.browser.test_indian_rummy import BENS, BENS_LEFT, CHANDIS, CHANDIS_LEFT
from tests.browser.test_taps_end import SEEN
from tests.browser.thumb import tap_cards

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    """Tap what has that name in the thumb bar."""
    page.locator(".actions").get_by_text(name, exact=True).locator("visible=true").tap()


def test_an_evening_goes_on_without_the_server_and_is_saved_later(pocket, house, marker):
    game = marker.url
    kept(marker, game, "hand=3$")
    house.kill()
    # Three penalties, the end of the hand, and the next hand: by hand Ben 20+20+5 and Chandi 20+13
    # in hand 1, Ana 11 and Chandi 20+12 in hand 2, and 20 more as Chandi laid no meld.
    for count, name in enumerate(("Ben", "Chandi", "Ben"), start=1):
        open_page(marker, "Penalty", "Penalty")
        expect(marker.locator("#copy")).to_have_text(
            re.compile(r"^As of 0[01]:\d\d, no connection")
        )
        charge(marker, name)
        on_hand(marker, 1, count)
    mark(marker, 1, "Ana", waiting=4, Ben="5C", Chandi="KC")
    expect(marker.locator("dl.turns")).to_contain_text("Ben")  # deals
    expect(marker.locator("main")).to_contain_text("Hand 1 is not saved yet")
    penalty(marker, "Chandi", 2, waiting=5)
    # The tab is closed, and the app opened from the home screen: at the game, with what waits.
    other = pocket.new_page()
    marker.close()
    other.goto(f"{house.server.address}/")
    on_hand(other, 1, 5)
    expect(other.locator("#waiting li small").first).to_have_text(re.compile(r"^ ?entered 0[01]:"))
    # A question is on the hand that is played, not on one that is over.
    asks = other.locator(".actions a", has_text="Ruling")
    expect(asks).to_have_attribute("href", re.compile(r"/ruling\?hand=2$"))
    other.locator("#waiting").get_by_role("link", name="Go on with hand 2").tap()
    expect(other.locator("h1")).to_contain_text("Hand 2")
    enter(other, 2, "Ben", Ana="JC", Chandi="QC")
    other.locator("#melded-2 .tile", has_text="No").tap()
    # What the server worked out before says nothing of what is entered now.
    expect(other.locator("#sums")).to_contain_text("is not answering")
    expect(other.locator("#sums table")).to_be_hidden()
    other.locator(".actions .save").tap()
    on_hand(other, 3, 6)
    last = other.locator("#waiting li > span").last
    expect(last).to_contain_text("End of hand 2 Ana 11, Ben out, Chandi 12 (no meld)")
    # The server comes back, with another key for the forms; two tabs are open.
    second = pocket.new_page()
    second.goto(game)
    waits(second, 6)
    house.start()
    back_online(pocket)
    total(second, Ana=11, Ben=45, Chandi=85)
    waits(second, 0)
    expect(other.locator("h1")).to_contain_text("Hand 3")
    expect(other.locator(".totals")).to_contain_text("85")
    assert entries(second, game) == ["Hand 2", "Chandi", "Hand 1", "Ben", "Chandi", "Ben"]


def test_what_lacks_a_player_is_not_kept_to_be_refused_later(pocket, phone, server):
    marker = begin(phone, server, "Ana", "Ben", "Cem", game="contract_rummy")
    game = leave_the_network(marker, "/may-i$")
    visit(marker, f"{game}/penalty")
    charges = marker.get_by_role("button", name="Add the points")
    marker.get_by_label("Points").fill("5")
    charges.tap()
    lacking = marker.get_by_role("alert").last
    expect(lacking).to_have_text("Not saved. Still open: Who?, Reason")
    expect(lacking).to_be_in_viewport()
    waits(marker, 0)
    marker.get_by_label("Reason").fill("late")
    marker.locator("#player label.tile", has_text="Ben").tap()
    charges.tap()
    on_hand(marker, 1, 1)
    visit(marker, f"{game}/may-i")
    marker.locator("#player label.tile", has_text="Ana").tap()
    asks = marker.get_by_role("button", name="Who gets the card?")
    asks.tap()
    says = "Not saved. Still open: Who asked for the card?, Who took the card before this one?"
    expect(lacking).to_have_text(says)
    marker.locator("#asked label.tile", has_text="Cem").tap()
    marker.locator("#last_taker label.tile", has_text="Nobody").tap()
    asks.tap()
    on_hand(marker, 1, 2)
    visit(marker, f"{game}/table")
    press(marker, "Meld")
    expect(lacking).to_have_text("Not saved. Still open: Its cards")
    tap_cards(marker.locator("#play"), "5C")
    press(marker, "Discard")
    expect(lacking).to_have_text("Not saved. Still open: Whose play?")
    tap_cards(marker.locator("#play"), "5D 5H")
    press(marker, "Meld")  # whosever it is
    waits(marker, 3)
    visit(marker, game)
    question(marker, "Ben", "meld")
    rule_on(marker, "Ben")
    expect(lacking).to_have_text("Not saved. Still open: The cards of the meld")
    visit(marker, game)
    back_online(pocket)
    total(marker, Ben=5)
    expect(marker.locator("#waiting")).to_contain_text("Cem gets the card")


def test_an_end_of_the_hand_that_lacks_a_player_is_not_kept_to_be_refused_later(pocket, marker):
    leave_the_network(marker, "hand=2$")
    enter(marker, 1, "Ana", Ben="5C")
    marker.locator(".actions .save").tap()
    expect(marker.get_by_role("alert").last).to_have_text("Not saved. Look at: Chandi.")
    expect(marker.get_by_role("alert").last).to_be_in_viewport()
    waits(marker, 0)
    chandi = marker.locator("fieldset[data-step='Chandi']")
    expect(chandi).to_be_visible()
    tap_cards(chandi, "KC")
    chandi.locator("#melded-2 .tile", has_text="Yes").tap()
    expect(marker.get_by_role("alert")).to_have_count(0)
    marker.locator(".actions .save").tap()
    on_hand(marker, 2, 1)
    back_online(pocket)
    total(marker, Ben=5)


def test_a_page_that_asks_first_is_left_once_the_answer_waits(pocket, marker):
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    game = leave_the_network(marker, "/end-game$")
    asked = {"throw-in": "Throw it in, deal again", "end-game": "End the game"}
    for waiting, (path, button) in enumerate(asked.items(), start=1):
        visit(marker, f"{game}/{path}")
        marker.get_by_role("button", name=button).tap()
        on_hand(marker, 2, waiting)
    back_online(pocket)
    waits(marker, 0)


def test_a_form_that_only_the_server_takes_stays_filled_in_without_a_network(pocket, marker):
    leave_the_network(marker)
    trouble = marker.locator("#trouble")
    marker.get_by_role("button", name="Order by standing").tap()
    expect(trouble).to_contain_text("did not answer")
    on_hand(marker, 1)
    back_online(pocket)
    visit(marker, f"{marker.url.partition('/games')[0]}/seasons/new")
    marker.get_by_label("Name").fill("Autumn")
    marker.get_by_label("How many evenings").scroll_into_view_if_needed()
    pocket.set_offline(True)
    press(marker, "Save")
    expect(trouble).to_be_in_viewport()
    expect(marker.get_by_label("Name")).to_have_value("Autumn")
    back_online(pocket)
    press(marker, "Save")
    arrive(marker, "Autumn")


def test_a_marked_hand_and_names_are_corrected_without_a_network(pocket, marker):
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    game = leave_the_network(marker, "/hands/1/correct$")
    marker.locator("nav.tabs a", has_text="Sheet").tap()
    expect(marker.locator("#copy")).to_contain_text("no connection")
    marker.get_by_role("link", name="Correct Hand 1").tap()
    arrive(marker, "Correct hand 1")
    # Chandi was left with the Q too: 13 and 12.
    tap_in(marker, "Chandi", "QC")
    # That there is no connection does not stand on the players' names.
    for chip in marker.locator(".chips .chip:visible").all():
        assert chip.evaluate(SEEN)
    back_online(pocket)  # for a moment: what was tapped stays
    expect(marker.locator("#copy")).to_contain_text("Connected again")
    pocket.set_offline(True)
    press(marker, "Save")
    on_hand(marker, 2, 1)
    # What waits is corrected again: Ben went out, and his cards are not sent.
    visit(marker, f"{game}/hands/1/correct")
    expect(marker.locator("form.end .draft")).to_have_text(re.compile("not yet saved"))
    marker.locator("#out label.tile", has_text="Ben").tap()
    tap_in(marker, "Ana", "2C")
    press(marker, "Save")
    on_hand(marker, 2, 2)
    expect(marker.locator("#waiting li").last).to_contain_text("Ana 2, Ben out, Chandi 25")
    visit(marker, f"{game}/manage")
    marker.get_by_label("Player in seat 3").fill("Chandrika")
    marker.get_by_role("button", name="Save", exact=True).tap()
    on_hand(marker, 2, 3)
    pocket.set_offline(False)
    total(marker, Ana=2, Ben=0, Chandrika=25)
    waits(marker, 0)


# -- the next game --------------------------------------------------------------------------------


def kept_until(page: Page, game: str, hand: int) -> None:
    """Wait until the phone has what marks that hand of the next game, and all that comes before."""
    kept(page, game, rf"/penalty\?before=\w+&hand={hand}$")


def begin_next(page: Page, waiting: int) -> None:
    """Begin the next game, from the page that asks for it; then so many acts wait."""
    expect(page.locator("h1")).to_have_text("Rematch")
    ready(page)
    expect(page.locator("main")).to_contain_text("Ben deals first.")
    page.get_by_role("button", name="Start with Ana, Ben, Chandi").tap()
    on_hand(page, 1, waiting)
    expect(page.locator("main")).to_contain_text("The start of this game is not saved yet")


def test_the_last_hand_and_the_next_game_are_played_without_the_server(pocket, house, marker):
    game = marker.url
    points = [("by", "points"), ("points-1", "5"), ("points-2", "10")]
    cards = [("by", "cards"), ("cards-1", "5C"), ("cards-2", "TC")]
    for left in (*[points] * 11, cards):
        send(marker, f"{game}/end", [("out", "0"), *left, ("rest", "melded")])
    visit(marker, game)
    kept_until(marker, game, 3)
    house.kill()
    enter(marker, 13, "Ana", Ben="5C", Chandi="QC")  # 5 and 12
    marker.locator(".actions .save").tap()
    waits(marker, 1)
    begin_next(marker, 2)
    turns = marker.locator("dl.turns")
    expect(turns).to_contain_text("Ben")
    penalty(marker, "Chandi", waiting=3)
    mark(marker, 1, "Ben", waiting=4, Ana="6C", Chandi="KC")  # 6, and 20 + 13
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
    mark(other, 2, "Chandi", waiting=5, Ana="9C", Ben="JC")  # 9 and 11
    house.start()
    back_online(pocket)
    total(other, Ana=15, Ben=11, Chandi=33)
    waits(other, 0)
    expect(other.locator("h1")).to_contain_text("Hand 3")
    visit(other, game)
    expect(other.locator("h1")).to_have_text("Ana wins")
    total(other, Ana=0, Ben=12 * 5 + 5, Chandi=12 * 10 + 12)


@pytest.mark.exhaustive
def test_entries_of_the_next_game_wait_behind_its_beginning(pocket, marker):
    game = marker.url
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    kept_until(marker, game, 1)
    pocket.set_offline(True)
    visit(marker, f"{game}/manage")
    marker.get_by_role("link", name="Rematch").tap()
    begin_next(marker, 1)
    penalty(marker, "Chandi", waiting=2)
    # Meanwhile the game before is deleted on another phone.
    send(marker, f"{game}/delete", [])
    back_online(pocket)
    bar = marker.locator("#waiting")
    expect(bar).to_contain_text("Not saved: This game is deleted. Restore it to play it again.")
    expect(bar).to_contain_text("It waits for the one above.")
    waits(marker, 2)
    send(marker, f"{game}/manage", [], f"{game}/restore")
    bar.get_by_role("button", name="Open it").tap()
    total(marker, Chandi=20)
    waits(marker, 0)
    expect(marker.locator("h1")).to_contain_text("Hand 1")


def test_the_rules_of_the_page_are_searched_without_a_network(pocket, marker):
    game = leave_the_network(marker, "/rules$")
    visit(marker, f"{game}/rules")
    rules, search = marker.locator(".rule:visible"), marker.get_by_role("searchbox")
    every = rules.count()
    search.fill("deal, cuts")
    expect(marker.locator("#found")).to_have_text(
        "No connection. 0 rules of this page have these words."
    )
    expect(rules).to_have_count(0)
    search.fill("Cuts dealer")
    expect(marker.locator("#found")).to_have_text(
        "No connection. 1 rule of this page has these words."
    )
    expect(marker.locator("[id='PRO-2']")).to_be_visible()
    expect(rules).to_have_count(1)
    search.press("Enter")
    expect(rules).to_have_count(1)
    search.fill("")
    expect(rules).to_have_count(every)
    pocket.set_offline(False)
    search.fill("proter in hand")
    expect(marker.locator("#found a").first).to_contain_text("PRO-13.4")
    expect(rules).to_have_count(every)


# -- until two Rummies ----------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_game_of_indian_rummy_is_played_offline_to_the_second_rummy(pocket, phone, server):
    marker = begin(phone, server, "Ana", "Ben", "Chandi", game="indian_rummy")
    leave_the_network(marker)
    marker.locator("button[name=rank][value='8']").tap()
    waits(marker, 1)
    ready(marker)
    enter(marker, 1, "Ana")
    press(marker, "Save")
    on_hand(marker, 2, 2)
    main = marker.locator("main")
    expect(main).to_contain_text("Hand 1 is not saved yet")
    expect(main).to_contain_text("The card turned up was not saved yet when this page was kept")
    open_page(marker, "End the hand", "End of hand 2")
    bens = marker.locator(".chips .chip", has_text="Ben")
    expect(bens).to_be_hidden()
    marker.locator("#out label.tile", has_text="Ana").tap()
    expect(bens).to_be_hidden()
    marker.locator("#second label.tile", has_text="The first").tap()
    expect(bens).to_be_hidden()
    marker.locator(".chips .chip", has_text="Rummy").tap()
    marker.locator("#out label.tile", has_text="Ben").tap()
    expect(marker.locator("#second :checked")).to_have_count(0)  # it was said of Ana
    marker.locator(".chips .chip", has_text="Rummy").tap()
    marker.locator("#out label.tile", has_text="Ana").tap()
    marker.locator("#second label.tile", has_text="The second").tap()
    tap_in(marker, "Ben", BENS)
    tap_in(marker, "Chandi", CHANDIS)
    press(marker, "Save")
    # The game is won: there is no hand to go on with, but another game.
    expect(marker.locator("h1")).to_have_text("Rematch")
    ready(marker)
    waits(marker, 3)
    expect(marker.locator("#waiting li").last).to_contain_text("Ana: Rummy, Ben")
    expect(marker.locator("#waiting")).not_to_contain_text("Go on")
    marker.get_by_role("link", name="Back").tap()
    on_hand(marker, 1, 3)
    expect(marker.locator("#waiting")).to_contain_text("Go on")
    expect(marker.locator("#waiting")).not_to_contain_text("Go on with hand")
    back_online(pocket)
    expect(marker.locator("h1")).to_have_text("Ana wins")
    ready(marker)
    expect(main).to_contain_text(f"Is paid {BENS_LEFT + CHANDIS_LEFT} points.")
    total(marker, Ana=0, Ben=BENS_LEFT, Chandi=CHANDIS_LEFT)
    waits(marker, 0)


def test_who_left_without_a_network_is_not_missing_at_the_end_of_the_hand(pocket, phone, server):
    marker = begin(phone, server, "Ana", "Ben", "Chandi", game="indian_rummy")
    marker.locator("button[name=rank][value='8']").tap()
    expect(marker.get_by_role("img", name="Turned up: 8")).to_be_visible()
    mark(marker, 1, "Ana")
    leave_the_network(marker, "/again$")
    penalty(marker, "Chandi", 2, waiting=1, rule="IND-7.1")
    enter(marker, 2, "Ana")
    tap_in(marker, "Ben", BENS)
    press(marker, "Save")
    expect(marker.locator("h1")).to_have_text("Rematch")
    ready(marker)
    marker.get_by_role("link", name="Back").tap()
    on_hand(marker, 2, 2)
    back_online(pocket)
    expect(marker.locator("h1")).to_have_text("Ana wins")
    waits(marker, 0)


def test_a_box_that_a_waiting_round_fills_is_open_no_longer(pocket, phone, server):
    marker = begin(phone, server, "Ana", "Ben", game="indian_chief")
    game = leave_the_network(marker, "/end.hand=2$")
    visit(marker, f"{game}/end")
    for name, cards in (("Ana", "5C"), ("Ben", "6C 7C")):
        tap_in(marker, name, cards)
    press(marker, "Save")
    on_round = marker.locator("h1", has_text="Round 2")
    expect(on_round).to_be_visible()
    visit(marker, game)
    marker.get_by_role("link", name="Go on with round 2").tap()
    expect(on_round).to_be_visible()
    visit(marker, f"{game}/end?hand=2")
    ana, ben = (marker.locator(f"fieldset[data-step='{name}']") for name in ("Ana", "Ben"))
    tap_in(marker, "Ana", "7D")  # CHI-1: a box is filled once
    expect(ana.locator("output")).to_have_text("1 card · Thief: filled in round 1")
    expect(ana).to_contain_text("Open: Beggar Man (2), Poor Man (3), Lawyer (4)")
    tap_in(marker, "Ben", "8D")
    expect(ben).to_contain_text("Open: Thief (1), Poor Man (3), Lawyer (4)")
    press(marker, "Save")
    expect(marker.get_by_role("alert").last).to_have_text("Not saved. Look at: Ana.")
    marker.locator(".seg label", has_text="Points").tap()
    expect(ana.locator(".boxes-open label", has_text="Thief")).to_be_hidden()
    expect(ana.locator(".boxes-open label", has_text="Beggar Man")).to_be_visible()
    ana.get_by_label("Points").fill("4")
    expect(marker.get_by_role("alert")).to_have_count(0)
    press(marker, "Save")  # for which box?
    expect(marker.get_by_role("alert").last).to_have_text("Not saved. Look at: Ana.")
    marker.locator(".seg label", has_text="Cards").tap()
    tap_in(marker, "Ana", "7D 9D")
    press(marker, "Save")
    back_online(pocket)
    expect(marker.locator("h1")).to_contain_text("Round 3")
    waits(marker, 0)
    total(marker, Ben=8)  # Ben's Beggar Man matched no card, and the Thief is worth 8 (CHI-3)


def test_a_split_of_four_cards_is_not_kept_to_be_refused_later(phone, server):
    marker = begin(phone, server, "Ana", "Ben", game="indian_chief")
    game = leave_the_network(marker, "/end$")
    visit(marker, f"{game}/end")
    tap_in(marker, "Ana", "KC KD 5H 5S 5C 9C 9D")
    keys = marker.locator(".apart:visible .k")
    for key in range(4):  # CHI-4: five are the poker hand
        keys.nth(key).tap()
    tap_in(marker, "Ben", "6C")
    press(marker, "Save")
    expect(marker.get_by_role("alert").last).to_have_text("Not saved. Look at: Ana.")
    keys.nth(4).tap()
    press(marker, "Save")
    waits(marker, 1)


def test_nobody_is_asked_for_penalty_cards_after_the_melds_were_undone_without_a_network(
    pocket, phone, server
):
    marker = begin(phone, server, "Ana", "Ben", "Cem", game="kalooki")
    game = marker.url
    melds = ("meld 4C 4D 4H", "meld 9C 9D 9H", "meld KC KD KH")  # all nine cards (KAL-1)
    asked = [("ask", "contract"), ("player", "1"), *(("play", one) for one in melds)]
    send(marker, f"{game}/ruling?ask=contract&player=1", asked, f"{game}/ruling")
    visit(marker, game)
    leave_the_network(marker, "hand=2$")
    marker.get_by_role("button", name="Undo").tap()
    waits(marker, 1)
    enter(marker, 1, "Ana")
    tap_in(marker, "Ben", "4C 4D 9C")
    expect(marker.locator(".chips .chip", has_text="Ben")).to_contain_text("cards?")
    tap_in(marker, "Cem", "2S")
    press(marker, "Save")
    on_hand(marker, 2, 2)
    back_online(pocket)
    total(marker, Ben=4 + 4 + 9)


@pytest.mark.exhaustive
def test_a_box_that_a_waiting_correction_leaves_open_is_filled_without_a_network(
    pocket, phone, server
):
    marker = begin(phone, server, "Ana", "Ben", game="indian_chief")
    game = marker.url
    visit(marker, f"{game}/end")
    tap_in(marker, "Ana", "5C")
    tap_in(marker, "Ben", "6C")
    press(marker, "Save")
    expect(marker.locator("h1")).to_contain_text("Round 2")
    visit(marker, game)
    leave_the_network(marker)
    visit(marker, f"{game}/hands/1/correct")
    tap_in(marker, "Ana", "6D")  # two cards: a Beggar Man and no Thief (CHI-1)
    press(marker, "Save")
    waits(marker, 1)
    visit(marker, f"{game}/end")
    tap_in(marker, "Ana", "7C")
    tap_in(marker, "Ben", "8C 9C")
    press(marker, "Save")
    waits(marker, 2)
    visit(marker, game)
    onward = marker.locator("#waiting").get_by_role("link", name="Go on with round 3")
    expect(onward).to_be_visible()
    back_online(pocket)
    expect(marker.locator("h1")).to_contain_text("Round 3")
    waits(marker, 0)
    total(marker, Ana=2 + 7)  # Ben's 6 matches the 6 of diamonds (CHI-3)


def test_the_end_of_the_hand_that_a_ruling_leads_to_opens_without_a_network(phone, server):
    marker = begin(phone, server, "Ana", "Ben", "Chandi", game="pay_me")
    game = leave_the_network(marker, "/end$")
    visit(marker, f"{game}/end?of=1&out=1&cards-1=7C&cards-1=7D&cards-1=7C&melds-1=7C 7D 7C")
    arrive(marker, "End of hand 1")
    expect(marker.locator("#copy")).to_contain_text("no connection")
    expect(marker.locator("#out input:checked")).to_have_value("1")
    tapped = marker.locator("#cards-1 input:checked")
    expect(tapped).to_have_count(3)
    cards = tapped.evaluate_all("all => all.map(one => one.value)")
    assert sorted(cards) == ["7C", "7C", "7D"]
    expect(marker.locator("[name=melds-1]")).to_have_value("7C 7D 7C")
