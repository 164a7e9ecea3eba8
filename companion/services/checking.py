"""Whether what is stored holds together: its numbers, its sheets, and what lists show of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from sqlmodel import Session

from companion.notebook.replay import replay
from companion.services.acts import project
from companion.services.books import entry_of
from companion.store import GameRecord, Projection, folded, load
from companion.store.whole import every_game


def faults(session: Session, pause: Callable[[], None] = lambda: None) -> Iterator[str]:
    """A sentence for each game that is not what its entries come to; none if all is well.

    `pause` is called after each game, for who has other things to do as well.
    """
    for record in every_game(session):
        fault = _fault(session, record)
        if fault:
            yield f"Game {record.id} ({_name(record)}): {fault}"
        pause()


def _fault(session: Session, record: GameRecord) -> str | None:
    try:
        records = load(session, record.id)
        numbers = [one.number for one in records]
        if numbers != list(range(1, len(numbers) + 1)):
            missing = next(n for n in range(1, len(numbers) + 1) if n not in numbers)
            return f"entry {missing} is missing."
        if len(numbers) != record.last_number:
            return f"it has {len(numbers)} entries, and should have {record.last_number}."
        if not records:
            return "it has no entries."
        projection = project(replay([entry_of(one) for one in records]), record.updated_at)
    except Exception as error:  # noqa: BLE001 - whatever a damaged entry leads to is the answer
        return f"its sheet cannot be replayed ({error})."
    return None if _shown_as(record, projection) else "the list of games shows it otherwise."


def _shown_as(record: GameRecord, projection: Projection) -> bool:
    shown, told = json.loads(record.summary), json.loads(projection.summary)
    return (
        # What a later version says in addition is not there in what an earlier one wrote.
        all(shown[name] == told[name] for name in shown.keys() & told.keys())
        and record.title == projection.title
        and record.names == folded(f"{projection.names} {projection.title}")
        and record.archived == projection.archived
        and (record.deleted_at is None) == (projection.deleted_at is None)
    )


def _name(record: GameRecord) -> str:
    return record.title or record.names or "without a name"
