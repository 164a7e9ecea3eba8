"""The quick way for natural cards finds what the search finds, and leaves the rest to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules.best_ground import CardCosts
from companion.rules.best_melds import Question, best_melds
from companion.rules.best_naturals import natural_melds
from companion.rules.cards import PACK, SUITS, Card, parse_cards
from companion.rules.melds import AceInRuns
from tests.rules.invented import InventedRules, invented

PLAIN = invented()


@st.composite
def near_cards(draw: st.DrawFn) -> list[Card]:
    """Up to sixteen different cards of few ranks or suits."""
    suits = set(draw(st.permutations(SUITS))[: draw(st.integers(1, 4))])
    low = draw(st.integers(1, 13))
    high = draw(st.integers(low, 13))
    near = [card for card in PACK if card.suit in suits or low <= card.rank <= high]
    chance = draw(st.randoms(use_true_random=False))
    return chance.sample(near, draw(st.integers(0, min(16, len(near)))))


RULES = [
    invented(ace_in_runs=aces, set_sizes=sets, run_sizes=runs, min_naturals=naturals)
    for aces in AceInRuns
    for sets, runs, naturals in [
        ((3, 4), (3, 13), 0),
        ((3, 4), (4, 13), 2),
        ((3, 3), (3, 14), 0),
        ((3, 8), (3, 13), 4),
    ]
]


@settings(deadline=None, max_examples=150)
@given(near_cards(), st.sampled_from(RULES))
def test_nothing_that_the_search_finds_leaves_less(cards: list[Card], rules: InventedRules) -> None:
    quick = natural_melds(cards, rules)
    if quick is None:
        return
    costs = CardCosts(lambda card: rules.value(card) * 256 + 1)
    found = best_melds(Question(costs, dict.fromkeys(cards, 1), rules.limits))
    assert found is not None
    assert sum(costs.of[card] for card in quick.left) == found.cost
    assert sorted([*quick.left, *(c for m in quick.melds for c in m.identities)]) == sorted(cards)


@pytest.mark.parametrize(
    ("cards", "rules"),
    [
        pytest.param("5C 6C 7C XX", PLAIN, id="a wild card"),
        pytest.param("5C 6C 7C 7C", PLAIN, id="a card twice"),
        pytest.param("5C 6C 7C", invented(one_run_a_suit=True), id="one run a suit"),
        pytest.param("5C 6C 7C", invented(run_sizes=(3, 5)), id="runs of five at most"),
        pytest.param("5C 5D 5H 5S", invented(set_sizes=(2, 4)), id="two sets of a rank"),
        pytest.param("5C 5D 5H", invented(set_sizes=(3, 3), min_naturals=4), id="no set at all"),
        pytest.param("5C 6C 7C", invented(clean_runs=1), id="a clean run is asked for"),
        pytest.param("5C 6C 7C", invented(all_runs=1), id="a run is asked for"),
        pytest.param(
            "AC 2C 3C QC KC", invented(ace_in_runs=AceInRuns.BOTH), id="an ace for two runs"
        ),
        pytest.param(
            "3C 3D 3H 3S 4C 4D 4H 4S 5C 5D 5H 5S 6C 6D 6H 6S", PLAIN, id="many choices of sets"
        ),
    ],
)
def test_what_is_not_plain_is_left_to_the_search(cards: str, rules: InventedRules) -> None:
    assert natural_melds(parse_cards(cards), rules) is None
