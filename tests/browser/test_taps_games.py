"""What a thumb pays to begin a game, to undo, to find games and people, and to settle up."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from companion.notebook.events import GameEnded
from tests.browser.accessibility import barriers_in_any_light
from tests.browser.conftest import begun, ready, visit
from tests.browser.house import Server
from tests.browser.sending import import_game, send
from tests.browser.thumb import box_of, press
from tests.notebook.evening import Evening, started
from tests.services.seven_at_table import NAMES, as_file, whole_game

pytestmark = pytest.mark.browser

LONG = ("Maximiliana von Hohenlohe-Lang", "Sathsara Wijewardena Mudalige", "🦊 Renard")


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name, exact=True)


def done(page: Page, sentence: str) -> None:
    """What the next page says was done."""
    expect(page.locator(".notice.good")).to_have_text(sentence)


def deals(page: Page, dealer: str, first: str) -> None:
    """Who deals the hand that is open, and who plays first."""
    expect(page.locator(".turns dd")).to_have_text([dealer, first])


def seated(page: Page, *people: str) -> None:
    """The names in the first seats of a new game, once they are there."""
    seats = page.locator("#setup [name=name]")
    for seat, name in enumerate(people):
        expect(seats.nth(seat)).to_have_value(name)


def fill_in(page: Page, server: Server, *people: str) -> None:
    """A new game's form with these people, in this order."""
    visit(page, f"{server.address}/games/new")
    for seat, name in enumerate(people):
        page.locator("#setup [name=name]").nth(seat).fill(name)


def within_reach(place: Locator) -> bool:
    """Whether the whole of it is on the screen as it is, and large enough for a thumb."""
    expect(place).to_be_in_viewport(ratio=1)
    return box_of(place)["height"] >= 44


# -- begin ----------------------------------------------------------------------------------------


def test_enter_in_a_name_goes_to_the_next_name(phone, server):
    fill_in(phone, server, "Ana")
    phone.locator("#name-0").press("Enter")
    expect(phone.locator("#name-1")).to_be_focused()
    phone.locator("#name-3").press("Enter")
    expect(press(phone, "Another player")).to_be_focused()
    expect(phone.locator("h1")).to_contain_text("New game of")
    expect(phone.locator(".summary")).to_have_count(0)


def test_a_new_seat_and_a_draw_lead_to_what_is_filled_in_next(phone, server):
    fill_in(phone, server, "Ana", "Ben", "Chandi", "Dee")
    for seat in (4, 5, 6):  # the button is gone after the seventh
        press(phone, "Another player").press("Enter")
        expect(phone.locator(f"#name-{seat}")).to_be_focused()
    press(phone, "Draw for seats").tap()
    expect(phone.locator("#drew-0")).to_be_focused()


def test_going_back_after_start_does_not_send_the_form_again(phone, server):
    fill_in(phone, server, "Ana")
    press(phone, "Start").tap()  # one name is too few: a page answers the form
    expect(phone.locator(".summary")).to_contain_text("Enter the names of")
    ready(phone)
    phone.locator("#name-1").fill("Ben")
    press(phone, "Start").tap()
    expect(phone.locator("h1")).to_contain_text("Hand 1")
    sent: list[str] = []
    phone.on("request", lambda request: sent.append(request.method))
    phone.go_back()
    expect(phone.locator("h1")).to_contain_text("New game of")
    assert "POST" not in sent


def test_a_name_typed_while_a_seat_is_added_stays(phone, server):
    fill_in(phone, server, "Ana")
    waiting: list[Route] = []
    phone.route("**/games/new", lambda route: waiting.append(route))  # noqa: PLW0108  # no builtin
    with phone.expect_request("**/games/new"):
        press(phone, "Another player").tap()
    phone.locator("#name-0").fill("Anna")
    phone.locator("#name-1").fill("Ben")
    phone.locator(".seats label", has_text="deals").nth(1).tap()
    phone.locator("[data-grip]").first.press("ArrowDown")
    expect(phone.locator("[name=dealer]:checked")).to_have_value("1")
    expect(phone.locator("#name-4")).to_have_count(0)
    for route in waiting:  # the last one alone is still waited for
        route.continue_()
    phone.locator("#name-4").fill("Ewa")
    seated(phone, "Ben", "Anna", "", "", "Ewa")
    expect(phone.locator("[name=dealer]:checked")).to_have_value("1")


def test_a_rematch_costs_two_taps_and_the_next_player_deals_first(phone, server, taps):
    visit(phone, import_game(phone, server.address, as_file(whole_game())))
    expect(phone.locator(".won")).to_be_visible()
    for button in (link(phone, "Rematch"), link(phone, "Tally").last):
        assert within_reach(button)
    taps(link(phone, "Rematch"))
    expect(phone.locator("main .lead")).to_have_text(", ".join(NAMES))
    ready(phone)
    taps(press(phone, re.compile("^Start with")))
    deals(phone, NAMES[1], NAMES[2])
    assert taps.count == 2


# -- seats ----------------------------------------------------------------------------------------


def test_seats_are_moved_by_buttons_and_the_dealer_moves_along(phone, server):
    fill_in(phone, server, "Ana", "Ben", "Chandi")
    phone.locator(".first-deal input").nth(2).tap()
    for field in phone.locator(".seats input[name=name]").all():
        assert box_of(field)["width"] >= 160
    grips = phone.locator("[data-grip]")
    grips.nth(2).tap()  # shows the buttons of the row
    press(phone, "Seat 3 up").tap()
    press(phone, "Seat 2 up").tap()
    seated(phone, "Chandi", "Ana", "Ben")
    grips.nth(1).tap()
    press(phone, "Seat 2 down").tap()
    seated(phone, "Chandi", "Ben", "Ana")
    expect(phone.locator(".first-deal input").first).to_be_checked()
    press(phone, "Start").tap()
    deals(phone, "Chandi", "Ben")


def test_a_seat_is_dragged_by_a_finger(phone, server):
    fill_in(phone, server, "Ana", "Ben", "Chandi")
    rows = phone.locator(".seats li")
    grip = rows.nth(2).locator("[data-grip]")
    grip.scroll_into_view_if_needed()
    start, end = box_of(grip), box_of(rows.first)
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    scrolled = phone.evaluate("scrollY")
    finger = phone.context.new_cdp_session(phone)

    def touch(kind: str, *points: dict[str, float]) -> None:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    expect(rows.nth(2)).to_have_class(re.compile("held"))
    for step in range(1, 9):
        touch("touchMove", {"x": x, "y": y + (end["y"] - y) * step / 8})
    touch("touchEnd")
    expect(phone.locator(".seats .held")).to_have_count(0)
    seated(phone, "Chandi", "Ana", "Ben")
    assert phone.evaluate("scrollY") == scrolled  # the row was dragged, not the page
    expect(rows.first.locator("[data-move]").first).to_have_attribute("aria-label", "Seat 1 up")
    # By keyboard too.
    rows.first.locator("[data-grip]").press("ArrowDown")
    seated(phone, "Ana", "Chandi", "Ben")


# -- undo ----------------------------------------------------------------------------------------


def test_undo_and_redo_are_always_in_sight(phone, server):
    game = begun(phone, server, LONG, "proter")
    for seat in ("0", "1"):
        send(phone, f"{game}/penalty", [("player", seat), ("rule", "PRO-13.3")])
    last = f"20 points to {LONG[1]} (PRO-13.3)"
    visit(phone, game)
    press(phone, f"Undo: {last}").tap()
    done(phone, f"Undone: {last}.")
    for path in ("", "/sheet", "/hands/1"):
        visit(phone, game + path)
        undo = press(phone, f"Undo: 20 points to {LONG[0]} (PRO-13.3)")
        redo = press(phone, f"Redo: {last}")
        for down in (0, 10_000):
            phone.evaluate("down => scrollTo({top: down, behavior: 'instant'})", down)
            assert within_reach(undo), path
            assert within_reach(redo), path
    redo.tap()
    done(phone, f"Redone: {last}.")


# -- the list -------------------------------------------------------------------------------------


def test_a_game_is_found_by_typing_a_name(phone, server):
    for names in (("Ünal", "Ben"), ("Chandi", "Dee")):
        begun(phone, server, names, "proter")
    visit(phone, server.address)
    games = phone.locator("#games .item b")
    expect(phone.locator(".item.playing")).to_contain_text("Chandi, Dee")
    expect(games).to_have_text(["Ünal, Ben"])
    search = phone.get_by_role("searchbox")
    search.tap()
    phone.keyboard.type("unal")  # nobody types the dots
    expect(games).to_have_text(["Ünal, Ben"])
    expect(search).to_be_focused()
    search.fill("nobody")
    expect(phone.get_by_role("status").last).to_contain_text("No game here has “nobody”")
    search.fill("chandi")
    expect(games).to_have_text(["Chandi, Dee"])
    search.fill("")
    expect(games).to_have_text(["Ünal, Ben"])
    games.last.tap()
    deals(phone, "Ünal", "Ben")


# -- what nobody hopes to see ---------------------------------------------------------------------


def test_every_error_page_can_be_read_by_everybody(evening, server):
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        ready(evening)
        if found := barriers_in_any_light(evening):
            wrong[name] = found

    game = evening.url
    visit(evening, f"{game}/manage")  # 409: another phone charges a penalty meanwhile
    send(evening, f"{game}/penalty", [("player", "0"), ("rule", "PRO-13.3")])
    evening.locator("#name-0").fill("Anna")
    press(evening, "Save").tap()
    expect(evening.get_by_role("heading", name="Two entries at once")).to_be_visible()
    expect(evening.locator("#name-0")).to_have_value("Anna")
    look("409")
    evening.locator("#name-0").fill("Ben")
    press(evening, "Save").tap()
    expect(evening.locator(".summary")).to_be_visible()
    look("422")
    evening.goto(f"{server.address}/nowhere")
    look("404")
    visit(evening, game)
    send(evening, f"{game}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    press(evening, "Undo: 20 points to Ana (PRO-13.3)").tap()
    expect(evening.locator("h1")).to_have_text("Not done")
    assert within_reach(link(evening, "On with the hand"))
    look("409 undo")
    evening.context.clear_cookies()
    evening.goto(game)
    expect(evening.locator("h1")).to_have_text("This phone does not keep the score here")
    look("403")
    assert wrong == {}


# -- people, seasons, settling up -----------------------------------------------------------------


def test_only_the_chosen_way_settles_a_game(phone, server):
    evening = Evening(started(("Ana", "Ben", "Cem")))
    evening.mark_hands(1)
    evening.write(GameEnded(2))
    visit(phone, f"{import_game(phone, server.address, as_file(evening))}/tally")
    phone.locator("summary", has_text="Settle up").tap()
    expect(phone.get_by_label("Prizes, from")).to_be_hidden()
    phone.locator("label.tile", has_text="Prizes").tap()
    expect(phone.get_by_label("What a point costs")).to_be_hidden()
    press(phone, "Show who pays whom").tap()
    expect(phone.locator(".summary")).to_be_in_viewport()
    phone.locator("label.tile", has_text="For points").tap()
    phone.get_by_label("What a point costs").fill("0,05")
    phone.get_by_label("Currency sign").fill("€")
    press(phone, "Show who pays whom").tap()
    # A queen: 12 points.
    expect(phone.locator("#settled li").first).to_have_text("Ben pays Ana €0.60")
    expect(phone.locator("#settled")).to_be_in_viewport()
