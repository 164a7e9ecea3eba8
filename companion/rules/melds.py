"""Sets and runs, and what a wild card may stand for in them.

A `MeldLimits` says what a game calls a meld. `readings` lists every way in which offered cards are
a set or a run by its shape; `MeldLimits.breaches` says which further limits one reading breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations
from typing import Final

from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Offered, Rank, Suit
from companion.rules.errors import Malformed
from companion.rules.ruling import Breach

ACE_HIGH: Final = 14
_PLACES: Final[dict[Suit, tuple[Card | None, ...]]] = {
    suit: (None, *(CARD_OF[rank, suit] for rank in RANKS), CARD_OF[Rank.ACE, suit])
    for suit in SUITS
}


class Kind(Enum):
    """What a meld is."""

    SET = "set"
    RUN = "run"


class AceInRuns(Enum):
    """Where an ace may lie in a run: above the king, below the two, or either, but not both."""

    HIGH = "high"
    LOW = "low"
    BOTH = "both"

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

    def lows(self, count: int, least: int = 1, most: int = ACE_HIGH) -> range:
        """The places, from ``least`` to ``most``, at which a run of so many cards can begin.

        A whole suit is one run only, wherever its ace is laid.
        """
        lows = range(max(self.lowest, least), min(self.highest - count + 1, most) + 1)
        return lows[:1] if count == len(RANKS) else lows


@dataclass(frozen=True, slots=True)
class Meld:
    """A set (by suit) or a run (from its low to its high end) whose wild cards are all read."""

    kind: Kind
    cards: tuple[Laid, ...]

    @property
    def text(self) -> str:
        """As card text: ``5C 8H=6C 7C``."""
        return " ".join(laid.text for laid in self.cards)

    @property
    def shown(self) -> str:
        """As people write it: ``5♣ 8♥ for 6♣ 7♣`` with commas where a wild card is in it."""
        between = ", " if any(laid.card != laid.stands_for for laid in self.cards) else " "
        return between.join(laid.shown for laid in self.cards)

    @property
    def identities(self) -> tuple[Card, ...]:
        """The cards that are on the table through this meld, natural or stood for."""
        return tuple(laid.stands_for for laid in self.cards)

    @property
    def low(self) -> int:
        """The place of a run's lowest card, 1 (ace) … 12."""
        return int(self.cards[0].stands_for.rank)

    @property
    def high(self) -> int:
        """The place of a run's highest card, 3 … 14 (ace)."""
        return self.low + len(self.cards) - 1


@dataclass(frozen=True, slots=True)
class MeldLimits:
    """What one hand of a game calls a meld, and the numbers of the rules that say so."""

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

    def counts_as_wild(self, laid: Laid) -> bool:
        """Whether a laid card is wild by the limits: one in its own place may be natural."""
        return laid.wild and (self.wild_in_own_place or laid.card != laid.stands_for)

    def naturals(self, cards: Iterable[Laid]) -> int:
        """How many of these cards count as natural."""
        return sum(not self.counts_as_wild(laid) for laid in cards)

    def breaches(self, meld: Meld) -> tuple[Breach, ...]:
        """The limits on wild cards that a meld breaks, though its shape is right."""
        return self.too_few_naturals(meld.cards)

    def too_few_naturals(self, laid: Sequence[Laid], open_wilds: int = 0) -> tuple[Breach, ...]:
        """The breach of ``min_naturals``, if these cards and so many unread wild ones break it.

        An unread wild card is given the benefit of standing for itself where that is natural.
        """
        naturals = self.naturals(laid) + (0 if self.wild_in_own_place else open_wilds)
        if naturals >= self.min_naturals:
            return ()
        return (
            Breach(
                self.wild_rule,
                f"There are {naturals} natural cards in it; a meld needs {self.min_naturals} here.",
            ),
        )

    def check_offered(self, cards: Sequence[Offered], where: str = "cards") -> None:
        """Raise `Malformed` if a card that is not wild was said to stand for another."""
        for offered in cards:
            if offered.stands_for is None or self.is_wild(offered.card):
                continue
            if offered.card != offered.stands_for:
                raise Malformed(
                    f"{offered.card.shown} is not wild in this hand and cannot stand for "
                    f"{offered.stands_for.shown}.",
                    where,
                )

    def lay(self, offered: Offered) -> Laid | None:
        """The card as it is laid, or None while what it stands for is open."""
        if self.is_wild(offered.card):
            if offered.stands_for is None:
                return None
            return Laid(offered.card, offered.stands_for, True)
        return Laid(offered.card, offered.card)


def _sort(offered: Sequence[Offered], limits: MeldLimits) -> tuple[list[Laid], list[Card]]:
    fixed: list[Laid] = []
    open_wilds: list[Card] = []
    for one in offered:
        laid = limits.lay(one)
        if laid is None:
            open_wilds.append(one.card)
        else:
            fixed.append(laid)
    return fixed, open_wilds


def _fill(
    kind: Kind, fixed: Sequence[Laid], wilds: Sequence[Card], free: Sequence[Card], order: str
) -> Iterator[Meld]:
    """Every way to let the wilds stand for the free cards; as many wilds as ``free`` or fewer."""
    for chosen in permutations(free, len(wilds)):
        cards = [*fixed, *(Laid(w, c, True) for w, c in zip(wilds, chosen, strict=True))]
        cards.sort(key=_SORT[order])
        yield Meld(kind, tuple(cards))


def _by_suit(laid: Laid) -> int:
    return laid.stands_for.suit


def _ace_low(laid: Laid) -> int:
    return laid.stands_for.rank


def _ace_high(laid: Laid) -> int:
    rank = laid.stands_for.rank
    return ACE_HIGH if rank == 1 else rank


_SORT: Final = {"suit": _by_suit, "ace low": _ace_low, "ace high": _ace_high}


def set_readings(
    fixed: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits
) -> Iterator[Meld]:
    """Every way in which the cards are a set: one rank, every suit different."""
    count = len(fixed) + len(wilds)
    if not limits.set_sizes[0] <= count <= limits.set_sizes[1]:
        return
    ranks = {laid.stands_for.rank for laid in fixed}
    suits = {laid.stands_for.suit for laid in fixed}
    if len(ranks) > 1 or len(suits) < len(fixed):
        return
    for rank in ranks or RANKS:
        free = [CARD_OF[rank, suit] for suit in SUITS if suit not in suits]
        yield from _fill(Kind.SET, fixed, wilds, free, "suit")


def run_readings(
    fixed: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits
) -> Iterator[Meld]:
    """Every way in which the cards are a run: consecutive, one suit, never around the corner."""
    count = len(fixed) + len(wilds)
    if not limits.run_sizes[0] <= count <= limits.run_sizes[1]:
        return
    suits = {laid.stands_for.suit for laid in fixed}
    if len(suits) > 1:
        return
    for suit in suits or SUITS:
        for low in limits.ace_in_runs.lows(count):
            window = _PLACES[suit][low : low + count]
            free = _left_free(fixed, window)
            if free is not None:
                order = "ace low" if low == 1 else "ace high"
                yield from _fill(Kind.RUN, fixed, wilds, free, order)


def _left_free(fixed: Sequence[Laid], window: Sequence[Card | None]) -> list[Card] | None:
    """The cards of the window that are not taken; None if a fixed card has no place of its own."""
    free = [card for card in window if card is not None]
    for laid in fixed:
        if laid.stands_for not in free:
            return None
        free.remove(laid.stands_for)
    return free


def readings(offered: Sequence[Offered], limits: MeldLimits) -> list[Meld]:
    """Every set and every run that the offered cards can be, by shape alone.

    Empty if they are neither. Limits on wild cards, the table and the player's turn are not
    looked at here.
    """
    fixed, wilds = _sort(offered, limits)
    return [*set_readings(fixed, wilds, limits), *run_readings(fixed, wilds, limits)]


def extensions(meld: Meld, offered: Sequence[Offered], limits: MeldLimits) -> list[Meld]:
    """Every meld that ``meld`` becomes with the offered cards laid off on it, by shape alone."""
    fixed, wilds = _sort(offered, limits)
    if meld.kind is Kind.SET:
        return list(_set_extensions(meld, fixed, wilds, limits))
    return list(_run_extensions(meld, fixed, wilds, limits))


def _set_extensions(
    meld: Meld, fixed: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits
) -> Iterator[Meld]:
    yield from set_readings([*meld.cards, *fixed], wilds, limits)


def _run_extensions(
    meld: Meld, fixed: Sequence[Laid], wilds: Sequence[Card], limits: MeldLimits
) -> Iterator[Meld]:
    added = len(fixed) + len(wilds)
    count = len(meld.cards) + added
    if count > limits.run_sizes[1]:
        return
    places = _PLACES[Suit(meld.cards[0].stands_for.suit)]
    for low in limits.ace_in_runs.lows(count, meld.low - added, meld.low):
        ends = [*places[low : meld.low], *places[meld.high + 1 : low + count]]
        free = _left_free(fixed, ends)
        if free is not None:
            order = "ace low" if low == 1 else "ace high"
            yield from _fill(Kind.RUN, [*meld.cards, *fixed], wilds, free, order)
