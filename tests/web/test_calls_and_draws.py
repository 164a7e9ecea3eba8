"""Calls for the discard in Kalooki (KAL-4), draws from inside the pile in Contract Rummy (CON-9).

Ana deals; Ben, at Ana's left, plays first, then Chandi.
"""

import re
from random import Random
from urllib.parse import urlencode

import pytest
from flask import Flask

from companion.notebook.events import PlayRecorded
from tests.odd_input import ODD
from tests.web.asking import ANA, BEN, CHANDI, lay, ruling, text_of, the_book, write
from tests.web.conftest import Marker, begin, checked

NAMES = ("Ana", "Ben", "Chandi")
WHO = {"turn": ANA, "caller": BEN}
BENS_CALL = WHO | {"laid-1": "0"}


def opened(marker: Marker, address: str, status: int = 200, **fields: object) -> str:
    return marker.open(f"{address}?{urlencode(fields, doseq=True)}", status)


def change(page: str, says: str) -> str:
    """Where the button beside a fact leads."""
    address = re.search(rf'href="([^"]+)">Change<span class="vh">: {re.escape(says)}', page)
    assert address is not None, page
    return address[1].replace("&amp;", "&")


def verdict(page: str) -> str:
    return text_of(
        "<main" + page.partition('<section class="verdict')[2].partition("</section>")[0]
    )


# -- KAL-4: may a player call for the discard? -----------------------------------------------------


@pytest.fixture
def kalooki(marker: Marker) -> str:
    return begin(marker, NAMES, game="kalooki")


def asked(marker: Marker, game: str, fields: dict[str, str], **more: str) -> str:
    return opened(marker, f"{game}/call", **fields, **more)


def note(marker: Marker, game: str, fields: dict[str, str], to: str = "call") -> str:
    """Send the form that notes the call; the page that it leads to."""
    address = f"{game}/call?{urlencode(fields)}"
    page = marker.open(address)
    form = page.partition('<form id="note"')[2].partition("</form>")[0]
    assert f'action="{game}/{to}"' in form
    sent = re.findall(r'name="(\w+)" value="([^"]*)"', form)
    answer = marker.post(f"{game}/{to}", sent)
    assert answer.status_code == 303, answer.text
    return marker.open(answer.location)


def test_the_page_of_disputes_leads_to_the_call_and_the_draw(marker: Marker, kalooki: str) -> None:
    assert f'formaction="{kalooki}/call">Call</button>' in marker.open(f"{kalooki}/ruling")
    drawing = begin(marker, NAMES, game="contract_rummy", sheet="gamerules")
    page = marker.open(f"{drawing}/ruling")
    assert f'formaction="{drawing}/draw">Draw from the pile</button>' in page
    # The server answers these two: they are of no use on a page that is kept for later.
    for game in (kalooki, drawing):
        assert "formaction" not in marker.open(f"{game}/ruling?hand=2")


def test_whose_turn_it_is_comes_from_a_discard_that_was_ruled_on(
    marker: Marker, kalooki: str
) -> None:
    assert checked(marker.open(f"{kalooki}/call"), "turn") == []
    # Whose play it was is not whose turn it is: the caller may have been named.
    assert checked(marker.open(f"{kalooki}/call?player={BEN}"), "turn") == []
    ruling(marker, kalooki, "discard", BEN, cards="7C")
    assert checked(marker.open(f"{kalooki}/call"), "turn") == [CHANDI]
    assert "Had Ben laid anything in this hand?" in marker.open(f"{kalooki}/call?caller={BEN}")


def test_in_their_own_turn_players_do_not_call(marker: Marker, kalooki: str) -> None:
    page = asked(marker, kalooki, {"turn": BEN, "caller": BEN})
    assert "Illegal Ben calls in the turn of Ben In their own turn players draw" in verdict(page)
    assert "KAL-4" in verdict(page)
    assert "No points; nothing is taken back." in verdict(page)
    for absent in ("Had Ben laid", "Calls of Ben", "note it"):
        assert absent not in page


def test_a_call_depends_on_whether_the_caller_has_laid_anything(
    marker: Marker, kalooki: str
) -> None:
    page = asked(marker, kalooki, WHO)
    assert '<h1 class="short">Had Ben laid anything in this hand?</h1>' in page
    assert "verdict" not in page
    page = asked(marker, kalooki, WHO, **{"laid-1": "1"})
    assert "Illegal" in verdict(page)
    assert "Only a player who has laid nothing in the hand may call." in verdict(page)
    assert "Had Ana" not in page  # nobody has to let the card go
    assert "note it" not in page
    page = marker.open(change(page, "Ben had laid something in this hand"))
    assert "Legal: the player may call for the top of the pile." in verdict(page)
    assert "Ben had laid nothing in this hand as you said" in text_of(page)
    assert "Three calls a hand may succeed" in page  # the rule's own words


def test_the_refusal_depends_on_whether_the_player_at_turn_has_melded(
    marker: Marker, kalooki: str
) -> None:
    page = asked(marker, kalooki, BENS_CALL)
    unless = "Unless Ana has melded in this hand, Ana may refuse by taking the card; a refused call"
    assert unless in verdict(page)
    assert "The caller takes the card, and a penalty card from the stock." in verdict(page)
    assert "Had Ana melded in this hand?" in page
    page = asked(marker, kalooki, BENS_CALL, **{"laid-0": "1"})
    assert "The player whose turn it is has melded, and cannot refuse." in verdict(page)
    assert "Had Ana melded in this hand?" not in page
    page = marker.open(change(page, "Ana had melded in this hand"))
    assert "The player whose turn it is may refuse by taking the card" in verdict(page)
    assert "Ana had not melded in this hand as you said" in text_of(page)


def test_what_is_on_record_is_not_asked(marker: Marker, kalooki: str) -> None:
    lay(marker, kalooki, BEN, "5C", "5D", "5H")
    page = asked(marker, kalooki, WHO)
    assert "Only a player who has laid nothing in the hand may call." in verdict(page)
    assert "Ben had laid something in this hand on record" in text_of(page)
    # What was said goes before the record, which may be wrong.
    assert "Legal" in verdict(marker.open(change(page, "Ben had laid something in this hand")))
    page = asked(marker, kalooki, {"turn": BEN, "caller": ANA, "laid-0": "0"})
    assert "has melded, and cannot refuse" in verdict(page)
    assert "Ben had melded in this hand on record" in text_of(page)


def test_a_call_is_noted_with_one_button_and_counted(
    app: Flask, marker: Marker, kalooki: str
) -> None:
    assert "Calls of Ben that succeeded before: 0 on record" in text_of(
        asked(marker, kalooki, BENS_CALL)
    )
    for number in (1, 2, 3):
        page = note(marker, kalooki, BENS_CALL)
        assert f"Ben: call {number} of 3." in page
    assert the_book(app, marker, kalooki).sheet.hand.calls == [1, 1, 1]
    page = asked(marker, kalooki, BENS_CALL)
    says = verdict(page)
    assert "Illegal" in says
    assert "3 calls of this player succeeded before" in says
    assert "bending the table doubles nothing then. 50 points; nothing is taken back." in says
    assert "The caller takes the card, and a penalty card from the stock." in says
    assert "Charge Ben 50" in text_of(page)
    note(marker, kalooki, BENS_CALL, "penalty")
    hand = the_book(app, marker, kalooki).sheet.hand
    assert (len(hand.calls), hand.rules_charged(1)) == (3, ("KAL-4",))
    page = asked(marker, kalooki, BENS_CALL)
    assert "Calls of Ben that succeeded before: 4 on record" in text_of(page)
    # Another player's calls are others.
    page = asked(marker, kalooki, {"turn": ANA, "caller": CHANDI, "laid-2": "0"})
    assert "Calls of Chandi that succeeded before: 0 on record" in text_of(page)


def test_how_many_calls_succeeded_can_be_said(app: Flask, marker: Marker, kalooki: str) -> None:
    page = asked(marker, kalooki, BENS_CALL)
    page = marker.open(change(page, "Calls of Ben that succeeded before: 0"))
    assert "How many calls of Ben succeeded in this hand, before this one?" in page
    assert re.findall(r'name="calls-1" value="(\d)"', page) == ["0", "1", "2", "3"]
    page = asked(marker, kalooki, BENS_CALL, **{"calls-1": "2"})
    assert "Legal" in verdict(page)
    assert "Calls of Ben that succeeded before: 2 as you said" in text_of(page)
    page = asked(marker, kalooki, BENS_CALL, **{"calls-1": "99999"}, change="calls")
    assert len(re.findall(r'name="calls-1" value="\d+"', page)) < 30
    three = BENS_CALL | {"calls-1": "3"}
    assert "Illegal" in verdict(asked(marker, kalooki, three))
    note(marker, kalooki, three, "penalty")
    assert the_book(app, marker, kalooki).sheet.hand.rules_charged(1) == ("KAL-4",)
    assert "Calls of Ben that succeeded before: 4 on record" in text_of(
        asked(marker, kalooki, BENS_CALL)
    )


def test_a_fourth_free_call_is_not_noted(marker: Marker, kalooki: str) -> None:
    for _ in range(3):
        note(marker, kalooki, BENS_CALL)
    page = asked(marker, kalooki, BENS_CALL, **{"calls-1": "2"})
    assert "Legal" in verdict(page)
    assert "3 calls of Ben are on record, so that this one cannot be noted" in text_of(page)
    assert 'id="note"' not in page


def test_who_calls_and_whose_turn_it_is_must_be_said(marker: Marker, kalooki: str) -> None:
    page = opened(marker, f"{kalooki}/call", 422, caller=BEN)
    assert 'href="#turn">Say whose turn it is.' in page
    page = opened(marker, f"{kalooki}/call", 422, turn=ANA, **{"laid-1": "0", "calls-1": "2"})
    assert 'href="#caller">Tap who calls.' in page
    assert checked(page, "turn") == [ANA]
    assert 'name="laid-1" value="0"' in page
    assert 'name="calls-1" value="2"' in page


# -- CON-9: may a card be drawn from inside the pile? ----------------------------------------------


@pytest.fixture
def drawing(marker: Marker) -> str:
    """Hand 1 of the gamerules sheet: the contract is 2 sets (CON-3)."""
    return begin(marker, NAMES, game="contract_rummy", sheet="gamerules")


INSIDE = {"player": BEN, "card": "7C", "above": ["KD", "4H"]}


def drawn(marker: Marker, game: str, *melds: str, status: int = 200, **fields: object) -> str:
    """Ask about the 7 of clubs with the king and the four on it, and melds laid at once."""
    *first, last = melds or ("",)
    sent = {"rule": "1", "meld": first, "cards": last.split()} | INSIDE | fields
    return opened(marker, f"{game}/draw", status, **sent)


def test_the_card_is_asked_for_then_what_lies_above_it_then_the_melds(
    marker: Marker, drawing: str
) -> None:
    page = marker.open(f"{drawing}/draw?player={BEN}")
    assert "Which card is drawn from the pile?" in page
    assert checked(page, "player") == [BEN]
    assert '<button class="c" name="card" value="7C"' in page
    page = marker.open(f"{drawing}/draw?player={BEN}&card=7C")
    assert "What lies above 7♣?" in text_of(page)
    page = opened(marker, f"{drawing}/draw", 422, card="7C", next="1")
    assert 'href="#above">Tap the cards that lay above it, or say that none did.' in page
    page = opened(marker, f"{drawing}/draw", **INSIDE, next="1")
    assert "Which meld does 7♣ go into?" in text_of(page)
    assert 'data-card="7C" aria-label="7 of clubs, drawn"' in page
    assert 'data-card="KD" aria-label="king of diamonds, taken"' in page


def test_the_top_card_alone_needs_no_meld_and_is_not_discarded(
    marker: Marker, drawing: str
) -> None:
    page = opened(marker, f"{drawing}/draw", player=BEN, card="4H", above="none")
    says = "Legal: 4♥ is taken alone, and may not be discarded in this turn."
    assert says in verdict(page)
    assert "CON-9" in verdict(page)
    assert "Who takes just the top card may not discard it in that turn." in page
    assert "met the contract" not in page


def test_after_the_contract_one_meld_is_enough_before_it_the_contract_is_asked_for(
    marker: Marker, drawing: str
) -> None:
    page = drawn(marker, drawing, "5C 6C 7C")
    assert "Had Ben met the contract?" in page
    assert "verdict" not in page
    page = drawn(marker, drawing, "5C 6C 7C", contract="earlier")
    assert "Legal: 7♣ is melded at once" in verdict(page)
    assert "any of it may be discarded" in verdict(page)
    assert "Ben had met the contract in an earlier turn as you said" in text_of(page)
    page = marker.open(change(page, "Ben had met the contract in an earlier turn"))
    assert "hand 1 asks for 2 sets" in verdict(page)
    assert "7♣ lies inside the pile." in verdict(page)
    assert "No points; the play is taken back." in verdict(page)
    assert {"CON-3", "CON-9"} <= set(re.findall(r"CON-\d+", verdict(page)))
    assert "Ben had not met the contract as you said" in text_of(page)


def test_a_contract_on_record_is_not_asked_for(marker: Marker, drawing: str) -> None:
    melds = {"cards": ["2D", "2H", "2S"], "play": "meld 3D 3H 3S", "rule": "1"}
    ruling(marker, drawing, "contract", BEN, **melds)
    ruling(marker, drawing, "discard", BEN, cards="9C", drew="0")
    page = drawn(marker, drawing, "5C 6C 7C")
    assert "Legal" in verdict(page)
    assert "Ben had met the contract in an earlier turn on record" in text_of(page)
    assert "Had Chandi met the contract?" in drawn(marker, drawing, "5C 6C 7C", player=CHANDI)


def test_first_melds_are_laid_together(marker: Marker, drawing: str) -> None:
    page = drawn(marker, drawing, "7C 7D 7S", "KD KC KS", contract="no")
    assert "Legal: 7♣ is melded at once" in verdict(page)
    page = opened(marker, f"{drawing}/draw", **INSIDE, cards=["7C", "7D", "7S"], add="1")
    assert re.findall(r'name="meld" value="([^"]*)"', page) == ["7C 7D 7S"]
    assert "verdict" not in page
    page = opened(marker, f"{drawing}/draw", **INSIDE, meld=["7C 7D 7S", "KD KC KS"], drop="0")
    assert re.findall(r'name="meld" value="([^"]*)"', page) == ["KD KC KS"]
    page = opened(marker, f"{drawing}/draw", 422, **INSIDE, add="1")
    assert 'href="#cards">Tap the cards of the meld.' in page


def test_where_the_contract_makes_no_difference_it_is_not_asked_for(
    marker: Marker, drawing: str
) -> None:
    page = opened(marker, f"{drawing}/draw", **INSIDE, rule="none")
    assert "Illegal 7♣ lies inside the pile. It may be taken, with all cards above it" in verdict(
        page
    )
    assert "Nothing is melded with it" in page
    assert "Whether Ben had met the contract makes no difference" in page
    # With the king in a set alone the 7 is in no meld.
    page = drawn(marker, drawing, "KD KC KS", contract="earlier")
    assert "7♣ lies inside the pile." in verdict(page)


def test_a_joker_that_can_be_several_cards_is_not_asked_about(marker: Marker, drawing: str) -> None:
    page = drawn(marker, drawing, "6C 7C XX", contract="earlier")
    assert "Legal: 7♣ is melded at once" in verdict(page)


def test_each_entry_can_be_changed_with_the_others_kept(marker: Marker, drawing: str) -> None:
    page = drawn(marker, drawing, "7C 7D 7S", "KD KC KS", contract="no")
    card = marker.open(change(page, "Drawn"))
    assert "Which card is drawn from the pile?" in card
    for kept in ("KD", "4H", "7C 7D 7S", "KS", "no"):
        assert f'value="{kept}">' in card
    above = marker.open(change(page, "Above it"))
    assert checked(above, "above") == ["KD", "4H"]
    melds = marker.open(change(page, "Melded at once"))
    assert "Which meld does 7♣ go into?" in text_of(melds)
    assert checked(melds, "cards") == ["KC", "KD", "KS"]
    assert re.findall(r'name="meld" value="([^"]*)"', melds) == ["7C 7D 7S"]
    assert not re.findall(r'type="hidden" name="rule"', melds)


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"cards": []}, "cards", "Tap the cards of the meld."),
        ({"card": "nonsense"}, "card", "“nonsense” is not a card."),
        ({"above": ["5C", "1X"]}, "above", "“1X” is not a card."),
        ({"meld": "5C 6C x"}, "cards", "“x” is not a card."),
        # Ben's meld on record has it already, and there is one pack.
        ({"above": ["2D"]}, "above", "2♦ is in the melds on the table and in the pile."),
        ({"card": "2D", "above": "none"}, "card", "2♦ is in the melds on the table"),
        ({"above": ["7C"]}, "above", "There is another 7♣ above it: name the upper one."),
        ({"cards": ["2D", "2C", "7C"]}, "cards", "2♦ is in the melds on the table"),
    ],
)
def test_what_cannot_be_is_said_and_the_rest_stays(
    marker: Marker, drawing: str, fields: dict[str, object], field: str, sentence: str
) -> None:
    lay(marker, drawing, BEN, "2D", "2H", "2S")
    cards = ["5C", "6C", "7C"]
    sent = INSIDE | {"cards": cards, "rule": "1", "contract": "earlier"} | fields
    page = opened(marker, f"{drawing}/draw", 422, **sent)
    assert f'href="#{field}">{sentence}' in page
    assert f'name="player" value="{BEN}"' in page


def test_a_draw_of_nobody_in_particular(marker: Marker, drawing: str) -> None:
    sent = {"card": "7C", "above": "4H", "cards": ["5C", "6C", "7C"], "rule": "1"}
    assert "Had the player met the contract?" in opened(marker, f"{drawing}/draw", **sent)
    page = opened(marker, f"{drawing}/draw", **sent, contract="no")
    assert "The player had not met the contract as you said" in text_of(page)


# -- both ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "there"),
    [
        ({"game": "kalooki"}, {"call"}),
        ({"game": "contract_rummy", "sheet": "gamerules"}, {"draw"}),
        ({"game": "contract_rummy"}, set()),
        ({"game": "carioca"}, set()),
        ({"game": "indian_chief"}, set()),
        ({}, set()),
    ],
)
def test_they_are_there_where_their_rule_is(
    marker: Marker, fields: dict[str, str], there: set[str]
) -> None:
    game = begin(marker, NAMES, **fields)
    for page in ("call", "draw"):
        marker.open(f"{game}/{page}", 200 if page in there else 404)
        assert page in there or f"{game}/{page}" not in marker.client.get(f"{game}/ruling").text


def test_only_markers_of_the_game_may_ask(
    marker: Marker, other_marker: Marker, stranger: Marker, kalooki: str, drawing: str
) -> None:
    for address in (f"{kalooki}/call", f"{drawing}/draw"):
        stranger.open(address, status=403)
        other_marker.open(address, status=404)
    for page in ("call", "draw"):
        marker.open(f"/games/nothing/{page}", status=404)
        marker.open(f"/games/{'0' * 10}/{page}", status=404)


def test_asking_writes_nothing_down(app: Flask, marker: Marker, kalooki: str, drawing: str) -> None:
    asked(marker, kalooki, BENS_CALL)
    drawn(marker, drawing, "5C 6C 7C", contract="earlier")
    assert the_book(app, marker, kalooki).sheet.number == 1
    assert the_book(app, marker, drawing).sheet.number == 1


def test_whatever_is_sent_is_answered(marker: Marker, kalooki: str, drawing: str) -> None:
    steps = ("add", "drop", "next", "change", "player")
    pages: dict[str, dict[str, object]] = {
        f"{kalooki}/call": {**BENS_CALL, "calls-1": "1", "change": "calls"},
        f"{drawing}/draw": INSIDE | {"meld": "7C 7D 7S", "cards": "KD", "rule": "1"},
    }
    chance = Random(9)
    for address, fields in pages.items():
        for odd in ODD:
            changed = dict.fromkeys(chance.sample([*fields, *steps], 3), odd)
            query = urlencode(fields | changed, doseq=True)
            answer = marker.client.get(f"{address}?{query}")
            assert answer.status_code in {200, 422}, query
            one = urlencode({chance.choice([*fields]): odd})
            assert marker.client.get(f"{address}?{one}").status_code in {200, 422}, one


@pytest.mark.parametrize("name", ["call", "draw"])
def test_a_game_that_is_over_is_not_ruled_on(
    marker: Marker, kalooki: str, drawing: str, name: str
) -> None:
    game, hands = (kalooki, 9) if name == "call" else (drawing, 7)
    for number in range(hands):
        end = {"out": ANA, f"points-{BEN}": "5", f"points-{CHANDI}": str(number + 5)}
        assert marker.act(f"{game}/end", end).status_code == 303
    page = opened(marker, f"{game}/{name}", **WHO, **INSIDE, rule="1")
    assert "The game is over." in page
    assert "verdict" not in page


def test_a_meld_that_lies_there_is_nobodys(app: Flask, marker: Marker, kalooki: str) -> None:
    write(app, marker, kalooki, PlayRecorded(1, None, "meld 5C 5D 5H"))
    assert "Had Ben laid anything in this hand?" in asked(marker, kalooki, WHO)
