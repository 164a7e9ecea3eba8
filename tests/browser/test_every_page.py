"""What every page promises: fits the phone, reads aloud, weighs little, works in either light."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from companion import cli
from companion.rules.games import GAMES
from companion.web.app import create_app
from companion.web.auth import database
from companion.web.rulings.form import ONLINE_ASKS
from tests.browser.accessibility import (
    LETTERS,
    badly_coloured,
    barriers_in_any_light,
    letters,
    too_wide,
    unreachable,
)
from tests.browser.conftest import PHONE, begun, ready, visit
from tests.browser.made_games import PAGES_OF, addresses
from tests.browser.screens import LIGHTS, SCREENS
from tests.browser.sending import import_game, send
from tests.browser.test_in_sight import BROKEN
from tests.browser.thumb import box_of, end_of, press, tap_cards
from tests.services.seven_at_table import as_file, whole_game

pytestmark = pytest.mark.browser

FIRST_VISIT = 60_000
EACH_PAGE = 8_000
# What is got by an address and is no page to be read; the house key leads on to the first page.
NO_PAGES = """
    static favicon monitoring.alive monitoring.ready monitoring.metrics
    offline.manifest offline.worker offline.token offline.hands_together offline.precache
    seasons.spreadsheet seasons.viewed_spreadsheet tally.as_csv tally.as_json tally.result_picture
    viewers.live viewers.result viewers.screen_live viewers.standings auth.open_house
"""
# What a marker can choose in the settings, as the first tag of every page says it.
LOOK = {"suits": "four", "text": "large"}
AT_THE_END = {"arrange", "score", "round"}  # what is asked as a hand is marked, and not in dispute


def test_every_route_with_a_page_is_tested_here(phone, server, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path))
    monkeypatch.delenv("COMPANION_DATABASE_URL", raising=False)
    app = create_app()
    routes = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    urls = app.url_map.bind("127.0.0.1")
    every = [*addresses(phone, server), *addresses(phone, server, *PAGES_OF)]
    there = {urls.match(urlsplit(address).path)[0] for address in every}
    assert there == routes - {*NO_PAGES.split()}
    with app.app_context():
        database().close()
    kinds = {ask for address in every for ask in re.findall(r"[?&]ask=([a-z_]+)&", address)}
    asks = set().union(*(game.judge.asks for game in GAMES.values()))
    assert kinds == (asks - AT_THE_END) | {*ONLINE_ASKS}


@pytest.mark.parametrize("games", [(), *((game,) for game in PAGES_OF)], ids=",".join)
def test_every_page_is_light_fits_every_screen_and_can_be_read_by_everybody(phone, server, games):
    wrong = {}
    for address in addresses(phone, server, *games):
        answer = phone.goto(address)
        assert answer is not None
        assert answer.ok, address
        ready(phone)
        found = [*barriers_in_any_light(phone), *on_other_screens(phone), *too_heavy(answer)]
        if found:
            wrong[address] = found
    assert wrong == {}


def too_heavy(answer: Response) -> list[str]:
    """What is wrong with the weight of a page as a browser gets it."""
    assert answer.headers["content-encoding"] in {"br", "gzip"}
    weight = int(answer.headers["content-length"])
    return [f"{weight} bytes"] if weight > EACH_PAGE else []


def on_other_screens(page: Page) -> list[str]:
    """What is wrong with a page on a small phone, on a desktop, and in larger letters.

    On the first two four colours and large text are chosen. The page is left as it was.
    """
    choose = "look => Object.assign(document.documentElement.dataset, look)"
    before = page.evaluate("({ ...document.documentElement.dataset })")
    page.evaluate(choose, LOOK)
    page.set_viewport_size({"width": 320, "height": 568})
    found = [*badly_coloured(page), *unreachable(page), *too_wide(page)]
    page.set_viewport_size({"width": 1280, "height": 800})
    found += too_wide(page)
    page.evaluate(choose, before)
    for size, width, height in ((32, 640, 360), (32, 360, 640), (23, 360, 640)):
        letters(page, size)
        page.set_viewport_size({"width": width, "height": height})
        found += [f"in letters of {size} px: {one}" for one in too_wide(page)]
    letters(page, LETTERS)
    page.set_viewport_size(PHONE)
    return found


def test_a_first_visit_weighs_60_kilobytes_at_most(pocket, server):
    page = pocket.new_page()
    weights: dict[str, int] = {}

    def weigh(answer: Response) -> None:
        sizes = answer.request.sizes()
        weights[answer.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    page.on("requestfinished", lambda request: weigh(request.response()))
    page.goto(server.house)
    game = begun(page, server, ("Ana", "Ben"), "proter")
    for path in ("", "/end", "/ruling?ask=meld&player=0", "/sheet"):
        visit(page, game + path)
    once = {url: size for url, size in weights.items() if "/static/" in url}
    assert once
    pages = [size for url, size in weights.items() if "/static/" not in url]
    assert sum(once.values()) + max(pages) <= FIRST_VISIT


# -- in letters of twice the size ------------------------------------------------------------------

# Of names, and of what stands beside a button.
WORDS = ("முத்துலட்சுமி Wilhelmina Karunaratne Fonseka", "Touched stock points whole notebook")


@pytest.fixture
def large(phone):
    """A phone whose user has chosen letters of twice the usual size."""
    letters(phone, 2 * LETTERS)
    return phone


def test_words_stay_whole_in_letters_of_twice_the_size(large, server):
    game = begun(large, server, ("முத்துலட்சுமி", "Wilhelmina Karunaratne-Fonseka"), "proter")
    send(large, f"{game}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    for path in ("", "/penalty", "/throw-in", "/ruling?ask=meld&player=1", "/tally", "/code"):
        visit(large, game + path)
        assert large.evaluate(BROKEN, WORDS) == [], path
    visit(large, f"{server.address}/phones")
    assert large.evaluate(BROKEN, WORDS) == []
    visit(large, server.address)
    says = large.locator(".playing b")
    expect(says).to_have_text("Continue: hand 1 of 13")
    assert says.evaluate("says => says.scrollHeight <= says.clientHeight + 1")  # rounded
    visit(large, f"{server.address}/games/new")
    large.locator("#name-0").fill("Ana")
    expect(large.get_by_role("button", name="Start over")).to_be_visible()
    assert too_wide(large) == []


def test_what_is_undone_is_said_in_full_in_letters_of_twice_the_size(large, server):
    visit(large, begun(large, server, ("Ana", "Wilhelmina Karunaratne-Fonseka"), "proter"))
    send(large, f"{large.url}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    visit(large, large.url)
    says = large.locator(".undo button > span")
    for width, height in ((360, 640), (640, 360)):
        large.set_viewport_size({"width": width, "height": height})
        hidden = says.evaluate("says => says.scrollHeight - says.clientHeight")
        assert hidden < LETTERS, width  # less than a line


def test_cards_grow_with_the_letters(large, server):
    game = begun(large, server, ("Ana", "Ben", "Cem"), "kalooki")
    visit(large, f"{game}/ruling?ask=meld&player=0")
    sizes = []
    for size in (LETTERS, 1.35 * LETTERS, 2 * LETTERS):
        letters(large, round(size))
        face = large.locator(".c", has=large.locator("[value='TC']")).first.locator("b")
        sizes.append(face.evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
        assert face.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert too_wide(large) == []
    assert sizes[0] * 1.3 <= sizes[1] <= sizes[2]


def test_the_meld_is_asked_and_the_hand_saved_in_letters_of_twice_the_size(large, server):
    end_of(large, server, "Ana", "Ben", out="Ana")
    here = large.locator("[data-step='Ben']")
    name, cards = box_of(here.locator("legend").first), box_of(here.locator(".felt"))
    assert name["height"] >= 2 * 1.2 * LETTERS  # nothing of it is cut off
    assert name["y"] + name["height"] <= cards["y"]
    tap_cards(here, "KC QC JC TC 9C 8C")
    assert here.locator(".sum").evaluate("sum => sum.scrollHeight <= sum.clientHeight")
    assert too_wide(large) == []
    here.locator(".ask label", has_text="Yes").tap()
    press(large, "Save").tap()
    expect(large.locator("h1")).to_contain_text("Hand 2")


@pytest.mark.parametrize("text", ["normal", "large"])
def test_names_of_the_standings_are_readable_in_letters_of_any_size(phone, server, text):
    visit(phone, f"{begun(phone, server, ('Chandi', 'Wilhelmina'), 'proter')}/tally")
    phone.evaluate("text => document.documentElement.dataset.text = text", text)
    for size in range(LETTERS, 2 * LETTERS):
        letters(phone, size)
        shown = "names => names[0].scrollWidth <= names[0].clientWidth"
        assert phone.locator(".standings tbody bdi").evaluate_all(shown), size


def test_a_mark_that_the_keyboard_reaches_is_not_below_the_head_of_the_sheet(phone, server):
    visit(phone, f"{import_game(phone, server.address, as_file(whole_game()))}/sheet")
    phone.locator(".sheet tbody tr").last.locator("td a").last.focus()
    for _ in range(12 * 8):  # to the first hand, and a hand is a number and seven marks
        phone.keyboard.press("Shift+Tab")
        assert phone.evaluate(
            """() => {
              const here = document.activeElement, box = here.getBoundingClientRect();
              const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
              return here.contains(document.elementFromPoint(x, y));
            }"""
        )


@pytest.mark.exhaustive
def test_screens_takes_each_page_on_each_screen_in_light_and_dark_and_in_large_letters(tmp_path):
    assert cli.main(["screens", str(tmp_path), "--game", "pay_me"]) == 0
    shown = (tmp_path / "index.html").read_text()
    pages = {file.name.partition(".")[0] for file in tmp_path.glob("*.png")}
    assert pages == {"pay_me-games-hands-1", "pay_me-games-hands-1-correct"}
    for page in pages:
        taken = {file.name for file in tmp_path.glob(f"{page}.*.png")}
        kinds = [f"{screen}.{light}" for screen in SCREENS for light in LIGHTS]
        assert taken == {f"{page}.{kind}.png" for kind in (*kinds, "phone.large")}
        assert all(f'src="{file}"' in shown for file in taken)
