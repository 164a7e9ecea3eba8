"""A phone that lacks what iOS 15.4, Chrome 97, Samsung Internet 18 or Firefox 104 lack.

Chromium stands in for it, without these things; see tests/web/test_old_phones.py for all others.
"""

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from .conftest import arrive, begin, visit
from .house import ROOT
from .offline import charge, enter, open_page
from .thumb import tap_cards

pytestmark = pytest.mark.browser

# What is missing, or does less without saying so.
LACKS = """
    const { FormData: Whole } = window;
    window.FormData = class extends Whole { constructor(form) { super(...(form ? [form] : [])); } };
    delete Array.prototype.findLast;
    delete Array.prototype.at;
    delete HTMLFormElement.prototype.requestSubmit;
    delete HTMLElement.prototype.inert;
    delete Element.prototype.ariaLabel;
    delete AbortSignal.timeout;
    delete Navigator.prototype.wakeLock;
    delete Object.groupBy;
"""


@pytest.fixture
def old(pocket: BrowserContext, phone: Page) -> Page:
    """A phone whose style sheets know no :has, either."""

    def without_has(route: Route) -> None:
        file = ROOT / "static" / route.request.url.rpartition("/")[2]
        text = file.read_text(encoding="utf-8").replace(":has(", ":unknown(")
        route.fulfill(body=text, content_type="text/css")

    pocket.route("**/*.css", without_has)
    pocket.add_init_script(LACKS)
    return phone


def test_a_hand_can_be_marked_and_ruled_on(old, server):
    game = begin(old, server, "Ana", "Ben", "Chandi").url
    bens = old.locator(".totals li", has_text="Ben").locator("b")
    open_page(old, "Penalty", "Penalty")
    charge(old, "Ben")
    expect(bens).to_have_text("20")
    visit(old, f"{game}/ruling?ask=discard&player=1")
    old.locator("button.c[value='6C']").tap()
    arrive(old, "What was on top of the pile")
    old.get_by_role("button", name="The pile was empty").tap()
    expect(old.locator(".verdict .word")).to_contain_text("Legal")
    # Plays are put together one by one.
    visit(old, f"{game}/ruling?ask=turn&player=1")
    tap_cards(old, "8D 9D TD")
    old.get_by_role("button", name="Meld", exact=True).tap()
    expect(old.locator(".steps li")).to_have_count(1)
    # By points all players show, and no cards.
    visit(old, game)
    open_page(old, "End the hand", "End of hand 1")
    old.locator(".seg label", has_text="Points").tap()
    expect(old.locator("#cards-1")).to_be_hidden()
    old.locator("#out label", has_text="Ana").tap()
    old.locator("#points-1").fill("27")
    old.locator("#points-2").fill("4")
    old.locator(".actions .save-rest").tap()
    expect(old.locator("h1")).to_contain_text("Hand 2")
    expect(bens).to_have_text("47")


def test_a_waiting_hand_is_listed_and_its_form_takes_no_second_hand(old, pocket, server):
    begin(old, server, "Ana", "Ben", "Chandi")
    enter(old, 1, "Ana", Ben="KH", Chandi="5C")
    expect(old.locator("#sums")).to_contain_text("Nothing is missing")  # nothing is on its way
    pocket.set_offline(True)
    old.locator(".actions .save").tap()
    expect(old.locator("#waiting summary")).to_contain_text("1 waiting to be saved")
    expect(old.locator("#waiting")).to_have_attribute("aria-label", "Not saved yet")
    expect(old.locator("#end")).to_have_css("pointer-events", "none")
    pocket.set_offline(False)
    expect(old.locator("#waiting")).to_have_count(0)


@pytest.mark.parametrize(
    ("way", "fails"),
    [
        ("IDBFactory.prototype.open", "throw new Error()"),
        (
            "IDBFactory.prototype.open",
            "const asked = {}; setTimeout(() => asked.onerror(), 20); return asked",
        ),
        ("IDBFactory.prototype.open", "return {}"),  # no answer, ever
        ("Storage.prototype.removeItem", "throw new Error()"),  # the draft cannot be deleted
    ],
)
def test_a_form_is_sent_at_once_and_leads_on_if_the_storage_fails(
    phone, pocket, server, way, fails
):
    pocket.add_init_script(f"{way} = () => {{ {fails} }}")
    begin(phone, server, "Ana", "Ben", "Chandi")
    open_page(phone, "Penalty", "Penalty")
    charge(phone, "Ben")
    arrive(phone, "Hand 1")
    expect(phone.locator(".totals li", has_text="Ben").locator("b")).to_have_text("20")
