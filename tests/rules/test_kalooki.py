"""Kalooki's data (KAL-1), its marks, calls, and the bending of the table (KAL-4, KAL-9)."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed
from companion.rules.games.kalooki import calls_charged
from companion.rules.scoring import HandEnd


@pytest.mark.parametrize(
    ("calls", "listed", "charged"),
    [(0, 0, 0), (3, 0, 0), (4, 0, 1), (5, 0, 2), (0, 1, 1), (5, 1, 2), (4, 3, 3), (3, 1, 1)],
)
def test_calls_beyond_the_third_are_charged(calls, listed, charged):
    end = HandEnd("Ana", calls=calls, penalties=("KAL-4",) * listed)
    assert calls_charged(end) == charged


def score(*players: dict[str, Any], **rules: str) -> Any:
    question = {"game": "kalooki", "ask": "score", "hand": 1, "players": [*players], "rules": rules}
    return {
        name: (mark["points"], mark["cards"], [one["points"] for one in mark["penalties"]])
        for name, mark in answer(question)["scores"].items()
    }


ANA = {"name": "Ana", "out": True}
BEN = {"name": "Ben", "left": "XX AS AH TC"}  # 50 + 15 + 1 + 10
CEM = {"name": "Cem", "left": "9C 9C KD", "calls": 5}  # 28, and two calls too many
CALLS = [50, 50]
DOUBLED = [100, 100]


def test_marks_are_the_cards_left_and_the_calls():
    marks = {"Ana": (0, 0, []), "Ben": (76, 76, []), "Cem": (128, 28, CALLS)}
    assert score(ANA, BEN, CEM) == marks
    assert score(ANA, BEN, CEM, bending_doubles="all") == marks
    assert score(ANA | {"calls": 3}, BEN | {"calls": 3}, CEM) == marks


def test_a_bent_table_doubles_the_others_cards():
    ana = ANA | {"bent": True}
    marks = {"Ana": (0, 0, []), "Ben": (152, 152, []), "Cem": (156, 56, CALLS)}
    assert score(ana, BEN, CEM) == marks
    assert score(ana | {"calls": 3}, BEN, CEM) == marks


def test_a_bent_table_doubles_calls_too_where_the_house_says_so():
    marks = {"Ana": (0, 0, []), "Ben": (152, 152, []), "Cem": (256, 56, DOUBLED)}
    assert score(ANA | {"bent": True}, BEN, CEM, bending_doubles="all") == marks


def test_a_player_who_called_too_often_gets_no_bonus():
    marks = {"Ana": (50, 0, [50]), "Ben": (76, 76, []), "Cem": (128, 28, CALLS)}
    assert score(ANA | {"bent": True, "calls": 4}, BEN, CEM) == marks
    assert score(ANA | {"bent": True, "penalties": ["KAL-4"]}, BEN, CEM) == marks


def test_a_call_is_charged_once_however_it_was_given():
    cem = CEM | {"penalties": ["KAL-4"]}
    assert score(ANA, BEN, cem)["Cem"] == (128, 28, CALLS)
    assert score(ANA, BEN, cem | {"calls": 0})["Cem"] == (78, 28, [50])


@pytest.mark.parametrize(
    ("players", "where", "words"),
    [
        ([ANA, BEN | {"bent": True}], "players", "Ben bent the table and did not go out"),
        ([ANA, BEN | {"penalties": ["KAL-5"]}], "penalties", "no penalty “KAL-5”; it has KAL-4"),
        ([ANA, BEN | {"calls": -1}], "players[1]", "“calls” must be a whole number from 0"),
        ([ANA, BEN | {"name": "Dia"}, BEN, CEM | {"left": "AS"}], "left", "A♠ is in Dia's cards"),
        ([ANA, ANA | {"name": "Ben"}], "players", "Only one player can go out"),
    ],
)
def test_impossible_ends_are_refused(players, where, words):
    with pytest.raises(Malformed, match=words) as raised:
        score(*players)
    assert raised.value.where == where
