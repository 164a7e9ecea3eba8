"""Ask the questions of the case tables, and compare the answers (`tests.rules.case_tables`).

- to plays: ``legal`` or the broken rules; ``reads …`` every reading, ``listed 13`` how many there
  are, ``counts 576`` if they are too many to list, or ``ways … or …`` those of a contract;
  ``20 turn`` points and what is taken back; ``there legal`` what the other sheet says, or
  ``there nothing``; ``takes 8H`` and ``becomes …`` for a swap; ``melds … / …`` what makes a
  declaration legal; ``says …`` words of the sentence, and ``begins …`` those with which it begins.
- to a turn, beside those: ``plays legal, PRO-9`` each play; ``table …``, ``pile …`` and
  ``holds …`` what there is afterwards; ``plays there …`` each play on the other sheet.
- where a fact is unknown: ``depends …`` the facts that decide, instead of a ruling, or with it
  ``regardless …`` those that do not.
- of marks: ``Ana 33 = 13 PRO-13.4``, the total, the points of the cards left, and each charge, with
  its points where they are not Proter's 20: ``IND-8:80``.
- of a round: ``Ana 7 Thief``; ``thieves …`` in their order; ``split Ana …``; ``says …``.
- of an arrangement: ``10 KS`` the points and the cards left; ``lays 2 onto 0`` how
  many cards are laid off where.
- to any: ``error cards: …`` what is to be changed, and words of why.
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from tests.rules.case_tables import CASES, cases, named, parts

Answer = dict[str, Any]
OUTCOME = ("legal", "broken", "points", "take_back", "turn_passes")
TABLES = sorted(CASES.glob("**/*.txt"))


@pytest.mark.parametrize(
    "table", TABLES, ids=lambda path: path.relative_to(CASES).with_suffix("").as_posix()
)
def test_table(table: Path) -> None:
    for case in cases(table):
        with named(case.where):
            if case.expected[0].startswith("error "):
                expect_error(case.asked, case.expected[0].removeprefix("error "))
            else:
                check = CHECKS.get(case.asked["ask"], check_ruling)
                check(case.asked, answer(case.asked), case.expected)


def expect_error(asked: dict[str, Any], expected: str) -> None:
    where, _, words = expected.partition(": ")
    with pytest.raises(Malformed) as raised:
        answer(asked)
    assert (raised.value.where, words in str(raised.value)) == (where, True), str(raised.value)


# -- rulings ---------------------------------------------------------------------------------------


def check_ruling(asked: dict[str, Any], ruling: Answer, expected: list[str]) -> None:
    if expected[0].startswith("depends "):
        check_cases(asked, ruling, expected[0].split()[1:])
        return
    assert ruling["broken"] == broken(expected[0]), ruling["says"]
    assert ruling["legal"] is (expected[0] == "legal")
    assert ruling["says"].startswith(("Legal", "The whole turn is legal")) is ruling["legal"]
    # The turn passes when the whole of it is taken back, and a legal play costs nothing.
    assert ruling["turn_passes"] is (ruling["take_back"] == "turn")
    assert not ruling["legal"] or (ruling["points"], ruling["take_back"]) == (0, "none")
    sheets = [sheet.id for sheet in GAMES[asked["game"]].sheets]
    assert set(ruling["elsewhere"]) == set(sheets) - {asked.get("sheet", sheets[0])}
    for part in expected[1:]:
        word, _, rest = part.partition(" ")
        holds = SAID_OF_RULING.get(word, costs)
        assert holds(ruling, part if holds is costs else rest), (part, ruling)


def check_cases(asked: dict[str, Any], found: Answer, decide: list[str]) -> None:
    """Assert that each case has the ruling for its values of the deciding facts."""
    assert (found["legal"], found["depends_on"]) == (None, decide)
    if "pile" in decide:
        assert "cases" not in found
        return
    every = list(product((True, False), repeat=len(decide)))
    assert [tuple(case[fact] for fact in decide) for case in found["cases"]] == every
    for case in found["cases"]:
        known = asked["player"] | {fact: case[fact] for fact in decide}
        player = {fact: bool(value) for fact, value in known.items()}
        of_it = answer(asked | {"player": player})
        assert {name: case[name] for name in OUTCOME} == {name: of_it[name] for name in OUTCOME}


def broken(text: str) -> list[str]:
    return [] if text == "legal" else text.split()


def costs(ruling: Answer, part: str) -> bool:
    return f"{ruling['points']} {ruling['take_back']}" == part


# A sheet that cannot be asked the same says nothing.
LEGAL = {"legal": True, "illegal": False, "nothing": None}


def plays(ruling: Answer, part: str) -> bool:
    if part.startswith("there "):
        legal = [play["elsewhere"] for play in ruling["plays"]]
        expected = [LEGAL[play] for play in parts(part.removeprefix("there "), ",")]
        return [list(play.values()) for play in legal] == [[play] for play in expected]
    return [play["broken"] for play in ruling["plays"]] == [broken(p) for p in parts(part, ",")]


SAID_OF_RULING: dict[str, Callable[[Answer, str], bool]] = {
    "reads": lambda ruling, part: (
        sorted(parts("/".join(ruling["readings"]), "/")) == sorted(parts(part, "/"))
    ),
    "listed": lambda ruling, part: (
        len(ruling["readings"]) == int(part) and "readings_count" not in ruling
    ),
    "counts": lambda ruling, part: not ruling["readings"] and ruling["readings_count"] == int(part),
    "ways": lambda ruling, part: sorted(ruling["readings"]) == sorted(parts(part, " or ")),
    "says": lambda ruling, part: part in ruling["says"],
    "begins": lambda ruling, part: ruling["says"].startswith(part),
    "there": lambda ruling, part: list(ruling["elsewhere"].values()) == [LEGAL[part]],
    "takes": lambda ruling, part: ruling["took"] == part,
    "becomes": lambda ruling, part: ruling["meld_after"] == part,
    "melds": lambda ruling, part: sorted(ruling["melds"]) == sorted(parts(part, "/")),
    "regardless": lambda ruling, part: ruling["regardless_of"] == part.split(),
    "plays": plays,
    "table": lambda ruling, part: ruling["table_after"] == parts(part, "/"),
    "pile": lambda ruling, part: ruling["pile_after"] == part.split(),
    "holds": lambda ruling, part: sorted(ruling["holding_after"]) == sorted(part.split()),
}


# -- marks, rounds and arrangements ----------------------------------------------------------------


def check_marks(asked: dict[str, Any], found: Answer, expected: list[str]) -> None:
    usual = int(asked.get("rules", {}).get("penalty_points", 20))
    scores = {}
    for mark in expected:
        name, total, _, cards, *charges = mark.split()
        each = [charge.partition(":") for charge in charges]
        scores[name] = {
            "points": int(total),
            "cards": int(cards),
            "penalties": [{"rule": rule, "points": int(one or usual)} for rule, _, one in each],
        }
    assert found == {"scores": scores}


def check_round(asked: dict[str, Any], found: Answer, expected: list[str]) -> None:
    names = [play["name"] for play in asked["plays"]]
    assert list(found["scores"]) == list(found["boxes"]) == names
    for part in expected:
        word, _, rest = part.partition(" ")
        name, _, more = rest.partition(" ")
        if word == "thieves":
            assert found["thieves"] == rest.split()
        elif word == "says":
            assert rest in found["says"]
        elif word == "split":
            assert found["splits"] == ({name: more} if name else {})
        else:
            assert (found["scores"][word], found["boxes"][word]) == (int(name), more)


def check_arrangement(asked: dict[str, Any], found: Answer, expected: list[str]) -> None:
    points, *left = expected[0].split()
    assert (found["points"], sorted(found["deadwood"])) == (int(points), sorted(left))
    lays = [(laid["cards"].split(), laid["onto"]) for laid in found["laid_off"]]
    assert [(len(cards), onto) for cards, onto in lays] == [
        (int(cards), int(onto)) for _, cards, _, onto in map(str.split, expected[1:])
    ]


CHECKS: dict[str, Callable[[dict[str, Any], Answer, list[str]], None]] = {
    "score": check_marks,
    "round": check_round,
    "arrange": check_arrangement,
}
