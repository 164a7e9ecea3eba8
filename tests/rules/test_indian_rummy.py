"""Indian Rummy: who has won and pays whom, what cards left count (IND-8), and any declaration."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from companion.check import answer
from companion.rules.cards import JOKER, PACK, RANKS, SUITS, Card, Offered, Rank, parse_cards
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games import game_named
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.melds import AceInRuns
from tests.rules.drawing import CHANCE
from tests.rules.slow_arrange import fewest_left
from tests.rules.slow_declarations import can_be_declared

payments, winner = INDIAN_RUMMY.judge.payments, INDIAN_RUMMY.judge.winner


@pytest.mark.parametrize(("clean_sequences", "clean", "runs"), [(2, 2, 2), (1, 1, 2)])
def test_two_sequences_are_asked_for_and_one_or_two_of_them_clean(clean_sequences, clean, runs):
    house = INDIAN_RUMMY.house(None, {"clean_sequences": clean_sequences})
    rules = INDIAN_RUMMY.rules(house, 1)
    assert (rules.clean_runs, rules.all_runs) == (clean, runs)


def test_an_empty_meld_is_no_grouping():
    cards = "3S 4S 5S 6H 7H 8H 9C 9D 9S TD JD QD KD"
    question = {"game": "indian_rummy", "ask": "declare", "wild_rank": None, "cards": cards}
    with pytest.raises(Malformed, match="A meld has no cards") as raised:
        answer(question | {"melds": ["3S 4S 5S", ""]})
    assert raised.value.where == "melds"


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


def test_readings_of_very_many_wild_cards_are_only_counted():
    question = {"game": "indian_rummy", "ask": "meld", "wild_rank": "8", "packs": 3}
    ruling = answer(question | {"cards": "5C XX XX XX 8C 8D 8H"})
    # Seven cards with the 5♣ among them begin with the ace, 2, 3, 4 or 5; the six wild cards, of
    # which three are equal, fill the other places in 6! / 3! orders.
    assert ruling["legal"]
    assert (ruling["readings"], ruling["readings_count"]) == ([], 5 * 120)


def test_nobody_pays_if_the_total_decides_who_wins():
    proter = game_named("proter")
    assert proter.judge.winner(["Ana", "Ana"], ["Ana"]) is None
    assert proter.judge.payments({"Ana": 0, "Ben": 20}, "Ana") == {}


def rules_of(wild: Card | None, packs: int = 2, **house: str | int) -> DeclaringJudge:
    rules = INDIAN_RUMMY.rules(
        INDIAN_RUMMY.house(None, house), 1, Deck(packs, packs), wild.rank if wild else None
    )
    assert isinstance(rules, DeclaringJudge)
    return rules


def some_cards(chance: Random) -> tuple[Card, ...]:
    """Seven to nine cards, with runs among them that share no card."""
    suit, low = chance.randrange(4), chance.randrange(8)
    cards = [PACK[13 * suit + low + n] for n in range(chance.choice([3, 3, 4]))]
    other, start = (suit + 1) % 4, chance.randrange(9)
    cards += [PACK[13 * other + start + n] for n in range(chance.choice([2, 3, 3]))]
    cards += chance.choices([*PACK, JOKER], k=1)
    rest = [card for card in PACK if card not in cards]
    cards += chance.sample(rest, 8 - len(cards)) if len(cards) < 8 else []
    return tuple(cards)


@given(chance=CHANCE)
def test_points_of_cards_left_follow_the_rule(chance):
    cards = some_cards(chance)
    house: dict[str, str | int] = {
        "clean_sequences": chance.choice([1, 2]),
        "set_size": chance.choice(["3", "3-4"]),
        "wild_in_own_place": chance.choice(["natural", "wild"]),
        "jokers_per_meld": chance.choice(["any", "1"]),
    }
    rules = rules_of(chance.choice([None, *PACK[:13]]), **house)
    assert rules.left(cards).points == fewest_left(cards, rules)[0]


@pytest.mark.parametrize(
    ("cards", "clean", "points"),
    [
        # Two clean sequences: the set is free too, and the king is left.
        ("7S 8S 9S 9D TD JD 4C 4D 4H KS", 2, 10),
        # One clean sequence of two: the set counts in full.
        ("7S 8S 9S 4C 4D 4H KS", 2, 12 + 10),
        # One clean sequence where one is asked for, and no second sequence: the same.
        ("7S 8S 9S 4C 4D 4H KS", 1, 12 + 10),
        # A second sequence with a joker is one of two, and makes the set free.
        ("7S 8S 9S 9D XX JD 4C 4D 4H KS", 1, 10),
        ("7S 8S 9S 9D XX JD 4C 4D 4H KS", 2, 9 + 10 + 12 + 10),
        # No clean sequence: everything counts, a joker nothing.
        ("9D XX JD 4C 4D 4H KS", 2, 9 + 10 + 12 + 10),
    ],
)
def test_points_of_cards_left_by_hand(cards, clean, points):
    rules = rules_of(None, clean_sequences=clean)
    assert rules.left(parse_cards(cards)).points == points


def test_three_identical_cards_are_no_sequence():
    rules = rules_of(None, packs=3)
    assert rules.left(parse_cards("5C 6C 7C 9D 9D 9D")).points == 27
    assert rules.left(parse_cards("5C 6C 7C 5H 6H 7H 9D 9D 9D")).points == 0


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
