"""What other people's Carioca programs say, asked of ours.

Where one of them plays by another rule than the rulebook, ours holds, and the table below names the
rule and what the other does.
"""

from collections.abc import Callable
from typing import Any

import pytest

from companion.check import answer
from companion.rules.games.carioca import CARIOCA
from tests.vectors.peers import Case, check_all

GO, GZA = "go_trumpcards_carioca", "gzarazaga_carioca"

# By file and line: the rule by which we say otherwise, and what we say.
OURS = {
    GO: {25: ("CAR-4: any number of jokers may be added later", True)},
    GZA: dict.fromkeys((9, 10, 15), ("CAR-2: an escalera has four cards or more", False)),
}
# By file and line: what had to be changed for our game to be able to answer.
ADAPTED: dict[str, dict[int, str]] = {
    GO: {},
    GZA: {19: "the escalera on the table has a fourth card, below, to be one here"}
    | dict.fromkeys(range(23, 30), "asked with melds, so many of each kind"),
}

# A hand that asks for two such melds, and the other one.
HAND_WITH = {"trio": (1, "KC KS KH"), "escalera": (3, "8H 9H TH JH")}
TRIOS = ["5S 5H 5D", "KC KS KH", "7C 7S 7H", "2D 2C 2H"]
ESCALERAS = ["2S 3S 4S 5S", "8H 9H TH JH", "9C TC JC QC", "7D 8D 9D TD"]


def asked(case: Case, **entries: Any) -> bool:
    """Whether we call it legal. Neither program looks at the rest of a turn, nor at other melds."""
    later = {"new_melds_after_contract": "yes"}
    given = case.input
    met = given.get("contract_met", not given.get("initial", False))
    question = {"game": "carioca", "hand": 1, "rules": later, "player": {"contract_met": met}}
    legal = answer(question | entries)["legal"]
    assert isinstance(legal, bool)
    return legal


def contract_slot(case: Case) -> bool:
    given = case.input
    hand, other = HAND_WITH[given["slot"]["kind"]]
    return asked(case, ask="contract", hand=hand, melds=[given["cards"], other])


def meld_valid(case: Case) -> bool:
    return asked(case, ask="meld", cards=case.input["cards"])


def layoff_valid(case: Case) -> bool:
    meld, add = case.input["meld"], case.input["add"]
    table = [["6D", *meld] if meld == ["7D", "8D", "9D"] else meld]
    return asked(case, ask="lay_off", cards=add, onto=0, table=table)


def contract_met(case: Case) -> bool:
    return asked(case, ask="contract", hand=case.input["round"], melds=case.input["melds"])


def contract(case: Case) -> dict[str, int]:
    """The only numbers of trios and escaleras that we take for the contract of that hand."""
    found = [
        {"trios": trios, "escaleras": escaleras}
        for trios in range(5)
        for escaleras in range(5)
        # What nobody can hold is malformed.
        if 0 < 3 * trios + 4 * escaleras <= CARIOCA.dealt(case.input["round"]) + 1
        and asked(
            case,
            ask="contract",
            hand=case.input["round"],
            melds=[*TRIOS[:trios], *ESCALERAS[:escaleras]],
        )
    ]
    assert len(found) == 1
    return found[0]


QUESTIONS: dict[str, Callable[[Case], Any]] = {
    "contract_slot": contract_slot,
    "meld_valid": meld_valid,
    "set_valid": meld_valid,
    "run_valid": meld_valid,
    "layoff_valid": layoff_valid,
    "layoff_before_contract": layoff_valid,
    "contract_met": contract_met,
    "contract": contract,
}


@pytest.mark.parametrize("file", OURS)
def test_the_cases_of_a_peer(file: str) -> None:
    check_all(file, lambda case: QUESTIONS[case.question](case), OURS[file], ADAPTED[file])
