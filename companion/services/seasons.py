"""The seasons of a notebook: made, changed, and shown to markers and viewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.notebook.seasons import Evening, Plan
from companion.store import Database, MarkerRecord, SeasonRecord


class Season(NamedTuple):
    """A season and how everybody stands in it.

    ``people`` are the ids and names of those chosen who are not hidden. Whether there was a choice
    is in the record: without one, ``record.everybody`` is true.
    """

    record: SeasonRecord
    plan: Plan
    people: list[tuple[str, str]]
    evenings: list[Evening]


def seasons(db: Database, writer: MarkerRecord) -> list[SeasonRecord]:
    """Return the seasons of the marker's notebook, the one that began last first."""
    raise NotImplementedError


def season(db: Database, writer: MarkerRecord, season_id: str) -> Season:
    """Return a season of the marker's notebook. Raises `NotFound`."""
    raise NotImplementedError


def season_for_viewer(db: Database, key: str) -> Season:
    """Return the season that a viewers' key shows. Raises `NotFound`."""
    raise NotImplementedError


def add(db: Database, writer: MarkerRecord, plan: Plan, people: Sequence[str]) -> str:
    """Add a season among these people, or everybody if there are none; return its id.

    Raises `NotPossible`.
    """
    raise NotImplementedError


def change(
    db: Database, writer: MarkerRecord, season_id: str, plan: Plan, people: Sequence[str]
) -> None:
    """Score a season otherwise or among others. Raises `NotFound` and `NotPossible`.

    Hidden people who were chosen stay so, unless everybody is.
    """
    raise NotImplementedError


def delete(db: Database, writer: MarkerRecord, season_id: str) -> None:
    """Delete a season. Its games stay. Raises `NotFound`."""
    raise NotImplementedError


def change_link(db: Database, writer: MarkerRecord, season_id: str) -> str:
    """Give a season another viewers' key, and return it; the old one shows nothing any more.

    Raises `NotFound`.
    """
    raise NotImplementedError
