"""The groups of cards of one suit that can be melds, and which of them are worth a trial."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from companion.rules.best_limits import RunLimits
from companion.rules.card_bits import LAYER
from companion.rules.cards import RANKS, Rank
from companion.rules.melds import ACE_HIGH, AceInRuns

ACE: Final = 1 << Rank.ACE
HIGH_ACE: Final = 1 << ACE_HIGH
# With no more wild cards, what is said of one pack in `leaves_none_out` is true.
FEW_WILDS: Final = 4

# Natural cards of a meld as bits by place, and the fewest and the most wild cards with them; those
# in their own place are among both. If it is no run, it is a set.
Group = tuple[int, int, int, bool]


class Groups:
    """The groups of one suit; ``own`` are the ranks of wild cards in their own place, as bits."""

    def __init__(self, numbers: RunLimits, own: int) -> None:
        self._numbers = numbers
        self._own = own | (HIGH_ACE if own & ACE else 0)
        aces = numbers.aces
        self._lowest, self._highest = aces.lowest, aces.highest
        self._whole = (3, int(Rank.KING)) if aces is AceInRuns.BOTH else None

    def own_in(self, taken: int) -> int:
        """How many of these places have wild cards in their own place."""
        return (taken & self._own).bit_count()

    def neighbours(self, last: int, held: int) -> Iterator[Group]:
        """Groups that leave no held place out between their ends, the shortest first."""
        wilds, own = self._numbers.wilds, self._own
        rooms = self._numbers.high_room if last == ACE_HIGH else self._numbers.room
        taken = count = 0
        while held:
            first = held.bit_length() - 1
            bit = 1 << first
            held ^= bit
            taken |= bit
            count += 1
            gaps = last - first + 1 - count
            if gaps > wilds:
                return
            need, most = rooms[count]
            if gaps > need:
                need = gaps
            if own:
                in_place = (taken & own).bit_count()
                need += in_place
                most += in_place
            if need <= most and need <= wilds:
                yield taken, need, most, True

    def any_places(self, last: int, held: int) -> Iterator[Group]:
        """Every group there can be, those with few gaps first."""
        numbers, own = self._numbers, self._own
        rooms = numbers.high_room if last == ACE_HIGH else numbers.room
        wilds, most_gaps, apart = numbers.wilds, numbers.most_gaps, numbers.apart
        lowest, above = self._lowest, int(last < self._highest)
        farthest = 2 if apart else ACE_HIGH
        in_place = 0
        todo = [(1 << last, last, 1, 0)]
        while todo:
            taken, first, count, gaps = todo.pop()
            if own:
                in_place = (taken & own).bit_count()
            need, most = rooms[count]
            if gaps > need:
                need = gaps
            if need <= most and need + in_place <= wilds:
                if apart:
                    # At how many ends it can have one card more. From 2 up to the ace is a whole
                    # suit, and that is read from the ace up.
                    ends = (first > lowest) + above
                    if ends > 1 and (first, last) == self._whole:
                        ends = 1
                    most = min(most, gaps + ends)
                if need <= most:
                    yield taken, need + in_place, most + in_place, True
            spare = min(wilds - in_place, most_gaps) - gaps
            for place in range(max(1, first - farthest, first - 1 - spare), first):
                if held >> place & 1:
                    more = gaps + first - place - 1
                    todo.append((taken | 1 << place, place, count + 1, more))

    def alone(self, last: int) -> Iterator[Group]:
        """The set of this card and wild ones, if no run is as good."""
        need, most = self._numbers.alone
        in_place = self._own >> last & 1
        if need + in_place <= self._numbers.wilds:
            yield 1 << last, need + in_place, most + in_place, False

    def clean(self, last: int, held: int) -> Iterator[Group]:
        """The runs down from a place with no card that stands for another."""
        numbers = self._numbers
        rooms = numbers.high_room if last == ACE_HIGH else numbers.room
        taken, first = 0, last
        while held >> first & 1:
            taken |= 1 << first
            count = last - first + 1
            in_place = (taken & self._own).bit_count()
            if rooms[count][0] == 0 and in_place <= self._numbers.wilds:
                yield taken, in_place, in_place, True
            first -= 1

    def all_clean(self, placed: int) -> Iterator[Group]:
        """The clean runs of these places."""
        held = placed & LAYER
        for last in range(held.bit_length() - 1, 0, -1):
            yield from self.clean(last, held)


def leaves_none_out(numbers: RunLimits, held: int, *, counted: bool) -> bool:
    """Whether a run need not leave out a held card between its lowest natural and its highest.

    Only where no limit asks where the wild cards of a run lie, or how many they are. Then:

    - A card that is in no meld can as well be in the run, and the wild card in its place at an end,
      as long as that is not more cards than a run has. So it can if it is in another run: that one
      has the wild card in its place. If it was the only natural one there, the highest of the first
      run takes its place instead. This is enough where one natural card makes a run, and where a
      suit has no two runs.
    - One pack, up to four wild cards: put all the cards of runs that overlap together, with every
      held card that lies between them. Up to 13 cards are one run. With 14 or more, at least ten of
      them natural, the five lowest naturals and the rest are two runs.
    """
    if not numbers.anywhere:
        return False
    places = (held & LAYER).bit_count() + numbers.wilds
    longest = numbers.longest - (numbers.aces is AceInRuns.BOTH)
    if (numbers.fewest <= 1 or numbers.one_run) and places <= longest:
        return True
    usual = numbers.shortest <= 5 and numbers.longest == len(RANKS)
    one_pack = held <= LAYER and numbers.wilds <= FEW_WILDS
    return usual and one_pack and not counted and not numbers.one_run


def in_reach(numbers: RunLimits, held: int) -> int:
    """The ranks, of these held, that runs or sets of one natural card can have at all."""
    if numbers.alone[0] <= min(numbers.alone[1], numbers.wilds):
        return held
    return _in_windows(numbers.shortest, numbers.most_gaps, numbers.aces, held & LAYER)


@lru_cache(maxsize=4096)
def _in_windows(size: int, most_gaps: int, aces: AceInRuns, ranks: int) -> int:
    """The ranks that are in any place of so many with no more gaps than that."""
    places = ranks
    if aces is not AceInRuns.LOW and ranks & ACE:
        places |= HIGH_ACE
    window = (1 << size) - 1
    found = 0
    for low in range(aces.lowest, aces.highest - size + 2):
        there = places & window << low
        if size - there.bit_count() <= most_gaps:
            found |= there
    return ranks & (found | (ACE if found & HIGH_ACE else 0))
