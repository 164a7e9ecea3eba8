"""What is read at one glance: on a phone of 360 by 640 nothing of it is covered or moved."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import MOBILE, begin, visit
from .sending import listed, send
from .test_taps_end import LONG
from .thumb import save_by_points

pytestmark = pytest.mark.browser

# Of each row: where the name begins and ends, where the number ends, and where the row does.
ROWS = """rows => rows.map(row => {
  const [name, total, all] = [row.querySelector("bdi"), row.querySelector("b"), row]
    .map(part => part.getBoundingClientRect());
  return { name: [name.top, name.bottom], total: [total.top, total.bottom], right: total.right,
           end: all.right };
})"""

SCRIPTS = ("அலமேலுமங்கைத்தாயார் சுந்தரம்", "කිරිබණ්ඩාරනායකගේ චන්ද්‍රිකා", "கிருஷ்ணமூர்த்தியின்")

# The words of those names of which a part is on another line.
BROKEN = """names => {
  const words = names.flatMap(name => name.split(" ")), range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text; (text = texts.nextNode());) for (const word of words) {
    const at = text.data.indexOf(word);
    if (at < 0) continue;
    range.setStart(text, at);
    range.setEnd(text, at + word.length);
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
    if (new Set(tops).size > 1) broken.push(word);
  }
  return broken;
}"""

# The names of which the upper or the lower end does not show.
CUT = """() => [...document.querySelectorAll("main bdi")]
  .filter(name => getComputedStyle(name).webkitLineClamp === "none")
  .filter(name => name.offsetParent && getComputedStyle(name).overflow === "hidden")
  .filter(name => name.scrollHeight > name.clientHeight)
  .map(name => name.textContent)"""


def mark(page: Page, penalties: int = 0) -> str:
    """Charge the second player, then mark a hand that the first ends; the game's address."""
    game = page.url
    for _ in range(penalties):
        send(page, f"{game}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    cards = [f for seat, c in enumerate(["KC", "QC", "JC", "TC", "9C", "8C"], 1)
             for f in listed(f"cards-{seat}", c)]  # fmt: skip
    players = page.locator(".totals li").count()
    send(page, f"{game}/end", [("out", "0"), *cards[: players - 1]])
    return game


def is_above_the_bar(page: Page, part: Locator, share: float = 1) -> bool:
    """Whether so much of a part of the page stands above the thumb bar."""
    bar, box = page.locator(".dock").bounding_box(), part.bounding_box()
    assert bar
    assert box
    return box["y"] + box["height"] * share <= bar["y"]


def test_all_totals_of_five_players_are_above_the_thumb_bar(evening):
    visit(evening, mark(evening, penalties=1))
    send(evening, f"{evening.url}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    evening.reload()
    expect(evening.locator(".dock .undo")).to_be_visible()
    assert is_above_the_bar(evening, evening.locator(".totals li").last)


def test_all_totals_of_five_players_are_in_sight_with_what_was_just_saved(evening):
    save_by_points(evening, 4)
    expect(evening.locator("#messages .notice")).to_contain_text("Ewa +30. Ana leads.")
    assert is_above_the_bar(evening, evening.locator(".totals li").last)


@pytest.mark.parametrize("game", ["kalooki", "carioca"])
def test_so_they_are_in_games_that_say_more_of_a_hand(phone, server, game):
    begin(phone, server, "Ana", "Ben", "Chandi", "Dora", "Ewa", game=game)
    save_by_points(phone, 4, "Save")
    expect(phone.locator("#messages .notice")).to_contain_text("Ewa +30. Ana leads.")
    assert is_above_the_bar(phone, phone.locator(".totals li b").last)


def test_so_they_are_with_long_names_once_the_notice_is_read(phone, server):
    names = ["Nirmala Wickramasinghe", "Maximiliana von Hohenlohe", "Chandrika Bandaranaike"]
    begin(phone, server, *names, "முத்துலட்சுமி", "සුනිල් කරුණාරත්න", game="kalooki")
    save_by_points(phone, 4, "Save")
    expect(phone.locator("#messages .notice")).to_be_visible()
    phone.reload()
    expect(phone.locator(".totals .change")).to_have_count(5)
    assert is_above_the_bar(phone, phone.locator(".totals li b").last)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_seats_of_seven_are_in_sight_after_the_same_as_last_time(
    phone, server, chromium, scripts
):
    begin(phone, server, *LONG)
    context = chromium.new_context(**MOBILE, java_script_enabled=scripts)
    context.add_cookies(phone.context.cookies())
    page = context.new_page()
    page.goto(f"{server.address}/games/new")
    page.get_by_role("button", name="Same as last time").click()
    expect(page.locator("#name-6")).to_have_value(LONG[6])
    for seat in (0, 6):
        expect(page.locator(f"#name-{seat}")).to_be_in_viewport(ratio=1)
        assert is_above_the_bar(page, page.locator(f"#name-{seat}"))
    context.close()


def test_what_was_just_saved_is_read_wherever_the_page_is_scrolled(evening):
    save_by_points(evening, 4)
    notice = evening.locator("#messages .notice")
    expect(notice).to_contain_text("Ana leads.")
    evening.evaluate("scrollTo(0, 10000)")
    expect(evening.locator("h1")).not_to_be_in_viewport()
    expect(notice).to_be_in_viewport(ratio=1)


def test_a_tablet_has_the_sheet_beside_the_totals(evening):
    evening.set_viewport_size({"width": 820, "height": 1180})
    evening.reload()
    sheet = evening.get_by_role("region", name="Score sheet").bounding_box()
    totals = evening.locator(".totals").bounding_box()
    assert sheet
    assert totals
    assert totals["x"] + totals["width"] <= sheet["x"]
    assert sheet["y"] < totals["y"] + totals["height"]


@pytest.mark.parametrize("players", [5, 7])
def test_a_total_stands_beside_its_name_however_long_it_is(phone, server, players):
    begin(phone, server, *LONG[:players])
    visit(phone, mark(phone, penalties=1))
    for size in ((360, 640), (640, 360), (820, 1180)):
        phone.set_viewport_size({"width": size[0], "height": size[1]})
        for row in phone.locator(".totals li").evaluate_all(ROWS):
            assert row["end"] - row["right"] < 8, (size, row)
            assert row["total"][0] < row["name"][1], (size, row)
            assert row["name"][0] < row["total"][1], (size, row)


def test_no_name_is_broken_within_a_word_or_cut_at_its_ends(phone, server):
    begin(phone, server, *SCRIPTS, *LONG[:4])
    game = mark(phone, penalties=1)
    for path in ("", "/end", "/penalty", "/sheet", "/hands/1", "/tally", "/ruling?ask=meld"):
        visit(phone, game + path)
        for size in ((360, 640), (640, 360), (820, 1180)):
            phone.set_viewport_size({"width": size[0], "height": size[1]})
            assert phone.evaluate(BROKEN, [*SCRIPTS, "Hand"]) == [], (path, size)
            assert phone.evaluate(CUT) == [], (path, size)


def test_the_sheet_of_seven_players_is_whole_on_a_tablet(phone, server):
    begin(phone, server, *LONG)
    phone.set_viewport_size({"width": 820, "height": 1180})
    visit(phone, mark(phone) + "/sheet")
    scroll = phone.get_by_role("region", name="Score sheet")
    assert scroll.evaluate("part => part.scrollWidth <= part.clientWidth")


def test_seven_players_have_a_row_each_with_the_last_change_where_there_is_room(phone, server):
    begin(phone, server, *LONG)
    visit(phone, mark(phone))
    rows = phone.locator(".totals li")
    for width, height in ((820, 1180), (1366, 768)):
        phone.set_viewport_size({"width": width, "height": height})
        expect(rows.nth(1).locator(".change")).to_have_text("+13 last · 13 behind")
        expect(rows.nth(1).locator(".change")).to_be_visible()
        assert len({(row.bounding_box() or {})["y"] for row in rows.all()}) == 7
        expect(rows.last).to_be_in_viewport(ratio=1)


def test_every_suit_of_a_play_is_in_sight(evening):
    game = evening.url
    for ask in ("meld", "turn"):
        visit(evening, f"{game}/ruling?ask={ask}&player=1")
        for width, height in ((360, 640), (640, 360)):
            evening.set_viewport_size({"width": width, "height": height})
            last = evening.locator("label.c:has(input[value='KS'])")
            assert is_above_the_bar(evening, last, 0.8)  # the sign and the suit of the card


def test_the_standings_of_viewers_are_one_column_on_a_phone_on_its_side(evening, server):
    code = evening.request.get(f"{mark(evening)}/code").text()
    (path,) = {*re.findall(r"/v/[\w-]+", code)}
    evening.set_viewport_size({"width": 640, "height": 360})
    visit(evening, server.address + path)
    rows = [row.bounding_box() for row in evening.locator(".totals li").all()]
    assert len(rows) == 5
    assert len({row["x"] for row in rows if row}) == 1
