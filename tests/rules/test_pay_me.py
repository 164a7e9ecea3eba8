"""Pay Me as the rulebook has it: packs, deal, wild ranks, house rules, and what it has not."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.pay_me import PAY_ME

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
def test_each_hand_deals_a_card_more_and_has_its_wild_rank(
    hand: int, dealt: int, wild: Rank
) -> None:
    assert (PAY_ME.dealt(hand), PAY_ME.wild_rank(hand)) == (dealt, wild)
    rules = PAY_ME.rules(PAY_ME.house(), hand)
    assert rules.limits.wild_ranks == {Rank.JOKER, Rank.TWO, wild}


@pytest.mark.parametrize(
    ("players", "deck"),
    [(2, Deck(1, 2)), (3, Deck(2, 4)), (4, Deck(2, 4)), (5, Deck(3, 6)), (8, Deck(3, 6))],
)
def test_the_packs_follow_the_number_of_players(players: int, deck: Deck) -> None:
    assert PAY_ME.deck("pay_me", players) == deck


@pytest.mark.parametrize("players", [1, 9])
def test_so_many_cannot_play(players: int) -> None:
    with pytest.raises(Malformed, match="Pay Me is played by 2 to 8"):
        PAY_ME.deck("pay_me", players)


def test_pay_me_is_as_the_rulebook_says() -> None:
    assert (PAY_ME.hands, PAY_ME.players, PAY_ME.deal_passes) == (11, (2, 8), "left")
    assert dict(PAY_ME.house().values) == {
        "ace_in_runs": "low",
        "wild_in_own_place": "natural",
        "false_call": 0,
    }
    assert [rule.rule for rule in PAY_ME.house_rules] == ["PAY-5", "PAY-6", "PAY-10"]


@pytest.mark.parametrize(
    ("false_call", "broken", "charge"),
    [(0, ["PAY-8"], None), (25, ["PAY-8"], "PAY-10"), (25, ["PAY-5"], None), (25, [], None)],
)
def test_a_false_call_is_charged_where_the_table_says_so(
    false_call: int, broken: list[str], charge: str | None
) -> None:
    house = PAY_ME.house(None, {"false_call": false_call})
    assert PAY_ME.rules(house, 1).charge_for(broken) == charge
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
def test_what_pay_me_has_not_is_said(question: dict[str, Any], says: str) -> None:
    table = {"game": "pay_me", "hand": 6, "table": ["5C XX=6C 7C"]}
    with pytest.raises(Malformed, match=says):
        answer(table | question)
