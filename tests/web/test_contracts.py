"""What only contract games have: whether a handful makes the contract, and “May I?” (CON-9).

Ana deals; Ben, at Ana's left, plays first, then Chandi.
"""

import re

import pytest

from tests.notebook.evening import Evening, started
from tests.web.asking import ANA, BEN, CHANDI, text_of, the_book, undo
from tests.web.conftest import Marker, begin, checked, read_in

NAMES = ("Ana", "Ben", "Chandi")


# -- whether cards make the contract: nothing is written down -------------------------------------


@pytest.fixture
def carioca(marker: Marker) -> str:
    """Hand 1 of Carioca: 2 trios, 11 cards (CAR-1, CAR-3)."""
    return begin(marker, NAMES, game="carioca")


def asked(marker: Marker, game: str, cards: str, status: int = 200) -> str:
    held = "".join(f"&cards={card}" for card in cards.split())
    return marker.open(f"{game}/contract?ask=1{held}", status)


def test_the_hand_leads_there_and_melds_are_shown_where_there_are_any(app, marker, carioca):
    assert f'href="{carioca}/contract"' in marker.open(carioca)
    page = marker.open(f"{carioca}/contract")
    assert "Can these cards make 2 trios?" in page
    assert "verdict" not in page
    assert f"{carioca}/rules#CAR-3" in page
    page = asked(marker, carioca, "7C 7D XX 8C 8D 8H KS")
    said = text_of(page)
    assert "Yes" in said
    assert 'aria-label="Joker for the 7 of hearts"' in page
    assert "Left: K♠" in said
    assert sorted(checked(page, "cards")) == sorted(["7C", "7D", "XX", "8C", "8D", "8H", "KS"])
    said = text_of(asked(marker, carioca, "7C 7D XX KS"))
    assert "No This much of it can be made:" in said
    assert "Missing: 1 trio." in said
    assert the_book(app, marker, carioca).sheet.number == 1  # nothing was written down


@pytest.mark.parametrize(
    ("house", "too_many", "says"),
    [
        # Three runs, and one card more.
        (
            {},
            "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH 9C",
            "In hand 7 all cards held are melded at once, the 12 or all 13 after the draw",
        ),
        (
            {"sheet": "gamerules", "hand7": "twelve_and_discard"},
            "3C 4C 5C 7D 8D 9D JH QH KH 2S",
            "In hand 7 all cards held but one are melded at once, 12 of 13",
        ),
    ],
)
def test_in_hand_7_of_contract_rummy_it_is_said_how_many_cards_go_into_it(
    marker, house, too_many, says
):
    evening = Evening(started(game="contract_rummy", **house))
    evening.mark_hands(6)
    game = read_in(marker, evening)
    assert "Yes" in text_of(asked(marker, game, "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH"))
    assert says in text_of(asked(marker, game, too_many))


def test_cards_that_nobody_holds(marker, carioca):
    many = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
    for cards, sentence in (
        ("", "Tap the cards that are held."),
        ("7C 7C 7C", "7♣"),
        ("nonsense", "nonsense"),
        (many, "13 cards are more than a player can hold: 12"),
    ):
        page = asked(marker, carioca, cards, 422)
        assert sentence in text_of(page)
        assert 'href="#cards"' in page


# -- “May I?” --------------------------------------------------------------------------------------


@pytest.fixture
def game(marker: Marker) -> str:
    return begin(marker, NAMES, game="contract_rummy")


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
    assert "Of Ana and Chandi, Chandi sits nearest to the left of Ben" in said
    assert f'href="{game}/rules#CON-9"' in page
    assert "It was Ben’s turn. Ana and Chandi asked for the card." in said
    assert "Undo: “May I?”: Chandi gets the card" in page
    assert "Ask about the next card" in page
    assert checked(marker.open(f"{game}/may-i?player={BEN}"), "last_taker") == [CHANDI]
    index = marker.open(f"{game}/rulings")
    assert "Chandi gets the card" in text_of(index)
    address = re.search(rf"{game}/may-i/\d+", index)
    assert address is not None
    assert address[0] in marker.open(f"{game}/hands/1")
    assert "Hand 1: “May I?”: Chandi gets the card" in text_of(marker.open(f"{game}/tally"))
    said = text_of(get_card(marker, game, [CHANDI], last_taker=CHANDI))
    assert "Nobody gets the card" in said
    assert "Chandi took the card before it." in said
    # An undone one stays readable.
    for _ in range(2):
        undo(marker, game)
    assert "This ruling was undone." in marker.open(address[0])
    assert "Nobody has asked yet." in marker.open(f"{game}/rulings")


def test_what_is_missing_is_said_and_what_was_entered_stays(marker, game):
    for fields, field, sentence in (
        ({"player": BEN}, "asked", "Say who asked for the card."),
        ({"asked": [ANA]}, "player", "Say whose turn it was."),
        ({"asked": ["7"], "player": BEN}, "asked", "There is no seat 7"),
        ({"asked": [ANA], "player": BEN, "last_taker": "9"}, "player", "Say which player"),
    ):
        answer = marker.refused(f"{game}/may-i", fields)
        assert f'href="#{field}">{sentence}' in answer.text
        kept = [seat for seat in fields.get("asked", ()) if seat != "7"]
        assert checked(answer.text, "asked") == kept


def test_a_ruling_that_there_is_not(marker, game):
    for number in ("1", "9", "x"):
        marker.open(f"{game}/may-i/{number}", status=404)


# -- where there is neither ------------------------------------------------------------------------


def test_a_game_without_them_has_no_such_pages(marker, carioca):
    proter = begin(marker, NAMES)
    assert "/contract" not in marker.open(proter)
    marker.open(f"{proter}/contract", status=404)
    for other in (carioca, proter, begin(marker, NAMES, game="contract_rummy", sheet="gamerules")):
        assert "May I?" not in marker.open(f"{other}/ruling")
        marker.open(f"{other}/may-i", status=404)
