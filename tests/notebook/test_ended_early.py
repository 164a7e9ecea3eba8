"""Games that the marker ends before the last hand."""

import pytest

from companion.notebook.events import (
    GameEnded,
    HandCorrected,
    HandMarked,
    HandThrownIn,
    NotPossible,
    PileSeen,
)
from companion.notebook.figures import played, seats
from companion.services.tally import hands_played
from tests.notebook.evening import ANA, BEN, CEM, DIL, Evening, entries, of_game
from tests.notebook.test_rummies import EARLY, indian_rummy

LEFT = entries({BEN: "QC", CEM: "KC"})


def end_here(evening: Evening) -> None:
    evening.write(GameEnded(evening.hand.number))


def test_the_standings_are_those_of_the_marked_hands_and_all_penalties():
    evening = Evening()
    evening.mark_hands(9)  # 12 points each for Ben and Cem
    evening.charge(BEN, "PRO-13.3")
    end_here(evening)
    sheet = evening.sheet
    assert [(one.place, one.name, one.total) for one in sheet.standings()] == [
        (1, "Ana", 0),
        (2, "Cem", 9 * 12),
        (3, "Ben", 9 * 12 + 20),
    ]
    assert hands_played(sheet) == "9 of 13 hands"
    ben = played(sheet)[BEN]
    assert (ben.points, ben.total) == ((12,) * 9, 9 * 12 + 20)
    assert seats(sheet)[BEN]["finished_at"] == sheet.hands[8].markings[0].entry.at


def test_nothing_more_is_played_in_a_game_that_was_ended():
    evening = Evening()
    evening.mark_hands(1)
    end_here(evening)
    says = r"The game was ended after 1 hand\. Undo that to play on\."
    for event in (GameEnded(2), HandMarked(2, ANA, LEFT), HandThrownIn(2), PileSeen(2, "9S")):
        with pytest.raises(NotPossible, match=says):
            evening.write(event)
    with pytest.raises(NotPossible, match="Hand 2 has not been marked yet"):
        evening.write(HandCorrected(2, ANA, LEFT))

    # It is ended in its open hand, once a hand is marked.
    evening = of_game("indian_chief")
    with pytest.raises(NotPossible, match=r"No round is marked yet\. Mark one, or delete the game"):
        end_here(evening)
    evening.mark(None, {ANA: "9C", BEN: "7C", CEM: "8C"})
    with pytest.raises(NotPossible, match="Round 2 is being played now, not round 1"):
        evening.write(GameEnded(1))


def test_nobody_wins_a_game_of_rummies_that_was_ended_before_a_second_one():
    evening = indian_rummy(declared=[BEN, CEM])
    evening.charge(ANA, EARLY)
    assert evening.sheet.leaders() == [BEN, CEM]
    end_here(evening)
    # IND-7: the winner has two Rummies, or is the last one left.
    assert (evening.sheet.leaders(), evening.sheet.is_counted) == ([], False)
    assert [one["played"] for one in seats(evening.sheet)] == [None] * 4
    assert evening.sheet.payments() == {}
    assert hands_played(evening.sheet) == "2 hands"
    with pytest.raises(NotPossible, match="The game was ended after 2 hands"):
        evening.charge(DIL, EARLY)


def test_a_correction_can_win_an_ended_game_and_take_the_win_back():
    evening = indian_rummy("Ana", "Ben", "Cem", declared=[ANA, BEN])
    end_here(evening)
    evening.correct(2, ANA, {BEN: 10, CEM: 20})
    assert evening.sheet.payments() == {ANA: 30, BEN: -10, CEM: -20}
    evening.correct(2, CEM, {})
    assert (evening.sheet.over, evening.sheet.winner) == (True, None)
