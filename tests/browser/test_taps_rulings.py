"""What a dispute costs a thumb. Hand 1: aces are wild; Ana deals and Ben plays first."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .barriers import barriers_in_any_light
from .conftest import MOBILE, PATIENCE, begin, ready

pytestmark = pytest.mark.browser

LONG = (
    "Maximiliana von Hohenlohe-Lang",
    "قاسم بن عبد الرحمن الخطيب",
    "🦊 Renard",
    "D",
    "Chandrika Bandaranaike",
    "F",
    "Ünal",
)


def card(page: Page, text: str) -> Locator:
    """A card of the grid: what a thumb sees of it, be it a box to check or a button."""
    return page.locator(f'.c:has([value="{text}"]), button.c[value="{text}"]').first


def press(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name, exact=isinstance(name, str))


def ruling_link(page: Page) -> Locator:
    return page.get_by_role("link", name="Ruling", exact=True)


def verdict(page: Page, word: str, rule: str = "") -> None:
    """What the page rules."""
    expect(page.locator(".verdict .word")).to_have_text(re.compile(word))
    if rule:
        expect(page.locator(".verdict a.ruleno").first).to_have_text(rule)


def pile(page: Page, *cards: str) -> None:
    """Put discards on record, one a player in the order of play, the last one by Ana."""
    game = page.url
    for text, name in zip(cards, ("Dee", "Ewa", "Ana")[-len(cards) :], strict=True):
        page.goto(f"{game}/table")
        ready(page)
        page.locator("#player label", has_text=name).tap()
        card(page, text).tap()
        press(page, "Discard").tap()
        expect(page.locator(".notice.good")).to_be_visible()
    page.goto(game)
    ready(page)


def expect_hand_page(page: Page) -> None:
    expect(page.get_by_role("link", name="End the hand")).to_be_visible()


def test_a_ruling_on_a_discard_costs_four_taps_and_three_where_it_is_clear_whose_it_is(
    evening, taps
):
    game = evening.url
    pile(evening, "5C", "7C")
    taps(ruling_link(evening))
    taps(evening.locator("#player label", has_text="Ben"))
    taps(press(evening, "Discard"))
    taps(card(evening, "KH"))
    verdict(evening, "Legal")
    assert taps.count == 4
    evening.goto(game)
    taps(ruling_link(evening))
    taps(press(evening, "Discard"))  # Ben's was ruled on last: Chandi plays now
    taps(card(evening, "KC"))
    verdict(evening, "Illegal", "PRO-11")
    expect(evening.locator(".then")).to_contain_text("20 points to Chandi (PRO-13.2).")
    expect(evening.locator(".rests")).to_contain_text("recorded when Ben discarded")
    assert taps.count == 4 + 3


def test_an_unknown_pile_costs_a_tap_a_card(evening, taps):
    taps(ruling_link(evening))
    taps(evening.locator("#player label", has_text="Ben"))
    taps(press(evening, "Discard"))
    taps(card(evening, "6C"))
    expect(evening.locator("h1")).to_contain_text("What was on top of the pile")
    taps(card(evening, "7C"))
    expect(evening.locator("h1")).to_contain_text("What lay under")
    taps(card(evening, "5C"))
    verdict(evening, "Illegal", "PRO-12")
    assert taps.count == 4 + 2


@pytest.mark.parametrize("player", ["Ben", "Ewa"])
def test_a_ruling_on_a_meld_costs_its_cards_and_three_taps_whoever_laid_it(evening, taps, player):
    cards = ("8D", "9D", "TD")
    taps(ruling_link(evening))
    taps(press(evening, "Meld"))
    for text in cards:
        taps(card(evening, text))
    taps(press(evening, player))
    verdict(evening, "Legal")
    expect(evening.locator(".played")).to_contain_text(f"{player}: meld")
    assert taps.count == len(cards) + 3


def test_what_decides_and_what_a_proter_stands_for_cost_a_tap_each(evening, taps):
    taps(ruling_link(evening))
    taps(press(evening, "Meld"))
    for text in ("5H", "AS", "7H"):
        taps(card(evening, text))
    taps(press(evening, "Ben"))
    expect(evening.locator("h1")).to_contain_text("Had Ben already melded this turn?")
    taps(press(evening, "Yes"))
    verdict(evening, "Legal")  # only the 6♥ fits between
    assert taps.count == 3 + 3 + 1
    evening.goto(evening.url.partition("/rulings")[0])
    taps.count = 0
    taps(ruling_link(evening))
    taps(evening.locator("#player label", has_text="Ben"))
    taps(press(evening, "Lay-off"))
    taps(card(evening, "AD"))
    taps(press(evening, re.compile("^Rule on")))
    expect(evening.locator(".says")).to_contain_text("say which card A♦ stands for")
    taps(press(evening, re.compile("8 of hearts")))
    verdict(evening, "Legal")
    assert taps.count == 1 + 3 + 1 + 1  # the card, the budget, the player, the choice


def test_a_swap_costs_four_taps(evening, taps):
    game = evening.url
    evening.goto(f"{game}/ruling?ask=meld&player=1")
    for text in ("5H", "AS", "7H"):
        card(evening, text).tap()
    press(evening, re.compile("^Rule on")).tap()
    press(evening, "Yes").tap()
    verdict(evening, "Legal")
    evening.goto(game)
    taps(ruling_link(evening))
    taps(press(evening, "Swap"))
    taps(evening.locator("#player label", has_text="Chandi"))
    taps(press(evening, re.compile("6 of hearts for the Ace of spades", re.IGNORECASE)).first)
    verdict(evening, "Legal")
    assert taps.count == 4


def test_one_tap_charges_and_takes_the_turn_back(evening, taps):
    game = evening.url
    pile(evening, "5C", "7C")
    evening.goto(f"{game}/ruling?ask=discard&player=1")
    card(evening, "6C").tap()
    verdict(evening, "Illegal")
    charge = press(evening, "Charge Ben 20 and take the turn back")
    expect(charge).to_be_in_viewport()
    taps(charge)
    expect(evening.locator(".notice.good")).to_contain_text(
        "20 points to Ben (PRO-13.2). Ben's turn is taken back. Chandi plays next."
    )
    expect_hand_page(evening)
    # A second look at it: the browser's way back leads to a ruling that is settled.
    evening.go_back()
    evening.reload()
    expect(evening.locator(".notice.good")).to_contain_text("Carried out by")
    assert taps.count == 1


def test_a_whole_turn_is_put_together_by_tapping(evening):
    game = evening.url
    evening.goto(f"{game}/ruling")
    press(evening, re.compile("A whole turn")).tap()
    for text in ("4D", "5D", "6D"):
        card(evening, text).tap()
    press(evening, "Meld").tap()
    expect(evening.locator(".steps li")).to_have_count(1)
    card(evening, "7D").tap()
    press(evening, "Lay off on meld 1").tap()
    expect(evening.locator(".steps li")).to_have_count(2)
    card(evening, "KS").tap()
    press(evening, "Discard").tap()
    press(evening, "Rule on the turn").tap()
    evening.locator("#player label", has_text="Ben").tap()
    press(evening, "Rule on the turn").tap()
    press(evening, "The pile was empty").tap()
    verdict(evening, "Legal")
    expect(evening.locator(".played")).to_have_count(3)


def test_a_penalty_costs_three_taps(evening, taps):
    taps(evening.get_by_role("link", name="Penalty"))
    taps(evening.locator("#player label", has_text="Ewa"))
    taps(press(evening, re.compile("^Touched stock or pile")))
    expect(evening.locator(".notice.good")).to_contain_text(
        "20 points to Ewa: Touched stock or pile (PRO-13.3)."
    )
    expect_hand_page(evening)
    assert taps.count == 3


def test_every_dispute_can_be_settled_without_scripts(chromium, server):
    context = chromium.new_context(java_script_enabled=False, **MOBILE)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.house)
    page.goto(f"{server.address}/games/new")
    for row, name in enumerate(("Ana", "Ben")):
        page.locator('[name="name"]').nth(row).fill(name)
    page.locator(".actions button").last.tap()
    expect_hand_page(page)
    game = page.url
    page.get_by_role("link", name="Ruling", exact=True).tap()
    press(page, "Meld").tap()
    for text in ("8D", "9D", "TD"):
        page.locator(f'input[value="{text}"]').check()
    press(page, "Ben").tap()
    verdict(page, "Legal")
    page.goto(f"{game}/ruling?ask=discard&player=1")
    page.locator('button[name="cards"][value="6C"]').tap()
    page.locator('button[name="top"][value="6D"]').tap()
    verdict(page, "Illegal", "PRO-11")
    press(page, "Charge Ben 20 and take the turn back").tap()
    expect(page.locator(".notice.good")).to_contain_text("20 points to Ben")
    page.goto(f"{game}/table")
    page.locator('#play [name="player"]').first.check()
    page.locator('#play input[value="2H"]').check()
    press(page, "Discard").tap()
    expect(page.locator(".notice.good")).to_contain_text("Discard 2♥")
    page.goto(f"{game}/penalty")
    page.locator('[name="player"]').first.check()
    press(page, re.compile("^Wrong discard")).tap()
    expect(page.locator(".notice.good")).to_contain_text("20 points to Ana")
    context.close()


def test_a_ruling_can_be_asked_for_by_keyboard(evening):
    evening.goto(f"{evening.url}/ruling?ask=meld&player=1")
    ready(evening)
    for text in ("8D", "9D", "TD"):
        box = evening.locator(f'input[value="{text}"]')
        box.focus()
        box.press("Space")
    evening.locator('input[value="TD"]').press("Enter")
    verdict(evening, "Legal")


def test_every_page_of_a_dispute_fits_the_phone_and_can_be_read(phone, server):
    begin(phone, server, *LONG)
    game = phone.url
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        ready(phone)
        found = barriers_in_any_light(phone)
        if found:
            wrong[name] = found

    phone.goto(f"{game}/ruling?ask=meld&player=1")
    for text in ("AH", "AD", "KC"):
        card(phone, text).tap()
    phone.locator(".actions button").tap()
    expect(phone.locator(".facts")).to_be_visible()
    look("what decides")
    press(phone, "Yes").tap()
    expect(phone.locator(".verdict.open")).to_be_visible()
    look("reading")
    phone.locator("button[name=reading]").nth(1).tap()
    expect(phone.locator(".verdict.legal")).to_be_visible()
    look("legal")
    for kind in ("lay_off", "swap", "turn", "discard"):
        phone.goto(f"{game}/ruling?ask={kind}&player=1")
        look(kind)
    card(phone, "6C").tap()
    expect(phone.locator("#top")).to_be_visible()
    look("top of the pile")
    card(phone, "7C").tap()
    expect(phone.locator("#under")).to_be_visible()
    look("under it")
    card(phone, "5C").tap()
    expect(phone.locator(".verdict.illegal")).to_be_visible()
    look("illegal")
    phone.goto(f"{game}/table")
    look("table")
    for text in ("2C", "9H", "4S"):
        card(phone, text).tap()
    phone.locator(".actions button.wide").tap()
    expect(phone.locator(".summary")).to_be_visible()
    look("table refused")
    phone.goto(f"{game}/penalty")
    phone.locator("button[name=rule]").first.tap()
    expect(phone.locator(".summary")).to_be_visible()
    look("penalty refused")
    assert wrong == {}
