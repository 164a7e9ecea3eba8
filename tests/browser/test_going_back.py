"""What the browser's own back button may not do."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import arrive, begin, ready, visit
from tests.browser.house import Server
from tests.browser.offline import waits
from tests.browser.sending import send
from tests.browser.thumb import at_the_end, end_of, press, tap_cards, verdict

pytestmark = pytest.mark.browser


def entered(page: Page) -> Locator:
    """What was chosen in the form of the end, by cards."""
    return page.locator("#end input:checked:not([name=by])")


def half_a_hand(page: Page, server: Server) -> None:
    """Say that Ana went out, and what Ben has left, of three players."""
    end_of(page, server, "Ana", "Ben", "Cem", out="Ana")
    page.locator('#cards-1 label:has(input[value="5C"])').tap()


def to_the_rules_and_back(page: Page) -> None:
    """Leave a page by a link, and come back with the browser's button."""
    page.get_by_role("link", name="Rules", exact=True).tap()
    arrive(page, "Rules")
    page.go_back()
    ready(page)


def test_a_half_entered_hand_and_penalty_survive_a_reload_and_going_on_and_back(
    phone, server, taps
):
    half_a_hand(phone, server)
    phone.reload()
    ready(phone)
    # Cem is who is missing now.
    expect(phone.locator("[data-step]:not([hidden]) legend").first).to_have_text("Cem")
    expect(phone.locator("#sums")).to_contain_text("5 in 1 card")
    to_the_rules_and_back(phone)
    expect(entered(phone)).to_have_count(2)
    expect(phone.locator('#cards-1 input[value="5C"]')).to_be_checked()
    # A penalty between two taps does not refuse the hand. Half entered, it survives too.
    phone.get_by_role("link", name="Hand", exact=True).tap()
    taps(phone.get_by_role("link", name="Penalty", exact=True))
    taps(phone.locator("#player label.tile", has_text="Ana"))
    phone.get_by_label("Reason").fill("Spilled tea")
    to_the_rules_and_back(phone)
    expect(phone.get_by_label("Reason")).to_have_value("Spilled tea")
    phone.locator("#points").fill("15")
    taps(press(phone, re.compile("^Add the points")))
    assert taps.count == 3
    expect(phone.locator(".totals li", has_text="Ana").locator("b")).to_have_text("15")
    phone.get_by_role("link", name="Penalty", exact=True).tap()
    ready(phone)
    expect(phone.locator("#player input:checked")).to_have_count(0)
    phone.get_by_role("link", name="Hand", exact=True).tap()
    at_the_end(phone)
    phone.locator('#cards-2 label:has(input[value="2C"])').tap()
    press(phone, "Save").tap()
    arrive(phone, "Hand 2 of 13")
    # Going back leads to the hand that was marked, and does not mark the next one with its cards.
    phone.go_back()
    arrive(phone, "Correct hand 1")
    phone.get_by_role("link", name="Hand", exact=True).tap()
    at_the_end(phone)
    expect(phone.locator("h1")).to_have_text("End of hand 2")
    expect(entered(phone)).to_have_count(0)
    expect(phone.locator(".draft")).to_have_count(0)
    press(phone, "Save").tap()
    expect(phone.locator(".summary")).to_contain_text("Say who went out")
    ready(phone)
    # Cancel drops what was entered.
    phone.locator("#out label", has_text="Ben").tap()
    expect(entered(phone)).to_have_count(1)
    phone.get_by_role("link", name="Cancel", exact=True).tap()
    expect(phone.locator("h1")).to_contain_text("Hand 2")
    at_the_end(phone)
    expect(entered(phone)).to_have_count(0)


def test_the_game_that_was_chosen_survives_a_reload_with_its_names_and_rules(phone, server):
    """After it has begun, a new game is again the one played last."""
    begin(phone, server, "Ana", "Ben", game="pay_me")
    visit(phone, f"{server.address}/games/new")
    phone.get_by_text("Choose another game").tap()
    press(phone, re.compile("^Proter")).tap()
    arrive(phone, "New game of Proter")
    phone.locator("#name-0").fill("Zoe")
    phone.get_by_text("Rule sheet and house rules").tap()
    phone.locator("label", has_text="Play Gin Rummy Online").first.tap()
    expect(phone.locator("input[value=playginrummyonline]")).to_be_checked()
    ready(phone)
    rule = phone.locator("summary", has_text="A wrong meld, lay-off or swap")
    says = "Play Gin Rummy Online: It costs a penalty"
    expect(rule).to_contain_text(f"swap {says}", use_inner_text=True)
    rule.tap()
    phone.locator("label:has([name=rule-wrong_meld][value=take_back])").tap()
    expect(rule).to_contain_text(f"changed from: {says}", use_inner_text=True)
    visit(phone, f"{server.address}/games/new")
    arrive(phone, "New game of Proter")
    expect(phone.locator("#name-0")).to_have_value("Zoe")
    expect(phone.locator("input[value=playginrummyonline]")).to_be_checked()
    expect(phone.locator("[name=rule-wrong_meld]:checked")).to_have_value("take_back")
    expect(phone.locator(".draft")).to_contain_text("not yet saved")
    phone.get_by_role("button", name="Start over").tap()
    arrive(phone, "New game of Pay Me")
    expect(phone.locator("#name-0")).to_have_value("")


def test_the_page_with_two_phones_versions_survives_a_reload(phone, server):
    end_of(phone, server, "Ana", "Ben", out="Ana")
    send(phone, phone.url, [("out", "0"), ("cards-1", "KC")])  # by another phone meanwhile
    phone.locator('#cards-1 label:has(input[value="QD"])').tap()
    press(phone, "Save").tap()
    both = phone.locator("section", has=phone.get_by_role("heading", name="Two entries at once"))
    expect(both.locator("tbody tr").nth(1)).to_have_text(re.compile(r"Ben\s*13 points\s*12 points"))
    ready(phone)
    phone.reload()
    arrive(phone, "Correct hand 1")
    expect(phone.locator("#out label", has_text="Ana").locator("input")).to_be_checked()
    expect(phone.locator('#cards-1 input[value="QD"]')).to_be_checked()
    expect(phone.locator(".draft")).to_contain_text("not yet saved")
    press(phone, "Save").tap()
    expect(phone.locator("#messages .good")).to_contain_text("Hand 1 is corrected")


def test_a_page_reloads_only_once_if_the_server_has_lost_an_entry(phone, server):
    game = begin(phone, server, "Ana", "Ben").url
    phone.evaluate(
        """game => new Promise((yes) => {
            const asked = indexedDB.open("companion", 1);
            asked.onsuccess = () => {
                const at = asked.result.transaction("games", "readwrite");
                at.objectStore("games").put({ seen: 99, moved: [] }, game);
                at.oncomplete = yes;
            };
        })""",
        game.rpartition("/")[2],
    )
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url))
    with phone.expect_event("request", lambda _: asked.count(game) == 2):
        phone.goto(game, wait_until="commit")
    arrive(phone, "Hand 1")
    phone.get_by_role("link", name="Penalty", exact=True).tap()
    arrive(phone, "Penalty")
    assert asked.count(game) == 2


def test_a_save_in_another_tab_does_not_cancel_a_tap(phone, server):
    hand = begin(phone, server, "Ana", "Ben").url
    other = phone.context.new_page()
    phone.context.route("**/penalty", lambda sent: sent.abort())
    visit(other, f"{hand}/penalty?player=1")
    other.locator("button.tile[value='PRO-13.3']").tap()
    waits(other, 1)
    asked: list[Route] = []

    def hold(request: Route) -> None:
        asked.append(request)  # and is not answered yet

    phone.context.route("**/rules", hold)
    with phone.expect_request("**/rules"):
        phone.get_by_role("link", name="Rules", exact=True).tap()
    phone.context.unroute("**/penalty")
    waits(other, 0)
    asked[0].continue_()
    arrive(phone, "Rules")


def test_back_from_a_question_about_a_fact_leads_to_the_tapped_cards(phone, server):
    game = begin(phone, server, "Ana", "Ben").url
    visit(phone, f"{game}/ruling?ask=meld&player=1")
    tap_cards(phone, "9S TS AS")
    tapped = phone.locator("main input[name=cards]:checked")
    rule = press(phone, re.compile("^Rule on"))
    rule.tap()
    asked = phone.get_by_text("Had Ben already melded this turn?")
    expect(asked).to_be_visible()
    phone.go_back()
    expect(asked).to_have_count(0)
    expect(tapped).to_have_count(3)
    phone.go_forward()
    expect(asked).to_be_visible()
    phone.reload()
    expect(asked).to_have_count(0)
    ready(phone)
    tap_cards(phone, "9S TS AS")
    rule.tap()
    expect(asked).to_be_visible()
    phone.go_back()
    # The form can be sent again, with the jack in place of the ace.
    tap_cards(phone, "AS JS")
    expect(tapped).to_have_count(3)
    rule.tap()
    verdict(phone, "Legal")
