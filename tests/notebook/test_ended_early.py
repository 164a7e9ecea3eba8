"""Games that the marker ends before the last hand: over with the hands that they have."""

from collections.abc import Mapping

import pytest

from companion.notebook.describe import say
from companion.notebook.events import (
    GameEnded,
    GameRenamed,
    HandCorrected,
    HandMarked,
    HandThrownIn,
    NotPossible,
    PileSeen,
)
from companion.notebook.figures import played, seats
from companion.notebook.replay import replay, with_entry
from companion.services.tally import hands_played
from tests.notebook.evening import ANA, BEN, CEM, DIL, Evening, Left, entries, of_game
from tests.notebook.test_rummies import EARLY, indian_rummy, won

# A game of each way in which a hand ends, and the marks of one hand, of which Ana comes out first:
# none where cards count only when the game is won.
OTHERS: dict[str, Mapping[int, Left]] = {
    "proter": {BEN: 10, CEM: 20},
    "indian_rummy": {},
    "indian_chief": {ANA: "9C", BEN: "7C", CEM: "8C"},
}

LEFT = entries({BEN: "QC", CEM: "KC"})


def end_here(evening: Evening) -> None:
    evening.write(GameEnded(evening.hand.number))


@pytest.mark.parametrize("game", OTHERS)
def test_every_game_can_be_ended_after_its_first_hand(game):
    evening = of_game(game)
    evening.mark(None if game == "indian_chief" else ANA, OTHERS[game])
    end_here(evening)
    sheet = evening.sheet
    assert (sheet.over, sheet.winner, sheet.hand.marking) == (True, None, None)
    assert sheet.leaders() == [ANA]
    assert sheet.payments() == {}
    done = played(sheet)
    assert [seat.place == 1 for seat in done] == [True, False, False]
    assert {len(seat.points) for seat in done} == {1}


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
    assert ben.points == (*[12] * 9, 20)
    assert seats(sheet)[BEN]["finished_at"] == sheet.hands[8].markings[0].entry.at


def test_undo_reopens_the_game_and_redo_ends_it_again():
    evening = Evening()
    evening.mark_hands(2)
    evening.play(ANA, "discard 9S")
    end_here(evening)
    evening.write(GameRenamed("Friday"))
    undone = evening.undo()
    assert not evening.sheet.over
    assert (evening.hand.number, evening.pile) == (3, ["9S"])
    evening.redo()
    assert evening.sheet.over
    assert with_entry(replay(evening.entries[: undone.number - 1]), evening.entries[:-1]) == (
        replay(evening.entries[:-1])
    )
    evening.undo()
    evening.mark_hands(1)
    assert evening.hand.number == 4


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


def test_a_game_is_ended_in_its_open_hand_once_a_hand_is_marked():
    evening = of_game("indian_chief")
    with pytest.raises(NotPossible, match=r"No round is marked yet\. Mark one, or delete the game"):
        end_here(evening)
    evening.mark(None, OTHERS["indian_chief"])
    with pytest.raises(NotPossible, match="Round 2 is being played now, not round 1"):
        evening.write(GameEnded(1))


def test_a_hand_is_corrected_later_and_the_game_stays_ended():
    evening = Evening()
    evening.mark_hands(2)
    end_here(evening)
    evening.correct(2, BEN, {ANA: "QC", CEM: "KC"})
    assert evening.sheet.over
    assert evening.totals == [12, 12, 25]
    evening.undo()
    assert evening.totals == [0, 24, 24]
    evening.undo()
    assert not evening.sheet.over


def test_where_rummies_win_those_who_have_one_come_first_and_nobody_is_paid():
    evening = indian_rummy()
    evening.mark(BEN, {})
    evening.mark(CEM, {})
    evening.charge(ANA, EARLY)
    end_here(evening)
    assert [(one.place, one.player) for one in evening.sheet.standings()] == [
        *((1, BEN), (1, CEM), (3, DIL)),
        (4, ANA),
    ]
    assert evening.sheet.payments() == {}
    assert hands_played(evening.sheet) == "2 hands"
    with pytest.raises(NotPossible, match="The game was ended after 2 hands"):
        evening.charge(DIL, EARLY)


def test_a_correction_can_win_an_ended_game_and_take_the_win_back():
    evening = indian_rummy("Ana", "Ben", "Cem")
    evening.mark(ANA, {})
    evening.mark(BEN, {})
    end_here(evening)
    evening.correct(2, ANA, {BEN: 10, CEM: 20})
    assert evening.sheet.payments() == {ANA: 30, BEN: -10, CEM: -20}
    evening.correct(2, CEM, {})
    assert (evening.sheet.over, evening.sheet.winner) == (True, None)


def test_the_open_hand_says_why_the_game_is_over():
    evening = indian_rummy()
    assert say(GameEnded(4), evening.sheet) == "Game ended after 3 hands"
    assert say(GameEnded(2), of_game("indian_chief").sheet) == "Game ended after 1 round"
    with pytest.raises(NotPossible, match="The game is over: Ana has won"):
        end_here(won(evening))
