"""The tally on paper: a whole game of seven is one page, and rulings begin a second one."""

import io
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.conftest import begun, visit
from tests.browser.house import Server
from tests.browser.sending import import_game, send
from tests.browser.thumb import box_of
from tests.notebook.evening import Evening, started
from tests.services.seven_at_table import NAMES, PENALTIES, TOTALS, as_file, whole_game

pytestmark = pytest.mark.browser

CHANGED = {"discard_run": "off", "proters_left": "each", "ties": "fewest_penalties"}


@pytest.fixture
def printed(phone: Page, server: Server) -> Callable[..., list[str]]:
    """Prints the tally of an evening on a paper; what each of its pages says."""

    def print_it(evening: Evening, paper: str = "A4", asked: str = "") -> list[str]:
        visit(phone, f"{import_game(phone, server.address, as_file(evening))}/tally{asked}")
        pages = PdfReader(io.BytesIO(phone.pdf(format=paper))).pages
        return [" ".join(page.extract_text().split()) for page in pages]

    return print_it


def many_penalties() -> Evening:
    """Seven at the table, 13 hands, and every hand somebody with each of four penalties."""
    evening = Evening(started(NAMES))
    for hand in range(1, 14):
        for seat in range(4):
            evening.charge((hand + seat) % 7, f"PRO-13.{seat % 3 + 1}")
        evening.mark(0, {seat: f"{seat + 1 + (seat + 1 >= hand)}C" for seat in range(1, 7)})
    return evening


def test_a_whole_game_of_seven_with_long_names_is_one_page(printed):
    (page,) = printed(whole_game(), asked="?settle=points&stake=0.01&sign=€")
    for name, total in zip(NAMES, TOTALS, strict=True):
        assert page.count(name) >= 3
        assert f" {total} " in page
    assert "€0.01 a point, to the winner." in page
    assert page.count(" pays ") <= 1 + 6
    assert page.count("(PRO-13.") == PENALTIES
    assert "Signature" in page
    assert "Maximiliana-Friederike Schulze wins with 152 points." in page
    for hand in ("1 (A)", "9 (9)", "13 (K)"):
        assert hand in page
    for never in ("Settle up", "What a point costs"):
        assert never not in page
    for never in ("Undo", "Settings", "Show others", "Spreadsheet", "Print", "import elsewhere"):
        assert never not in page


def test_rulings_begin_a_second_page_and_a_great_many_penalties_fit_on_one(printed):
    first, second = printed(whole_game(rulings=True, title="The long names"))
    assert "Rulings" not in first.replace("Rulings Tally", "")
    assert second.startswith("Rulings")
    for said in (
        "That is no run. No points; the play is taken back. Not carried out.",
        "has the rank of",
        ". Carried out.",
    ):
        assert said in second
    for name in NAMES:
        assert name in first
    (page,) = printed(many_penalties(), "Letter")  # the shorter one
    assert page.count("(PRO-13.") == 4 * 13
    (page,) = printed(Evening(started(NAMES[:3], **CHANGED)))
    assert "House rules that" in page
    assert "Only the rank of the top card matters." in page


def test_the_button_prints_and_replaces_the_hint_about_printing(phone, server, tmp_path):
    file = tmp_path / "game.json"  # imported by hand, as one does with a game from elsewhere
    file.write_text(as_file(whole_game()), encoding="utf-8")
    visit(phone, f"{server.address}/games/import")
    phone.locator("input[type=file]").set_input_files(file)
    phone.get_by_role("button", name="Import", exact=True).tap()
    phone.wait_for_url(re.compile(r"/games/[0-9a-z]{10}$"))
    phone.add_init_script("window.print = () => document.body.setAttribute('data-printed', '')")
    visit(phone, f"{phone.url}/tally")
    expect(phone.locator("[data-unscripted]")).to_be_hidden()
    phone.get_by_role("button", name="Print").tap()
    expect(phone.locator("body[data-printed]")).to_have_count(1)


def test_paper_is_black_and_white_in_light_and_in_dark(phone, server):
    game = import_game(phone, server.address, as_file(whole_game(rulings=True)))
    phone.goto(f"{game}/tally")
    phone.emulate_media(media="print", color_scheme="dark")
    colours = phone.evaluate(
        """() => {
          const found = new Set();
          for (const place of document.querySelectorAll("article, article *")) {
            const look = getComputedStyle(place);
            found.add(look.color).add(look.backgroundColor);
          }
          return [...found];
        }"""
    )
    for colour in colours:
        parts = re.findall(r"[\d.]+", colour)
        assert len(set(parts[:3])) == 1, colour  # equal parts of red, green and blue: a grey


def test_each_row_of_the_printed_score_sheet_says_who_dealt_and_none_mentions_tapping(evening):
    visit(evening, f"{evening.url}/sheet")
    evening.emulate_media(media="print")
    rows = evening.locator(".sheet tbody tr")
    for seat in range(5):  # Ana deals the first hand, Ben the second
        mark = box_of(rows.nth(seat).locator(".deals"))
        cell = box_of(rows.nth(seat).locator("td").nth(seat))
        assert cell["x"] <= mark["x"] <= cell["x"] + cell["width"]
        assert cell["y"] <= mark["y"] <= cell["y"] + cell["height"]
    expect(evening.get_by_text("Tap a number")).to_be_hidden()
    expect(evening.locator(".list")).to_be_hidden()


def test_a_long_name_on_the_printed_score_sheet_is_above_the_first_row(phone, server):
    visit(phone, f"{begun(phone, server, [*NAMES, 'Æ', 'Jo', 'Zoë'], 'indian_rummy')}/sheet")
    phone.emulate_media(media="print")
    end = phone.locator(".sheet thead bdi").evaluate_all(
        """names => {
          const all = document.createRange();
          return Math.max(...names.map(name => {
            all.selectNodeContents(name);
            return all.getBoundingClientRect().bottom;
          }));
        }"""
    )
    assert end <= box_of(phone.locator(".sheet tbody tr").first)["y"]


def test_the_printed_boxes_offer_no_correction(phone, server):
    game = begun(phone, server, ("Ana", "Ben"), "indian_chief")
    shown = [("cards-0", "5C"), ("cards-1", "6C")]
    send(phone, f"{game}/end", shown)
    visit(phone, f"{game}/sheet")
    corrects = phone.locator("p", has_text="Correct round")
    expect(corrects).to_be_visible()
    phone.emulate_media(media="print")
    expect(corrects).to_be_hidden()
