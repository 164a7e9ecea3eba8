"""What a cousin of Pay Me has in its tests: Shanghai Rummy."""

from collections.abc import Sequence
from typing import Any

from companion.check import answer
from companion.rules.games.pay_me import PAY_ME
from tests.vectors.peers import Case, check_all

# In Shanghai Rummy it is natural there, and the ace lies high or low.
SHANGHAI = {"ace_in_runs": "both", "wild_in_own_place": "natural"}

# Where ours is another answer: by which rule, and what it is.
OURS: dict[int, tuple[str, Any]] = {
    20: ("PAY-3: the 2♥ is wild, and may be the J♥", True),
    22: ("PAY-5: a run has three cards or more", True),
    24: ("PAY-6: no two neighbours in a run are wild", False),
    26: ("PAY-6: no two neighbours in a run are wild", False),
    28: ("PAY-5: the joker can be at either end", ["TS", "AS"]),
}


def hand_without(cards: Sequence[str]) -> int:
    """A hand whose own wild rank is not among the cards."""
    ranks = {card[0] for card in cards}
    return next(h for h in range(1, 12) if PAY_ME.judge.wild_rank_of(h).text not in ranks)


def ours(case: Case) -> Any:
    cards = case.cards
    asked = {"game": "pay_me", "rules": SHANGHAI, "hand": hand_without(cards), "cards": [*cards]}
    ruling = answer(asked | {"ask": "meld"})
    if case.question in ("wild_represents", "wild_positions"):
        stands_for = {
            card.partition("=")[2]
            for reading in ruling["readings"]
            for card in reading.split()
            if card.startswith("XX=")
        }
        return sorted(stands_for, key=lambda card: "23456789TJQKA".index(card[0]))
    return ruling["legal"]


def test_the_cases_of_a_peer() -> None:
    check_all("shanghai_rummy", ours, OURS)
