"""Tables, and pictures that the templates draw: lines, bars, and the heat map of a game.

Dashes, marks and numbers tell what colours tell, and each picture has its sentence: they can be
read aloud, and printed in black.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count
from math import ceil, floor
from operator import itemgetter
from typing import NamedTuple

from companion.notebook.describe import score
from companion.notebook.names import characters
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _, listed

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
# The least distance between two labels, for the tall letters of Tamil too; with ten players all
# fit between TOP and BOTTOM.
LABEL_HEIGHT = 18
LONGEST_LABEL = 10
MOST_TICKS = 5
# The letters in the heads of the heat map, all together.
MOST_LETTERS = 40


class Chart(NamedTuple):
    """Lines over hands or games. What stands on the axes is told with its place there.

    A line has a label, its points, and the height of the label, which is moved where several lines
    end together. ``says`` is what they show, in a sentence, unless the page does.
    """

    lines: Sequence[tuple[str, Sequence[tuple[float, float]], float]]
    hands: Sequence[tuple[float, str]]
    levels: Sequence[tuple[float, str]]
    says: str = ""


class Picture(NamedTuple):
    """A picture, lines or a bar for each row from 0 to 1 high, and the rows of its numbers."""

    rows: Sequence[Sequence[object]]
    lines: Chart | None = None
    bars: Sequence[float] = ()


def chart(sheet: ScoreSheet) -> Chart:
    """Return the running totals after each marked hand as lines. One must be marked."""
    hands, highest = range(1, len(sheet.marked) + 1), sheet.game.won_by.highest
    totals = [[sheet.total(seat, through=hand) for hand in hands] for seat in sheet.players]
    ends = zip(sheet.names, (line[-1] for line in totals), strict=True)
    ranked = sorted(ends, key=itemgetter(1), reverse=highest)
    says = _(
        "Running totals after %(hand_word)s %(number)s: %(totals)s.",
        hand_word=sheet.game.hand_word,
        number=len(hands),
        totals=listed([f"{name} {score(end)}" for name, end in ranked], "standard-narrow"),
    )
    return running(sheet.names, totals, [*map(str, hands)])._replace(says=says)


def running(names: Sequence[str], totals: Sequence[Sequence[float]], hands: Sequence[str]) -> Chart:
    """Return a chart of the totals after each of the hands, from 0 on."""
    values = [[0, *line] for line in totals]
    levels = nice_levels(ceil(max(map(max, values))), floor(min(map(min, values))))
    return lines(names, values, [(at, score(at)) for at in levels], ["", *hands])


def lines(
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    levels: Sequence[tuple[int, str]],
    ticks: Sequence[str],
) -> Chart:
    """Return a chart with a line for each name; one with fewer values begins later.

    ``levels`` are values from the bottom to the top, and what stands beside them; ``ticks`` stand
    below the points of the lines, from left to right.
    """
    across = [LEFT + (RIGHT - LEFT) * at / (len(ticks) - 1) for at in range(len(ticks))]
    bottom, top = levels[0][0], levels[-1][0]

    def height(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - bottom) / (top - bottom), 1)

    points = [[*zip(across[-len(line) :], map(height, line), strict=True)] for line in values]
    labels = spread([line[-1][1] for line in points])
    return Chart(
        lines=[*zip(map(shortened, names), points, labels, strict=True)],
        hands=[(at, text) for at, text in zip(across, ticks, strict=True) if text],
        levels=[(height(value), text) for value, text in levels],
    )


def nice_levels(highest: int, lowest: int) -> list[int]:
    """Round numbers, 0 among them, from one that is not above ``lowest`` to one that is not below
    ``highest``; at most six of them, or seven if some are below 0.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


def heat_map(sheet: ScoreSheet) -> tuple[list[str], list[list[tuple[str, int]]]]:
    """Return the names, and for each marked hand a row of points. One must be marked.

    Beside points stands their shade, from 0 for the fewest to 4 for the most.
    """
    points = [[hand.mark(seat).points for seat in sheet.players] for hand in sheet.marked]
    least, most = min(map(min, points)), max(map(max, points))
    shade = 4 / (most - least or 1)
    rows = [[(score(one), round(shade * (one - least))) for one in row] for row in points]
    longest = max(2, MOST_LETTERS // len(sheet.names))
    return [shortened(name, longest) for name in sheet.names], rows


def spread(wanted: Sequence[float]) -> list[float]:
    """Heights for labels, each as near as can be to where it is wanted, and none over another."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    heights, least = [*wanted], 0.0
    for label in order:
        heights[label] = max(wanted[label], least)
        least = heights[label] + LABEL_HEIGHT
    for below, label in enumerate(reversed(order)):
        heights[label] = min(heights[label], BOTTOM - below * LABEL_HEIGHT)
    return heights


def shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    """Return a name cut to so many Latin letters, between characters that people see as one each.

    Letters of India and Sri Lanka are half as wide again, and those of East Asia twice as wide.
    """
    kept, width = "", 0.0
    for character in characters(name):
        width += 2 if unicodedata.east_asian_width(character[0]) in "WF" else 1
        width += 0.5 * ("\u0900" <= character[0] <= "\u0dff")
        if width > longest:
            return kept.rstrip() + "…"
        kept += character
    return name
