"""The marks of a hand (PRO-13, PRO-15): ``marks.txt``, asked as anybody outside would ask.

Players stand in a line with what they have left; ``out`` went out, ``no meld`` laid none, and
``+PRO-13.3`` is a charge that the marker made. The answer gives a player's total, the points of
the cards left, and the charges, each of which is 20 points if nothing else was agreed.
"""

from pathlib import Path
from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed

CASES = Path(__file__).parent / "marks.txt"


def parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def player(text: str) -> dict[str, Any]:
    said, *penalties = text.split(" +")
    words = said.replace(", no meld", "").split()
    entries: dict[str, Any] = {"name": words.pop(0)}
    if "no meld" in text:
        entries["melded"] = False
    if "out" in words:
        words.remove("out")
        entries["out"] = True
    if words or "out" not in entries:
        entries["left"] = words
    if penalties:
        entries["penalties"] = [rule.removesuffix(", no meld") for rule in penalties]
    return entries


def asked(players: str, given: str) -> dict[str, Any]:
    question: dict[str, Any] = {
        "game": "proter",
        "ask": "score",
        "players": [player(one) for one in parts(players)],
        "rules": {},
    }
    for part in parts(given):
        if part == "online":
            question["sheet"] = "playginrummyonline"
        elif part.startswith("hand "):
            question["hand"] = int(part[5:])
        else:
            rule, _, choice = part.partition("=")
            question["rules"][rule] = choice
    return question


def cases() -> list[Any]:
    lines = [
        line for line in CASES.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]
    columns = [[column.strip() for column in line.split("|")] for line in lines]
    return [
        pytest.param(asked(players, given), expected, id=f"{rule} {players} ({given})")
        for rule, players, given, expected in columns
    ]


@pytest.mark.parametrize(("question", "expected"), cases())
def test_marks(question: dict[str, Any], expected: str) -> None:
    if expected.startswith("error "):
        where, _, words = expected.removeprefix("error ").partition(": ")
        with pytest.raises(Malformed) as raised:
            answer(question)
        assert (raised.value.where, words in str(raised.value)) == (where, True), str(raised.value)
        return
    penalty = int(question["rules"].get("penalty_points", 20))
    scores = {}
    for mark in parts(expected):
        name, total, _, cards, *charges = mark.split()
        scores[name] = {
            "points": int(total),
            "cards": int(cards),
            "penalties": [{"rule": rule, "points": penalty} for rule in charges],
        }
    assert answer(question) == {"scores": scores}
