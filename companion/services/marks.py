"""What a hand's marks would come to, shown before they are saved."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.notebook.events import HandCorrected, HandEntry, HandMarked
from companion.notebook.marks import (
    check_marks,
    must_have_played,
    recorded_melds,
    settle_melded,
)
from companion.notebook.refusal import NotPossible
from companion.notebook.replay import left_of
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.rules.errors import Malformed
from companion.rules.scoring import HandEnd, Left, Mark


@dataclass(frozen=True, slots=True)
class Preview:
    """One player's mark as it would be; ``mark`` is None while something is missing.

    ``wilds`` is how many wild cards are left; ``asks_meld`` whether the marker must say if the
    player laid a meld; ``problem`` a sentence about cards that cannot be read.
    """

    player: int
    out: bool
    mark: Mark | None
    left: Left
    asks_meld: bool
    melded: bool
    problem: str = ""


def preview(sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected) -> list[Preview]:
    """Every player's mark for the hand, as far as it has been entered."""
    entered = {entry.player: entry for entry in event.entries}
    return [
        _out(hand, player, event.out_melded)
        if player == event.out
        else _one(sheet, hand, player, entered.get(player))
        for player in sheet.players
    ]


def _charges(hand: HandSheet, player: int) -> tuple[str, ...]:
    return tuple(penalty.charged.rule for penalty in hand.charges(player))


def _out(hand: HandSheet, player: int, melded: bool) -> Preview:
    end = HandEnd(str(player), melded=melded, out=True, penalties=_charges(hand, player))
    return Preview(player, True, hand.rules.mark(end), end.left, False, melded)


def _one(sheet: ScoreSheet, hand: HandSheet, player: int, entry: HandEntry | None) -> Preview:
    if entry is None or (entry.cards is not None and not entry.cards.split()):
        return Preview(player, False, None, Left(), False, True)
    try:
        left = left_of(hand, entry)
        settled = (
            entry.melded is not None
            or player in recorded_melds(sheet, hand)
            or must_have_played(sheet, hand, entry)
        )
    except Malformed as problem:
        return Preview(player, False, None, Left(), False, True, str(problem))
    melded = True if entry.melded is None else entry.melded
    end = HandEnd(str(player), left, melded, False, _charges(hand, player))
    return Preview(player, False, hand.rules.mark(end), left, not settled, melded)


def refusal(
    sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected
) -> NotPossible | None:
    """Why these marks could not be saved as they are; None if they could."""
    try:
        check_marks(sheet, hand, settle_melded(sheet, hand, event))
    except NotPossible as problem:
        return problem
    return None


def as_correction(event: HandMarked) -> HandCorrected:
    """The same marks as a correction of a hand that is marked already."""
    return HandCorrected(event.hand, event.out, event.entries, event.out_melded, event.table_is_old)


def as_entered(hand: HandSheet) -> HandMarked | None:
    """What was entered for a hand last, to be corrected; None if it is not marked."""
    if hand.marking is None:
        return None
    event = hand.marking.event
    return HandMarked(
        event.hand,
        event.out,
        tuple(replace(entry) for entry in event.entries),
        event.out_melded,
        event.table_is_old,
    )
