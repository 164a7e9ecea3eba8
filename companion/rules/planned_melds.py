"""Which card lies where in the melds that were found to leave the least.

A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as far
as they go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from companion.rules.best_lengthenings import rank_bit
from companion.rules.best_melds import BestMelds, Question
from companion.rules.best_runs import PlannedRun
from companion.rules.best_sets import PlannedSet, missing_suits
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Rank, Suit
from companion.rules.melds import Kind, Meld, MeldLimits

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


def lay_down(best: BestMelds, question: Question) -> LaidDown:
    """The melds and lay-offs that were found, card by card."""
    hand = _Hand(question)
    shapes = [_run_shape(suit, run) for suit, run in best.runs]
    # What counts as natural has its card first.
    naturals = [CARD_OF[rank, suit] for rank, one, _ in best.sets for suit in one.suits]
    naturals += [card for shape in shapes for card, is_open in shape.places if not is_open]
    hand.take(naturals)
    for shape in shapes:
        hand.see(shape.places)
    for rank, planned, wilds in best.sets:
        shapes.append(_set_shape(rank, planned, wilds, hand))
    for kind, size in best.own:
        shapes.append(_of_wilds(kind, size, hand))
    others = hand.others()
    unused, used = others[: best.unused], iter(others[best.unused :])
    melds, laid_off = [], []
    for shape in shapes:
        cards = []
        for identity, is_open in shape.places:
            if not is_open:
                cards.append(Laid(identity, identity, hand.limits.is_wild(identity)))
            elif hand.in_place.get(identity):
                hand.in_place[identity] -= 1
                cards.append(Laid(identity, identity, True))
            else:
                cards.append(Laid(next(used), identity, True))
        if shape.kind is Kind.SET:  # wild cards that are the same card lie as a reading has them
            cards.sort(key=lambda one: (one.stands_for, one.wild, one.card))
        if shape.onto is None:
            melds.append(_meld(shape.kind, cards, hand.limits))
        else:
            laid_off.append(LaidOff(tuple(cards), shape.onto))
    laid_off.sort(key=lambda one: one.onto)
    return LaidDown(tuple(melds), tuple(laid_off), unused)


class _Hand:
    """The wild cards that are still to be laid, and those that will lie in their own place."""

    def __init__(self, question: Question) -> None:
        self.limits = question.limits
        ranks = self.limits.wild_ranks
        self.wilds = {c: n for c, n in question.held.items() if c.rank in ranks}
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


def _meld(kind: Kind, cards: Sequence[Laid], limits: MeldLimits) -> Meld:
    """Three identical cards, each as itself, are a meld of their own kind where there is one."""
    first = cards[0].card
    alike = len(cards) == _THREE and all(one.card == one.stands_for == first for one in cards)
    if limits.tanala_rule and alike:
        kind = Kind.TANALA
    return Meld(kind, tuple(cards))


def _run_shape(suit: Suit, run: PlannedRun) -> _Shape:
    there = range(run.onto.meld.low, run.onto.meld.high + 1) if run.onto else range(0)
    places = [
        (CARD_OF[RANKS[(place - 1) % len(RANKS)], suit], not run.naturals & rank_bit(place))
        for place in range(run.low, run.high + 1)
        if place not in there
    ]
    return _Shape(Kind.RUN, places, run.onto.at if run.onto else None)


def _set_shape(rank: Rank, planned: PlannedSet, wilds: int, hand: _Hand) -> _Shape:
    """A set with so many wild cards, each of them its own card or one that few melds have."""
    places = [(CARD_OF[rank, suit], False) for suit in planned.suits]
    if wilds:
        others = [(card, True) for card in _stood_for(rank, planned, wilds, hand)]
        hand.see(others)
        places = sorted([*places, *others], key=_suit)
    return _Shape(Kind.SET, places, planned.onto.at if planned.onto else None)


def _suit(place: _Place) -> Suit:
    return place[0].suit


def _stood_for(rank: Rank, planned: PlannedSet, wilds: int, hand: _Hand) -> list[Card]:
    """The cards that so many wild cards are in a set."""
    suits = missing_suits(planned.onto.meld) if planned.onto else SUITS
    free = [CARD_OF[rank, suit] for suit in suits if suit not in planned.suits]
    if hand.limits.suits_differ:
        chosen = [card for card in free if hand.wilds.get(card)][:wilds]
    else:
        chosen = [card for card in hand.others() if card.rank is rank][:wilds]
        free = free or [CARD_OF[rank, suit] for suit in SUITS]
    others = [card for card in free if card not in chosen] or free
    others.sort(key=lambda card: (hand.seen.get(card, 0), card.suit))
    return chosen + [others[n % len(others)] for n in range(wilds - len(chosen))]


def _of_wilds(kind: Kind, size: int, hand: _Hand) -> _Shape:
    """A meld of wild cards alone; a set is of the rank that most of them have."""
    if kind is Kind.RUN:
        low = hand.limits.ace_in_runs.lowest
        shape = _run_shape(SUITS[0], PlannedRun(low, low + size - 1, 0))
        hand.see(shape.places)
        return shape

    def of_rank(rank: Rank) -> int:
        held = [n for card, n in hand.wilds.items() if n and card.rank is rank]
        return len(held) if hand.limits.suits_differ else sum(held)

    rank = max(RANKS, key=lambda rank: (of_rank(rank), -rank))
    return _set_shape(rank, PlannedSet((), size, size), size, hand)
