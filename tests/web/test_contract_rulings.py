"""First melds against the contract. Hand 1 of Carioca: 2 trios (CAR-3). Ben plays first."""

import re
from html import unescape
from typing import Any

import pytest

from tests.web.asking import (
    BEN,
    CHANDI,
    answered,
    ask,
    changed,
    ruling,
    text_of,
    the_book,
    undo,
    verdict,
)
from tests.web.conftest import Marker, begin, checked, text

EARLIER, NOW, NO = "earlier", "turn", "no"
TWO_TRIOS = ["meld 7C 7D 7H", "meld 8C 8D 8H"]


@pytest.fixture
def game(marker: Marker) -> str:
    return begin(marker, ("Ana", "Ben", "Chandi"), game="carioca")


def verdict_of(marker: Marker, game: str, **fields: object) -> str:
    """Ask, and read the page of the ruling."""
    asked = ask(marker, game, "contract", BEN, **fields)
    assert asked.status_code == 303, asked.text
    return marker.open(asked.location)


def test_it_is_asked_of_games_with_contracts_alone(marker, game):
    page = marker.open(f"{begin(marker, ('Ana', 'Ben', 'Chandi'), game='kalooki')}/ruling")
    assert 0 < page.index(">First melds</button>") < page.index("Further meld")
    other = begin(marker, ("Ana", "Ben"), game="pay_me")
    assert "First melds" not in marker.open(f"{other}/ruling?ask=contract&player={BEN}")
    hidden = marker.hidden(f"{other}/ruling?ask=meld&player={BEN}", f"{other}/ruling")
    fields = {"ask": "contract", "player": BEN, "play": TWO_TRIOS}
    refused = marker.post(f"{other}/ruling", fields, **hidden)
    assert refused.status_code == 422
    assert "No rule of Pay Me decides on that." in refused.text


def test_melds_are_tapped_one_after_the_other(marker, game):
    page = marker.open(f"{game}/ruling?ask=contract&player={BEN}")
    assert re.search(r"<dt>Contract</dt>\s*<dd>2 trios</dd>", page)
    two = {"play": ["meld 7C 7D 7H"], "cards": ["8C", "8D"]}
    both = ask(marker, game, "contract", BEN, add="meld", **two)
    assert 'name="drop" value="1"' in marker.open(both.location)
    one = ask(marker, game, "contract", BEN, play=TWO_TRIOS, drop="1")
    assert "play=meld+7C+7D+7H" in one.location
    assert "8C" not in one.location


def test_the_cards_tapped_last_need_no_tap_to_be_the_last_meld(app, marker, game):
    page = verdict_of(marker, game, play=["meld 7C 7D XX"], cards=["8C", "8D", "8H"])
    said = text_of(page)
    assert "Legal" in said
    assert "The first melds of Ben. The contract is 2 trios." in said
    assert "trio 1 of 2" in said
    assert "trio 2 of 2" in said
    assert "Added to the record." in said
    loaded = the_book(app, marker, game)
    table = loaded.sheet.hand.board.table
    assert [meld.text for meld in table.melds] == ["7C 7D XX=7H", "8C 8D 8H"]
    (line,) = loaded.sheet.hand.rulings
    assert line.question.ask == "contract"
    # It is asked again with its melds as they were, and they can be taken apart.
    again = re.search(r'href="([^"]+)">Ask again', page)
    assert again is not None
    assert "ask=contract" in again[1]
    assert "play=meld+7C+7D+XX%3D7H" in again[1]
    assert 'name="drop" value="1"' in marker.open(unescape(again[1]))


def test_why_not_is_said_of_each_meld(marker, game):
    page = verdict_of(marker, game, play=["meld 7C 7D 7H", "meld 8C 8D 8H 8S"])
    said = text_of(page)
    assert "Illegal" in said
    assert "trio 1 of 2" in said
    assert "not part of it" in said
    assert "8♣ 8♦ 8♥ 8♠: 4 cards, and a trio of the contract has 3." in said
    assert "Still missing: 1 trio." in said
    assert f'href="{game}/rules#CAR-3"' in page
    assert "The melds are taken back." in said
    assert ">Take the melds back</button>" in page
    done = marker.saved(f"{game}/rulings/2", {}, to=f"{game}/rulings/2/enforce")
    page = marker.open(done.location)
    assert "Ben&#39;s first melds are taken back." in page
    assert "Nothing is recorded in this hand" in page


def test_what_is_no_question_is_told_so(marker, game):
    hidden = marker.hidden(f"{game}/ruling?ask=contract&player={BEN}", f"{game}/ruling")
    for fields, sentence in (
        ({}, "Tap the cards of a meld first, then those of the next one."),
        ({"play": ["discard 7C"]}, "The first melds of a player are melds, and nothing else."),
        ({"play": ["meld 7C", "?"]}, "?"),
    ):
        sent = {"ask": "contract", "player": BEN} | fields
        refused = marker.post(f"{game}/ruling", sent, **hidden)
        assert refused.status_code == 422
        assert sentence in text_of(refused.text)


# -- when it was met ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "rules"),
    [
        ("carioca", "turn", {EARLIER: "CAR-5", NO: "CAR-3"}),
        ("contract_rummy", "meld", {EARLIER: "", NOW: "CON-8", NO: "CON-3"}),
    ],
)
def test_it_depends_on_the_contract_and_each_choice_is_ruled_on(marker, name, kind, rules):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game=name)
    fields: dict[str, Any] = {
        "turn": {"play": ["meld 7C 7D 7H", "discard KC"]},
        "meld": {"cards": ["7C", "7D", "7H"]},
    }[kind]
    form = marker.open(f"{game}/ruling?ask={kind}&player={BEN}")
    assert re.findall(r'type="radio" name="contract" value="(\w+)"', form) == [*rules]
    assert not checked(form, "contract")
    for choice, rule in rules.items():
        asked = ask(marker, game, kind, BEN, **fields)
        assert "Had Ben met the contract?" in text(asked.text)
        page = marker.open(answered(marker, asked, contract=choice).location)
        assert verdict(page) == ("Illegal" if rule else "Legal")
        assert f'rules#{rule}"' in page if rule else "ruleno" not in page
        undo(marker, game)


def test_a_contract_on_record_is_not_said_to_be_missing(marker, game):
    ruling(marker, game, "contract", BEN, play=["meld 7C 7D 7H", "meld 8C 8D 8H"])
    for asks, player, offered in (
        ("lay_off", BEN, ["earlier", "turn"]),
        ("turn", BEN, ["earlier"]),
        ("lay_off", CHANDI, ["earlier", "turn", "no"]),
    ):
        page = marker.open(f"{game}/ruling?ask={asks}&player={player}")
        assert re.findall(r'name="contract" value="(\w+)"', page) == offered
    asked = ask(marker, game, "lay_off", BEN, cards=["7S"], onto="0")
    assert re.findall(r'<button [^>]*name="contract" value="(\w+)"', asked.text) == [
        "earlier",
        "turn",
    ]


def test_another_contract_is_asked_for_on_a_page_first(app, marker, game):
    fields = {"cards": ["7S"], "onto": "0", "seen": "7C 7D 7H", "contract": EARLIER}
    old = ruling(marker, game, "lay_off", BEN, **fields)
    asked = changed(marker, old, "Ben had met the contract in an earlier turn")
    assert "Ben: lay-off 7♠ on 7♣ 7♦ 7♥ " in text_of(asked.text)
    page = marker.open(answered(marker, asked, contract=NO).location)
    assert verdict(page) == "Illegal"
    assert "Ben had not met the contract as you said" in text_of(page)
    melds = the_book(app, marker, game).sheet.hand.board.table.melds
    assert [meld.text for meld in melds] == ["7C 7D 7H"]  # which still lies there
