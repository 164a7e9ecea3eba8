"""Measure rulings per second through ``check`` on one core, from JSON to JSON."""

import json
import re
import statistics
import time
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from companion.check import answer_line
from tests.bench.report import Row

AIM = 10_000
TABLE = ["5C 8H=6C 7C", "9C 9D 9H", "2S 3S 4S", "JD QD KD", "TC TD TH TS"]
_SUIT = re.compile(r"(?<=[2-9TJQKA])[CDHS]\b")  # the suit of a card
ONLINE = {"sheet": "playginrummyonline"}
LATER = {"player": {"melded_this_turn": True}}

# Questions as they come up at a table: mostly single plays, some whole turns, legal and illegal.
QUESTIONS: Sequence[dict[str, Any]] = (
    {"ask": "meld", "cards": "4H 5H 6H", "table": TABLE},
    {"ask": "meld", "cards": "4H 5H 6H"},
    {"ask": "meld", "cards": "2C 2D 2H 2S"},
    {"ask": "meld", "cards": "AD 2D 4D", "table": TABLE},
    {"ask": "meld", "cards": "4H 8D 6H", "table": TABLE} | LATER,
    {"ask": "meld", "cards": "4H 5H 8D", "table": TABLE},
    {"ask": "meld", "cards": "4H 8D 6H", "table": TABLE} | ONLINE,
    {"ask": "meld", "cards": "6D 6H 6S 8C=6C", "table": TABLE} | LATER,
    {"ask": "meld", "cards": "4D 8C 8S", "table": TABLE} | LATER,
    {"ask": "meld", "cards": "4D 8C=5D 8S=6D"} | LATER,
    {"ask": "lay_off", "cards": "9S", "onto": 1, "table": TABLE},
    {"ask": "lay_off", "cards": "5S 6S", "onto": 2, "table": TABLE} | ONLINE,
    {"ask": "lay_off", "cards": "8D", "onto": 2, "table": TABLE},
    {"ask": "lay_off", "cards": "8D=9C", "onto": 0, "table": TABLE},
    {"ask": "lay_off", "cards": "AD", "onto": 3, "table": TABLE},
    {"ask": "swap", "card": "6C", "onto": 0, "table": TABLE},
    {"ask": "swap", "card": "6D", "onto": 0, "table": TABLE},
    {"ask": "discard", "card": "7S", "pile": "2C KD 5S 6S"},
    {"ask": "discard", "card": "9S", "pile": "2C KD 5S 6S"},
    {"ask": "discard", "card": "6H", "pile": "2C KD 5S 6S"},
    {"ask": "discard", "card": "7S", "pile": "2C KD 5S 6S"} | ONLINE,
    {
        "ask": "turn",
        "plays": [
            {"meld": "4H 5H 6H"},
            {"lay_off": "8D=7H", "onto": 5},
            {"swap": "6C", "onto": 0},
            {"discard": "KS"},
        ],
        "table": TABLE,
        "pile": "2C KC",
        "holding": "4H 5H 6H 8D 6C KS QH",
    },
    {
        "ask": "turn",
        "plays": [{"meld": "2C 2D 2H"}, {"discard": "QS"}],
        "table": TABLE[:2],
        "pile": "2S KS",
    },
)


def lines() -> list[str]:
    """Return every question under every permutation of suits, which changes no ruling."""
    questions = [json.dumps({"game": "proter", "hand": 8} | question) for question in QUESTIONS]
    return [
        _SUIT.sub(lambda suit, to=permuted: to["CDHS".index(suit[0])], line)
        for permuted in permutations("CDHS")
        for line in questions
    ]


def run(seconds: float) -> list[Row]:
    """Return the rows of the table.

    A whole turn is one question with a ruling on each play and one on the turn. Times are
    processor time, so that other programs count less.
    """
    questions = lines()
    rulings = sum(_rulings(line) for line in questions)
    passes = []
    while sum(passes) < seconds:
        start = time.process_time()
        for line in questions:
            answer_line(line)
        passes.append(time.process_time() - start)
    median = statistics.median(passes)
    figure = rulings / median
    return [
        Row("check: questions, no two alike", f"{len(questions):,}"),
        Row("check: questions per second, median", f"{len(questions) / median:,.0f}"),
        Row("check: rulings per second, median", f"{figure:,.0f}", f"{AIM:,}", figure >= AIM),
        Row("check: rulings per second, slowest pass", f"{rulings / max(passes):,.0f}"),
    ]


def _rulings(line: str) -> int:
    answer, ruled = answer_line(line)
    if not ruled:
        raise ValueError(answer)
    return 1 + len(json.loads(answer).get("plays", ()))
