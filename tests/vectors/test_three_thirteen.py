"""What another engine of Three Thirteen has in its tests."""

from typing import Any

from companion.check import answer
from companion.rules.games.three_thirteen import THREE_THIRTEEN
from tests.vectors.peers import Case, check_all

# Where ours is another answer: by which rule.
OURS = {9: ("TTN-6: melds of wild cards alone are allowed", True)}


def hand_of(case: Case) -> int:
    """The hand with this wild rank; without one, a hand whose own wild rank is not among them."""
    ranks = {card[0] for card in case.cards}
    wild = case.input.get("wild_rank")
    texts = [THREE_THIRTEEN.judge.wild_rank_of(hand).text for hand in range(1, 12)]
    return 1 + (
        texts.index(wild) if wild else next(n for n, t in enumerate(texts) if t not in ranks)
    )


def ours(case: Case) -> Any:
    if case.question == "deal_and_wild":
        hand = case.input["round"]
        wild = THREE_THIRTEEN.wild_rank(hand)
        assert wild is not None
        return {"cards": THREE_THIRTEEN.dealt(hand), "wild_rank": wild.text}
    asked = {"game": "three_thirteen", "hand": hand_of(case), "cards": list(case.cards)}
    if case.question == "min_deadwood":
        return answer(asked | {"ask": "arrange"})["points"]
    return answer(asked | {"ask": "meld"})["legal"]


def test_the_cases_of_a_peer() -> None:
    check_all("go_trumpcards_three_thirteen", ours, OURS)
