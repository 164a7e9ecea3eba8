"""Looking on from another phone: the sheet follows the game, and the code is handed around."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import begun, visit
from tests.browser.house import Server
from tests.browser.sending import import_game, send
from tests.browser.thumb import box_of
from tests.services.seven_at_table import as_file, whole_game

pytestmark = pytest.mark.browser


@pytest.fixture
def other_phone(new_phone: Callable[[], Page]) -> Page:
    """A phone that has never been here."""
    return new_phone()


@pytest.fixture
def game(phone: Page, server: Server) -> str:
    """The address of a new game."""
    return begun(phone, server, ("Ana", "Ben", "Cem"), "proter")


@pytest.fixture
def over(phone: Page, server: Server) -> str:
    """The address of a game that is over."""
    return import_game(phone, server.address, as_file(whole_game()))


def link(phone: Page, game: str) -> str:
    """The address for viewers, as the marker's phone shows it."""
    visit(phone, f"{game}/code")
    address = phone.locator(".address a").get_attribute("href")
    assert address is not None
    return address


def charge(phone: Page, game: str, rule: str = "PRO-13.3") -> None:
    """Charge the second player 20 points."""
    send(phone, f"{game}/penalty", [("player", "1"), ("rule", rule)])


def look(page: Page) -> None:
    """Come back to a page, so that it asks at once what is new."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def total(page: Page, points: int) -> None:
    """Wait until the sheet says what the second player has."""
    expect(page.locator("tfoot td").nth(1)).to_contain_text(str(points))


def test_a_viewers_sheet_follows_the_game(phone, other_phone, game):
    visit(other_phone, link(phone, game))
    total(other_phone, 0)
    table = other_phone.locator(".scroll")
    table.evaluate("table => { table.scrollTop = 150; }")
    charge(phone, game)
    total(other_phone, 20)
    assert table.evaluate("table => table.scrollTop") == 150
    with other_phone.expect_response(lambda answer: answer.status == 204):
        look(other_phone)  # what it asks next is based on what it shows now
    charge(phone, game, "PRO-13.1")
    look(other_phone)
    total(other_phone, 40)
    assert other_phone.context.cookies() == []
    assert barriers(other_phone) == []
    other_phone.context.set_offline(True)
    look(other_phone)
    expect(other_phone.locator("[data-no-answer]")).to_be_visible()
    total(other_phone, 40)
    other_phone.context.set_offline(False)
    look(other_phone)
    expect(other_phone.locator("[data-no-answer]")).to_be_hidden()
    send(phone, f"{game}/delete", [])
    look(other_phone)
    expect(other_phone.get_by_role("heading", name="Nothing is shown here")).to_be_visible()
    expect(other_phone.locator("[data-live]")).to_have_count(0)


def test_names_that_end_differently_are_whole_beside_their_totals(phone, other_phone, server):
    names = ("Wilhelmina", "Wilhelmine", "Cem", "Dee", "Eva", "Fay", "Gus")
    game = begun(phone, server, names, "pay_me")
    points = [(f"points-{seat}", "30") for seat in range(1, 7)]
    send(phone, f"{game}/end", [("out", "0"), *points])
    visit(other_phone, link(phone, game))
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    assert other_phone.locator(".totals bdi").evaluate_all(cut) == []
    tapped = other_phone.locator(".totals .come a").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert len(tapped) == 7
    assert min(tapped) >= 44


def test_a_total_counts_up_to_its_new_value(phone, other_phone, game):
    other_phone.emulate_media(reduced_motion="no-preference")
    other_phone.clock.install(time=0)
    visit(other_phone, link(phone, game))
    other_phone.clock.pause_at(3600)
    charge(phone, game)
    other_phone.clock.run_for(2000)
    moves = other_phone.locator(".totals li", has_text="Ben").locator("[data-total]")
    expect(moves).to_have_attribute("data-total", "20")
    other_phone.clock.run_for(200)
    assert 0 < int(moves.inner_text()) < 20
    other_phone.clock.run_for(600)
    expect(moves).to_have_text("20")


def test_a_poll_without_an_answer_delays_the_next_by_seconds_only(phone, other_phone, game):
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
        charge(phone, game)
    other_phone.clock.fast_forward(4000)
    # Sooner than by htmx, which would wait for sixty seconds.
    expect(other_phone.locator("tfoot td").nth(1)).to_contain_text("20", timeout=45_000)
    expect(other_phone.locator("[data-no-answer]")).to_be_hidden()
    unanswered[0].abort()


@pytest.mark.parametrize(
    "lacks",
    ["", "window.clipboard = navigator.clipboard; delete Navigator.prototype.clipboard;"],
    ids=["https", "plain http"],
)
def test_the_code_is_large_and_its_address_can_be_copied_and_shared(phone, game, lacks):
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.add_init_script(lacks)
    phone.add_init_script("navigator.share = async (what) => { window.shared = what; };")
    address = link(phone, game)
    picture = box_of(phone.locator(".code img"))
    assert picture["width"] == picture["height"] > 300
    phone.get_by_role("button", name="Copy the address").tap()
    expect(phone.locator("[data-copied]")).to_contain_text("Copied. Paste it into a message")
    assert phone.evaluate("(window.clipboard ?? navigator.clipboard).readText()") == address
    phone.get_by_role("button", name="Share").tap()
    assert phone.evaluate("window.shared") == {"title": "Ana, Ben, Cem", "url": address}


def test_without_copying_and_sharing_there_are_no_buttons(phone, game, over):
    phone.add_init_script(
        "delete Navigator.prototype.clipboard; document.queryCommandSupported = () => false;"
        "delete Navigator.prototype.share;"
    )
    link(phone, game)
    expect(phone.locator("[data-copy]")).to_be_hidden()
    expect(phone.locator("[data-share]")).to_be_hidden()
    expect(phone.locator(".address a")).to_be_visible()
    # Of the result one tap leads to its text and its picture.
    visit(phone, f"{over}/tally")
    phone.get_by_role("link", name="Share", exact=True).tap()
    expect(phone.locator("[data-result]")).to_be_in_viewport()
    expect(phone.get_by_role("link", name="Picture")).to_be_in_viewport(ratio=1)


SHARES = """
    navigator.canShare = ({ files }) => files.length === 1;
    navigator.share = async ({ text, files }) => {
        const { width } = await createImageBitmap(files[0]);
        document.body.dataset.shared = `${text} ${files[0].type} ${width}`;
    };
"""


def test_the_result_is_shared_as_text_and_as_a_picture(phone, over):
    phone.add_init_script(SHARES)
    visit(phone, f"{over}/tally")
    # It can be saved once it is drawn.
    expect(phone.get_by_role("link", name="Picture")).to_have_attribute("download", "result.png")
    phone.get_by_role("link", name="Share", exact=True).tap()
    line = re.compile(r"^Proter, 13 hands: 1\. .* 152, 2\. .* 184 image/png 1080$")
    expect(phone.locator("body")).to_have_attribute("data-shared", line)
