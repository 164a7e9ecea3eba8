"""Tables, and pictures that the templates draw: lines, bars, and the heat map of a game.

Dashes, marks and numbers tell what colours tell, and each picture has its sentence: they can be
read aloud, and printed in black.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count
from math import ceil, floor
from typing import NamedTuple

from companion.notebook.describe import score
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _, listed, noted

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
WIDTH = 360
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
# The least distance between two labels, for the tall letters of Tamil too; with ten players all
# fit between TOP and BOTTOM.
LABEL_HEIGHT = 18
LONGEST_LABEL = 10
MOST_TICKS = 5
# The width of a letter in the heads of the heat map.
LETTER = 8


class Tick(NamedTuple):
    """A number on an axis and its place on it."""

    at: float
    text: str


class Line(NamedTuple):
    """A player's line: its points, and its label, moved where several lines end together."""

    player: int
    label: str
    points: tuple[tuple[float, float], ...]
    label_at: float


class Chart(NamedTuple):
    """Lines over hands or games, with the places of their labels and ticks.

    ``says`` is what they show, in a sentence, unless the page does.
    """

    lines: tuple[Line, ...]
    hands: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    says: str = ""


Rows = Sequence[Sequence[object]]


class Picture(NamedTuple):
    """A picture, lines or a bar for each row from 0 to 1 high, and the rows of its numbers."""

    rows: Rows
    lines: Chart | None = None
    bars: Sequence[float] = ()


def chart(sheet: ScoreSheet) -> Chart | None:
    """The running totals after each marked hand as lines; None before the first is marked."""
    hands = range(1, len(sheet.marked) + 1)
    if not hands:
        return None
    totals = [[sheet.total(seat, through=hand) for hand in hands] for seat in sheet.players]
    ends = {name: line[-1] for name, line in zip(sheet.names, totals, strict=True)}
    order = sorted(ends, key=ends.__getitem__, reverse=sheet.game.won_by.highest)
    said = listed([f"{name} {score(ends[name])}" for name in order], "standard-narrow")
    says = noted("Running totals after %(hand_word)s %(number)s, lowest first: %(totals)s.")
    if sheet.game.won_by.highest:
        says = noted("Running totals after %(hand_word)s %(number)s, highest first: %(totals)s.")
    says = _(says, hand_word=sheet.game.hand_word, number=len(hands), totals=said)
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

    points = [tuple(zip(across[-len(line) :], map(height, line), strict=True)) for line in values]
    labels = spread([line[-1][1] for line in points])
    drawn = zip(range(len(names)), map(shortened, names), points, labels, strict=True)
    return Chart(
        lines=tuple(Line(*line) for line in drawn),
        hands=tuple(Tick(at, text) for at, text in zip(across, ticks, strict=True) if text),
        levels=tuple(Tick(height(value), text) for value, text in levels),
    )


def caption(sheet: ScoreSheet) -> str:
    """Say under the running totals which of them are good."""
    says = noted(
        "Running totals by %(hand_word)s; lower is better. The same numbers are in the sheet."
    )
    if sheet.game.won_by.highest:
        says = noted(
            "Running totals by %(hand_word)s; higher is better. The same numbers are in the sheet."
        )
    return _(says, hand_word=sheet.game.hand_word)


def nice_levels(highest: int, lowest: int) -> list[int]:
    """Round numbers, 0 among them, from one that is not above ``lowest`` to one that is not below
    ``highest``; at most six of them, or seven if some are below 0.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


class HeatMap(NamedTuple):
    """Everyone's points in each marked hand, a row each, with shades.

    A shade goes from 0 for the fewest points to 4 for the most.
    """

    names: list[str]
    rows: list[list[tuple[str, int]]]


def heat_map(sheet: ScoreSheet) -> HeatMap | None:
    """Return the heat map of a game; None before the first hand is marked."""
    if not sheet.marked:
        return None
    points = [[hand.mark(seat).points for seat in sheet.players] for hand in sheet.marked]
    least, most = min(map(min, points)), max(map(max, points))
    shade = 4 / (most - least or 1)
    letters = max(2, (WIDTH - LEFT) // len(sheet.names) // LETTER)
    return HeatMap(
        [shortened(name, letters) for name in sheet.names],
        [[(score(one), round(shade * (one - least))) for one in row] for row in points],
    )


def spread(wanted: Sequence[float]) -> list[float]:
    """Heights for labels, each as near as can be to where it is wanted, and none over another."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    heights, least = dict.fromkeys(order, 0.0), 0.0
    for label in order:
        heights[label] = max(wanted[label], least)
        least = heights[label] + LABEL_HEIGHT
    for below, label in enumerate(reversed(order)):
        heights[label] = min(heights[label], BOTTOM - below * LABEL_HEIGHT)
    return [heights[label] for label in range(len(wanted))]


def shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    """Return a name cut to so many Latin letters, between characters that people see as one each.

    Letters of India and Sri Lanka are half as wide again, and those of East Asia twice as wide.
    """
    width = 0.0
    for at, character in enumerate(name):
        is_joined = unicodedata.category(character) in {"Mn", "Me", "Mc", "Cf"}
        if is_joined or name[at - 1 : at] == "\u200d":
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        width += 0.5 * ("\u0900" <= character <= "\u0dff")
        if width > longest:
            return name[:at].rstrip() + "…"
    return name
