"""Who gets the card that the player at turn does not want (CON-9), from what is on record."""

import pytest

from companion.notebook.describe import why_upcard
from companion.notebook.events import NotPossible, UpcardGiven
from companion.rules.errors import Malformed
from companion.services.rulings import last_taker, rule_on_upcard
from tests.notebook.test_calls_and_upcards import TO_BEN, evening


@pytest.mark.parametrize(
    ("player", "asked", "sentence", "field"),
    [
        (None, (1,), "Say whose turn it was.", "player"),
        (7, (1,), "Say whose turn it was.", "player"),
        (0, (), "Say who asked for the card.", "asked"),
        (0, (0, 1), "It is Ana's turn: take that name out here.", "asked"),
    ],
)
def test_what_is_missing_is_asked_for(player, asked, sentence, field):
    with pytest.raises(NotPossible) as raised:
        rule_on_upcard(evening().sheet, player, asked, None)
    assert (str(raised.value), raised.value.field) == (sentence, field)


def test_a_seat_that_there_is_not_cannot_have_asked():
    with pytest.raises(Malformed, match="There is no seat 5"):
        rule_on_upcard(evening().sheet, 0, (5,), None)


def test_who_took_the_card_before_is_known_if_that_was_written_down_last():
    loaded = evening()
    assert last_taker(loaded.hand, loaded.sheet) is None
    loaded.write(TO_BEN)
    assert last_taker(loaded.hand, loaded.sheet) == 1
    loaded.play(2, "discard 9S")
    assert last_taker(loaded.hand, loaded.sheet) is None


# -- the ruling and what decided it: Ben sits at Ana's left, Cem at Ben's --------------------------

IN_A_ROW = "Ben took the card before it, and nobody takes two in a row."
STOCK = "A card from the stock goes with it."


@pytest.mark.parametrize(
    ("asked", "before", "gets", "says"),
    [
        ((2,), None, 2, STOCK),
        (
            (1, 2),
            None,
            1,
            f"Of Ben and Cem, Ben sits nearest to the left of Ana, whose turn it is. {STOCK}",
        ),
        ((1, 2), 1, 2, f"{IN_A_ROW} {STOCK}"),
        ((1,), 1, None, f"{IN_A_ROW} The card stays, and Ana plays on."),
        ((2,), 1, 2, STOCK),
    ],
)
def test_the_ruling_says_what_decided_it(asked, before, gets, says):
    sheet = evening().sheet
    given = rule_on_upcard(sheet, 0, asked, before)
    assert given == UpcardGiven(1, 0, asked, before, gets)
    assert why_upcard(sheet, given) == says
