"""A real server, a phone that has opened its address, and a counter of taps."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.browser import accessibility
from tests.browser.sending import send
from tests.programs import find_chromium
from tests.workers import workers

ROOT = Path(__file__).parents[2]
PHONE = {"width": 360, "height": 640}
# Nothing moves: each tap would be drawn twice as often. test_viewers.py has a total that moves.
MOBILE = {
    "viewport": PHONE,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
    "reduced_motion": "reduce",
}
PATIENCE = 60_000  # ms: nothing is measured by it; a machine that does much else takes its time

expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Server:
    """A server that runs: its address, and the address that makes a browser a marker."""

    address: str
    house: str


class Taps:
    """Counts what a thumb does."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, place: Locator) -> None:
        """Tap a place, which must be in view or come into view by scrolling."""
        place.tap()
        self.count += 1


@pytest.fixture(scope="session")
def servers(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Server]]:
    """The server on a kind of database, started when it is first asked for."""
    with ExitStack() as running:

        @cache
        def on(kind: str) -> Server:
            if kind == "postgresql":
                return running.enter_context(of_a_club(request.getfixturevalue("shelf").bare()))
            instance = request.getfixturevalue("tmp_path_factory").mktemp("instance")
            return running.enter_context(of_the_house(instance))

        yield on


@pytest.fixture
def server(servers: Callable[[str], Server], stored_in: str) -> Server:
    """The companion as a house starts it, on its file, or as a club does.

    Always on a free port and with a database of its own, which the tests of one process share.
    """
    return servers(stored_in)


@contextmanager
def of_a_club(database: str) -> Iterator[Server]:
    """Two processes on one PostgreSQL."""
    with workers(database) as club:
        address = f"http://127.0.0.1:{club.port}"
        yield Server(address, f"{address}/k/{club.house_key}")


@contextmanager
def of_the_house(instance: Path) -> Iterator[Server]:
    """The companion on its file in a folder."""
    process, server = started(environment_of(instance))
    with process:
        yield server
        process.terminate()


def environment_of(instance: Path, database: str | None = None) -> dict[str, str]:
    """What its commands are started with: on its file in a folder, or on a database elsewhere."""
    environment = os.environ | {
        "COMPANION_INSTANCE": str(instance),
        "COMPANION_NO_VENV": "1",
        "PYTHONUNBUFFERED": "1",
    }
    environment.pop("COMPANION_DATABASE_URL", None)
    if database is not None:
        environment["COMPANION_DATABASE_URL"] = database
    return environment


def started(
    environment: Mapping[str, str], port: int = 0, program: Path = ROOT
) -> tuple[subprocess.Popen[str], Server]:
    """The companion as a house starts it, from the folder of a version, when it answers."""
    command = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        cwd=program,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = next(line for line in process.stdout if "/k/" in line)
    house = line[line.index("http") :].strip()
    return process, Server(house.partition("/k/")[0], house)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def good_looks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where all processes of a run note which looks axe has found good."""
    folder = tmp_path_factory.getbasetemp()
    among = folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder
    accessibility.GOOD_LOOKS = among / "good-looks"
    accessibility.GOOD_LOOKS.mkdir(exist_ok=True)


@pytest.fixture
def pocket(chromium: Browser) -> Iterator[BrowserContext]:
    """A phone's browser that has been nowhere yet."""
    context = chromium.new_context(
        service_workers="block",  # tests/browser/without_network/ is about what it does
        device_scale_factor=2,
        **MOBILE,
    )
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def phone(pocket: BrowserContext, server: Server) -> Iterator[Page]:
    """A phone whose browser is a marker with a notebook of its own.

    Errors of the page's scripts and breaches of the content security policy fail the test.
    """
    page = pocket.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            wrong.append(message.text)

    page.on("console", heard)
    # Drawn nowhere: every test opens the page that it is about.
    assert pocket.request.get(server.house).ok
    yield page
    assert wrong == []


@pytest.fixture
def new_phone(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Phones that have never been here, without a fault on their pages."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def new() -> Page:
        context = chromium.new_context(service_workers="block", **MOBILE)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        return page

    yield new
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def taps() -> Taps:
    """A counter that starts at nothing."""
    return Taps()


def ready(page: Page) -> None:
    """Wait until a page is there, with everything that its scripts add, and none is on its way."""
    expect(page.locator("html[data-ready]:not([data-sending])")).to_have_count(1)


def visit(page: Page, address: str) -> None:
    """Open an address, and wait until its page is ready."""
    page.goto(address)
    ready(page)


def arrive(page: Page, heading: str | re.Pattern[str]) -> None:
    """Wait for the page with that in its heading, until it is ready."""
    expect(page.locator("h1")).to_contain_text(heading)
    ready(page)


@pytest.fixture
def evening(phone: Page, server: Server) -> Page:
    """The phone at the open hand of a new game of Ana, Ben, Chandi, Dee and Ewa."""
    return begin(phone, server, "Ana", "Ben", "Chandi", "Dee", "Ewa")


def begin(page: Page, server: Server, *names: str, game: str = "proter") -> Page:
    """Begin a game as its setup form does, and open its first hand."""
    visit(page, begun(page, server, names, game))
    return page


def begun(page: Page, server: Server, names: Sequence[str], game: str) -> str:
    """The address of a new game."""
    fields = [("game", game), *(("name", name) for name in names)]
    return send(page, f"{server.address}/games/new", fields)
