"""Pay Me as the rulebook has it: packs, deal, wild ranks, house rules, and what it has not."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.games.pay_me import PAY_ME
from companion.rules.player import Player
from companion.rules.table import Table, parse_play
from companion.rules.turn import judge_turn


@pytest.mark.parametrize(
    ("false_call", "plays", "charge"),
    [
        (0, ["meld 5C 6C 7C"], None),
        (25, ["meld 5C 6C 7C"], "PAY-10"),
        (25, ["meld 5C 6C 9C", "discard 5C"], None),
        (25, ["meld 5C 6C 7C", "discard 9H"], None),
        # PAY-7 as well, and no call.
        (25, ["discard 9H", "discard 5C"], None),
    ],
)
def test_a_false_call_is_charged_where_the_table_says_so(false_call, plays, charge):
    house = PAY_ME.house(None, {"false_call": false_call})
    rules = PAY_ME.rules(house, 1)
    turn = judge_turn(rules, Table(), [parse_play(play) for play in plays], Player())
    assert rules.charge_for(turn.whole) == charge
    assert PAY_ME.charge("PAY-10").applies(house) is bool(false_call)


ARRANGEMENTS = [
    # cards; melds that may be laid off on; house rules; points and deadwood; what is laid off
    ("9C 9D 9H KS 4C", "5C 6C 7C", {}, "10 KS", ["4C onto 0"]),
    ("9C 9D 9H KS 4C", "", {}, "15 4C KS", []),
    ("9C 9D XX KS", "", {}, "10 KS", []),
    # Two wild cards are more than half of three; one at each end of a run they are not.
    ("XX 2D TH KS", "", {}, "50 XX 2D TH KS", []),
    ("XX 2D TH KS", "5C 6C 7C", {}, "20 TH KS", ["2 cards onto 0"]),
    # The 9♣ follows a wild 8♣, and parts it from another wild card.
    ("XX 2D 9C KS", "5C 6C 7C", {}, "10 KS", ["3 cards onto 0"]),
    ("8C 8D 8H", "", {}, "0", []),
    ("8C 8D 8H", "", {"wild_in_own_place": "wild"}, "45 8C 8D 8H", []),
    ("QH KH AH 2S", "", {}, "5 AH", []),
    ("QH KH AH 2S", "", {"ace_in_runs": "high"}, "0", []),
    # Two sets of one rank are two melds, and the same suit is twice in none.
    ("9C 9D 9H 9C 9D 9S", "", {}, "0", []),
    ("9C 9C 9D", "", {}, "30 9C 9C 9D", []),
    ("9S 9C TD", "9C 9D 9H", {}, "20 9C TD", ["9S onto 0"]),
]


@pytest.mark.parametrize(("cards", "onto", "agreed", "left", "laid_off"), ARRANGEMENTS)
def test_the_best_arrangement_in_hand_six(cards, onto, agreed, left, laid_off):
    question = {"game": "pay_me", "hand": 6, "ask": "arrange", "cards": cards, "rules": agreed}
    best = answer(question | {"onto": [onto] if onto else []})
    points, _, deadwood = left.partition(" ")
    assert (best["points"], sorted(best["deadwood"])) == (int(points), sorted(deadwood.split()))
    assert [said(one) for one in best["laid_off"]] == laid_off


def said(laid: dict[str, Any]) -> str:
    cards = laid["cards"].split()
    what = cards[0] if len(cards) == 1 else f"{len(cards)} cards"
    return f"{what} onto {laid['onto']}"
