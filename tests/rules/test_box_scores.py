"""What each box of Indian Chief can score, for rounds entered by points (CHI-2 … CHI-5)."""

import pytest
from hypothesis import given, strategies as st

from companion.rules.cards import PACK, SUITS, parse_cards
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.indian_chief import INDIAN_CHIEF, IndianChiefJudge
from companion.rules.games.indian_chief_rounds import (
    Box,
    RoundMeld,
    possible_scores,
)
from companion.rules.judge import Judge
from companion.rules.scoring import HandEnd, Left


def judge(players: int, **rules: str) -> Judge:
    house = INDIAN_CHIEF.house(None, rules)
    return INDIAN_CHIEF.rules(house, 1, INDIAN_CHIEF.deck(house, players))


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


@given(
    st.sampled_from([1, 2]).flatmap(lambda packs: st.permutations([*PACK] * packs)),
    st.lists(st.integers(1, 7), min_size=2, max_size=4),
    st.sampled_from(SUITS),
)
def test_every_meld_shown_scores_what_its_box_allows(cards, sizes, suit):
    packs = len(cards) // len(PACK)
    melds = [
        RoundMeld(
            str(number),
            tuple(cards.pop() for _ in range(size)),
            suit if size == Box.DOCTOR else None,
        )
        for number, size in enumerate(sizes)
    ]
    rules = INDIAN_CHIEF.rules(INDIAN_CHIEF.house(), 1, Deck(packs))
    assert isinstance(rules, IndianChiefJudge)
    for meld, score in zip(melds, rules.score_round(melds).boxes.values(), strict=True):
        assert score.points in possible_scores(Box(len(meld.cards)), packs)


def test_a_beggar_man_by_cards_needs_the_cards_of_all_others():
    rules = judge(3)
    beggar = HandEnd("Ana", rules.left(parse_cards("9C 9D")))
    ends = [beggar, by_points("Ben", "Thief", 9), by_points("Cem", "Lawyer", 0)]
    with pytest.raises(Malformed, match="the cards of Ben and Cem are not entered") as refused:
        rules.check_boxes(ends)
    assert refused.value.where == "Ana"


def test_a_beggar_man_by_points_matches_no_more_cards_than_the_others_show():
    rules = judge(3)
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
            "in this order: 1. Cem, 2. Ben and Ana (the lower rank first; equal ones agree on ",
        ),
        ([("Ana", "KC"), ("Ben", "JC"), ("Cem", 3)], "in this order: 1. Cem, 2. Ben, 3. Ana."),
        ([("Ana", 3), ("Ben", "3C")], "taken by Ben and Ana (who are equal, and agree on "),
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


def test_thieves_of_equal_value_are_equal_where_the_house_says_so():
    rules = judge(4, thief_tie="value")
    told = rules.afterwards([by_points("Ana", "Thief", 10), by_points("Ben", "Thief", 10)])
    assert "taken by Ana and Ben (who are equal" in told[0].says


def test_the_best_suit_of_a_doctor_is_told_if_none_was_named():
    rules = judge(4)
    cards = parse_cards("AC 4H 6H 9S JC KS")
    # Two of each suit but diamonds.
    with pytest.raises(Malformed, match="The most is 20, with clubs, hearts or spades"):
        rules.marks([HandEnd("Ana", rules.left(cards))])


def test_the_best_split_is_told_if_none_was_given():
    rules = judge(4)
    cards = parse_cards("KC KD KH 5H 5S 9C 9D")
    shown = rules.marks([HandEnd("Ana", rules.left(cards))])["Ana"].shown
    assert shown is not None
    assert shown.says.endswith("at baccarat, the best split")
    shown = rules.marks([HandEnd("Ana", rules.left(cards), split=cards[:5])])["Ana"].shown
    assert shown is not None
    assert shown.says.endswith("at baccarat")


def test_nobody_is_dealt_a_new_hand_after_the_first_round():
    house = INDIAN_CHIEF.house()
    assert INDIAN_CHIEF.rules(house, 1).refill == ""
    assert "up to eight cards from the stub" in INDIAN_CHIEF.rules(house, 2).refill  # CHI-1
