"""What cousins of Pay Me have in their tests: Three Thirteen and Shanghai Rummy."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import Rank
from companion.rules.games.pay_me import PAY_ME
from tests.vectors.peers import Case, cases, tally

# In Three Thirteen a wild rank is wild even in its own place.
THREE_THIRTEEN = {"wild_in_own_place": "wild"}
# In Shanghai Rummy it is natural there, and the ace lies high or low.
SHANGHAI = {"ace_in_runs": "both", "wild_in_own_place": "natural"}

# Where ours is another answer: by which rule, and what it is.
OURS: dict[tuple[str, int], tuple[str, Any]] = {
    ("shanghai_rummy", 20): ("PAY-3: the 2♥ is wild, and may be the J♥", True),
    ("shanghai_rummy", 22): ("PAY-5: a run has three cards or more", True),
    ("shanghai_rummy", 24): ("PAY-6: no two neighbours in a run are wild", False),
    ("shanghai_rummy", 26): ("PAY-6: no two neighbours in a run are wild", False),
    ("shanghai_rummy", 28): ("PAY-5: the joker can be at either end", ["TS", "AS"]),
}


def hand_without(cards: list[str], wild: str | None) -> int:
    """The hand with this wild rank; without one, a hand whose own wild rank is not among them."""
    ranks = {"X" if card == "XX" else card[0] for card in cards}
    return next(
        hand
        for hand in range(1, 12)
        if (PAY_ME.wild_rank(hand) or Rank.JOKER).text == wild
        or (wild is None and (PAY_ME.wild_rank(hand) or Rank.JOKER).text not in ranks)
    )


def ours(case: Case) -> Any:
    cards = list(case.cards)
    if case.question == "deal_and_wild":
        hand = case.input["round"]
        wild = PAY_ME.wild_rank(hand)
        assert wild is not None
        return {"cards": PAY_ME.dealt(hand), "wild_rank": wild.text}
    asked = {
        "game": "pay_me",
        "rules": SHANGHAI if case.file == "shanghai_rummy" else THREE_THIRTEEN,
        "hand": hand_without(cards, case.input.get("wild_rank")),
        "cards": cards,
    }
    if case.question == "min_deadwood":
        return answer(asked | {"ask": "arrange"})["points"]
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


ALL = [*cases("go_trumpcards_three_thirteen"), *cases("shanghai_rummy")]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in ALL])
def test_peer(case: Case) -> None:
    rule, expected = OURS.get((case.file, case.line), ("", case.expected))
    assert ours(case) == expected, f"{rule or 'as the peer'}: {case.source}"
    assert (expected != case.expected) is bool(rule)


@pytest.mark.parametrize("file", ["go_trumpcards_three_thirteen", "shanghai_rummy"])
def test_every_case_is_accounted_for(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    adapted = {line: rule for (name, line), (rule, _) in OURS.items() if name == file}
    with capsys.disabled():
        print(f"\n{tally(file, adapted, {})}")
