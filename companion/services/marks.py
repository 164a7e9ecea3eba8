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
    found = [
        _out(hand, player, event)
        if player == event.out
        else _one(sheet, hand, player, entered.get(player))
        for player in sheet.players
    ]
    marks = hand.rules.marks([end for _, end in found if end is not None])
    return [line if end is None else replace(line, mark=marks[end.name]) for line, end in found]


# A line without its mark, and how the hand ended for that player if that is known.
_Line = tuple[Preview, HandEnd | None]


def _charges(hand: HandSheet, player: int) -> tuple[str, ...]:
    return tuple(penalty.charged.rule for penalty in hand.charges(player))


def _out(hand: HandSheet, player: int, event: HandMarked | HandCorrected) -> _Line:
    end = HandEnd(
        str(player),
        melded=event.out_melded,
        out=True,
        penalties=_charges(hand, player),
        bent=event.bent,
    )
    return Preview(player, True, None, end.left, False, event.out_melded), end


def _one(sheet: ScoreSheet, hand: HandSheet, player: int, entry: HandEntry | None) -> _Line:
    if entry is None or (entry.cards is not None and not entry.cards.split()):
        return Preview(player, False, None, Left(), False, True), None
    try:
        left = left_of(hand, entry)
        settled = (
            not sheet.game.asks_melded
            or entry.melded is not None
            or player in recorded_melds(sheet, hand)
            or must_have_played(sheet, hand, entry)
        )
    except Malformed as problem:
        return Preview(player, False, None, Left(), False, True, str(problem)), None
    melded = True if entry.melded is None else entry.melded
    end = HandEnd(str(player), left, melded, False, _charges(hand, player))
    return Preview(player, False, None, left, not settled, melded), end


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
    return HandCorrected(
        event.hand, event.out, event.entries, event.out_melded, event.table_is_old, event.bent
    )


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
        event.bent,
    )
