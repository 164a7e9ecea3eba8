"""“May I?” (CON-9) in the book: what can be ruled, and what is refused."""

from dataclasses import replace

import pytest

from companion.notebook.events import NotPossible, Undone, UpcardGiven
from companion.rules.errors import Malformed
from tests.notebook.evening import ANA, BEN, CEM, Evening, of_game

# Play passes to the left: Ben sits at Ana's left, Cem at Ben's.
TO_BEN = UpcardGiven(1, ANA, (BEN, CEM), None, BEN)


def evening(sheet: str = "denexa", game: str = "contract_rummy") -> Evening:
    return of_game(game, sheet)


def test_who_gets_a_card_is_kept_with_its_question():
    loaded = evening()
    entry = loaded.write(TO_BEN)
    assert [(line.entry, line.given) for line in loaded.hand.upcards] == [(entry, TO_BEN)]
    assert loaded.hand.all_rulings == loaded.hand.upcards
    loaded.write(UpcardGiven(1, ANA, (BEN,), BEN, None))  # the next card: not two in a row
    assert [line.given.gets for line in loaded.hand.upcards] == [BEN, None]
    loaded.write(Undone(3))
    assert [line.given for line in loaded.hand.upcards] == [TO_BEN]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"hand": 2}, "Hand 1 is being played now"),
        ({"player": 3}, "Say which player"),
        ({"asked": (BEN, 3)}, "Say which player"),
        ({"last_taker": 3}, "Say which player"),
        ({"asked": ()}, "Say who asked for the card"),
        ({"gets": CEM}, "By CON-9 somebody else gets the card"),
        ({"gets": None}, "By CON-9 somebody else gets the card"),
    ],
)
def test_what_cannot_be_ruled_is_refused(changed, sentence):
    with pytest.raises(NotPossible, match=sentence):
        evening().write(replace(TO_BEN, **changed))  # type: ignore[arg-type]  # fields by name


def test_who_is_at_turn_does_not_ask():
    with pytest.raises(Malformed, match="cannot ask"):
        evening().write(UpcardGiven(1, ANA, (ANA, BEN), None, BEN))


@pytest.mark.parametrize(
    ("sheet", "game"), [("gamerules", "contract_rummy"), ("carioca", "carioca")]
)
def test_where_nobody_may_ask_there_is_nothing_to_rule(sheet, game):
    with pytest.raises(NotPossible, match="At this table nobody asks for the upcard"):
        evening(sheet, game).write(TO_BEN)
