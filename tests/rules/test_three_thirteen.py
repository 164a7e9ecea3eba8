"""Three Thirteen as the rulebook has it: packs, deal, wild ranks, house rules, arrangements."""

import pytest

from companion.check import answer

ARRANGEMENTS = [
    # cards; house rules; points and deadwood, in hand 6 where eights are wild
    ("9C 9D 9H KS 4C", {}, "14 4C KS"),
    ("9C 9C 9C KS 4C", {}, "14 4C KS"),
    # An eight lengthens any meld, and two of them make one of any card.
    ("9C 9D 9H 8S KS", {}, "10 KS"),
    ("8C 8D KS 4H", {}, "4 4H"),
    ("8C 8D 8H", {}, "0"),
    ("8C 8D 8H", {"min_naturals": 1}, "24 8C 8D 8H"),
    ("8C KS 4H", {}, "22 4H 8C KS"),
    # The ace is low.
    ("QH KH AH", {}, "21 AH KH QH"),
    ("AH 2H 3H", {}, "0"),
    ("QH KH AH", {"ace_left": 15, "court_left": "11-13"}, "40 AH KH QH"),
    # A joker is wild, and 15 if it is left; an eight beside it 8.
    ("XX KS 4H", {"jokers": "two_a_pack"}, "29 4H KS XX"),
    ("XX 8C KS 4H", {"jokers": "two_a_pack"}, "4 4H"),
    ("XX 8C", {"jokers": "two_a_pack"}, "23 8C XX"),
]


@pytest.mark.parametrize(("cards", "agreed", "left"), ARRANGEMENTS)
def test_the_best_arrangement_in_hand_six(cards, agreed, left):
    question = {"game": "three_thirteen", "hand": 6, "ask": "arrange", "rules": agreed}
    best = answer(question | {"cards": cards})
    points, _, deadwood = left.partition(" ")
    assert (best["points"], sorted(best["deadwood"])) == (int(points), deadwood.split())
