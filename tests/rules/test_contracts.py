"""Contracts of all games: in words, the part of each meld, runs in which a joker moves."""

import pytest

from companion.rules.cards import parse_meld_text
from companion.rules.contracts import missing_in_words, rule_on_parts
from tests.rules.judges import rules_of


def ruled(game: str, hand: int, *melds: str) -> tuple[list[str], str]:
    """Return the sentence on each meld, and the missing parts of the contract."""
    rules = rules_of(game, hand)
    offered = [parse_meld_text(meld) for meld in melds]
    found = rule_on_parts(offered, rules.rule_on_contract(offered), rules)
    says = [
        one.says if one.legal else " ".join(breach.says for breach in one.breaches) for one in found
    ]
    return says, missing_in_words(found, rules)


@pytest.mark.parametrize(
    ("game", "sheet", "cards"),
    [
        ("carioca", None, [6, 7, 8, 9, 10, 11, 12]),
        ("kalooki", None, [9, 10, 11, 12, 12, 13, 14, 15, 16]),  # all cards dealt (KAL-1)
        ("contract_rummy", "denexa", [6, 7, 8, 9, 10, 11, 12]),
        ("contract_rummy", "gamerules", [6, 6, 6, 9, 9, 9, 9]),  # CON-3: runs of three
        ("proter", None, [0, 0]),
    ],
)
def test_the_fewest_cards_of_the_contracts(game, sheet, cards):
    hands = range(1, len(cards) + 1)
    assert [rules_of(game, hand, sheet).contract_cards for hand in hands] == cards


# CAR-3: hand 5 asks for 2 trios and 1 escalera.
FIRST, SECOND, RUN = "7H 7D XX", "8C 8D 8H", "4C 5C 6C 7C"


def test_the_parts_of_a_contract_of_carioca():
    for melds, says, lacks in (
        ((FIRST, SECOND, RUN), ["trio 1 of 2", "trio 2 of 2", "the escalera"], ""),
        ((RUN, FIRST), ["the escalera", "trio 1 of 2"], "1 trio"),
        (
            (FIRST, SECOND, "9C 9D 9S"),
            [
                "trio 1 of 2",
                "trio 2 of 2",
                "9♣ 9♦ 9♠ is one trio too many: hand 5 asks for 2 trios and 1 escalera.",
            ],
            "1 escalera",
        ),
        (
            ("7C 7D 7H 7S", SECOND),
            ["7♣ 7♦ 7♥ 7♠: 4 cards, and a trio of the contract has 3.", "trio 1 of 2"],
            "1 trio and 1 escalera",
        ),
    ):
        assert ruled("carioca", 5, *melds) == (says, lacks)


def test_cards_that_form_no_meld_do_not_change_the_other_melds():
    says, lacks = ruled("carioca", 5, "7H 7D 8C", SECOND, "XX 5C 6C 7C")
    assert says[0].startswith("7♥ 7♦ 8♣ is not a trio")
    assert says[1:] == ["trio 1 of 2", "the escalera"]
    assert lacks == "1 trio"


def test_a_refused_meld_is_named_in_no_reading_that_nobody_chose():
    # CAR-3: an escalera of the contract has four cards; the joker may be the 3♣ or the 8♣.
    five_cards = "4♣ 5♣ 6♣ 7♣ ★: 5 cards, and an escalera of the contract has 4."
    for other in (SECOND, "7H 7D 8C"):
        says, _ = ruled("carioca", 2, "4C 5C 6C 7C XX", other)
        assert says[0] == five_cards
    says, _ = ruled("carioca", 2, "4C 5C XX 7C 8C", SECOND)
    assert says[0].startswith("4♣, 5♣, ★ for 6♣, 7♣, 8♣: 5 cards")
    says, _ = ruled("carioca", 1, "4C 5C 6C XX", SECOND)
    assert says[0].startswith("4♣ 5♣ 6♣ ★ is one escalera too many")


def test_the_parts_of_a_legal_contract_are_read_as_the_whole_is():
    # CON-5: with the joker as 7♣ the runs would be one; as J♣, a card lies between them.
    says, lacks = ruled("contract_rummy", 3, "3C 4C 5C 6C", "XX 8C 9C TC")
    assert says == ["run 1 of 2", "run 2 of 2"]
    assert lacks == ""


def test_in_kalooki_there_may_be_more_melds_than_the_contract():
    # KAL-1: hand 2 asks for 2 threes and a four; KAL-3: further melds may be laid with it.
    says, lacks = ruled("kalooki", 2, "7H 7D 7C", "8C 8D 8H", "4C 5C 6C 7C", "2H 2C 2D")
    assert says == ["three 1 of 2", "three 2 of 2", "the four", "a three besides the contract"]
    assert lacks == ""


def test_the_later_of_two_melds_at_odds_is_at_fault():
    says, lacks = ruled("kalooki", 3, "4C 5C 6C 7C", "9C TC JC QC", "7H 7D 7C")  # KAL-2
    assert says == [
        "four 1 of 2",
        "4♣ 5♣ 6♣ 7♣ and 9♣ 10♣ J♣ Q♣ are two fours of one suit; a player has one.",
        "the three",
    ]
    assert lacks == "1 four"
    says, lacks = ruled("contract_rummy", 3, "3C 4C 5C 6C", "7C 8C 9C TC")  # CON-5
    assert says[0] == "run 1 of 2"
    assert says[1].endswith("follow one another in one suit: they are one run, not two.")
    assert lacks == "1 run"
