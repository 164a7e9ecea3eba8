"""A real server, a phone whose browser is a marker, and a counter of taps."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.browser import accessibility
from tests.browser.house import House, Server
from tests.browser.sending import send
from tests.programs import find_chromium

PHONE = {"width": 360, "height": 640}
# Without animations: a tap would be drawn twice as often. test_viewers.py has one with animations.
MOBILE = {
    "viewport": PHONE,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
    "reduced_motion": "reduce",
}
PATIENCE = 60_000  # how many ms to wait for something: a busy machine may be slow

expect.set_options(timeout=PATIENCE)


class Taps:
    """Counts the taps of a thumb."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, place: Locator) -> None:
        """Tap an element, which must be in view or come into view by scrolling."""
        place.tap()
        self.count += 1


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house whose server tests may kill, if they start it again."""
    house = House(tmp_path_factory.mktemp("instance"))
    yield house
    house.kill()


@pytest.fixture
def server(house: House) -> Server:
    """The running server of that house."""
    if house.process.poll() is not None:  # a test that failed has killed it
        house.start()
    return house.server


def chromium_with(*flags: str) -> dict[str, Any]:
    """Return which program to start, Debian's Chromium, and how."""
    args = ["--no-sandbox", "--disable-dev-shm-usage", *flags]
    return {"executable_path": find_chromium(), "args": args}


def launched(kind: BrowserType, *flags: str) -> Browser:
    """Start a browser with these flags."""
    return kind.launch(**chromium_with(*flags))


def pocket_in(browser: Browser, **options: Any) -> BrowserContext:
    """Return the browser of a new phone."""
    context = browser.new_context(**MOBILE | options)
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def good_looks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The file in which all processes of a run note the looks that axe has found good."""
    folder = tmp_path_factory.getbasetemp()
    among = folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder
    accessibility.GOOD_LOOKS = among / "good-looks"
    accessibility.GOOD_LOOKS.mkdir(exist_ok=True)


@pytest.fixture
def pocket(chromium: Browser) -> Iterator[BrowserContext]:
    """A phone's browser without a service worker. without_network/ tests service workers."""
    context = pocket_in(chromium, service_workers="block", device_scale_factor=2)
    yield context
    context.close()


@pytest.fixture
def phone(pocket: BrowserContext, server: Server) -> Iterator[Page]:
    """A phone whose browser is a marker with a notebook of its own."""
    page = pocket.new_page()
    wrong = errors_of(page)
    # A page that is not drawn: every test opens the page that it is about.
    assert pocket.request.get(server.house).ok
    yield page
    assert wrong == []


# Messages about missing answers, which are not errors of a script.
NO_ANSWER = re.compile("Failed to (load resource|fetch)|htmx:error: timeout")


def errors_of(page: Page) -> list[str]:
    """Return a list that collects errors of scripts and breaches of the content security policy."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and not NO_ANSWER.search(message.text):
            errors.append(message.text)

    page.on("console", heard)
    return errors


@pytest.fixture
def new_phone(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """A function that returns the page of a new phone; its scripts must have no errors."""
    phones: dict[Page, list[str]] = {}

    def new() -> Page:
        page = pocket_in(chromium, service_workers="block").new_page()
        phones[page] = errors_of(page)
        return page

    yield new
    for page in phones:
        page.context.close()
    assert not any(phones.values())


@pytest.fixture
def taps() -> Taps:
    """A counter of taps, which starts at 0."""
    return Taps()


def ready(page: Page) -> None:
    """Wait until the page and its scripts are loaded, and no other page is on its way."""
    expect(page.locator("html[data-ready]:not([data-sending])")).to_have_count(1)


def visit(page: Page, address: str) -> None:
    """Open an address, and wait until its page is ready.

    A page that is just being loaded anew, by its own script, can interrupt that once.
    """
    try:
        page.goto(address)
    except Error as problem:
        if not re.search("interrupted by another navigation|ERR_ABORTED", problem.message):
            raise
        page.goto(address)
    ready(page)


def arrive(page: Page, heading: str | re.Pattern[str]) -> None:
    """Wait until the page with this text in its heading is ready."""
    expect(page.locator("h1")).to_contain_text(heading)
    ready(page)


@pytest.fixture
def evening(phone: Page, server: Server) -> Page:
    """The phone at the first hand of a new game of Ana, Ben, Chandi, Dee and Ewa."""
    return begin(phone, server, "Ana", "Ben", "Chandi", "Dee", "Ewa")


def begin(page: Page, server: Server, *names: str, game: str = "proter") -> Page:
    """Begin a game by its setup form's request, and open its first hand."""
    visit(page, begun(page, server, names, game))
    return page


def begun(page: Page, server: Server, names: Sequence[str], game: str, **fields: str) -> str:
    """Begin a game, with a sheet or house rules if they are given, and return its address."""
    people = [("name", name) for name in names]
    return send(page, f"{server.address}/games/new", [("game", game), *fields.items(), *people])
