"""Pay Me as the rulebook has it: packs, deal, wild ranks, house rules, and what it has not."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.pay_me import PAY_ME
from companion.rules.player import Player
from companion.rules.table import Table, parse_play
from companion.rules.turn import judge_turn

HANDS = [
    # hand, cards dealt, and the rank that is wild beside jokers and twos (PAY-2, PAY-3)
    (1, 3, Rank.THREE),
    (2, 4, Rank.FOUR),
    (3, 5, Rank.FIVE),
    (4, 6, Rank.SIX),
    (5, 7, Rank.SEVEN),
    (6, 8, Rank.EIGHT),
    (7, 9, Rank.NINE),
    (8, 10, Rank.TEN),
    (9, 11, Rank.JACK),
    (10, 12, Rank.QUEEN),
    (11, 13, Rank.KING),
]


@pytest.mark.parametrize(("hand", "dealt", "wild"), HANDS)
def test_each_hand_deals_a_card_more_and_has_its_wild_rank(hand, dealt, wild):
    assert (PAY_ME.dealt(hand), PAY_ME.wild_rank(hand)) == (dealt, wild)
    rules = PAY_ME.rules(PAY_ME.house(), hand)
    assert rules.limits.wild_ranks == {Rank.JOKER, Rank.TWO, wild}


@pytest.mark.parametrize(
    ("players", "deck"),
    [(2, Deck(1, 2)), (3, Deck(2, 4)), (4, Deck(2, 4)), (5, Deck(3, 6)), (8, Deck(3, 6))],
)
def test_the_packs_follow_the_number_of_players(players, deck):
    assert PAY_ME.deck(PAY_ME.house(), players) == deck


@pytest.mark.parametrize("players", [1, 9])
def test_so_many_cannot_play(players):
    with pytest.raises(Malformed, match="Pay Me is played by 2 to 8"):
        PAY_ME.deck(PAY_ME.house(), players)


def test_pay_me_is_as_the_rulebook_says():
    assert (PAY_ME.hands, PAY_ME.players, PAY_ME.deal_passes) == (11, (2, 8), "left")
    assert dict(PAY_ME.house().values) == {
        "ace_in_runs": "low",
        "wild_in_own_place": "natural",
        "lay_off_order": "in_turn",
        "false_call": 0,
    }
    assert [rule.rule for rule in PAY_ME.house_rules] == ["PAY-5", "PAY-6", "PAY-9", "PAY-10"]


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


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ({"ask": "swap", "card": "6C", "onto": 0}, "Pay Me has no question “swap”"),
        ({"ask": "turn", "plays": [{"swap": "6C", "onto": 0}]}, "Pay Me has no swaps"),
        ({"ask": "turn", "plays": [{"take_pile": True}]}, "Pay Me has no taking of the whole pile"),
        ({"ask": "contract", "melds": ["5C 6C 7C"]}, "Pay Me has no question “contract”"),
        ({"ask": "declare", "cards": "5C 6C 7C"}, "Pay Me has no question “declare”"),
        ({"ask": "round", "plays": []}, "Pay Me has no question “round”"),
    ],
)
def test_what_pay_me_has_not_is_said(question, says):
    table = {"game": "pay_me", "hand": 6, "table": ["5C XX=6C 7C"]}
    with pytest.raises(Malformed, match=says):
        answer(table | question)


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
