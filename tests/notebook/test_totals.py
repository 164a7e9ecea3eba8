"""Which totals cards make: against the sums of every choice, counted out."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from companion.notebook.cards_left import Totals, free_totals
from companion.rules.cards import PACK
from companion.rules.games import game_named
from tests.notebook.leisure import AT_LEISURE

CARDS = st.lists(st.tuples(st.integers(0, 13), st.booleans()), max_size=7)


@AT_LEISURE
@given(CARDS, st.integers(1, 5))
def test_a_total_can_be_made_if_some_choice_makes_it(cards, enough):
    totals = Totals(cards, enough)
    made = {
        (sum(value for value, _ in choice), sum(wild for _, wild in choice), len(choice))
        for count in range(len(cards) + 1)
        for choice in combinations(cards, count)
    }
    for points in range(-1, 95):
        for wilds in range(-1, len(cards) + 2):
            for fewest in range(enough + 1):
                expected = any((points, wilds, n) in made for n in range(fewest, len(cards) + 1))
                assert totals.can_make(points, wilds, fewest) is expected


def test_the_whole_pack_is_364_points_of_which_32_are_eights():
    game = game_named("proter")
    totals = free_totals(game.rules(game.house(), 8), (), 6)
    assert totals.can_make(364, 4, 6)
    assert not totals.can_make(364, 3, 6)
    assert totals.can_make(332, 0, 6)
    assert not totals.can_make(333, 0, 6)
    assert totals.can_make(363, 4, 6)  # all but an ace
    nothing = free_totals(game.rules(game.house(), 8), PACK, 6)
    assert nothing.can_make(0, 0, 0)
    assert not nothing.can_make(1, 0, 0)
