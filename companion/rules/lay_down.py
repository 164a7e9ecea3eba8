"""Which card lies where in the melds that were chosen to leave the least.

A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as far
as they go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from companion.rules.candidates import Planned, card_at, cards_of
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Rank, Suit
from companion.rules.choice import Best
from companion.rules.lay_offs import missing_suits
from companion.rules.melds import AceInRuns, Kind, Meld, MeldLimits

_THREE: Final = 3


@dataclass(frozen=True, slots=True)
class LaidOff:
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


class LaidDown(NamedTuple):
    """Melds and lay-offs with their cards, and the wild cards that are in none."""

    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    unused: list[Card]


# A place in a meld: the card that is there, and whether a wild card stands for it.
_Place = tuple[Card, bool]


class _Shape(NamedTuple):
    kind: Kind
    places: list[_Place]
    onto: int | None = None


def lay_down(
    best: Best, held: Mapping[Card, int], onto: Sequence[Meld], limits: MeldLimits
) -> LaidDown:
    """The melds and lay-offs that were found, card by card."""
    hand = _Hand(held, limits)
    # What counts as natural has its card first, and then what has its place in a run.
    for planned, _ in best.chosen:
        hand.take(cards_of(planned))
    shapes = []
    for kind in (Kind.RUN, Kind.SET):
        for planned, wilds in best.chosen:
            if planned.kind is kind:
                there = None if planned.onto is None else onto[planned.onto]
                shapes.append(hand.shape(planned, wilds, there))
    shapes += [hand.of_wilds(kind, size) for kind, size in best.own]
    others = hand.others()
    unused, used = others[: best.unused], iter(others[best.unused :])
    melds, laid_off = [], []
    for shape in shapes:
        cards = hand.laid(shape, used)
        if shape.onto is None:
            melds.append(_meld(shape.kind, cards, limits))
        elif cards:
            laid_off.append(LaidOff(tuple(cards), shape.onto))
    laid_off.sort(key=lambda one: one.onto)
    return LaidDown(tuple(melds), tuple(laid_off), unused)


class _Hand:
    """The wild cards that are still to be laid, and those that will lie in their own place."""

    def __init__(self, held: Mapping[Card, int], limits: MeldLimits) -> None:
        self.limits = limits
        self.wilds = {card: count for card, count in held.items() if limits.is_wild(card)}
        self.in_place: dict[Card, int] = {}
        self.seen: dict[Card, int] = {}

    def others(self) -> list[Card]:
        """The wild cards that are still to be laid, each as often as it is held."""
        return [card for card, count in self.wilds.items() for _ in range(count)]

    def take(self, naturals: Sequence[Card]) -> None:
        """Take the wild cards that count as natural."""
        for card in naturals:
            self.seen[card] = self.seen.get(card, 0) + 1
            if card in self.wilds:
                self.wilds[card] -= 1

    def see(self, places: Sequence[_Place]) -> None:
        """Have wild cards lie in their own place where they stand for a card."""
        for card, is_open in places:
            if is_open:
                self.seen[card] = self.seen.get(card, 0) + 1
                if self.wilds.get(card):
                    self.wilds[card] -= 1
                    self.in_place[card] = self.in_place.get(card, 0) + 1

    def shape(self, planned: Planned, wilds: int, onto: Meld | None) -> _Shape:
        """The places of a meld with so many wild cards."""
        if planned.kind is Kind.RUN:
            low, high = planned.ends or _spread(planned.places, wilds, self.limits)
            there = range(onto.low, onto.high + 1) if onto else ()
            places = [
                (card_at(place, planned.suits[0]), not planned.places >> place & 1)
                for place in range(low, high + 1)
                if place not in there
            ]
            self.see(places)
            return _Shape(Kind.RUN, places, planned.onto)
        others = [(card, True) for card in self._stood_for(planned, wilds, onto)]
        self.see(others)
        places = sorted([*[(card, False) for card in cards_of(planned)], *others], key=_suit)
        return _Shape(Kind.SET, places, planned.onto)

    def _stood_for(self, planned: Planned, wilds: int, onto: Meld | None) -> list[Card]:
        """The cards that so many wild cards are in a set: their own, or those few melds have."""
        if not wilds:
            return []
        rank = Rank(planned.places)
        suits = missing_suits(onto) if onto else SUITS
        free = [CARD_OF[rank, suit] for suit in suits if suit not in planned.suits]
        if self.limits.suits_differ:
            chosen = [card for card in free if self.wilds.get(card)][:wilds]
        else:
            chosen = [card for card in self.others() if card.rank is rank][:wilds]
            free = free or [CARD_OF[rank, suit] for suit in SUITS]
        others = [card for card in free if card not in chosen] or free
        others.sort(key=lambda card: (self.seen.get(card, 0), card.suit))
        return chosen + [others[n % len(others)] for n in range(wilds - len(chosen))]

    def of_wilds(self, kind: Kind, size: int) -> _Shape:
        """A meld of wild cards alone; a set is of the rank that most of them have."""
        if kind is Kind.RUN:
            return self.shape(Planned(kind, SUITS[:1], 0), size, None)

        def of_rank(rank: Rank) -> int:
            held = [n for card, n in self.wilds.items() if n and card.rank is rank]
            return len(held) if self.limits.suits_differ else sum(held)

        rank = max(RANKS, key=lambda rank: (of_rank(rank), -rank))
        return self.shape(Planned(Kind.SET, (), rank), size, None)

    def laid(self, shape: _Shape, used: Iterator[Card]) -> list[Laid]:
        """The cards of a meld; ``used`` are the wild cards that lie in no place of their own."""
        cards = []
        for identity, is_open in shape.places:
            if not is_open:
                cards.append(Laid(identity, identity, self.limits.is_wild(identity)))
            elif self.in_place.get(identity):
                self.in_place[identity] -= 1
                cards.append(Laid(identity, identity, True))
            else:
                cards.append(Laid(next(used), identity, True))
        if shape.kind is Kind.SET:  # wild cards that are the same card lie as a reading has them
            cards.sort(key=lambda one: (one.stands_for, one.wild, one.card))
        return cards


def _meld(kind: Kind, cards: Sequence[Laid], limits: MeldLimits) -> Meld:
    """Three identical cards, each as itself, are a meld of their own kind where there is one."""
    first = cards[0].card
    alike = len(cards) == _THREE and all(one.card == one.stands_for == first for one in cards)
    if limits.tanala_rule and alike:
        kind = Kind.TANALA
    return Meld(kind, tuple(cards))


def _spread(places: int, wilds: int, limits: MeldLimits) -> tuple[int, int]:
    """The ends of a run of these places; wild cards to spare go to its high end first.

    Where they must lie apart, one goes to each end.
    """
    aces, size = limits.ace_in_runs, places.bit_count() + wilds
    if not places:
        return aces.lowest, aces.lowest + size - 1
    low, last = (places & -places).bit_length() - 1, places.bit_length() - 1
    spare = size - (last - low + 1)
    if aces is AceInRuns.BOTH and size == len(RANKS):
        high = int(Rank.KING)
    else:
        high = min(last + (min(spare, 1) if limits.wilds_apart else spare), aces.highest)
    return high - size + 1, high


def _suit(place: _Place) -> Suit:
    return place[0].suit
