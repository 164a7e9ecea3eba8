"""The fewest points whatever a game's limits are: worked out by hand, and by trying all."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, strategies as st

from companion.rules.arrange import arrange, fewest_cards
from companion.rules.cards import (
    JOKER,
    PACK,
    RANKS,
    SUITS,
    Card,
    Offered,
    Rank,
    format_cards,
    parse_cards,
    parse_meld_text,
)
from companion.rules.game import Deck
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, Meld
from companion.rules.readings import readings
from tests.rules.invented import SHAPES, InventedRules, invented
from tests.rules.slow_arrange import check_arrangement, check_melds, fewest_left

Question = tuple[list[Card], Judge, list[Meld]]


# -- which card lies where ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "cards", "melds"),
    [
        # 2♣ is itself, though the joker could be 2♣ and it the 4♣.
        ("halves", "3C 2C AC XX", ["AC 2C=2C 3C XX=4C"]),
        # Two of them are themselves in a set of twos; the others are what is missing, in order.
        ("halves", "2D 2H 2H XX", ["2H=2C 2D=2D 2H=2H XX=2S"]),
        # Each set has every suit once.
        ("halves", "9C 9D XX 9H 9S XX", ["9C 9D XX=9H", "XX=9C 9H 9S"]),
        # One goes to each end.
        ("halves", "9C TC JC XX XX", ["XX=8C 9C TC JC XX=QC"]),
        # The suits that are not there come first, then each once more.
        ("free", "9C 9C 9D XX XX XX", ["9C 9C 9D XX=9H XX=9H XX=9S"]),
        ("free", "XX XX XX", ["XX=AC XX=AD XX=AH"]),
    ],
)
def test_what_wild_cards_stand_for(shape, cards, melds):
    found = arrange(parse_cards(cards), SHAPES[shape])
    assert sorted(meld.text for meld in found.melds) == sorted(melds)


# -- whole suits, and wild cards alone ------------------------------------------------------------

WHOLE = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"


def test_a_whole_suit_is_read_from_its_ace_up():
    rules = invented(ace_in_runs=AceInRuns.BOTH)
    (meld,) = arrange(parse_cards(f"{WHOLE} XX"), rules).melds
    assert meld.text == f"XX=AC {WHOLE}"


def test_two_wild_cards_at_its_ends_are_no_neighbours():
    rules = invented(
        ace_in_runs=AceInRuns.BOTH, min_naturals=2, wilds_apart=True, one_run_a_suit=True
    )
    # For 2♣ and A♣: the ace lies above the king.
    assert arrange(parse_cards(f"{WHOLE[3:]} XX XX"), rules).points == 0
    onto = readings(parse_meld_text(f"{WHOLE[3:]} XX=AC"), rules.limits)
    assert arrange([JOKER], rules, onto).points == 0
    onto = readings(parse_meld_text(f"{WHOLE[3:]} AC"), rules.limits)
    assert arrange([JOKER], rules, onto).points == 0


@pytest.mark.parametrize("one_run_a_suit", [False, True])
def test_four_wild_cards_are_a_run_where_a_set_has_three(*, one_run_a_suit):
    rules = invented(set_sizes=(3, 3), one_run_a_suit=one_run_a_suit)
    found = arrange([JOKER] * 4, rules)
    assert [meld.text for meld in found.melds] == ["XX=AC XX=2C XX=3C XX=4C"]


def test_required_runs_are_in_different_suits_if_a_suit_has_one():
    rules = invented(one_run_a_suit=True, clean_runs=1, all_runs=2)
    found = arrange(parse_cards("5C 6C 7C 9C TC JC 4H 5H 6H 2S"), rules)
    assert sorted(meld.text for meld in found.melds) == ["4H 5H 6H", "9C TC JC"]
    assert found.points == 5 + 5 + 5 + 5


# -- all the cards ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "cards", "melds"),
    [
        ("clean", "6C 7C 8C TD JD QD 9S 9H XX", ["6C 7C 8C", "TD JD QD", "XX=9C 9H 9S"]),
        ("clean", "6C 7C 8C TD JD QD 9S 9H", None),
        ("clean", "6C 7C 8C 9S 9H 9D", None),
        ("clean", "6C 7C 8C 9C TC JC", ["6C 7C 8C", "9C TC JC"]),
        ("one clean", "6C 7C 8C 9S 9S 9S TD QD XX", ["6C 7C 8C", "9S 9S 9S", "TD XX=JD QD"]),
        ("one clean", "6C 7C 8C 9S 9S 9S", None),
        ("halves", "4C 5C 6C", ["4C 5C 6C"]),
        ("halves", "", []),
    ],
)
def test_melds_of_all_the_cards(shape, cards, melds):
    rules = SHAPES[shape]
    found = fewest_cards(parse_cards(cards), rules, with_runs=True)
    assert bool(found.deadwood) == (melds is None)
    if melds is not None:
        assert sorted(meld.text for meld in found.melds) == melds
        check_melds(found.melds, rules)


# -- trying everything --------------------------------------------------------------------------


@st.composite
def any_rules(draw: st.DrawFn) -> InventedRules:
    """Rules with any limits at all, whether or not a game has them together."""
    yes = st.booleans()
    clean = draw(st.sampled_from([0, 0, 0, 1, 2]))
    ranks = draw(st.sets(st.sampled_from(RANKS), max_size=2))
    return invented(
        Deck(draw(st.integers(1, 3)), draw(st.integers(2, 6))),
        frozenset({Rank.JOKER, *ranks}),
        ace_in_runs=draw(st.sampled_from(AceInRuns)),
        set_sizes=draw(st.sampled_from([(3, 3), (3, 4), (3, 12)])),
        run_sizes=draw(st.sampled_from([(3, 13), (4, 13), (4, 4), (3, 5)])),
        wild_in_own_place=draw(yes),
        min_naturals=draw(st.sampled_from([0, 0, 1, 2])),
        set_min_naturals=draw(st.sampled_from([0, 0, 2])),
        suits_differ=draw(yes),
        half_wild=draw(yes),
        wilds_apart=draw(yes),
        max_wilds=draw(st.sampled_from([None, None, 1, 2])),
        tanala_rule=draw(st.sampled_from(["", "INV-6"])),
        one_run_a_suit=draw(st.sampled_from([False, False, True])),
        wild_value=draw(st.sampled_from([0, 2, 15])),
        clean_runs=clean,
        all_runs=draw(st.sampled_from([clean, clean + 1])),
        low_end_last=draw(st.sampled_from([False, False, True])),
    )


@st.composite
def proters(draw: st.DrawFn) -> Judge:
    choices = {
        rule: draw(st.sampled_from([choice.value for choice in PROTER.house_rule(rule).choices]))
        for rule in ("ace_in_runs", "min_naturals", "proter_in_own_place", "proter_left_value")
    }
    return PROTER.rules(PROTER.house(None, choices), draw(st.integers(1, 13)))


def some_rules() -> st.SearchStrategy[Judge]:
    return st.one_of(st.sampled_from(list(SHAPES.values())), any_rules(), proters())


@st.composite
def handfuls(draw: st.DrawFn, most: int, table: int = 0) -> Question:
    """Up to so many cards that lie close to each other, rules, and melds on the table."""
    rules = draw(some_rules())
    return drawn(Random(draw(st.integers(0, 1 << 32))), rules, most, table)


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
    """A meld of these cards, which it takes; None if what was drawn is none."""
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
def test_nothing_leaves_fewer_points_where_cards_can_be_laid_off(question):
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


@given(handfuls(most=16, table=3))
def test_melds_to_lay_off_on_never_cost_points(question):
    cards, rules, onto = question
    points = [arrange(cards, rules, onto[:count]).points for count in range(len(onto) + 1)]
    assert points == sorted(points, reverse=True)


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
        # A tanala, though a set may have the same card thrice.
        ("9C 9C 9C", invented(Deck(3, 4), suits_differ=False, tanala_rule="I"), ["9C 9C 9C"], ""),
    ],
)
def test_natural_cards(cards, rules, melds, left):
    found = arrange(parse_cards(cards), rules)
    assert sorted(meld.text for meld in found.melds) == sorted(melds)
    assert sorted(found.deadwood) == sorted(parse_cards(left))
    check_arrangement(found, parse_cards(cards), rules, ())


def test_a_set_of_any_suits_that_must_have_three_natural_cards():
    rules = invented(set_sizes=(3, 12), suits_differ=False, set_min_naturals=3)
    # One set of five; of three and two, the smaller would be none.
    assert arrange(parse_cards("9C 9C 9D 9H 9S"), rules).points == 0
    assert arrange(parse_cards("9C 9C XX"), rules).points == 10 + 10 + 15


def test_a_run_ends_before_a_card_that_is_laid_off():
    # Only two natural cards together make the set on the table one that has enough of them.
    rules = invented(set_sizes=(3, 12), suits_differ=False, min_naturals=2)
    fives = readings(parse_meld_text("XX=5C XX=5D XX=5H"), rules.limits)
    assert arrange(parse_cards("2S 3S 4S 5S 5H"), rules, fives[:1]).points == 0


def test_many_possible_sets():
    # The joker is needed for the fours, in a set or in a run of one of them. Then a two is left: of
    # five twos one is too many for a set, and there is no three for a run.
    cards = "AC AD AS 2C 2D 2D 2H 2S 4H 4S XX"
    assert arrange(parse_cards(cards), invented()).points == 5


def test_wild_cards_that_are_the_same_card_lie_as_in_a_reading():
    rules = invented(set_sizes=(3, 12), suits_differ=False, wild_ranks=JOKER_QUEEN)
    (meld,) = arrange(parse_cards("JC QC JH XX JS"), rules).melds
    assert meld in readings(parse_meld_text(meld.text), rules.limits)


def test_jokers_make_the_required_run():
    rules = invented(all_runs=1)
    assert [meld.text for meld in arrange([JOKER] * 3, rules).melds] == ["XX=AC XX=2C XX=3C"]
    assert arrange([JOKER] * 2, rules).points == 15 + 15


def test_separate_runs_are_not_joined_if_wild_cards_would_be_neighbours():
    rules = invented(half_wild=True, wilds_apart=True)
    found = arrange(parse_cards("4C 5C 6C 9C TC JC XX XX"), rules)
    assert not found.deadwood
    check_arrangement(found, parse_cards("4C 5C 6C 9C TC JC XX XX"), rules, ())


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
        ("9C 9D 9H", 0, {"set_sizes": (4, 4)}, 10 + 10 + 10),
        ("AC 2C 3C", 0, {"ace_in_runs": AceInRuns.HIGH}, 5 + 5 + 5),
    ],
)
def test_rules_that_differ_in_one_limit_are_told_apart(cards, points, limit, limited):
    # What is remembered for some rules is used for all that allow the same.
    deck = Deck(3, 4)
    for rules, expected in [
        (invented(deck), points),
        (invented(deck, **limit), limited),
        (invented(deck), points),
    ]:
        assert arrange(parse_cards(cards), rules).points == expected
