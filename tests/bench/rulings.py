"""Measure rulings per second through ``check`` on one core, from JSON to JSON."""

import json
import re
import statistics
import time
from itertools import permutations

from companion.check import answer_line
from tests.bench.report import Row
from tests.rules.case_tables import plays, what_is_given

AIM = 10_000
TABLE = "table 5C 8H=6C 7C / 9C 9D 9H / 2S 3S 4S / JD QD KD / TC TD TH TS"
PILE = "pile 2C KD 5S 6S"
_SUIT = re.compile(r"(?<=[2-9TJQKA])[CDHS]\b")  # the suit of a card

# Questions as they come up at a table: mostly single plays, some whole turns, legal and illegal.
# What is asked, and in which circumstances, in the words of the case tables (tests/rules/cases).
QUESTIONS = (
    ("meld 4H 5H 6H", TABLE),
    ("meld 4H 5H 6H", ""),
    ("meld 2C 2D 2H 2S", ""),
    ("meld AD 2D 4D", TABLE),
    ("meld 4H 8D 6H", f"{TABLE}; melded this turn"),
    ("meld 4H 5H 8D", TABLE),
    ("meld 4H 8D 6H", f"{TABLE}; online"),
    ("meld 6D 6H 6S 8C=6C", f"{TABLE}; melded this turn"),
    ("meld 4D 8C 8S", f"{TABLE}; melded this turn"),
    ("meld 4D 8C=5D 8S=6D", "melded this turn"),
    ("lay_off 9S onto 1", TABLE),
    ("lay_off 5S 6S onto 2", f"{TABLE}; online"),
    ("lay_off 8D onto 2", TABLE),
    ("lay_off 8D=9C onto 0", TABLE),
    ("lay_off AD onto 3", TABLE),
    ("swap 6C onto 0", TABLE),
    ("swap 6D onto 0", TABLE),
    ("discard 7S", PILE),
    ("discard 9S", PILE),
    ("discard 6H", PILE),
    ("discard 7S", f"{PILE}; online"),
    (
        "turn meld 4H 5H 6H; lay_off 8D=7H onto 5; swap 6C onto 0; discard KS",
        f"{TABLE}; pile 2C KC; holding 4H 5H 6H 8D 6C KS QH",
    ),
    ("turn meld 2C 2D 2H; discard QS", "table 5C 8H=6C 7C / 9C 9D 9H; pile 2S KS"),
)


def lines() -> list[str]:
    """Return every question under every permutation of suits, which changes no ruling."""
    questions = [
        json.dumps({"game": "proter", "hand": 8} | plays(what) | what_is_given(given))
        for what, given in QUESTIONS
    ]
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
