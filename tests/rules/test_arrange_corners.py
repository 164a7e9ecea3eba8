"""Hands that come by what few hands do, each worked out by hand."""

from random import Random

import pytest

from companion.rules.arrange import arrange
from companion.rules.candidates import runs, sets, shapes
from companion.rules.cards import JOKER, PACK, Rank, parse_cards, parse_meld_text
from companion.rules.melds import AceInRuns
from companion.rules.readings import readings
from companion.rules.table import Swap, parse_play
from tests.rules.invented import SHAPES, invented
from tests.rules.slow_arrange import check_arrangement

BOTH = AceInRuns.BOTH
JOKER_QUEEN = frozenset({Rank.JOKER, Rank.QUEEN})


@pytest.mark.parametrize(
    ("rules", "onto", "points"),
    [
        # 8♣ ★ 10♣ ★ are half wild; with one more at the other end three of five would be.
        pytest.param(SHAPES["halves"], "8C XX=9C TC", 15, id="half of a run"),
        # It has its one wild card.
        pytest.param(invented(max_wilds=1), "8C XX=9C TC", 30, id="one wild card a run"),
        pytest.param(invented(max_wilds=1), "9C 9D XX=9H", 30, id="one wild card a set"),
        # The fourth suit is what one of them can be.
        pytest.param(invented(), "9C 9D XX=9H", 15, id="a set is full"),
    ],
)
def test_two_jokers_for_a_meld_that_has_one(rules, onto, points):
    melds = [readings(parse_meld_text(onto), rules.limits)[0]]
    assert arrange(parse_cards("XX XX"), rules, melds).points == points


@pytest.mark.parametrize(
    ("cards", "rules", "melds", "left"),
    [
        # The ace is above the king.
        ("9C 9D 9H QS KS AS 2D", invented(ace_in_runs=BOTH), ["9C 9D 9H", "QS KS AS"], "2D"),
        # Three are too few for a set of four.
        ("9C 9D 9H 5C 6C 7C", invented(set_sizes=(4, 4)), ["5C 6C 7C"], "9C 9D 9H"),
    ],
)
def test_natural_cards(cards, rules, melds, left):
    found = arrange(parse_cards(cards), rules)
    assert sorted(meld.text for meld in found.melds) == sorted(melds)
    assert sorted(found.deadwood) == sorted(parse_cards(left))


def test_a_set_of_any_suits_that_must_have_three_natural_cards():
    rules = invented(set_sizes=(3, 12), suits_differ=False, set_min_naturals=3)
    # One set of five; of three and two, the smaller would be none.
    assert arrange(parse_cards("9C 9C 9D 9H 9S"), rules).points == 0
    assert arrange(parse_cards("9C 9C XX"), rules).points == 10 + 10 + 15


def test_many_sets_that_could_be():
    # The joker is needed for the fours, in a set or in a run of one of them. Then a two is left: of
    # five twos one is too many for a set, and there is no three for a run.
    cards = "AC AD AS 2C 2D 2D 2H 2S 4H 4S XX"
    assert arrange(parse_cards(cards), invented()).points == 5


def test_the_end_to_which_a_joker_goes_is_read():
    play = parse_play("swap 8H onto 2 high")
    assert isinstance(play, Swap)
    assert (play.onto, play.joker_to) == (2, "high")


def test_wild_cards_that_are_the_same_card_lie_as_in_a_reading():
    rules = invented(set_sizes=(3, 12), suits_differ=False, wild_ranks=JOKER_QUEEN)
    (meld,) = arrange(parse_cards("JC QC JH XX JS"), rules).melds
    assert meld in readings(parse_meld_text(meld.text), rules.limits)


def test_jokers_are_the_run_that_there_must_be():
    rules = invented(all_runs=1)
    assert [meld.text for meld in arrange([JOKER] * 3, rules).melds] == ["XX=AC XX=2C XX=3C"]
    assert arrange([JOKER] * 2, rules).points == 15 + 15


def test_runs_that_lie_apart_are_not_made_one_where_wild_cards_would_be_neighbours():
    rules = invented(half_wild=True, wilds_apart=True)
    found = arrange(parse_cards("4C 5C 6C 9C TC JC XX XX"), rules)
    assert not found.deadwood
    check_arrangement(found, parse_cards("4C 5C 6C 9C TC JC XX XX"), rules, ())


def test_what_is_remembered_of_other_hands_changes_no_answer():
    chance = Random("remembered")
    pack = [*PACK, *PACK, JOKER, JOKER, JOKER, JOKER]
    hands = [chance.sample(pack, 13) for _ in range(20)]
    for rules in (invented(), invented(half_wild=True, wilds_apart=True), invented(clean_runs=1)):
        alone = []
        for cards in hands:
            for remembering in (runs, sets, shapes):
                remembering.cache_clear()
            alone.append(arrange(cards, rules))
        assert [arrange(cards, rules) for cards in reversed(hands)] == alone[::-1]
