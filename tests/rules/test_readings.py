"""Readings of cards: all of them, in one order, or only their number if there are many."""

import json
from random import Random
from typing import Any

from hypothesis import given

from companion.check import answer_line
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
def test_readings_have_one_order_and_orders_of_one_way_break_the_same_limits(chance):
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


# -- what is answered ------------------------------------------------------------------------------


def asked(**said: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer_line(json.dumps({"ask": "meld", **said}))[0])
    return found


PROTERS = {"game": "proter", "hand": 8, "cards": "8C 8D 8H"}


def test_many_readings_are_given_as_a_number():
    for question, legal, number in (
        # PAY-3, PAY-6: five fives and jokers are a run of five cards, one of them at most in its
        # own place: more than half are wild. 9 runs from the ace to the king, 4 suits, 5! orders.
        ({"game": "pay_me", "hand": 3, "cards": "5C 5D 5H 5S XX"}, False, 9 * 4 * 120),
        # Two of the cards are equal: half as many orders.
        ({"game": "pay_me", "hand": 3, "cards": "5C 5D 5H 5S 5C"}, False, 9 * 4 * 60),
        # PRO-6: three Proters are a set of any of 13 ranks, 4 ways to leave a suit out, 3! orders;
        # or one of 11 runs of three that end with the king or below, or with the ace: 12 in all
        # where the ace is high alone 11.
        (PROTERS, False, 13 * 4 * 6 + 11 * 4 * 6),
        # After a first meld without Proters three of them may be laid (PRO-7).
        (PROTERS | {"player": {"melded_this_turn": True}}, True, 13 * 4 * 6 + 11 * 4 * 6),
    ):
        found = asked(**question)
        assert (found["legal"], found["readings"], found["readings_count"]) == (legal, [], number)
        says = f"Legal, in {number} readings. Say what each wild card stands for."
        assert (found["says"] == says) is legal


def test_up_to_two_hundred_readings_are_listed():
    # Three equal jokers are a trio of one of 13 ranks (CAR-2); four are an escalera too.
    found = asked(game="carioca", hand=1, cards="XX XX XX")
    assert len(found["readings"]) == 13
    assert "readings_count" not in found

    # IND-3, IND-5: three of a wild rank are a set of natural cards if each is in its own place.
    sheet = {"game": "indian_rummy", "packs": 2, "wild_rank": "3"}
    found = asked(**sheet, cards="3C 3D 3H")
    # With one natural card at least. Sets of threes: of their own suits, the 4 orders with a card
    # in its place; with spades for one of the suits, 3 each. Runs that hold one of them in its
    # place: from the ace, the 2 and the 3 up, the two others in 2 orders.
    assert found["legal"]
    assert len(found["readings"]) == 4 + 3 * 3 + 3 * 3 * 2
