"""What other people's Contract Rummy programs say, asked of ours, on the denexa sheet."""

from itertools import combinations
from typing import Any

import pytest

from companion.check import answer
from tests.vectors.peers import Case, check_all

# ELymar asks for two natural cards in every meld; neither program asks when a meld is laid.
ELYMAR, GO = "elymar_contract_rummy", "go_trumpcards_contract_rummy"
RULES = {ELYMAR: {"min_naturals": 2}, GO: {}}

TAKEN = "CON-7: the joker goes to the player, and to no end of the run"
LONGER = "CON-3: a run has four cards or more on this sheet, and further melds too"
# Where ours is another answer: by which rule, and what it is.
OURS: dict[str, dict[int, tuple[str, Any]]] = {
    ELYMAR: dict.fromkeys((30, 31), (TAKEN, ["2H", "3H", "4H", "5H"])),
    GO: dict.fromkeys((12, 15), (LONGER, False)),
}
# What had to be changed for our game to be able to answer.
ADAPTED = {
    **dict.fromkeys(range(21, 27), "a run of three lies on the table: gamerules"),
    **dict.fromkeys(range(30, 33), "every two melds of the hand are asked about"),
}


def asked(case: Case, **entries: Any) -> dict[str, Any]:
    met = {"contract_met": True}
    return answer(
        {"game": "contract_rummy", "hand": 2, "rules": RULES[case.file], "player": met} | entries
    )


def ours(case: Case) -> Any:
    given = case.input
    match case.question:
        case "run_valid" | "set_valid" | "meld_valid" | "contract_slot":
            return asked(case, ask="meld", cards=given["cards"])["legal"]
        case "layoff_valid":
            three = case.file == GO and case.line in ADAPTED
            sheet = "gamerules" if three else "denexa"
            table = [given["meld"]]
            asks = {"ask": "lay_off", "cards": given["add"], "onto": 0, "table": table}
            return asked(case, sheet=sheet, **asks)["legal"]
        case "replace_joker":
            asks = {"ask": "swap", "card": given["card"], "onto": 0, "table": [given["meld"]]}
            ruling = asked(case, **asks)
            assert ruling["took"] == "XX"
            return ruling["meld_after"].split()
        case "card_value":
            players = [{"name": "Ana", "left": given["card"]}]
            return asked(case, ask="score", players=players)["scores"]["Ana"]["points"]
        case _:
            return findable(case)


def findable(case: Case) -> bool:
    """Whether any two melds of the cards are the contract of the hand, which asks for two."""
    cards, hand = case.input["hand"], case.input["round"]
    melds = [
        meld
        for size in (3, 4)
        for meld in combinations(cards, size)
        if asked(case, ask="meld", hand=hand, cards=list(meld))["legal"]
    ]
    return any(
        asked(case, ask="contract", hand=hand, melds=[list(one), list(other)])["legal"]
        for one, other in combinations(melds, 2)
        if not set(one) & set(other)
    )


@pytest.mark.parametrize("file", RULES)
def test_the_cases_of_a_peer(file: str) -> None:
    check_all(file, ours, OURS[file], ADAPTED if file == GO else {})
