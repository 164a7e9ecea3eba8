"""Contract Rummy's data (CON-1, CON-2, CON-3), its marks (CON-11), and what it can be asked."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import parse_card
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed, NotInThisGame
from companion.rules.games import game_named
from companion.rules.games.contract_rummy import CONTRACT_RUMMY

SHEETS = ("denexa", "gamerules")


def asked(ask: str, **entries: Any) -> dict[str, Any]:
    return answer({"game": "contract_rummy", "ask": ask} | entries)


@pytest.mark.parametrize(
    ("sheet", "decks"),
    [
        # denexa: two packs and one joker fewer than players; gamerules: one pack and one joker,
        # which cannot serve five players of twelve cards.
        ("denexa", [(2, 2), (2, 3), (2, 4)]),
        ("gamerules", [(1, 1), (1, 1), (2, 2)]),
    ],
)
def test_packs(sheet, decks):
    assert game_named("contract_rummy") is CONTRACT_RUMMY
    assert [
        CONTRACT_RUMMY.deck(CONTRACT_RUMMY.house(sheet), players) for players in (3, 4, 5)
    ] == decks
    for players in (3, 4, 5):
        packs, jokers = CONTRACT_RUMMY.deck(CONTRACT_RUMMY.house(sheet), players)
        assert all(
            players * CONTRACT_RUMMY.dealt(hand, sheet) < 52 * packs + jokers
            for hand in range(1, 8)
        )
    with pytest.raises(Malformed, match="Contract Rummy is played by 3 to 5, not 6"):
        CONTRACT_RUMMY.deck(CONTRACT_RUMMY.house(sheet), 6)


def test_why_five_players_have_two_packs_is_said():
    (*others, five) = CONTRACT_RUMMY.decks_of(CONTRACT_RUMMY.house("gamerules"))
    assert "53 cards, and five players of twelve cards need 60" in five.says
    assert not any(
        one.says for one in (*others, *CONTRACT_RUMMY.decks_of(CONTRACT_RUMMY.house("denexa")))
    )


def test_deals():
    assert [CONTRACT_RUMMY.dealt(hand, "denexa") for hand in range(1, 8)] == [10] * 3 + [12] * 4
    assert [CONTRACT_RUMMY.dealt(hand, "gamerules") for hand in range(1, 8)] == [10] * 4 + [12] * 3
    # Clockwise, that is to the left.
    assert CONTRACT_RUMMY.deal_passes == "left"


@pytest.mark.parametrize("sheet", SHEETS)
def test_contracts(sheet):
    found = []
    for hand in range(1, 8):
        rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house(sheet), hand)
        assert isinstance(rules, ContractJudge)
        found.append((rules.contract.sets, rules.contract.runs))
        at_once = ["every card held"] if hand == 7 else []
        assert [need.says for need in rules.needs()][1:] == ["jokers", *at_once]
    assert found == [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]


def test_in_hand_7_players_have_to_know_how_many_cards_go_at_once():
    house = CONTRACT_RUMMY.house(rules={"hand7": "twelve_and_discard"})
    needs = CONTRACT_RUMMY.rules(house, 7).needs()
    assert [need.says for need in needs] == ["3 runs", "jokers", "every card held but the discard"]


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_sheets_are_what_the_rulebook_says(sheet):
    assert dict(CONTRACT_RUMMY.house(sheet).values) == {
        "exact_contract": "no",
        "min_naturals": 1,
        "hand7": "all_cards",
    }
    assert [rule.rule for rule in CONTRACT_RUMMY.house_rules] == ["CON-3", "CON-6", "CON-10"]
    assert CONTRACT_RUMMY.sheets[0].id == "denexa"


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(
    ("card", "points"),
    [
        *(("XX", 15), ("AS", 15), ("AH", 15)),
        *(("KC", 10), ("QD", 10), ("JH", 10), ("TS", 10)),
        *((f"{number}H", number) for number in range(2, 10)),
    ],
)
def test_values(sheet, card, points):
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house(sheet), 1)
    assert rules.value(parse_card(card)) == points


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
def test_what_are_no_marks(entries, words):
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
def test_what_depends_on_the_hand_needs_its_number(ask):
    with pytest.raises(Malformed, match="“hand” is missing"):
        asked(ask)


def test_an_arrangement_is_the_same_in_every_hand():
    # Sets of any suits and a run of four, and the king that is left; on gamerules the two fives of
    # one suit are in no set of that sheet, and three of the run are enough.
    cards = "5C 5C 5D 7H 8H 9H TH KS"
    assert asked("arrange", cards=cards)["points"] == 10
    assert asked("arrange", sheet="gamerules", cards=cards)["points"] == 5 + 5 + 5 + 10


@pytest.mark.parametrize("ask", ["declare", "round"])
def test_what_cannot_be_asked(ask):
    with pytest.raises(NotInThisGame, match="Contract Rummy has no question"):
        asked(ask, hand=1)
