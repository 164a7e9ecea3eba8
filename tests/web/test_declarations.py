"""Rulings on Rummies, and on what else is disputed where melds stay in hand (IND-2 … IND-6, IND-8).

Where an 8 was turned, eights are wild, and so are the two printed jokers.
"""

import re

import pytest

from tests.web.asking import ANA, BEN, answered, ask, ruling, text_of, the_book
from tests.web.conftest import Marker, begin, checked, text

# Two clean sequences, a sequence with a joker, and a set with an eight for the king of hearts.
RUMMY = "4H 5H 6H 7H 9C TC JC 2S XX 4S KC KD 8D"
# The same without a clean sequence but one: the jack of clubs is a king of hearts.
NONE = "4H 5H 6H 7H 9C TC KH 2S XX 4S KC KD 8D"
GROUPS = ["meld 4H 5H 6H 7H", "meld 9C TC JC", "meld 2S XX 4S", "meld KC KD 8D"]


@pytest.fixture
def rummy(marker: Marker) -> str:
    """The address of a game in which an 8 was turned."""
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="indian_rummy")
    marker.saved(f"{game}/turned", {"rank": "8"})
    return game


def test_all_cards_are_tapped_and_the_app_finds_the_melds(app, marker, rummy):
    page = ruling(marker, rummy, "declare", BEN, cards=RUMMY.split())
    said = text_of(page)
    assert "Legal" in said
    assert "13 cards in 4 melds, 2 clean sequences among them" in said
    assert " for the king of " in page
    sheet = the_book(app, marker, rummy).sheet
    assert not sheet.hand.board.table.melds
    assert f'href="{rummy}/end?out=1"' in page
    assert checked(marker.open(f"{rummy}/end?out=1"), "out") == [BEN]
    assert "Ruling on Ben: Declared 4♥ 5♥ 6♥ 7♥" in text_of(marker.open(f"{rummy}/log"))


def test_a_wrong_declaration_is_charged_by_one_button(app, marker, rummy):
    page = ruling(marker, rummy, "declare", BEN, cards=NONE.split())
    said = text_of(page)
    assert "Illegal" in said
    assert "80 points to Ben (IND-8)." in said
    assert "Charge Ben 80" in said
    assert "IND-5" in said
    number = page.partition("/enforce")[0].rpartition("/")[2]
    done = marker.act(f"{rummy}/rulings/{number}", to=f"{rummy}/rulings/{number}/enforce")
    assert done.location == rummy
    assert "80 points to Ben (IND-8). Ben plays on with the same cards." in text(
        marker.open(done.location)
    )
    assert the_book(app, marker, rummy).sheet.total(1) == 80


def test_a_player_may_insist_on_groups(marker, rummy):
    composed = ask(marker, rummy, "declare", BEN, cards=["4H", "5H", "6H", "7H"], add="meld")
    assert composed.status_code == 303
    page = marker.open(composed.location)
    assert "Take group 1 apart" in page
    # One four of hearts of the two packs is left to be tapped.
    assert not re.search(r'value="4H"[^>]* disabled', page)
    assert "Legal" in ruling(marker, rummy, "declare", BEN, play=GROUPS)
    bad = ["meld 4H 5H 6H", "meld 9C TC JC", "meld 2S XX 4S", "meld KC KD 8D"]
    said = text_of(ruling(marker, rummy, "declare", BEN, play=bad, cards=["7H"]))
    assert "In no meld: 7♥." in said
    assert "Ask again with changes" in said
    again = re.findall(r'href="([^"]+ask=declare[^"]+)"', marker.open(f"{rummy}/rulings/4"))[0]
    page = marker.open(again.replace("&amp;", "&"))
    assert checked(page, "cards") == ["7H"]
    assert "Take group 4 apart" in page
    dropped = ask(marker, rummy, "declare", BEN, play=GROUPS, drop="0")
    assert "Take group 3 apart" in marker.open(dropped.location)
    assert "Take group 4 apart" not in marker.open(dropped.location)


def test_cards_that_are_no_declaration_are_refused_and_kept(marker, rummy):
    for fields, sentence in (
        ({"cards": RUMMY.split()[:12]}, "A declaration is 13 cards, not 12"),
        ({}, "Tap the cards that were declared."),
        ({"play": ["meld 1C"]}, "“1C” is not a card"),
        ({"play": ["take_pile"]}, "Tap the cards"),
    ):
        answer = ask(marker, rummy, "declare", BEN, **fields)
        assert answer.status_code == 422
        assert sentence in text(answer.text)


def test_a_meld_that_stays_in_hand_is_not_taken_back(app, marker, rummy):
    said = text_of(ruling(marker, rummy, "meld", BEN, cards=["7C", "7C", "7H"]))
    assert "Illegal" in said
    assert "IND-3" in said
    assert "taken back" not in said
    assert "Take the play back" not in said
    assert "On with the hand" in said
    assert not the_book(app, marker, rummy).sheet.hand.board.table.melds


def test_the_card_just_taken_from_the_pile_stays_for_the_turn(marker, rummy):
    assert "Just taken from the pile" in marker.open(f"{rummy}/ruling?ask=discard&player=1")
    asked = ask(marker, rummy, "discard", BEN, cards=["KC"])
    assert "Had Ben just taken K♣ from the pile, and nothing else?" in text_of(asked.text)
    said = text_of(marker.open(answered(marker, asked, drew="0").location))
    assert "Legal" in said
    assert "Ben had not just taken that card from the pile as you said" in said
    said = text_of(ruling(marker, rummy, "discard", BEN, cards=["KC"], drew="1"))
    assert "Illegal" in said
    assert "IND-6" in said
    assert "K♣ was just taken from the pile" in said


@pytest.fixture
def unturned(marker: Marker) -> str:
    """The address of a game in which nobody said which card was turned."""
    return begin(marker, ("Ana", "Ben", "Chandi"), game="indian_rummy")


@pytest.mark.parametrize(
    ("kind", "fields", "rank", "word"),
    [
        ("declare", {"cards": RUMMY.split()}, "8", "Legal"),
        ("meld", {"cards": ["KC", "KD", "8D"]}, "9", "Illegal"),
    ],
)
def test_the_turned_card_that_a_ruling_depends_on_is_asked_with_one_tap_and_kept(
    app, marker, unturned, kind, fields, rank, word
):
    asked = ask(marker, unturned, kind, BEN, **fields)
    page = asked.text
    assert "Which card was turned up?" in text_of(page)
    assert len(re.findall(r'name="turned" value="[A2-9TJQKX]"', page)) == 14
    # The choice stands above the cards, which are kept.
    assert page.index('name="turned"') < page.index('class="played"')
    answer, again = (answered(marker, asked, turned=rank) for _ in range(2))
    assert answer.location == again.location
    said = text_of(marker.open(answer.location))
    assert word in said.split()
    assert "Turned up: " in said
    loaded = the_book(app, marker, unturned)
    turned = loaded.sheet.hand.turned
    assert turned is not None
    assert turned.text == rank
    assert len(loaded.entries) == 3  # the start, the card, the ruling


def test_a_turned_card_that_is_none_is_refused_and_the_cards_are_kept(app, marker, unturned):
    asked = ask(marker, unturned, "declare", BEN, cards=RUMMY.split())
    answer = answered(marker, asked, turned="Z")
    assert answer.status_code == 422
    assert len(re.findall(r" checked", answer.text)) == 13
    assert len(the_book(app, marker, unturned).entries) == 1


def test_the_turned_card_can_be_said_before_the_question(marker, unturned):
    assert "Which card was turned up?" in marker.open(f"{unturned}/ruling")
    fields = {"rank": "8", "after": "ruling"}
    answer = marker.act(f"{unturned}/ruling", fields, to=f"{unturned}/turned")
    assert answer.location == f"{unturned}/ruling"


def test_only_what_the_game_disputes_is_offered(marker, rummy, game):
    page = marker.open(f"{rummy}/ruling")
    assert re.findall(r'name="ask" value="(\w+)"', page) == ["discard", "meld", "declare"]
    assert f"{rummy}/table" not in page
    assert marker.client.get(f"{rummy}/table").status_code == 404
    assert 'value="declare"' not in marker.open(f"{game}/ruling")
    page = marker.open(f"{begin(marker, ('Ana', 'Ben'), game='pay_me')}/ruling")
    assert 'value="discard"' not in page
    assert "Pay me!" in page
    answer = ask(marker, game, "turn", ANA, ask="declare", cards=["5C"])
    assert answer.status_code == 422
    assert "No rule of Proter decides on that." in text(answer.text)


def test_the_tally_and_a_file_keep_a_declaration(marker, other_marker, rummy):
    ruling(marker, rummy, "declare", BEN, play=GROUPS)
    tally = text_of(marker.open(f"{rummy}/tally"))
    assert "Hand 1, Ben: legal" in tally
    rows = marker.client.get(f"{rummy}/tally.csv").text
    assert "grouped as 4♥ 5♥ 6♥ 7♥; 9♣ 10♣ J♣" in rows
    assert "Declared 4♥ 5♥" in text_of(marker.open(f"{rummy}/rulings"))
