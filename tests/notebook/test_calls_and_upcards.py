"""Calls for the discard (KAL-4) and “May I?” (CON-9) as events."""

from dataclasses import replace

import pytest

from companion.notebook.events import (
    CallNoted,
    NotPossible,
    PenaltyCharged,
    Ruled,
    RulingEnforced,
    Undone,
    UpcardGiven,
)
from companion.rules.errors import Malformed
from companion.rules.question import UNKNOWN_PILE, Call, Question, rule_on
from companion.rules.ruling import Ruling
from tests.notebook.evening import ANA, BEN, CEM, Evening, of_game


def test_three_calls_are_noted_and_a_fourth_is_not():
    evening = of_game("kalooki")
    for _ in range(3):
        evening.write(CallNoted(1, BEN))
    evening.write(CallNoted(1, CEM))
    assert evening.hand.calls == [BEN, BEN, BEN, CEM]
    with pytest.raises(
        NotPossible, match=r"Ben has had 3 calls: the next one is charged \(KAL-4\)"
    ):
        evening.write(CallNoted(1, BEN))
    assert evening.totals == [0, 0, 0]

    # Calls are for the open hand, and for games that have them.
    with pytest.raises(NotPossible, match="Hand 1 is being played now"):
        of_game("kalooki").write(CallNoted(2, BEN))
    with pytest.raises(NotPossible, match="Nobody calls for the discard in Proter"):
        Evening().write(CallNoted(1, BEN))


def test_a_noted_call_explains_more_cards_than_were_dealt():
    # Hand 1 deals 9 cards, and a call gives two: 11 of different ranks can be left with Ben.
    cards = "2C 3D 4H 5S 6C 7D 8H 9S TC JD QH"
    with pytest.raises(NotPossible, match="penalty cards"):
        of_game("kalooki").mark(ANA, {BEN: cards, CEM: "2S"})
    evening = of_game("kalooki")
    evening.write(CallNoted(1, BEN))
    evening.mark(ANA, {BEN: cards, CEM: "2S"})
    # KAL-9: 2 to 9 are 44, and three cards of 10.
    assert evening.totals == [0, 44 + 30, 2]


# Play passes to the left: Ben sits at Ana's left, Cem at Ben's.
TO_BEN = UpcardGiven(1, ANA, (BEN, CEM), None, BEN)


def evening() -> Evening:
    return of_game("contract_rummy", "denexa")


@pytest.mark.parametrize(
    ("game", "given"),
    [
        ("kalooki", CallNoted(1, BEN)),  # KAL-4
        ("kalooki", PenaltyCharged(1, BEN, "KAL-4")),
        ("contract_rummy", TO_BEN),  # CON-9
    ],
)
def test_a_card_that_was_given_out_of_turn_lies_on_the_pile_no_longer(game, given):
    loaded = of_game(game)
    loaded.play(CEM, "discard 9D")
    assert loaded.hand.board.table.pile
    loaded.write(given)
    assert loaded.hand.board.table.pile == ()
    assert loaded.hand.board.pile_for(ANA) == UNKNOWN_PILE
    # Both nines of diamonds can be left with Ben.
    loaded.mark(ANA, {BEN: "9D 9D", CEM: "2S"})


def test_a_card_that_nobody_gets_stays_on_the_pile():
    loaded = evening()
    loaded.play(CEM, "discard 9D")
    loaded.write(UpcardGiven(1, ANA, (BEN,), BEN, None))  # CON-9: not two in a row
    assert [card.text for card in loaded.hand.board.table.pile] == ["9D"]


def test_a_may_i_ruling_is_kept_with_its_question():
    loaded = evening()
    entry = loaded.write(TO_BEN)
    assert [(line.entry, line.given) for line in loaded.hand.upcards] == [(entry, TO_BEN)]
    assert loaded.hand.all_rulings == loaded.hand.upcards
    loaded.write(UpcardGiven(1, ANA, (BEN,), BEN, None))  # the next card: not two in a row
    assert [line.given.gets for line in loaded.hand.upcards] == [BEN, None]
    loaded.write(Undone(3))
    assert [line.given for line in loaded.hand.upcards] == [TO_BEN]


def test_an_impossible_upcard_ruling_is_refused():
    for changed, sentence in (
        ({"asked": (BEN, 3)}, "Say which player"),
        ({"last_taker": 3}, "Say which player"),
        ({"asked": ()}, "Say who asked for the card"),
        ({"gets": CEM}, "By CON-9 somebody else gets the card"),
        ({"gets": None}, "By CON-9 somebody else gets the card"),
    ):
        with pytest.raises(NotPossible, match=sentence):
            evening().write(replace(TO_BEN, **changed))  # type: ignore[arg-type]  # fields by name


def test_a_game_without_may_i_rejects_its_ruling_and_the_active_player_does_not_ask():
    with pytest.raises(Malformed, match="cannot ask"):
        evening().write(UpcardGiven(1, ANA, (ANA, BEN), None, BEN))
    for at in (of_game("contract_rummy", "gamerules"), of_game("carioca")):
        with pytest.raises(NotPossible, match="At this table nobody asks for the upcard"):
            at.write(TO_BEN)


def test_the_card_of_a_call_that_a_ruling_charged_lies_on_the_pile_no_longer():
    loaded = of_game("kalooki")
    loaded.play(CEM, "discard 9D")
    question = Question("call", (), call=Call(ANA, 3, melded=False))
    ruling = rule_on(loaded.hand.rules, question)
    assert isinstance(ruling, Ruling)
    asked = loaded.write(Ruled(1, BEN, question, ruling, "KAL-4", {}))
    assert loaded.pile == ["9D"]
    loaded.write(RulingEnforced(1, asked.number))
    assert loaded.pile == []
    # It can be asked otherwise: then nothing is charged.
    other = Question("call", (), call=Call(ANA, 2, melded=False))
    ruling = rule_on(loaded.hand.rules, other)
    assert isinstance(ruling, Ruling)
    loaded.write(Ruled(1, BEN, other, ruling, None, {}, asked.number))
    assert loaded.totals == [0, 0, 0]
