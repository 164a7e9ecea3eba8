"""What a dispute costs a thumb. Hand 1: aces are wild; Ana deals and Ben plays first."""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import barriers_in_any_light
from tests.browser.conftest import begin, begun, pocket_in, ready, visit
from tests.browser.sending import listed, send
from tests.browser.test_taps_end import LONG
from tests.browser.thumb import card, press, ruling_link, tap_cards, verdict, whose

pytestmark = pytest.mark.browser


def discard(page: Page, game: str, seat: str, text: str) -> None:
    """Put a discard on record."""
    send(page, f"{game}/table", [("player", seat), ("cards", text), ("add", "discard")])


def test_a_ruling_on_a_discard_costs_four_taps_or_three(evening, taps):
    game = evening.url
    for seat, text in (("4", "5C"), ("0", "7C")):  # Ana's before Ben plays
        discard(evening, game, seat, text)
    visit(evening, game)
    taps(ruling_link(evening))
    taps(whose(evening, "Ben"))
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
    # One more tap charges it and takes the turn back.
    charge = press(evening, "Charge Chandi 20 and take the turn back")
    expect(charge).to_be_in_viewport()
    charge.tap()
    expect(evening.locator(".notice.good")).to_contain_text(
        "20 points to Chandi (PRO-13.2). Chandi's turn is taken back. Dee plays next."
    )
    expect(evening.get_by_role("link", name="End the hand")).to_be_visible()


class Budget(NamedTuple):
    """What is tapped, one after the other, how often, and what is then ruled.

    A step is a ``link``, a ``button``, a ``player`` of the form, ``cards``, or a place ``at`` a
    selector; ``reads`` is what the page must say by then. ``before`` are melds of Ben on record,
    and everybody's discards after them, so that it is Ben's turn again.
    """

    steps: tuple[str, ...]
    taps: int
    rules: tuple[str, ...]
    game: str = "proter"
    before: tuple[str, ...] = ()


R = "link Ruling"
MET = ("reads Had Ben met the contract?", "button In an earlier turn")
BUDGETS = {
    # A discard: four taps.
    "an unknown pile costs a tap a card": Budget(
        (
            *(R, "player Ben", "button Discard", "cards 6C"),
            *("reads What was on top of the pile", "cards 7C", "reads What lay under", "cards 5C"),
        ),
        4 + 2,
        ("Illegal", "PRO-12"),
    ),
    "a card just taken from the pile": Budget(  # the card turned up comes first
        (
            *("at #turned button[value='8']", R, "player Ben", "button Discard", "cards 5C"),
            *("reads Had Ben just taken 5♣ from the pile", "button Yes"),
        ),
        1 + 4 + 1,
        ("Illegal", "IND-6"),
        "indian_rummy",
    ),
    # A meld or a lay-off: its cards and three taps; what decides, a tap each.
    "a meld with a wild card": Budget(  # only the 6♥ fits between
        (
            *(R, "button Meld", "cards 5H AS 7H", "button Ben"),
            *("reads Had Ben already melded this turn?", "button Yes"),
        ),
        3 + 3 + 1,
        ("Legal",),
    ),
    "a lay-off with a wild card": Budget(  # the player, and the choice
        (
            *(R, "player Ben", "button Lay-off", "cards AD", "at .actions button.wide"),
            *("reads can be read in 2 ways", "at button:has([aria-label*='8 of hearts'])"),
        ),
        1 + 3 + 1 + 1,
        ("Legal",),
        before=("5H 6H 7H",),
    ),
    "a lay-off on one of several melds": Budget(  # KAL-1: hand 1 asks for three threes
        (R, "button Lay-off", "cards 5S", "at #onto label", "button Ben", *MET),
        1 + 1 + 3 + 1,
        (r"\bLegal",),
        "kalooki",
        ("5C 5D 5H", "9S 9H 9D", "KC KD KS"),
    ),
    "a swap": Budget(
        (R, "button Swap", "player Chandi", "at button[name=swap][value='6H 0']"),
        4,
        ("Legal",),
        before=("5H AS=6H 7H",),
    ),
    # CAR-3: hand 2 asks for a trio and an escalera; CAR-6: both ends of 4 … 7 are open.
    "a joker that moves": Budget(
        (
            *(R, "button Swap", "player Ben", "at #contract label:has-text('In an earlier turn')"),
            "at button[name=swap][value='5S 1 high']",
        ),
        3 + 2,
        (r"\bLegal",),
        "carioca",
        ("hand 2", "5C 5D 5H", "4S XX 6S 7S"),
    ),
    # First melds: one tap more for each further meld.
    "first melds": Budget(
        (
            *(R, "button First melds", "cards 5C 5C 5D", "button Next meld"),
            *("cards KS KH XX", "button Ben"),
        ),
        6 + 3 + 1,
        (r"\bLegal",),
        "carioca",
    ),
    # CON-9: it is Ben's turn, and Chandi sits at his left.
    "who gets an upcard": Budget(
        (
            *(R, "button May I?", "player Ben", "at #asked label:has-text('Ana')"),
            *("at #asked label:has-text('Chandi')", "at #last_taker label:has-text('Nobody')"),
            "button Who gets the card?",
        ),
        4 + 2 + 1,
        ("Chandi",),
        "contract_rummy",
    ),
    "whether cards make the contract": Budget(
        (
            "link Can these cards make the contract?",
            *("cards 5C 5D 5H KS KH XX 2D 3D 7C 9S", "button Check"),
        ),
        10 + 2,
        ("Yes",),
        "contract_rummy",
    ),
    "a call": Budget(
        (
            *(R, "button Call", "at #turn label:has-text('Ana')", "button Ben"),
            *("reads Had Ben already melded in this hand?", "button No"),
            *("reads How many calls of Ben succeeded in this hand, before this one?", "button 0"),
        ),
        4 + 2,
        ("Legal", "KAL-4"),
        "kalooki",
    ),
    "a draw from inside the pile": Budget(  # the 7 is in the meld from the start
        (
            *(R, "button Draw from the pile", "cards 7C", "cards KD", "button These do"),
            *("cards 5C 6C", "button Ben", "button In an earlier turn"),
        ),
        (2 + 2) + 4 + 1,
        ("Legal", "CON-9"),
        "contract_rummy gamerules",
    ),
}


def prepared(phone: Page, game: str, before: tuple[str, ...]) -> None:
    """Put melds of Ben on record, and everybody's discards, in hand 1 or 2."""
    for meld in before:
        if meld == "hand 2":
            send(phone, f"{game}/end", [("out", "0"), ("cards-1", "2C"), ("cards-2", "2D")])
        else:
            laid = [("player", "1"), *listed("cards", meld), ("add", "meld")]
            send(phone, f"{game}/table", laid)
    for seat, text in (("1", "JC"), ("2", "QC"), ("0", "2H")):
        discard(phone, game, seat, text)
    visit(phone, game)


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_ruling_costs_no_more_taps_than_this(phone, server, taps, budget):
    steps, cost, rules, game, before = BUDGETS[budget]
    name, _, sheet = game.partition(" ")
    visit(phone, begun(phone, server, ("Ana", "Ben", "Chandi"), name, sheet=sheet))
    if before:
        prepared(phone, phone.url, before)
    for step in steps:
        kind, _, what = step.partition(" ")
        if kind == "reads":
            expect(phone.locator("main")).to_contain_text(what)
        elif kind == "cards":
            tap_cards(phone, what, taps)
        else:
            places = {
                "link": lambda what: phone.get_by_role("link", name=what, exact=True),
                "button": lambda what: press(phone, what),
                "player": lambda what: whose(phone, what),
                "at": lambda what: phone.locator(what).first,
            }
            taps(places[kind](what))
            ready(phone)
    if "May I?" in str(steps):
        expect(phone.locator(".verdict")).to_contain_text(*rules)
    else:
        verdict(phone, *rules)
    assert taps.count == cost
    if budget == "a call":
        press(phone, "Ben got it: note it").tap()
        expect(phone.locator(".notice.good")).to_have_text("Ben: call 1 of 3.")


def test_answering_for_a_card_removes_its_error(phone, server):
    begin(phone, server, "Ana", "Ben", "Chandi", game="contract_rummy")
    visit(phone, f"{phone.url}/may-i")
    press(phone, "Who gets the card?").tap()
    errors = phone.locator(".summary li")
    expect(errors).to_have_count(3)
    for place, left in (("asked", 2), ("player", 1)):
        phone.locator(f"#{place} label", has_text="Ben").tap()
        expect(phone.locator(f"#{place}-error")).to_have_count(0)
        expect(errors).to_have_count(left)
    phone.locator("#last_taker label", has_text="Nobody").tap()
    expect(phone.locator(".error, .summary")).to_have_count(0)


def test_a_dispute_is_settled_and_a_hand_marked_without_scripts(phone, chromium, server):
    game = begin(phone, server, "Ana", "Ben").url
    cookies = phone.context.storage_state()
    context = pocket_in(chromium, java_script_enabled=False, storage_state=cookies)
    page = context.new_page()
    page.goto(game)
    ruling_link(page).tap()
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
    page.get_by_role("link", name="End the hand").tap()
    page.get_by_label("Ana", exact=True).check()
    page.locator('#cards-1 input[value="KC"]').check()
    press(page, "Work it out").tap()
    expect(page.locator("#sums")).to_contain_text("13 in 1 card")
    expect(page.locator('#cards-1 input[value="KC"]')).to_be_checked()
    press(page, "Save").tap()
    expect(page.locator("h1")).to_contain_text("Hand 2")
    page.goto(f"{game}/tally")
    expect(page.get_by_text("To print, choose “Print”")).to_be_visible()
    expect(page.locator("[data-print]")).to_be_hidden()
    context.close()


def test_a_ruling_can_be_asked_for_by_keyboard(evening):
    visit(evening, f"{evening.url}/ruling?ask=meld&player=1")
    for text in ("8D", "9D", "TD"):
        box = evening.locator(f'input[value="{text}"]')
        box.focus()
        box.press("Space")
    evening.locator('input[value="TD"]').press("Enter")
    verdict(evening, "Legal")


# Of pages that answer a form: where it is, what is tapped, and what is there then. The others have
# addresses: test_every_page.py looks at them.
ANSWERS = (
    ("/ruling?ask=meld&player=1", "AH AD KC", ".actions button", ".facts"),
    ("", "", ".facts button >> text=Yes", ".verdict.open"),
    ("", "", "button[name=reading] >> nth=1", ".verdict.legal"),
    ("/ruling?ask=discard&player=1", "6C", "", "#top"),
    ("", "7C", "", "#under"),
    ("", "5C", "", ".verdict.illegal"),
    ("/table", "2C 9H 4S", ".actions button.wide", ".summary"),
    ("/penalty", "", "button[name=rule] >> nth=0", ".summary"),
)


def test_every_answer_to_a_dispute_fits_the_phone_and_can_be_read(phone, server):
    game = begin(phone, server, *LONG).url
    wrong: dict[str, list[str]] = {}
    for path, cards, button, there in ANSWERS:
        if path:
            visit(phone, game + path)
        tap_cards(phone, cards)
        if button:
            phone.locator(button).tap()
        expect(phone.locator(there)).to_be_visible()
        ready(phone)
        if found := barriers_in_any_light(phone):
            wrong[f"{path} {there}"] = found
    assert wrong == {}


# -- the rules at the table -----------------------------------------------------------------------


def test_a_rule_is_found_by_typing_its_words(evening):
    visit(evening, f"{evening.url}/rules")
    evening.get_by_text("Often disputed").tap()
    assert barriers_in_any_light(evening) == []
    announced = evening.locator("#found").element_handle()
    evening.get_by_role("searchbox").press_sequentially("lay-off claim")
    expect(evening.locator("#found .notice")).to_contain_text("No rule has all of")
    assert "No rule" in announced.inner_text()  # the same element: a new one is not read out
    evening.get_by_role("searchbox").fill("proter in hand")
    evening.locator("#found a", has_text="PRO-13.4 Proter in hand").tap()
    expect(evening).to_have_url(re.compile("#PRO-13.4$"))
    expect(evening.locator("[id='PRO-13.4']")).to_be_in_viewport()
