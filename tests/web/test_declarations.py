"""Rulings on Rummies and other disputes in games whose melds stay in hand (IND-2 … IND-6, IND-8).

Where an 8 was turned, eights are wild, and so are the two printed jokers.
"""

import re

import pytest

from companion.notebook.events import CardTurned
from companion.rules.cards import Rank
from tests.web.asking import BEN, answered, ask, changed, ruling, text_of, undo, verdict
from tests.web.conftest import Marker, begin, checked

# Two clean sequences, a sequence with a joker, and a set with an eight for the king of hearts.
RUMMY = "4H 5H 6H 7H 9C TC JC 2S XX 4S KC KD 8D"
GROUPS = ["meld 4H 5H 6H 7H", "meld 9C TC JC", "meld 2S XX 4S", "meld KC KD 8D"]
ONE_WAY = "One way to lay these cards. Nobody said how they lie."


@pytest.fixture
def turned(marker: Marker, rummy: str) -> str:
    """The address of a game in which an 8 was turned and recorded."""
    assert "Which card was turned up?" in marker.open(f"{rummy}/ruling")
    fields = {"rank": "8", "after": "ruling"}
    answer = marker.act(f"{rummy}/ruling", fields, to=f"{rummy}/turned")
    assert answer.location == f"{rummy}/ruling"
    return rummy


def test_the_app_finds_the_melds_of_a_declaration_and_charges_a_wrong_one(marker, turned):
    page = ruling(marker, turned, "declare", BEN, cards=RUMMY.split())
    assert verdict(page) == "Legal"
    assert "13 cards can be laid in melds." in text_of(page)
    assert ONE_WAY in text_of(page)
    assert " for the king of " in page
    assert not marker.loaded(turned).sheet.hand.board.table.melds
    assert f'href="{turned}/end?of=1&amp;out=1"' in page
    assert checked(marker.open(f"{turned}/end?of=1&out=1"), "out") == [BEN]
    assert "Ruling on Ben: Declared 4♥ 5♥ 6♥ 7♥" in text_of(marker.open(f"{turned}/log"))
    # One clean sequence: the jack of clubs is a king of hearts.
    asked = ask(marker, turned, "declare", BEN, cards=RUMMY.replace("JC", "KH").split())
    page = marker.open(asked.location)
    assert verdict(page) == "Illegal"
    says = "80 points to Ben (IND-8). Ben plays on with the same cards."
    for said in (says, "Charge Ben 80", "IND-5"):
        assert said in text_of(page)
    done = marker.act(asked.location, to=f"{asked.location}/enforce")
    assert done.location == turned
    assert says in text_of(marker.open(done.location))
    assert marker.loaded(turned).sheet.total(1) == 80
    again = {"instead_of": asked.location.rpartition("/")[2], "cards": RUMMY.split()}
    page = ruling(marker, turned, "declare", BEN, **again)
    assert marker.loaded(turned).sheet.total(1) == 0
    assert "80 points taken back from Ben (IND-8)." in text_of(page)


def test_nobody_plays_on_in_a_hand_that_is_over(marker, turned):
    asked = ask(marker, turned, "declare", BEN, cards=RUMMY.replace("JC", "KH").split())
    assert "Ben plays on" in text_of(marker.open(asked.location))
    marker.saved(f"{turned}/end", {"out": "0"})
    assert "Ben plays on" not in text_of(marker.open(asked.location))
    marker.act(asked.location, to=f"{asked.location}/enforce")
    page = text_of(marker.open(turned))
    assert "80 points to Ben (IND-8)." in page
    assert "Ben plays on" not in page


def test_a_player_may_insist_on_groups(marker, turned):
    composed = ask(marker, turned, "declare", BEN, cards=["4H", "5H", "6H", "7H"], add="meld")
    page = marker.open(composed.location)
    assert "Remove group 1" in page
    # One four of hearts of the two packs is left to be tapped.
    assert not re.search(r'value="4H"[^>]* disabled', page)
    page = ruling(marker, turned, "declare", BEN, play=GROUPS)
    assert verdict(page) == "Legal"
    assert ONE_WAY not in text_of(page)
    assert " for the king of " not in page  # nobody said of which suit
    bad = ["meld 4H 5H 6H", *GROUPS[1:]]
    page = ruling(marker, turned, "declare", BEN, play=bad, cards=["7H"])
    assert "In no meld: 7♥." in text_of(page)
    page = marker.follow(page, "Ask again with changes")
    assert checked(page, "cards") == ["7H"]
    assert "Remove group 4" in page


def test_a_false_call_without_points_and_a_meld_with_two_readings_say_what_follows(marker):
    game = begin(marker, ("Ana", "Ben"), game="pay_me")
    said = text_of(ruling(marker, game, "declare", BEN, cards=["9C", "9D", "TH", "KS"]))
    assert "No points. Ben plays on with the same cards." in said
    # The joker is the 4♣ or the 7♣ (PAY-5).
    said = text_of(ruling(marker, game, "meld", BEN, cards=["5C", "6C", "XX"]))
    assert "It can be read in 2 ways, of which this is one." in said
    assert "Ben: meld 5♣ 6♣ ★ " in said
    # On record it stands for neither: nobody said which.
    assert "Meld 5♣, 6♣, ★: legal" in text_of(marker.open(f"{game}/log"))
    assert "Meld 5♣ 6♣ ★. Legal" in text_of(marker.open(f"{game}/tally"))


def test_a_wild_card_in_a_set_of_any_suits_is_given_no_suit(marker):
    game = begin(marker, ("Ana", "Ben"), game="three_thirteen")
    # TTN-3, TTN-4: threes are wild in hand 1, and a set is of any suits.
    for cards, says in (
        (["KC", "KD", "3H"], "K♣ K♦ 3♥ is a set."),
        (["3C", "3D", "3S"], "3♣ 3♦ 3♠ is a set."),
    ):
        page = ruling(marker, game, "meld", BEN, cards=cards)
        assert verdict(page) == "Legal"
        assert says in text_of(page)
        assert " for the " not in page
    page = ruling(marker, game, "declare", BEN, cards=["KC", "KD", "3H", "9S"])
    assert verdict(page) == "Legal"  # TTN-7: one card is discarded
    assert " for the " not in page
    page = ruling(marker, game, "meld", BEN, cards=["4S", "6S", "3H"])
    assert "4♠, 3♥ for 5♠, 6♠ is a run." in text_of(page)


def test_a_meld_that_stays_in_hand_is_not_taken_back_and_its_wild_cards_are_natural(marker, turned):
    page = ruling(marker, turned, "meld", BEN, cards=["7C", "7C", "7H"])
    assert verdict(page) == "Illegal"
    said = text_of(page)
    assert "IND-3" in said
    assert "taken back" not in said
    assert "Take the play back" not in said
    assert "On with the hand" in said
    # IND-5: a wild-rank card in its own place is natural, so both are clean.
    said = text_of(ruling(marker, turned, "meld", BEN, cards=["6C", "7C", "8C"]))
    assert "6♣ 7♣ 8♣ is a sequence." in said
    assert "It can be read in 2 ways, of which this is one." in said
    said = text_of(ruling(marker, turned, "meld", BEN, cards=["8C", "8D", "8S"]))
    assert "8♣ 8♦ 8♠ is a set." in said


def test_the_card_just_taken_from_the_pile_stays_for_the_turn(marker, turned):
    assert "the only card just taken from the pile" in marker.open(
        f"{turned}/ruling?ask=discard&player=1"
    )
    asked = ask(marker, turned, "discard", BEN, cards=["KC"])
    assert "Had Ben just taken K♣ from the pile, and nothing else?" in text_of(asked.text)
    page = marker.open(answered(marker, asked, drew="0").location)
    assert verdict(page) == "Legal"
    assert "Ben had not just taken that card from the pile as you said" in text_of(page)
    page = ruling(marker, turned, "discard", BEN, cards=["KC"], drew="1")
    assert verdict(page) == "Illegal"
    assert "IND-6" in page
    assert "K♣ was just taken from the pile" in text_of(page)


@pytest.mark.parametrize(
    ("kind", "fields", "rank", "word"),
    [
        ("declare", {"cards": RUMMY.split()}, "8", "Legal"),
        ("meld", {"cards": ["KC", "KD", "8D"]}, "9", "Illegal"),
    ],
)
def test_the_turned_card_that_decides_is_asked_for(marker, rummy, kind, fields, rank, word):
    asked = ask(marker, rummy, kind, BEN, **fields)
    page = asked.text
    assert "Which card was turned up?" in text_of(page)
    assert len(re.findall(r'name="turned" value="[A2-9TJQKX]"', page)) == 14
    # The choice stands above the cards, which are kept, also where it is none.
    assert page.index('name="turned"') < page.index('class="played"')
    refused = answered(marker, asked, turned="Z")
    assert refused.status_code == 422
    assert len(checked(refused.text, "cards")) == len(fields["cards"])
    assert len(marker.loaded(rummy).entries) == 1
    answer, again = (answered(marker, asked, turned=rank) for _ in range(2))
    assert answer.location == again.location
    page = marker.open(answer.location)
    assert verdict(page) == word
    assert "Turned up: " in text_of(page)
    loaded = marker.loaded(rummy)
    assert loaded.sheet.hand.turned.text == rank
    assert len(loaded.entries) == 3  # the start, the card, the ruling


def test_a_ruling_states_the_turned_card_which_can_be_changed_there(marker, rummy):
    asked = ask(marker, rummy, "meld", BEN, cards=["KC", "KD", "8D"])
    first = answered(marker, asked, turned="9").location
    marker.open(first)
    page = marker.open(first)
    assert verdict(page) == "Illegal"
    assert "Turned up: 9 on record Change" in text_of(page)
    asked = changed(marker, page, "Turned up")
    assert "Which card was turned up?" in text_of(asked.text)
    page = marker.open(answered(marker, asked, turned="8").location)
    assert verdict(page) == "Legal"
    assert "Turned up: 8 on record Change" in text_of(page)
    assert marker.loaded(rummy).sheet.hand.turned is Rank.EIGHT
    # The ruling that it replaced still says what it was given by.
    said = text_of(marker.open(first))
    assert "This ruling was replaced." in said
    assert "Turned up: 9 no longer on record" in said
    # The same card again is nothing new, and a discard does not depend on it.
    last = answered(marker, changed(marker, page, "Turned up"), turned="8").location
    assert verdict(marker.open(last)) == "Legal"
    page = ruling(marker, rummy, "discard", BEN, cards=["KC"], drew="0")
    assert "Turned up" not in text_of(page)
    marker.write(rummy, CardTurned(1, "9"))
    assert "Turned up: 8 no longer on record Change" in text_of(marker.open(last))
    for _ in range(3):  # the card, the discard and the last ruling on the meld are undone
        undo(marker, rummy)
    marker.write(rummy, CardTurned(1, "9"))
    said = text_of(marker.open(last))
    assert "This ruling was undone." in said
    assert "Turned up: 8 no longer on record" in said
