"""What a marker does on an evening, in Safari's engine."""

import re
from collections.abc import Iterator

import pytest

from tests.browser.house import House
from tests.browser.safari import Phone, safari
from tests.browsing import Browser

pytestmark = pytest.mark.webkit

NAMES = ("Ana", "Ben", "Chandi")


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory, house: House) -> Iterator[Phone]:
    """A phone that keeps the score."""
    with safari(tmp_path_factory.mktemp("safari")) as phone:
        phone.open(house.server.house)
        yield phone


def begin(phone: Phone, house: House) -> str:
    """Begin a game of Ana, Ben and Chandi; its address."""
    phone.open(f"{house.server.address}/games/new?fresh=1")
    for number, name in enumerate(NAMES):
        phone.type(f"#name-{number}", name)
    phone.tap(".actions .btn", "Start")
    phone.heading("Hand 1 of 13")
    return str(phone.until("return location.origin + location.pathname"))


def bar(phone: Phone, link: str, heading: str) -> None:
    """Tap a button of the thumb bar and wait for its page."""
    phone.tap(".actions a", link)
    phone.heading(heading)


def total(phone: Phone, name: str, points: int) -> None:
    """Wait until the page of the hand shows a player's total."""
    phone.until(
        "const [name, points] = arguments;"
        "return find('.totals li', name).querySelector('b').textContent.trim() === points",
        name,
        str(points),
    )


def charge(phone: Phone) -> None:
    """Charge Ben 20 points, from the page of the hand and back to it."""
    bar(phone, "Penalty", "Penalty")
    phone.tap("#player label.tile", "Ben")
    phone.tap("button.tile[value='PRO-13.3']")
    phone.heading("Hand 1")
    total(phone, "Ben", 20)


def half_a_hand(phone: Phone) -> None:
    """Say that Ana went out and Ben has the 5 of clubs left."""
    bar(phone, "End the hand", "End of hand")
    phone.tap("#out label", "Ana")
    phone.card("5C")
    phone.checked("out 0", "cards-1 5C")


def test_a_hand_in_short(phone, house):
    """What every run of the tests tries in Safari's engine; the others are left to --all."""
    begin(phone, house)
    charge(phone)
    phone.tap(".undo button", "20 points")
    total(phone, "Ben", 0)
    half_a_hand(phone)
    phone.tap(".tabs a", "Sheet")
    phone.until("return location.pathname.endsWith('/sheet')")
    phone.back()
    phone.heading("End of hand 1")
    phone.checked("out 0", "cards-1 5C")
    phone.tap(".chips .chip", "Chandi")
    phone.card("KH")
    phone.reload()
    phone.checked("out 0", "cards-1 5C", "cards-2 KH")
    phone.there("#sums", "Nothing is missing")
    phone.tap(".actions .save")
    phone.heading("Hand 2 of 13")
    total(phone, "Ben", 5)
    total(phone, "Chandi", 13)
    # Going back does not show the hand that is saved as if it were not: it can be corrected.
    phone.back()
    phone.heading("Correct hand 1")
    phone.checked("out 0", "cards-1 5C", "cards-2 KH")


@pytest.mark.exhaustive
def test_a_page_that_was_left_does_not_block_another_page(phone, house):
    """Safari's engine keeps such a page, and would keep what it had begun in its storage, too."""
    begin(phone, house)
    phone.until(
        "const loaded = performance.getEntriesByType('resource').map(({ name }) => name);"
        "const one = loaded.find((name) => name.includes('/actions.js')); if (!one) return null;"
        "import(one).then(async ({ all }) => { for (;;) await all(); });"
        "return true"
    )
    charge(phone)


@pytest.mark.exhaustive
def test_names_of_a_new_game_survive_going_back(phone, house):
    phone.open(f"{house.server.address}/games/new?fresh=1")
    phone.type("#name-0", "Ana")
    phone.tap("a[aria-label='Settings']")
    phone.heading("Settings")
    phone.back()
    phone.heading("New game")
    phone.until("return document.querySelector('#name-0').value === 'Ana'")
    phone.tap("button", "Start over")
    phone.until("return document.querySelector('#name-0').value === ''")


@pytest.mark.exhaustive
def test_an_entry_waits_while_the_server_is_gone(phone, house):
    begin(phone, house)
    half_a_hand(phone)
    phone.tap(".chips .chip", "Chandi")
    phone.card("KH")
    house.kill()
    phone.tap(".actions .save")
    phone.there("#waiting summary", "1 waiting to be saved")
    house.start()
    phone.until("return !document.getElementById('waiting')")
    phone.open(house.server.address)
    phone.tap("main a", "Ana")
    phone.heading("Hand 2 of 13")
    total(phone, "Chandi", 13)


@pytest.mark.exhaustive
def test_a_viewer_sees_what_another_phone_enters(phone, house):
    marker = Browser(house.port)
    marker.enter(house.server.house.partition("/k/")[2])
    setup = marker.form("/games/new", "/games/new")
    game = marker.post("/games/new", {**setup, "name": NAMES}).location
    viewer = re.search(r"/v/[\w-]+", marker.get(f"{game}/code").text)
    assert viewer is not None
    phone.open(house.server.address + viewer[0])
    phone.there("table.sheet thead", "Ben")
    form = marker.form(f"{game}/penalty", f"{game}/penalty")
    marker.post(f"{game}/penalty", {**form, "player": "1", "rule": "PRO-13.3"})
    marker.close()
    phone.there("table.sheet tfoot", "20")
