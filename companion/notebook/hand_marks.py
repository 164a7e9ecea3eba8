"""Complete and check the marks of a hand as the marker enters them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.notebook.arrangements import asks_laid_as, settle_left, unsure_lay_offs
from companion.notebook.cards_left import known_wilds, whole_packs
from companion.notebook.endings import ending_of, is_blank
from companion.notebook.events import HandEntry, Marks, NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import split_cards


def settle_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return new marks ready to record: completed, and checked by `check_marks`.

    Raises `NotPossible`, also if the marker must say whether players laid a meld, or what a wild
    card stands for that one laid off.
    """
    asked = open_melds(sheet, hand, event)
    if asked:
        raise NotPossible(
            "Did %(named)s lay a meld in this hand? None is recorded, "
            "and the cards left do not tell.",
            f"melded.{asked[0]}",
            named=sheet.named(asked),
        )
    for seat, one in unsure_lay_offs(hand, event).items():
        if one.said is None:
            raise NotPossible(asks_laid_as(sheet, one), f"laid_as.{seat}")
    event = settled(sheet, hand, with_melds(event))
    check_marks(sheet, hand, event, new=True)
    return event


def settled(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return the event with the cards left filled in, and without cards that do not count.

    Raises `NotPossible` as `settle_left` does.
    """
    return settle_left(sheet, hand, ending_of(sheet).without_uncounted(sheet, event))


def check_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool = False) -> None:
    """Raise `NotPossible` if a player is missing or an entry is not possible.

    ``new`` also checks how many cards players can hold. Older records did not ask for penalty
    cards, so they are not checked for it.
    """
    ending = ending_of(sheet)
    ending.check_complete(sheet, hand, event)
    ending.check_entered(sheet, hand, event, new=new)


def settle_known(
    sheet: ScoreSheet, hand: HandSheet, event: Marks
) -> tuple[Marks, Mapping[int, NotPossible]]:
    """Return the possible entries so far, settled, and the errors of the others by seat.

    Assumes a meld if the marker has not said.
    """
    entries = tuple(
        replace(entry, otherwise=entry.otherwise and entry.cards is not None)
        for entry in with_melds(event).entries
        if not is_blank(entry)
    )
    event = replace(event, entries=entries)
    refused: dict[int, NotPossible] = {}
    while True:
        known = event
        try:
            known = settled(sheet, hand, event)
            ending_of(sheet).check_entered(sheet, hand, known, new=True)
        except NotPossible as problem:
            name, _, seat = problem.field.partition(".")
            if not seat:
                return known, refused  # it is about the whole hand, not one player
            refused[int(seat)] = problem
            event = replace(
                event,
                entries=tuple(entry for entry in event.entries if entry.player != int(seat)),
                out_held=None if name == "cards" and int(seat) == event.out else event.out_held,
            )
        else:
            return known, refused


def with_melds(event: Marks) -> Marks:
    """Return the event with a meld for each player for whom the marker has not said."""
    return replace(
        event,
        entries=tuple(
            replace(entry, melded=True) if entry.melded is None else entry
            for entry in event.entries
        ),
    )


def open_melds(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> list[int]:
    """Return the seats for which the marker must say whether they laid a meld."""
    if not hand.asks_melded:
        return []
    known = recorded_melds(sheet, hand)
    return [
        entry.player
        for entry in event.entries
        if entry.melded is None
        and entry.player in sheet.players
        and entry.player != event.out
        and entry.player not in known
        and not must_have_played(sheet, hand, entry)
    ]


def recorded_melds(sheet: ScoreSheet, hand: HandSheet) -> frozenset[int]:
    """Return the seats that have laid a meld on the recorded table (PRO-13.5)."""
    board = hand.board
    return board.melded | board.laid_off if _lay_offs_count(sheet) else board.melded


def _lay_offs_count(sheet: ScoreSheet) -> bool:
    return sheet.house.get("lay_off_counts_as_meld") == "yes"


def must_have_played(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> bool:
    """True if the player must have laid a meld, having fewer cards left than dealt.

    Few cards prove nothing of a player with a recorded lay-off, if a lay-off is no meld. Points
    alone prove it if as many cards as were dealt, or more, cannot make them.
    """
    if entry.player in hand.board.laid_off and not _lay_offs_count(sheet):
        return False
    dealt = sheet.game.dealt(hand.number, sheet.house.sheet)
    if entry.cards is not None:
        return len(split_cards(entry.cards)) < dealt
    wilds = known_wilds(hand, entry.wilds)
    return not whole_packs(hand.rules, dealt).can_make(entry.points or 0, wilds, dealt)
