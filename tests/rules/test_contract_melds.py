"""Whether cards make a contract, worked out by hand and by trying everything."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from companion.rules.arrange import can_make, nearest
from companion.rules.cards import JOKER, PACK, SUITS, Card, Offered, parse_cards
from companion.rules.contracts import Contract
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.readings import readings
from tests.rules.invented import InventedContract, any_rules, invented
from tests.rules.judges import rules_of
from tests.rules.slow_arrange import as_offered, check_melds


@pytest.mark.parametrize(
    ("game", "hand", "cards", "melds"),
    [
        # CAR-3: two trios; CAR-2: the same card twice is fine.
        ("carioca", 1, "9C 9C 9D KH KS KD 4C 5C 6C 7C 8C", ["9C 9C 9D", "KD KH KS"]),
        # CAR-4: one joker a meld.
        ("carioca", 1, "9C 9D XX KH KS XX 4C 5C 6C 7C 8C", ["9C 9D XX=9H", "XX=KC KH KS"]),
        ("carioca", 1, "9C 9D 9H KH XX XX 5C 6C 7C 8C TS", None),
        # Hand 2: a trio and an escalera, which share no card.
        ("carioca", 2, "4C 5C 6C 7C 7D 7H", None),
        ("carioca", 2, "4C 5C 6C 7C 7D 7H 7H", ["4C 5C 6C 7C", "7D 7H 7H"]),
        ("carioca", 2, "4C 5C 6C 7C 7D 7H XX", ["4C 5C 6C 7C", "XX=7C 7D 7H"]),
        # Hand 3: two escaleras; nine in a row are more than enough, seven are not.
        ("carioca", 3, "2C 3C 4C 5C 6C 7C 8C 9C TC", ["2C 3C 4C 5C", "6C 7C 8C 9C"]),
        ("carioca", 3, "2C 3C 4C 5C 6C 7C 8C", None),
        ("carioca", 3, "JC QC KC AC AC 2C 3C 4C", ["AC 2C 3C 4C", "JC QC KC AC"]),
        # CON-5: eight in a row are one run, nine can leave one out between the two.
        ("contract_rummy", 3, "2C 3C 4C 5C 6C 7C 8C 9C", None),
        ("contract_rummy", 3, "2C 3C 4C 5C 6C 7C 8C 9C TC", ["2C 3C 4C 5C", "7C 8C 9C TC"]),
        # CON-6: a natural card in every meld, and jokers for all others.
        ("contract_rummy", 1, "9C XX XX KD XX XX", ["9C XX=9D XX=9H", "XX=KC KD XX=KH"]),
        # KAL-2: a player has no two fours of one suit, and no two jokers are neighbours in one.
        ("kalooki", 9, "3C 4C 5C 6C 9C TC JC QC 3D 4D 5D 6D 3H 4H 5H 6H", None),
        ("kalooki", 2, "3C 4C 5C 6C 9C 9C 9D KH KH KS 2D", ["3C 4C 5C 6C", "9C 9C 9D", "KH KH KS"]),
        ("kalooki", 2, "3C XX XX 6C 9C 9C 9D KH KH KS", None),
        # KAL-2: two natural cards in a three.
        ("kalooki", 1, "3C XX XX 9C 9C 9D KH KH KS", None),
    ],
)
def test_contracts(game, hand, cards, melds):
    found = can_make(parse_cards(cards), rules_of(game, hand))
    assert (found and sorted(meld.text for meld in found)) == melds


def test_a_house_rule_can_forbid_two_threes_of_one_rank():
    cards = parse_cards("5S 5H 5D 5C 5S 5H 7C 7S 7H")
    assert can_make(cards, rules_of("kalooki", 1)) is not None  # KAL-2
    assert can_make(cards, rules_of("kalooki", 1, same_rank_threes="no")) is None


def test_by_one_sheet_no_two_runs_of_a_contract_are_of_one_suit():
    # CON-5: denexa has them with a card between them, gamerules never.
    cards = parse_cards("3C 4C 5C 6C 8C 9C TC JC")
    assert can_make(cards, rules_of("contract_rummy", 3)) is not None
    gamerules = rules_of("contract_rummy", 3, sheet="gamerules")
    assert can_make(cards, gamerules) is None
    found = can_make(parse_cards("3C 4C 5C 8D 9D TD"), gamerules)
    assert [meld.text for meld in found] == ["3C 4C 5C", "8D 9D TD"]


def test_no_meld_of_a_contract_has_more_cards_than_it_needs():
    # CON-6: with two natural cards at least, a run may have to be longer than four, but not here.
    rules = rules_of("contract_rummy", 2, min_naturals=2)
    found = can_make(parse_cards("3C 4C 5C 6C 7C XX XX XX 9C 9D 9H"), rules)
    assert [meld.text for meld in found] == ["4C 5C 6C 7C", "9C 9D 9H"]
    found = can_make(parse_cards("3C 8C XX XX XX XX KC KD KH"), rules)
    assert [meld.text for meld in found] == ["3C XX=4C XX=5C XX=6C XX=7C 8C", "KC KD KH"]


def test_a_run_is_longer_where_it_must_have_more_natural_cards():
    rules = invented(min_naturals=2)
    judge = InventedContract(rules.limits, rules.deck, [Contract(0, 1)])
    found = can_make(parse_cards("3C 7C XX XX XX"), judge)
    assert [meld.text for meld in found] == ["3C XX=4C XX=5C XX=6C 7C"]


# -- trying everything --------------------------------------------------------------------------


def any_contract(cards: Sequence[Card], rules: InventedContract) -> bool:
    """True if some of the cards are the contract; tries each subset in each reading."""
    of = [[Offered(c) for at, c in enumerate(cards) if m >> at & 1] for m in range(1 << len(cards))]
    ways = {
        mask: [
            meld
            for meld in readings(of[mask], rules.limits)
            if not rules.limits.breaches(meld) and not rules.first_meld_breaches(meld)
        ]
        for mask in range(1, len(of))
    }

    def contracts(sets: int, runs: int, free: int, below: int) -> Iterator[tuple[Meld, ...]]:
        if not sets and not runs:
            yield ()
            return
        for mask in range(1, below):
            if mask & free == mask:
                for meld in ways[mask]:
                    left = (sets - 1, runs) if meld.kind is Kind.SET else (sets, runs - 1)
                    if min(left) >= 0:
                        for others in contracts(*left, free & ~mask, mask):
                            yield (meld, *others)

    everything = len(of) - 1
    return any(
        not rules.together_breaches(melds) and one_run_a_suit(melds, rules)
        for melds in contracts(*rules.contract, everything, everything + 1)
    )


def one_run_a_suit(melds: Sequence[Meld], rules: InventedContract) -> bool:
    runs = sorted(meld.cards[0].stands_for.suit for meld in melds if meld.kind is Kind.RUN)
    return not rules.limits.one_run_a_suit or all(one < other for one, other in pairwise(runs))


def drawn(chance: Random) -> tuple[list[Card], InventedContract]:
    shape = any_rules(chance)
    rules = InventedContract(
        replace(shape.limits, tanala_rule=""),  # no game has tanalas and contracts
        shape.deck,
        [chance.choice([Contract(1, 1), Contract(2, 0), Contract(0, 2), Contract(0, 1)])],
        most_cards=chance.choice([13, 4]),
        most_wilds=chance.choice([13, 1]),
        runs_apart=chance.choice([True, False]),
    )
    cards = [JOKER] * shape.deck.jokers + [card for card in PACK for _ in range(shape.deck.packs)]
    suits = chance.sample(SUITS, chance.choice([1, 2, 3]))
    low = chance.randrange(1, 11)
    near = [card for card in cards if card.suit in suits and low <= card.rank < low + 5]
    wilds = chance.choice([0, 1, 2, 2])
    return [*chance.sample(near, min(7 - wilds, len(near))), *[JOKER] * wilds], rules


@pytest.mark.parametrize("number", range(40))
def test_a_contract_is_found_if_there_is_one(number):
    cards, rules = drawn(Random(f"contract {number}"))
    found = can_make(cards, rules)
    assert (found is not None) == any_contract(cards, rules)
    if found is not None:
        used = [one.card for meld in found for one in meld.cards]
        assert not [card for card in used if used.count(card) > cards.count(card)]
        assert rules.judge_contract([as_offered(meld.cards) for meld in found]).legal
        check_melds(found, rules)


TWELVE = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH"


def hand_seven(sheet: str = "denexa", **rules: str) -> Any:
    return rules_of("contract_rummy", 7, sheet, **rules)


ALL, TWELVE_ONLY = "all_cards", "twelve_and_discard"


def test_all_cards_go_into_the_runs():
    for sheet, house, cards, melds in (
        ("denexa", ALL, TWELVE, ["3C 4C 5C 6C", "7D 8D 9D TD", "JH QH KH AH"]),
        ("denexa", ALL, f"{TWELVE} 7C", ["3C 4C 5C 6C 7C", "7D 8D 9D TD", "JH QH KH AH"]),
        ("denexa", ALL, f"{TWELVE} 9C", None),  # the 9♣ is in no run
        # CON-5: eight clubs in a row are one run; here they need not be two.
        ("denexa", ALL, "3C 4C 5C 6C 7C 8C 9C TC JH QH KH AH", None),
        (
            *("denexa", ALL, "3C 4C 5C 6C 8C 9C TC JC JH QH KH AH"),
            ["3C 4C 5C 6C", "8C 9C TC JC", "JH QH KH AH"],
        ),
        # Runs of three and up, each of another suit.
        (
            *("gamerules", ALL, "3C 4C 5C 6C 7C 7D 8D 9D TH JH QH KH AH"),
            ["3C 4C 5C 6C 7C", "7D 8D 9D", "TH JH QH KH AH"],
        ),
        ("gamerules", ALL, "3C 4C 5C 8C 9C TC TH JH QH KH AH", None),
        ("denexa", ALL, "3C 4C 5C 6C", None),
        # CON-10: the twelve that the text speaks of, or all thirteen; neither fewer nor more.
        ("denexa", ALL, f"{TWELVE} 7C 8C", None),
        ("denexa", TWELVE_ONLY, f"{TWELVE} 7C 8C", None),
        ("gamerules", ALL, "3C 4C 5C 6C 7D 8D 9D TD JH QH KH", None),
        # Before the draw twelve cards are held, and all of them have to be in the runs.
        ("gamerules", TWELVE_ONLY, "3C 4C 5C 6C 7D 8D 9D TD JH QH KH 2S", None),
        # Of thirteen cards in runs of three and up, two are in none: 2♣ and 8♠.
        ("gamerules", TWELVE_ONLY, "2C 4C 5C 6C 7D 8D 9D TD 3S 4S 5S 6S 8S", None),
    ):
        found = can_make(parse_cards(cards), hand_seven(sheet, hand7=house))
        assert (found and sorted(meld.text for meld in found)) == melds


def test_a_house_may_have_one_card_left_to_discard():
    house = hand_seven(hand7=TWELVE_ONLY)
    found = can_make(parse_cards(f"{TWELVE} 9C"), house)
    assert sum(len(meld.cards) for meld in found) == 12
    assert can_make(parse_cards(f"{TWELVE} 9C 2S"), house) is None
    # All thirteen are in runs, and so one of the five clubs is discarded.
    found = can_make(parse_cards(f"{TWELVE} 7C"), house)
    assert sorted(len(meld.cards) for meld in found) == [4, 4, 4]
    assert can_make(parse_cards("XX 3C 4C 5C 6C 7D 8D 9D TD AH 2H 3H 4H"), house)


@pytest.mark.parametrize("spare", ["7C", "XX", "JC", "2S"])
def test_twelve_of_thirteen_cards_are_laid_and_one_is_discarded(spare):
    rules = hand_seven("gamerules", hand7=TWELVE_ONLY)
    found = can_make(parse_cards(f"{TWELVE} {spare}"), rules)
    assert rules.judge_contract([as_offered(meld.cards) for meld in found], holds=13).legal


def test_jokers_are_cards_held_and_make_a_run_alone_if_allowed():
    wild = hand_seven(min_naturals="0")
    for cards, rules, sizes in (
        (f"{TWELVE} XX", hand_seven(), [4, 4, 5]),
        ("3C 4C 5C 6C 7D 8D 9D TD XX XX XX XX", wild, [4, 4, 4]),
    ):
        found = can_make(parse_cards(cards), rules)
        assert sorted(len(meld.cards) for meld in found) == sizes


# -- as much of the contract as possible ---------------------------------------------------------


def test_as_much_of_the_contract_as_possible_is_made():
    for hand, cards, melds, lacking in (
        # CAR-3: hand 5 asks for 2 trios and an escalera.
        (5, "7C 7D 7H 8C 8D 8H KS QS", ["7C 7D 7H", "8C 8D 8H"], Contract(0, 1)),
        (5, "7C 7D 7H 2C 3C 4C 5C", ["2C 3C 4C 5C", "7C 7D 7H"], Contract(1, 0)),
        (5, "2C 3C 4C 5C 9H", ["2C 3C 4C 5C"], Contract(2, 0)),
        (5, "2C 9H", [], Contract(2, 1)),
        # Hand 2 asks for one of each, and the seven can be in either.
        (2, "4C 5C 6C 7C 7D 7H", ["7C 7D 7H"], Contract(0, 1)),
    ):
        made, lacks = nearest(parse_cards(cards), rules_of("carioca", hand))
        assert sorted(meld.text for meld in made) == melds
        assert lacks == lacking


@pytest.mark.parametrize("make", [nearest, can_make])
def test_cards_that_do_not_exist_are_refused(make):
    with pytest.raises(Malformed, match="7♣"):
        make(parse_cards("7C 7C 7C"), hand_seven())
