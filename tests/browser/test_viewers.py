"""Looking on from another phone: the sheet follows the game, and the code is handed around."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import begin, visit
from tests.browser.test_print import read_in
from tests.services.seven_at_table import whole_game

pytestmark = pytest.mark.browser


@pytest.fixture
def other_phone(new_phone: Callable[[], Page]) -> Page:
    """A phone that has never been here."""
    return new_phone()


def link(phone: Page, game: str) -> str:
    """The address for viewers, as the marker's phone shows it."""
    visit(phone, f"{game}/code")
    address = phone.locator(".address a").get_attribute("href")
    assert address is not None
    return address


def charge(phone: Page, game: str, rule: str) -> None:
    """Charge the second player."""
    visit(phone, f"{game}/penalty")
    phone.locator("#player label.tile").nth(1).tap()
    phone.locator(f"button.tile[value='{rule}']").tap()
    expect(phone.locator(".notice.good").first).to_be_visible()


def totals(page: Page) -> list[str]:
    return [re.sub(r"\D", "", cell) for cell in page.locator("tfoot td").all_inner_texts() if cell]


def test_the_sheet_of_who_looks_on_follows_the_game(phone, other_phone, server):
    begin(phone, server, "Ana", "Ben", "Cem")
    game = phone.url
    visit(other_phone, link(phone, game))
    assert totals(other_phone) == ["0", "0", "0"]
    charge(phone, game, "PRO-13.3")
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("20")
    with other_phone.expect_response(lambda answer: answer.status == 204):
        pass  # what it asks next is based on what it shows now
    charge(phone, game, "PRO-13.1")
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("40")
    with other_phone.expect_response(lambda answer: answer.status == 204):
        pass
    assert other_phone.context.cookies() == []
    assert barriers(other_phone) == []


def test_a_total_moves_to_what_it_is_now(phone, other_phone, server):
    begin(phone, server, "Ana", "Ben", "Cem")
    game = phone.url
    other_phone.emulate_media(reduced_motion="no-preference")
    other_phone.clock.install(time=0)
    visit(other_phone, link(phone, game))
    other_phone.clock.pause_at(3600)
    charge(phone, game, "PRO-13.3")
    other_phone.clock.run_for(2000)
    total = other_phone.locator(".totals li", has_text="Ben").locator("[data-total]")
    expect(total).to_have_attribute("data-total", "20")
    other_phone.clock.run_for(200)
    assert 0 < int(total.inner_text()) < 20
    other_phone.clock.run_for(600)
    expect(total).to_have_text("20")


def test_when_the_game_is_deleted_the_sheet_goes_away(phone, other_phone, server):
    begin(phone, server, "Ana", "Ben")
    game = phone.url
    visit(other_phone, link(phone, game))
    phone.goto(f"{game}/delete")
    phone.locator(".dock .btn.danger, main .btn.danger").first.tap()
    expect(other_phone.get_by_role("heading", name="Nothing is shown here")).to_be_visible()
    expect(other_phone.locator("[data-live]")).to_have_count(0)


def test_a_game_that_is_over_is_asked_for_only_when_somebody_looks_again(
    phone, other_phone, server, tmp_path
):
    game = read_in(phone, server, whole_game(), tmp_path / "game.json")
    visit(other_phone, link(phone, game))
    expect(other_phone.get_by_role("heading", name="Final score")).to_be_visible()
    charge(phone, game, "PRO-13.3")
    assert totals(other_phone)[1] == "152"
    other_phone.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("172")


def test_without_a_connection_the_sheet_stays_and_says_so(phone, other_phone, server):
    begin(phone, server, "Ana", "Ben")
    visit(other_phone, link(phone, phone.url))
    other_phone.context.set_offline(True)
    expect(other_phone.locator("[data-live-lost]")).to_be_visible()
    expect(other_phone.locator("tfoot")).to_be_visible()
    other_phone.context.set_offline(False)
    expect(other_phone.locator("[data-live-lost]")).to_be_hidden()


def test_a_question_that_no_server_answers_holds_up_the_next_one_for_seconds_only(
    phone, other_phone, server
):
    begin(phone, server, "Ana", "Ben")
    game = phone.url
    other_phone.clock.install()
    visit(other_phone, link(phone, game))
    unanswered: list[Route] = []

    def ask(route: Route) -> None:
        if unanswered:
            route.continue_()
        else:
            unanswered.append(route)

    other_phone.route("**/live?*", ask)
    with other_phone.expect_request("**/live?*"):
        charge(phone, game, "PRO-13.3")
    other_phone.clock.fast_forward(4000)
    # Sooner than by htmx, which would wait for sixty seconds.
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("20", timeout=45_000)
    expect(other_phone.locator("[data-live-lost]")).to_be_hidden()


def test_the_code_is_large_and_in_sight_and_its_address_can_be_copied(phone, server):
    begin(phone, server, "Ana", "Ben")
    address = link(phone, phone.url)
    picture = phone.locator(".code img").bounding_box()
    assert picture is not None
    assert picture["width"] == picture["height"] > 300
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.get_by_role("button", name="Copy the address").tap()
    expect(phone.locator("[data-copied]")).to_contain_text("Copied. Paste it into a message")
    assert phone.evaluate("navigator.clipboard.readText()") == address


def test_on_plain_http_the_address_is_copied_in_the_old_way(phone, server):
    begin(phone, server, "Ana", "Ben")
    game = phone.url
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.add_init_script(
        "window.clipboard = navigator.clipboard; delete Navigator.prototype.clipboard;"
    )
    address = link(phone, game)
    phone.get_by_role("button", name="Copy the address").tap()
    expect(phone.locator("[data-copied]")).to_contain_text("Copied. Paste it into a message")
    assert phone.evaluate("window.clipboard.readText()") == address


def test_where_nothing_can_be_copied_there_is_no_button(phone, server):
    begin(phone, server, "Ana", "Ben")
    game = phone.url
    phone.add_init_script(
        "delete Navigator.prototype.clipboard; document.queryCommandSupported = () => false;"
        "delete Navigator.prototype.share;"
    )
    link(phone, game)
    expect(phone.locator("[data-copy]")).to_be_hidden()
    expect(phone.locator("[data-share]")).to_be_hidden()
    expect(phone.locator(".address a")).to_be_visible()


def test_where_the_browser_shares_it_is_handed_the_address(phone, server):
    begin(phone, server, "Ana", "Ben")
    game = phone.url
    phone.add_init_script("navigator.share = async (what) => { window.shared = what; };")
    address = link(phone, game)
    phone.get_by_role("button", name="Share").tap()
    assert phone.evaluate("window.shared") == {"title": "Ana, Ben", "url": address}


def test_whoever_scrolled_down_the_sheet_stays_there_when_it_changes(phone, other_phone, server):
    begin(phone, server, "Ana", "Ben", "Cem")
    game = phone.url
    visit(other_phone, link(phone, game))
    table = other_phone.locator(".scroll")
    table.evaluate("table => { table.scrollTop = 150; }")
    charge(phone, game, "PRO-13.3")
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("20")
    assert table.evaluate("table => table.scrollTop") == 150


SHARES = """
    navigator.canShare = ({ files }) => files.length === 1;
    navigator.share = async ({ text, files }) => {
        const { width } = await createImageBitmap(files[0]);
        document.body.dataset.shared = `${text} ${files[0].type} ${width}`;
    };
"""


def test_the_result_is_shared_as_text_and_as_a_picture(phone, server, tmp_path):
    begin(phone, server, "Ana", "Ben")
    phone.add_init_script(SHARES)
    visit(phone, f"{read_in(phone, server, whole_game(), tmp_path / 'game.json')}/tally")
    # It can be saved once it is drawn.
    expect(phone.get_by_role("link", name="Picture")).to_have_attribute("download", "result.png")
    phone.get_by_role("link", name="Share", exact=True).tap()
    line = re.compile(r"^Proter, 13 hands: 1\. .* 152, 2\. .* 184 image/png 1080$")
    expect(phone.locator("body")).to_have_attribute("data-shared", line)


def test_where_the_browser_shares_nothing_one_tap_leads_to_text_and_picture(
    phone, server, tmp_path
):
    begin(phone, server, "Ana", "Ben")
    phone.add_init_script("delete Navigator.prototype.share;")
    visit(phone, f"{read_in(phone, server, whole_game(), tmp_path / 'game.json')}/tally")
    phone.get_by_role("link", name="Share", exact=True).tap()
    expect(phone.locator("[data-result]")).to_be_in_viewport()
    expect(phone.get_by_role("link", name="Picture")).to_be_in_viewport(ratio=1)
