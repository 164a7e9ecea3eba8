"""What a dispute costs a thumb in the games with contracts, jokers, and cards declared at once.

A ruling on a meld may cost its cards and three taps, one on a discard four. Ana deals, and Ben
plays first.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, Taps, begin, ready
from tests.browser.sending import listed, send
from tests.browser.test_taps_rulings import card, press, ruling_link, verdict

pytestmark = pytest.mark.browser


def begun(phone: Page, server: Server, game: str, taps: Taps) -> str:
    """The address of a new game, open at its first hand with nothing tapped yet."""
    begin(phone, server, "Ana", "Ben", "Chandi", game=game)
    assert taps.count == 0
    return phone.url


def tapped(phone: Page, taps: Taps, cards: str) -> None:
    """Tap cards of the grid; one that is there several times is tapped so often."""
    for text in cards.split():
        taps(card(phone, text))


def laid(phone: Page, game: str, *melds: str) -> None:
    """Put melds of Ben on record, and everybody's discards, so that it is Ben's turn again."""
    for meld in melds:
        send(phone, f"{game}/table", [("player", "1"), *listed("cards", meld), ("add", "meld")])
    for seat, discard in (("1", "JC"), ("2", "QC"), ("0", "2H")):
        send(phone, f"{game}/table", [("player", seat), ("cards", discard), ("add", "discard")])
    phone.goto(game)
    ready(phone)


@pytest.mark.parametrize("game", ["carioca", "contract_rummy"])
def test_first_melds_cost_their_cards_three_taps_and_one_more_for_each_further_meld(
    phone, server, taps, game
):
    begun(phone, server, game, taps)
    taps(ruling_link(phone))
    taps(press(phone, "First melds"))
    tapped(phone, taps, "5C 5C 5D")
    taps(press(phone, "Next meld"))
    ready(phone)
    tapped(phone, taps, "KS KH XX")
    taps(press(phone, "Ben"))
    verdict(phone, r"\bLegal")
    assert taps.count == 6 + 3 + 1


def test_a_lay_off_costs_its_card_its_meld_and_three_taps(phone, server, taps):
    game = begun(phone, server, "kalooki", taps)
    laid(phone, game, "5C 5D 5H", "9S 9H 9D", "KC KD KS")  # KAL-1: hand 1 asks for three threes
    taps(ruling_link(phone))
    taps(press(phone, "Lay-off"))
    tapped(phone, taps, "5S")
    taps(phone.locator("#onto label").first)
    taps(press(phone, "Ben"))
    asks = "Had Ben met the contract?"  # melds of his are on record, and no contract
    expect(phone.locator("h1")).to_contain_text(asks)
    taps(press(phone, "In an earlier turn"))
    verdict(phone, r"\bLegal")
    assert taps.count == 1 + 1 + 3 + 1


def test_a_joker_that_moves_costs_three_taps_whose_it_was_and_the_contract(phone, server, taps):
    game = begun(phone, server, "carioca", taps)
    send(phone, f"{game}/end", [("out", "0"), ("cards-1", "2C"), ("cards-2", "2D")])
    # CAR-3: hand 2 asks for a trio and an escalera; CAR-6: both ends of 4 … 7 are open.
    laid(phone, game, "5C 5D 5H", "4S XX 6S 7S")
    taps(ruling_link(phone))
    taps(press(phone, "Swap"))
    taps(phone.locator("#player label", has_text="Ben"))
    taps(phone.locator("#contract label", has_text="In an earlier turn"))
    taps(phone.locator("button[name=swap][value='5S 1 high']"))
    verdict(phone, r"\bLegal")
    assert taps.count == 3 + 2


def test_a_joker_that_is_thrown_away_costs_four_taps(phone, server, taps):
    begun(phone, server, "kalooki", taps)
    taps(ruling_link(phone))
    taps(phone.locator("#player label", has_text="Ben"))
    taps(press(phone, "Discard"))
    taps(card(phone, "XX"))
    verdict(phone, "Illegal", "KAL-7")
    assert taps.count == 4


def test_who_gets_an_upcard_costs_four_taps_and_who_asked(phone, server, taps):
    begun(phone, server, "contract_rummy", taps)
    taps(ruling_link(phone))
    taps(press(phone, "May I?"))
    taps(phone.locator("#player label", has_text="Ben"))
    for name in ("Ana", "Chandi"):
        taps(phone.locator("#asked label", has_text=name))
    taps(press(phone, "Who gets the card?"))
    # CON-9: it is Ben's turn, and Chandi sits at his left.
    expect(phone.locator(".verdict")).to_contain_text("Chandi")
    assert taps.count == 4 + 2


def test_whether_a_player_may_call_costs_four_taps_and_one_for_what_is_not_on_record(
    phone, server, taps
):
    begun(phone, server, "kalooki", taps)
    taps(ruling_link(phone))
    taps(press(phone, "Call"))
    taps(phone.locator("#turn label", has_text="Ana"))
    taps(phone.locator("#player button", has_text="Ben"))
    expect(phone.locator("h1")).to_contain_text("Had Ben already melded in this hand?")
    taps(press(phone, "No"))
    verdict(phone, "Legal", "KAL-4")
    assert taps.count == 4 + 1
    press(phone, "Ben got it: note it").tap()
    expect(phone.locator(".notice.good")).to_have_text("Ben: call 1 of 3.")


def test_a_draw_from_inside_the_pile_costs_its_cards_four_taps_and_one_for_the_contract(
    phone, server, taps
):
    fields = [("game", "contract_rummy"), ("sheet", "gamerules"), *listed("name", "Ana Ben Cem")]
    phone.goto(send(phone, f"{server.address}/games/new", fields))
    ready(phone)
    taps(ruling_link(phone))
    taps(press(phone, "Draw from the pile"))
    taps(card(phone, "7C"))
    taps(card(phone, "KD"))
    taps(press(phone, "These do"))
    for text in ("5C", "6C"):  # the 7 is in the meld from the start
        taps(card(phone, text))
    taps(press(phone, "Ben"))
    taps(press(phone, "In an earlier turn"))
    verdict(phone, "Legal", "CON-9")
    assert taps.count == (2 + 2) + 4 + 1


def test_whether_cards_make_the_contract_costs_the_cards_and_two_taps(phone, server, taps):
    begun(phone, server, "contract_rummy", taps)
    taps(phone.get_by_role("link", name="Can these cards make it?"))
    ready(phone)
    tapped(phone, taps, "5C 5D 5H KS KH XX 2D 3D 7C 9S")
    taps(press(phone, "Can they?"))
    expect(phone.locator("main")).to_contain_text("Yes")
    assert taps.count == 10 + 2


def test_the_card_turned_up_costs_a_tap_and_a_declaration_its_cards_and_three(phone, server, taps):
    begun(phone, server, "indian_rummy", taps)
    taps(phone.locator("#turned button[value='8']"))
    expect(phone.locator(".notice.good")).to_be_visible()
    ready(phone)
    assert taps.count == 1
    taps(ruling_link(phone))
    taps(phone.locator("#ask button[value=declare]"))
    ready(phone)
    # IND-5: two clean sequences, one with a joker, and a set of aces.
    tapped(phone, taps, "3S 4S 5S 6H 7H 8H 9C TC XX QC AD AS AC")
    taps(press(phone, "Ben"))
    verdict(phone, r"\bLegal")
    assert taps.count == 1 + 13 + 3
