"""How a hand ended for each player by its marks, and what the rules make of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.notebook.events import HandEntry, Marks
from companion.rules.cards import parse_cards
from companion.rules.judge import Judge
from companion.rules.scoring import HandEnd, Left, Mark

if TYPE_CHECKING:
    from companion.notebook.scoresheet import HandSheet, Marking


def score_hand(hand: HandSheet, marking: Marking) -> tuple[Mark, ...]:
    """Return the players' marks by the rules, in the order of their seats."""
    ends = hand_ends(hand, marking.event, [str(seat) for seat in range(marking.seats)])
    marks = hand.rules.score(ends)
    return tuple(marks[end.name] for end in ends)


def hand_ends(hand: HandSheet, event: Marks, names: Sequence[str]) -> list[HandEnd]:
    """Return how the hand ended for each player, penalties included, for the rules to score.

    Leaves out players without an entry, except where a declaration ends the hand: then they have
    no cards that count.
    """
    entered = {entry.player: entry for entry in event.entries}
    ends = []
    for seat, name in enumerate(names):
        charged = hand.rules_charged(seat)
        if seat == event.out:
            ends.append(
                HandEnd(name, melded=event.out_melded, out=True, penalties=charged, bent=event.bent)
            )
        elif seat in entered:
            ends.append(end_of(hand, entered[seat], name, charged))
        elif hand.rules.declares:
            ends.append(HandEnd(name, penalties=charged))
    return ends


def end_of(
    hand: HandSheet, entry: HandEntry, name: str, penalties: tuple[str, ...] = ()
) -> HandEnd:
    """Return how the hand ended for this entry's player. Raises `Malformed` for unread cards."""
    return HandEnd(
        name,
        left_of(hand, entry),
        bool(entry.melded),
        penalties=penalties,
        suit=entry.suit,
        box=entry.box,
        split=None if entry.split is None else parse_cards(entry.split, "split"),
    )


# Every act replays the whole game, and would read the cards of all its hands again.
@lru_cache(maxsize=4096)
def _left(rules: Judge, cards: str, arranged: bool) -> Left:
    return (rules.unmelded if arranged else rules.left)(parse_cards(cards))


def left_of(hand: HandSheet, entry: HandEntry) -> Left:
    """Return what the player still held, by the entry."""
    if entry.cards is not None:
        return _left(hand.rules, entry.cards, entry.held is not None)
    points = entry.points or 0
    most = hand.rules.most_left
    return Left(points if most is None else min(points, most), entry.wilds, None)
