"""Every line gets one answer, whatever it holds, and so do the lines after it."""

import io
import json
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import companion.check
from companion.check import answer_line, main
from tests.rules.case_tables import CASES, cases
from tests.rules.drawing import CHANCE

QUESTIONS = [one.asked for table in sorted(CASES.glob("**/*.txt")) for one in cases(table)]
# Fields that most questions leave out.
LEFT_OUT = {"id": 7, "sheet": None, "rules": {}, "table": [], "onto": 0, "plays": [], "player": {}}
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 3, 10**9, 10**19, 10**40, 1.5, 1e308),
    *("", " ", "X", "XX", "=", "8H=6C", "8H=8H=8H", "²", "\ud800", "🂡", "A" * 3000, "5C " * 900),
    *("PRO-", "PRO-x", "PRO-13.1.", "PRO-99", "5C 5D 5H 5S XX", "3C 3D 3H 3S 3C", "proter", "8"),
    *([], [[]], [None], {}, {"a": 1}, ["5C"] * 200, ["XX"] * 30, ["5C 6C 7C"] * 90, [5] * 9),
]


def places(inside: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place in a question as the keys that lead to it."""
    found = [at] if at else []
    keys = inside if isinstance(inside, dict) else range(len(inside))
    for key in keys:
        value = inside[key]
        found += places(value, (*at, key)) if isinstance(value, dict | list) else [(*at, key)]
    return found


def spoilt(chance: Random) -> dict[str, Any]:
    """Draw a question of the case tables, perhaps a mix of two, with up to three odd values."""
    asked = deepcopy(LEFT_OUT | chance.choice(QUESTIONS))
    if chance.random() < 0.3:
        asked |= deepcopy(chance.choice(QUESTIONS))
    for _ in range(chance.randint(0, 3)):
        *way, last = chance.choice(places(asked))
        inside: Any = asked
        for key in way:
            inside = inside[key]
        value = inside[last]
        if isinstance(value, str) and chance.random() < 0.3:
            at = chance.randrange(len(value) + 1)
            inside[last] = value[:at] + chance.choice(["X", " ", "=", "8H", "-"]) + value[at + 1 :]
        elif isinstance(value, list) and chance.random() < 0.3:
            inside[last] = value * chance.choice([0, 2, 70])
        else:
            inside[last] = deepcopy(chance.choice(ODD))
    return asked


def replied(line: str) -> dict[str, Any]:
    text, ruled = answer_line(line)
    assert text.encode("utf-8")
    assert "\n" not in text
    reply = json.loads(text, parse_constant=pytest.fail)
    assert ("error" in reply) is not ruled
    assert ("where" in reply) is not ruled
    assert "The rules engine failed" not in reply.get("error", "")
    assert len(text) < 100_000
    return reply


def junk(chance: Random, depth: int = 3) -> Any:
    """Draw any value that JSON can hold."""
    inside = [junk(chance, depth - 1) for _ in range(chance.randint(0, 3))] if depth else []
    keys = ["ask", "id", "meld", "", "\udfff"]
    return chance.choice([*ODD, float("nan"), inside, {chance.choice(keys): one for one in inside}])


@given(CHANCE)
def test_whatever_is_asked_is_answered(chance):
    reply = replied(json.dumps(spoilt(chance)))
    assert len(reply.get("error", "")) < 5000
    assert {*replied(json.dumps(junk(chance)))} <= {"id", "error", "where"}


@given(st.binary())
@example(b"1e999")
def test_a_line_of_any_bytes_is_answered(line):
    replied(line.decode("utf-8", "replace"))


SCORE = {"game": "kalooki", "ask": "score", "hand": 1}


def score(**said: Any) -> dict[str, Any]:
    return SCORE | {"players": [{"name": "Ana", "left": "5C", **said}]}


ARRANGE = {"game": "pay_me", "ask": "arrange", "hand": 1}
RUMMY = score(left="AC " * 31) | {"game": "indian_rummy", "wild_rank": None}
MELD = {"game": "proter", "ask": "meld", "hand": 8, "cards": "5C 6C 7C"}


def test_a_value_beyond_its_bound_is_an_error():
    for asked, where, says in (
        (score(calls=100), "players[0]", "from 0 to 99"),
        (score(penalties=["KAL-"]), "players[0]", "must be a list of rule numbers"),
        (score(penalties=["KAL-9"]), "penalties", "Kalooki has no penalty “KAL-9”; it has KAL-4"),
        (score(penalties=["KAL-4"] * 100), "players[0]", "“penalties” has 100 entries; 99 is"),
        (score(name="A" * 61), "players[0]", "A “name” has at most 60 letters"),
        (score(left=["5C"] * 163), "players[0]", "“left” has 163 entries; 162 is the most"),
        (score(left="5C " * 163), "players[0]", "“left” has 163 entries; 162 is the most"),
        (MELD | {"cards": "5" * 2001}, "cards", "“cards” is longer than cards can be"),
        (MELD | {"table": ["5C"] * 61}, "table", "“table” has 61 entries; 60 is the most"),
        (MELD | {"ask": "lay_off", "onto": 10**9}, "onto", "must be the index of a meld"),
        (MELD | {"ask": "turn", "plays": [{}] * 61}, "plays", "“plays” has 61 entries"),
        (MELD | {"sheet": "s" * 99}, "sheet", f"has no sheet “{'s' * 30}”"),
        (MELD | {"rules": {"r" * 99: 1}}, "rules", f"has no house rule “{'r' * 30}”"),
        (MELD | {"packs": 10**9}, "packs", "Proter is played with 1 pack"),
        (MELD | {"hand": 10**20}, "question", "is too long a number"),
        (MELD | {"note": "n" * 100_000}, "question", "This line is longer than 100000 letters"),
        (ARRANGE | {"cards": "AC " * 31}, "cards", "31 cards are more than a player can hold"),
        (RUMMY, "players[0]", "31 cards are more than a player can hold in Indian Rummy"),
        (MELD | {"id": "i" * 200}, "id", "“id” is longer than 200 letters"),
    ):
        reply = replied(json.dumps(asked))
        assert reply["where"] == where
        assert says in reply["error"]


def test_the_largest_allowed_values_are_answered():
    assert replied(json.dumps(score(calls=99)))["scores"]["Ana"]["points"] == 5 + 96 * 50
    assert replied(json.dumps(MELD | {"id": "i" * 180}))["id"] == "i" * 180
    assert replied(json.dumps(score(name="A" * 60)))["scores"]


def test_a_fault_of_the_engine_costs_one_line_alone(monkeypatch):
    def fails(question: Any) -> Any:
        if question["id"] == 1:
            raise ZeroDivisionError
        return {"legal": True}

    monkeypatch.setattr(companion.check, "answer", fails)
    answers = io.StringIO()
    assert main(io.StringIO('{"id": 1}\n{"id": 2}\n'), answers) == 2
    assert [json.loads(line) for line in answers.getvalue().splitlines()] == [
        {
            "id": 1,
            "error": "The rules engine failed on this question (ZeroDivisionError).",
            "where": "question",
        },
        {"id": 2, "legal": True},
    ]
