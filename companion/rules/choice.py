"""The candidates that leave the least of a handful, chosen among all that it can form."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from operator import or_
from typing import Final

from companion.rules.candidates import (
    ALONE,
    ANY_RUN,
    CLEAN_RUN,
    COUNT,
    FIELD,
    UNITS,
    Candidate,
    Listed,
    guards_of,
    lowest_field,
)
from companion.rules.cards import Card
from companion.rules.melds import MeldLimits

NEVER: Final = 1 << 40  # more than any cards can cost
_UNKNOWN: Final = (0, False, None)
_OF_WILDS: Final = ALONE[0].bit_length() - 1


class Costs:
    """What cards cost if they are left, above 0: by what is left in a field, and a wild one.

    Wild cards in their own place and melds on the table cost nothing more. Runs that there must be
    cannot be left.
    """

    def __init__(self, of: Mapping[Card, int], limits: MeldLimits) -> None:
        self.of = of
        self.wild = next((of[card] for card in of if limits.is_wild(card)), 0)
        self.left = {count * mark: NEVER for mark in (CLEAN_RUN, ANY_RUN) for count in (1, 2, 3)}
        for card, one in UNITS[limits.ace_in_runs].items():
            if not limits.is_wild(card):
                self.left |= {count * one: count * of[card] for count in (1, 2, 3)}


class Choice:
    """Which of the candidates to make of cards and wild cards, so that the least is left.

    The lowest card goes into one of the candidates that take it or is left, and so on with what is
    still there. It is remembered what that leaves, and what became of the lowest card; and where it
    cannot become better than what was found before, only that it leaves no less. ``cost`` is the
    least that is left, or at least ``below`` if it is not less.
    """

    def __init__(
        self, candidates: Listed, cards: int, wilds: int, costs: Costs, below: int = NEVER
    ) -> None:
        self._cards, self._wilds = cards, wilds
        self._costs, self._wild_cost = costs.left, costs.wild
        self._guards = guards_of(cards)
        self._of_lowest = candidates.of_lowest
        # With so many wild cards left, these cards are in no candidate any more.
        reach = accumulate(candidates.reach, or_)
        self._out_of_reach = [~(taken | taken << 1 | taken >> 1) for taken in reach]
        self._known: dict[tuple[int, int, int], tuple[int, bool, Candidate | None]] = {}
        self.cost = self._least(cards, wilds, 0, below)

    def _least(self, cards: int, wilds: int, room: int, below: int) -> int:
        """The least that is left of these cards, or at least ``below`` if it is not less.

        The melds made so far have ``room`` for so many of the wild cards.
        """
        gone = cards & self._out_of_reach[wilds]
        lost = 0
        if gone:
            lost = self._cost(gone)
            if lost >= below:
                return lost
            cards ^= gone
        if not cards:
            return lost + (wilds - room) * self._wild_cost if wilds > room else lost
        key = cards, wilds, room
        least, is_known, _ = self._known.get(key, _UNKNOWN)
        if not is_known and least < below - lost:
            least, chosen = self._try_all(cards, wilds, room, below - lost)
            self._known[key] = least, least < below - lost, chosen
        return lost + least

    def _try_all(
        self, cards: int, wilds: int, room: int, least: int
    ) -> tuple[int, Candidate | None]:
        """The same for cards that are in reach of candidates, and what the lowest goes into."""
        chosen = None
        guards = self._guards
        guarded = cards | guards
        at = (cards & -cards).bit_length() - 1
        at -= at % FIELD
        if at >= _OF_WILDS and wilds <= room:
            return 0, None
        for one in self._of_lowest.get(at, ()):
            taken, need, most, skips, _ = one
            if need > wilds or guarded - taken & guards != guards or cards & skips:
                continue
            after = wilds - need
            left = self._least(cards - taken, after, min(room + most - need, after), least)
            if left < least:
                least, chosen = left, one
                if not least:
                    return least, chosen
        here = cards & COUNT << at
        cost = self._costs.get(here, 0)
        if cost < least:
            left = cost + self._least(cards ^ here, wilds, room, least - cost)
            if left < least:
                return left, None
        return least, chosen

    def _cost(self, gone: int) -> int:
        cost = 0
        while gone:
            at = (gone & -gone).bit_length() - 1
            here = gone & COUNT << at - at % FIELD
            cost += self._costs.get(here, 0)
            gone ^= here
        return cost

    def chosen(self) -> list[tuple[Candidate, int]]:
        """The candidates that leave the least, if it was found, and their numbers of wild cards."""
        found: list[Candidate] = []
        cards, wilds, room = self._cards, self._wilds, 0
        while True:
            cards &= ~self._out_of_reach[wilds]
            if not cards or (wilds <= room and lowest_field(cards) >= _OF_WILDS):
                break
            one = self._known[cards, wilds, room][2]
            if one is None:
                at = (cards & -cards).bit_length() - 1
                cards &= ~(COUNT << at - at % FIELD)
            else:
                found.append(one)
                cards, wilds = cards - one.taken, wilds - one.need
                room = min(room + one.most - one.need, wilds)
        shared = []
        for one in found:
            more = min(wilds, one.most - one.need)
            shared.append((one, one.need + more))
            wilds -= more
        return shared
