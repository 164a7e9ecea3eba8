"""What a hand's marks would come to, shown before they are saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from companion.notebook.arrangements import (
    Arranged,
    asks_laid_as,
    shown_by,
    shown_by_out,
    unsure_lay_offs,
)
from companion.notebook.describe import in_points
from companion.notebook.endings import ending_of
from companion.notebook.events import HandCorrected, HandMarked, Marks, NotPossible
from companion.notebook.hand_marks import open_melds, settle_known, settle_marks, settled
from companion.notebook.hand_sheet import HandSheet, Marking, hand_ends
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.arrange import Unsure
from companion.rules.hand_rules import Need
from companion.rules.language import gettext
from companion.rules.scoring import NOTHING_LEFT, Left, Mark


@dataclass(frozen=True, slots=True)
class Preview:
    """One player's mark as it would be; ``mark`` is None while it is missing or refused.

    ``asks`` is what the marker must still say, ``melded``, ``penalty_cards`` or ``laid_as``;
    ``problem`` is why the entry is refused. ``so_far`` says that the mark may change with the melds
    still missing, or with what another's wild card stands for. ``arranged`` has the player's cards
    where all are shown at the end of the hand. ``unsure`` are wild cards of theirs for which it has
    to be said what they stand for, or was, and ``question`` is the question. ``counts`` is false if
    none of the player's cards count in this hand.
    """

    player: int
    out: bool
    mark: Mark | None = None
    left: Left = NOTHING_LEFT
    asks: str = ""
    problem: str = ""
    so_far: bool = False
    arranged: Arranged | None = None
    unsure: Unsure | None = None
    question: str = ""
    counts: bool = True


def preview(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> list[Preview]:
    """Return every player's mark as it will be once saved; none while missing or refused."""
    hand = sheet.with_turned(hand, event.turned)
    known, refused = settle_known(sheet, hand, event)
    ending = ending_of(sheet)
    counting = ending.counting(sheet, hand.number, event.out)
    unknown = {*ending.missing(sheet, known), *refused}
    ends = {
        int(end.name): end
        for end in hand_ends(hand, known, [str(seat) for seat in sheet.players])
        if int(end.name) not in unknown
    }
    marks = hand.rules.marks(list(ends.values()))
    asked = open_melds(sheet, hand, event)
    possible = replace(known, entries=tuple(one for one in event.entries if one.player in ends))
    unsure = unsure_lay_offs(hand, possible)
    open_to = {other for one in unsure.values() if one.said is None for other in one.others}
    lines = []
    for seat in sheet.players:
        line = Preview(seat, seat == event.out, counts=seat in (event.out, *counting))
        if seat in refused:
            asks = "penalty_cards" if refused[seat].field.startswith("penalty_cards.") else ""
            line = replace(line, problem=str(refused[seat]), asks=asks)
        if seat in ends:
            mark = marks[str(seat)]
            line = replace(
                line,
                mark=hand.with_house(seat, mark),
                left=ends[seat].left,
                asks="melded" if seat in asked else "",
                so_far=seat in open_to
                or (bool(mark.shown and mark.shown.needs_all) and len(ends) < len(sheet.names)),
                arranged=_shown(hand, known, seat),
            )
        if seat in unsure:
            asks = "" if unsure[seat].said else "laid_as"
            line = replace(
                line, asks=asks, unsure=unsure[seat], question=asks_laid_as(sheet, unsure[seat])
            )
        lines.append(line)
    return lines


def _shown(hand: HandSheet, event: Marks, seat: int) -> Arranged | None:
    """Return how the cards lie that a player showed at the end of a hand."""
    if not hand.rules.arranges or seat == event.out:
        return shown_by_out(hand, event)
    entry = next((entry for entry in event.entries if entry.player == seat), None)
    return None if entry is None else shown_by(hand, event, entry)


def afterwards(sheet: ScoreSheet, hand: HandSheet) -> Sequence[Need]:
    """Return what players have to know after a marked hand, before the next deal."""
    return () if hand.marking is None else would_follow(sheet, hand, hand.marking.event)


def would_follow(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Sequence[Need]:
    """Return the same for marks that can be saved, or who then wins."""
    event = settled(sheet, hand, event)
    hand = sheet.with_turned(hand, event.turned)
    ends = hand_ends(hand, event, sheet.names)
    if event.out is None or not sheet.wins(hand.number, event.out):
        return [*hand.rules.afterwards(ends), *ending_of(sheet).goes_on(sheet, event)]
    marks = hand.rules.marks(ends)
    totals = {
        name: sheet.total(player)
        - hand.mark(player).points
        + hand.with_house(player, marks[name]).points
        for player, name in enumerate(sheet.names)
    }
    name = sheet.names[event.out]
    paid = hand.rules.payments(totals, name)[name]
    wins = gettext("%(name)s wins", name=name)
    return [Need(wins, gettext("the others pay %(points)s", points=in_points(paid)))]


def refusal(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> NotPossible | None:
    """Return why these marks could not be saved as they are; None if they could."""
    try:
        settle_marks(sheet, hand, event)
    except NotPossible as problem:
        return problem
    return None


def as_correction(event: HandMarked) -> HandCorrected:
    """Return the same marks as a correction of a hand that is marked already."""
    return HandCorrected(**{one.name: getattr(event, one.name) for one in fields(event)})


def as_entered(hand: HandSheet) -> HandMarked | None:
    """Return what was entered for a hand last, to be corrected; None if it is not marked.

    The card that was turned is the hand's own.
    """
    if hand.marking is None:
        return None
    event = hand.marking.event
    entered = {one.name: getattr(event, one.name) for one in fields(event)}
    return HandMarked(**entered | {"turned": None})


def arranged(hand: HandSheet, marking: Marking) -> dict[int, Arranged]:
    """Return by seat how the cards lie that were shown at the end of a hand.

    The marks do not depend on it: they count the cards left on record.
    """
    found = {seat: _shown(hand, marking.event, seat) for seat in range(marking.seats)}
    return {seat: shown for seat, shown in found.items() if shown is not None}
