"""“May I?” (CON-9): the ruling and what decided it. Ben sits at Ana's left, Cem at Ben's."""

import pytest

from companion.notebook.events import NotPossible, UpcardGiven
from companion.rules.errors import Malformed
from companion.services.rulings import last_taker, rule_on_upcard, why_upcard
from tests.notebook.evening import ANA, BEN, CEM
from tests.notebook.test_calls_and_upcards import TO_BEN, evening

IN_A_ROW = "Ben took the card before it, and nobody takes two in a row."
STOCK = "A card from the stock goes with it."


@pytest.mark.parametrize(
    ("asked", "before", "gets", "says"),
    [
        ((CEM,), None, CEM, STOCK),
        (
            (BEN, CEM),
            None,
            BEN,
            f"Of Ben and Cem, Ben sits nearest to the left of Ana, whose turn it is. {STOCK}",
        ),
        ((BEN, CEM), BEN, CEM, f"{IN_A_ROW} {STOCK}"),
        ((BEN,), BEN, None, f"{IN_A_ROW} The card stays, and Ana plays on."),
        ((CEM,), BEN, CEM, STOCK),
    ],
)
def test_the_ruling_says_what_decided_it(asked, before, gets, says):
    sheet = evening().sheet
    given = rule_on_upcard(sheet, ANA, asked, before)
    assert given == UpcardGiven(1, ANA, asked, before, gets)
    assert why_upcard(sheet, given) == says


@pytest.mark.parametrize(
    ("player", "asked", "sentence", "field"),
    [
        (None, (BEN,), "Say whose turn it was.", "player"),
        (7, (BEN,), "Say whose turn it was.", "player"),
        (ANA, (), "Say who asked for the card.", "asked"),
        (ANA, (ANA, BEN), "It is Ana's turn: take that name out here.", "asked"),
    ],
)
def test_what_is_missing_is_asked_for(player, asked, sentence, field):
    with pytest.raises(NotPossible) as raised:
        rule_on_upcard(evening().sheet, player, asked, None)
    assert (str(raised.value), raised.value.field) == (sentence, field)


def test_a_seat_that_there_is_not_cannot_have_asked():
    with pytest.raises(Malformed, match="There is no seat 5"):
        rule_on_upcard(evening().sheet, ANA, (5,), None)


def test_who_took_the_card_before_is_known_if_that_was_written_down_last():
    loaded = evening()
    assert last_taker(loaded.hand, loaded.sheet) is None
    loaded.write(TO_BEN)
    assert last_taker(loaded.hand, loaded.sheet) == BEN
    loaded.play(CEM, "discard 9S")
    assert last_taker(loaded.hand, loaded.sheet) is None
