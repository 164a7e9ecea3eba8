"""What cards left count in Indian Rummy (IND-8), against a plain reading of the rule."""

from random import Random

import pytest
from hypothesis import given, settings

from companion.rules.cards import JOKER, PACK, Card, parse_cards
from companion.rules.declaring import DeclaringJudge
from companion.rules.game import Deck
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from tests.rules.drawing import CHANCE
from tests.rules.slow_arrange import fewest_left


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


@settings(max_examples=60, deadline=None)
@given(chance=CHANCE)
def test_what_counts_is_what_the_rule_says(chance):
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
def test_what_counts_by_hand(cards, clean, points):
    rules = rules_of(None, clean_sequences=clean)
    assert rules.left(parse_cards(cards)).points == points


def test_three_identical_cards_are_no_sequence():
    rules = rules_of(None, packs=3)
    assert rules.left(parse_cards("5C 6C 7C 9D 9D 9D")).points == 27
    assert rules.left(parse_cards("5C 6C 7C 5H 6H 7H 9D 9D 9D")).points == 0
