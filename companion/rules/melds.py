"""Sets and runs, and what a wild card may stand for in them.

A `MeldLimits` says what a game calls a meld. `readings` lists every way in which offered cards are
a set or a run by its shape; `MeldLimits.breaches` says which further limits one reading breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, NATURAL, RANKS, SUITS, Card, Laid, Offered, Rank
from companion.rules.errors import Malformed
from companion.rules.ruling import Breach, Shown

ACE_HIGH: Final = 14


class Kind(Enum):
    """What a meld is."""

    SET = "set"
    RUN = "run"


class AceInRuns(Enum):
    """Where an ace may lie in a run: above the king, below the two, or either, but not both."""

    HIGH = "high"
    LOW = "low"
    BOTH = "both"

    __hash__ = object.__hash__  # quicker than an enumeration's own, which is the name's

    @property
    def lowest(self) -> int:
        """The lowest place in a run: 1 (the ace) or 2."""
        return 2 if self is AceInRuns.HIGH else 1

    @property
    def highest(self) -> int:
        """The highest place in a run: 13 (the king) or 14 (the ace)."""
        return 13 if self is AceInRuns.LOW else ACE_HIGH

    def places(self, rank: Rank) -> tuple[int, ...]:
        """The places that a rank can take in a run, 1 … 14."""
        if rank is not Rank.ACE:
            return (int(rank),)
        return {"high": (ACE_HIGH,), "low": (1,), "both": (1, ACE_HIGH)}[self.value]

    def runs(self, count: int) -> Sequence[tuple[Rank, ...]]:
        """The ranks of every run of so many cards, from its low end to its high end."""
        return [stretch.ranks for stretch in _STRETCHES[self][count]]


@dataclass(frozen=True, slots=True)
class Meld:
    """A set (by suit) or a run (from its low to its high end) whose wild cards are all read."""

    kind: Kind
    cards: tuple[Laid, ...]

    @property
    def text(self) -> str:
        """As card text: ``5C 8H=6C 7C``."""
        return " ".join([laid.text for laid in self.cards])

    @property
    def shown(self) -> str:
        """As people write it: ``5♣ 8♥ for 6♣ 7♣`` with commas where a wild card is in it."""
        between = ", " if any(laid.card != laid.stands_for for laid in self.cards) else " "
        return between.join([laid.shown for laid in self.cards])

    @property
    def identities(self) -> tuple[Card, ...]:
        """The cards that are on the table through this meld, natural or stood for."""
        return tuple([laid.stands_for for laid in self.cards])

    @property
    def low(self) -> int:
        """The place of a run's lowest card, 1 (ace) … 12."""
        return int(self.cards[0].stands_for.rank)

    @property
    def high(self) -> int:
        """The place of a run's highest card, 3 … 14 (ace)."""
        return self.low + len(self.cards) - 1


@dataclass(frozen=True, slots=True, eq=False)
class MeldLimits:
    """What one hand of a game calls a meld, and the numbers of the rules that say so.

    Equal only to itself: it is made once for the rules of a hand, and what was found out by it is
    remembered by it.
    """

    set_rule: str
    run_rule: str
    wild_rule: str
    lay_off_rule: str
    swap_rule: str
    wild_ranks: frozenset[Rank]
    ace_in_runs: AceInRuns
    set_sizes: tuple[int, int] = (3, 4)
    run_sizes: tuple[int, int] = (3, 13)
    wild_in_own_place: bool = True
    min_naturals: int = 0

    def is_wild(self, card: Card) -> bool:
        """Whether the card may stand for another."""
        return card.rank in self.wild_ranks

    def wilds(self, cards: Iterable[Laid]) -> int:
        """How many of these cards count as wild: in its own place one may be natural."""
        own = self.wild_in_own_place
        return len([1 for laid in cards if laid.wild and (own or laid.card != laid.stands_for)])

    def naturals(self, cards: Sequence[Laid]) -> int:
        """How many of these cards count as natural."""
        return len(cards) - self.wilds(cards)

    def breaches(self, meld: Meld) -> tuple[Breach, ...]:
        """The limits on wild cards that a meld breaks, though its shape is right."""
        return self.too_few_naturals(meld.cards) if self.min_naturals else ()

    def too_few_naturals(self, laid: Sequence[Laid], open_wilds: int = 0) -> tuple[Breach, ...]:
        """The breach of ``min_naturals``, if these cards and so many unread wild ones break it.

        An unread wild card is given the benefit of standing for itself where that is natural.
        """
        if self.min_naturals == 0:
            return ()
        naturals = self.naturals(laid) + (0 if self.wild_in_own_place else open_wilds)
        if naturals >= self.min_naturals:
            return ()
        words = f"Natural cards in it: {naturals}; a meld needs {self.min_naturals} here."
        return (Breach(self.wild_rule, words),)

    def check_offered(self, cards: Sequence[Offered], where: str = "cards") -> None:
        """Raise `Malformed` if a card that is not wild was said to stand for another."""
        for card, stands_for in cards:
            if stands_for is not None and stands_for != card and not self.is_wild(card):
                raise Malformed(
                    f"{card.shown} is not wild in this hand and cannot stand for "
                    f"{stands_for.shown}.",
                    where,
                )

    def sort(self, offered: Iterable[Offered]) -> tuple[list[Laid], list[Card]]:
        """The cards whose identity is known, as they are laid, and the wild ones that are open."""
        known: list[Laid] = []
        open_wilds: list[Card] = []
        for card, stands_for in offered:
            if card.rank not in self.wild_ranks:
                known.append(NATURAL[card])
            elif stands_for is None:
                open_wilds.append(card)
            else:
                known.append(Laid(card, stands_for, True))
        return known, open_wilds


def readings(offered: Sequence[Offered], limits: MeldLimits) -> list[Meld]:
    """Every set and every run that the offered cards can be, by shape alone.

    Empty if they are neither. Limits on wild cards, the table and the player's turn are not
    looked at here.
    """
    known, wilds = limits.sort(offered)
    if len(known) < 2:
        return [*_sets(known, wilds, limits), *_runs(known, wilds, limits)]
    # Two cards that are known are of one rank, or they are not: either way one thing is ruled out.
    one_rank = known[0].stands_for.rank == known[1].stands_for.rank
    return _sets(known, wilds, limits) if one_rank else _runs(known, wilds, limits)


def extensions(meld: Meld, offered: Sequence[Offered], limits: MeldLimits) -> list[Meld]:
    """Every meld that ``meld`` becomes with the offered cards laid off on it, by shape alone."""
    known, wilds = limits.sort(offered)
    known = [*meld.cards, *known]
    if meld.kind is Kind.SET:
        return _sets(known, wilds, limits)
    return _runs(known, wilds, limits, meld)


def _sets(known: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits) -> list[Meld]:
    """Every way in which the cards are a set: one rank, every suit different."""
    fewest, most = limits.set_sizes
    ranks = {laid.stands_for.rank for laid in known}
    suits = {laid.stands_for.suit for laid in known}
    if len(ranks) > 1 or len(suits) < len(known) or not fewest <= len(known) + len(wilds) <= most:
        return []
    return [
        Meld(Kind.SET, tuple(sorted([*known, *cards], key=_suit)))
        for rank in ranks or RANKS
        for cards in _spread(wilds, [CARD_OF[rank, suit] for suit in SUITS if suit not in suits])
    ]


def _runs(
    known: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits, meld: Meld | None = None
) -> list[Meld]:
    """Every way in which the cards are a run: consecutive, one suit, never around the corner.

    With a meld, whose cards are among the known ones, only those in which that run stays where
    it is.
    """
    count = len(known) + len(wilds)
    fewest, most = limits.run_sizes
    suits = {laid.stands_for.suit for laid in known}
    by_rank = {laid.stands_for.rank: laid for laid in known}
    if len(suits) > 1 or len(by_rank) < len(known) or not fewest <= count <= most:
        return []
    bits = _bits(by_rank)
    stretches = [
        stretch
        for stretch in _STRETCHES[limits.ace_in_runs][count]
        if not bits & ~stretch.bits and (meld is None or stretch.holds(meld))
    ]
    found = []
    for stretch in stretches:
        missing = [rank for rank in stretch.ranks if rank not in by_rank]
        for suit in suits or SUITS:
            for cards in _spread(wilds, [CARD_OF[rank, suit] for rank in missing]):
                there = {**by_rank, **{laid.stands_for.rank: laid for laid in cards}}
                found.append(Meld(Kind.RUN, tuple([there[rank] for rank in stretch.ranks])))
    return found


def shape_breaches(play: Shown, known: Sequence[Laid], limits: MeldLimits) -> list[Breach]:
    """Why cards that have no reading are neither set nor run.

    ``known`` are those whose identity is. One rank means that a set was meant, one suit a run;
    otherwise neither rule is kept.
    """
    one_rank = len({one.stands_for.rank for one in known}) <= 1
    one_suit = len({one.stands_for.suit for one in known}) <= 1
    fewest, most = limits.set_sizes
    as_set = Breach(
        limits.set_rule,
        f"{{}} is no set: {fewest} to {most} cards of one rank, every suit different.",
        (play,),
    )
    as_run = Breach(
        limits.run_rule,
        f"{{}} is no run: {limits.run_sizes[0]} or more cards of one suit that follow one another, "
        f"{_ACE_SAYS[limits.ace_in_runs]}.",
        (play,),
    )
    if one_rank != one_suit:
        return [as_set] if one_rank else [as_run]
    return [as_set, as_run]


_ACE_SAYS: Final = {
    AceInRuns.HIGH: "the ace above the king",
    AceInRuns.LOW: "the ace below the 2",
    AceInRuns.BOTH: "the ace above the king or below the 2, never around the corner",
}


def _spread(wilds: Sequence[Card], free: Sequence[Card]) -> list[list[Laid]]:
    """Every way to let each of the wild cards stand for another of the free ones."""
    if not wilds:
        return [[]]
    return [
        [Laid(wild, card, True) for wild, card in zip(wilds, chosen, strict=True)]
        for chosen in permutations(free, len(wilds))
    ]


def _suit(laid: Laid) -> int:
    return laid.stands_for.suit


def _bits(ranks: Iterable[Rank]) -> int:
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


class _Stretch(NamedTuple):
    """Consecutive places of a suit: the lowest, and the ranks from it up, also as bits."""

    low: int
    ranks: tuple[Rank, ...]
    bits: int

    def holds(self, meld: Meld) -> bool:
        """Whether a run lies in it as it is, an ace at the end at which it was laid."""
        count = len(self.ranks)
        return count == len(RANKS) or self.low <= meld.low <= meld.high < self.low + count


def _lows(aces: AceInRuns, count: int) -> Sequence[int]:
    # A whole suit is one run, and not a second one with its ace at the other end.
    lows = range(aces.lowest, aces.highest - count + 2)
    return lows[:1] if count == len(RANKS) else lows


_RANK_AT: Final = (Rank.JOKER, *RANKS, Rank.ACE)
_STRETCHES: Final[Mapping[AceInRuns, Sequence[Sequence[_Stretch]]]] = {
    aces: [
        [
            _Stretch(low, ranks, _bits(ranks))
            for low in _lows(aces, count)
            for ranks in [_RANK_AT[low : low + count]]
        ]
        for count in range(len(RANKS) + 1)
    ]
    for aces in AceInRuns
}
