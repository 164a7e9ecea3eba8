"""The heat map, and the chart of the running totals.

Its places are worked out from 250 (0 points) up to 14.
"""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from companion.notebook.events import HandEntry
from companion.web.figures import (
    BOTTOM,
    LABEL_HEIGHT,
    chart,
    heat_map,
    label_heights,
    lines,
    nice_levels,
    shortened,
)
from tests.notebook.evening import ANA, BEN, CEM, NAMES, Evening, of_game, started
from tests.services.seven_at_table import whole_game
from tests.web.asking import mark
from tests.web.conftest import begin


def test_lines_go_from_zero_to_the_running_totals():
    # Hand 1: Ben 13. Hand 2: Ana 5. Totals Ana 0, 5; Ben 13, 13. The highest level is 15.
    evening = Evening(started(NAMES[:2]))
    evening.mark(ANA, {BEN: "KC"})
    evening.mark(BEN, {ANA: "5C"})
    drawn = chart(evening.sheet)
    assert [text for _, text in drawn.levels] == ["0", "5", "10", "15"]
    assert drawn.hands == [(142, "1"), (250, "2")]
    # 250 - 236 × 5/15 = 171.3; 250 - 236 × 13/15 = 45.5.
    assert drawn.lines == [
        ("Ana", [(34, 250), (142, 250), (250, 171.3)], 171.3),
        ("Ben", [(34, 250), (142, 45.5), (250, 45.5)], 45.5),
    ]
    assert drawn.says == "Running totals after hand 2: Ana 5, Ben 13."


def test_a_line_with_fewer_values_begins_later():
    drawn = lines(["Ana", "Ben"], [[2, 1, 1], [2, 2]], [(2, "2"), (1, "1")], ["a", "b", "c"])
    assert [points for _, points, _ in drawn.lines] == [
        [(34, 250), (142, 14), (250, 14)],
        [(142, 250), (250, 250)],
    ]


def test_equal_totals_have_labels_one_below_the_other():
    evening = Evening(started(NAMES[:3]))
    evening.mark(ANA, {BEN: "5C", CEM: "5D"})
    assert [label_at for *_, label_at in chart(evening.sheet).lines] == [250, 14, 32]
    assert label_heights([250, 250]) == [232, 250]  # at the bottom one above the other


def test_negative_totals_have_their_place_and_the_best_is_named_first():
    evening = of_game("indian_chief", names=NAMES[:2])
    entries = [HandEntry(ANA, points=-15, box="Rich Man"), HandEntry(BEN, points=7, box="Thief")]
    evening.mark(None, dict(enumerate(entries)))
    drawn = chart(evening.sheet)
    assert [text for _, text in drawn.levels] == ["−15", "−10", "−5", "0", "5", "10"]
    # Both begin at 0, 250 - 236 × 15/25 = 108.4; Ben's 7 is at 250 - 236 × 22/25 = 42.3.
    assert [points for _, points, _ in drawn.lines] == [
        [(34, 108.4), (250, 250)],
        [(34, 108.4), (250, 42.3)],
    ]
    assert drawn.says == "Running totals after round 1: Ben 7, Ana −15."


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


@given(st.lists(st.floats(14, BOTTOM), min_size=1, max_size=10))
def test_labels_do_not_overlap_or_leave_the_chart(wanted):
    places = sorted(label_heights(wanted))
    assert places[-1] <= BOTTOM
    assert all(b - a >= LABEL_HEIGHT - 1e-6 for a, b in pairwise(places))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Ana", "Ana"),
        ("Maximilian", "Maximilian"),
        ("Maximiliana", "Maximilian…"),
        ("Anna Maria Z", "Anna Maria…"),
        ("e\u0301" * 11, "é" * 10 + "…"),
        ("山田太郎花子", "山田太郎花…"),
        ("දිලානි පෙරේරා", "දිලානි පෙරේරා"),  # six letters and a space: 10
        ("தமிழ்ச்செல்வி", "தமிழ்ச்செல்…"),  # seven letters: 10.5
        # A family is one picture for the eye, of two columns, and is not cut.
        ("👨\u200d👩\u200d👧 the Foxes", "👨\u200d👩\u200d👧 the Fox…"),
    ],
)
def test_long_names_are_cut_between_visible_characters(name, label):
    assert shortened(name) == label


# -- the heat map of a game -----------------------------------------------------------------------


def test_the_heat_map_has_everyones_points_the_more_the_darker():
    evening = of_game("carioca", names=NAMES[:2])
    for points in (40, 30, 9):
        evening.mark(0, {1: points})
    names, rows = heat_map(evening.sheet)
    assert names == ["Ana", "Ben"]
    assert rows == [[("0", 0), ("40", 4)], [("0", 0), ("30", 3)], [("0", 0), ("9", 1)]]
    # Where all have as much there is one shade, and long names fit.
    evening = Evening(started(NAMES[:2]))
    evening.mark(None, {0: "5C", 1: "5D"})
    _, rows = heat_map(evening.sheet)
    assert rows == [[("5", 0), ("5", 0)]]
    names, _ = heat_map(whole_game().sheet)
    assert [len(name) for name in names] == [6] * 7
    # A column of ten is 32 pixels wide: three letters and “…” leave a gap to the next, four do not.
    evening = of_game("indian_rummy", names=[f"Wilhelmina {letter}" for letter in "ABCDEFGHIJ"])
    evening.mark(0, dict.fromkeys(range(1, 10), 9))
    assert heat_map(evening.sheet)[0] == ["Wil…"] * 10


def test_the_sheet_and_the_tally_have_the_heat_map_once_a_hand_is_marked(marker):
    game = begin(marker)
    assert 'id="heat-title"' not in marker.open(f"{game}/sheet")
    mark(marker, game)
    sheet = marker.open(f"{game}/sheet")
    says = "Points by hand and player; the stronger the colour, the more."
    assert f'<title id="heat-title">{says}' in sheet
    assert 'id="chart-title"' in sheet
    tally = marker.open(f"{game}/tally")
    assert '<title id="heat-title">' in tally
    assert tally.index("</article>") < tally.index('<div class="screen"><figure class="lines">')
