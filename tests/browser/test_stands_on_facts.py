"""No ruling rests on what nobody stated. Hand 1; Ana deals, Ben plays first."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import begin, ready

pytestmark = pytest.mark.browser


def card(page: Page, text: str) -> Locator:
    return page.locator(f'.c:has([value="{text}"]), button.c[value="{text}"]').first


def press(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name, exact=isinstance(name, str)).last


def whose(page: Page, name: str) -> Locator:
    return page.locator("#player label", has_text=name)


def asks(page: Page, question: str) -> None:
    expect(page.locator("h1")).to_have_text(re.compile(question))
    expect(page.locator(".verdict")).to_have_count(0)


def rules(page: Page, word: str, *says: str) -> None:
    expect(page.locator(".verdict .word")).to_have_text(re.compile(word))
    for sentence in says:
        expect(page.locator("main")).to_contain_text(sentence)


def open_ruling(page: Page, game: str) -> None:
    page.goto(game)
    ready(page)
    page.get_by_role("link", name="Ruling", exact=True).tap()


def discard(page: Page, game: str, player: str, text: str) -> None:
    """Ask about a discard."""
    open_ruling(page, game)
    if player:
        whose(page, player).tap()
    press(page, "Discard").tap()
    card(page, text).tap()


def test_a_pile_on_which_others_have_discarded_since_charges_nobody(evening):
    game = evening.url
    discard(evening, game, "Ben", "2C")
    press(evening, "The pile was empty").tap()
    rules(evening, "Legal", "2♣ may be discarded", "The pile was empty", "as you said")
    # Chandi plays directly after Ben: the record is sure for her, and for nobody else.
    discard(evening, game, "Dee", "2D")
    asks(evening, "What was on top of the pile before 2♦")
    expect(press(evening, re.compile("as recorded"))).to_be_visible()
    card(evening, "9S").tap()
    rules(evening, "Legal", "Top of the pile: 9♠", "as you said")
    expect(evening.get_by_text("20 points")).to_have_count(0)
    # It was the 2♠ after all: one tap takes the old ruling out of the way.
    evening.get_by_role("link", name=re.compile("^Change")).tap()
    card(evening, "2S").tap()
    rules(evening, "Illegal", "20 points to Dee (PRO-13.2)", "Top of the pile: 2♠")
    expect(evening.locator(".rulewords")).to_contain_text("No card may be discarded on one of its")
    evening.goto(f"{game}/rulings")
    expect(evening.locator(".list .item")).to_have_count(2)


def test_a_pile_that_nobody_knows_gives_no_ruling(evening):
    game = evening.url
    discard(evening, game, "Ben", "2C")
    asks(evening, "What was on top of the pile")
    evening.get_by_role("link", name="Nobody knows: no ruling").tap()
    expect(evening.get_by_role("link", name="End the hand")).to_be_visible()
    expect(evening.get_by_text("20")).to_have_count(0)


def test_a_player_is_preselected_only_where_the_record_leaves_no_doubt(evening):
    game = evening.url
    open_ruling(evening, game)
    expect(evening.locator("#player input:checked")).to_have_count(0)
    press(evening, "Discard").tap()
    card(evening, "2C").tap()
    expect(evening.locator(".summary")).to_contain_text("Say whose play it was.")
    whose(evening, "Ben").tap()
    press(evening, "Rule on 2♣").tap()
    press(evening, "The pile was empty").tap()
    rules(evening, "Legal")
    open_ruling(evening, game)
    expect(whose(evening, "Chandi").locator("input")).to_be_checked()
    press(evening, "Discard").tap()
    card(evening, "2D").tap()
    rules(evening, "Illegal", "20 points to Chandi", "recorded when Ben discarded")
    # It is not known who plays before the ruling is carried out.
    open_ruling(evening, game)
    expect(evening.locator("#player input:checked")).to_have_count(0)
    evening.go_back()
    evening.go_back()
    evening.goto(f"{game}/rulings")
    evening.locator(".list .item").first.tap()
    press(evening, "Charge Chandi 20 and take the turn back").tap()
    expect(evening.locator(".notice.good")).to_contain_text("20 points to Chandi")
    open_ruling(evening, game)
    expect(whose(evening, "Dee").locator("input")).to_be_checked()


def test_a_meld_that_lies_there_is_named_inside_the_question(evening):
    game = evening.url
    open_ruling(evening, game)
    press(evening, "Lay-off").tap()
    expect(evening.locator("main")).to_contain_text("No meld is on record.")
    for text in ("5C", "6C", "7C"):
        card(evening, text).tap()
    press(evening, "It lies there").tap()
    expect(evening.locator("#onto input:checked")).to_have_count(1)
    card(evening, "8C").tap()
    press(evening, "Dee").tap()
    rules(evening, "Legal", "Added to the record.")
    evening.goto(f"{game}/table")
    expect(evening.locator("[data-melds-list]")).to_contain_text("8")
    # The meld is nobody's: whether Dee laid one is still asked when the hand ends.
    evening.goto(f"{game}/end?out=0")
    ready(evening)
    evening.locator(".chip", has_text="Dee").tap()
    for text in ("KD", "QD", "TD", "9D", "4D", "2D"):
        evening.locator(f'[id="cards-3"] label:has(input[value="{text}"])').tap()
    expect(evening.get_by_text(re.compile("meld", re.IGNORECASE)).first).to_be_visible()


def test_a_lone_meld_is_not_the_contract(phone, server):
    begin(phone, server, "Ana", "Ben", "Chidi", game="kalooki")
    game = phone.url
    open_ruling(phone, game)
    expect(phone.locator("#ask .tile").first).to_have_text("First melds")
    press(phone, "Further meld").tap()
    expect(phone.get_by_text("Had the player met the contract?")).to_be_visible()
    for text in ("8C", "8D", "8H"):
        card(phone, text).tap()
    press(phone, "Ben").tap()
    asks(phone, "Had Ben met the contract")
    press(phone, "Not yet").tap()
    rules(phone, "Illegal", "KAL-3", "Ben had not met the contract")
    phone.get_by_role("link", name=re.compile("^Change")).tap()
    press(phone, "In an earlier turn").tap()
    rules(phone, "Legal", "Ben had met the contract in an earlier turn", "as you said")
    # A meld of a player who said so does not make the record say that the contract was met.
    open_ruling(phone, game)
    press(phone, "Lay-off").tap()
    card(phone, "8S").tap()
    press(phone, "Ben").tap()
    asks(phone, "Had Ben met the contract")


def test_a_false_pay_me_says_how_many_cards_are_in_no_meld(phone, server):
    begin(phone, server, "Ana", "Ben", "Chidi", game="pay_me")
    game = phone.url
    open_ruling(phone, game)
    expect(phone.get_by_role("button", name="Discard")).to_have_count(0)
    press(phone, re.compile("^Pay me!")).tap()
    for text in ("5C", "6C", "9C", "KD"):  # three cards dealt and one drawn (PAY-8)
        card(phone, text).tap()
    press(phone, "Ben").tap()
    rules(phone, "Illegal", "4 cards would be in no meld", "PAY-7")
    phone.goto(f"{game}/ruling?ask=declare&player=1")
    for text in ("5C", "6C", "7C", "KD"):
        card(phone, text).tap()
    press(phone, "Rule on it").tap()
    rules(phone, "Legal", "K♦ is discarded")
    phone.get_by_role("link", name="End the hand with it").tap()
    expect(phone.locator('input[name="out"]:checked')).to_have_value("1")


def test_a_discard_is_judged_by_whether_it_was_just_drawn(phone, server):
    begin(phone, server, "Ana", "Ben", "Chidi", game="indian_rummy")
    game = phone.url
    discard(phone, game, "Ben", "KH")
    asks(phone, "Had Ben just taken K♥ from the pile")
    press(phone, "Yes").tap()
    rules(phone, "Illegal", "IND-6", "Ben had just taken that card from the pile")
    press(phone, re.compile("^Change")).tap()
    rules(phone, "Legal", "Ben had not just taken that card from the pile")


def test_a_discard_of_the_wrong_player_is_charged_to_the_other_and_to_nobody_else(evening):
    game = evening.url
    discard(evening, game, "Ana", "TH")
    card(evening, "TD").tap()
    rules(evening, "Illegal", "20 points to Ana", "Who plays: Ana")
    old = evening.url
    evening.locator("summary", has_text="Who plays").tap()
    press(evening, "Ben").tap()
    rules(evening, "Illegal", "20 points to Ben", "Top of the pile: 10♦", "Who plays: Ben")
    # The long way round keeps the card and the pile too.
    evening.get_by_role("link", name="Ask again with changes").tap()
    evening.get_by_role("link", name="Not Ben, or no discard").tap()
    whose(evening, "Chandi").tap()
    press(evening, "Discard").tap()
    press(evening, "Rule on 10♥").tap()
    press(evening, "Charge Chandi 20 and take the turn back").tap()
    expect(evening.locator(".notice.good")).to_contain_text("20 points to Chandi")
    evening.goto(old)
    expect(evening.locator("main")).to_contain_text("This ruling was replaced.")
    expect(press(evening, re.compile("^Charge"))).to_have_count(0)
    evening.goto(f"{game}/rulings")
    expect(evening.locator(".list .item")).to_have_count(1)


def in_sight(page: Page, *places: Locator) -> None:
    """Nothing has to be scrolled for: each place is above the buttons at the bottom, and whole."""
    dock = page.locator(".dock").bounding_box()
    assert dock is not None
    for place in places:
        box = place.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= box["y"] + box["height"] <= dock["y"], place


def test_the_verdict_its_facts_and_the_charge_are_in_sight_together(phone, server):
    def looks_right() -> None:
        ready(phone)
        phone.set_viewport_size({"width": 360, "height": 640})
        facts = phone.locator(".rests li, .rest > summary")
        assert facts.count() == 2
        changes = facts.locator(".btn", has_text="Change")
        in_sight(phone, phone.locator(".verdict"), *facts.all(), *changes.all())
        assert all((one.bounding_box() or {})["height"] >= 44 for one in changes.all())
        phone.set_viewport_size({"width": 640, "height": 360})
        in_sight(phone, *phone.locator(".verdict :is(.word, .ruleno), .rests li").all())
        phone.set_viewport_size({"width": 360, "height": 640})

    begin(phone, server, "Ana", "Ben", "Chidi")
    discard(phone, phone.url, "Ana", "TH")
    card(phone, "TD").tap()
    rules(phone, "Illegal", "PRO-11")
    looks_right()
    phone.locator("summary", has_text="Who plays").tap()
    in_sight(phone, press(phone, "Ben"), press(phone, "Chidi"))
    begin(phone, server, "Ana", "Ben", "Chidi", game="carioca")
    open_ruling(phone, phone.url)
    press(phone, "Lay-off").tap()
    for text in ("8C", "8D", "8H"):
        card(phone, text).tap()
    press(phone, "It lies there").tap()
    card(phone, "8S").tap()
    press(phone, "Ben").tap()
    press(phone, "Not yet").tap()
    rules(phone, "Illegal", "CAR-5")
    looks_right()
