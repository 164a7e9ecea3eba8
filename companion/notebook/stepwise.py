"""A game replayed entry by entry, for whoever must see the score sheet after each of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from companion.notebook.events import ACTS, Entry, Redone, Undone
from companion.notebook.replay import put_on, replay
from companion.notebook.scoresheet import HandSheet, ScoreSheet

# So many acts can be undone one after the other before all hands must be made anew.
_KEPT: Final = 100


def sheets(entries: Sequence[Entry]) -> Iterator[ScoreSheet]:
    """The score sheet after each entry: what `replay` makes of the entries so far.

    It is one sheet, brought up to date when the next one is asked for: so each entry can be
    checked on the sheet before it, at the cost of one replay for the whole game. Only entries
    that `check` has let pass may follow.
    """
    steps = _Steps(entries[:1])
    yield steps.sheet
    for entry in entries[1:]:
        steps.take(entry)
        yield steps.sheet


def with_entry(sheet: ScoreSheet, entries: Sequence[Entry]) -> ScoreSheet:
    """Return what `replay` makes of the entries, given the sheet before the last of them.

    That sheet stays as it is. Only undoing and redoing needs a whole replay.
    """
    entry = entries[-1]
    if isinstance(entry.event, Undone | Redone):
        return replay(entries)
    sheet = replace(sheet, names=[*sheet.names], number=entry.number, last=entry)
    if isinstance(entry.event, ACTS):
        sheet.hands = _hands_for(entry, sheet.hands)
        sheet.can_undo, sheet.can_redo = entry, None
    put_on(sheet, entry)
    return sheet


def _hands_for(act: Entry, hands: Sequence[HandSheet]) -> list[HandSheet]:
    """The hands with a copy of that which an act changes; it may begin the next one as well."""
    number = act.event.hand  # type: ignore[union-attr]  # every act has one
    return [_copy(hand) if hand.number == number else hand for hand in hands]


class _Steps:
    """A sheet, the acts that stand on it, and its hands as they were before the last of those."""

    def __init__(self, start: Sequence[Entry]) -> None:
        self._start = start
        self._standing: list[Entry] = []
        self._undone: list[Entry] = []
        self._before: deque[list[HandSheet]] = deque(maxlen=_KEPT)
        self.sheet = replay(start)

    def take(self, entry: Entry) -> None:
        """Bring the sheet up to date with the next entry."""
        match entry.event:
            case Undone():
                self._take_back()
            case Redone():
                self._put(self._undone.pop())
            case event if isinstance(event, ACTS):
                self._undone.clear()
                self._put(entry)
            case _:
                put_on(self.sheet, entry)
        self.sheet.number = entry.number
        self.sheet.last = entry
        self.sheet.can_undo = self._standing[-1] if self._standing else None
        self.sheet.can_redo = self._undone[-1] if self._undone else None

    def _put(self, act: Entry) -> None:
        hands = self.sheet.hands
        self._before.append(hands)
        self.sheet.hands = _hands_for(act, hands)
        put_on(self.sheet, act)
        self._standing.append(act)

    def _take_back(self) -> None:
        self._undone.append(self._standing.pop())
        if self._before:
            self.sheet.hands = self._before.pop()
            return
        standing, self._standing = self._standing, []
        self.sheet.hands = replay(self._start).hands
        for act in standing:
            self._put(act)


def _copy(hand: HandSheet) -> HandSheet:
    return replace(
        hand,
        markings=[*hand.markings],
        penalties=[*hand.penalties],
        rulings=[*hand.rulings],
        upcards=[*hand.upcards],
        thrown_in=[*hand.thrown_in],
        calls=[*hand.calls],
    )
