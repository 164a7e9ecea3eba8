"""Carioca's data (CAR-1, CAR-3) and its marks (CAR-7)."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import parse_card
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games import game_named
from companion.rules.games.carioca import CARIOCA, CariocaJudge


def test_hands_packs_and_deal():
    assert game_named("carioca") is CARIOCA
    assert (CARIOCA.hands, CARIOCA.players, CARIOCA.deal_passes) == (7, (2, 5), "right")
    assert [CARIOCA.dealt(hand) for hand in range(1, 8)] == [11, 11, 11, 11, 11, 11, 12]
    assert {CARIOCA.deck(CARIOCA.house(), players) for players in range(2, 6)} == {Deck(2, 4)}
    with pytest.raises(Malformed, match="Carioca is played by 2 to 5, not 6"):
        CARIOCA.deck(CARIOCA.house(), 6)
    assert CARIOCA.wild_rank(1) is None


@pytest.mark.parametrize(
    ("hand", "trios", "escaleras", "says"),
    [
        (1, 2, 0, "2 trios"),
        (2, 1, 1, "1 trio and 1 escalera"),
        (3, 0, 2, "2 escaleras"),
        (4, 3, 0, "3 trios"),
        (5, 2, 1, "2 trios and 1 escalera"),
        (6, 1, 2, "1 trio and 2 escaleras"),
        (7, 0, 3, "3 escaleras"),
    ],
)
def test_contracts(hand, trios, escaleras, says):
    rules = CARIOCA.rules(CARIOCA.house(), hand)
    assert isinstance(rules, CariocaJudge)
    assert rules.contract == (trios, escaleras)
    assert [(need.what, need.says) for need in rules.needs()] == [
        ("Contract", says),
        ("Wild", "jokers"),
    ]


def test_the_sheet_is_what_the_rulebook_says():
    assert dict(CARIOCA.house("carioca").values) == {
        "exact_contract": "yes",
        "lay_off_on_contract_turn": "no",
        "new_melds_after_contract": "no",
    }
    assert [rule.rule for rule in CARIOCA.house_rules] == ["CAR-3", "CAR-5", "CAR-5"]
    with pytest.raises(Malformed, match="Carioca has no house rule “ace_in_runs”"):
        CARIOCA.house(None, {"ace_in_runs": "high"})
    with pytest.raises(Malformed, match="Carioca has no sheet “loba”"):
        CARIOCA.house("loba")


@pytest.mark.parametrize(
    ("card", "points"),
    [
        *(("XX", 50), ("AS", 20), ("AH", 20), ("KC", 10), ("QD", 10), ("JH", 10), ("TS", 10)),
        *((f"{number}C", number) for number in range(2, 10)),
    ],
)
def test_values(card, points):
    assert CARIOCA.rules(CARIOCA.house(), 1).value(parse_card(card)) == points


def score(*players: dict[str, Any]) -> Any:
    question = {"game": "carioca", "ask": "score", "hand": 1, "players": [*players]}
    return answer(question)["scores"]


def test_marks_are_the_cards_left_and_none_for_who_went_out():
    assert score(
        {"name": "Ana", "left": "XX AS KC 9D"},
        {"name": "Ben", "left": "XX XX XX 2C 2C"},
        {"name": "Cem", "out": True},
    ) == {
        "Ana": {"points": 89, "cards": 89, "penalties": []},
        "Ben": {"points": 154, "cards": 154, "penalties": []},
        "Cem": {"points": 0, "cards": 0, "penalties": []},
    }


@pytest.mark.parametrize(
    ("players", "where", "words"),
    [
        ([{"name": "A", "left": "2C", "penalties": ["CAR-5"]}], "penalties", "it has none"),
        ([{"name": "A", "left": "2C 2C 2C"}], "left", "2♣ is three times in A's cards"),
        ([{"name": "A", "left": "XX XX XX XX XX"}], "left", "there are only 4"),
        ([{"name": "A", "left": ""}], "left", "A has no cards left, but did not go out"),
        ([{"name": n, "left": "2C"} for n in "ABCDEF"], "players", "is played by 2 to 5, not 6"),
    ],
)
def test_ends_that_cannot_be(players, where, words):
    with pytest.raises(Malformed, match=words) as raised:
        score(*players)
    assert raised.value.where == where


@pytest.mark.parametrize("ask", ["declare", "round"])
def test_what_is_no_question_here(ask):
    with pytest.raises(ValueError, match=f"Carioca has no question “{ask}”"):
        answer({"game": "carioca", "ask": ask, "hand": 1})


def test_a_pile_is_not_taken_whole():
    question = {"game": "carioca", "ask": "turn", "hand": 1, "plays": [{"take_pile": True}]}
    with pytest.raises(ValueError, match="Carioca has no taking of the whole pile"):
        answer(question | {"pile": "2C"})
