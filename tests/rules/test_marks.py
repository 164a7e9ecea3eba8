"""The marks of a hand, asked as anybody outside would ask: ``marks.txt`` (PRO-13, PRO-15), and
``marks/`` with a table for each other game, by its id.

Players stand in a line with what they have left; ``out`` went out, ``no meld`` laid none, and
``+PRO-13.3`` is a charge that the marker made. The answer gives a player's total, the points of
the cards left, and the charges: in Proter each of 20 points if nothing else was agreed, in other
games with their points, ``IND-8:80``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed

HERE = Path(__file__).parent
TABLES = {"proter": HERE / "marks.txt"} | {
    path.stem: path for path in sorted(HERE.glob("marks/*.txt"))
}


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


def asked(game: str, players: str, given: str) -> dict[str, Any]:
    question: dict[str, Any] = {
        "game": game,
        "ask": "score",
        "players": [player(one) for one in parts(players)],
        "rules": {},
    }
    for part in parts(given):
        if part == "online":
            question["sheet"] = "playginrummyonline"
        elif part.startswith(("hand ", "packs ")):
            word, _, number = part.partition(" ")
            question[word] = int(number)
        elif part.startswith("wild "):
            question["wild_rank"] = None if part == "wild none" else part[5:]
        else:
            rule, _, choice = part.partition("=")
            question["rules"][rule] = choice
    return question


def cases() -> Iterator[Any]:
    for game, table in TABLES.items():
        for number, line in enumerate(table.read_text("utf-8").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            rule, players, given, expected = (column.strip() for column in line.split("|"))
            name = f"{game}:{number} {rule} {players} ({given})"
            yield pytest.param(asked(game, players, given), expected, id=name)


def charged(charge: str, penalty: int) -> dict[str, Any]:
    rule, _, points = charge.partition(":")
    return {"rule": rule, "points": int(points or penalty)}


@pytest.mark.parametrize(("question", "expected"), list(cases()))
def test_marks(question, expected):
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
            "penalties": [charged(charge, penalty) for charge in charges],
        }
    assert answer(question) == {"scores": scores}
