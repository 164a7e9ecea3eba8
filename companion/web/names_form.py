"""The names of a game and of its players, changed together in one form."""

from __future__ import annotations

from collections.abc import Sequence

from companion.notebook.events import Event, GameRenamed, PlayerRenamed
from companion.notebook.names import check_name, check_title, same_name
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import ScoreSheet
from companion.web.acting import Errors


def renames(sheet: ScoreSheet, title: str, names: Sequence[str]) -> tuple[list[Event], Errors]:
    """What must be written down so that the game and its players are called so, and all errors.

    The events are in such an order that no two players are ever called the same.
    """
    errors: Errors = []
    try:
        check_title(title)
    except NotPossible as problem:
        errors.append(("title", str(problem)))
    for seat, name in enumerate(names):
        try:
            check_name(name, names[:seat], f"name-{seat}")
        except NotPossible as problem:
            errors.append((f"name-{seat}", str(problem)))
    if errors:
        return [], errors
    events: list[Event] = [] if title == sheet.title else [GameRenamed(title)]
    called = list(sheet.names)
    waiting = [seat for seat in sheet.players if names[seat] != called[seat]]
    while waiting:
        owners = {seat: _owner(names[seat], seat, called) for seat in waiting}
        free = next((one for one, owner in owners.items() if owner is None), None)
        if free is None:
            first = waiting[0]
            return [], [(f"name-{first}", _SWAPPED.format(names[first]))]
        waiting.remove(free)
        called[free] = names[free]
        events.append(PlayerRenamed(free, names[free]))
    return events, []


_SWAPPED = (
    "{} is still somebody else's name. Names that change places need two steps: save another name "
    "for one of them first."
)


def _owner(name: str, seat: int, called: Sequence[str]) -> int | None:
    """The other seat whose player is called so now."""
    return next(
        (n for n, other in enumerate(called) if n != seat and same_name(other) == same_name(name)),
        None,
    )
