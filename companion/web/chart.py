"""The line chart of the running totals."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from companion.notebook.describe import score
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _
from companion.rules.language import noted

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
WIDTH, HEIGHT = 360, 280
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
LABEL_AT = RIGHT + 16
# The least distance between two labels; with seven players all fit between TOP and BOTTOM.
LABEL_HEIGHT = 15
LONGEST_LABEL = 10
MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis and its place on it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line: its points, and its label with the place where that is written.

    ``ends`` is the height of the last point, ``label_at`` the height of the label, which is moved
    where several lines end together.
    """

    player: int
    label: str
    total: int
    points: tuple[tuple[float, float], ...]
    label_at: float

    @property
    def ends(self) -> float:
        """The height at which the line ends."""
        return self.points[-1][1]


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart of the hands that are marked: a line a player, from 0 before the first hand.

    It says where each line, label and tick goes; the template draws them.
    """

    lines: tuple[Line, ...]
    hands: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    says: str


def chart(sheet: ScoreSheet) -> Chart | None:
    """The running totals after each marked hand as lines; None before the first is marked."""
    marked = len(sheet.marked)
    if not marked:
        return None
    totals = [
        [0, *(sheet.total(player, through=hand) for hand in range(1, marked + 1))]
        for player in sheet.players
    ]
    levels = nice_levels(max(map(max, totals)), min(map(min, totals)))
    across = [LEFT + (RIGHT - LEFT) * hand / marked for hand in range(marked + 1)]
    heights = [[_height(total, levels) for total in line] for line in totals]
    labels = spread([line[-1] for line in heights])
    return Chart(
        lines=tuple(
            Line(
                player,
                shortened(sheet.names[player]),
                totals[player][-1],
                tuple(zip(across, heights[player], strict=True)),
                labels[player],
            )
            for player in sheet.players
        ),
        hands=tuple(Tick(across[hand], str(hand)) for hand in range(1, marked + 1)),
        levels=tuple(Tick(_height(level, levels), score(level)) for level in levels),
        says=_says(sheet, marked, [line[-1] for line in totals]),
    )


def _height(total: int, levels: Sequence[int]) -> float:
    lowest, highest = levels[0], levels[-1]
    return round(BOTTOM - (BOTTOM - TOP) * (total - lowest) / (highest - lowest), 1)


def _says(sheet: ScoreSheet, hand: int, totals: Sequence[int]) -> str:
    sign = -1 if sheet.game.highest_wins else 1
    order = sorted(sheet.players, key=lambda player: (sign * totals[player], player))
    listed = ", ".join(f"{sheet.names[player]} {score(totals[player])}" for player in order)
    says = noted("Running totals after %(hand)s %(number)s, lowest first: %(totals)s.")
    if sheet.game.highest_wins:
        says = noted("Running totals after %(hand)s %(number)s, highest first: %(totals)s.")
    return _(says, hand=_(sheet.game.hand_word), number=hand, totals=listed)


def nice_levels(highest: int, lowest: int = 0) -> list[int]:
    """Round numbers, 0 among them, from one that is not above ``lowest`` to one that is not below
    ``highest``; at most six of them, or seven if some are below 0.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


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
    """Return a name cut to so many letters, between characters that people see as one each."""
    width = 0
    for at, character in enumerate(name):
        joined = unicodedata.category(character) in {"Mn", "Me", "Mc", "Cf"}
        joined = joined or (at > 0 and name[at - 1] == "\u200d")
        if joined:
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > longest:
            return name[:at].rstrip() + "…"
    return name
