"""Who sits where in a game, deals, cuts and plays first, and who gets an upcard."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.language import noted


class SeatDraw(NamedTuple):
    """How cards are drawn for the seats: the rule, and whether the lowest card deals first.

    If the game's text says nothing about it, ``rule`` is empty and the highest card deals.
    """

    rule: str = ""
    lowest_deals: bool = False


class Seats(NamedTuple):
    """The seats after a draw: players by number in the order of play, the first dealer first.

    ``ties`` has each group of players who drew equal cards and draw again, and ``missing`` the
    players whose card is not known. The order is final once both are empty.
    """

    order: tuple[int, ...]
    ties: tuple[tuple[int, ...], ...] = ()
    missing: tuple[int, ...] = ()


def seats_from_draw(draw: Mapping[int, Sequence[Rank]], *, lowest_deals: bool = False) -> Seats:
    """Return the seats in descending order of the ranks drawn, king high and ace low (PRO-2).

    ``draw`` has the ranks that each player drew: players who tie draw again, for the same places.
    With ``lowest_deals`` the order is ascending.
    """
    missing = tuple(player for player, ranks in draw.items() if not ranks)
    if missing:
        return Seats(tuple(draw), missing=missing)
    drawn = {player: tuple(ranks) for player, ranks in draw.items()}
    order = sorted(drawn, key=drawn.__getitem__, reverse=not lowest_deals)
    ties: list[tuple[int, ...]] = []
    for ranks, equal in groupby(order, key=drawn.__getitem__):
        group, rounds = tuple(equal), len(ranks)
        if any(len(other) > rounds and other[:rounds] == ranks for other in drawn.values()):
            missing += group  # others who tied with them have drawn again
        elif len(group) > 1:
            ties.append(group)
    return Seats(tuple(order), tuple(ties), missing)


class Places(NamedTuple):
    """The seats of one hand, as indexes into the order of play, from 0."""

    dealer: int
    cutter: int
    first: int


def places(players: int, first_dealer: int, hand: int, gone: Collection[int] = ()) -> Places:
    """Return who deals, cuts and plays first in a hand, from 1.

    The deal passes on one seat a hand. The next plays first, the one before cuts (PRO-2). Seats
    whose players are ``gone`` are skipped.
    """
    around = [(first_dealer + hand - 1 + after) % players for after in range(players)]
    seats = [seat for seat in around if seat not in gone]
    return Places(seats[0], seats[-1], seats[1 % len(seats)])


def who_gets(
    asked: Collection[int], active: int, players: int, last_taker: int | None = None
) -> int | None:
    """Return the seat that gets the upcard the active player did not want, or None (CON-9).

    Seats count from 0, each at the left of the one before. ``last_taker`` took the last upcard and
    gets none now. Raises `Malformed` for an unknown seat, or if the active player asked.
    """
    for seat in (*asked, active):
        if not 0 <= seat < players:
            says = noted("There is no seat %(seat)s; there are %(players)s, from 0.")
            raise Malformed(says, "asked", seat=seat, players=players)
    if active in asked:
        raise Malformed("The player whose turn it is drew another card and cannot ask.", "asked")
    allowed = [seat for seat in asked if seat != last_taker]
    return min(allowed, key=lambda seat: (seat - active) % players, default=None)
