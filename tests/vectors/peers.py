"""Cases from other people's engines and tests: the ``.jsonl`` files beside this, a case a line.

A case is run as it is; adapted, where our game is asked it in another way or answers otherwise by
a rule that is named; or left out, with the reason. None is dropped in silence.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One case: its line, from 1, what is asked of what, and what the peer answers."""

    file: str
    line: int
    source: str
    question: str
    input: Mapping[str, Any]
    expected: Any

    @property
    def id(self) -> str:
        """For the test's name."""
        return f"{self.file}:{self.line} {self.question} {' '.join(self.cards)}"

    @property
    def cards(self) -> Sequence[str]:
        """The cards that it is about."""
        return self.input.get("cards") or self.input.get("hand") or ()


def cases(file: str) -> list[Case]:
    """All cases of a file, in order."""
    lines = (HERE / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Case(file, number, given["source"], given["question"], given["input"], given["expected"])
        for number, given in enumerate(map(json.loads, lines), 1)
    ]


def tally(file: str, adapted: Mapping[int, str], left_out: Mapping[int, str]) -> str:
    """How many of a file's cases were run, adapted or left out, by their lines, and why."""
    lines = len(cases(file))
    assert {*adapted, *left_out} <= set(range(1, lines + 1))
    run = lines - len(adapted) - len(left_out)
    said = f"{len(adapted)} adapted{_reasons(adapted)}, {len(left_out)} left out"
    return f"{file}: {run} run, {said}{_reasons(left_out)}"


def _reasons(why: Mapping[int, str]) -> str:
    counted = Counter(why.values())
    return f" ({'; '.join(f'{n}: {reason}' for reason, n in counted.items())})" if why else ""
