"""The melds that all players show at the end of a hand, each for a box of the score sheet."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from companion.notebook.cards_left import check_apart
from companion.notebook.events import HandEntry, Marks, NotPossible
from companion.notebook.scoresheet import HandSheet, ScoreSheet, end_of
from companion.rules.cards import split_cards
from companion.rules.errors import Malformed
from companion.rules.hand_rules import MeldBox
from companion.rules.scoring import Mark


class Filled(NamedTuple):
    """A box that a player has filled: in which hand, and what it scored."""

    hand: int
    mark: Mark


def filled_boxes(sheet: ScoreSheet, player: int) -> dict[str, Filled]:
    """The boxes that a player has filled so far, by title."""
    return {
        mark.shown.box: Filled(hand.number, mark)
        for hand in sheet.marked
        for mark in [hand.mark(player)]
        if mark.shown is not None
    }


def open_boxes(sheet: ScoreSheet, player: int) -> list[MeldBox]:
    """The boxes that a player has yet to fill, in the order of the sheet."""
    filled = filled_boxes(sheet, player)
    return [box for box in sheet.game.judge.boxes if box.title not in filled]


def mark_alone(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> Mark:
    """What a player's meld scores if the others show nothing.

    Raises `NotPossible`, naming the field, for a meld that there cannot be, or one for a box that
    this player fills in another hand (CHI-1).
    """
    name, seat = sheet.names[entry.player], entry.player
    if entry.points is not None and not entry.box:
        says = f"Which box are {name}'s {entry.points} points for? Points alone do not say."
        raise NotPossible(says, f"box.{seat}")
    if entry.box and (entry.points is None or entry.cards is not None):
        raise NotPossible(f"Give {name}'s cards, or a box and its points.", f"points.{seat}")
    try:
        end = end_of(hand, entry, name)
        mark = hand.rules.marks([end])[name]
    except Malformed as problem:
        raise NotPossible(str(problem), f"{_field(hand, entry, problem)}.{seat}") from None
    before = None if mark.shown is None else filled_boxes(sheet, seat).get(mark.shown.box)
    if mark.shown is not None and before is not None and before.hand != hand.number:
        word = sheet.game.hand_word
        raise NotPossible(
            f"{name} filled the box {mark.shown.box} in {word} {before.hand} already "
            f"({hand.rules.turn_rule}). Show another meld, or correct {word} {before.hand}.",
            f"{'box' if entry.box else 'cards'}.{seat}",
        )
    return mark


def _field(hand: HandSheet, entry: HandEntry, problem: Malformed) -> str:
    """What of an entry is wrong: what was said of the meld, or was not; otherwise its cards."""
    if problem.where in {"points", "box"}:
        return problem.where
    if problem.where in {"cards", "plays"}:
        return "cards"
    many = len(split_cards(entry.cards or ""))
    asks = next((box.asks for box in hand.rules.boxes if box.cards == many), "")
    return asks or "cards"


def check_shown(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` unless each meld is for a box that its player has not filled yet."""
    if event.out is not None:
        says = f"Nobody goes out in {sheet.game.name}: every player shows a meld."
        raise NotPossible(says, "out")
    times = Counter(entry.player for entry in event.entries)
    for seat, count in times.items():
        if seat not in sheet.players:
            raise NotPossible("Say whose meld it is.", "cards")
        if count > 1:
            raise NotPossible(f"{sheet.names[seat]} is there twice.", f"cards.{seat}")
    for entry in event.entries:
        mark_alone(sheet, hand, entry)
    entries = {entry.player: entry for entry in event.entries}
    ends = [end_of(hand, entry, sheet.names[entry.player]) for entry in event.entries]
    shown = zip(entries, ends, strict=True)
    check_apart(hand, [(seat, f"{end.name}'s cards", end.left.cards or ()) for seat, end in shown])
    if missing_melds(sheet, event):
        return
    try:
        hand.rules.check_boxes(ends)
    except Malformed as problem:
        seat = sheet.names.index(problem.where)
        at = "points" if entries[seat].box else "cards"
        raise NotPossible(str(problem), f"{at}.{seat}") from None


def missing_melds(sheet: ScoreSheet, event: Marks) -> list[int]:
    """Return the seats without an entry. Blank is missing, and never a meld that failed."""
    given = {
        entry.player
        for entry in event.entries
        if entry.points is not None or split_cards(entry.cards or "")
    }
    return [seat for seat in sheet.players if seat not in given]
