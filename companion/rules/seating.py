"""Seats: who sits where, who deals, cuts and plays first, who gets an upcard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.cards import Card
from companion.rules.errors import Malformed


class SeatDraw(NamedTuple):
    """How cards are drawn for the seats: by which rule, and whether the lowest card deals first.

    If the game's text says nothing about it, ``rule`` is empty and the highest card deals.
    """

    rule: str = ""
    lowest_deals: bool = False


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats after a draw: names in the order of play, the first dealer first.

    ``ties`` has each group of players who drew the same rank and draw again; until then, the order
    within that group is open.
    """

    order: tuple[str, ...]
    ties: tuple[tuple[str, ...], ...]


def seats_from_draw(draw: Mapping[str, Card], *, lowest_deals: bool = False) -> Seats:
    """Return the seats in descending order of the cards drawn, king high and ace low (PRO-2).

    With ``lowest_deals`` they are in ascending order.
    """
    by_rank: dict[int, list[str]] = defaultdict(list)
    for name, card in draw.items():
        by_rank[card.rank].append(name)
    groups = [by_rank[rank] for rank in sorted(by_rank, reverse=not lowest_deals)]
    return Seats(
        tuple(name for group in groups for name in group),
        tuple(tuple(group) for group in groups if len(group) > 1),
    )


@dataclass(frozen=True, slots=True)
class Places:
    """The seats of one hand, as indexes into the order of play, from 0."""

    dealer: int
    cutter: int
    first: int


def places(players: int, first_dealer: int, hand: int) -> Places:
    """Return who deals, cuts and plays first in hand ``hand``, from 1.

    The deal passes on one seat a hand in the order of play. The next seat plays first, and the seat
    before the dealer cuts (PRO-2).
    """
    dealer = (first_dealer + hand - 1) % players
    return Places(dealer, (dealer - 1) % players, (dealer + 1) % players)


def who_gets(
    asked: Collection[int], active: int, players: int, last_taker: int | None = None
) -> int | None:
    """Return the seat that gets the upcard the active player did not want, or None (CON-9).

    Seats count from 0, each at the left of the one before. ``asked`` are the seats of those who
    asked. ``last_taker`` took the upcard before this one: nobody takes two in a row. Raises
    `Malformed` for a seat that does not exist, or if the active player asks.
    """
    for seat in (*asked, active):
        if not 0 <= seat < players:
            raise Malformed(
                "There is no seat %(seat)s; there are %(players)s, from 0.",
                "asked",
                seat=seat,
                players=players,
            )
    if active in asked:
        raise Malformed("The player whose turn it is drew another card and cannot ask.", "asked")
    allowed = [seat for seat in asked if seat != last_taker]
    return min(allowed, key=lambda seat: (seat - active) % players, default=None)
