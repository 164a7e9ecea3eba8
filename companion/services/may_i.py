"""“May I?”: who of those who ask gets the card that a player does not want (CON-9)."""

from __future__ import annotations

from collections.abc import Sequence

from companion.notebook.events import NotPossible, UpcardGiven
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext, noted
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
        raise NotPossible(
            "It is %(name)s's turn: take that name out here.", "asked", name=sheet.names[player]
        )
    gets = who_gets(asked, player, len(sheet.names), last_taker)
    return UpcardGiven(sheet.hand.number, player, tuple(asked), last_taker, gets)


def why_upcard(sheet: ScoreSheet, given: UpcardGiven) -> str:
    """Return what decided who gets the card, in words."""
    others = [seat for seat in given.asked if seat != given.last_taker]
    says = []
    if len(others) > 1 and given.gets is not None:
        says.append(
            gettext(
                "Of %(others)s, %(gets)s sits nearest to the left of %(player)s, whose turn it is.",
                others=sheet.named(others),
                gets=sheet.names[given.gets],
                player=sheet.names[given.player],
            )
        )
    if given.last_taker in given.asked:
        says.append(
            gettext(
                "%(name)s took the card before it, and nobody takes two in a row.",
                name=sheet.names[given.last_taker],
            )
        )
    if given.gets is None:
        stays = noted("The card stays, and %(name)s plays on.")
        says.append(gettext(stays, name=sheet.names[given.player]))
    else:
        says.append(gettext("A card from the stock goes with it."))
    return " ".join(says)


def last_taker(hand: HandSheet, sheet: ScoreSheet) -> int | None:
    """Return who took the upcard that lay on this one, if that was written down last."""
    last = hand.upcards[-1] if hand.upcards else None
    if last is None or sheet.can_undo is None or sheet.can_undo.number != last.entry.number:
        return None
    return last.given.gets
