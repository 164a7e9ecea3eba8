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
