"""The fewest points that can be left, worked out by hand and by another program."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from companion.rules.arrange import arrange
from companion.rules.cards import JOKER, PACK, parse_cards
from companion.rules.judge import Judge
from companion.rules.laying_off import Shown, arrange_in_turn, unsure, unsure_melds, with_lay_offs
from companion.rules.melds import Meld
from companion.rules.table import parse_table
from tests.rules.drawing import CHANCE
from tests.rules.invented import SHAPES
from tests.rules.judges import rules_of
from tests.rules.slow_arrange import check_arrangement

HERE = Path(__file__).parent


def proter(given: str) -> Judge:
    """Return the rules of ``8 min_naturals=1``: the hand, and house rules off the default."""
    hand, *house = given.split()
    return rules_of("proter", int(hand), **dict(rule.split("=") for rule in house))


def cases() -> list[Any]:
    """Return the lines of both tables: of Proter's hands, and of invented rules by name."""
    found = []
    for table in (HERE / "arrangements.txt", HERE / "arrangements_of_shapes.txt"):
        for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                rule, cards, *given, onto, expected, _ = (part.strip() for part in line.split("|"))
                rules = proter(given[0]) if given else SHAPES[rule]
                name = f"{number} {rule} {cards}"
                found.append(pytest.param(rules, cards, onto, expected, id=name))
    return found


@pytest.mark.parametrize(("rules", "cards", "onto", "expected"), cases())
def test_the_fewest_points(rules, cards, onto, expected):
    melds = parse_table([meld for meld in onto.split("/") if meld.strip()], (), rules).melds
    points, _, deadwood = expected.partition(" ")
    found = arrange(parse_cards(cards), rules, melds)
    assert found.points == int(points)
    assert sorted(found.deadwood) in [sorted(parse_cards(c)) for c in deadwood.split(" or ")]
    check_arrangement(found, parse_cards(cards), rules, melds)


def test_an_arrangement_says_which_card_every_proter_is():
    found = arrange(parse_cards("8D 8C 7C 5C JS 2D"), proter("8"))
    # Both are in the run. 8♣ is itself there, since that is a place for a Proter; 8♦ is 6♣ then.
    assert [meld.text for meld in found.melds] == ["5C 8D=6C 7C 8C=8C"]
    assert found.deadwood == parse_cards("2D JS")

    # Proters alone are a set of what they are.
    found = arrange(parse_cards("8S 8C 8H"), proter("8"))
    assert [meld.text for meld in found.melds] == ["8C=8C 8H=8H 8S=8S"]


# -- another program's answers ---------------------------------------------------------------------
# From the tests of the package “rummy” (OrderAndCh4oS/Python-Rummy, tests/game/test_melds.py, MIT):
# ace low, no wild cards. Each hand with the points left, or with those left after the discard of
# each of its cards. The Proters of hand 11, and of hand 7 where a jack is held, are not among them.

PYTHON_RUMMY_DISCARDS = [
    ("AS AH AD AC 2S 2H 2D 2C", [0, 0, 0, 0, 0, 0, 0, 0]),
    ("AS 2S 3S 4S 5S 6S 7S 8S", [0, 1, 3, 0, 0, 15, 8, 0]),
    ("3S 3H 3D 3C 5S 6S 7S 8S", [0, 0, 0, 0, 0, 20, 19, 0]),
    ("3S 3H 3D AC 2C 3C 4C 5C", [6, 6, 6, 0, 1, 12, 5, 0]),
    ("3S 5H 8D KC QS 3H 4D 5C", [50, 48, 45, 40, 41, 50, 49, 48]),
]
PYTHON_RUMMY_LEFT = [
    ("AD AC AS 2C 2S 2H 2D", 0),
    ("AS 2S 3S 4S 9C TC JC", 0),
    ("3S 3H 3D 5S 6S 7S 8S", 0),
    ("3S 3H 3D AC 2C 3C 4C", 0),
    ("3S 5H 8D KC QS 3H 4D", 48),
]


def test_python_rummys_hands_are_left_with_the_same_points():
    for hand, expected in PYTHON_RUMMY_DISCARDS:
        cards, rules = parse_cards(hand), proter("11 ace_in_runs=low")
        left = [arrange(cards[:at] + cards[at + 1 :], rules).points for at in range(len(cards))]
        assert left == expected, hand
    for hand, points in PYTHON_RUMMY_LEFT:
        rules = proter("7 ace_in_runs=low" if "JC" in hand else "11 ace_in_runs=low")
        assert arrange(parse_cards(hand), rules).points == points, hand


def test_a_card_that_a_player_keeps_is_not_laid_off():
    rules = rules_of("pay_me", 6)
    (run,) = parse_table(["5C 6C 7C"], (), rules).melds
    kept = Shown(parse_cards("4C KD"), parse_cards("4C KD"))
    taken = Shown(parse_cards("8D 4C"), parse_cards("8D"))
    wanted = Shown(parse_cards("4C KD"), parse_cards("KD"))
    first, second, third = arrange_in_turn([kept, taken, wanted], rules, [run])
    assert (first.way.laid_off, first.out_of_place, first.best.points) == ((), (), 10)
    assert [laid.onto for laid in second.way.laid_off] == [0]
    assert third.onto[0].text == "4C 5C 6C 7C"
    assert [card.text for card in third.out_of_place] == ["4C"]


@pytest.mark.parametrize(
    ("onto", "hands", "asked"),
    [
        # At one end the wild card takes the place of the next player's card, or makes it one.
        ("6C 7C 8C", ["2D QH", "9C KD"], [(0, ["2D=5C", "2D=9C"], (1,))]),
        ("6C 7C 8C", ["2D QH", "TC KD"], [(0, ["2D=5C", "2D=9C"], (1,))]),
        ("6C 7C 8C", ["2D QH", "KD 4S", "4C KH"], [(0, ["2D=5C", "2D=9C"], (2,))]),
        # The 9 has one end, and the wild card the other or the place after it.
        ("6C 7C 8C", ["9C 2D", "TC KD"], [(0, ["2D=5C", "2D=TC"], (1,))]),
        # Nobody has a card for either place, or after it.
        ("6C 7C 8C", ["2D QH", "JC KD"], []),
        ("6C 7C 8C", ["2D QH", "9D KD"], []),
        # The next player's wild card has the other end in any case.
        ("6C 7C 8C", ["2D QH", "2S KD"], []),
        # Nobody comes after.
        ("6C 7C 8C", ["9C KD", "2D QH"], []),
        # One place alone: after the king there is no ace, a set has one suit left, and of two wild
        # cards that are no neighbours (PAY-6) one lies at each end.
        ("JC QC KC", ["2D 8H", "TC KD"], []),
        ("9C 9D 9H", ["2D QH", "9S KD"], []),
        ("6C 7C 8C", ["2D XX", "9C KD"], []),
        # Each of two players has one, and they take both ends, whichever lies where.
        ("6C 7C 8C", ["2D", "2S", "9C KD"], []),
        ("6C 7C 8C", ["2D", "XX", "4C KD"], []),
    ],
)
def test_a_wild_cards_identity_is_asked_for_if_other_players_depend_on_it(onto, hands, asked):
    rules = rules_of("pay_me", 1)
    table = parse_table([onto], (), rules).melds
    found = unsure([Shown(parse_cards(cards)) for cards in hands], rules, table)
    assert [
        (one.player, [" ".join(laid.text for laid in way) for way in one.ways], one.others)
        for one in found
    ] == asked
    assert all(one.said is None for one in found)


@pytest.mark.parametrize(
    ("melds", "hand"),
    [
        # The 9 of spades has a place unless both wild cards stand for it.
        (["9C 9D XX=9H", "TS JS 2H=QS"], "9S KD"),
        # What the joker stands for matters only if the two is the 6.
        (["9C 9D XX=9H", "7H 8H 2H=9H"], "9H 9S 6H KD KC"),
    ],
)
def test_wild_cards_of_two_melds_that_decide_together_are_asked_for_together(melds, hand):
    rules = rules_of("pay_me")
    table = parse_table(melds, (), rules).melds
    found = unsure_melds(table, [Shown(parse_cards(hand))], rules, ())
    either_end = {"TS JS 2H=QS": ("2H=9S", "2H=QS"), "7H 8H 2H=9H": ("2H=6H", "2H=9H")}
    assert found is not None
    assert [tuple(laid.text for laid in way) for way in found.ways] == [
        (joker, two) for joker in ("XX=9H", "XX=9S") for two in either_end[melds[1]]
    ]


def test_only_the_wild_card_that_decides_is_asked_for_wherever_its_meld_lies():
    rules = rules_of("pay_me")
    for melds in (["4C 4D XX=4H", "TS JS 2H=QS"], ["TS JS 2H=QS", "4C 4D XX=4H"]):
        table = parse_table(melds, (), rules).melds
        found = unsure_melds(table, [Shown(parse_cards("9S KD"))], rules, ())
        assert found is not None
        assert [[laid.text for laid in way] for way in found.ways] == [["2H=9S"], ["2H=QS"]]


@pytest.mark.parametrize(
    ("said", "points"), [("2D=5C", [10, 10]), ("2D=9C", [10, 20]), ("2D=KC", [10, 20])]
)
def test_a_wild_card_lies_where_the_player_says(said, points):
    rules = rules_of("pay_me", 1)
    table = parse_table(["6C 7C 8C"], (), rules).melds
    hands = [Shown(parse_cards("2D QH"), None, (said,)), Shown(parse_cards("9C KD"))]
    assert [placed.way.points for placed in arrange_in_turn(hands, rules, table)] == points
    (one,) = unsure(hands, rules, table)
    told = [" ".join(laid.text for laid in way) for way in one.ways if way == one.said]
    assert told == ([] if said == "2D=KC" else [said])


@given(chance=CHANCE)
def test_lay_offs_in_turn_keep_every_card_and_every_limit(chance):
    rules = rules_of("pay_me", chance.randint(1, 11))
    onto = parse_table(["5C=5C 6C=6C 7C=7C", "TD=TD TH=TH TS=TS"], (), rules).melds
    stock = [card for card in PACK if card not in {laid.card for m in onto for laid in m.cards}]
    stock += [JOKER] * 2
    chance.shuffle(stock)
    hands = [Shown(tuple(stock[at : at + 5])) for at in (0, 5, 10)]
    table: tuple[Meld, ...] = onto
    for shown, placed in zip(hands, arrange_in_turn(hands, rules, onto), strict=True):
        assert placed.onto == table
        best = arrange(shown.cards, rules, table)
        assert placed.best.points == best.points
        assert len(placed.best.deadwood) == len(best.deadwood)
        table = with_lay_offs(table, placed.way.laid_off, rules)
        assert not any(rules.limits.breaches(meld) for meld in table)
        laid = [one.card for off in placed.way.laid_off for one in off.cards]
        melded = [one.card for meld in placed.way.melds for one in meld.cards]
        assert sorted([*laid, *melded, *placed.way.deadwood]) == sorted(shown.cards)
    before = sum(len(meld.cards) for meld in onto)
    given = [len(off.cards) for p in arrange_in_turn(hands, rules, onto) for off in p.way.laid_off]
    assert sum(len(meld.cards) for meld in table) == before + sum(given)
