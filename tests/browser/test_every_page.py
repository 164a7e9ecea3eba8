"""What every page promises: fits the phone, reads aloud, weighs little, works in either light."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response

from companion.rules.games import GAMES
from companion.web import create_app
from companion.web.auth import database
from companion.web.rulings.form import ONLINE_ASKS
from tests.browser.accessibility import barriers, barriers_in_any_light, too_wide
from tests.browser.conftest import PHONE, Server, begin, ready, visit
from tests.browser.made_games import OF_PROTER, PAGES_OF

pytestmark = pytest.mark.browser

# What the width, the size of text and the suits' colours can change, and where.
BY_SIZE = ("color-contrast", "scrollable-region-focusable")
WITH_CARDS_OR_TABLES = {
    ("",),
    *(("/end",), ("/hands//correct",), ("/penalty",), ("/ruling", "meld"), ("/ruling", "discard")),
    *(("/table",), ("/sheet",), ("/tally",)),
}
# What looks otherwise in every game.
FORMS_OF_THEIR_OWN = {("/end",), ("/sheet",), ("/tally",)}
FIRST_VISIT = 60_000
EACH_PAGE = 8_000
PLACES = (
    "/",
    "/games/new",
    "/games/archive",
    "/games/deleted",
    "/games/import",
    "/settings",
    "/rules",
    *(f"/rules/{game}" for game in GAMES),
    "/people",
    "/seasons",
    "/seasons/new",
    "/phones",
    "/recovery-code",
    "/recover",
    "/join",
    "/j/seven-words-that-nobody-was-ever-given",
)
# What is got by an address and is no page to be read.
NO_PAGES = {
    *("static", "favicon", "offline.manifest", "offline.worker"),
    *(
        "monitoring.alive",
        "monitoring.ready",
        "monitoring.numbers",
        "offline.token",
        "offline.hands_together",
        "offline.precache",
    ),
    *("seasons.spreadsheet", "seasons.viewed_spreadsheet"),
    *(
        "tally.as_csv",
        "tally.as_json",
        "tally.result_picture",
        "viewers.live",
        "viewers.result",
        "viewers.screen_live",
        "viewers.standings",
    ),
    "auth.open_house",  # leads on to the first page
}
# What the settings say to a page, and what they can say.
LOOKS = ({"suits": "two", "text": "normal"}, {"suits": "four", "text": "large"})
# What is another whenever a page is asked for.
UNLIKE = re.compile(r'(?:name="(?:csrf_token|key)" value|name="csrf-token" content)="[^"]*"')
AT_THE_END = {"arrange", "score", "round"}  # what is asked as a hand is marked, and not in dispute


def addresses(page: Page, server: Server, *games: str) -> list[str]:
    """Every page of these games, in the midst of what they have; without one, those of none."""
    if games:
        return [one for game in games for one in PAGES_OF[game](page, server)]
    page.goto(f"{server.address}/phones")
    mine = page.locator("a[href^='/phones/']").first.get_attribute("href")
    return [server.address + place for place in (*PLACES, mine or "")]


def kind(address: str) -> tuple[str, ...]:
    """What pages of all games that look alike have in common."""
    of_game = re.sub(
        r"(/games|/people|/seasons|/s|/v)/[\w-]{8,}|(?<=/rules/)\w+|\d+", "", urlsplit(address).path
    )
    return of_game, *re.findall(r"[?&]ask=([a-z_]+)", address)


def test_no_page_is_forgotten_here(phone, server, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path))
    monkeypatch.delenv("COMPANION_DATABASE_URL", raising=False)
    app = create_app()
    routes = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    urls = app.url_map.bind("127.0.0.1")
    every = [*addresses(phone, server), *addresses(phone, server, *PAGES_OF)]
    there = {urls.match(urlsplit(address).path)[0] for address in every}
    assert there == routes - NO_PAGES
    with app.app_context():
        database().close()
    kinds = {ask for address in every for ask in re.findall(r"[?&]ask=([a-z_]+)&", address)}
    asks = set().union(*(game.judge.asks for game in GAMES.values()))
    assert kinds == (asks - AT_THE_END) | {*ONLINE_ASKS}


# Their pages are those of Pay Me, and of Kalooki and Contract Rummy.
ALIKE = {"three_thirteen", "carioca"}


@pytest.mark.parametrize(
    "games",
    [
        (),
        *(
            pytest.param((game,), marks=[pytest.mark.exhaustive] * (game in ALIKE))
            for game in PAGES_OF
        ),
    ],
    ids=",".join,
)
def test_every_page_is_light_fits_every_screen_and_can_be_read_by_everybody(
    phone, server, games, pytestconfig
):
    wrong = {}
    everywhere = {kind(path) for path in OF_PROTER} - FORMS_OF_THEIR_OWN
    by_size = {*WITH_CARDS_OR_TABLES} if games == ("proter",) else set()
    looked_at = set()
    for address in addresses(phone, server, *games):
        # What all games have is looked at in Proter; with --all, its width in every game.
        known = games not in {(), ("proter",)} and kind(address) in everywhere
        if known and not pytestconfig.getoption("all"):
            continue
        # Of the pages of rules one is looked at, and the width of the others.
        known = known or (not games and kind(address) in looked_at)
        looked_at.add(kind(address))
        answer = phone.goto(address)
        assert answer is not None
        assert answer.ok, address
        ready(phone)
        found = too_wide(phone) if known else barriers_in_any_light(phone)
        found += on_other_screens(phone, *(BY_SIZE if kind(address) in by_size else ()))
        by_size -= {kind(address)}
        found += too_heavy(answer)
        if found:
            wrong[address] = found
    assert wrong == {}
    assert by_size == set()


def test_each_link_below_the_games_is_on_one_line(phone, server):
    visit(phone, server.address)
    phone.locator("summary", has_text="More").tap()
    lines = """links => links.map((link) => {
        const words = document.createRange();
        words.selectNodeContents(link);
        return [link.textContent, words.getClientRects().length];
    })"""
    links = ("Archive", "Deleted", "Import a game", "Phones", "Rules")
    found = phone.locator("details.menu a").evaluate_all(lines)
    assert found == [[link, 1] for link in links]


def too_heavy(answer: Response) -> list[str]:
    """What is wrong with the weight of a page as a browser gets it."""
    assert answer.headers["content-encoding"] in {"br", "gzip"}
    weight = int(answer.headers["content-length"])
    return [f"{weight} bytes"] if weight > EACH_PAGE else []


def on_other_screens(page: Page, *rules: str) -> list[str]:
    """What is wrong with a page in large text on a small phone, by these rules, and on a desktop.

    The page stays as if four colours and large text had been chosen, until it is left.
    """
    page.evaluate("look => Object.assign(document.documentElement.dataset, look)", LOOKS[1])
    page.set_viewport_size({"width": 320, "height": 568})
    found = barriers(page, *rules) if rules else too_wide(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    found += too_wide(page)
    page.set_viewport_size(PHONE)
    return found


def test_what_is_chosen_in_the_settings_is_told_by_the_first_tag_of_every_page(phone, server):
    every = [*addresses(phone, server), *addresses(phone, server, "proter")]
    every.remove(f"{server.address}/settings")  # which shows what is chosen

    def pages() -> list[str]:
        return [UNLIKE.sub("", phone.request.get(address).text()) for address in every]

    before = pages()
    phone.goto(f"{server.address}/settings")
    for choice in ("Four", "Large"):
        phone.locator("label.tile", has_text=choice).first.tap()
    with phone.expect_navigation():
        phone.locator(".actions button").tap()
    told = [" ".join(f'data-{name}="{value}"' for name, value in look.items()) for look in LOOKS]
    assert all(page.count(told[0]) == 1 for page in before)
    assert pages() == [page.replace(*told) for page in before]


def test_a_first_visit_weighs_60_kilobytes_at_most(pocket, server):
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
        visit(page, game + path)
    once = {url: size for url, size in weights.items() if "/static/" in url}
    assert once
    pages = [size for url, size in weights.items() if "/static/" not in url]
    assert sum(once.values()) + max(pages) <= FIRST_VISIT
