"""What is stored of each seat beside the events: its name, and what it did in a finished game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from companion.notebook.figures import played, to_json
from companion.notebook.scoresheet import ScoreSheet


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat after the game's last event. All but the name is None until the game is over."""

    name: str
    game: str | None = None
    """The id of what was played: ``proter``."""
    place: int | None = None
    players: int | None = None
    played: str | None = None
    """The seat's `figures.Played`, as text."""
    number: int | None = None
    """The event that all of this was worked out for."""
    finished_at: datetime | None = None


def seats(sheet: ScoreSheet) -> list[Seat]:
    """Return the seats of a game, in the order of play. The same events give the same seats."""
    if not sheet.over:
        return [Seat(name) for name in sheet.names]
    at = finished_at(sheet)
    return [
        Seat(name, one.game, one.place, one.players, to_json(one), sheet.number, at)
        for name, one in zip(sheet.names, played(sheet), strict=True)
    ]


def finished_at(sheet: ScoreSheet) -> datetime:
    """Return when the last hand was first marked: a later correction does not move the evening.

    If no hand was marked, as when all but one have left, return when the game began.
    """
    assert sheet.started is not None  # noqa: S101  # every replayed sheet has it
    return max((hand.markings[0].entry.at for hand in sheet.marked), default=sheet.started.at)
