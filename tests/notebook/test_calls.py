"""Calls for the discard in Kalooki, counted as they are made (KAL-4)."""

import pytest

from companion.notebook.events import CallNoted, NotPossible
from companion.notebook.replay import replay, sheets
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


def test_a_call_is_undone_and_those_of_another_deal_do_not_count():
    evening = of_game("kalooki")
    evening.write(CallNoted(1, BEN))
    evening.undo()
    assert evening.hand.calls == []
    evening.redo()
    evening.throw_in()
    assert evening.hand.calls == []
    *_, last = sheets(evening.entries)
    assert last.hands == replay(evening.entries).hands


def test_calls_are_for_the_hand_that_is_played_and_for_games_that_have_them():
    with pytest.raises(NotPossible, match="Hand 1 is being played now"):
        of_game("kalooki").write(CallNoted(2, BEN))
    with pytest.raises(NotPossible, match="Say which player"):
        of_game("kalooki").write(CallNoted(1, 7))
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
