"""Poker hands, baccarat and splits of Indian Chief (CHI-4), and rounds that cannot be."""

from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import RANKS, Card, Suit, parse_cards
from companion.rules.errors import Malformed
from companion.rules.games.indian_chief import INDIAN_CHIEF, IndianChiefJudge
from companion.rules.games.indian_chief_rounds import Box, PokerHand, poker_hand
from tests.rules.case_tables import named

IMPOSSIBLE: list[tuple[Any, str, str]] = [
    (None, "plays", "must be a list of plays, with at least one"),
    ([], "plays", "must be a list of plays, with at least one"),
    (["7C"], "plays[0]", "must be an object"),
    ([{"cards": "7C"}], "plays[0]", "Every player needs a “name”"),
    ([{"name": " ", "cards": "7C"}], "plays[0]", "Every player needs a “name”"),
    ([{"name": "Ana"}], "plays[0]", "Ana shows no card"),
    ([{"name": "Ana", "cards": 7}], "plays[0]", "“cards” must be cards"),
    ([{"name": "Ana", "cards": "7C", "suits": "H"}], "plays[0]", "no entry “suits” here"),
    ([{"name": "Ana", "cards": "7C", "suit": 1}], "plays[0]", "must be a suit"),
    ([{"name": "Ana", "cards": "7C", "split": ""}], "plays[0]", "“split” is empty"),
]


def test_an_impossible_round_is_refused():
    for plays, where, words in IMPOSSIBLE:
        with named(str(plays)), pytest.raises(Malformed, match=words) as raised:
            answer({"game": "indian_chief", "ask": "round", "plays": plays})
        assert raised.value.where == where


def test_a_suit_and_a_split_may_be_left_out_as_null():
    play = {"name": "Ana", "cards": ["7C"], "suit": None, "split": None}
    assert answer({"game": "indian_chief", "ask": "round", "plays": [play]})["scores"] == {"Ana": 7}


def test_the_highest_total_wins_and_each_box_has_its_rule():
    assert INDIAN_CHIEF.won_by.highest  # CHI-6
    assert INDIAN_CHIEF.rules(INDIAN_CHIEF.house(), 1).needs() == []
    assert {box.title: box.rule for box in Box if box.rule != "CHI-3"} == {"Indian Chief": "CHI-4"}


# -- the poker hands, every pattern of ranks and suits against a plain counter -------------------


def plain_hand(cards: list[Card]) -> PokerHand:
    """The same by going through the list of CHI-4 from its top, in the plainest way."""
    ranks = [int(card.rank) for card in cards]
    times = [ranks.count(rank) for rank in ranks]
    one_suit = all(card.suit == cards[0].suit for card in cards)
    straights = [[1, 10, 11, 12, 13], *([low + n for n in range(5)] for low in range(1, 10))]
    straight = sorted(ranks) in straights
    if 5 in times:
        return PokerHand.FIVE_OF_A_KIND
    if straight and one_suit:
        return PokerHand.STRAIGHT_FLUSH
    if 4 in times:
        return PokerHand.FOUR_OF_A_KIND
    if 3 in times and 2 in times:
        return PokerHand.FULL_HOUSE
    if one_suit:
        return PokerHand.FLUSH
    if straight:
        return PokerHand.STRAIGHT
    if 3 in times:
        return PokerHand.THREE_OF_A_KIND
    pairs = times.count(2) // 2
    return [PokerHand.HIGH_CARD, PokerHand.PAIR, PokerHand.TWO_PAIR][pairs]


def test_every_choice_of_ranks_and_suits_makes_its_poker_hand():
    counted: Counter[PokerHand] = Counter()
    # Which suits they are does not matter, but whether they are one.
    for ranks in combinations_with_replacement(RANKS, 5):
        for suits in ([Suit.SPADES] * 5, [Suit.CLUBS, *[Suit.SPADES] * 4]):
            cards = [Card(rank, suit) for rank, suit in zip(ranks, suits, strict=True)]
            hand = poker_hand(cards)
            assert hand is plain_hand(cards), cards
            counted[hand] += 1
    # By hand, of 6188 choices of five ranks with repeats: 13 are five of a kind, 13·12 four and
    # one, as many three and two; the 1287 of five ranks are 10 straights and 1277 others.
    assert counted[PokerHand.FIVE_OF_A_KIND] == 2 * 13
    assert counted[PokerHand.FOUR_OF_A_KIND] == counted[PokerHand.FULL_HOUSE] == 2 * 156
    assert counted[PokerHand.STRAIGHT_FLUSH] == counted[PokerHand.STRAIGHT] == 10
    assert counted[PokerHand.HIGH_CARD] == 1277
    assert counted[PokerHand.THREE_OF_A_KIND] == 13 * 66
    assert counted[PokerHand.TWO_PAIR] == 78 * 11
    assert counted[PokerHand.PAIR] == 13 * 220
    # Everything else in one suit is a flush: no pairs are left, no threes.
    assert counted[PokerHand.FLUSH] == 1277 + 858 + 858 + 2860


def test_a_beggar_man_alone_has_no_score_until_the_others_are_known():
    rules = INDIAN_CHIEF.rules(INDIAN_CHIEF.house(), 1)
    assert isinstance(rules, IndianChiefJudge)
    pair = parse_cards("9C 9H")
    # CHI-3: two points for each card of that rank, and none for the king.
    assert rules.score_meld(pair, parse_cards("9D 9S KC")).points == 4
    with pytest.raises(Malformed, match="Tap their cards too") as refused:
        rules.score_meld(pair)
    assert refused.value.where == "others"
