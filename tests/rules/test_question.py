"""Questions: their plays, their facts, and impossible ones."""

from dataclasses import replace

import pytest

from companion.rules.cards import parse_cards
from companion.rules.errors import Malformed
from companion.rules.question import (
    NO_PILE,
    UNKNOWN_PILE,
    Pile,
    Question,
    facts_that_decide,
    facts_that_decide_plays,
    rule_on,
)
from companion.rules.ruling import Ruling
from companion.rules.table import Player, parse_play
from tests.rules.judges import rules_of


def question(ask: str, *plays: str, pile: Pile = NO_PILE, unknown: str = "") -> Question:
    facts = frozenset(unknown.split())
    return Question(ask, tuple(map(parse_play, plays)), (), pile, Player(), facts)


def test_an_impossible_question_is_refused():
    with pytest.raises(Malformed, match="A contract consists of melds only"):
        rule_on(rules_of("carioca"), question("contract", "meld 5C 5D 5H", "discard KD"))


def test_a_question_knows_if_a_meld_was_laid_earlier_in_the_turn():
    assert question("meld", "meld 5C 5D 5H").melded_before is False
    assert question("meld", "meld 5C 5D 5H", unknown="melded_this_turn").melded_before is None
    stated = question("meld", "meld 5C 5D 5H").with_flag("melded_this_turn", value=True)
    assert stated.melded_before is True
    assert question("discard", "discard 9H").melded_before is None  # that is not asked of it


def test_two_cards_of_the_pile_must_be_known():
    for pile, known in (
        (NO_PILE, True),
        (UNKNOWN_PILE, False),
        (Pile(parse_cards("9S"), whole=False), False),
        (Pile(parse_cards("9S"), whole=True), True),
        (Pile(parse_cards("3D 9S"), whole=False), True),  # no rule looks deeper
    ):
        asked = question("discard", "discard 9H", pile=pile, unknown="drew")
        assert asked.unknown_facts == (("drew",) if known else ("drew", "pile"))


@pytest.mark.parametrize("discard_run", ["two_adjacent", "off"])
@pytest.mark.parametrize(
    ("lies", "legal"),
    [
        # PRO-12: on the CatsAtCards sheet the 7 is illegal if the 5 or the 8 lies under the 6.
        (Pile(parse_cards("6S"), whole=False), None),
        (Pile(parse_cards("5S 6S")), False),
        (Pile(parse_cards("9D 6S")), True),
        (Pile(parse_cards("6S")), True),
        # With a card of another suit on top there is no run, and PRO-11 looks at the top alone.
        (Pile(parse_cards("6H"), whole=False), True),
        (Pile(parse_cards("7H"), whole=False), False),
    ],
)
def test_another_sheets_ruling_is_open_if_unknown_cards_decide_it(discard_run, lies, legal):
    rules = rules_of("proter", sheet="playginrummyonline", discard_run=discard_run)
    for asked in (question("discard", "discard 7S"), question("turn", "discard 7S")):
        ruling = rule_on(rules, replace(asked, pile=lies))
        assert isinstance(ruling, Ruling)
        assert ruling.elsewhere == {"catsatcards": legal}


def test_a_ruling_rests_on_the_facts_that_decide_and_on_no_others():
    proter = rules_of("proter")
    nine = question("discard", "discard 9H", pile=Pile(parse_cards("9S")))
    assert facts_that_decide(proter, nine, ["pile"]) == ("pile",)
    assert facts_that_decide(proter, nine, []) == ()
    meld = question("meld", "meld 5C 6C 7C")
    assert facts_that_decide(proter, meld, ["melded_this_turn", "melded_this_hand"]) == ()
    wild = question("meld", "meld 5C AH=6C 7C")
    assert facts_that_decide(proter, wild, ["melded_this_hand", "melded_this_turn"]) == (
        "melded_this_turn",
    )


def test_a_turn_rests_also_on_the_facts_that_decide_the_ruling_on_one_of_its_plays():
    # Before the contract the lay-off is wrong, after it the melds are: CAR-5 either way.
    carioca, met = rules_of("carioca"), "contract_met"
    trios = ("meld 5C 5D 5H", "meld 9C 9D 9H")
    turn = question("turn", *trios, "lay_off 5S onto 0", "discard AH", unknown=met)
    assert facts_that_decide_plays(carioca, turn) == [met]
    assert facts_that_decide(carioca, turn.with_flag(met, value=False), [met]) == (met,)
    assert facts_that_decide_plays(carioca, question("turn", "meld 5C 6D 7H", unknown=met)) == []


def test_a_fact_with_only_one_possible_value_decides_too():
    # The thirteen cards are one too many, unless all the melds were taken back (CAR-5).
    melds = ("meld 5C 5D 5H", "meld 6C 6D 6H", "meld 7C 7D 7H", "meld 5C 8D 8H")
    turn = question("turn", *melds, "discard 9C", unknown="contract_met")
    assert facts_that_decide_plays(rules_of("carioca", 4), turn) == ["contract_met"]
