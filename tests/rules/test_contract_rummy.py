"""Contract Rummy's data (CON-1, CON-2, CON-3), its marks (CON-11), and what it can be asked."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed

SHEETS = ("denexa", "gamerules")


def asked(ask: str, **entries: Any) -> dict[str, Any]:
    return answer({"game": "contract_rummy", "ask": ask} | entries)


def test_marks():
    players = [
        {"name": "Ana", "left": "XX AS KC QD JH TS 9C 2D"},
        {"name": "Ben", "out": True},
        {"name": "Cem", "left": "5C 5C"},
    ]
    found = asked("score", players=players)["scores"]
    # 15 + 15 + 10 + 10 + 10 + 10 + 9 + 2
    assert {name: mark["points"] for name, mark in found.items()} == {
        "Ana": 81,
        "Ben": 0,
        "Cem": 10,
    }
    assert all(mark["penalties"] == [] for mark in found.values())


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        # Three players have two jokers on denexa, one on gamerules.
        ({"left": "XX XX XX"}, "★ is three times in Ana's cards, and there are only 2"),
        ({"left": "5C 5C 5C"}, "5♣ is three times in Ana's cards, and there are only 2"),
        ({"left": "XX XX", "sheet": "gamerules"}, "★ is twice in Ana's cards"),
        ({"left": "5C 5C", "sheet": "gamerules"}, "5♣ is twice in Ana's cards"),
        ({"left": "5C", "penalties": ["CON-3"]}, "Contract Rummy has no penalt"),
    ],
)
def test_impossible_marks_are_refused(entries, words):
    sheet = entries.pop("sheet", "denexa")
    players = [
        {"name": "Ana", **entries},
        {"name": "Ben", "left": "9D"},
        {"name": "Cem", "out": True},
    ]
    with pytest.raises(Malformed, match=words):
        asked("score", sheet=sheet, players=players)


@pytest.mark.parametrize(
    ("sheet", "drew", "broken"),
    [("denexa", "2C", []), ("gamerules", "2C", ["CON-9"]), ("gamerules", "3C", [])],
)
def test_the_single_card_drawn_from_the_pile(sheet, drew, broken):
    ruling = asked("discard", sheet=sheet, card="2C", player={"drew": drew})
    assert ruling["broken"] == broken


@pytest.mark.parametrize("ask", ["meld", "lay_off", "swap", "turn", "contract"])
def test_a_question_that_depends_on_the_hand_needs_its_number(ask):
    with pytest.raises(Malformed, match="“hand” is missing"):
        asked(ask)


def test_an_arrangement_is_the_same_in_every_hand():
    # Sets of any suits and a run of four, and the king that is left; on gamerules the two fives of
    # one suit are in no set of that sheet, and three of the run are enough.
    cards = "5C 5C 5D 7H 8H 9H TH KS"
    assert asked("arrange", cards=cards)["points"] == 10
    assert asked("arrange", sheet="gamerules", cards=cards)["points"] == 5 + 5 + 5 + 10
