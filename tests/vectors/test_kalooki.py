"""What another Kalooki program finds in a hand, asked of ours as an arrangement.

It looks for threes alone, or for fours alone, in hands that hold none of the other kind, so that
the best arrangement melds the same cards.
"""

import pytest

from companion.check import answer
from tests.vectors.peers import Case, cases, tally

NAME = "kalooki_platform"
CASES = cases(NAME)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_same_cards_are_melded(case: Case) -> None:
    cards = case.input["hand"]
    best = answer({"game": "kalooki", "hand": 1, "ask": "arrange", "cards": cards})
    melds = [meld.split() for meld in best["melds"]]
    assert sorted(card for meld in melds for card in meld) == sorted(case.expected)
    assert sorted([*case.expected, *best["deadwood"]]) == sorted(cards)
    for meld in melds:
        ranks = {card[0] for card in meld}
        assert (len(ranks) == 1) is (case.question == "find_threes")


@pytest.mark.parametrize("case", [case for case in CASES if case.expected], ids=lambda c: c.id)
def test_what_it_finds_can_be_laid(case: Case) -> None:
    cards = case.expected
    groups = {card[1 if case.question == "find_fours" else 0] for card in cards}
    player = {"contract_met": True}
    for group in groups:
        meld = [card for card in cards if group in card]
        question = {"game": "kalooki", "hand": 1, "ask": "meld", "cards": meld, "player": player}
        assert answer(question)["legal"]


def test_every_case_is_accounted_for() -> None:
    print(tally(NAME, dict.fromkeys(range(1, len(CASES) + 1), "asked as an arrangement"), {}))
    assert {case.question for case in CASES} == {"find_threes", "find_fours"}
    assert all(case.source for case in CASES)
