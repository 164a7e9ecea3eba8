"""Calls for the discard in Kalooki (KAL-4), draws from inside the pile in Contract Rummy (CON-9).

Ana deals; Ben, at Ana's left, plays first, then Chandi.
"""

import re
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from companion.notebook.events import Ruled
from companion.rules.question import Call
from tests.hostile_input import ODD
from tests.web.asking import (
    ANA,
    BEN,
    CHANDI,
    answered,
    ask,
    changed,
    fresh,
    lay,
    ruling,
    text_of,
    the_book,
    verdict,
)
from tests.web.conftest import Marker, begin, checked

NAMES = ("Ana", "Ben", "Chandi")
FREE = {"turn": ANA, "melded_this_hand": "0"}


# -- KAL-4: may a player call for the discard? -----------------------------------------------------


@pytest.fixture
def kalooki(marker: Marker) -> str:
    return begin(marker, NAMES, game="kalooki")


def called(marker: Marker, game: str, player: str = BEN, **fields: str) -> str:
    return ruling(marker, game, "call", player, **(FREE | fields))


def redone(marker: Marker, page: str, says: str, **fields: str) -> str:
    """Change a fact on the page of a ruling; the page of the ruling that replaces it."""
    answer = changed(marker, page, says)
    if fields:
        answer = answered(marker, answer, **fields)
    assert answer.status_code == 303, answer.text
    return marker.open(answer.location)


def sent(marker: Marker, page: str, form: str) -> str:
    """Send a form of a page, by its id; the page that it leads to."""
    _, action, fields = re.search(
        rf'<form id="({form})" method="post" action="([^"]+)"(.*?)</form>', page, re.DOTALL
    ).groups()  # type: ignore[union-attr]
    answer = marker.post(action, re.findall(r'name="(\w+)" value="([^"]*)"', fields))
    assert answer.status_code == 303, answer.text
    return marker.open(answer.location)


def test_whose_turn_it_is_comes_from_a_discard_that_was_ruled_on(marker, kalooki):
    assert checked(marker.open(f"{kalooki}/ruling?ask=call"), "turn") == []
    # Whose play it was is not whose turn it is: the caller may have been named.
    assert checked(marker.open(f"{kalooki}/ruling?ask=call&player={BEN}"), "turn") == []
    ruling(marker, kalooki, "discard", BEN, cards="7C")
    assert checked(marker.open(f"{kalooki}/ruling?ask=call"), "turn") == [CHANDI]


def test_in_their_own_turn_players_do_not_call(marker, kalooki):
    page = ruling(marker, kalooki, "call", BEN, turn=BEN)
    says = text_of(page)
    assert "Illegal Ben calls in the player’s own turn In their own turn players draw" in says
    assert "KAL-4" in says
    for absent in ("had not melded", "Calls of Ben", "note it", "Charge Ben", "plays next"):
        assert absent not in says


def test_a_call_depends_on_whether_the_caller_has_melded(marker, kalooki):
    asked = ask(marker, kalooki, "call", BEN, turn=ANA)
    heading = "Had Ben already melded in this hand? <small>hand 1</small>"
    assert f'<h1 class="short">{heading}</h1>' in asked.text
    assert "Ben calls in the turn of Ana" in text_of(asked.text)
    page = marker.open(answered(marker, asked, melded_this_hand="1").location)
    assert verdict(page) == "Illegal"
    assert "Only a player who has laid nothing in the hand may call." in text_of(page)
    assert "melded in this hand as you said" in text_of(page)
    assert "Calls of Ben" not in page
    page = redone(marker, page, "Ben had already melded in this hand")
    assert verdict(page) == "Legal"
    assert "Legal: the player may call for the top of the pile." in text_of(page)
    assert "Ben had not melded yet in this hand as you said" in text_of(page)
    assert "Three calls a hand may succeed" in page  # the rule's own words


def test_the_refusal_depends_on_whether_the_player_at_turn_has_melded(marker, kalooki):
    page = called(marker, kalooki)
    assert "may refuse by taking the card, unless that player has melded" in text_of(page)
    assert "The caller takes the card, and a penalty card from the stock." in text_of(page)
    assert "Nobody said that Ana had melded in this hand Change" in text_of(page)
    page = redone(marker, page, "Nobody said that Ana had melded", turn_melded="1")
    assert "The player whose turn it is has melded, and cannot refuse." in text_of(page)
    page = redone(marker, page, "Ana had already melded in this hand", turn_melded="0")
    assert "The player whose turn it is may refuse by taking the card; a refused" in text_of(page)
    assert "Ana had not melded yet in this hand as you said" in text_of(page)


def test_who_calls_and_whose_turn_it_is_must_be_said(marker, kalooki):
    asked = ask(marker, kalooki, "call", BEN, turn="9")
    assert 'href="#turn">Say whose turn it is.' in asked.text
    asked = ask(marker, kalooki, "call", "", turn=ANA, calls="2")
    assert 'href="#player">Tap who calls.' in asked.text
    assert checked(asked.text, "turn") == [ANA]
    assert 'name="calls" value="2"' in asked.text


def test_what_is_on_record_is_not_asked(marker, kalooki):
    lay(marker, kalooki, BEN, "5C", "5D", "5H")
    page = ruling(marker, kalooki, "call", BEN, turn=ANA)
    assert "Only a player who has laid nothing in the hand may call." in text_of(page)
    assert "Ben had already melded in this hand on record" in text_of(page)
    # What was said goes before the record, which may be wrong.
    assert verdict(redone(marker, page, "Ben had already melded in this hand")) == "Legal"
    page = ruling(marker, kalooki, "call", ANA, turn=BEN, melded_this_hand="0")
    assert "has melded, and cannot refuse" in text_of(page)
    assert "Ben had already melded in this hand on record" in text_of(page)


def test_a_call_is_noted_with_one_button_and_counted(app, marker, kalooki):
    for number in (1, 2, 3):
        page = called(marker, kalooki)
        assert f"Calls of Ben that succeeded before: {number - 1} on record" in text_of(page)
        noted = sent(marker, page, "note")
        assert f"Ben: call {number} of 3." in noted
    # Nor is a call noted twice, nor a fourth free one.
    assert 'id="note"' not in marker.open(f"{kalooki}/rulings/6")
    assert 'id="note"' not in called(marker, kalooki, calls="2")
    assert the_book(app, marker, kalooki).sheet.hand.calls == [1, 1, 1]
    page = called(marker, kalooki)
    says = text_of(page)
    assert verdict(page) == "Illegal"
    assert "3 calls of this player succeeded before" in says
    assert "bending the table doubles nothing then." in says
    assert "50 points to Ben (KAL-4)." in says
    assert "The caller takes the card, and a penalty card from the stock." in says
    assert "Charge Ben 50" in says
    page = sent(marker, page, "charge")
    assert "50 points to Ben (KAL-4). If Ben bends the table, nothing is doubled." in text_of(page)
    hand = the_book(app, marker, kalooki).sheet.hand
    assert (len(hand.calls), hand.rules_charged(1)) == (3, ("KAL-4",))
    page = called(marker, kalooki)
    assert "Calls of Ben that succeeded before: 4 on record" in text_of(page)
    # Another player's calls are others.
    page = called(marker, kalooki, CHANDI)
    assert "Calls of Chandi that succeeded before: 0 on record" in text_of(page)


def test_a_call_is_kept_with_its_facts(app, marker, kalooki):
    called(marker, kalooki, calls="3")
    loaded = the_book(app, marker, kalooki)
    (line,) = loaded.sheet.hand.rulings
    assert isinstance(line.given, Ruled)
    assert (line.question.call, line.given.charge) == (Call(0, 3, None), "KAL-4")
    assert line.given.sources == {"melded_this_hand": 0, "calls": 0, "turn_melded": -1}
    assert "Ben: Call in the turn of Ana" in text_of(marker.open(f"{kalooki}/rulings"))
    assert "A call for the discard. 3 calls of" in text_of(marker.open(f"{kalooki}/tally"))
    assert "Call in the turn of Ana: illegal (KAL-4)" in text_of(marker.open(f"{kalooki}/log"))
    assert "Call in the turn of Ana" in marker.open(f"{kalooki}/tally.csv")


def test_how_many_calls_succeeded_can_be_said(app, marker, kalooki):
    asked = changed(marker, called(marker, kalooki), "Calls of Ben that succeeded before: 0")
    assert "How many calls of Ben succeeded in this hand, before this one?" in asked.text
    assert re.findall(r'name="calls" value="(\d)"', asked.text) == ["0", "1", "2", "3"]
    page = marker.open(answered(marker, asked, calls="2").location)
    assert "Calls of Ben that succeeded before: 2 as you said" in text_of(page)
    page = redone(marker, page, "Calls of Ben", calls="3")
    assert verdict(page) == "Illegal"
    sent(marker, page, "charge")
    assert the_book(app, marker, kalooki).sheet.hand.rules_charged(1) == ("KAL-4",)
    assert "that succeeded before: 20 as you said" in text_of(
        called(marker, kalooki, calls="99999")
    )


# -- CON-9: may a card be drawn from inside the pile? ----------------------------------------------


@pytest.fixture
def drawing(marker: Marker) -> str:
    """Hand 1 of the gamerules sheet: the contract is 2 sets (CON-3)."""
    return begin(marker, NAMES, game="contract_rummy", sheet="gamerules")


INSIDE = {"drawn": "7C", "above": ["KD", "4H"]}


def draws(marker: Marker, game: str, *melds: str, player: str = BEN, **fields: Any) -> Any:
    """Ask about the 7 of clubs with the king and the four on it, and melds laid at once."""
    *first, last = melds or ("",)
    sent = {"ask": "draw", "player": player, "cards": last.split()}
    sent |= {"play": [f"meld {meld}" for meld in first]}
    return marker.post(f"{game}/ruling", sent | INSIDE | fields, **fresh(marker, game))


def goes_on(marker: Marker, game: str, **fields: Any) -> str:
    """The page that a step of a draw leads to: nothing is sent that is written down."""
    entered = {"ask": "draw", "player": BEN} | fields
    return marker.client.get(f"{game}/ruling?{urlencode(entered, doseq=True)}").text


def drawn(marker: Marker, game: str, *melds: str, **fields: Any) -> str:
    asked = draws(marker, game, *melds, **fields)
    assert asked.status_code == 303, asked.text
    return marker.open(asked.location)


def test_the_card_is_asked_for_then_what_lies_above_it_then_the_melds(marker, drawing):
    page = goes_on(marker, drawing)
    assert "Which card is drawn from the pile?" in page
    assert '<button class="c" name="drawn" value="7C"' in page
    assert '<form id="ask" method="get"' in page
    page = goes_on(marker, drawing, drawn="7C")
    assert "What lies above 7♣?" in text_of(page)
    page = goes_on(marker, drawing, drawn="7C", above="")
    assert 'href="#above">Tap the cards that lay above it, or say that none did.' in page
    page = goes_on(marker, drawing, drawn="7C", above=["KD", "4H", ""])
    assert "Which meld does 7♣ go into?" in text_of(page)
    assert "In it: 7♣" in text_of(page)
    assert 'data-card="7C" aria-label="7 of clubs, taken: in it"' in page
    assert 'data-card="KD" aria-label="king of diamonds, taken"' in page


def test_the_drawn_card_goes_into_one_meld_only(app, marker, drawing):
    asked = draws(marker, drawing, "7D 7S", add="meld")
    assert "play=meld+7C+7D+7S" in asked.location
    assert "In it:" not in text_of(marker.open(asked.location))
    dropped = draws(marker, drawing, "7C 7D 7S", "", drop="0")
    assert "play=" not in dropped.location
    page = drawn(marker, drawing, "7D 7S", "KD KC KS", play="meld 7C 7D 7S", contract="no")
    assert "Legal: 7♣ is melded at once" in text_of(page)
    hand = the_book(app, marker, drawing).sheet.hand
    (line,) = hand.rulings
    assert [card.text for card in line.question.pile.cards] == ["7C", "KD", "4H"]
    assert not hand.board.table.melds
    says = text_of(marker.open(f"{drawing}/rulings"))
    assert "Ben: Draw 7♣ K♦ 4♥ from the pile; Meld 7♣, 7♦, 7♠; Meld K♦, K♣, K♠" in says


def test_after_the_contract_one_meld_is_enough_before_it_the_contract_is_asked_for(marker, drawing):
    asked = draws(marker, drawing, "5C 6C 7C")
    assert "Had Ben met the contract?" in asked.text
    assert "Ben: draw 7♣ K♦ 4♥" in text_of(asked.text)
    page = marker.open(answered(marker, asked, contract="earlier").location)
    assert "Legal: 7♣ is melded at once" in text_of(page)
    assert "any of it may be discarded" in text_of(page)
    assert "Ben had met the contract in an earlier turn as you said" in text_of(page)
    page = redone(marker, page, "Ben had met the contract", contract="no")
    says = text_of(page)
    assert "hand 1 asks for 2 sets" in says
    assert "7♣ lies inside the pile." in says
    assert {"CON-3", "CON-9"} <= set(re.findall(r"CON-\d+", says))
    assert "Ben had not met the contract as you said" in says
    assert "Charge Ben" not in says


def test_each_entry_can_be_changed_with_the_others_kept(marker, drawing):
    page = drawn(marker, drawing, "7C 7D 7S", "KD KC KS", contract="no")
    card = changed(marker, page, "Drawn 7♣").text
    assert "Which card is drawn from the pile?" in card
    for kept in ("KD", "4H", "meld 7C 7D 7S", "KS"):
        assert f'value="{kept}">' in card
    above = changed(marker, page, "Above it").text
    assert checked(above, "above") == ["KD", "4H"]
    again = re.search(r'href="([^"]+)">Ask again with changes', page)
    assert again is not None
    melds = marker.open(again[1].replace("&amp;", "&"))
    assert "Which meld does 7♣ go into?" in text_of(melds)
    assert checked(melds, "cards") == ["KC", "KD", "KS"]
    assert re.findall(r'name="play" value="([^"]*)"', melds) == ["meld 7C 7D 7S"]


def test_what_cannot_be_is_said_and_the_rest_stays(marker, drawing):
    lay(marker, drawing, BEN, "2D", "2H", "2S")
    for fields, field, sentence in (
        ({"cards": []}, "cards", "Tap the cards of the meld."),
        ({"drawn": ""}, "drawn", "“” is not a card."),
        ({"above": []}, "above", "Tap the cards that lay above it, or say that none did."),
        ({"drawn": "nonsense"}, "drawn", "“nonsense” is not a card."),
        ({"above": ["5C", "1X"]}, "above", "“1X” is not a card."),
        ({"play": "meld 5C 6C x"}, "cards", "“x” is not a card."),
        # Ben's meld on record has it already, and there is one pack.
        ({"above": ["2D"]}, "above", "2♦ is in the melds on the table and in the pile."),
        ({"drawn": "2D", "above": "none"}, "drawn", "2♦ is in the melds on the table"),
        ({"above": ["7C"]}, "above", "There is another 7♣ above it: name the upper one."),
        ({"cards": ["2D", "2C", "7C"]}, "cards", "2♦ is in the melds on the table"),
    ):
        sent = {"cards": ["5C", "6C", "7C"], "contract": "earlier"} | fields
        asked = draws(marker, drawing, **sent)
        assert asked.status_code == 422
        assert f'href="#{field}">{sentence}' in asked.text
        assert f'name="player" value="{BEN}"' in asked.text


def test_a_draw_of_nobody_in_particular(marker, drawing):
    asked = draws(marker, drawing, "5C 6C 7C", player="")
    assert 'href="#player">Say whose play it was.' in asked.text
    page = goes_on(marker, drawing, player="", drawn="4H", above="none")
    assert "Who drew 4♥?" in text_of(page)
    assert '<button class="btn" form="ask" name="player" value="1">' in page


# -- both ------------------------------------------------------------------------------------------


def test_they_are_there_where_their_rule_is(marker, kalooki, drawing, game):
    kinds = {
        "call": ("May this player call?", FREE),
        "draw": ("Which card is drawn", {"drawn": "7C", "above": "none"}),
    }
    for address, there in ((kalooki, "call"), (drawing, "draw"), (game, "")):
        tiles = marker.open(f"{address}/ruling"), marker.open(f"{address}/ruling?hand=2")
        for kind, (words, sent) in kinds.items():
            assert (words in marker.open(f"{address}/ruling?ask={kind}")) is (kind == there)
            # The server answers these two: they are of no use on a page that is kept for later.
            found = [f'name="ask" value="{kind}"' in page for page in tiles]
            assert found == [kind == there, False]
            fields = {"ask": kind, "player": BEN, **sent}
            asked = marker.act(f"{address}/ruling?ask=turn", fields, to=f"{address}/ruling")
            assert asked.status_code == (303 if kind == there else 422)


@pytest.mark.slow
def test_whatever_is_sent_is_answered(marker, kalooki, drawing):
    steps = ("add", "drop", "change", "player", "instead_of")
    pages: dict[str, dict[str, Any]] = {
        kalooki: {**FREE, "ask": "call", "calls": "1", "turn_melded": "1"},
        drawing: {"ask": "draw", **INSIDE, "play": "meld 7C 7D 7S", "cards": "KD"},
    }
    chance = Random(9)
    for game, fields in pages.items():
        for odd in chance.sample(ODD, 25):
            kind = {"ask": fields["ask"]}
            odds = fields | dict.fromkeys(chance.sample([*fields, *steps], 3), odd) | kind
            query = urlencode(odds, doseq=True)
            assert marker.client.get(f"{game}/ruling?{query}").status_code in {200, 422}, query
            asked = marker.post(f"{game}/ruling", odds, **fresh(marker, game))
            assert asked.status_code in {200, 303, 422}, query
