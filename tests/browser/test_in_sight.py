"""What is read at one glance: on a phone of 360 by 640 nothing of it is covered or moved."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import LETTERS, letters, too_wide
from tests.browser.conftest import PHONE, arrive, begin, begun, pocket_in, ready, visit
from tests.browser.sending import by_seat, send
from tests.browser.test_taps_end import LONG
from tests.browser.thumb import (
    box_of,
    card,
    end_of,
    press,
    ruling_link,
    save_by_points,
    tap_cards,
    verdict,
    whose,
)

pytestmark = pytest.mark.browser

ON_ITS_SIDE = {"width": 640, "height": 360}

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
    players = page.locator(".totals li").count()
    cards = ["KC", "QC", "JC", "TC", "9C", "8C"][: players - 1]
    send(page, f"{game}/end", [("out", "0"), *by_seat("cards", cards, first=1)])
    return game


def is_above_the_bar(page: Page, part: Locator, share: float = 1) -> bool:
    """Whether so much of a part of the page stands above the thumb bar."""
    bar, box = box_of(page.locator(".dock")), box_of(part)
    return box["y"] + box["height"] * share <= bar["y"]


def test_all_suits_and_all_totals_of_five_players_are_above_the_thumb_bar(evening, server):
    game = evening.url
    for ask in ("meld", "turn"):
        visit(evening, f"{game}/ruling?ask={ask}&player=1")
        for width, height in ((360, 640), (640, 360)):
            evening.set_viewport_size({"width": width, "height": height})
            last = evening.locator("label.c:has(input[value='KS'])")
            assert is_above_the_bar(evening, last, 0.8)  # the sign and the suit of the card
    evening.set_viewport_size({"width": 360, "height": 640})
    visit(evening, game)
    visit(evening, mark(evening, penalties=1))
    send(evening, f"{evening.url}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    evening.reload()
    expect(evening.locator(".dock .undo")).to_be_visible()
    assert is_above_the_bar(evening, evening.locator(".totals li").last)
    # Of viewers whose phone is on its side the standings are one column.
    (path,) = {*re.findall(r"/v/[\w-]+", evening.request.get(f"{game}/code").text())}
    evening.set_viewport_size({"width": 640, "height": 360})
    visit(evening, server.address + path)
    rows = [box_of(row) for row in evening.locator(".totals li").all()]
    assert len(rows) == 5
    assert len({row["x"] for row in rows}) == 1


def test_on_its_side_a_phone_shows_an_upcoming_hand_beside_the_notice_that_it_waits(phone, server):
    begin(phone, server, "Ana", "Ben", "Cem", game="kalooki")
    phone.set_viewport_size(ON_ITS_SIDE)
    visit(phone, f"{phone.url}?hand=2")
    hand, notice = (box_of(phone.locator(part)) for part in (".hero", ".hero + .notice"))
    assert hand["x"] + hand["width"] <= notice["x"]
    assert box_of(phone.locator(".hero + .notice + *"))["y"] >= hand["y"] + hand["height"]


@pytest.mark.parametrize(
    ("game", "save"), [("proter", "Save: everyone laid a meld"), ("kalooki", "Save")]
)
def test_all_totals_are_in_sight_below_the_message_which_stays_in_sight(phone, server, game, save):
    begin(phone, server, "Ana", "Ben", "Chandi", "Dora", "Ewa", game=game)
    save_by_points(phone, 4, save)
    notice = phone.locator("#messages .notice")
    expect(notice).to_contain_text("Ewa +30. Ana leads.")
    assert is_above_the_bar(phone, phone.locator(".totals li b").last)
    phone.evaluate("scrollTo(0, 10000)")
    expect(phone.locator("h1")).not_to_be_in_viewport()
    expect(notice).to_be_in_viewport(ratio=1)
    phone.locator(".undo button").first.tap()
    expect(phone.locator("#messages .notice", has_text="Undone")).to_be_in_viewport()


def test_all_totals_of_long_names_are_in_sight_once_the_message_is_gone(phone, server):
    names = ["Nirmala Wickramasinghe", "Maximiliana von Hohenlohe", "Chandrika Bandaranaike"]
    begin(phone, server, *names, "முத்துலட்சுமி", "සුනිල් කරුණාරත්න", game="kalooki")
    save_by_points(phone, 4, "Save")
    expect(phone.locator("#messages .notice")).to_be_visible()
    phone.reload()
    expect(phone.locator(".totals .change")).to_have_count(5)
    assert is_above_the_bar(phone, phone.locator(".totals li b").last)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_names_of_the_same_seven_people_are_in_sight(phone, server, chromium, scripts):
    begin(phone, server, *LONG)
    context = pocket_in(chromium, java_script_enabled=scripts)
    context.add_cookies(phone.context.cookies())
    page = context.new_page()
    page.goto(f"{server.address}/games/new")
    page.get_by_role("button", name="Same as last time").click()
    expect(page.locator("#name-6")).to_have_value(LONG[6])
    for seat in (0, 6):
        expect(page.locator(f"#name-{seat}")).to_be_in_viewport(ratio=1)
        assert is_above_the_bar(page, page.locator(f"#name-{seat}"))
    context.close()


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
    assert phone.locator("p.where").evaluate("bar => bar.scrollHeight <= bar.clientHeight")


# Names in tiles that are wider than their tile lets them be.
SHORTENED = """() => [...document.querySelectorAll(".tile bdi")].filter((name) => {
  const text = document.createRange();
  text.selectNodeContents(name);
  const room = parseFloat(getComputedStyle(name).paddingInlineEnd);
  return text.getBoundingClientRect().width + room > name.getBoundingClientRect().width + 0.01;
}).map((name) => name.textContent)"""


def test_a_name_in_a_tile_is_whole_where_a_row_has_room(phone, server):
    names = "Annemarie Bartholomew Christopher Dee Evangeline Friedrich Gus Hildegard"
    game = begun(phone, server, names.split(), "three_thirteen")
    for path in ("/end", "/penalty"):
        visit(phone, game + path)
        for width in range(360, 432, 6):
            phone.set_viewport_size({"width": width, "height": 640})
            assert phone.evaluate(SHORTENED) == [], (path, width)


def test_whose_phone_it_is_can_be_told_from_names_that_differ_at_their_ends(phone, server):
    begin(phone, server, "Maximiliane-Theodora", "Maximiliane-Theodorb")
    for name in ("Maximiliane-Theodora", "Maximiliane-Theodorb"):
        shown = phone.get_by_role("button", name=name, exact=True).locator("bdi")
        assert shown.evaluate("name => name.scrollWidth <= name.clientWidth"), name


def test_the_totals_of_the_sheet_are_always_in_view(phone, server):
    begin(phone, server, *LONG)
    visit(phone, f"{mark(phone)}/sheet")
    region = phone.get_by_role("region", name="Score sheet")
    for down in (0, 10_000):
        region.evaluate("(region, down) => region.scrollTo(0, down)", down)
        in_sight(phone, phone.locator(".sheet tfoot td").first)
    expect(phone.locator(".sheet tbody tr").last).to_be_in_viewport()


def test_on_a_tablet_seven_players_have_a_row_each_beside_the_sheet(phone, server):
    begin(phone, server, *LONG)
    game = mark(phone)
    phone.set_viewport_size({"width": 820, "height": 1180})
    visit(phone, f"{game}/sheet")
    sheet = phone.get_by_role("region", name="Score sheet")
    assert sheet.evaluate("part => part.scrollWidth <= part.clientWidth")
    visit(phone, game)
    rows = phone.locator(".totals li")
    beside, totals = box_of(sheet), box_of(phone.locator(".totals"))
    assert totals["x"] + totals["width"] <= beside["x"]
    assert beside["y"] < totals["y"] + totals["height"]
    expect(phone).to_have_title("Hand 2 of 13")  # and not that of the sheet
    for width, height in ((820, 1180), (1366, 768)):
        phone.set_viewport_size({"width": width, "height": height})
        expect(rows.nth(1).locator(".change")).to_have_text("+13 last · 13 behind")
        expect(rows.nth(1).locator(".change")).to_be_visible()
        assert len({box_of(row)["y"] for row in rows.all()}) == 7
        expect(rows.last).to_be_in_viewport(ratio=1)


def test_the_sheet_and_the_payments_of_ten_players_need_few_lines(phone, server):
    begin(phone, server, *LONG, "Ana", "Ben", "Cleo", game="indian_rummy")
    game = phone.url
    send(phone, f"{game}/turned", [("rank", "8")])
    send(phone, f"{game}/end", [("out", "0")])
    points = by_seat("points", ["30"] * 9, first=1)
    send(phone, f"{game}/end", [("out", "0"), ("by", "points"), *points])
    phone.set_viewport_size({"width": 820, "height": 1180})
    visit(phone, game)
    lines = phone.locator(".payments li")
    assert lines.count() == 9
    assert all(box_of(line)["height"] < 3 * 24 for line in lines.all())
    cells = phone.locator(".sheet td")
    expect(cells.first).to_contain_text("Rummy")
    widths = "all => all.map(one => [one.scrollWidth, one.clientWidth])"
    assert all(needed <= there for needed, there in cells.evaluate_all(widths))
    phone.set_viewport_size(ON_ITS_SIDE)
    visit(phone, f"{game}/sheet")
    assert all(needed <= there for needed, there in cells.evaluate_all(widths))


def in_sight(page: Page, *places: Locator) -> None:
    """Nothing has to be scrolled for: each place is above the buttons at the bottom, and whole."""
    dock = box_of(page.locator(".dock"))
    for place in places:
        box = box_of(place)
        assert 0 <= box["y"] <= box["y"] + box["height"] <= dock["y"], place


def test_the_verdict_its_facts_and_the_charge_are_in_sight_together(phone, server):
    def looks_right() -> None:
        ready(phone)
        phone.set_viewport_size({"width": 360, "height": 640})
        facts = phone.locator(".rests li, .rest > summary")
        assert facts.count() == 2
        changes = facts.locator(".btn", has_text="Change")
        in_sight(phone, phone.locator(".verdict"), *facts.all(), *changes.all())
        assert all(box_of(one)["height"] >= 44 for one in changes.all())
        phone.set_viewport_size({"width": 640, "height": 360})
        in_sight(phone, *phone.locator(".verdict :is(.word, .ruleno), .rests li").all())
        phone.set_viewport_size({"width": 360, "height": 640})

    begin(phone, server, "Ana", "Ben", "Chidi")
    ruling_link(phone).tap()
    whose(phone, "Ana").tap()
    press(phone, "Discard").tap()
    card(phone, "TH").tap()
    arrive(phone, "What was on top of the pile")
    card(phone, "TD").tap()
    verdict(phone, "Illegal", "PRO-11")
    looks_right()
    phone.locator("summary", has_text="Who plays").tap()
    in_sight(phone, press(phone, "Ben"), press(phone, "Chidi"))
    begin(phone, server, "Ana", "Ben", "Chidi", game="carioca")
    ruling_link(phone).tap()
    press(phone, "Lay-off").tap()
    tap_cards(phone, "8C 8D 8H")
    press(phone, "It's on the table").tap()
    expect(phone.locator("#onto input:checked")).to_have_count(1)
    card(phone, "8S").tap()
    press(phone, "Ben").tap()
    press(phone, "Not yet").tap()
    verdict(phone, "Illegal", "CAR-5")
    looks_right()


def test_every_word_of_the_thumb_bar_fits_its_button(phone, server):
    def fits(count: int) -> None:
        sizes = phone.locator(".actions .btn").evaluate_all(
            "buttons => buttons.map(one => [one.scrollWidth, one.clientWidth])"
        )
        assert len(sizes) == count
        assert all(needed <= there for needed, there in sizes)

    begin(phone, server, "Maximiliana Featherstone", "Ben")
    phone.set_viewport_size({"width": 320, "height": 568})
    phone.evaluate("document.documentElement.dataset.text = 'large'")
    fits(3)
    phone.set_viewport_size(PHONE)
    visit(phone, f"{phone.url}/ruling?ask=discard&player=0")
    card(phone, "TH").tap()
    arrive(phone, "What was on top of the pile")
    card(phone, "TD").tap()
    verdict(phone, "Illegal", "PRO-11")
    fits(2)


def test_the_question_about_the_pile_stands_above_the_whole_pack(phone, server):
    begin(phone, server, "Ana", "Ben", "Cleo")
    for size, share in ((PHONE, 1.0), (ON_ITS_SIDE, 0.9)):
        phone.set_viewport_size(size)
        visit(phone, f"{phone.url.partition('/ruling')[0]}/ruling?ask=discard&player=2")
        card(phone, "7H").tap()
        arrive(phone, "What was on top of the pile")
        assert box_of(phone.locator("h1"))["y"] >= 0
        assert is_above_the_bar(phone, card(phone, "KS"), share)


def test_the_whole_pack_is_in_sight_on_a_form_that_first_asks_for_the_meld_on_the_table(
    phone, server
):
    begin(phone, server, "Ana", "Ben", "Cleo", game="kalooki")
    for kind in ("lay_off", "swap"):
        visit(phone, f"{phone.url.partition('/ruling')[0]}/ruling?ask={kind}&player=1")
        pack = phone.locator(".c:visible")
        in_sight(phone, phone.locator("h1"), pack.first)
        assert is_above_the_bar(phone, pack.last, 0.8)  # the sign of the card
    for text in ("7C", "7D", "7H"):
        pack.filter(has=phone.locator(f"[value='{text}']")).tap()
    press(phone, "It's on the table").tap()
    expect(phone.locator("#contract label").first).to_be_visible()  # not asked before


def test_the_first_cards_of_a_lay_off_are_in_sight_below_its_question(phone, server):
    begin(phone, server, "Ana", "Ben", "Chandi", "Dee", game="kalooki")
    lies = "ruling?ask=lay_off&onto=0&seen=5C+6C+7C+8C"
    for address, last in ((lies, "8C"), (f"{lies}&player=1", "5H")):
        visit(phone, f"{phone.url.partition('/ruling')[0]}/{address}")
        in_sight(phone, phone.locator("h1"), card(phone, "AC"))
        assert is_above_the_bar(phone, card(phone, last))
        there = box_of(phone.locator(".felt"))
        for answer in phone.locator("#contract label").all():
            answer.tap()
            assert box_of(phone.locator(".felt")) == there


def test_nothing_moves_when_a_name_is_tapped(phone, server):
    begin(phone, server, "Tom", "Ben", "Sathsara", "Christopher", "Leo")
    visit(phone, f"{phone.url}/penalty")
    tiles = phone.locator("#player label, #rule")
    before = [box_of(tile)["y"] for tile in tiles.all()]
    phone.locator("#player label", has_text="Sathsara").tap()
    expect(phone.locator("#player input:checked")).to_have_count(1)
    assert [box_of(tile)["y"] for tile in tiles.all()] == before


def test_the_whole_pack_and_the_suits_of_a_doctor_are_in_sight_at_the_end_of_a_round(phone, server):
    visit(phone, f"{begun(phone, server, ('Ana', 'Ben', 'Cleo', 'Dora'), 'indian_chief')}/end")
    expect(phone.locator(".chips .chip").first).to_be_visible()
    in_sight(phone, phone.locator("h1"), card(phone, "AC"), card(phone, "KS"))
    press(phone, "Next").tap()
    tap_cards(phone.locator("#cards-1"), "AH 2H 3D 4C 9S JS")
    suits = phone.locator("#suit-1 .tile")
    expect(suits).to_have_count(4)
    assert all(is_above_the_bar(phone, suit, 0.7) for suit in suits.all())
    in_sight(phone, phone.locator(".chips"))


def test_whether_four_players_laid_a_meld_is_asked_above_the_bar(phone, server):
    end_of(phone, server, "Ana", "Ben", "Cleo", "Dora", out="Ana")
    chips = [box_of(chip) for chip in phone.locator(".chips .chip").all()]
    assert len(chips) == 5
    assert len({chip["y"] for chip in chips}) == 1
    in_sight(phone, phone.locator("#melded-1 .tile").first, phone.locator("#cards-1 .c").first)


# -- on a phone on its side ------------------------------------------------------------------------


def wide_as_a_thumb(place: Locator) -> bool:
    """Whether a place can be tapped without hitting the one beside it."""
    box = box_of(place)
    return box["width"] >= 44 and box["height"] >= 44


def test_the_words_of_undo_and_redo_are_readable_upright_and_on_its_side(phone, server):
    game = begin(phone, server, "Ana", "Ben", "Cleo").url
    mark(phone)
    send(phone, f"{game}/penalty", [("player", "2"), ("rule", "PRO-13.3")])
    visit(phone, game)
    phone.locator(".undo button").tap()
    says = phone.locator(".undo button > span")
    expect(says).to_have_text(
        ["Undo: Hand 1 marked, Ana out", "Redo: 20 points to Cleo (PRO-13.3)"]
    )
    for size in (PHONE, ON_ITS_SIDE):
        phone.set_viewport_size(size)
        for one in says.all():
            assert one.evaluate("says => says.scrollHeight <= says.clientHeight + 1")  # rounded


def test_on_a_phone_on_its_side_the_joker_has_no_row_of_its_own(phone, server):
    phone.set_viewport_size(ON_ITS_SIDE)
    game = begun(phone, server, ("Ana", "Ben", "Cleo"), "carioca")
    for path in ("/contract", "/ruling?ask=contract&player=1"):
        visit(phone, game + path)
        joker, spades = card(phone, "XX"), card(phone, "KS")
        assert box_of(joker)["y"] == box_of(spades)["y"]
        assert is_above_the_bar(phone, joker, 0.8)  # the sign of the card
        assert wide_as_a_thumb(joker)


@pytest.mark.parametrize(
    ("game", "page", "last", "share"),
    [
        ("indian_rummy", "", "#turned .c", 1),  # the cards to tap the one that was turned up
        ("kalooki", "/end", "#out label", 0.7),  # the name of who may have gone out
        ("proter", "/code", ".code img", 1),  # the code for viewers
    ],
)
def test_what_a_page_is_for_is_in_sight_on_a_phone_on_its_side(
    phone, server, game, page, last, share
):
    phone.set_viewport_size(ON_ITS_SIDE)
    visit(phone, begun(phone, server, ("Ana", "Ben", "Cleo", "Dora"), game) + page)
    places = phone.locator(last)
    assert is_above_the_bar(phone, places.last, share)
    assert all(wide_as_a_thumb(one) for one in places.all())


def test_the_head_of_a_page_leaves_room_on_a_phone_on_its_side_in_letters_of_twice_the_size(
    phone, server
):
    phone.set_viewport_size(ON_ITS_SIDE)
    letters(phone, 2 * LETTERS)
    begin(phone, server, "Ana", "Ben", "Cleo")
    assert box_of(phone.locator("header.top"))["height"] <= 60
    for link in phone.locator("header.top a").all():
        assert wide_as_a_thumb(link)
    assert too_wide(phone) == []
