"""The fewest points that cards can be left with: whatever the cards, rules and melds are."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules.arrange import arrange
from companion.rules.cards import PACK, RANKS, SUITS, Card, Offered, Rank
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import Meld, MeldLimits
from companion.rules.readings import readings
from tests.rules.slow_arrange import check_arrangement, fewest_left

Question = tuple[list[Card], Judge, list[Meld]]


@st.composite
def judges(draw: st.DrawFn) -> Judge:
    house = {
        "ace_in_runs": draw(st.sampled_from(["high", "low", "both"])),
        "min_naturals": draw(st.sampled_from([0, 0, 1, 2])),
        "proter_in_own_place": draw(st.sampled_from(["wild", "natural"])),
        "proter_left_value": draw(st.sampled_from(["face", "zero"])),
    }
    return PROTER.rules(PROTER.house(None, house), draw(st.integers(1, 13)))


@st.composite
def table_melds(draw: st.DrawFn, limits: MeldLimits, free: list[Card]) -> Meld | None:
    """A meld of the free cards, which it takes; None if what was drawn is none."""
    if draw(st.booleans()):
        rank = draw(st.sampled_from(RANKS))
        suits = draw(st.permutations(SUITS))[: draw(st.integers(3, 4))]
        identities = [Card(rank, suit) for suit in suits]
    else:
        suit = draw(st.sampled_from(SUITS))
        low = draw(st.integers(1, 12))
        high = draw(st.integers(low + 2, 14))
        identities = [Card(Rank((place - 1) % 13 + 1), suit) for place in range(low, high + 1)]
    wilds = [card for card in free if limits.is_wild(card)]
    cards: list[Offered] = []
    for identity in identities:
        natural = identity in free and not limits.is_wild(identity)
        if natural and (not wilds or draw(st.integers(0, 3))):
            cards.append(Offered(identity))
        elif wilds:
            cards.append(Offered(wilds.pop(), identity))
    found = readings(cards, limits) if len(cards) == len(identities) else []
    if not found:
        return None
    for card in cards:
        if card.card in free:
            free.remove(card.card)
    return found[0]


@st.composite
def handfuls(draw: st.DrawFn, most: int, table: int = 0) -> Question:
    """Up to so many cards that lie close to each other, rules, and melds on the table."""
    rules = draw(judges())
    free = list(PACK)
    drawn = [draw(table_melds(rules.limits, free)) for _ in range(draw(st.integers(0, table)))]
    onto = [meld for meld in drawn if meld is not None]
    wilds = [card for card in free if rules.limits.is_wild(card)]
    wilds = wilds[: draw(st.integers(0, 4))]
    suits = set(draw(st.permutations(SUITS))[: draw(st.integers(1, 4))])
    low = draw(st.integers(1, 13))
    high = draw(st.integers(low, 13))
    near = [
        card
        for card in free
        if not rules.limits.is_wild(card) and (card.suit in suits or low <= card.rank <= high)
    ]
    naturals = draw(
        st.lists(st.sampled_from(near), max_size=most - len(wilds), unique=True)
        if near
        else st.just([])
    )
    return draw(st.permutations([*naturals, *wilds])), rules, onto


def holds_against_trying_everything(cards: Sequence[Card], rules: Judge, onto: list[Meld]) -> None:
    found = arrange(cards, rules, onto)
    assert (found.points, len(found.deadwood)) == fewest_left(cards, rules, onto)
    check_arrangement(found, cards, rules, onto)


@settings(deadline=None, max_examples=100)
@given(handfuls(most=7))
def test_nothing_leaves_fewer_points(question):
    holds_against_trying_everything(*question)


@settings(deadline=None, max_examples=10)
@given(handfuls(most=8))
def test_nothing_leaves_fewer_points_of_eight_cards(question):
    holds_against_trying_everything(*question)


@settings(deadline=None, max_examples=100)
@given(handfuls(most=6, table=2))
def test_nothing_leaves_fewer_points_where_cards_can_be_laid_off(question):
    holds_against_trying_everything(*question)


@settings(deadline=None)
@given(handfuls(most=16, table=2), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(question, chance):
    cards, rules, onto = question
    found = arrange(cards, rules, onto)
    check_arrangement(found, cards, rules, onto)
    chance.shuffle(cards)
    assert arrange(cards, rules, onto) == found


@settings(deadline=None)
@given(handfuls(most=16, table=3))
def test_melds_to_lay_off_on_never_cost_points(question):
    cards, rules, onto = question
    points = [arrange(cards, rules, onto[:count]).points for count in range(len(onto) + 1)]
    assert points == sorted(points, reverse=True)
