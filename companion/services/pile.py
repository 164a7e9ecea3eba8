"""What is known of the pile, and whether a ruling on a discard needs to know more of it."""

from __future__ import annotations

from typing import Final

from companion.notebook.events import (
    HandMarked,
    HandThrownIn,
    PenaltyCharged,
    PileSeen,
    PlayRecorded,
    RulingEnforced,
    RulingGiven,
)
from companion.notebook.replay import standing_acts
from companion.rules.cards import PACK, Card
from companion.rules.judge import Judge
from companion.rules.table import Table, TakePile
from companion.services.books import Book

TAKEN: Final = TakePile().text


def is_whole(book: Book) -> bool:
    """Whether no unrecorded card lies under the open hand's recorded pile.

    That is so once the pile was taken or seen empty. A turn that was taken back may have put it
    back, so after one nothing is sure.
    """
    done, _ = standing_acts(book.entries)
    whole = False
    for entry in done:
        match entry.event:
            case HandMarked() | HandThrownIn():
                whole = False
            case RulingEnforced(plays=plays):
                whole = TAKEN in plays
            case PenaltyCharged(rule=rule):
                whole = whole and not book.sheet.game.charge(rule).takes_back
            case PileSeen(cards=cards):
                whole = not cards
            case PlayRecorded(play=play):
                whole = whole or play == TAKEN
            case RulingGiven(verdict=verdict, plays=plays):
                whole = whole or (verdict.legal and TAKEN in plays)
            case _:
                pass
    return whole


def is_missing(rules: Judge, table: Table, card: Card) -> bool:
    """Whether the ruling on a discard depends on a card that may lie under the table's pile."""
    lies = {card, *table.cards}
    told = rules.discard_breaches(card, table)
    return any(
        rules.discard_breaches(card, table.with_pile((under, *table.pile))) != told
        for under in PACK
        if under not in lies
    )
