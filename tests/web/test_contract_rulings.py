"""First melds against the contract. Hand 1 of Carioca: 2 trios (CAR-3). Ben plays first."""

import re

import pytest
from flask import Flask

from tests.web.asking import ANA, BEN, CHANDI, answered, ask, lay, text_of, the_book
from tests.web.conftest import Marker, begin

TWO_TRIOS = ["meld 7C 7D 7H", "meld 8C 8D 8H"]


@pytest.fixture
def game(marker: Marker) -> str:
    return begin(marker, ("Ana", "Ben", "Chandi"), game="carioca")


def verdict_of(marker: Marker, game: str, **fields: object) -> str:
    """Ask, and read the page of the ruling."""
    asked = ask(marker, game, "contract", BEN, **fields)
    assert asked.status_code == 303, asked.text
    return marker.open(asked.location)


def test_it_is_asked_of_games_with_contracts_alone(marker: Marker, game: str) -> None:
    assert ">First melds</button>" in marker.open(f"{game}/ruling")
    for other in (begin(marker, ("Ana", "Ben")), begin(marker, ("Ana", "Ben"), game="pay_me")):
        assert "First melds" not in marker.open(f"{other}/ruling?ask=contract&player={BEN}")
        hidden = marker.hidden(f"{other}/ruling?ask=meld&player={BEN}", f"{other}/ruling")
        fields = {"ask": "contract", "player": BEN, "play": TWO_TRIOS}
        refused = marker.post(f"{other}/ruling", fields, **hidden)
        assert refused.status_code == 422
        assert "has no contracts" in refused.text


def test_melds_are_tapped_one_after_the_other(marker: Marker, game: str) -> None:
    page = marker.open(f"{game}/ruling?ask=contract&player={BEN}")
    assert re.search(r"<dt>Contract</dt>\s*<dd>2 trios</dd>", page)
    first = ask(marker, game, "contract", BEN, cards=["7C", "7D", "7H"], add="meld")
    assert first.status_code == 303
    assert 'name="drop" value="0"' in marker.open(first.location)
    two = {"play": ["meld 7C 7D 7H"], "cards": ["8C", "8D"]}
    both = ask(marker, game, "contract", BEN, add="meld", **two)
    page = marker.open(both.location)
    assert 'name="drop" value="1"' in page
    one = ask(marker, game, "contract", BEN, play=TWO_TRIOS, drop="1")
    assert "play=meld+7C+7D+7H" in one.location
    assert "8C" not in one.location


def test_the_cards_tapped_last_need_no_tap_to_be_the_last_meld(
    app: Flask, marker: Marker, game: str
) -> None:
    page = verdict_of(marker, game, play=["meld 7C 7D XX"], cards=["8C", "8D", "8H"])
    said = text_of(page)
    assert "Legal" in said
    assert "The first melds of Ben, against 2 trios" in said
    assert "trio 1 of 2" in said
    assert "trio 2 of 2" in said
    assert "They stand on the recorded table." in said
    book = the_book(app, marker, game)
    table = book.sheet.hand.board.table
    assert [meld.text for meld in table.melds] == ["7C 7D XX=7H", "8C 8D 8H"]
    (line,) = book.sheet.hand.rulings
    assert line.given.ask == "contract"
    # A legal one is undone before it is asked again, with its melds as they were.
    again = marker.act(f"{game}/rulings/2", {}, to=f"{game}/table/dispute")
    assert "ask=contract" in again.location
    assert "play=meld+7C+7D+XX%3D7H" in again.location


def test_why_not_is_said_of_each_meld(marker: Marker, game: str) -> None:
    page = verdict_of(marker, game, play=["meld 7C 7D 7H", "meld 8C 8D 8H 8S"])
    said = text_of(page)
    assert "Illegal" in said
    assert "trio 1 of 2" in said
    assert "no part of it" in said
    assert "8♣ 8♦ 8♥ 8♠: 4 cards, and a trio of the contract has 3." in said
    assert "Still asked for: 1 trio." in said
    assert f'href="{game}/rules#CAR-3"' in page
    assert "The melds are taken back." in said
    assert ">Take the melds back</button>" in page
    done = marker.act(f"{game}/rulings/2", {}, to=f"{game}/rulings/2/enforce")
    assert done.status_code == 303
    page = marker.open(done.location)
    assert "Ben&#39;s first melds are taken back." in page
    assert "Nothing is recorded in this hand" in page


def test_too_few_melds_are_told_what_is_asked(marker: Marker, game: str) -> None:
    said = text_of(verdict_of(marker, game, cards=["7C", "7D", "7H"]))
    assert "Illegal" in said
    assert "Still asked for: 1 trio." in said
    again = re.search(r'href="([^"]+)">Ask again', marker.open(f"{game}/rulings/2"))
    assert again is not None
    assert 'name="drop" value="0"' in marker.open(again[1].replace("&amp;", "&"))


def test_a_joker_that_could_be_two_cards_is_asked_about(
    app: Flask, marker: Marker, game: str
) -> None:
    for number in range(1, 3):  # to hand 3, two escaleras
        end = {"out": ANA, f"points-{BEN}": "5", f"points-{CHANDI}": str(number + 5)}
        assert marker.act(f"{game}/end", end).status_code == 303
    melds = ["meld TH JH QH KH", "meld XX 5C 6C 7C"]
    asked = ask(marker, game, "contract", BEN, play=melds)
    assert asked.status_code == 200
    assert "Legal" in text_of(asked.text)
    assert asked.text.count('name="reading"') == 2
    done = answered(marker, asked, reading="5C 6C 7C XX=8C")
    assert done.status_code == 303
    table = the_book(app, marker, game).sheet.hand.board.table
    assert [meld.text for meld in table.melds] == ["TH JH QH KH", "5C 6C 7C XX=8C"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Tap the cards of a meld first, then those of the next one."),
        ({"play": ["discard 7C"]}, "The first melds of a player are melds, and nothing else."),
        ({"play": ["meld 7C 7C 7C"]}, "7♣"),
        ({"play": ["meld 7C", "?"]}, "?"),
        ({"play": TWO_TRIOS, "player": "9"}, "Say whose play it was."),
        ({"cards": ["nonsense"]}, "nonsen"),
    ],
)
def test_what_is_no_question_is_told_so(
    marker: Marker, game: str, fields: dict[str, object], sentence: str
) -> None:
    hidden = marker.hidden(f"{game}/ruling?ask=contract&player={BEN}", f"{game}/ruling")
    sent = {"ask": "contract", "player": BEN} | fields
    refused = marker.post(f"{game}/ruling", sent, **hidden)
    assert refused.status_code == 422
    assert sentence in text_of(refused.text)


def test_cards_that_lie_on_the_table_cannot_be_laid_again(marker: Marker, game: str) -> None:
    lay(marker, game, CHANDI, "7C", "7C", "7D")  # both of two packs
    refused = ask(marker, game, "contract", BEN, play=["meld 7C 7D 7H", "meld 8C 8D 8H"])
    assert refused.status_code == 422
    assert "7♣" in text_of(refused.text)


def test_only_markers_of_the_game_see_it(
    marker: Marker, other_marker: Marker, stranger: Marker, game: str
) -> None:
    verdict_of(marker, game, play=TWO_TRIOS)
    for page in (f"/ruling?ask=contract&player={BEN}", "/rulings/2"):
        stranger.open(f"{game}{page}", status=403)
        other_marker.open(f"{game}{page}", status=404)
