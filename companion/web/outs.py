"""Who can have gone out at the end of a hand, and what the form of it has to ask for then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.notebook import rummies
from companion.notebook.scoresheet import ScoreSheet
from companion.web.upcoming_hands import hands_ahead


def out_parts(sheet: ScoreSheet, number: int) -> dict[str, Any]:
    """Who can have gone out of a hand, of whom cards are to be entered then, and what comes next.

    Of a player in ``steps`` cards count while the form is as it says there, in the words of
    static/js/steps.js; None is however the form is. ``unsure`` are the seats of whom only the
    marker can tell whether they win by a Rummy in that hand: who declared in the hands before it is
    not on record yet. ``goes_on`` is the hand to go on with if there may be one, which there is not
    if the form is as ``won`` says.
    """
    ahead = hands_ahead(sheet)
    goes_on = number + 1 if number + 1 in ahead else None
    if not sheet.game.judge.declares:
        seats = [(str(seat), name) for seat, name in enumerate(sheet.names)]
        steps: dict[int, str | None] = dict.fromkeys(sheet.players)
        outs = [*seats, ("none", "Nobody", "all score")]
        return {"outs": outs, "steps": steps, "unsure": [], "won": "", "goes_on": goes_on}
    playing = rummies.playing(sheet)
    is_later = number in ahead and number > 1  # nobody has a Rummy from before hand 1
    # In the last hand that there can be everyone has a Rummy from one of those before it.
    is_last = number in ahead and goes_on is None
    winning = [seat for seat in playing if is_last or rummies.wins(sheet, number, seat)]
    unsure = [seat for seat in playing if seat not in winning] if is_later else []
    outs = [
        (str(seat), sheet.names[seat], "second Rummy: wins" if seat in winning else "")
        for seat in playing
    ]
    wanted = {seat: _won([one for one in winning if one != seat], unsure) for seat in playing}
    return {
        "outs": outs,
        "steps": {seat: won for seat, won in wanted.items() if won},
        "unsure": unsure,
        "won": _won(winning, unsure),
        "goes_on": goes_on,
    }


def _won(winning: Sequence[int], unsure: Sequence[int]) -> str:
    """How the form is if the hand wins the game, by who declared or by what the marker says."""
    sure = [f"out={','.join(map(str, winning))}"] if winning else []
    return " ".join([*sure, "second=yes"] if unsure else sure)
