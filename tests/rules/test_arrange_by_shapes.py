"""The fewest points under any limits, worked out by hand and by trying everything."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, strategies as st

from companion.rules.arrange import arrange, fewest_cards
from companion.rules.cards import (
    JOKER,
    PACK,
    SUITS,
    Card,
    Offered,
    Rank,
    format_cards,
    parse_cards,
)
from companion.rules.game import Deck
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, Meld
from companion.rules.readings import readings
from tests.rules.invented import SHAPES, any_rules, invented
from tests.rules.slow_arrange import check_arrangement, check_melds, fewest_left

Question = tuple[list[Card], Judge, list[Meld]]


# -- which card lies where ------------------------------------------------------------------------


BOTH = AceInRuns.BOTH
WHOLE = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
FOUR_JOKERS = ("XX XX XX XX", ["XX=AC XX=2C XX=3C XX=4C"], "")
LYING = [
    # 2♣ is itself, though the joker could be 2♣ and it the 4♣.
    (SHAPES["halves"], "3C 2C AC XX", ["AC 2C=2C 3C XX=4C"], ""),
    # Two of them are themselves in a set of twos; the others are what is missing, in order.
    (SHAPES["halves"], "2D 2H 2H XX", ["2H=2C 2D=2D 2H=2H XX=2S"], ""),
    # Each set has every suit once.
    (SHAPES["halves"], "9C 9D XX 9H 9S XX", ["9C 9D XX=9H", "XX=9C 9H 9S"], ""),
    # A run has room for both jokers, a set only for one of them.
    (invented(set_sizes=(3, 3)), "AC 3C 3S XX XX", ["AC XX=2C 3C XX=4C"], "3S"),
    # One goes to each end.
    (SHAPES["halves"], "9C TC JC XX XX", ["XX=8C 9C TC JC XX=QC"], ""),
    # The suits that are not there come first, then each once more.
    (SHAPES["free"], "9C 9C 9D XX XX XX", ["9C 9C 9D XX=9H XX=9H XX=9S"], ""),
    (SHAPES["free"], "XX XX XX", ["XX=AC XX=AD XX=AH"], ""),
    # A whole suit is read from its ace up.
    (invented(ace_in_runs=BOTH), f"{WHOLE} XX", [f"XX=AC {WHOLE}"], ""),
    # Wild cards alone are a run where a set has three or a run is required.
    (invented(set_sizes=(3, 3)), *FOUR_JOKERS),
    (invented(set_sizes=(3, 3), one_run_a_suit=True), *FOUR_JOKERS),
    (invented(all_runs=1), "XX XX XX", ["XX=AC XX=2C XX=3C"], ""),
    (invented(all_runs=1), "XX XX", [], "XX XX"),
    # The ace is above the king.
    (invented(ace_in_runs=BOTH), "9C 9D 9H QS KS AS 2D", ["9C 9D 9H", "QS KS AS"], "2D"),
    # Three are too few for a set of four.
    (invented(set_sizes=(4, 4)), "9C 9D 9H 5C 6C 7C", ["5C 6C 7C"], "9C 9D 9H"),
    # A tanala, though a set may have the same card thrice.
    (
        invented(Deck(3, 4), suits_differ=False, tanala_rule="I"),
        *("9C 9C 9C", ["9C 9C 9C"], ""),
    ),
]


def test_which_card_lies_where():
    for rules, cards, melds, left in LYING:
        found = arrange(parse_cards(cards), rules)
        assert sorted(meld.text for meld in found.melds) == sorted(melds)
        assert sorted(found.deadwood) == sorted(parse_cards(left))
        check_arrangement(found, parse_cards(cards), rules, ())


# -- trying everything --------------------------------------------------------------------------


def some_rules(chance: Random) -> Judge:
    kind = chance.randrange(3)
    if kind < 2:
        return chance.choice([*SHAPES.values()]) if kind else any_rules(chance)
    choices = {
        rule: chance.choice(PROTER.house_rule(rule).choices).value
        for rule in ("ace_in_runs", "min_naturals", "proter_in_own_place", "proter_left_value")
    }
    return PROTER.rules(PROTER.house(None, choices), chance.randint(1, 13))


@st.composite
def handfuls(draw: st.DrawFn, most: int, table: int = 0) -> Question:
    """Draw up to `most` cards that are close to each other, rules, and melds on the table."""
    chance = Random(draw(st.integers(0, 1 << 32)))
    return drawn(chance, some_rules(chance), most, table)


def drawn(chance: Random, rules: Judge, most: int, table: int) -> Question:
    packs, jokers = rules.deck
    cards = [JOKER] * jokers + [card for card in PACK for _ in range(packs)]
    chance.shuffle(cards)
    onto = []
    for _ in range(table):
        meld = drawn_meld(chance, rules, cards)
        onto += [meld] if meld else []
    wilds = [card for card in cards if rules.limits.is_wild(card)]
    held = wilds[: chance.choice([0, 1, 1, 2, 2, 3, 4, 5])]
    suits = chance.sample(SUITS, chance.choice([1, 1, 2, 4]))
    low = chance.randrange(1, 13)
    high = low + chance.choice([2, 4, 6, 12])
    held += [
        card
        for card in cards
        if not rules.limits.is_wild(card)
        and card.suit in suits
        and (low <= card.rank <= high or (high > Rank.KING and card.rank is Rank.ACE))
    ]
    held = held[:most]
    chance.shuffle(held)
    return held, rules, onto


def drawn_meld(chance: Random, rules: Judge, cards: list[Card]) -> Meld | None:
    """Draw a meld and remove it from these cards; None if the drawn cards are no meld."""
    count = chance.randrange(3, 6)
    like = chance.choice(PACK)
    near = [
        card
        for card in cards
        if rules.limits.is_wild(card)
        or card.rank is like.rank
        or (card.suit is like.suit and like.rank <= card.rank < like.rank + count)
    ]
    for _ in range(20):
        taken = chance.sample(near, count) if len(near) >= count else []
        found = readings([Offered(card) for card in taken], rules.limits) if taken else []
        if found:
            for card in taken:
                cards.remove(card)
            return chance.choice(found)
    return None


def holds_against_trying_everything(
    cards: Sequence[Card], rules: Judge, onto: Sequence[Meld]
) -> None:
    found = arrange(cards, rules, onto)
    assert (found.points, len(found.deadwood)) == fewest_left(cards, rules, onto)
    check_arrangement(found, cards, rules, onto)


@given(handfuls(most=6))
def test_nothing_leaves_fewer_points(question):
    holds_against_trying_everything(*question)


@given(handfuls(most=5, table=2))
def test_nothing_leaves_fewer_points_if_cards_can_be_laid_off(question):
    holds_against_trying_everything(*question)


LARGER = [
    *((shape, rules, 7) for shape, rules in SHAPES.items()),
    *((f"proter {hand}", PROTER.rules(PROTER.house(), hand), 8) for hand in (1, 6, 13)),
]


@pytest.mark.parametrize(("name", "rules", "most"), LARGER, ids=[one[0] for one in LARGER])
def test_nothing_leaves_fewer_points_of_more_cards(name, rules, most):
    for number in range(4):
        chance = Random(f"{name} {number}")
        holds_against_trying_everything(*drawn(chance, rules, most, 0))


@given(handfuls(most=16, table=2), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(question, chance):
    cards, rules, onto = question
    found = arrange(cards, rules, onto)
    check_arrangement(found, cards, rules, onto)
    chance.shuffle(cards)
    assert arrange(cards, rules, onto) == found, format_cards(cards)


@given(handfuls(most=13))
def test_all_cards_are_melded_if_none_need_be_left(question):
    cards, rules, _ = question
    found = fewest_cards(cards, rules, with_runs=True)
    left = arrange(cards, rules)
    if found.deadwood:
        # Clean runs alone can be all the cards, and yet fewer than there must be.
        assert left.deadwood or len(left.melds) < rules.all_runs
    else:
        assert not left.deadwood
        assert sorted(one.card for meld in found.melds for one in meld.cards) == sorted(cards)
        check_melds(found.melds, rules)


def test_a_whole_suit_ends_with_its_ace_where_aces_are_high():
    """PRO-5; the ace is a Proter in its own place (PRO-6)."""
    house = PROTER.house(None, {"ace_in_runs": "high", "proter_in_own_place": "natural"})
    rules = PROTER.rules(house, 1)
    found = arrange(parse_cards("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"), rules)
    assert [meld.text for meld in found.melds] == ["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH=AH"]


def test_a_set_of_any_suits_that_must_have_three_natural_cards():
    rules = invented(set_sizes=(3, 12), suits_differ=False, set_min_naturals=3)
    # One set of five; of three and two, the smaller would be none.
    assert arrange(parse_cards("9C 9C 9D 9H 9S"), rules).points == 0
    assert arrange(parse_cards("9C 9C XX"), rules).points == 10 + 10 + 15


def test_a_run_has_no_more_gaps_than_wild_cards():
    rules = invented(min_naturals=2, max_wilds=1, one_run_a_suit=True)
    # Without 4♦, three cards are missing between A♦ and 5♦, and one may be wild.
    assert arrange(parse_cards("AD 4D 5D XX XX XX"), rules).points == 5 + 15 + 15


@pytest.mark.parametrize(
    ("cards", "points", "limit", "limited"),
    [
        ("4C 7C XX XX", 0, {"wilds_apart": True}, 5),
        ("5C XX XX", 0, {"half_wild": True}, 5 + 15 + 15),
        ("5C XX XX", 0, {"max_wilds": 1}, 5 + 15 + 15),
        ("5C XX XX", 0, {"min_naturals": 2}, 5 + 15 + 15),
        ("9C 9D 9H", 0, {"set_min_naturals": 4}, 10 + 10 + 10),
        ("9C 9C 9D", 10 + 10 + 10, {"suits_differ": False}, 0),
        ("9C 9C 9C", 10 + 10 + 10, {"tanala_rule": "INV-6"}, 0),
        ("4C 5C 6C 9C TC JC", 0, {"one_run_a_suit": True}, 5 + 5 + 5),
        ("4C 5C 6C", 0, {"run_sizes": (4, 13)}, 5 + 5 + 5),
        ("3C 4C 5C 6C 7C", 0, {"run_sizes": (3, 4)}, 5),
        ("9C 9D 9H", 0, {"set_sizes": (4, 4)}, 10 + 10 + 10),
        ("AC 2C 3C", 0, {"ace_in_runs": AceInRuns.HIGH}, 5 + 5 + 5),
    ],
)
def test_each_limit_on_melds_changes_the_arrangement(cards, points, limit, limited):
    # Rules with equal limits share a cache.
    deck = Deck(3, 4)
    for rules, expected in [
        (invented(deck), points),
        (invented(deck, **limit), limited),
        (invented(deck), points),
    ]:
        assert arrange(parse_cards(cards), rules).points == expected
