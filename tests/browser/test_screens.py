"""The command that takes pictures of every page, and pages in letters of twice the size."""

import pytest
from playwright.sync_api import Page, expect

from companion import cli
from tests.browser.accessibility import too_wide
from tests.browser.conftest import MOBILE, PATIENCE, begin, visit
from tests.browser.made_games import PAGES_OF
from tests.browser.screens import LARGE, LIGHTS, SCREENS
from tests.browser.sending import send
from tests.browser.test_every_page import addresses
from tests.browser.test_in_sight import BROKEN
from tests.programs import find_chromium

pytestmark = pytest.mark.browser
SOME = ("proter",)
# Of names, and of what stands beside a button.
WORDS = ("முத்துலட்சுமி Wilhelmina Karunaratne Fonseka", "Touched stock points whole notebook")
OTHERS = [pytest.param(game, marks=pytest.mark.exhaustive) for game in PAGES_OF if game not in SOME]


@pytest.fixture
def large(chromium, phone):
    """The same marker on a phone whose user has chosen letters of twice the usual size."""
    browser = chromium.browser_type.launch(
        executable_path=find_chromium(), args=["--no-sandbox", LARGE]
    )
    page: Page = browser.new_context(service_workers="block", **MOBILE).new_page()
    page.set_default_timeout(PATIENCE)
    page.context.add_cookies(phone.context.cookies())
    yield page
    browser.close()


@pytest.mark.parametrize("game", ["", *SOME, *OTHERS])
def test_no_page_leaves_the_screen_in_letters_of_twice_the_size(phone, large, server, game):
    wrong = {}
    for address in addresses(phone, server, *filter(None, [game])):
        visit(large, address)
        assert (
            large.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") > 32
        )
        for width, height in ((640, 360), (360, 640)):
            large.set_viewport_size({"width": width, "height": height})
            if found := too_wide(large):
                wrong[address] = found
    assert wrong == {}


def test_the_game_that_is_played_says_its_hand_in_letters_of_twice_the_size(phone, large, server):
    begin(phone, server, "Ana", "Ben")
    visit(large, server.address)
    says = large.locator(".playing b")
    expect(says).to_have_text("Continue: hand 1 of 13")
    assert says.evaluate("says => says.scrollHeight <= says.clientHeight + 1")  # rounded


def test_words_stay_whole_in_letters_of_twice_the_size(phone, large, server):
    begin(phone, server, "முத்துலட்சுமி", "Wilhelmina Karunaratne-Fonseka")
    send(phone, f"{phone.url}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    for path in ("", "/penalty", "/throw-in", "/ruling?ask=meld&player=1", "/tally", "/code"):
        visit(large, phone.url + path)
        assert large.evaluate(BROKEN, WORDS) == [], path
    visit(large, f"{server.address}/phones")
    assert large.evaluate(BROKEN, WORDS) == []


def test_what_is_kept_on_the_phone_leaves_no_screen_in_letters_of_twice_the_size(large, server):
    visit(large, f"{server.address}/games/new")
    large.locator("#name-0").fill("Ana")
    visit(large, f"{server.address}/games/new")
    expect(large.get_by_role("button", name="Start over")).to_be_visible()
    assert too_wide(large) == []


@pytest.mark.exhaustive
def test_each_page_is_taken_on_each_screen_in_each_light_and_in_large_letters(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    assert "three_thirteen" in PAGES_OF
    assert cli.main(["screens", str(tmp_path), "--game", "three_thirteen"]) == 0
    shown = (tmp_path / "index.html").read_text()
    pages = {file.name.partition(".")[0] for file in tmp_path.glob("*.png")}
    assert {"three_thirteen-games", "three_thirteen-games-end"} <= pages
    for page in pages:
        taken = {file.name for file in tmp_path.glob(f"{page}.*.png")}
        kinds = [f"{screen}.{light}" for screen in SCREENS for light in LIGHTS]
        assert taken == {f"{page}.{kind}.png" for kind in (*kinds, "phone.large")}
        assert all(f'src="{file}"' in shown for file in taken)
