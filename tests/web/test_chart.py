"""The heat map, and the chart of the running totals.

Its places are worked out from 250 (0 points) up to 14.
"""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from companion.notebook.events import Entry, Event, GameStarted, HandEntry, HandMarked
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.games import GAMES
from companion.web.chart import (
    BOTTOM,
    LABEL_HEIGHT,
    chart,
    heat_map,
    lines,
    nice_levels,
    shortened,
    spread,
)
from tests.notebook.evening import NAMES, Evening, of_game, started
from tests.services.seven_at_table import whole_game
from tests.web.asking import mark
from tests.web.conftest import begin

EIGHT = datetime(2024, 5, 3, 20, 0, tzinfo=UTC)


def sheet_of(*marks: HandMarked, names: tuple[str, ...] = ("Ana", "Ben")) -> ScoreSheet:
    house = GAMES["proter"].house()
    start = GameStarted("proter", house.sheet, dict(house.values), names, 0, "")
    events: list[Event] = [start, *marks]
    return replay([Entry(n, EIGHT, "m", event, f"k{n}") for n, event in enumerate(events, 1)])


def cards(player: int, text: str) -> HandEntry:
    return HandEntry(player, cards=text, melded=True)


def test_there_is_no_chart_before_the_first_hand_is_marked():
    assert chart(sheet_of()) is None


def test_lines_go_from_nothing_to_the_running_totals():
    # Hand 1: Ben K = 13. Hand 2: Ana 5. Totals Ana 0, 5; Ben 13, 13. The highest level is 15.
    drawn = chart(
        sheet_of(HandMarked(1, 0, (cards(1, "KC"),)), HandMarked(2, 1, (cards(0, "5C"),)))
    )
    assert drawn is not None
    assert [level.text for level in drawn.levels] == ["0", "5", "10", "15"]
    assert [tick.text for tick in drawn.hands] == ["1", "2"]
    assert [tick.at for tick in drawn.hands] == [142, 250]
    ana, ben = drawn.lines
    # 250 - 236 × 5/15 = 171.3; 250 - 236 × 13/15 = 45.5.
    assert ana.points == ((34, 250), (142, 250), (250, 171.3))
    assert ben.points == ((34, 250), (142, 45.5), (250, 45.5))
    assert (ana.label_at, ben.label_at) == (171.3, 45.5)


def test_a_line_with_fewer_values_begins_later():
    drawn = lines(["Ana", "Ben"], [[2, 1, 1], [2, 2]], [(2, "2"), (1, "1")], ["a", "b", "c"])
    ana, ben = drawn.lines
    assert ana.points == ((34, 250), (142, 14), (250, 14))
    assert ben.points == ((142, 250), (250, 250))


def test_the_chart_says_in_words_what_it_shows_the_lowest_first():
    drawn = chart(sheet_of(HandMarked(1, 1, (cards(0, "KC"),))))
    assert drawn is not None
    assert drawn.says == "Running totals after hand 1, lowest first: Ben 0, Ana 13."


def test_equal_totals_have_labels_one_below_the_other():
    three = ("Ana", "Ben", "Chandi")
    drawn = chart(sheet_of(HandMarked(1, 0, (cards(1, "5C"), cards(2, "5D"))), names=three))
    assert drawn is not None
    assert [line.label_at for line in drawn.lines] == [250, 14, 32]


@pytest.mark.parametrize(
    ("lowest", "highest", "levels"),
    [
        (0, 0, [0, 1]),
        (0, 1, [0, 1]),
        (0, 5, [0, 1, 2, 3, 4, 5]),
        (0, 6, [0, 2, 4, 6]),
        (0, 51, [0, 20, 40, 60]),
        (0, 171, [0, 50, 100, 150, 200]),
        (0, 414, [0, 100, 200, 300, 400, 500]),
        (0, 501, [0, 200, 400, 600]),
        (-1, 0, [-1, 0]),
        (-20, 0, [-20, -15, -10, -5, 0]),
        (-8, 3, [-10, -5, 0, 5]),
    ],
)
def test_levels_are_round_and_reach_the_lowest_and_the_highest_total(lowest, highest, levels):
    assert nice_levels(highest, lowest) == levels


def test_labels_that_would_overlap_are_moved_apart():
    assert spread([100, 100, 100]) == [100, 118, 136]
    assert spread([250, 250]) == [232, 250]
    assert spread([120, 110]) == [128, 110]


@given(st.lists(st.floats(14, BOTTOM), min_size=1, max_size=10))
def test_no_label_is_over_another_or_below_the_chart(wanted):
    places = sorted(spread(wanted))
    assert places[-1] <= BOTTOM
    assert all(b - a >= LABEL_HEIGHT - 1e-6 for a, b in pairwise(places))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Ana", "Ana"),
        ("Maximilian", "Maximilian"),
        ("Maximiliana", "Maximilian…"),
        ("Anna Maria Z", "Anna Maria…"),
        ("e\u0301" * 11, "e\u0301" * 10 + "…"),
        ("山田太郎花子", "山田太郎花…"),
        ("දිලානි පෙරේරා", "දිලානි පෙරේරා"),  # six letters and a space: 10
        ("தமிழ்ச்செல்வி", "தமிழ்ச்செல்…"),  # seven letters: 10.5
        # A family is one picture for the eye, of two columns, and is not cut.
        ("👨\u200d👩\u200d👧 the Foxes", "👨\u200d👩\u200d👧 the Fox…"),
    ],
)
def test_long_names_are_cut_where_the_eye_would(name, label):
    assert shortened(name) == label


def test_totals_below_nothing_have_their_place_on_the_chart():
    # CHI-3: Ana's Rich Man is -(1 + 2 + 3 + 4 + 5) = -15, Ben's Thief 7. Levels by 5: -15 … 10.
    house = GAMES["indian_chief"].house()
    start = GameStarted("indian_chief", house.sheet, dict(house.values), ("Ana", "Ben"), 0, "")
    marked = HandMarked(1, None, (cards(0, "AC 2D 3H 4S 5C"), cards(1, "7C")))
    events: list[Event] = [start, marked]
    drawn = chart(replay([Entry(n, EIGHT, "m", one, f"k{n}") for n, one in enumerate(events, 1)]))
    assert drawn is not None
    assert [level.text for level in drawn.levels] == ["−15", "−10", "−5", "0", "5", "10"]
    ana, ben = drawn.lines
    # Both begin at 0, 250 - 236 × 15/25 = 108.4; Ben's 7 is at 250 - 236 × 22/25 = 42.3.
    assert ana.points == ((34, 108.4), (250, 250))
    assert ben.points == ((34, 108.4), (250, 42.3))
    assert drawn.says == "Running totals after round 1, highest first: Ben 7, Ana −15."


# -- the heat map of a game -----------------------------------------------------------------------


def test_there_is_no_heat_map_before_the_first_hand_is_marked():
    assert heat_map(Evening().sheet) is None


def test_the_heat_map_has_everyones_points_the_more_the_darker():
    evening = of_game("carioca", names=NAMES[:2])
    for points in (40, 30, 9):
        evening.mark(0, {1: points})
    found = heat_map(evening.sheet)
    assert found is not None
    assert found.names == ["Ana", "Ben"]
    assert found.rows == [[("0", 0), ("40", 4)], [("0", 0), ("30", 3)], [("0", 0), ("9", 1)]]


def test_a_hand_without_points_has_one_shade_and_long_names_fit():
    evening = Evening(started(NAMES[:2]))
    evening.mark(None, {0: "5C", 1: "5D"})
    found = heat_map(evening.sheet)
    assert found is not None
    assert found.rows == [[("5", 0), ("5", 0)]]
    assert [len(name) for name in heat_map(whole_game().sheet).names] == [6] * 7


def test_the_sheet_and_the_tally_have_the_heat_map_once_a_hand_is_marked(app, marker):
    game = begin(marker, ("Ana", "Ben", "Chandi"))
    assert 'id="heat-title"' not in marker.open(f"{game}/sheet")
    mark(app, marker, game)
    sheet = marker.open(f"{game}/sheet")
    assert '<title id="heat-title">Points by hand and player; the darker, the more.' in sheet
    assert 'id="chart-title"' in sheet
    tally = marker.open(f"{game}/tally")
    assert '<title id="heat-title">' in tally
    assert tally.index("</article>") < tally.index('<div class="screen"><figure class="lines">')
