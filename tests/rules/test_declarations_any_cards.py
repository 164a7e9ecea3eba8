"""Declarations of any 13 cards, against a reference that tries every grouping."""

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import given, settings

from companion.rules.cards import JOKER, PACK, RANKS, SUITS, Card, Offered, Rank
from companion.rules.declaring import DeclaringJudge
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.melds import AceInRuns
from tests.rules.drawing import CHANCE
from tests.rules.slow_declarations import can_be_declared

CHOICES: dict[str, list[Any]] = {
    rule: [choice.value for choice in INDIAN_RUMMY.house_rule(rule).choices]
    for rule in ("set_size", "clean_sequences", "wild_in_own_place", "jokers_per_meld")
}


def a_judge(chance: Random) -> DeclaringJudge:
    house = INDIAN_RUMMY.house(None, {rule: chance.choice(CHOICES[rule]) for rule in CHOICES})
    deck = INDIAN_RUMMY.deck_of(INDIAN_RUMMY.house(), chance.choice([2, 3]))
    rules = INDIAN_RUMMY.rules(house, 1, deck, chance.choice([None, *Rank]))
    assert isinstance(rules, DeclaringJudge)
    return rules


def held(chance: Random, rules: DeclaringJudge) -> list[Card]:
    """13 cards near to a declaration: melds, two of them runs, with a few cards exchanged."""
    free = [*PACK * rules.deck.packs, *[JOKER] * rules.deck.jokers]
    cards: list[Card] = []
    for count in chance.choice([(3, 3, 3, 4), (3, 4, 3, 3), (4, 4, 5), (5, 3, 5), (3, 3, 4, 3)]):
        for card in meld(chance, count, is_run=len(cards) < 6 or count > 4):
            cards.append(card if card in free else chance.choice(free))
            free.remove(cards[-1])
    for _ in range(chance.choice([0, 1, 1, 2])):
        given_up = cards.pop(chance.randrange(len(cards)))
        wilds = [card for card in free if rules.limits.is_wild(card)]
        cards.append(chance.choice(wilds if wilds and chance.random() < 0.7 else free))
        free.remove(cards[-1])
        free.append(given_up)
    return cards


def meld(chance: Random, count: int, is_run: bool) -> Sequence[Card]:
    suit, rank = chance.choice(SUITS), chance.choice(RANKS)
    if is_run:
        return [Card(rank, suit) for rank in chance.choice(AceInRuns.BOTH.runs(count))]
    if chance.random() < 0.2:
        return [Card(rank, suit)] * count
    return [Card(rank, suit) for suit in chance.sample(SUITS, count)]


@settings(max_examples=25, deadline=None)
@given(chance=CHANCE)
def test_any_cards_can_be_declared_just_if_some_grouping_can(chance):
    rules = a_judge(chance)
    cards = held(chance, rules)
    found = rules.rule_on_declaration(cards)
    assert found.ruling.legal is can_be_declared(cards, rules)
    # What it names makes the declaration legal as a grouping, too.
    if found.ruling.legal:
        grouping = [[Offered(one.card) for one in melds.cards] for melds in found.melds]
        again = rules.rule_on_declaration(cards, grouping)
        assert again.ruling.legal
        assert sorted(card for offered in grouping for card, _ in offered) == sorted(cards)
