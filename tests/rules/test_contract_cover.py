"""Hand 7 of Contract Rummy, in which all cards held go into three runs (CON-10), by hand."""

import pytest

from companion.rules.cards import parse_cards
from companion.rules.contract_melds import can_make, nearest
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.errors import Malformed
from companion.rules.games import game_named

TWELVE = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH"


def rules_of(
    sheet: str, hand: int = 7, game: str = "contract_rummy", **rules: str
) -> ContractJudge:
    judge = game_named(game).rules(game_named(game).house(sheet, rules), hand)
    assert isinstance(judge, ContractJudge)
    return judge


@pytest.mark.parametrize(
    ("sheet", "cards", "melds"),
    [
        ("denexa", TWELVE, ["3C 4C 5C 6C", "7D 8D 9D TD", "JH QH KH AH"]),
        ("denexa", f"{TWELVE} 7C", ["3C 4C 5C 6C 7C", "7D 8D 9D TD", "JH QH KH AH"]),
        ("denexa", f"{TWELVE} 9C", None),  # the 9♣ is in no run
        # CON-5: eight clubs in a row are one run; here they need not be two.
        ("denexa", "3C 4C 5C 6C 7C 8C 9C TC JH QH KH AH", None),
        (
            "denexa",
            "3C 4C 5C 6C 8C 9C TC JC JH QH KH AH",
            ["3C 4C 5C 6C", "8C 9C TC JC", "JH QH KH AH"],
        ),
        # Runs of three and up, each of another suit.
        (
            "gamerules",
            "3C 4C 5C 6C 7C 7D 8D 9D TH JH QH KH AH",
            ["3C 4C 5C 6C 7C", "7D 8D 9D", "TH JH QH KH AH"],
        ),
        ("gamerules", "3C 4C 5C 8C 9C TC TH JH QH KH AH", None),
        ("denexa", "3C 4C 5C 6C", None),
    ],
)
def test_all_cards_go_into_the_runs(sheet, cards, melds):
    found = can_make(parse_cards(cards), rules_of(sheet))
    assert (found and sorted(meld.text for meld in found)) == melds


def test_jokers_are_cards_held_too():
    found = can_make(parse_cards(f"{TWELVE} XX"), rules_of("denexa"))
    assert found is not None
    assert sorted(len(meld.cards) for meld in found) == [4, 4, 5]


def test_a_house_may_have_one_card_left_to_discard():
    house = rules_of("denexa", hand7="twelve_and_discard")
    found = can_make(parse_cards(f"{TWELVE} 9C"), house)
    assert found is not None
    assert sum(len(meld.cards) for meld in found) == 12
    assert can_make(parse_cards(f"{TWELVE} 9C 2S"), house) is None
    spare = can_make(parse_cards("XX 3C 4C 5C 6C 7D 8D 9D TD AH 2H 3H 4H"), house)
    assert spare is not None


def test_wild_cards_alone_make_a_run_where_they_may():
    house = rules_of("denexa", min_naturals="0")
    found = can_make(parse_cards("3C 4C 5C 6C 7D 8D 9D TD XX XX XX XX"), house)
    assert found is not None
    assert sum(len(meld.cards) for meld in found) == 12


def test_in_other_hands_cards_may_be_left():
    found = can_make(parse_cards(f"{TWELVE} 9C"), rules_of("denexa", hand=3))
    assert found is not None
    assert len(found) == 2


# -- as much as can be made ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "cards", "melds", "lacking"),
    [
        # CAR-3: hand 5 asks for 2 trios and an escalera.
        (5, "7C 7D 7H 8C 8D 8H KS QS", ["7C 7D 7H", "8C 8D 8H"], Contract(0, 1)),
        (5, "7C 7D 7H 2C 3C 4C 5C", ["2C 3C 4C 5C", "7C 7D 7H"], Contract(1, 0)),
        (5, "2C 3C 4C 5C 9H", ["2C 3C 4C 5C"], Contract(2, 0)),
        (5, "2C 9H", [], Contract(2, 1)),
    ],
)
def test_as_much_of_the_contract_as_can_be_made(hand, cards, melds, lacking):
    found = nearest(parse_cards(cards), rules_of("carioca", hand, "carioca"))
    assert sorted(meld.text for meld in found.melds) == melds
    assert found.lacking == lacking


def test_three_runs_beside_which_cards_are_left_lack_no_run():
    found = nearest(parse_cards(f"{TWELVE} 9C"), rules_of("denexa"))
    assert len(found.melds) == 3
    assert found.lacking == Contract(0, 0)


def test_cards_that_there_are_not_are_refused():
    with pytest.raises(Malformed, match="7♣"):
        nearest(parse_cards("7C 7C 7C"), rules_of("denexa"))
