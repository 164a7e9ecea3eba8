"""Without a network nothing is lost: what is entered waits on the phone, and is saved once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import arrive, ready, visit
from tests.browser.offline import (
    back_online,
    charge,
    enter,
    entries,
    kept,
    mark,
    open_page,
    tap_cards,
    total,
    waits,
)

pytestmark = pytest.mark.browser


def test_an_evening_goes_on_without_the_server_and_is_saved_when_it_is_back(pocket, house, marker):
    game = marker.url
    kept(marker, game)
    house.kill()
    # Three penalties, the end of the hand, and the next hand: by hand Ben 20+20+5 and Chandi 20+13
    # in hand 1, Ana 11 and Chandi 20+12 in hand 2.
    for count, name in enumerate(("Ben", "Chandi", "Ben"), start=1):
        open_page(marker, "Penalty", "Penalty")
        expect(marker.locator("#copy")).to_have_text(
            re.compile(r"^As of 0[01]:\d\d, no connection")
        )
        charge(marker, name)
        expect(marker.locator("h1")).to_contain_text("Hand 1")
        waits(marker, count)
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    expect(marker.locator("h1")).to_contain_text("Hand 2")
    waits(marker, 4)
    expect(marker.locator("dl.turns")).to_contain_text("Ben")  # deals
    expect(marker.locator("main")).to_contain_text("Hand 1 is not saved yet")
    open_page(marker, "Penalty", "Penalty")
    charge(marker, "Chandi")
    expect(marker.locator("h1")).to_contain_text("Hand 2")
    waits(marker, 5)
    # The tab is closed, and the app opened from the home screen: at the game, with what waits.
    other = pocket.new_page()
    marker.close()
    other.goto(f"{house.server.address}/")
    expect(other.locator("h1")).to_contain_text("Hand 1")
    waits(other, 5)
    expect(other.locator("#waiting li small").first).to_have_text(re.compile(r"^ ?entered 0[01]:"))
    other.locator("#waiting").get_by_role("link", name="Go on with hand 2").tap()
    expect(other.locator("h1")).to_contain_text("Hand 2")
    enter(other, 2, "Ben", Ana="JC", Chandi="QC")
    # What the server worked out before says nothing of what is entered now.
    expect(other.locator("#sums")).to_contain_text("is not answering")
    expect(other.locator("#sums table")).to_be_hidden()
    other.locator(".actions .save").tap()
    expect(other.locator("h1")).to_contain_text("Hand 3")
    waits(other, 6)
    # The server comes back, with another key for the forms; two tabs are open.
    second = pocket.new_page()
    second.goto(game)
    waits(second, 6)
    house.start()
    back_online(pocket)
    total_of_all = {"Ana": 11, "Ben": 45, "Chandi": 65}
    for name, points in total_of_all.items():
        total(second, name, points)
    waits(second, 0)
    expect(other.locator("h1")).to_contain_text("Hand 3")
    expect(other.locator(".totals")).to_contain_text("65")
    assert entries(second, game) == [
        "Hand 2",
        "Chandi",
        "Hand 1",
        "Ben",
        "Chandi",
        "Ben",
    ]


def test_what_the_server_refuses_stays_with_its_reason_until_the_marker_settles_it(
    pocket, house, marker
):
    game = marker.url
    kept(marker, game)
    pocket.set_offline(True)
    open_page(marker, "Penalty", "Penalty")
    charge(marker, "Ana")
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    waits(marker, 1)
    open_page(marker, "Penalty", "Penalty")
    charge(marker, "Ben", "PRO-13.1")
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    waits(marker, 2)
    # Meanwhile somebody else of the same notebook charges Chandi.
    page = marker.request.get(f"{game}/penalty").text()
    fields = dict(re.findall(r'name="(csrf_token|key|base)" value="([^"]*)"', page)[:3])
    fields |= {"player": "2", "rule": "PRO-13.3"}
    headers = {"Referer": f"{game}/penalty"}
    assert marker.request.post(f"{game}/penalty", form=fields, headers=headers).ok
    pocket.set_offline(False)
    bar = marker.locator("#waiting")
    expect(bar).to_contain_text("1 not accepted")
    expect(bar).to_contain_text("The game has changed since this page was opened")
    waits(marker, 2)
    # The first is opened and saved on the game as it is now; the second is refused, and dropped.
    bar.get_by_role("button", name="Open it").tap()
    arrive(marker, "Penalty hand 1")
    expect(marker.locator("#player label.tile", has_text="Ana").locator("input")).to_be_checked()
    marker.locator("button.tile[value='PRO-13.3']").tap()
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    expect(bar).to_contain_text("1 not accepted")
    waits(marker, 1)
    bar.get_by_role("button", name="Discard").tap()
    bar.get_by_role("button", name="Discard this entry? It can't be recovered.").tap()
    waits(marker, 0)
    for name, points in {"Ana": 20, "Ben": 0, "Chandi": 20}.items():
        total(marker, name, points)


def test_a_ruling_asked_without_a_network_waits_says_so_and_is_found_when_it_is_given(
    pocket, marker
):
    game = marker.url
    # One ruling that can be read without a network: Ben's 5, 6 and 7 of clubs, a run.
    visit(marker, f"{game}/ruling?ask=meld&player=1")
    tap_cards(marker, "5C", "6C", "7C")
    marker.locator(".actions button").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    visit(marker, game)
    kept(marker, game)
    pocket.set_offline(True)
    open_page(marker, "Ruling", "What is in dispute?")
    expect(marker.locator("main")).to_contain_text("Without a connection a question waits")
    marker.locator("#player label.tile", has_text="Ana").tap()
    marker.get_by_role("button", name="Meld", exact=True).tap()
    arrive(marker, "What did the player meld?")
    expect(marker.locator("#copy")).to_contain_text("no connection")
    tap_cards(marker, "9D", "9H", "TS")
    marker.locator(".whose button", has_text="Ana").tap()
    arrive(marker, "Hand 1")
    bar = marker.locator("#waiting")
    expect(bar.locator("summary")).to_contain_text("1 waiting to be saved, 1 for a ruling")
    bar.locator("summary").tap()
    expect(bar.locator("li b")).to_have_text("Ruling: Meld, hand 1: Ana")
    expect(bar).to_contain_text("No ruling yet: it comes when this is saved.")
    # The earlier ruling is there with the table it was given on.
    marker.locator("nav.tabs a", has_text="Rulings").tap()
    marker.locator("a.item", has_text="Legal").tap()
    expect(marker.locator("h1")).to_contain_text("Legal")
    expect(marker.locator("#copy")).to_contain_text("no connection")
    marker.goto(game)
    waits(marker, 1)
    pocket.set_offline(False)
    # Two nines and a ten are no meld.
    expect(bar).to_contain_text("Ruled on.")
    bar.get_by_role("link", name="See the ruling").tap()
    expect(marker.locator("h1")).to_contain_text("Illegal")
    expect(marker.locator(".verdict")).to_contain_text("Ana")
    ready(marker)
    expect(bar).to_have_count(0)
    assert len(re.findall("/rulings/[0-9]+", marker.request.get(f"{game}/rulings").text())) == 2


def test_a_marked_hand_and_the_names_are_put_right_without_a_network(pocket, marker):
    game = marker.url
    mark(marker, 1, "Ana", Ben="5C", Chandi="KC")
    arrive(marker, "Hand 2")
    kept(marker, game, "/hands/1/correct$")  # the hands to come are not needed here
    pocket.set_offline(True)
    marker.locator("nav.tabs a", has_text="Sheet").tap()
    expect(marker.locator("#copy")).to_contain_text("no connection")
    marker.get_by_role("link", name="Correct Hand 1").tap()
    arrive(marker, "Correct hand 1")
    # Chandi was left with the Q too: 13 and 12.
    marker.locator(".chips .chip", has_text="Chandi").tap()
    marker.locator("fieldset[data-step='Chandi'] label.c:has(input[value='QC'])").tap()
    marker.locator(".actions .save").tap()
    expect(marker.locator("h1")).to_contain_text("Hand 2")
    waits(marker, 1)
    visit(marker, f"{game}/manage")
    marker.get_by_label("Player in seat 3").fill("Chandrika")
    marker.get_by_role("button", name="Save the names").tap()
    expect(marker.locator("h1")).to_contain_text("Hand 2")
    waits(marker, 2)
    pocket.set_offline(False)
    total(marker, "Chandrika", 25)
    total(marker, "Ben", 5)
    waits(marker, 0)
