"""What a hand's marks would come to, shown before they are saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.notebook import rummies
from companion.notebook.arranged import Arranged, settle_left, shown_by, shown_by_out
from companion.notebook.events import HandCorrected, HandEntry, HandMarked
from companion.notebook.marks import (
    check_marks,
    must_have_played,
    recorded_melds,
    settle_melded,
)
from companion.notebook.refusal import NotPossible
from companion.notebook.replay import end_of, hand_ends, left_of
from companion.notebook.scoresheet import HandSheet, Marking, ScoreSheet
from companion.notebook.showing import mark_alone
from companion.rules.cards import format_cards
from companion.rules.errors import Malformed
from companion.rules.hand_rules import Need
from companion.rules.scoring import HandEnd, Left, Mark


@dataclass(frozen=True, slots=True)
class Preview:
    """One player's mark as it would be; ``mark`` is None while something is missing.

    ``wilds`` is how many wild cards are left; ``asks_meld`` whether the marker must say if the
    player laid a meld; ``problem`` a sentence about cards that cannot be read. With ``so_far`` the
    mark may change with what the players who are missing show. ``arranged`` is what all the
    player's cards make, where they are shown at the end of the hand. With ``counts`` false no cards
    of the player count in this hand, whatever was entered.
    """

    player: int
    out: bool
    mark: Mark | None
    left: Left
    asks_meld: bool
    melded: bool
    problem: str = ""
    so_far: bool = False
    arranged: Arranged | None = None
    counts: bool = True


def preview(sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected) -> list[Preview]:
    """Every player's mark for the hand, as far as it has been entered."""
    entered = {entry.player: entry for entry in event.entries}
    if hand.rules.boxes:
        return _shown(sheet, hand, entered)
    hand = sheet.with_turned(hand, event.turned)
    count = rummies.counting(sheet, hand.number, event.out)
    found = []
    for player in sheet.players:
        if player == event.out:
            found.append(_out(hand, player, event))
        elif player in count or not hand.rules.declares:
            entry = entered.get(player) or HandEntry(player)
            found.append(_one(sheet, hand, event, entry))
        else:
            found.append(_keeping(hand, player, out=event.out))
    marks = hand.rules.marks([end for _, end in found if end is not None])
    return [
        line if end is None else replace(line, mark=hand.with_house(line.player, marks[end.name]))
        for line, end in found
    ]


# A line without its mark, and how the hand ended for that player if that is known.
_Line = tuple[Preview, HandEnd | None]


def _out(hand: HandSheet, player: int, event: HandMarked | HandCorrected) -> _Line:
    end = HandEnd(
        str(player),
        melded=event.out_melded,
        out=True,
        penalties=hand.rules_charged(player),
        bent=event.bent,
    )
    line = Preview(player, True, None, end.left, False, event.out_melded)
    try:
        return replace(line, arranged=shown_by_out(hand, event)), end
    except Malformed as problem:
        return replace(line, problem=str(problem)), None


def _keeping(hand: HandSheet, player: int, *, out: int | None) -> _Line:
    """A player whose cards do not count in this hand; nothing is known until somebody is out."""
    line = Preview(player, False, None, Left(), False, True, counts=False)
    end = HandEnd(str(player), penalties=hand.rules_charged(player))
    return line, None if out is None else end


def _one(
    sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected, entry: HandEntry
) -> _Line:
    player = entry.player
    blank = Preview(player, False, None, Left(), False, True)
    if entry.points is None and not (entry.held or entry.cards or "").split():
        return blank, None
    try:
        arranged = shown_by(hand, event, entry) if hand.rules.arranges else None
        if arranged is not None:
            entry = replace(entry, cards=format_cards(arranged.left))
        left = left_of(hand, entry)
        settled = (
            not sheet.game.asks_melded
            or entry.melded is not None
            or player in recorded_melds(sheet, hand)
            or must_have_played(sheet, hand, entry)
        )
    except Malformed as problem:
        return replace(blank, problem=str(problem)), None
    melded = True if entry.melded is None else entry.melded
    end = HandEnd(str(player), left, melded, False, hand.rules_charged(player))
    return Preview(player, False, None, left, not settled, melded, arranged=arranged), end


def _shown(sheet: ScoreSheet, hand: HandSheet, entered: Mapping[int, HandEntry]) -> list[Preview]:
    """Every player's mark where all show a meld for a box."""
    lines, ends = [], []
    for player in sheet.players:
        problem, entry = "", entered.get(player)
        if entry is not None:
            try:
                mark_alone(sheet, hand, entry)
                ends.append(end_of(hand, entry, str(player), hand.rules_charged(player)))
            except NotPossible as refused:
                problem = str(refused)
        lines.append(Preview(player, False, None, Left(), False, True, problem))
    try:
        marks = hand.rules.marks(ends)
    except Malformed:
        return lines  # more of a card than there are: that is told beside the marks
    all_there = len(ends) == len(lines)
    found = [(line, marks.get(str(line.player))) for line in lines]
    return [
        line
        if mark is None
        else replace(
            line,
            mark=hand.with_house(line.player, mark),
            so_far=not all_there and _needs_all(mark),
        )
        for line, mark in found
    ]


def _needs_all(mark: Mark) -> bool:
    return mark.shown is not None and mark.shown.needs_all


def afterwards(sheet: ScoreSheet, hand: HandSheet) -> Sequence[Need]:
    """What players have to know after a hand that is marked, before the next is dealt."""
    return () if hand.marking is None else would_follow(sheet, hand, hand.marking.event)


def would_follow(
    sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected
) -> Sequence[Need]:
    """The same for marks that could be saved as they are, or who then has won."""
    event = settle_left(sheet, hand, event)
    hand = sheet.with_turned(hand, event.turned)
    ends = hand_ends(hand, event, sheet.names)
    if not rummies.wins(sheet, hand.number, event.out) or event.out is None:
        return hand.rules.afterwards(ends)
    marks = hand.rules.marks(ends)
    totals = {
        name: sheet.total(player)
        - hand.mark(player).points
        + hand.with_house(player, marks[name]).points
        for player, name in enumerate(sheet.names)
    }
    name = sheet.names[event.out]
    paid = hand.rules.payments(totals, name)[name]
    return [Need(f"{name} wins", f"the others pay {paid} point{'' if paid == 1 else 's'}")]


def refusal(
    sheet: ScoreSheet, hand: HandSheet, event: HandMarked | HandCorrected
) -> NotPossible | None:
    """Why these marks could not be saved as they are; None if they could."""
    try:
        check_marks(sheet, hand, settle_left(sheet, hand, settle_melded(sheet, hand, event)))
    except NotPossible as problem:
        return problem
    return None


def as_correction(event: HandMarked) -> HandCorrected:
    """The same marks as a correction of a hand that is marked already."""
    return HandCorrected(
        event.hand,
        event.out,
        event.entries,
        event.out_melded,
        event.table_is_old,
        event.bent,
        event.out_held,
        event.turned,
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
        event.out_held,
    )


def arranged(hand: HandSheet, marking: Marking) -> dict[int, Arranged]:
    """What the cards made that were shown at the end of a hand, by the seat of who showed them.

    The marks do not depend on it: they are of the cards left, as they were written down.
    """
    event = marking.event
    entered = {entry.player: entry for entry in event.entries}
    found = {
        seat: shown_by(hand, event, entered[seat]) if seat in entered else shown_by_out(hand, event)
        for seat in range(len(marking.marks))
    }
    return {seat: shown for seat, shown in found.items() if shown is not None}
