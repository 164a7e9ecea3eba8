"""What scripts and the service worker say, they say in the language of the browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import begun, errors_of, launched, pocket_in, ready as is_ready
from tests.browser.house import House, Server, copied_program
from tests.browser.offline import kept, tap_in
from tests.web.pseudo import LANGUAGE, NAMES, compiled, outside

pytestmark = pytest.mark.browser


@pytest.fixture
def abroad(tmp_path: Path) -> Iterator[Server]:
    """A server that also speaks the language that nobody speaks."""
    program = copied_program(tmp_path / "program")
    compiled(program / "companion" / "web" / "translations")
    house = House(tmp_path / "instance", program)
    yield house.server
    house.kill()


@pytest.fixture
def page(chromium: Browser, abroad: Server) -> Iterator[Page]:
    """A marker's phone that asks for it; nothing may be wrong with what it is sent.

    A context's own locale would not reach the request for the service worker.
    """
    browser = launched(chromium.browser_type, f"--accept-lang={LANGUAGE}")
    page = pocket_in(browser, locale=None).new_page()
    wrong = errors_of(page)
    page.goto(abroad.house)
    yield page
    browser.close()
    assert wrong == []


def test_every_sentence_of_the_scripts_is_in_the_catalogue(page, abroad):
    game = begun(page, abroad, ("Ana", "Ben", "Chandi"), "proter")
    page.goto(game)
    is_ready(page)
    kept(page, game, "/penalty$")
    page.goto(f"{game}/end")
    is_ready(page)
    page.locator("#out label.tile", has_text="Ana").tap()
    tap_in(page, "Ben", "KH")
    expect(page.locator("fieldset[data-step='Ben'] .sum")).to_have_text("⟦1 card⟧ · ⟦13 points⟧")
    page.locator(".chips .chip", has_text="Chandi").tap()
    page.locator("fieldset[data-step='Chandi'] label.c:has(input[value='KH'])").tap(force=True)
    expect(page.locator(".move")).to_have_text("⟦K♥︎ is with Ben: move it to Chandi⟧")
    page.locator("fieldset[data-step='Chandi'] label.c:has(input[value='5C'])").tap()
    assert outside(page.content(), NAMES) == []

    page.context.set_offline(True)
    page.locator(".actions .save").tap()
    expect(page.locator("#waiting summary")).to_have_text("⟦1 waiting to be saved⟧")
    expect(page.locator("#waiting li")).to_contain_text("⟦Ana out⟧, Ben 13, Chandi 5")
    assert outside(page.content(), NAMES) == []
    page.goto(game)
    expect(page.locator("#copy")).to_contain_text("⟦As of ")
    page.goto(f"{abroad.address}/settings")
    expect(page.locator("h1")).to_have_text("⟦No connection⟧")
    assert outside(page.content(), NAMES) == []
