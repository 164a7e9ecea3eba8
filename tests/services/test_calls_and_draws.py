"""Calls on record (KAL-4), and who gets the card by “May I?” (CON-9)."""

import pytest

from companion.notebook.describe import why_upcard
from companion.notebook.events import CallNoted, NotPossible, PenaltyCharged, UpcardGiven
from companion.services.rulings import calls_on_record, rule_on_upcard
from tests.notebook.evening import BEN, of_game
from tests.notebook.test_calls_and_upcards import evening


def test_calls_of_a_deal_that_was_thrown_in_are_not_counted():
    kalooki = of_game("kalooki")
    kalooki.write(CallNoted(1, BEN))
    kalooki.write(PenaltyCharged(1, BEN, "KAL-4"))
    assert calls_on_record(kalooki.hand, BEN) == 4
    kalooki.throw_in()
    assert calls_on_record(kalooki.hand, BEN) == 0
    kalooki.write(CallNoted(1, BEN))
    assert calls_on_record(kalooki.hand, BEN) == 1


# -- who gets the card that the player at turn does not want: Ben sits at Ana's left, Cem at Ben's -


def test_missing_facts_are_asked_for():
    for player, asked, sentence, field in (
        (None, (1,), "Say whose turn it was.", "player"),
        (7, (1,), "Say whose turn it was.", "player"),
        (0, (), "Say who asked for the card.", "asked"),
        (0, (0, 1), "It is Ana's turn. Choose only others who asked.", "asked"),
    ):
        with pytest.raises(NotPossible) as raised:
            rule_on_upcard(evening().sheet, player, asked, None)
        assert (str(raised.value), raised.value.field) == (sentence, field)


IN_A_ROW = "Ben took the card before it, and nobody takes two in a row."
STOCK = "A card from the stock goes with it."
NEAREST = "Of Ben and Cem, Ben sits nearest to the left of Ana, whose turn it is."


@pytest.mark.parametrize(
    ("asked", "before", "gets", "says"),
    [
        ((2,), None, 2, STOCK),
        ((1, 2), None, 1, f"{NEAREST} {STOCK}"),
        ((1, 2), 1, 2, f"{IN_A_ROW} {STOCK}"),
        ((1,), 1, None, f"{IN_A_ROW} The card stays, and Ana plays on."),
        ((2,), 1, 2, STOCK),
    ],
)
def test_the_ruling_names_the_deciding_facts(asked, before, gets, says):
    sheet = evening().sheet
    given = rule_on_upcard(sheet, 0, asked, before)
    assert given == UpcardGiven(1, 0, asked, before, gets)
    assert why_upcard(sheet, given) == says
