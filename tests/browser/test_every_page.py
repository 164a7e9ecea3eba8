"""What every page promises: fits the phone, reads aloud, weighs little, works in either light."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Response, expect

from tests.browser.conftest import Server, begin, ready

pytestmark = pytest.mark.browser

LIGHTS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FIRST_VISIT = 60_000
EACH_PAGE = 8_000
NAMES = ("A", "Wilhelmina Karunaratne-Fonseka", "شهرزاد", "Dilip 🎴", "Ewa", "Ünal", "Æ")

PAGES = (
    "",
    "/penalty",
    "/ruling",
    "/ruling?ask=discard&player=1",
    "/ruling?ask=meld&player=1",
    "/ruling?ask=turn&player=1",
    "/rulings",
    "/rulings/3",
    "/table",
    "/end",
    "/throw-in",
    "/sheet",
    "/hands/1",
    "/hands/1/correct",
    "/log",
    "/tally",
    "/rules",
    "/manage",
    "/delete",
    "/code",
)
PLACES = (
    "/",
    "/games/new",
    "/games/archive",
    "/games/deleted",
    "/games/import",
    "/settings",
    "/rules",
    "/rules/proter",
    "/rules/pay_me",
    "/rules/carioca",
    "/rules/indian_chief",
    "/rules/kalooki",
    "/rules/contract_rummy",
    "/rules/indian_rummy",
)
# Of a game with two packs and four jokers, whose grids have several copies of each card.
PACKS = (
    "",
    "/penalty",
    "/ruling?ask=turn&player=1",
    "/ruling?ask=swap&player=1",
    "/table",
    "/end",
    "/sheet",
    "/hands/1",
    "/hands/1/correct",
    "/tally",
)


@pytest.fixture
def addresses(crowded: str, packs: str, server: Server) -> list[str]:
    """The pages of a crowded game of Proter, of one with several packs, and those of none."""
    return [
        *(crowded + page for page in PAGES),
        *(packs + page for page in PACKS),
        *(server.address + place for place in PLACES),
    ]


@pytest.fixture
def crowded(phone: Page, server: Server) -> str:
    """A game of seven with names of all kinds, a hand marked, a penalty and a ruling."""
    begin(phone, server, *NAMES)
    game = phone.url
    phone.goto(f"{game}/penalty")
    phone.locator("#player label.tile").nth(1).tap()
    phone.locator("button.tile[value='PRO-13.3']").tap()
    saved(phone)
    phone.goto(f"{game}/ruling?ask=meld&player=2")
    ready(phone)
    for card in ("6C", "6D", "7D"):
        phone.locator(f"form#ask label.c:has(input[value='{card}'])").tap()
    phone.locator(".actions button").tap()
    phone.wait_for_url("**/rulings/3")
    phone.goto(f"{game}/end")
    ready(phone)
    phone.locator("#out label.tile").first.tap()
    for seat, card in enumerate(("KC", "QC", "JC", "TC", "9C", "8C"), start=1):
        phone.locator(
            f"fieldset[data-step='{NAMES[seat]}'] label.c:has(input[value='{card}'])"
        ).tap()
        if seat < 6:
            phone.locator("[data-steps-nav] button", has_text="Next").tap()
    phone.locator(".actions [data-steps-save]").tap()
    saved(phone)
    return game


@pytest.fixture
def packs(phone: Page, server: Server) -> str:
    """A game of Kalooki of five: a hand marked, a call charged, a meld with a joker on record."""
    begin(phone, server, *NAMES[:5], game="kalooki")
    game = phone.url
    phone.goto(f"{game}/end")
    ready(phone)
    phone.locator("label.switch", has_text="Bent the table").tap()
    phone.locator("#out label.tile").first.tap()
    for seat, cards in enumerate(("KC KC XX XX", "AS AS", "2D", "TH TH 9C"), start=1):
        step = phone.locator(f"fieldset[data-step='{NAMES[seat]}']")
        for card in cards.split():
            step.locator(f"label.c:has(input[value='{card}'])").first.tap()
        if seat < 4:
            phone.locator("[data-steps-nav] button", has_text="Next").tap()
    phone.locator(".actions [data-steps-save]").tap()
    saved(phone)
    phone.goto(f"{game}/penalty")
    phone.locator("#player label.tile").nth(1).tap()
    phone.locator("button.tile[value='KAL-4']").tap()
    saved(phone)
    phone.goto(f"{game}/table")
    ready(phone)
    for card in ("4H", "5H", "XX", "7H"):
        phone.locator(f"form#play label.c:has(input[value='{card}'])").first.tap()
    phone.locator(".actions button[value=meld]").tap()
    expect(phone.locator(".meld").first).to_be_visible()
    return game


def saved(page: Page) -> None:
    """Wait for the page after something was saved."""
    expect(page.locator("#messages .notice.good").first).to_be_visible()


def faults(page: Page) -> list[str]:
    """What is wrong with the page that is shown, by machine: access, and width."""
    found = [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}"
        for one in Axe().run(page).response["violations"]
    ]
    return [*found, *too_wide(page)]


def too_wide(page: Page) -> list[str]:
    """What is wrong with the width of the page that is shown."""
    width = page.evaluate("document.documentElement.scrollWidth")
    shown = page.evaluate("document.documentElement.clientWidth")
    return [f"{width} wide on a screen of {shown}"] if width > shown else []


def test_every_page_can_be_read_by_everybody(phone: Page, addresses: list[str]) -> None:
    wrong = {}
    for address in addresses:
        answer = phone.goto(address)
        assert answer is not None
        assert answer.ok, address
        ready(phone)
        for light in LIGHTS:
            phone.emulate_media(color_scheme=light)
            found = faults(phone)
            if found:
                wrong[f"{light} {address}"] = found
    assert wrong == {}


def test_every_page_fits_a_desktop_and_large_text(
    phone: Page, server: Server, addresses: list[str]
) -> None:
    phone.goto(f"{server.address}/settings")
    for choice in ("Four", "Large"):
        phone.locator("label.tile", has_text=choice).first.tap()
    with phone.expect_navigation():
        phone.locator(".actions button").tap()
    wrong = {}
    for address in addresses:
        phone.set_viewport_size({"width": 320, "height": 568})
        phone.goto(address)
        ready(phone)
        found = faults(phone)
        phone.set_viewport_size({"width": 1280, "height": 800})
        found += too_wide(phone)
        if found:
            wrong[address] = found
    assert wrong == {}


def test_every_page_answers_in_8_kilobytes(phone: Page, addresses: list[str]) -> None:
    heavy = {}
    for address in addresses:
        answer = phone.request.get(address, headers={"Accept-Encoding": "gzip, br"})
        weight = int(answer.headers["content-length"])
        if weight > EACH_PAGE:
            heavy[address] = weight
    assert heavy == {}


def test_a_first_visit_weighs_60_kilobytes_at_most(pocket: BrowserContext, server: Server) -> None:
    page = pocket.new_page()
    weights: dict[str, int] = {}

    def weigh(answer: Response) -> None:
        sizes = answer.request.sizes()
        weights[answer.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    page.on("requestfinished", lambda request: weigh(request.response()))
    page.goto(server.house)
    begin(page, server, "Ana", "Ben")
    game = page.url
    for path in ("/end", "/ruling?ask=meld&player=0", "/sheet"):
        page.goto(game + path)
        ready(page)
    once = {url: size for url, size in weights.items() if "/static/" in url}
    assert once
    pages = [size for url, size in weights.items() if "/static/" not in url]
    assert sum(once.values()) + max(pages) <= FIRST_VISIT
