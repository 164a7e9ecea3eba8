"""What the end of a hand costs a thumb, and what the page does by itself."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, begin, begun, ready, visit
from tests.browser.house import Server
from tests.browser.thumb import at_the_end, box_of, end_of, press, tap_cards

pytestmark = pytest.mark.browser

LONG = (
    "Maximiliana von Hohenlohe-Lang",
    "Sathsara Wijewardena Mudalige",
    "Bartholomew Featherstonehaugh",
    "قاسم بن عبد الرحمن الخطيب",
    "🦊 Renard",
    "Ἀλέξανδρος ὁ Μακεδών",
    "Chandrika Bandaranaike",
)


# Whether what is seen in the middle of a part is the part, and its text is not too wide for it.
SEEN = """part => {
  const { x, y, width, height } = part.getBoundingClientRect();
  const seen = document.elementFromPoint(x + width / 2, y + height / 2);
  return part.contains(seen) && part.scrollWidth <= part.clientWidth;
}"""


def card(page: Page, text: str) -> Locator:
    """A card of the player whose step is open."""
    return page.locator(f'[data-step]:not([hidden]) input[value="{text}"]')


@pytest.fixture
def ending(phone: Page, server: Server) -> Page:
    """The phone at the end of a hand of five players, of whom Ana went out."""
    end_of(phone, server, "Ana", "Ben", "Chandi", "Dee", "Ewa", out="Ana")
    return phone


def expect_totals(page: Page, *totals: str) -> None:
    expect(page.locator(".sheet tfoot td")).to_have_text(totals)


def test_the_last_entry_of_a_player_counts_cards_or_points(ending):
    tap_cards(ending.locator("#cards-1"), "KC QD")
    ending.locator(".seg label", has_text="Points").tap()
    ben = ending.locator("fieldset[data-step='Ben']")
    expect(ben.locator("output")).to_have_text("2 cards · 25 points")
    ending.locator("#points-1").fill("30")
    expect(ben.locator("output")).to_be_hidden()
    expect(ending.locator("#sums tbody tr").nth(1)).to_contain_text("30 points")
    ending.locator(".seg label", has_text="Cards").tap()
    expect(ben.locator(":checked[data-card]")).to_have_count(0)
    ben.locator("label.c:has(input[value='KC'])").tap()
    expect(ending.locator("#points-1")).to_have_value("")
    expect(ending.locator("#sums tbody tr").nth(1)).to_contain_text("13 in 1 card")


def test_four_players_points_are_above_an_open_keyboard(phone, server):
    # Above them Kalooki has a switch, too.
    end_of(phone, server, "Ana", "Ben", "Chandi", "Dee", "Ewa", game="kalooki", out="Ana")
    phone.locator("#points-1").tap()
    phone.set_viewport_size({"width": 360, "height": 370})  # 640 without a keyboard of 270
    phone.locator("#out label", has_text="Ana").tap()
    expect(phone.locator("#points-1")).to_be_focused()
    for seat in range(1, 5):
        expect(phone.locator(f"#points-{seat}")).to_be_in_viewport(ratio=1)
    last, bar = box_of(phone.locator("#points-4")), box_of(phone.locator(".actions"))
    assert last["y"] + last["height"] <= bar["y"]


def test_a_hand_by_points_costs_the_digits_and_four_and_the_next_three(phone, server, taps):
    begin(phone, server, "Ana", "Ben", "Chandi")
    for n in (1, 2):
        taps.count = 0
        at_the_end(phone, "Ben", taps)
        if n == 1:
            taps(phone.locator("#points-0"))
        # The second time, who went out leads to the first points, and the keyboard is there.
        expect(phone.locator("#points-0")).to_be_focused()
        phone.keyboard.type("30")
        phone.keyboard.press("Enter")
        expect(phone.locator("#points-2")).to_be_focused()
        phone.keyboard.type("41")
        taps(press(phone, "Save: everyone laid a meld"))
        expect(phone.locator("h1")).to_contain_text(f"Hand {n + 1}")
        assert taps.count == 5 - n
    phone.get_by_role("link", name="Sheet").tap()
    expect_totals(phone, "60", "0★ leads", "82")


def chip(page: Page, name: str) -> Locator:
    return page.locator(".chip", has_text=name)


def test_the_sixth_card_asks_for_the_meld_and_the_answer_leads_on(evening, taps):
    at_the_end(evening, "Ana", taps)
    hands = {"Ben": "2C 3C 4C 5C 6C 7C", "Chandi": "8C", "Dee": "2D 3D 4D 5D 6D 7D", "Ewa": "9C"}
    for name, texts in hands.items():
        # Ana has nothing to enter: Ben's cards are open at once.
        expect(evening.locator("[data-step]:not([hidden]) legend").first).to_have_text(name)
        asked = evening.locator("[data-step]:not([hidden]).asks .ask")
        for text in texts.split():
            expect(asked).to_have_count(0)
            taps(card(evening, text))
        if name == "Chandi":
            taps(press(evening, "Next"))
        if len(texts.split()) < 6:
            continue
        expect(asked).to_contain_text("Laid a meld?")
        expect(chip(evening, name)).to_contain_text("meld?")
        taps(asked.locator("label", has_text="No" if name == "Ben" else "Yes"))
        expect(chip(evening, name)).to_contain_text("done")
    expect(evening.locator("#sums")).to_contain_text("27 in 6 cards + 20 No meld")
    taps(press(evening, "Save"))
    expect(evening.locator("h1")).to_contain_text("Hand 2")
    assert taps.count == 14 + 4 + 2
    evening.get_by_role("link", name="Sheet").tap()
    expect_totals(evening, "0★ leads", "47", "8", "27", "9")


@pytest.mark.parametrize(
    ("wide", "dark"),
    [
        pytest.param(False, False, id="upright, light"),
        pytest.param(True, True, id="on its side, dark"),
    ],
)
def test_the_meld_question_is_readable_and_in_sight_whichever_card_is_the_sixth(
    phone: Page, server: Server, *, wide: bool, dark: bool
):
    width, height = PHONE["width"], PHONE["height"]
    if wide:
        width, height = height, width
    phone.set_viewport_size({"width": width, "height": height})
    phone.emulate_media(color_scheme="dark" if dark else "light")
    end_of(phone, server, "Dee", "Ben", LONG[0], out="Dee")
    # The sixth card is in the last row of the pack.
    cards = {"Ben": "KC QC JC TC 9C KS", LONG[0]: "KD QD JD TD 9D QS"}
    for name, texts in cards.items():
        expect(phone.locator("[data-step]:not([hidden]) legend").first).to_have_text(name)
        for text in texts.split():
            card(phone, text).tap()
        asked = phone.locator("[data-step]:not([hidden]).asks .ask")
        expect(asked).to_have_count(1)
        here = phone.locator("[data-step]:not([hidden])")
        parts = [here.locator(".sum"), asked.locator(".label"), *asked.locator("label").all()]
        for part in parts:
            expect(part).to_be_in_viewport(ratio=1)
            assert part.evaluate(SEEN), part  # nothing lies over it
        boxes = [box_of(part) for part in parts]
        lines = sorted((box["x"], box["x"] + box["width"]) for box in boxes)
        assert all(one[1] <= other[0] for one, other in pairwise(lines))
        assert all(min(box["width"], box["height"]) >= 44 for box in boxes[2:])
        expect(parts[0]).to_contain_text("6 cards")
        legend = here.locator("legend").first
        assert legend.evaluate("part => part.scrollWidth <= part.clientWidth")
        asked.locator("label", has_text="Yes").tap()
    press(phone, "Save").tap()
    expect(phone.locator("h1")).to_contain_text("Hand 2")


def test_by_points_the_meld_is_asked_on_the_players_line(phone, server):
    end_of(phone, server, "Ana", "Ben", "Chandi", out="Ana")
    phone.locator("#points-1").tap()
    phone.keyboard.type("60")
    # Five cards can make 60 points, and so can six.
    expect(phone.locator("[data-step='Ben'].asked #melded-1")).to_contain_text("Laid a meld?")
    phone.keyboard.press("Enter")
    phone.keyboard.type("5")
    phone.locator("#melded-1 label", has_text="No").tap()
    expect(phone.locator("#sums")).to_contain_text("60 points + 20 No meld")
    press(phone, "Save: everyone else laid a meld").tap()
    expect(phone.locator("h1")).to_contain_text("Hand 2")


def test_by_points_an_error_does_not_cover_the_players_name(phone, server):
    end_of(phone, server, "Ana", "Ben", out="Ana", game="pay_me")
    phone.locator(".seg label", has_text="Points").tap()
    phone.locator("#points-1").fill("4")
    press(phone, "Save").tap()
    error = phone.locator("#points-1-error")
    expect(error).to_contain_text("Ben can't have 4 points")
    ready(phone)
    name = box_of(phone.locator("fieldset[data-step='Ben'] > legend"))
    assert name["y"] + name["height"] <= box_of(error)["y"]


def test_each_proter_left_is_in_the_sum_where_each_is_charged(phone, server):
    game = begun(phone, server, ("Ana", "Ben"), "proter", **{"rule-proters_left": "each"})
    visit(phone, f"{game}/end")
    phone.locator("#out label", has_text="Ana").tap()
    for texts, says in (
        ("AC KC", "2 cards · 14 points + 20 Proter"),
        ("AD", "3 cards · 15 points + 2 × 20 Proter"),
    ):
        tap_cards(phone.locator("#cards-1"), texts)
        expect(phone.locator("[data-step='Ben'] output")).to_have_text(says)


def test_no_more_cards_can_be_left_than_were_held(phone, server):
    end_of(phone, server, "Ana", "Ben", "Chandi", out="Ana", game="carioca")
    tap_cards(phone.locator("#cards-1"), "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC")
    expect(chip(phone, "Ben")).to_contain_text("done")
    tap_cards(phone.locator("#cards-1"), "KC")
    # CAR-1: eleven cards are dealt in hand 1.
    expect(chip(phone, "Ben")).to_contain_text("look")
    expect(phone.locator("[data-step='Ben'] output")).to_have_text("12 cards · 11 at most")


def test_penalty_cards_are_asked_for_once_in_one_tap(phone, server):
    end_of(phone, server, "Ana", "Ben", "Chandi", out="Ana", game="kalooki")
    ask = phone.locator("[data-step='Ben'] .ask")
    tap_cards(phone.locator("#cards-1"), "2C 3C 4C 5C 6C 7C 8C 9C TC")
    expect(ask).to_be_hidden()  # KAL-1: nine cards are dealt in hand 1
    tap_cards(phone.locator("#cards-1"), "JC")
    expect(ask).to_contain_text("Drew penalty cards?")
    expect(chip(phone, "Ben")).to_contain_text("cards?")
    ask.locator("label").tap()
    expect(chip(phone, "Ben")).to_contain_text("done")
    press(phone, "Next").tap()
    tap_cards(phone.locator("#cards-2"), "KD")
    press(phone, "Save").tap()
    expect(phone.locator("h1")).to_contain_text("Hand 2")
    visit(phone, f"{phone.url}/hands/1/correct")
    expect(phone.locator("input[name='penalty_cards-1']")).to_be_checked()


def test_what_was_said_of_one_who_went_out_is_not_said_of_another(ending):
    press(ending, "Back").tap()
    ending.locator("label.switch", has_text="without a meld").tap()
    sums = ending.locator("#sums tbody tr")
    expect(sums.nth(0)).to_contain_text("went out + 20 No meld")
    ending.locator("#out label", has_text="Ben").tap()
    expect(sums.nth(1)).to_contain_text("went out")
    expect(sums.nth(1)).not_to_contain_text("No meld")
    press(ending, "Back").tap()
    expect(ending.locator("#out_no_meld")).not_to_be_checked()


def test_a_card_that_another_has_is_moved_in_one_tap(ending):
    tap_cards(ending.locator("#cards-1"), "KS QS")
    press(ending, "Next").tap()
    expect(card(ending, "KS")).to_have_accessible_name("king of spades, taken: Ben")
    # It cannot be checked as it is; a thumb meets its cell all the same.
    ending.locator("[data-step]:not([hidden]) label.c:has(input[value='KS'])").tap(force=True)
    move = ending.get_by_role("button", name=re.compile("^K♠.? is with Ben: move it to Chandi$"))
    assert box_of(move)["height"] >= 44
    move.tap()
    expect(card(ending, "KS")).to_be_checked()
    expect(move).to_have_count(0)
    sums = ending.locator("#sums tbody tr")
    expect(sums.nth(1)).to_contain_text("12 in 1 card")
    expect(sums.nth(2)).to_contain_text("13 in 1 card")
    press(ending, "Back").tap()
    card(ending, "QS").tap()
    press(ending, "Next").tap()
    expect(card(ending, "QS")).to_be_enabled()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_card_that_another_has_is_moved_by_keyboard(ending, key):
    card(ending, "KS").tap()
    press(ending, "Next").tap()
    card(ending, "QS").focus()
    ending.keyboard.press("Tab")
    expect(card(ending, "KS")).to_be_focused()
    ending.keyboard.press(key)
    expect(ending.get_by_role("button", name="is with Ben: move it to Chandi")).to_be_focused()
    expect(card(ending, "KS")).not_to_be_checked()
    ending.keyboard.press("Enter")
    expect(card(ending, "KS")).to_be_checked()
    expect(card(ending, "KS")).to_be_focused()
    expect(ending.locator("h1")).to_contain_text("End of hand 1")  # Enter saved nothing


def test_a_refused_request_for_sums_leaves_the_page_as_it_is(ending):
    expect(ending.locator("#sums")).to_contain_text("Still missing: Ben")
    ending.context.clear_cookies()
    with ending.expect_response("**/preview") as answer:
        card(ending, "KC").tap()
    assert answer.value.status == 400
    expect(ending.locator("#sums")).to_contain_text("Still missing: Ben")
    expect(ending.locator("h1")).to_have_count(1)


def test_a_refused_hand_opens_where_it_is_wrong_and_an_answer_takes_its_error_away(evening):
    at_the_end(evening)
    press(evening, "Save").tap()
    summary = evening.locator(".summary")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("Say who went out")
    ready(evening)
    evening.locator("#out label", has_text="Ana").tap()
    expect(evening.locator("#out-error")).to_have_count(0)
    expect(summary).to_have_count(0)
    expect(evening.locator(".chip").first).to_contain_text("done")
    card(evening, "KC").tap()
    press(evening, "Save").tap()
    expect(summary).to_contain_text("Still missing: Chandi, Dee and Ewa")
    ready(evening)
    expect(evening.locator("[data-step]:not([hidden]) legend").first).to_have_text("Chandi")
    press(evening, "Back").tap()
    expect(card(evening, "KC")).to_be_checked()


def test_plus_takes_a_second_copy_and_a_second_tap_gives_all_back(phone, server):
    begin(phone, server, "Ana", "Ben", "Cem", game="kalooki")
    visit(phone, f"{phone.url}/end")
    phone.locator("#out label.tile").first.tap()
    ben, cem = (phone.locator(f"fieldset[data-step='{name}']") for name in ("Ben", "Cem"))
    expect(ben).to_be_visible()  # the next step is open, and the table can still be bent
    bent = phone.locator("label.switch", has_text="bending the table")
    expect(bent).to_be_in_viewport()
    bent.tap()
    joker = ben.locator("label.c:has(input[value='XX'])").first
    more = re.compile("^One more")
    expect(ben.get_by_role("button", name=more)).to_be_disabled()
    joker.tap()
    for _ in range(2):
        ben.get_by_role("button", name=more).tap()
    expect(ben.locator("output")).to_have_text("3 cards · 150 points, ×2 is 300")  # KAL-9
    less = ben.get_by_role("button", name="One less of 3")
    box = box_of(less)
    assert min(box["width"], box["height"]) >= 44
    less.tap()
    expect(ben.locator("output")).to_have_text("2 cards · 100 points, ×2 is 200")
    phone.locator("[data-steps-nav] button", has_text="Next").tap()
    # Four jokers, two of which Ben has: there is no third one.
    cem.locator("label.c:has(input[value='XX'])").first.tap()
    expect(cem.locator("output")).to_have_text("1 card · 50 points, ×2 is 100")
    cem.get_by_role("button", name=more).tap()
    expect(cem.locator("output")).to_have_text("2 cards · 100 points, ×2 is 200")
    expect(cem.get_by_role("button", name=more)).to_be_disabled()
    cem.locator("label.c:has(input[value='XX'])").first.tap()
    expect(cem.locator("output")).to_have_text("")


def test_no_sum_is_doubled_if_the_player_who_bent_the_table_is_charged_for_a_call(phone, server):
    begin(phone, server, "Ana", "Ben", "Cem", game="kalooki")
    for _call in range(4):
        phone.locator("[action$='/call'] button", has_text="Ben").tap()
        ready(phone)
    visit(phone, f"{phone.url}/end")
    phone.locator("#out label.tile", has_text="Ana").tap()
    phone.locator("label.switch", has_text="bending the table").tap()
    cem = phone.locator("fieldset[data-step='Cem']")
    phone.locator(".chip", has_text="Cem").tap()
    cem.locator("label.c:has(input[value='KC'])").first.tap()
    expect(cem.locator("output")).to_have_text("1 card · 10 points, ×2 is 20")  # KAL-9
    phone.locator(".chip").first.tap()
    phone.locator("#out label.tile", has_text="Ben").tap()
    phone.locator(".chip", has_text="Cem").tap()
    expect(cem.locator("output")).to_have_text("1 card · 10 points")  # KAL-4


def test_arrow_keys_go_from_card_to_card(phone, server):
    end_of(phone, server, "Ana", "Ben", "Cem", out="Ana")
    ben = phone.locator("fieldset[data-step='Ben']")
    ben.locator("input[value='5C']").focus()
    # Seven cards in a row: the eight of clubs is below the ace.
    for key, card in (
        ("ArrowRight", "6C"),
        ("ArrowDown", "KC"),
        ("ArrowUp", "6C"),
        ("ArrowLeft", "5C"),
    ):
        phone.keyboard.press(key)
        expect(ben.locator(f"input[value='{card}']")).to_be_focused()
