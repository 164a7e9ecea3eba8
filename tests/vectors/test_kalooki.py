"""What another Kalooki program finds in a hand, asked of ours as an arrangement.

It looks for threes alone, or for fours alone, in hands that hold none of the other kind, so that
the best arrangement melds the same cards.
"""

from typing import Any

from companion.check import answer
from tests.vectors.peers import Case, check_all


def melded(case: Case) -> Any:
    """The cards that ours melds; each of them can be laid as the peer has grouped them."""
    cards = case.input["hand"]
    best = answer({"game": "kalooki", "hand": 1, "ask": "arrange", "cards": cards})
    melds = [meld.split() for meld in best["melds"]]
    laid = [card for meld in melds for card in meld]
    assert sorted([*laid, *best["deadwood"]]) == sorted(cards)
    for meld in melds:
        assert (len({card[0] for card in meld}) == 1) is (case.question == "find_threes")
    for group in {card[1 if case.question == "find_fours" else 0] for card in case.expected}:
        meld = [card for card in case.expected if group in card]
        question = {"game": "kalooki", "hand": 1, "ask": "meld", "cards": meld}
        assert answer(question | {"player": {"contract_met": True}})["legal"]
    return case.expected if sorted(laid) == sorted(case.expected) else laid


def test_the_cases_of_a_peer() -> None:
    check_all("kalooki_platform", melded, {})
