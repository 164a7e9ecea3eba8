"""Readings of cards: all of them, in one order."""

from random import Random

from hypothesis import given

from companion.rules.cards import CARD_OF, JOKER, PACK, SUITS, Card, Offered
from companion.rules.melds import MeldLimits
from companion.rules.readings import readings, ways
from tests.rules.drawing import CHANCE
from tests.rules.invented import SHAPES


def some_limits(chance: Random) -> MeldLimits:
    return chance.choice([rules.limits for rules in SHAPES.values()])


def some_wilds(chance: Random, limits: MeldLimits, most: int) -> list[Card]:
    """Wild cards, some of them equal."""
    wilds = [JOKER, *(card for card in PACK if limits.is_wild(card))]
    few = chance.sample(wilds, min(len(wilds), 3))
    return [chance.choice(few) for _ in range(chance.randint(0, most))]


def some_naturals(chance: Random, limits: MeldLimits) -> list[Card]:
    suit, low = chance.choice(SUITS), chance.randint(1, 10)
    of_run = [CARD_OF[PACK[low + n - 1].rank, suit] for n in range(4)]
    of_set = [CARD_OF[of_run[0].rank, other] for other in SUITS]
    meant = chance.choice([of_run, of_set])
    cards = chance.sample(meant, chance.randint(0, 3))
    return [card for card in cards if not limits.is_wild(card)]


@given(CHANCE)
def test_readings_have_one_order_and_those_of_one_way_break_the_same_limits(chance):
    limits = some_limits(chance)
    cards = [*some_naturals(chance, limits), *some_wilds(chance, limits, 4)]
    if not cards:
        return
    offered = [Offered(card) for card in cards]
    for way in ways(offered, limits):
        melds = list(way.readings())
        assert len(melds) == way.number
        assert way.meld in melds
        assert {limits.breaches(meld) for meld in melds} == {limits.breaches(way.meld)}
        assert {meld.identities for meld in melds} == {way.meld.identities}
    other = chance.sample(offered, len(offered))
    assert readings(offered, limits) == readings(other, limits)
