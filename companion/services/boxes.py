"""The score sheet of a game of boxes: a line a box, with its points and hand by player."""

from __future__ import annotations

from dataclasses import dataclass

from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.showing import filled_boxes


@dataclass(frozen=True, slots=True)
class BoxCell:
    """What a player has in a box: points, and the hand in which it was filled; None while open."""

    player: int
    points: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A box of the sheet, which a meld of so many ``cards`` fills."""

    title: str
    cards: int
    cells: tuple[BoxCell, ...]


def box_rows(sheet: ScoreSheet) -> list[BoxRow]:
    """The boxes in their order, each with a cell for every player; none in a game without."""
    filled = [filled_boxes(sheet, player) for player in sheet.players]
    return [
        BoxRow(
            box.title,
            box.cards,
            tuple(
                BoxCell(
                    player, filled[player][box.title].mark.cards, filled[player][box.title].hand
                )
                if box.title in filled[player]
                else BoxCell(player)
                for player in sheet.players
            ),
        )
        for box in sheet.game.judge.boxes
    ]
