"""How the pages say who is ahead or has won, and what is to be known of a player beside points."""

from __future__ import annotations

from flask import Flask

from companion.notebook import rummies
from companion.notebook.scoresheet import ScoreSheet
from companion.web.words import points


def lead(sheet: ScoreSheet) -> str:
    """What the leaders have: ``with 12 points``, ``with a Rummy``, ``and is paid 134 points``."""
    leaders = sheet.leaders()
    if not sheet.game.judge.declares:
        return f"with {points(sheet.total(leaders[0]))}"
    paid = rummies.payments(sheet)
    return f"and is paid {points(paid[leaders[0]])}" if paid else "with a Rummy"


def standing_note(sheet: ScoreSheet, player: int) -> str:
    """What of a player beside the points decides who wins: ``1 Rummy``, ``left``, or nothing."""
    if not sheet.game.judge.declares:
        return ""
    if rummies.left_in(sheet, player) is not None:
        return "left"
    made = rummies.declared(sheet).count(player)
    return f"{made} {'Rummy' if made == 1 else 'Rummies'}" if made else ""


def payment_lines(sheet: ScoreSheet) -> list[tuple[str, int]]:
    """Everyone who pays, with what, in the order of the standings; empty unless somebody has won.

    The winner receives the sum of it.
    """
    paid = rummies.payments(sheet)
    order = [standing.player for standing in sheet.standings()]
    return [(sheet.names[player], -paid[player]) for player in order if paid and paid[player] < 0]


def init_app(app: Flask) -> None:
    """Give the templates these words."""
    app.jinja_env.globals |= {
        "lead": lead,
        "standing_note": standing_note,
        "payment_lines": payment_lines,
    }
