"""Calls for the discard in Kalooki (KAL-4), draws from inside the pile in Contract Rummy (CON-9).

Ana deals; Ben, at Ana's left, plays first, then Chandi.
"""

import re
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

from companion.notebook.events import CallNoted, HandThrownIn, PenaltyCharged
from companion.rules.question import Call
from tests.web.asking import ANA, BEN, CHANDI, answered, ask, changed, lay, ruling, text_of, verdict
from tests.web.conftest import Marker, begin, checked, find, sent_again

FREE = {"turn": ANA, "melded_this_hand": "0"}


# -- KAL-4: may a player call for the discard? -----------------------------------------------------


def called(marker: Marker, game: str, player: str = BEN, **fields: str) -> str:
    return ruling(marker, game, "call", player, **(FREE | fields))


def redone(marker: Marker, page: str, says: str, **fields: str) -> str:
    """Change a fact on the page of a ruling; return the page of the ruling that replaces it."""
    answer = changed(marker, page, says)
    if fields:
        answer = answered(marker, answer, **fields)
    assert answer.status_code == 303, answer.text
    return marker.open(answer.location)


def sent(marker: Marker, page: str, form: str) -> str:
    """Send a form of a page, by its id; return the text of the next page."""
    action = find(page, rf'<form id="{form}" method="post" action="([^"]+)"')
    answer = marker.post(action, sent_again(page, action))
    assert answer.status_code == 303, answer.text
    return text_of(marker.open(answer.location))


def test_the_caller_and_the_player_at_turn_must_be_chosen(marker, kalooki):
    # Whose play it was is not whose turn it is: the caller may have been named.
    assert checked(marker.open(f"{kalooki}/ruling?ask=call&player={BEN}"), "turn") == []
    bar = r'<button class="btn wide" form="ask" name="player" value="(\d)"'
    assert re.findall(bar, marker.open(f"{kalooki}/ruling?ask=call&player={BEN}")) == [BEN]
    assert re.findall(bar, marker.open(f"{kalooki}/ruling?ask=call")) == []
    asked = ask(marker, kalooki, "call", BEN, turn="9")
    assert 'href="#turn">Say whose turn it is.' in asked.text
    asked = ask(marker, kalooki, "call", "", turn=ANA, calls="2")
    assert 'href="#player">Tap who calls.' in asked.text
    assert checked(asked.text, "turn") == [ANA]
    assert 'name="calls" value="2"' in asked.text
    ruling(marker, kalooki, "discard", BEN, cards="7C")
    assert checked(marker.open(f"{kalooki}/ruling?ask=call"), "turn") == [CHANDI]
    # Chandi is chosen as the next to play: nobody said that she calls, in her own turn.
    assert re.findall(bar, marker.open(f"{kalooki}/ruling?ask=call&player={CHANDI}")) == []
    assert re.findall(bar, marker.open(f"{kalooki}/ruling?ask=call&player={ANA}")) == [ANA]


def test_players_do_not_call_in_their_own_turn(marker, kalooki):
    says = text_of(ruling(marker, kalooki, "call", BEN, turn=BEN))
    assert "Illegal Ben calls in their own turn Players may call only in another" in says
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
    assert "Calls of Ben" not in page
    page = redone(marker, page, "Ben had already melded in this hand as you said", calls="0")
    says = text_of(page)
    assert "Legal: " not in says
    assert "The player may call for the top of the pile." in says
    assert "Ben had not melded yet in this hand as you said" in says
    assert "Three calls a hand may succeed" in says  # the rule's own words
    assert "may refuse by taking the card, unless that player has melded" in says
    page = redone(marker, page, "Nobody said that Ana had melded in this hand", turn_melded="1")
    assert "The player whose turn it is has melded, and cannot refuse." in text_of(page)
    assert "Ana had already melded in this hand as you said" in text_of(page)
    lay(marker, kalooki, BEN, "5C", "5D", "5H")
    page = called(marker, kalooki, ANA, turn=BEN, calls="0")
    assert "Ben had already melded in this hand on record" in text_of(page)


def test_a_call_is_noted_with_one_button_and_counted(marker, kalooki):
    for _ in range(2):
        marker.write(kalooki, CallNoted(1, 1))
    page = called(marker, kalooki)
    assert "Calls of Ben that were noted: 2 on record" in text_of(page)
    assert "Ben: call 3 of 3." in sent(marker, page, "note")
    # Nor is a call noted twice, nor a fourth free one.
    assert 'id="note"' not in marker.open(f"{kalooki}/rulings/4")
    assert 'id="note"' not in called(marker, kalooki, calls="2")
    page = called(marker, kalooki)
    assert verdict(page) == "Illegal"
    assert "50 points to Ben (KAL-4)." in text_of(page)
    assert "The caller takes the card, and a penalty card from the stock." in text_of(page)
    says = sent(marker, page, "charge")
    assert "50 points to Ben (KAL-4). If Ben bends the table, nothing is doubled." in says
    hand = marker.loaded(kalooki).sheet.hand
    assert (hand.calls, hand.rules_charged(1)) == ([1, 1, 1], ("KAL-4",))


def test_a_charged_call_follows_three_free_ones_and_is_of_one_deal(marker, kalooki):
    def calls() -> str:
        return find(marker.open(kalooki), r"<bdi>Ben</bdi><small>\s*([^<]+)<span")

    # KAL-4: only a call beyond the third is charged, so the next one is charged, too.
    marker.write(kalooki, PenaltyCharged(1, 1, "KAL-4"))
    assert calls() == "3 + 1 charged"
    assert 'id="note"' not in called(marker, kalooki, calls="2")
    marker.saved(kalooki, {"player": BEN}, to=f"{kalooki}/call")
    assert calls() == "3 + 2 charged"
    assert marker.loaded(kalooki).sheet.total(1) == 2 * 50
    marker.write(kalooki, HandThrownIn(1))
    assert calls() == "0"
    marker.saved(kalooki, {"player": BEN}, to=f"{kalooki}/call")
    assert marker.loaded(kalooki).sheet.total(1) == 2 * 50


def test_the_number_of_successful_calls_can_be_stated_and_is_kept(marker, kalooki):
    asked = ask(marker, kalooki, "call", BEN, **FREE)  # none was noted: nobody said how many
    assert "How many calls of Ben succeeded in this hand, before this one?" in asked.text
    assert re.findall(r'name="calls" value="(\d)"', asked.text) == ["0", "1", "2", "3"]
    page = marker.open(answered(marker, asked, calls="3").location)
    assert "Calls of Ben that succeeded before: 3 as you said" in text_of(page)
    (line,) = marker.loaded(kalooki).sheet.hand.standing_rulings
    assert (line.question.call, line.given.charge) == (Call(0, 3, None), "KAL-4")
    assert line.given.sources == {"melded_this_hand": 0, "calls": 0, "turn_melded": -1}
    assert "Ben: Call in the turn of Ana" in text_of(marker.open(f"{kalooki}/rulings"))
    assert "A call for the discard. 3 calls of" in text_of(marker.open(f"{kalooki}/tally"))


# -- CON-9: may a card be drawn from inside the pile? ----------------------------------------------


@pytest.fixture
def drawing(marker: Marker) -> str:
    """The address of hand 1 on the gamerules sheet: the contract is 2 sets (CON-3)."""
    return begin(marker, game="contract_rummy", sheet="gamerules")


def test_the_question_whether_a_card_was_just_drawn_names_it_in_a_turn_too(marker, drawing):
    plays = ["meld 6C 6D 6H", "meld 8C 8D 8H", "discard KD"]
    asked = ask(marker, drawing, "turn", BEN, play=plays, contract="no")
    assert "Had Ben just taken K♦ from the pile, and nothing else?" in text_of(asked.text)


INSIDE = {"drawn": "7C", "above": ["KD", "4H"]}


def draws(marker: Marker, game: str, *melds: str, player: str = BEN, **fields: Any) -> Any:
    """Ask about the 7 of clubs with the king and the four on it, and melds laid at once."""
    *first, last = melds or ("",)
    entered = {"cards": last.split(), "play": [f"meld {meld}" for meld in first]}
    return ask(marker, game, "draw", player, **(entered | INSIDE | fields))


def goes_on(marker: Marker, game: str, **fields: Any) -> str:
    """Return the page that a step of a draw leads to; the step saves nothing."""
    entered = {"ask": "draw", "player": BEN} | fields
    return marker.client.get(f"{game}/ruling?{urlencode(entered, doseq=True)}").text


def test_the_card_is_asked_for_then_what_lies_above_it_then_the_melds(marker, drawing):
    page = goes_on(marker, drawing)
    assert "Which card is drawn from the pile?" in page
    assert '<button class="c" name="drawn" value="7C"' in page
    assert '<form id="ask" method="get"' in page
    assert "What lies above 7♣?" in text_of(goes_on(marker, drawing, drawn="7C"))
    page = goes_on(marker, drawing, drawn="7C", above="")
    assert 'href="#above">Tap the cards that lay above it, or say that none did.' in page
    page = goes_on(marker, drawing, drawn="7C", above=["KD", "4H", ""])
    assert "Which meld does 7♣ go into?" in text_of(page)
    assert "In it: 7♣" in text_of(page)
    assert 'data-card="7C" aria-label="7 of clubs, taken: in it"' in page
    assert 'data-card="KD" aria-label="king of diamonds, taken"' in page
    page = goes_on(marker, drawing, player="", drawn="4H", above="none")
    assert "Who drew 4♥?" in text_of(page)
    assert '<button class="btn" form="ask" name="player" value="1">' in page


def test_the_drawn_card_goes_into_one_meld_only(marker, drawing):
    asked = draws(marker, drawing, "7D 7S", add="meld")
    assert "play=meld+7C+7D+7S" in asked.location
    assert "In it:" not in text_of(marker.open(asked.location))
    joker = {"drawn": "XX", "play": "meld 5C XX=6C 7C", "above": "KD"}
    asked = draws(marker, drawing, "KD KC KS", add="meld", **joker)
    assert parse_qs(asked.location)["play"] == ["meld 5C XX=6C 7C", "meld KD KC KS"]
    assert "play=" not in draws(marker, drawing, "7C 7D 7S", "", drop="0").location


def test_that_the_drawn_card_goes_into_no_meld_can_be_said_before_whose_play_it_was(
    marker, drawing
):
    asked = draws(marker, drawing, player="", no_meld="1")
    assert "Say whose play it was." in text_of(asked.text)
    assert "Who drew 7♣?" in text_of(asked.text)
    assert 'type="hidden" name="no_meld" value="1"' in asked.text
    page = marker.open(draws(marker, drawing, no_meld="1").location)
    assert verdict(page) == "Illegal"  # CON-9: it has to be melded at once
    again = marker.follow(page, "Ask again with changes")
    assert "Which meld does 7♣ go into?" in text_of(again)
    assert 'name="no_meld" value="1">It goes' in again
    by_rules = {"player": "", "drawn": "7C", "above": "KD", "no_meld": "1", "by_rules": "1"}
    assert "Which meld does 7♣ go into?" in text_of(goes_on(marker, drawing, hand="1", **by_rules))


def test_a_draw_is_kept_and_each_entry_can_be_changed_with_the_others(marker, drawing):
    asked = draws(marker, drawing, "7C 7D 7S", "KD KC KS", contract="no")
    page = marker.open(asked.location)
    assert "7♣ is melded at once" in text_of(page)
    hand = marker.loaded(drawing).sheet.hand
    assert [card.text for card in hand.rulings[0].question.pile.cards] == ["7C", "KD", "4H"]
    assert not hand.board.table.melds
    says = text_of(marker.open(f"{drawing}/rulings"))
    assert "Ben: Draw 7♣ K♦ 4♥ from the pile; Meld 7♣, 7♦, 7♠; Meld K♦, K♣, K♠" in says
    card = changed(marker, page, "Drawn 7♣").text
    assert "Which card is drawn from the pile?" in card
    for kept in ("KD", "4H", "meld 7C 7D 7S", "KS"):
        assert f'value="{kept}">' in card
    assert checked(changed(marker, page, "Above it").text, "above") == ["KD", "4H"]
    melds = marker.follow(page, "Ask again with changes")
    assert "Which meld does 7♣ go into?" in text_of(melds)
    assert checked(melds, "cards") == ["KC", "KD", "KS"]
    assert re.findall(r'name="play" value="([^"]*)"', melds) == ["meld 7C 7D 7S"]


def test_after_the_contract_one_meld_is_enough_before_it_the_contract_is_asked_for(marker, drawing):
    asked = draws(marker, drawing, "5C 6C 7C")
    assert "Had Ben met the contract?" in asked.text
    assert "Ben: draw 7♣ K♦ 4♥" in text_of(asked.text)
    page = marker.open(answered(marker, asked, contract="earlier").location)
    assert "7♣ is melded at once" in text_of(page)
    page = redone(marker, page, "Ben had met the contract in an earlier turn", contract="no")
    says = text_of(page)
    assert {"CON-3", "CON-9"} <= {*re.findall(r"CON-\d+", says)}
    assert "Ben had not met the contract as you said" in says
    assert "Charge Ben" not in says


def test_an_impossible_entry_gets_a_sentence_and_the_others_stay(marker, drawing):
    lay(marker, drawing, BEN, "2D", "2H", "2S")
    asked = draws(marker, drawing, "5C 6C 7C", player="")
    assert 'href="#player">Say whose play it was.' in asked.text
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
        ({"cards": ["2D", "2C", "7C"]}, "cards", "2♦ is in the melds on the table"),
    ):
        asked = draws(marker, drawing, "5C 6C 7C", contract="earlier", **fields)
        assert asked.status_code == 422
        assert f'href="#{field}">{sentence}' in asked.text
        assert f'name="player" value="{BEN}"' in asked.text
