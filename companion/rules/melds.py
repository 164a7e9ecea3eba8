"""Melds: sets and runs, and the limits of a game on wild cards in them.

`set_shapes` and `run_shapes` return the sets and runs that cards can form, `shape_breaches` why
cards form neither, and `MeldLimits.breaches` which limits a meld breaks. `companion.rules.readings`
lists the melds that offered cards can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from companion.rules.cards import (
    CARD_OF,
    JOKER,
    NATURAL,
    RANKS,
    SUITS,
    Card,
    Laid,
    Offered,
    Rank,
    Suit,
    show_cards,
    without,
)
from companion.rules.errors import Malformed
from companion.rules.language import noted
from companion.rules.messages import Cards, Term
from companion.rules.ruling import Breach

ACE_HIGH: Final = 14
# The longest set of any suits in two packs: eight cards of a rank and four jokers.
MOST_OF_A_RANK: Final = 12


class Kind(Enum):
    """The kinds of meld."""

    SET = "set"
    RUN = "run"
    TANALA = "tanala"

    __hash__ = object.__hash__  # faster than the hash of an enumeration


class AceInRuns(Enum):
    """Where an ace may lie in a run: above the king, below the two, or either but not both."""

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


@dataclass(frozen=True, slots=True)
class Meld:
    """A set (sorted by suit), a run (from low to high) or a tanala (three identical cards).

    Each of its wild cards stands for one card.
    """

    kind: Kind
    cards: tuple[Laid, ...]

    @property
    def text(self) -> str:
        """As card text: ``5C 8H=6C 7C``."""
        return " ".join([laid.text for laid in self.cards])

    @property
    def shown(self) -> str:
        """As people write it: ``5♣, 8♥ for 6♣, 7♣``."""
        return show_cards(self.cards)

    @property
    def identities(self) -> tuple[Card, ...]:
        """The cards that this meld puts on the table, natural or stood for."""
        return tuple([laid.stands_for for laid in self.cards])

    @property
    def low(self) -> int:
        """The place of a run's lowest card, 1 (ace) … 12."""
        return int(self.cards[0].stands_for.rank)

    @property
    def high(self) -> int:
        """The place of a run's highest card, 3 … 14 (ace)."""
        return self.low + len(self.cards) - 1

    def beyond(self, shorter: Meld) -> tuple[Laid, ...]:
        """Return the cards that this meld has and a shorter one lacks."""
        return without(self.cards, shorter.cards)


class MeldRules(NamedTuple):
    """The numbers of the rules that sets, runs, wild cards, lay-offs and swaps break."""

    set: str
    run: str
    wild: str
    lay_off: str
    swap: str


@dataclass(frozen=True, slots=True, eq=False)
class MeldLimits:
    """What one hand of a game allows as a meld, and the numbers of the ``rules`` that say so.

    By default only printed jokers are wild, and an ace may lie at either end of a run. With
    ``wild_in_own_place`` a wild card that stands for itself counts as wild too. With
    ``suits_differ`` every suit of a set is different; else a set may hold a card twice.
    ``min_naturals`` holds for every meld, ``set_min_naturals`` for sets. With ``half_wild`` at most
    half of a meld is wild, with ``wilds_apart`` no two neighbours of a run are, and ``max_wilds``
    is the most in any meld. ``tanala_rule`` is the rule that allows three identical cards, or
    empty. With ``one_run_a_suit`` a player has no two runs of one suit. ``set_word`` and
    ``run_word`` are the game's words for them, by their ids in `companion.rules.messages.TERMS`.

    Caches use limits as keys: two of them are never equal, even if they allow the same melds.
    """

    rules: MeldRules
    wild_ranks: frozenset[Rank] = frozenset({Rank.JOKER})
    ace_in_runs: AceInRuns = AceInRuns.BOTH
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

    def term(self, kind: Kind) -> Term:
        """Return the game's word for this kind of meld, as a value of a message: ``escalera``."""
        return Term({Kind.SET: self.set_word, Kind.RUN: self.run_word}.get(kind, kind.value))

    def smallest(self, kind: Kind) -> int:
        """Return the fewest cards of a set, or of a run."""
        return (self.set_sizes if kind is Kind.SET else self.run_sizes)[0]

    def is_wild(self, card: Card) -> bool:
        """True if the card may stand for another."""
        return card.rank in self.wild_ranks

    def wilds(self, cards: Iterable[Laid]) -> int:
        """Return how many of these cards count as wild."""
        return len([1 for laid in cards if self.counts_as_wild(laid)])

    def counts_as_wild(self, laid: Laid) -> bool:
        """True if a card counts as wild where it lies: in its own place it may count as natural."""
        return laid.wild and (self.wild_in_own_place or laid.card != laid.stands_for)

    def breaches(self, meld: Meld) -> tuple[Breach, ...]:
        """Return the limits on wild cards that a meld of the right shape breaks."""
        broken: tuple[Breach, ...] = ()
        if self.min_naturals or self.set_min_naturals:
            broken = self.too_few_naturals(meld.cards, self.fewest_naturals(meld.kind))
        if self.half_wild or self.wilds_apart or self.max_wilds is not None:
            broken += self._too_many_wilds(meld)
        return broken

    def fewest_naturals(self, kind: Kind) -> int:
        """Return the fewest natural cards that a meld of this kind may have."""
        return max(self.min_naturals, self.set_min_naturals if kind is Kind.SET else 0)

    def _too_many_wilds(self, meld: Meld) -> tuple[Breach, ...]:
        wild = [self.counts_as_wild(laid) for laid in meld.cards]
        count, size = sum(wild), len(wild)
        broken = []
        if self.half_wild and 2 * count > size:
            broken.append(Breach.of(self.rules.wild, "half_wild", wild=count, size=size))
        if self.max_wilds is not None and count > self.max_wilds:
            most = self.max_wilds
            broken.append(Breach.of(self.rules.wild, "too_many_wild", wild=count, most=most))
        if self.wilds_apart and meld.kind is Kind.RUN and self._has_wild_neighbours(wild):
            run = self.term(Kind.RUN)
            broken.append(Breach.of(self.rules.wild, "wild_neighbours", kind=run))
        return tuple(broken)

    def _has_wild_neighbours(self, wild: Sequence[bool]) -> bool:
        """True if two wild cards lie side by side in a run.

        A whole suit may have its ace at either end: it is enough if one order keeps them apart.
        """
        orders = [wild]
        if len(wild) == len(RANKS) and self.ace_in_runs is AceInRuns.BOTH:
            orders.append([*wild[1:], wild[0]])
        return all((True, True) in pairwise(order) for order in orders)

    def too_few_naturals(
        self, laid: Sequence[Laid], wanted: int, open_wilds: int = 0
    ) -> tuple[Breach, ...]:
        """Return a breach if fewer than ``wanted`` cards can be natural."""
        if wanted == 0:
            return ()
        naturals = len(laid) - self.wilds(laid)
        if not self.wild_in_own_place:
            naturals += open_wilds
        if naturals >= wanted:
            return ()
        breach = Breach.of(self.rules.wild, "too_few_naturals", naturals=naturals, wanted=wanted)
        return (breach,)

    def check_offered(self, cards: Sequence[Offered], where: str = "cards") -> None:
        """Raise `Malformed` if a card that is not wild is given as standing for another."""
        for card, stands_for in cards:
            if stands_for is not None and stands_for != card and not self.is_wild(card):
                says = noted("%(shown)s is not wild in this hand and cannot stand for %(card)s.")
                raise Malformed(says, where, shown=card.shown, card=stands_for.shown)

    def known_and_open(self, offered: Iterable[Offered]) -> tuple[list[Laid], list[Card]]:
        """Split cards into those with a known identity and the wild cards without one."""
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
    """Return why cards of one rank are no set, cards of one suit no run, and others neither."""
    known, _ = limits.known_and_open(offered)
    one_rank = len({laid.stands_for.rank for laid in known}) <= 1
    one_suit = len({laid.stands_for.suit for laid in known}) <= 1
    cards = Cards(tuple(offered))
    fewest = min(limits.set_sizes[0], limits.run_sizes[0])
    if len(offered) < fewest:
        as_set = Breach.of(limits.rules.set, "meld_too_small", cards=cards, fewest=fewest)
        as_run = as_set._replace(rule=limits.rules.run)
    else:
        as_set, as_run = _no_set(cards, limits), _no_run(cards, limits)
    if one_rank != one_suit:
        return [as_set] if one_rank else [as_run]
    return [as_set, as_run]


def _no_set(cards: Cards, limits: MeldLimits) -> Breach:
    rule, kind = limits.rules.set, limits.term(Kind.SET)
    fewest, most = limits.set_sizes
    if fewest == most:
        message = "not_a_set_of_size" if limits.suits_differ else "not_a_set_of_any"
        return Breach.of(rule, message, cards=cards, kind=kind, size=most)
    if not limits.suits_differ:
        return Breach.of(rule, "not_a_set", cards=cards, kind=kind, fewest=fewest)
    return Breach.of(rule, "not_a_set_of_suits", cards=cards, kind=kind, fewest=fewest, most=most)


def _no_run(cards: Cards, limits: MeldLimits) -> Breach:
    kind, (fewest, most) = limits.term(Kind.RUN), limits.run_sizes
    message = "not_a_run_of_size" if fewest == most else _NO_RUN[limits.ace_in_runs]
    return Breach.of(limits.rules.run, message, cards=cards, kind=kind, fewest=fewest)


_NO_RUN: Final = {
    AceInRuns.HIGH: "not_a_run_ace_high",
    AceInRuns.LOW: "not_a_run_ace_low",
    AceInRuns.BOTH: "not_a_run_ace_both",
}


def _rank_bits(ranks: Iterable[Rank]) -> int:
    """Return a number with one bit set for each rank."""
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


class Stretch(NamedTuple):
    """The ranks of consecutive places of a suit, and these as bits."""

    ranks: tuple[Rank, ...]
    bits: int


def _lows(aces: AceInRuns, count: int) -> Sequence[int]:
    # A whole suit is one run: its ace at the other end does not make a second one.
    lows = range(aces.lowest, aces.highest - count + 2)
    return lows[:1] if count == len(RANKS) else lows


_RANK_AT: Final = (Rank.JOKER, *RANKS, Rank.ACE)
STRETCHES: Final[Mapping[AceInRuns, Sequence[Sequence[Stretch]]]] = {
    aces: [
        [
            Stretch(ranks, _rank_bits(ranks))
            for low in _lows(aces, count)
            for ranks in [_RANK_AT[low : low + count]]
        ]
        for count in range(len(RANKS) + 1)
    ]
    for aces in AceInRuns
}


# -- which cards are a set, and which a run -------------------------------------------------------


class Shape(NamedTuple):
    """A meld whose ``free`` places have no card yet. A run has its ``ranks``, in order."""

    kind: Kind
    known: tuple[Laid, ...]
    free: tuple[Card, ...] = ()
    ranks: tuple[Rank, ...] = ()

    def with_cards(self, laid: Iterable[Laid]) -> Meld:
        """Return the meld with these cards in the free places."""
        if self.kind is not Kind.RUN:
            cards = [*self.known, *laid]
            cards.sort(key=lambda card: (card.stands_for.suit, card.wild, card.card))
            return Meld(self.kind, tuple(cards))
        by_rank = {card.stands_for.rank: card for card in (*self.known, *laid)}
        return Meld(Kind.RUN, tuple([by_rank[rank] for rank in self.ranks]))

    def with_jokers(self) -> Meld:
        """Return the meld with a joker in each free place."""
        return self.with_cards([Laid(JOKER, card, True) for card in self.free])


def set_shapes(known: Sequence[Laid], wilds: int, limits: MeldLimits) -> list[Shape]:
    """Return every set that the known cards can form with this many wild cards.

    Where suits do not matter, there is one set for each rank, and its free places take the missing
    suits in turn.
    """
    fewest, most = limits.set_sizes
    ranks = {laid.stands_for.rank for laid in known}
    suits = {laid.stands_for.suit for laid in known}
    if len(ranks) > 1 or not fewest <= len(known) + wilds <= most:
        return []
    if limits.suits_differ and len(suits) < len(known):
        return []
    missing = [suit for suit in SUITS if suit not in suits]
    choices: Iterable[Sequence[Suit]] = [((missing or SUITS) * wilds)[:wilds]]
    if limits.suits_differ:
        choices = list(combinations(missing, wilds))
    return [
        Shape(Kind.SET, tuple(known), tuple([CARD_OF[rank, suit] for suit in chosen]))
        for rank in ranks or RANKS
        for chosen in choices
    ]


def run_shapes(known: Sequence[Laid], wilds: int, limits: MeldLimits) -> list[Shape]:
    """Return every run that the known cards can form with this many wild cards, low runs first.

    A run among the known cards keeps its ace where it lies, except in a whole suit.
    """
    count = len(known) + wilds
    fewest, most = limits.run_sizes
    suits = {laid.stands_for.suit for laid in known}
    by_rank = {laid.stands_for.rank: laid for laid in known}
    if len(suits) > 1 or len(by_rank) < len(known) or not fewest <= count <= most:
        return []
    bits = _rank_bits(by_rank)
    shapes = []
    for stretch in STRETCHES[limits.ace_in_runs][count]:
        if not bits & ~stretch.bits:
            missing = [rank for rank in stretch.ranks if rank not in by_rank]
            for suit in suits or SUITS:
                free = tuple([CARD_OF[rank, suit] for rank in missing])
                shapes.append(Shape(Kind.RUN, tuple(known), free, stretch.ranks))
    return shapes
