"""“May I?”: who of those who ask gets the card that a player does not want."""

from __future__ import annotations

from collections.abc import Sequence

from companion.notebook.events import NotPossible, UpcardGiven
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.seating import who_gets


def rule_on_upcard(
    sheet: ScoreSheet, player: int | None, asked: Sequence[int], last_taker: int | None
) -> UpcardGiven:
    """Return the ruling on who gets the card that ``player``, at turn, did not want.

    Raises `NotPossible` or `Malformed` if nobody asked, or somebody who cannot.
    """
    if player is None or player not in sheet.players:
        raise NotPossible("Say whose turn it was.", "player")
    if not asked:
        raise NotPossible("Say who asked for the card.", "asked")
    if player in asked:
        raise NotPossible(f"It is {sheet.names[player]}'s turn: take that name out here.", "asked")
    gets = who_gets(asked, player, len(sheet.names), last_taker)
    return UpcardGiven(sheet.hand.number, player, tuple(asked), last_taker, gets)


def why_upcard(sheet: ScoreSheet, given: UpcardGiven) -> str:
    """Return what decided who gets the card, in words."""
    others = [seat for seat in given.asked if seat != given.last_taker]
    says = []
    if len(others) > 1 and given.gets is not None:
        says.append(
            f"Of {sheet.named(others)}, {sheet.names[given.gets]} sits nearest to the left of "
            f"{sheet.names[given.player]}, whose turn it is."
        )
    if given.last_taker in given.asked:
        says.append(
            f"{sheet.names[given.last_taker]} took the card before it, and nobody takes two in a "
            "row."
        )
    if given.gets is None:
        says.append(f"The card stays, and {sheet.names[given.player]} plays on.")
    else:
        says.append("A card from the stock goes with it.")
    return " ".join(says)


def last_taker(hand: HandSheet, sheet: ScoreSheet) -> int | None:
    """Return who took the upcard that lay on this one, if that was written down last."""
    last = hand.upcards[-1] if hand.upcards else None
    if last is None or sheet.can_undo is None or sheet.can_undo.number != last.entry.number:
        return None
    return last.given.gets
