"""Sets and runs, and what a wild card may stand for in them.

A `MeldLimits` says what a game calls a meld; `MeldLimits.breaches` says which limits a meld breaks
whose shape is right, and `shape_breaches` why cards are none. What offered cards can be is in
`companion.rules.readings`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple

from companion.rules.cards import (
    NATURAL,
    RANKS,
    Card,
    Laid,
    Offered,
    Rank,
    show_cards,
)
from companion.rules.errors import Malformed
from companion.rules.messages import TERMS, Cards, Term
from companion.rules.ruling import Breach

ACE_HIGH: Final = 14


class Kind(Enum):
    """What a meld is."""

    SET = "set"
    RUN = "run"
    TANALA = "tanala"

    __hash__ = object.__hash__  # quicker than an enumeration's own, which is the name's


class AceInRuns(Enum):
    """Where an ace may lie in a run: above the king, below the two, or either, but not both."""

    HIGH = "high"
    LOW = "low"
    BOTH = "both"

    __hash__ = object.__hash__

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
        return [stretch.ranks for stretch in STRETCHES[self][count]]


@dataclass(frozen=True, slots=True)
class Meld:
    """A set (by suit), a run (from its low to its high end) or a tanala (three identical cards).

    All its wild cards are read.
    """

    kind: Kind
    cards: tuple[Laid, ...]

    @property
    def text(self) -> str:
        """As card text: ``5C 8H=6C 7C``."""
        return " ".join([laid.text for laid in self.cards])

    @property
    def shown(self) -> str:
        """As people write it: ``5♣ 8♥ for 6♣ 7♣`` with commas where a wild card is in it."""
        return show_cards(self.cards)

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

    ``suits_differ`` says whether every suit of a set is another; if not, the same card may be in
    it twice. A set has ``set_min_naturals`` natural cards even where other melds may have fewer.
    At most half of a meld is wild with ``half_wild``, no two neighbours of a run are with
    ``wilds_apart``, and no more than ``max_wilds`` cards, if that is given. ``tanala_rule`` is the
    number of the rule that allows three identical cards, or empty. With ``one_run_a_suit`` a player
    has no two runs of one suit. ``set_word`` and ``run_word`` are what the game calls them: ids in
    `companion.rules.messages.TERMS`.

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
    set_min_naturals: int = 0
    suits_differ: bool = True
    half_wild: bool = False
    wilds_apart: bool = False
    max_wilds: int | None = None
    tanala_rule: str = ""
    one_run_a_suit: bool = False
    set_word: str = "set"
    run_word: str = "run"

    def word(self, kind: Kind) -> str:
        """What the game calls such a meld: ``escalera``."""
        return {Kind.SET: self.set_word, Kind.RUN: self.run_word}.get(kind, kind.value)

    def a(self, kind: Kind) -> str:
        """The same with its article: ``an escalera``."""
        return TERMS[self.word(kind)].a

    def term(self, kind: Kind) -> Term:
        """The same as a value of a message."""
        return Term(self.word(kind))

    def is_wild(self, card: Card) -> bool:
        """Whether the card may stand for another."""
        return card.rank in self.wild_ranks

    def wilds(self, cards: Iterable[Laid]) -> int:
        """How many of these cards count as wild: in its own place one may be natural."""
        return len([1 for laid in cards if self.counts_as_wild(laid)])

    def counts_as_wild(self, laid: Laid) -> bool:
        """Whether a card counts as wild where it lies: in its own place it may be natural."""
        return laid.wild and (self.wild_in_own_place or laid.card != laid.stands_for)

    def naturals(self, cards: Sequence[Laid]) -> int:
        """How many of these cards count as natural."""
        return len(cards) - self.wilds(cards)

    def breaches(self, meld: Meld) -> tuple[Breach, ...]:
        """The limits on wild cards that a meld breaks, though its shape is right."""
        found: tuple[Breach, ...] = ()
        if self.min_naturals or self.set_min_naturals:
            found = self.too_few_naturals(meld.cards, fewest=self.fewest_naturals(meld.kind))
        if self.half_wild or self.wilds_apart or self.max_wilds is not None:
            found += self._too_many_wilds(meld)
        return found

    def fewest_naturals(self, kind: Kind) -> int:
        """How many natural cards a meld of this kind has at least."""
        return max(self.min_naturals, self.set_min_naturals if kind is Kind.SET else 0)

    def _too_many_wilds(self, meld: Meld) -> tuple[Breach, ...]:
        wild = [self.counts_as_wild(laid) for laid in meld.cards]
        count, size = sum(wild), len(wild)
        broken = []
        if self.half_wild and 2 * count > size:
            broken.append(Breach.of(self.wild_rule, "half_wild", wild=count, size=size))
        if self.max_wilds is not None and count > self.max_wilds:
            most = self.max_wilds
            broken.append(Breach.of(self.wild_rule, "too_many_wild", wild=count, most=most))
        if self.wilds_apart and meld.kind is Kind.RUN and (True, True) in pairwise(wild):
            run = self.term(Kind.RUN)
            broken.append(Breach.of(self.wild_rule, "wild_neighbours", kind=run))
        return tuple(broken)

    def too_few_naturals(
        self, laid: Sequence[Laid], open_wilds: int = 0, fewest: int | None = None
    ) -> tuple[Breach, ...]:
        """The breach of ``fewest`` natural cards, if these and so many unread wild ones break it.

        Without ``fewest`` it is ``min_naturals``. An unread wild card is given the benefit of
        standing for itself where that is natural.
        """
        wanted = self.min_naturals if fewest is None else fewest
        if wanted == 0:
            return ()
        naturals = self.naturals(laid) + (0 if self.wild_in_own_place else open_wilds)
        if naturals >= wanted:
            return ()
        breach = Breach.of(self.wild_rule, "too_few_naturals", naturals=naturals, wanted=wanted)
        return (breach,)

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


def shape_breaches(offered: Sequence[Offered], limits: MeldLimits) -> list[Breach]:
    """Why cards that have no reading are neither set nor run.

    One rank means that a set was meant, one suit a run; otherwise neither rule is kept.
    """
    known, _ = limits.sort(offered)
    one_rank = len({one.stands_for.rank for one in known}) <= 1
    one_suit = len({one.stands_for.suit for one in known}) <= 1
    cards = Cards(tuple(offered))
    fewest = min(limits.set_sizes[0], limits.run_sizes[0])
    if len(offered) < fewest:
        as_set, as_run = (
            Breach.of(rule, "meld_too_small", cards=cards, fewest=fewest)
            for rule in (limits.set_rule, limits.run_rule)
        )
    else:
        as_set, as_run = _no_set(cards, limits), _no_run(cards, limits)
    if one_rank != one_suit:
        return [as_set] if one_rank else [as_run]
    return [as_set, as_run]


def _no_set(cards: Cards, limits: MeldLimits) -> Breach:
    rule, kind = limits.set_rule, limits.term(Kind.SET)
    fewest, most = limits.set_sizes
    if not limits.suits_differ:
        return Breach.of(rule, "not_a_set", cards=cards, kind=kind, fewest=fewest)
    if fewest == most:
        return Breach.of(rule, "not_a_set_of_size", cards=cards, kind=kind, size=most)
    return Breach.of(rule, "not_a_set_of_suits", cards=cards, kind=kind, fewest=fewest, most=most)


def _no_run(cards: Cards, limits: MeldLimits) -> Breach:
    kind, fewest = limits.term(Kind.RUN), limits.run_sizes[0]
    message = _NO_RUN[limits.ace_in_runs]
    return Breach.of(limits.run_rule, message, cards=cards, kind=kind, fewest=fewest)


_NO_RUN: Final = {
    AceInRuns.HIGH: "not_a_run_ace_high",
    AceInRuns.LOW: "not_a_run_ace_low",
    AceInRuns.BOTH: "not_a_run_ace_both",
}


def rank_bits(ranks: Iterable[Rank]) -> int:
    """Ranks as the bits of a number."""
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


class Stretch(NamedTuple):
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
STRETCHES: Final[Mapping[AceInRuns, Sequence[Sequence[Stretch]]]] = {
    aces: [
        [
            Stretch(low, ranks, rank_bits(ranks))
            for low in _lows(aces, count)
            for ranks in [_RANK_AT[low : low + count]]
        ]
        for count in range(len(RANKS) + 1)
    ]
    for aces in AceInRuns
}
