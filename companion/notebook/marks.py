"""The end of a hand as the marker enters it: complete, possible, and nothing guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.notebook.events import HandCorrected, HandEntry, HandMarked
from companion.notebook.refusal import NotPossible
from companion.notebook.replay import hand_ends, left_of
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.rules.cards import PACK, check_packs, parse_cards
from companion.rules.errors import Malformed
from companion.rules.scoring import can_total, check_ends

Marks = HandMarked | HandCorrected


def settle_melded(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """The event with every "laid a meld?" answered: from the record where it was left open.

    Raises `NotPossible` where the record has no meld and six or more cards are left, so that it
    may well have been none: that is asked, not guessed.
    """
    return replace(
        event,
        entries=tuple(
            entry
            if entry.melded is not None
            else replace(entry, melded=_melded(sheet, hand, entry))
            for entry in event.entries
        ),
    )


def _melded(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> bool:
    if entry.player in recorded_melds(sheet, hand) or must_have_played(sheet, hand, entry):
        return True
    raise NotPossible(
        f"Did {sheet.names[entry.player]} lay a meld in this hand? "
        f"{sheet.game.cards_dealt} or more cards are left, and no meld is recorded.",
        f"melded.{entry.player}",
    )


def recorded_melds(sheet: ScoreSheet, hand: HandSheet) -> frozenset[int]:
    """The seats that are known from the recorded table to have laid a meld (PRO-13.5)."""
    board = hand.board
    if dict(sheet.house.values).get("lay_off_counts_as_meld") == "yes":
        return board.melded | board.laid_off
    return board.melded


def must_have_played(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> bool:
    """Whether so few cards are left that something was melded or laid off.

    For points without cards, the fewest cards that make the total are taken.
    """
    if entry.cards is not None:
        return len(entry.cards.split()) < sheet.game.cards_dealt
    fewest = can_total(entry.points or 0, entry.wilds, _free_cards(hand, ()))
    return fewest is None or fewest < sheet.game.cards_dealt


def check_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` unless these can be the ends of the hand, for every player.

    Nobody is missing or there twice, no card is in two places, and points without cards can be
    made by cards that are free (PRO-14, PRO-15).
    """
    if event.out is not None and event.out not in sheet.players:
        raise NotPossible("Say who went out, or that nobody did.", "out")
    seats = Counter(entry.player for entry in event.entries)
    missing = [
        sheet.names[seat] for seat in sheet.players if seat != event.out and seat not in seats
    ]
    if missing:
        raise NotPossible(
            f"Still missing: {', '.join(missing)}. Give the cards left, or their points.",
            f"cards.{sheet.names.index(missing[0])}",
        )
    for entry in event.entries:
        _check_entry(sheet, event, entry, seats[entry.player])
    try:
        ends = hand_ends(hand, event, sheet.names)
        check_ends(ends)
        hand.rules.score(ends)
    except Malformed as problem:
        raise NotPossible(str(problem), _field_of(sheet, event, problem)) from None
    _check_totals(sheet, hand, event)
    if not event.table_is_old:
        _check_table(sheet, hand, event)


def _check_table(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` if a card left lies on the recorded table as well."""
    table = hand.board.table
    places = [
        ("the recorded melds", [laid.card for meld in table.melds for laid in meld.cards]),
        ("the recorded pile", table.pile),
    ]
    for entry in event.entries:
        cards = parse_cards(entry.cards or "")
        try:
            check_packs(
                [*places, (f"{sheet.names[entry.player]}'s cards", cards)],
                sheet.game.packs,
                sheet.game.jokers,
            )
        except Malformed as problem:
            raise NotPossible(str(problem), "table_is_old") from None


def _field_of(sheet: ScoreSheet, event: Marks, problem: Malformed) -> str:
    for entry in event.entries:
        if f"{sheet.names[entry.player]}'s cards" in str(problem):
            return f"cards.{entry.player}"
    return "cards"


def _check_entry(sheet: ScoreSheet, event: Marks, entry: HandEntry, times: int) -> None:
    if entry.player not in sheet.players:
        raise NotPossible("Say whose cards they are.", "cards")
    name, at = sheet.names[entry.player], entry.player
    if times > 1 or entry.player == event.out:
        raise NotPossible(f"{name} is there twice.", f"cards.{at}")
    if (entry.cards is None) == (entry.points is None):
        raise NotPossible(f"Give {name}'s cards left, or their points.", f"cards.{at}")
    if entry.melded is None:
        raise NotPossible(f"Did {name} lay a meld in this hand?", f"melded.{at}")
    if entry.points is not None and entry.points < 0:
        raise NotPossible(f"{name}'s points cannot be below 0.", f"points.{at}")
    if entry.cards is not None and not entry.cards.split():
        raise NotPossible(
            f"{name} has no cards left, but did not go out. Say who went out, or give the cards.",
            f"cards.{at}",
        )


def _free_cards(hand: HandSheet, entries: Sequence[HandEntry]) -> list[tuple[int, bool]]:
    given = Counter(card for entry in entries for card in parse_cards(entry.cards or ""))
    rules = hand.rules
    free = Counter(PACK * rules.game.packs) - given
    return [(rules.value(card), rules.limits.is_wild(card)) for card in free.elements()]


def _check_totals(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` for points that no cards left could make (each, and all together)."""
    counted = [entry for entry in event.entries if entry.cards is None]
    if not counted:
        return
    free = _free_cards(hand, event.entries)
    for entry in counted:
        name = sheet.names[entry.player]
        fewest = can_total(entry.points or 0, entry.wilds, free)
        if fewest is None:
            raise NotPossible(
                f"No cards that are free make {entry.points} points"
                f"{_with_wilds(hand, entry.wilds)}. Count {name}'s cards again.",
                f"points.{entry.player}",
            )
        if fewest == 0:
            raise NotPossible(
                f"{name} did not go out, so at least one card is left, and no card counts 0. "
                "Count again, or say who went out.",
                f"points.{entry.player}",
            )
    total = sum(left_of(hand, entry).points for entry in counted)
    wilds = sum(entry.wilds for entry in counted)
    if len(counted) > 1 and can_total(total, wilds, free) is None:
        raise NotPossible(
            f"Together, {total} points{_with_wilds(hand, wilds)} are more than the cards that are "
            "free can make. Count again.",
            f"points.{counted[-1].player}",
        )


def _with_wilds(hand: HandSheet, wilds: int) -> str:
    rank = hand.rules.wild_rank_of(hand.number)
    if rank is None or not wilds:
        return ""
    return f" with {wilds} of the {rank.shown}s among them"
