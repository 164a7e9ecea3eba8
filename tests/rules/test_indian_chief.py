"""Indian Chief: poker hands, a meld alone, and rounds entered by points (CHI-1 … CHI-5)."""

from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import RANKS, Card, Suit, parse_cards
from companion.rules.errors import Malformed
from companion.rules.games.indian_chief import INDIAN_CHIEF
from companion.rules.games.indian_chief_boxes import Box, PokerHand, poker_hand
from companion.rules.scoring import HandEnd, Left


def judge(players: int, hand: int = 1) -> Any:
    house = INDIAN_CHIEF.house()
    return INDIAN_CHIEF.rules(house, hand, INDIAN_CHIEF.deck(house, players))


def test_a_suit_and_a_split_may_be_left_out_as_null():
    play = {"name": "Ana", "cards": ["7C"], "suit": None, "split": None}
    assert answer({"game": "indian_chief", "ask": "round", "plays": [play]})["scores"] == {"Ana": 7}


def test_the_highest_total_wins_and_each_box_has_its_rule_and_cards_are_dealt_once():
    assert INDIAN_CHIEF.won_by.highest  # CHI-6
    first, second = (INDIAN_CHIEF.rules(INDIAN_CHIEF.house(), number) for number in (1, 2))
    assert first.needs() == []
    # CHI-1: nobody is dealt a new hand after the first round.
    assert first.refill == ""
    assert "up to eight cards from the stub" in second.refill
    assert {box.title: box.rule for box in Box if box.rule != "CHI-3"} == {"Indian Chief": "CHI-4"}


def test_every_choice_of_ranks_and_suits_makes_its_poker_hand():
    counted: Counter[PokerHand] = Counter()
    # Which suits they are does not matter, but whether they are one.
    for ranks in combinations_with_replacement(RANKS, 5):
        for suits in ([Suit.SPADES] * 5, [Suit.CLUBS, *[Suit.SPADES] * 4]):
            cards = [Card(rank, suit) for rank, suit in zip(ranks, suits, strict=True)]
            counted[poker_hand(cards)] += 1
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
    rules = judge(2)
    pair = parse_cards("9C 9H")
    # CHI-3: two points for each card of that rank, and none for the king.
    assert rules.score_meld(pair, parse_cards("9D 9S KC")).points == 4
    with pytest.raises(Malformed, match="Tap their cards too") as refused:
        rules.score_meld(pair)
    assert refused.value.where == "others"


# -- rounds entered by points --------------------------------------------------------------------


def by_points(name: str, box: str, points: int) -> HandEnd:
    return HandEnd(name, Left(points, 0, None), box=box)


# Worked out from CHI-2 and CHI-3. Beggar Man: eight cards a pack of two ranks, but for its own two,
# so 6 or 14 matches. Rich Man: A A A A 2 is 6, and with two packs five aces are 5. Indian Chief:
# high card 5 and baccarat 0 at least; a straight flush 45 or five of a kind 50, and 9, at most.
@pytest.mark.parametrize(
    ("box", "players", "words", "possible", "impossible"),
    [
        ("Thief", 2, "1 to 10", [1, 10], [0, 11, -1]),
        ("Beggar Man", 3, "an even number, 0 to 12", [0, 2, 12], [1, 13, 14, -2]),
        ("Beggar Man", 4, "an even number, 0 to 28", [0, 14, 28], [15, 30]),
        ("Poor Man", 2, "0 to 30", [0, 1, 30], [31, -1]),
        ("Lawyer", 2, "0 or 25", [0, 25], [1, 24, 26, -25]),
        ("Rich Man", 3, "6 to 50", [-6, -50], [-5, -51, 0, 6]),
        ("Rich Man", 4, "5 to 50", [-5, -50], [-4, -51, 5]),
        ("Doctor", 2, "a multiple of 10, 0 to 60", [0, 10, 60], [5, 70, -10]),
        ("Indian Chief", 3, "5 to 54", [5, 54], [4, 0, 55]),
        ("Indian Chief", 4, "5 to 59", [5, 59], [4, 60]),
    ],
)
def test_the_points_of_a_box(box, players, words, possible, impossible):
    rules = judge(players)
    for points in possible:
        assert rules.marks([by_points("Ana", box, points)])["Ana"].points == points
    for points in impossible:
        with pytest.raises(Malformed, match=f"Ana's {box} scores {words}, not ") as refused:
            rules.marks([by_points("Ana", box, points)])
        assert refused.value.where == "points"


def test_a_refusal_repeats_the_points_as_entered():
    with pytest.raises(Malformed, match=r"Rich Man scores 6 to 50, not 51 \(CHI-3\)"):
        judge(3).marks([by_points("Ana", "Rich Man", -51)])
    with pytest.raises(Malformed, match="There is no box “Robber” for Ana to fill"):
        judge(3).marks([by_points("Ana", "Robber", 1)])
    with pytest.raises(Malformed, match="There is no suit “X” for Ana to name"):
        judge(3).marks([HandEnd("Ana", Left(cards=parse_cards("AH")), suit="X")])


def test_a_beggar_man_by_cards_needs_the_cards_of_all_others():
    rules = judge(3)
    beggar = HandEnd("Ana", rules.left(parse_cards("9C 9D")))
    ends = [beggar, by_points("Ben", "Thief", 9), by_points("Cem", "Lawyer", 0)]
    with pytest.raises(Malformed, match="the cards of Ben and Cem are not entered") as refused:
        rules.check_boxes(ends)
    assert refused.value.where == "Ana"

    # By points it matches no more cards than the others show.
    thief = HandEnd("Ben", rules.left(parse_cards("9H")))
    others = [thief, by_points("Cem", "Beggar Man", 2)]
    rules.check_boxes([by_points("Ana", "Beggar Man", 6), *others])
    with pytest.raises(Malformed, match="scores 6 at most: the others show 3 cards"):
        rules.check_boxes([by_points("Ana", "Beggar Man", 8), *others])


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        # A nine is a nine, and a ten by points is one of four ranks.
        ([("Ana", 9), ("Ben", 2)], "in this order: 1. Ben, 2. Ana."),
        ([("Ana", 10), ("Ben", 9)], "in this order: 1. Ben, 2. Ana."),
        (
            [("Ana", 10), ("Ben", "JC"), ("Cem", 3)],
            "in this order: 1. Cem, 2. Ben and Ana (the lower rank first; if equal, they must ",
        ),
        ([("Ana", "KC"), ("Ben", "JC"), ("Cem", 3)], "in this order: 1. Cem, 2. Ben, 3. Ana."),
        ([("Ana", 3), ("Ben", "3C")], "taken by Ben and Ana (equal: they must agree on "),
    ],
)
def test_thieves_by_points_take_their_card_in_order(ends, says):
    rules = judge(4)
    told = rules.afterwards(
        [
            by_points(name, "Thief", shown)
            if isinstance(shown, int)
            else HandEnd(name, rules.left(parse_cards(shown)))
            for name, shown in ends
        ]
    )
    assert says in told[0].says


def test_no_thief_takes_a_card_after_the_last_round():
    # A thief takes a card in place of one that is dealt (CHI-5); after seven rounds none is.
    told = [judge(4, hand).afterwards([by_points("Ana", "Thief", 9)]) for hand in (6, 7)]
    assert [len(needs) for needs in told] == [1, 0]
