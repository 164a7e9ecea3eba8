"""“May I?”: which of those who ask for the upcard gets it, with a card from the stock (CON-9)."""

from __future__ import annotations

from collections.abc import Collection

from companion.rules.errors import Malformed


def who_gets(
    asked: Collection[int], active: int, players: int, last_taker: int | None = None
) -> int | None:
    """The seat that gets the upcard which the active player did not want; None if nobody does.

    Seats count from 0, each at the left of the one before. ``asked`` are the seats of those who
    asked, ``last_taker`` is who took the upcard that lay on this one, as nobody takes two in a row.
    Raises `Malformed` for a seat that there is not, or if the active player asks.
    """
    for seat in (*asked, active):
        if not 0 <= seat < players:
            raise Malformed(f"There is no seat {seat}; there are {players}, from 0.", "asked")
    if active in asked:
        raise Malformed("The player whose turn it is drew another card and cannot ask.", "asked")
    allowed = [seat for seat in asked if seat != last_taker]
    return min(allowed, key=lambda seat: (seat - active) % players, default=None)
