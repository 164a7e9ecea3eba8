"""Cases of other engines and their tests: the ``.jsonl`` files beside this, one case a line.

A case is run as it is, or adapted if our game needs another question. If our answer differs, a rule
explains it. No case is left out.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.rules.case_tables import named

HERE = Path(__file__).parent


class Case(NamedTuple):
    """A case: its line, from 1, its question and input, and the peer's answer."""

    file: str
    line: int
    source: str
    question: str
    input: Mapping[str, Any]
    expected: Any

    @property
    def id(self) -> str:
        """The name of the case in pytest's output."""
        return f"{self.file}:{self.line} {self.question} {' '.join(self.cards)}"

    @property
    def cards(self) -> Sequence[str]:
        """The cards of the question."""
        return self.input.get("cards") or self.input.get("hand") or ()


def cases(file: str) -> list[Case]:
    """Return all cases of a file, in order."""
    lines = (HERE / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Case(file, number, given["source"], given["question"], given["input"], given["expected"])
        for number, given in enumerate(map(json.loads, lines), 1)
    ]


def check_all(
    file: str,
    ours: Callable[[Case], Any],
    otherwise: Mapping[int, tuple[str, Any]],
    adapted: Mapping[int, str] = MappingProxyType({}),
) -> None:
    """Ask every case of a file, and say how many are as the peer has them.

    ``otherwise`` has by their lines the rule by which ours is another answer, and that answer;
    ``adapted`` what had to be changed for our game to be able to answer.
    """
    for case in cases(file):
        rule, expected = otherwise.get(case.line, ("", case.expected))
        with named(f"{case.id}: {rule or 'as the peer'}: {case.source}"):
            assert case.source
            assert ours(case) == expected
            assert (expected != case.expected) is bool(rule)
    why = {**adapted, **{line: rule for line, (rule, _) in otherwise.items()}}
    assert {*why} <= {case.line for case in cases(file)}
    counted = Counter(why.values())
    reasons = "; ".join(f"{n}: {reason}" for reason, n in counted.items())
    print(f"{file}: {len(cases(file)) - len(why)} run, {len(why)} adapted ({reasons})")
