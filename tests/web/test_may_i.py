"""“May I?” (CON-9). Ana deals; Ben, at Ana's left, plays first, then Chandi."""

import re

import pytest

from tests.web.asking import ANA, BEN, CHANDI, text_of
from tests.web.conftest import Marker, begin, checked


@pytest.fixture
def game(marker: Marker) -> str:
    return begin(marker, ("Ana", "Ben", "Chandi"), game="contract_rummy")


def get_card(marker: Marker, game: str, asked: list[str], **fields: str) -> str:
    """Ask, and open the page of the ruling."""
    sent = {"asked": asked, "player": BEN, "last_taker": "nobody"} | fields
    answer = marker.saved(f"{game}/may-i", sent)
    return marker.open(answer.location)


def test_the_page_of_disputes_leads_there_with_who_plays(marker, game):
    page = marker.open(f"{game}/ruling")
    assert f'formaction="{game}/may-i">May I?</button>' in page
    assert checked(marker.open(f"{game}/may-i?player={CHANDI}"), "player") == [CHANDI]
    form = marker.open(f"{game}/may-i")
    assert checked(form, "player") == []
    assert checked(form, "asked") == []
    assert checked(form, "last_taker") == ["nobody"]


def test_who_sits_nearest_gets_the_card_and_it_is_kept(marker, game):
    page = get_card(marker, game, [ANA, CHANDI])
    said = text_of(page)
    assert "Chandi gets the card" in said
    assert "Of Ana and Chandi, Chandi sits nearest to the left of Ben" in said
    assert f'href="{game}/rules#CON-9"' in page
    assert "It was Ben’s turn. Ana and Chandi asked for the card." in said
    assert "Undo: “May I?”: Chandi gets the card" in page
    index = marker.open(f"{game}/rulings")
    assert "Chandi gets the card" in text_of(index)
    address = re.search(rf"{game}/may-i/\d+", index)
    assert address is not None
    assert "Chandi gets the card" in text_of(marker.open(address[0]))
    assert address[0] in marker.open(f"{game}/hands/1")
    assert "Hand 1: “May I?”: Chandi gets the card" in text_of(marker.open(f"{game}/tally"))


def test_nobody_takes_two_in_a_row(marker, game):
    page = get_card(marker, game, [CHANDI])
    assert "Ask about the next card" in page
    assert checked(marker.open(f"{game}/may-i?player={BEN}"), "last_taker") == [CHANDI]
    page = get_card(marker, game, [CHANDI], last_taker=CHANDI)
    said = text_of(page)
    assert "Nobody gets the card" in said
    assert "nobody takes two in a row" in said
    assert "Chandi took the card before it." in said


def test_an_undone_one_stays_readable(marker, game):
    get_card(marker, game, [ANA])
    marker.post(f"{game}/undo", marker.hidden(game, f"{game}/undo"))
    assert "This ruling was undone." in marker.open(f"{game}/may-i/2")
    assert "Nobody has asked yet." in marker.open(f"{game}/rulings")


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"player": BEN}, "asked", "Say who asked for the card."),
        ({"asked": [ANA]}, "player", "Say whose turn it was."),
        ({"asked": [ANA, BEN], "player": BEN}, "asked", "It is Ben&#39;s turn"),
        ({"asked": [ANA], "player": "x"}, "player", "Say whose turn it was."),
        ({"asked": ["7"], "player": BEN}, "asked", "There is no seat 7"),
    ],
)
def test_what_is_missing_is_said_and_what_was_entered_stays(marker, game, fields, field, sentence):
    answer = marker.refused(f"{game}/may-i", fields)
    assert f'href="#{field}">{sentence}' in answer.text
    asked = fields.get("asked", [])
    assert isinstance(asked, list)
    assert checked(answer.text, "asked") == [seat for seat in asked if seat != "7"]


def test_last_taker_that_there_is_not(marker, game):
    sent = {"asked": [ANA], "player": BEN, "last_taker": "9"}
    marker.refused(f"{game}/may-i", sent)


@pytest.mark.parametrize("number", ["1", "9", "x", "-1"])
def test_a_ruling_that_there_is_not(marker, game, number):
    marker.open(f"{game}/may-i/{number}", status=404)
    marker.open("/games/nothing/may-i", status=404)


@pytest.mark.parametrize(
    "fields", [{"game": "contract_rummy", "sheet": "gamerules"}, {"game": "carioca"}, {}]
)
def test_where_no_rule_lets_others_ask_there_is_no_such_page(marker, fields):
    other = begin(marker, ("Ana", "Ben", "Chandi"), **fields)
    assert "May I?" not in marker.open(f"{other}/ruling")
    marker.open(f"{other}/may-i", status=404)
