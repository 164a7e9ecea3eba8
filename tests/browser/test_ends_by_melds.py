"""Ends of hands in which melds are tapped in: Pay Me arranges them, Indian Chief scores them.

Of two players of Pay Me with the same card the first one lays it off. Worked out by hand: in hand 1
three cards are dealt, and threes, twos and jokers are wild. Ana calls with 5♣ 6♣ 7♣. Ben and Chidi
both hold an 8♣, of two packs, and the run takes one of them (PAY-9). Eights count 10, fours to
sixes 5 (PAY-10).
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import Taps, begin, begun, ready, visit
from tests.browser.house import Server
from tests.browser.sending import by_seat, send
from tests.browser.test_taps_end import SEEN
from tests.browser.thumb import end_of, press, tap_cards

pytestmark = pytest.mark.browser

# Seated so that Ben plays after Ana, who calls, and Chidi after Ben.
NAMES = ("Chidi", "Ana", "Ben")


def step(page: Page, name: str) -> Locator:
    """The step that is open, which must be this player's."""
    opened = page.locator("[data-step]:not([hidden])")
    expect(opened.locator("legend").first).to_have_text(name)
    return opened


def tap_in(page: Page, taps: Taps, **cards: str) -> None:
    """Tap in these players' cards, one step after the other."""
    for number, (name, texts) in enumerate(cards.items()):
        if number:
            taps(press(page, "Next"))
        tap_cards(step(page, name), texts, taps)


def result(page: Page, name: str) -> Locator:
    return page.locator("#sums tbody tr", has=page.locator("bdi", has_text=name)).first


def test_the_caller_comes_first_and_each_place_for_a_lay_off_is_taken_once(phone, server, taps):
    end_of(phone, server, *NAMES, out="Ana", game="pay_me", tap=taps)
    expect(phone.locator(".chips .chip bdi")).to_have_text(["Out", "Ana", "Ben", "Chidi"])
    expect(step(phone, "Ana")).to_contain_text("or nobody lays off")
    tap_in(phone, taps, Ana="5C 6C 7C", Ben="8C 4S 6D", Chidi="8C 5S 6H")
    for name in ("Ana", "Ben", "Chidi"):  # not in the order of their seats
        phone.locator(".chips .chip", has_text=name).tap()
        step(phone, name)
    expect(result(phone, "Ben")).to_contain_text("Laid off 8♣︎ on 5♣︎ 6♣︎ 7♣︎")
    expect(result(phone, "Ben").locator("td").first).to_have_text("10")  # 4♠ 6♦
    expect(result(phone, "Chidi")).to_contain_text("Ben laid off 8♣︎ first: no place for 8♣︎")
    expect(result(phone, "Chidi").locator("td").first).to_have_text("20")  # 8♣ 5♠ 6♥
    taps(press(phone, "Save"))
    expect(phone.locator("h1")).to_contain_text("Hand 2")
    assert taps.count <= 9 + 4


def test_a_chip_counts_the_cards_until_all_are_entered(phone, server):
    end_of(phone, server, *NAMES, out="Ana", game="pay_me")
    chip = phone.locator(".chips .chip", has_text="Ben")
    chip.tap()
    save = phone.locator("[data-steps-save]")
    for text, says in (("9C", "1 of 3"), ("KD", "2 of 3"), ("4H", "✓ done")):
        tap_cards(step(phone, "Ben"), text)
        expect(chip.locator("small")).to_have_text(says)
    expect(save).to_have_class(re.compile("quiet"))  # Chidi's are missing
    phone.locator(".chips .chip", has_text="Chidi").tap()
    tap_cards(step(phone, "Chidi"), "KS QS")
    expect(phone.locator("#sums")).to_contain_text("Not all cards are entered: Chidi.")
    expect(save).to_have_class(re.compile("quiet"))
    expect(step(phone, "Chidi")).to_be_in_viewport()
    tap_cards(step(phone, "Chidi"), "JS")
    expect(save).not_to_have_class(re.compile("quiet"))


def test_one_tap_chooses_who_lays_off_first(phone, server, taps):
    game = begun(phone, server, NAMES, "pay_me", **{"rule-lay_off_order": "free"})
    visit(phone, f"{game}/end")
    taps(phone.locator("#out label.tile", has_text="Ana"))
    first = phone.locator(".chips .chip", has_text="First")
    expect(first).to_be_hidden()  # nothing to lay off on is there yet
    tap_in(phone, taps, Ana="5C 6C 7C")
    taps(press(phone, "Next"))
    asked = phone.locator("#lays_off_first label.tile:visible")
    expect(asked).to_have_text(["Chidi", "Ben"])  # Ana has called
    taps(asked.filter(has_text="Chidi"))
    tap_in(phone, taps, Chidi="8C 5S 6H", Ben="8C 4S 6D")
    expect(result(phone, "Ben")).to_contain_text("Chidi laid off 8♣︎ first: no place for 8♣︎")
    taps(press(phone, "Save"))
    expect(phone.locator("h1")).to_contain_text("Hand 2")
    assert taps.count <= 9 + 5


def test_one_tap_answers_what_a_wild_card_stands_for(phone, server, taps):
    end_of(phone, server, *NAMES, out="Ana", game="pay_me", tap=taps)
    tap_in(phone, taps, Ana="6C 7C 8C", Ben="2D QH 4S", Chidi="9C KD 4H")
    asked = phone.locator("#laid_as-2")
    expect(asked.locator("legend")).to_have_text(
        "What does Ben's 2♦ stand for? It decides what Chidi can lay off."
    )
    expect(result(phone, "Chidi").locator("td").first).to_have_text("–")
    chip = phone.locator(".chips .chip", has_text="Ben")
    expect(chip.locator("small")).to_have_text("2♦ = ?")
    taps(chip)
    step(phone, "Ben")
    expect(asked).to_be_in_viewport()
    taps(asked.locator("label.tile", has_text="5♣"))
    expect(result(phone, "Chidi").locator("td").first).to_have_text("15")  # K♦ 4♥, the 9♣ fits
    taps(asked.locator("label.tile", has_text="9♣"))
    expect(result(phone, "Chidi").locator("td").first).to_have_text("25")
    expect(result(phone, "Ben").locator("td").first).to_have_text("15")  # Q♥ 4♠
    expect(chip.locator("small")).to_have_text("✓ done")
    phone.reload()
    expect(result(phone, "Chidi").locator("td").first).to_have_text("25")
    expect(asked.locator("label.tile:has(:checked)")).to_have_text("2♦ for 9♣")
    taps(press(phone, "Save"))
    expect(phone.locator("h1")).to_contain_text("Hand 2")
    assert taps.count <= 9 + 7


def test_a_declaration_goes_before_a_half_entered_end_of_the_hand(phone, server, taps):
    game = end_of(phone, server, *NAMES, out="Ben", game="pay_me")
    phone.locator(".chips .chip", has_text="Chidi").tap()
    tap_in(phone, taps, Chidi="8C 5S 6H")
    # As the link on a ruling does (PAY-8).
    visit(phone, f"{game}/end?out=1&cards-1=5C&cards-1=6C&cards-1=7C")
    out = phone.locator("#out input:checked")
    expect(out).to_have_value("1")
    expect(result(phone, "Ana")).to_contain_text("5♣︎ 6♣︎ 7♣︎")
    # Chidi's cards stay. Ben's are missing, and he lays off before Chidi (PAY-9).
    expect(result(phone, "Chidi")).to_contain_text("It depends on how another player's cards lie.")
    phone.locator(".chips .chip", has_text="Out").tap()
    taps(phone.locator("#out label.tile", has_text="Ben"))
    ready(phone)
    phone.reload()
    expect(out).to_have_value("2")  # as it was changed
    expect(phone.locator("#cards-1 input:checked")).to_have_count(3)


# -- Indian Chief: melds tapped in, a suit named, the seven parted --------------------------------


@pytest.fixture
def chief(phone: Page, server: Server) -> Page:
    """The phone at the first hand of a game of four, with two packs."""
    return begin(phone, server, "Ana", "Ben", "Cem", "Dee", game="indian_chief")


def card(page: Page, text: str) -> Locator:
    return page.locator(f'[data-step]:not([hidden]) .c:not([hidden]) input[value="{text}"]')


def told(page: Page) -> Locator:
    return page.locator("[data-step]:not([hidden]) output")


def test_the_five_poker_cards_are_tapped_and_survive_a_reload(chief):
    chief.get_by_role("link", name="End the round").tap()
    ready(chief)
    expect(chief.locator(".apart:visible")).to_have_count(0)
    tap_cards(chief.locator("[data-step]:not([hidden])"), "KC KC 5H 5S 5C 9C 9D")
    for key in range(5):  # 5♣ 9♣ K♣ K♣ 9♦: two pair, 15, and 5 + 5 is 0 at baccarat
        chief.locator(".apart:visible .k").nth(key).tap()
    ana = chief.locator("#sums tbody tr").first
    expect(ana).to_contain_text(re.compile(r"two pair.*15\s*15", re.DOTALL))
    assert barriers(chief) == []
    chief.reload()
    ready(chief)
    expect(ana).to_contain_text(re.compile(r"two pair.*15\s*15", re.DOTALL))
    chief.locator(".chip").first.tap()
    card(chief, "9D").tap()
    expect(told(chief)).to_have_text("6 cards · Doctor")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "9D 9D")
    expect(told(chief)).to_have_text("8 cards · no box")
    card(chief, "9D").tap()  # gives both back: a Doctor now, and nothing is parted
    expect(told(chief)).to_have_text("6 cards · Doctor")
    expect(chief.locator(".apart:visible")).to_have_count(0)


def test_a_round_by_points_costs_a_box_and_its_digits_for_each_player(chief, taps):
    taps(chief.get_by_role("link", name="End the round"))
    ready(chief)
    taps(chief.locator(".seg label", has_text="Points"))
    for name in ("Ana", "Ben", "Cem", "Dee"):
        shown = chief.locator("fieldset.holder > legend", has_text=name)
        shown.scroll_into_view_if_needed()
        assert shown.evaluate(SEEN)
    # 7 of a Thief, 16 of a Rich Man, 25 of a Lawyer, 20 of a Doctor.
    for seat, (box, points) in enumerate((("1", "7"), ("5", "16"), ("4", "25"), ("6", "20"))):
        taps(chief.locator(f'label:has([name="box-{seat}"][value="{box}"])'))
        chief.locator(f"#points-{seat}").fill(points)
    expect(chief.locator("#sums")).to_contain_text("Nothing is missing: this can be saved.")
    taps(press(chief, "Save"))
    expect(chief.locator("h1")).to_contain_text("Round 2")
    assert taps.count == 4 + 3  # a box for each player; the end of the round, by points, save
    expect(chief.locator(".totals")).to_contain_text("−16")


def test_a_box_that_is_tapped_takes_the_place_of_the_cards(chief):
    visit(chief, f"{chief.url}/end")
    card(chief, "7C").tap()
    chief.locator(".seg label", has_text="Points").tap()
    ana = chief.locator("#sums tbody tr").first
    expect(ana).to_contain_text("Thief")
    chief.locator('label:has([name="box-0"][value="3"])').tap()
    expect(ana).to_contain_text("How many points does Ana's Poor Man score?")
    chief.locator("#points-0").fill("9")
    chief.locator("#points-0").press("Tab")
    expect(ana).to_contain_text("Poor Man")
    expect(ana.locator("td").first).to_have_text("9")


def test_the_chip_of_a_refused_entry_does_not_say_done(chief):
    # Four sevens of another suit each: everybody's Thief.
    send(chief, f"{chief.url}/end", by_seat("cards", ("7C", "7D", "7H", "7S")))
    visit(chief, f"{chief.url}/end")
    chip = chief.locator(".chip").first
    card(chief, "7C").tap()
    expect(told(chief)).to_have_text("1 card · Thief: filled in round 1")
    expect(chief.locator("#sums")).to_contain_text("Ana filled the box Thief in round 1")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "AH 2C 3C 4C 5C")
    expect(chip).to_contain_text("look")  # a Doctor without its suit
    expect(chief.locator("#sums")).to_contain_text("The most is 50, with clubs.")
    chief.locator('label:has([name="suit-0"][value="C"])').tap()
    expect(chip).to_contain_text("done")
    tap_cards(chief.locator("[data-step]:not([hidden])"), "8C 9C")
    expect(chip).to_contain_text("look")  # eight cards
