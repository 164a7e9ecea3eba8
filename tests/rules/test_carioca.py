"""Carioca's data (CAR-1, CAR-3) and its marks (CAR-7)."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.games import GAMES


def score(*players: dict[str, Any]) -> Any:
    question = {"game": "carioca", "ask": "score", "hand": 1, "players": [*players]}
    return answer(question)["scores"]


def test_marks_are_the_cards_left_and_nothing_for_the_player_who_went_out():
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
def test_impossible_ends_are_refused(players, where, words):
    with pytest.raises(Malformed, match=words) as raised:
        score(*players)
    assert raised.value.where == where


def test_a_contract_need_not_be_all_that_a_player_holds():
    carioca = GAMES["carioca"]
    for hand in range(1, carioca.hands + 1):
        rules = carioca.rules(carioca.house(), hand)
        assert isinstance(rules, ContractJudge)
        assert rules.is_whole_hand(6, 12)
