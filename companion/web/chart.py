"""Pictures that the templates draw: lines, and the heat map of a game.

Dashes, marks and numbers tell what colours tell, and each picture has its sentence: they can be
read aloud, and printed in black.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from math import ceil, floor

from companion.notebook.describe import score
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _
from companion.rules.language import listed, noted

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
WIDTH, HEIGHT = 360, 280
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
LABEL_AT = RIGHT + 16
# The least distance between two labels; with seven players all fit between TOP and BOTTOM.
LABEL_HEIGHT = 15
LONGEST_LABEL = 10
MOST_TICKS = 5
# The width of a letter in the heads of the heat map.
LETTER = 8


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis and its place on it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line: its points, and its label with the height at which that is written.

    The label is moved where several lines end together.
    """

    player: int
    label: str
    total: float
    points: tuple[tuple[float, float], ...]
    label_at: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over hands or games, with the places of their labels and ticks."""

    lines: tuple[Line, ...]
    hands: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    says: str


def chart(sheet: ScoreSheet) -> Chart | None:
    """The running totals after each marked hand as lines; None before the first is marked."""
    marked = len(sheet.marked)
    if not marked:
        return None
    hands = range(1, marked + 1)
    totals = [[sheet.total(seat, through=hand) for hand in hands] for seat in sheet.players]
    says = _says(sheet, marked, [line[-1] for line in totals])
    return running(sheet.names, totals, [str(hand) for hand in hands], says)


def running(
    names: Sequence[str], totals: Sequence[Sequence[float]], hands: Sequence[str], says: str
) -> Chart:
    """Return a chart of the totals after each of the hands, from 0 on."""
    values = [[0, *line] for line in totals]
    levels = nice_levels(ceil(max(map(max, values))), floor(min(map(min, values))))
    return lines(names, values, [(at, score(at)) for at in levels], ["", *hands], says)


def ladder(
    names: Sequence[str], places: Sequence[Sequence[int]], last: int, days: Sequence[str], says: str
) -> Chart:
    """Return a chart of places, the first one on top; below are the first and the last day."""
    levels = [(place, str(place)) for place in range(last, 0, -1)]
    between = [""] * (len(days) - 2)
    return lines(names, places, levels, [days[0], *between, days[-1]], says)


def lines(
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    levels: Sequence[tuple[int, str]],
    ticks: Sequence[str],
    says: str,
) -> Chart:
    """Return a chart with a line for each name, through its values from left to right.

    A line that has fewer values than the others begins later.
    ``levels`` are values from the bottom to the top, and what stands beside them; ``ticks`` are
    what stands below each of the line's points.
    """
    across = [LEFT + (RIGHT - LEFT) * at / (len(ticks) - 1) for at in range(len(ticks))]
    bottom, top = levels[0][0], levels[-1][0]

    def height(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - bottom) / (top - bottom), 1)

    heights = [[*map(height, line)] for line in values]
    labels = spread([line[-1] for line in heights])
    return Chart(
        lines=tuple(
            Line(
                at,
                shortened(name),
                values[at][-1],
                tuple(zip(across[-len(heights[at]) :], heights[at], strict=True)),
                labels[at],
            )
            for at, name in enumerate(names)
        ),
        hands=tuple(Tick(at, text) for at, text in zip(across, ticks, strict=True) if text),
        levels=tuple(Tick(height(value), text) for value, text in levels),
        says=says,
    )


def _says(sheet: ScoreSheet, hand: int, totals: Sequence[int]) -> str:
    won_by = sheet.game.won_by
    order = sorted(sheet.players, key=lambda player: (won_by.sign * totals[player], player))
    said = [f"{sheet.names[player]} {score(totals[player])}" for player in order]
    says = noted("Running totals after %(hand_word)s %(number)s, lowest first: %(totals)s.")
    if won_by.highest:
        says = noted("Running totals after %(hand_word)s %(number)s, highest first: %(totals)s.")
    return _(
        says, hand_word=sheet.game.hand_word, number=hand, totals=listed(said, "standard-narrow")
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


def nice_levels(highest: int, lowest: int = 0) -> list[int]:
    """Round numbers, 0 among them, from one that is not above ``lowest`` to one that is not below
    ``highest``; at most six of them, or seven if some are below 0.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Everyone's points in each marked hand: a row has the hand's number, and points with shades.

    A shade goes from 0 for the fewest points to 4 for the most.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[int, tuple[tuple[str, int], ...]], ...]
    says: str


def heat_map(sheet: ScoreSheet) -> HeatMap | None:
    """Return the heat map of a game; None before the first hand is marked."""
    if not sheet.marked:
        return None
    points = [[hand.mark(seat).points for seat in sheet.players] for hand in sheet.marked]
    least, most = min(map(min, points)), max(map(max, points))
    letters = max(2, (WIDTH - LEFT) // len(sheet.names) // LETTER)
    hand, ends = sheet.game.hand_word, {"least": score(least), "most": score(most)}
    return HeatMap(
        tuple(shortened(name, letters) for name in sheet.names),
        tuple(
            (at, tuple((score(one), round(4 * (one - least) / (most - least or 1))) for one in row))
            for at, row in enumerate(points, 1)
        ),
        _(
            "Points by %(hand_word)s and player, from %(least)s to %(most)s.",
            hand_word=hand,
            **ends,
        ),
    )


def spread(wanted: Sequence[float]) -> list[float]:
    """Heights for labels, each as near as can be to where it is wanted, and none over another."""
    order = sorted(range(len(wanted)), key=lambda n: (wanted[n], n))
    places = [wanted[n] for n in order]
    for above, below in pairwise(range(len(places))):
        places[below] = max(places[below], places[above] + LABEL_HEIGHT)
    limit = float(BOTTOM)
    for n in reversed(range(len(places))):
        places[n] = min(places[n], limit)
        limit = places[n] - LABEL_HEIGHT
    return [places[order.index(n)] for n in range(len(wanted))]


def shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    """Return a name cut to so many Latin letters, between characters that people see as one each.

    Letters of India and Sri Lanka are half as wide again, and those of East Asia twice as wide.
    """
    width = 0.0
    for at, character in enumerate(name):
        joined = unicodedata.category(character) in {"Mn", "Me", "Mc", "Cf"}
        joined = joined or (at > 0 and name[at - 1] == "\u200d")
        if joined:
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        width += 0.5 * ("\u0900" <= character <= "\u0dff")
        if width > longest:
            return name[:at].rstrip() + "…"
    return name
