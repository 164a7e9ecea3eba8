"""The fewest points that a handful of cards can be left with, and melds that leave no more.

For games in which a player may arrange cards as they like. What a turn forbids (PRO-7) and what is
on the table already (PRO-9) does not count, but every meld is one by the game's limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.best_melds import BestMelds, best_melds
from companion.rules.best_runs import PlannedRun, rank_bit
from companion.rules.best_sets import PlannedSet, missing_suits
from companion.rules.cards import CARD_OF, PACK, RANKS, SUITS, Card, Laid, Rank, Suit, check_packs
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld, MeldLimits

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT = 1 << 8
_LISTED = {card: number for number, card in enumerate(PACK)}


@dataclass(frozen=True, slots=True)
class LaidOff:
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Cards as melds, lay-offs and deadwood; ``points`` is what the deadwood counts."""

    points: int
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    deadwood: tuple[Card, ...]


def arrange(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Arrangement:
    """An arrangement of the cards that leaves the fewest points, and of those the fewest cards.

    ``onto`` are melds on the table that may be laid off on. The same cards in another order have
    the same answer. Points are as in PRO-15, melds as in PRO-4 to PRO-6, lay-offs as in PRO-8.
    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    check_packs([("the cards", cards)], *rules.deck)
    costs = {
        card: rules.value(card) * _POINT + 1 for card in sorted(cards, key=_LISTED.__getitem__)
    }
    best = best_melds(costs, rules.limits, onto)
    wilds = [card for card in costs if rules.limits.is_wild(card) and card not in best.in_place]
    unused, used = wilds[: best.unused], wilds[best.unused :]
    deadwood = tuple(sorted((*best.left, *unused), key=_LISTED.__getitem__))
    melds, laid_off = _lay(best, used, rules.limits)
    return Arrangement(best.cost // _POINT, melds, laid_off, deadwood)


class _Place(NamedTuple):
    """A place in a meld: the card that is there, and whether a wild card stands for it."""

    identity: Card
    open: bool


class _Shape(NamedTuple):
    kind: Kind
    places: list[_Place]
    onto: int | None


def _run_shape(suit: Suit, run: PlannedRun) -> _Shape:
    there = range(run.onto.meld.low, run.onto.meld.high + 1) if run.onto else range(0)
    places = [
        _Place(CARD_OF[RANKS[(place - 1) % len(RANKS)], suit], not run.naturals & rank_bit(place))
        for place in range(run.low, run.high + 1)
        if place not in there
    ]
    return _Shape(Kind.RUN, places, run.onto.at if run.onto else None)


def _set_shape(rank: Rank, planned: PlannedSet, wilds: int) -> _Shape:
    missing = missing_suits(planned.onto.meld) if planned.onto else SUITS
    free = [suit for suit in missing if suit not in planned.suits][:wilds]
    places = [_Place(CARD_OF[rank, suit], suit in free) for suit in sorted((*planned.suits, *free))]
    return _Shape(Kind.SET, places, planned.onto.at if planned.onto else None)


def _lay(
    best: BestMelds, wilds: list[Card], limits: MeldLimits
) -> tuple[tuple[Meld, ...], tuple[LaidOff, ...]]:
    """The melds and lay-offs with their cards; a wild card lies in its own place if it can."""
    shapes = [_run_shape(*run) for run in best.runs] + [_set_shape(*one) for one in best.sets]
    own_place = {
        place.identity
        for shape in shapes
        for place in shape.places
        if place.open and place.identity in wilds
    }
    others = iter([card for card in wilds if card not in own_place])
    melds, laid_off = [], []
    for shape in shapes:
        cards = []
        for identity, is_open in shape.places:
            if not is_open:
                cards.append(Laid(identity, identity, limits.is_wild(identity)))
            elif identity in own_place:
                own_place.remove(identity)
                cards.append(Laid(identity, identity, True))
            else:
                cards.append(Laid(next(others), identity, True))
        if shape.onto is None:
            melds.append(Meld(shape.kind, tuple(cards)))
        else:
            laid_off.append(LaidOff(tuple(cards), shape.onto))
    own = tuple(Laid(card, card, True) for card in others)
    if own:
        melds.append(Meld(Kind.SET, own))
    return tuple(melds), tuple(sorted(laid_off, key=lambda one: one.onto))
