"""Which card lies where in melds that were chosen.

A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as far
as they go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from companion.rules.candidates import Planned, missing_suits
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Rank
from companion.rules.melds import AceInRuns, Kind, Meld, MeldLimits


class LaidOff(NamedTuple):
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


class LaidDown(NamedTuple):
    """Melds and lay-offs with their cards, and the cards that are in none."""

    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    left: Sequence[Card]


# What is planned, and how many wild cards stand for others in it.
Chosen = Sequence[tuple[Planned, int]]
# A place in a meld: the card that is there, and whether a wild card stands for it.
_Place = tuple[Card, bool]


def lay_down(
    chosen: Chosen, held: Mapping[Card, int], onto: Sequence[Meld], limits: MeldLimits
) -> LaidDown:
    """The melds and lay-offs that were chosen, card by card."""
    left, seen = dict(held), dict.fromkeys(held, 0)
    # What counts as natural has its card first, and then what has its place in a run.
    for planned, _ in chosen:
        for card in planned.cards:
            left[card] -= 1
            seen[card] += 1
    lying = [
        (planned, _lying(_places(planned, wilds, left, seen, onto, limits), left, seen, limits))
        for planned, wilds in sorted(chosen, key=_order)
    ]
    spare: list[Card] = []
    unused: list[Card] = []
    for card, count in left.items():
        if count:
            (spare if card.rank in limits.wild_ranks else unused).extend([card] * count)
    # The last wild cards lie where others would, and the first are left.
    others = sum([card is None for _, places in lying for card, _ in places])
    wild = iter(spare[len(spare) - others :])
    melds, laid_off = [], []
    for planned, places in lying:
        cards = [
            Laid(own, identity, own.rank in limits.wild_ranks)
            for card, identity in places
            for own in [card or next(wild)]
        ]
        if planned.kind is Kind.SET:  # wild cards that are the same card lie as a reading has them
            cards.sort(key=lambda one: (one.stands_for, one.wild, one.card))
        if planned.onto is None:
            melds.append(_meld(planned.kind, cards, limits))
        else:
            laid_off.append(LaidOff(tuple(cards), planned.onto))
    laid_off = sorted((one for one in laid_off if one.cards), key=lambda one: one.onto)
    return LaidDown(tuple(melds), tuple(laid_off), unused + spare[: len(spare) - others])


def _lying(
    places: Sequence[_Place], left: dict[Card, int], seen: dict[Card, int], limits: MeldLimits
) -> list[tuple[Card | None, Card]]:
    """The card in each place and what it is there; None for a wild card in no place of its own."""
    lying: list[tuple[Card | None, Card]] = []
    for card, is_open in places:
        if not is_open:
            lying.append((card, card))
            continue
        seen[card] = seen.get(card, 0) + 1
        if limits.is_wild(card) and left.get(card):
            left[card] -= 1
            lying.append((card, card))
        else:
            lying.append((None, card))
    return lying


def _order(one: tuple[Planned, int]) -> tuple[bool, bool]:
    """Runs before sets, whose wild cards can be any, and at last wild cards alone."""
    return one[0].kind is Kind.SET, not one[0].places


def _meld(kind: Kind, cards: Sequence[Laid], limits: MeldLimits) -> Meld:
    """Three identical cards, each as itself, are a meld of their own kind where there is one."""
    first = cards[0].card
    if limits.tanala_rule and len(cards) == 3 and all(one[:2] == (first, first) for one in cards):
        kind = Kind.TANALA
    return Meld(kind, tuple(cards))


def _spread(places: int, wilds: int, limits: MeldLimits) -> int:
    """The places of wild cards in a run; those to spare go to its high end first.

    Where they must lie apart, one goes to each end.
    """
    aces, size = limits.ace_in_runs, places.bit_count() + wilds
    if not places:
        low = aces.lowest
    elif aces is AceInRuns.BOTH and size == len(RANKS):
        low = 1
    else:
        last = places.bit_length() - 1
        spare = size - (last + 2 - (places & -places).bit_length())
        high = min(last + (min(spare, 1) if limits.wilds_apart else spare), aces.highest)
        low = high - size + 1
    return ((1 << size) - 1 << low) & ~places


def _places(
    planned: Planned,
    wilds: int,
    left: Mapping[Card, int],
    seen: Mapping[Card, int],
    onto: Sequence[Meld],
    limits: MeldLimits,
) -> list[_Place]:
    """The places of a meld; in a set wild cards are in their own, or what few melds have."""
    if planned.kind is Kind.RUN and wilds:
        if planned.others is None:
            planned = planned._replace(others=_spread(planned.places, wilds, limits))
        return planned.run_places
    places = [(card, False) for card in planned.cards]
    if not wilds:
        return places
    own = [card for card, n in left.items() if card.rank in limits.wild_ranks for _ in range(n)]
    ranks = [card.rank for card in (dict.fromkeys(own) if limits.suits_differ else own)]
    rank = (
        Rank(planned.places) if planned.places else max(RANKS, key=lambda r: (ranks.count(r), -r))
    )
    suits = SUITS if planned.onto is None else missing_suits(onto[planned.onto])
    free = [CARD_OF[rank, suit] for suit in suits if suit not in planned.suits]
    if limits.suits_differ:
        chosen = [card for card in free if card in own][:wilds]
    else:
        chosen = [card for card in own if card.rank is rank][:wilds]
        free = free or [CARD_OF[rank, suit] for suit in SUITS]
    others = [card for card in free if card not in chosen] or free
    if limits.suits_differ:
        others.sort(key=lambda card: (seen.get(card, 0), card.suit))
    chosen += [others[n % len(others)] for n in range(wilds - len(chosen))]
    return sorted([*places, *((card, True) for card in chosen)], key=lambda place: place[0].suit)
