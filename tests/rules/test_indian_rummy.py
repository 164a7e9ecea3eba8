"""Indian Rummy: who has won and pays whom, what cards left count (IND-8), and any declaration."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from companion.rules.cards import JOKER, PACK, RANKS, SUITS, Card, Offered, Rank
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.games import game_named
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.melds import AceInRuns
from tests.rules.drawing import CHANCE
from tests.rules.slow_declarations import can_be_declared

payments, winner = INDIAN_RUMMY.judge.payments, INDIAN_RUMMY.judge.winner


WINNERS = [
    # who declared, in order; who still plays; who has won
    ([], ["Ana", "Ben"], None),
    (["Ana"], ["Ana", "Ben"], None),
    (["Ana", "Ben", "Cem"], ["Ana", "Ben", "Cem"], None),
    (["Ana", "Ana"], ["Ana", "Ben"], "Ana"),
    (["Ana", "Ben", "Ana"], ["Ana", "Ben", "Cem"], "Ana"),
    (["Ana", "Ben", "Cem", "Cem"], ["Ana", "Ben", "Cem"], "Cem"),
    (["Ana"], ["Ben"], "Ben"),
    (["Ana"], ["Ana"], "Ana"),
]


@pytest.mark.parametrize(("rummies", "playing", "won"), WINNERS)
def test_a_second_rummy_wins_and_so_does_the_last_player_left(rummies, playing, won):
    assert winner(rummies, playing) == won


PAYMENTS = [
    # points of the scores; the winner; who receives what, or pays it
    (
        {"Ana": 0, "Ben": 28, "Cem": 10, "Dia": 40},
        "Ana",
        {"Ana": 78, "Ben": -28, "Cem": -10, "Dia": -40},
    ),
    ({"Ana": 89, "Ben": 0}, "Ben", {"Ana": -89, "Ben": 89}),
    ({"Ana": 0, "Ben": 0}, "Ben", {"Ana": 0, "Ben": 0}),
    # A winner who declared wrongly before owes it to nobody.
    ({"Ana": 80, "Ben": 12}, "Ana", {"Ana": 12, "Ben": -12}),
]


@pytest.mark.parametrize(("points", "won", "paid"), PAYMENTS)
def test_all_pay_the_winner(points, won, paid):
    assert payments(points, won) == paid
    assert sum(payments(points, won).values()) == 0


def test_only_a_player_is_paid():
    with pytest.raises(Malformed, match="Eva does not play"):
        payments({"Ana": 0, "Ben": 12}, "Eva")


def test_nobody_pays_if_the_total_decides_who_wins():
    proter = game_named("proter")
    assert proter.judge.winner(["Ana", "Ana"], ["Ana"]) is None
    assert proter.judge.payments({"Ana": 0, "Ben": 20}, "Ana") == {}


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


# Each case is slow.
@settings(max_examples=settings.default.max_examples // 5)
@given(chance=CHANCE)
def test_cards_can_be_declared_if_and_only_if_some_grouping_allows_it(chance):
    rules = a_judge(chance)
    cards = held(chance, rules)
    found = rules.rule_on_declaration(cards)
    assert found.legal is can_be_declared(cards, rules)
    # What it names makes the declaration legal as a grouping, too.
    if found.legal:
        grouping = [[Offered(one.card) for one in melds.cards] for melds in found.melds]
        again = rules.rule_on_declaration(cards, grouping)
        assert again.legal
        assert sorted(card for offered in grouping for card, _ in offered) == sorted(cards)
