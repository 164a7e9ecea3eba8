"""What the tally says beside the sheet."""

from companion.notebook.events import GameEnded
from companion.services import tally
from tests.notebook.evening import Evening, of_game, started
from tests.notebook.test_rummies import indian_rummy
from tests.services.seven_at_table import NAMES, PENALTIES, whole_game


def test_every_penalty_that_stands_has_its_hand_player_rule_and_points():
    evening = Evening()
    evening.charge(1, "PRO-13.1")
    evening.charge(1, "PRO-13.1")
    evening.charge(2, "PRO-13.3")
    evening.undo()
    evening.mark(0, {1: "QC", 2: "AC"})  # an ace is the Proter of hand 1
    assert tally.penalty_lines(evening.sheet) == [
        tally.PenaltyLine(1, "Ben", "PRO-13.1", "Card already on the table", 2, 40),
        tally.PenaltyLine(1, "Cem", "PRO-13.4", "Proter in hand", 1, 20),
    ]


def test_the_penalties_of_a_whole_game_are_in_the_order_of_hands_and_seats():
    sheet = whole_game().sheet
    lines = tally.penalty_lines(sheet)
    assert sum(line.times for line in lines) == PENALTIES
    assert sum(line.points for line in lines) == 20 * PENALTIES
    order = [(line.hand, NAMES.index(line.name)) for line in lines]
    assert order == sorted(order)


def test_only_house_rules_that_differ_from_the_tables_own_sheet_are_named():
    as_written = Evening(started(sheet="playginrummyonline")).sheet
    assert tally.changed_rules(as_written) == []
    assert tally.sheet_title(as_written) == "Play Gin Rummy Online"
    changed = Evening(started(sheet="playginrummyonline", ace_in_runs="high")).sheet
    assert [(one.rule, one.title) for one in tally.changed_rules(changed)] == [
        ("PRO-5", "The ace in runs")
    ]


def test_hands_that_were_thrown_in_or_corrected_are_noted():
    evening = Evening()
    assert tally.notes(evening.sheet) == []
    evening.throw_in()
    evening.mark_hands(1)
    evening.throw_in()
    evening.throw_in()
    evening.mark_hands(1)
    for _ in range(3):
        evening.throw_in()
    evening.correct(1, 0, {1: "QC", 2: "KC"})
    assert tally.notes(evening.sheet) == [
        "Hand 1 was thrown in and dealt again.",
        "Hand 2 was thrown in twice and dealt again.",
        "Hand 3 was thrown in 3 times and dealt again.",
        "Corrected after marking: hand 1.",
    ]
    evening.correct(2, 0, {1: "QC", 2: "KC"})
    assert tally.notes(evening.sheet)[-1] == "Corrected after marking: hands 1, 2."


def test_how_much_was_played_is_said_of_a_game_that_was_ended_early():
    evening = Evening()
    evening.mark_hands(9)  # Ben and Cem hold 12 points in each
    assert tally.played(evening.sheet) == "9 of 13 hands so far"
    evening.write(GameEnded(10))
    assert tally.played(evening.sheet) == "9 of 13 hands"
    assert tally.result(evening.sheet) == "Proter, 9 of 13 hands: 1. Ana 0, 2. Ben 108, 2. Cem 108"
    rummies = indian_rummy()
    rummies.mark(0, {})
    rummies.write(GameEnded(2))
    assert tally.headline(rummies.sheet) == "Indian Rummy, 1 Rummy"


def test_a_bent_table_is_noted_with_what_it_did():
    evening = of_game("kalooki")
    evening.mark(0, {1: "KC", 2: "2S"}, bent=True)
    evening.charge(1, "KAL-4")
    evening.mark(1, {0: "KC", 2: "2S"}, bent=True)
    evening.mark(0, {1: "KC", 2: "2S"})
    noted = [
        "Hand 1: Ana bent the table: doubled.",
        "Hand 2: Ben bent the table, but called more than 3 times: not doubled (KAL-4).",
    ]
    assert tally.bendings(evening.sheet) == noted
    assert tally.notes(evening.sheet) == noted
