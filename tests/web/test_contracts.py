"""Whether a handful can make the contract: help that nothing is written down of."""

import pytest

from tests.web.asking import by_points, text_of, the_book
from tests.web.conftest import Marker, begin, checked

# Three runs, the contract of hand 7 of Contract Rummy.
TWELVE = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH"


@pytest.fixture
def game(marker: Marker) -> str:
    """Hand 1 of Carioca: 2 trios, 11 cards (CAR-1, CAR-3)."""
    return begin(marker, ("Ana", "Ben", "Chandi"), game="carioca")


def asked(marker: Marker, game: str, cards: str, status: int = 200) -> str:
    held = "".join(f"&cards={card}" for card in cards.split())
    return marker.open(f"{game}/contract?ask=1{held}", status)


def test_the_hand_leads_there_where_there_is_a_contract(marker, game):
    assert f'href="{game}/contract"' in marker.open(game)
    page = marker.open(f"{game}/contract")
    assert "Can these cards make 2 trios?" in page
    assert "verdict" not in page
    assert f"{game}/rules#CAR-3" in page


def test_melds_are_shown_where_there_are_any(app, marker, game):
    page = asked(marker, game, "7C 7D XX 8C 8D 8H KS")
    said = text_of(page)
    assert "Yes" in said
    assert 'aria-label="Joker for the 7 of hearts"' in page
    assert "Left: K♠" in said
    assert sorted(checked(page, "cards")) == sorted(["7C", "7D", "XX", "8C", "8D", "8H", "KS"])
    assert the_book(app, marker, game).sheet.number == 1  # nothing was written down


def test_what_is_missing_is_said(marker, game):
    said = text_of(asked(marker, game, "7C 7D XX KS"))
    assert "No This much of it can be made:" in said
    assert "Missing: 1 trio." in said
    assert "Missing: 2 trios." in text_of(asked(marker, game, "7C KS"))


def test_in_hand_7_of_contract_rummy_all_cards_go_into_it(marker):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="contract_rummy")
    by_points(marker, game, hands=6)
    assert "Yes" in text_of(asked(marker, game, TWELVE))
    said = text_of(asked(marker, game, f"{TWELVE} 9C"))
    assert "In hand 7 all cards held are melded at once, the 12 or all 13 after the draw" in said
    assert "Left: 9♣" in said


def test_where_one_card_is_discarded_in_hand_7_all_but_one_go_into_it(marker):
    rules = {"sheet": "gamerules", "rule-hand7": "twelve_and_discard"}
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="contract_rummy", **rules)
    by_points(marker, game, hands=6)
    assert "Yes" in text_of(asked(marker, game, f"{TWELVE} 9C"))
    said = text_of(asked(marker, game, "3C 4C 5C 7D 8D 9D JH QH KH 2S"))
    assert "In hand 7 all cards held but one are melded at once, 12 of 13" in said


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        ("", "Tap the cards that are held."),
        ("7C 7C 7C", "7♣"),
        ("nonsense", "nonsense"),
        ("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "13 cards are more than a player can hold: 12"),
    ],
)
def test_cards_that_nobody_holds(marker, game, cards, sentence):
    page = asked(marker, game, cards, 422)
    assert sentence in text_of(page)
    assert 'href="#cards"' in page


def test_where_there_is_no_contract_there_is_no_such_page(marker):
    for other in ({}, {"game": "pay_me"}, {"game": "indian_chief"}):
        game = begin(marker, ("Ana", "Ben"), **other)
        assert "/contract" not in marker.open(game)
        marker.open(f"{game}/contract", status=404)
