"""House penalties: points that a table charges or credits for reasons of its own."""

import pytest

from companion.notebook import hand_marks
from companion.notebook.events import HousePenalty, NotPossible
from companion.rules.scoring import Charged
from companion.services import tally
from companion.services.tally import box_rows
from tests.notebook.evening import ANA, BEN, CEM, Evening, of_game, started

WINE = HousePenalty(1, BEN, 10, "Spilled wine")
HAT = HousePenalty(1, CEM, -5, "Best hat")


def test_a_house_penalty_counts_in_its_hand_before_and_after_the_marks():
    evening = Evening()
    evening.write(HAT)
    assert evening.totals == [0, 0, -5]
    event = evening.mark(ANA, {BEN: "KC", CEM: "2S"}).event
    evening.undo()
    lines = hand_marks.preview(evening.sheet, evening.hand, event)
    assert [line.mark.points for line in lines] == [0, 13, -3]
    evening.redo()
    assert evening.points(1) == [0, 13, -3]
    evening.write(WINE)
    assert evening.points(1) == [0, 23, -3]
    assert evening.sheet.hands[0].mark(BEN).charges == (Charged("", 10, "Spilled wine"),)
    evening.correct(1, ANA, {BEN: "QC", CEM: "2S"})
    assert evening.points(1) == [0, 22, -3]


def test_impossible_house_penalties_are_refused():
    for points, text, field, words in (
        *((points, "Late", "points", "from 1 to 500") for points in (0, 501, -501)),
        (10, "", "text", "Say what for"),
        (10, "x" * 61, "text", "a reason has 60 characters"),
    ):
        with pytest.raises(NotPossible, match=words) as refused:
            Evening().write(HousePenalty(1, BEN, points, text))
        assert refused.value.field == field
    evening = Evening()  # and these are still possible
    for points in (1, 500, -1, -500):
        evening.write(HousePenalty(1, BEN, points, "x" * 60))
        assert evening.totals == [0, points, 0]
        evening.undo()


def test_house_penalties_do_not_break_ties():
    evening = Evening(started(ties="fewest_penalties"))
    evening.write(HousePenalty(1, BEN, 20, "Spilled wine"))
    evening.charge(CEM, "PRO-13.3")
    evening.write(HAT)
    places = {one.name: (one.place, one.penalties) for one in evening.sheet.standings()}
    # A bonus is no penalty: Cem has 15 and one of them, Ben 20 and one of the table's.
    assert places == {"Ana": (1, 0), "Cem": (2, 1), "Ben": (3, 1)}
    evening.undo()
    assert [one.name for one in evening.sheet.standings()] == ["Ana", "Ben", "Cem"]


def test_kalooki_does_not_double_house_penalties():
    evening = of_game("kalooki", bending_doubles="all")
    evening.charge(BEN, "KAL-4")
    evening.write(WINE)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"}, bent=True)
    # KAL-9: the king 10 and the call 50 count double; the wine 10 once.
    assert evening.points(1) == [0, 2 * 60 + 10, 4]


def test_if_the_highest_total_wins_a_penalty_takes_points_off_and_no_box_changes():
    evening = of_game("indian_chief")
    evening.write(HousePenalty(1, ANA, -3, "Late"))
    evening.write(HousePenalty(1, CEM, 4, "Best hat"))
    assert [evening.sheet.penalties(seat).total() for seat in (ANA, BEN, CEM)] == [1, 0, 0]
    evening.mark(None, {ANA: "7C", BEN: "8C", CEM: "9C"})
    thief, cells = box_rows(evening.sheet)[0]
    assert thief.title == "Thief"
    assert [cell.mark.cards for cell in cells if cell] == [7, 8, 9]
    assert evening.totals == [4, 8, 13]


@pytest.mark.parametrize(
    ("game", "rules", "shows"),
    [
        ("proter", {}, True),
        ("carioca", {}, False),
        ("pay_me", {}, False),
        ("pay_me", {"false_call": 30}, True),
    ],
)
def test_a_game_without_penalties_shows_the_column_only_after_a_house_penalty(game, rules, shows):
    evening = of_game(game, **rules)
    assert tally.shows_penalties(evening.sheet) is shows
    evening.write(WINE)
    assert tally.shows_penalties(evening.sheet)
    assert not tally.has_bonus(evening.sheet)
    evening.write(HAT)
    assert tally.has_bonus(evening.sheet)
    assert [tally.house_points(evening.sheet, seat) for seat in (ANA, BEN, CEM)] == [0, 10, -5]


def test_charges_of_a_hands_end_are_separate_from_the_markers():
    evening = Evening()
    evening.write(WINE)
    evening.charge(BEN, "PRO-13.3")
    evening.mark(ANA, {BEN: "AC", CEM: "2S"})  # an ace is the Proter of hand 1
    charged = [evening.sheet.hands[0].worked_out(seat) for seat in (BEN, CEM)]
    assert [[one.rule for one in each] for each in charged] == [["PRO-13.4"], []]
