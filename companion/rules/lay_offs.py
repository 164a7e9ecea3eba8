"""What a handful of cards allows to be laid off on melds on the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

from companion.rules.candidates import (
    TABLE,
    Candidate,
    Planned,
    Shapes,
    a_set,
    card_at,
    home_of,
    unit,
    units_of,
)
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Suit
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits


def lay_offs(
    onto: Sequence[Meld],
    held: Callable[[Card], int],
    of: Shapes,
    breaches: Callable[[Meld, Meld], Sequence[object]],
    *,
    in_place: bool,
) -> Iterator[Candidate]:
    """What can be laid off on melds; ``breaches`` says what a run breaks by growing.

    ``held`` is how many there are of a card, ``in_place`` whether wild ones are among them.
    """
    for at, meld in enumerate(onto):
        mark = unit(TABLE, at)
        if meld.kind is Kind.SET:
            found = _onto_set(meld, held, of, in_place=in_place)
        elif meld.kind is Kind.RUN:
            found = _onto_run(meld, held, of, breaches, in_place=in_place)
        else:
            continue
        for one in found:
            yield one._replace(taken=one.taken + mark, planned=one.planned._replace(onto=at))


def _onto_set(
    meld: Meld, held: Callable[[Card], int], of: Shapes, *, in_place: bool
) -> Iterator[Candidate]:
    limits = of.limits
    rank = meld.cards[0].stands_for.rank
    naturals = limits.naturals(meld.cards)
    wilds = len(meld.cards) - naturals
    suits = missing_suits(meld) if limits.suits_differ else SUITS
    counts_of = [held(CARD_OF[rank, suit]) if suit in suits else 0 for suit in SUITS]
    if limits.suits_differ:
        counts_of = [min(count, 1) for count in counts_of]
    longest = len(SUITS) if limits.suits_differ else limits.set_sizes[1]
    own = in_place and rank in limits.wild_ranks
    for counts in product(*[range(count + 1) for count in counts_of]):
        added = sum(counts)
        if naturals + added < limits.fewest_naturals(Kind.SET):
            continue
        most = min(longest, limits.set_sizes[1]) - len(meld.cards) - added
        if limits.half_wild:
            most = min(most, naturals + added - wilds)
        if limits.max_wilds is not None:
            most = min(most, limits.max_wilds - wilds)
        need = added if own else 0
        if most >= 0 and most + added and need <= of.wilds:
            place = home_of(rank, limits)
            yield a_set(place, rank, counts, need, most + need)


def _onto_run(
    meld: Meld,
    held: Callable[[Card], int],
    of: Shapes,
    breaches: Callable[[Meld, Meld], Sequence[object]],
    *,
    in_place: bool,
) -> Iterator[Candidate]:
    limits = of.limits
    suit, size = meld.cards[0].stands_for.suit, len(meld.cards)
    units = units_of(suit, limits)
    aces = limits.ace_in_runs
    there = [limits.counts_as_wild(laid) for laid in meld.cards]
    most = min(limits.run_sizes[1], len(RANKS)) - size

    def steps(places: Sequence[int]) -> list[tuple[int, int, list[bool]]]:
        """Every way to lay cards at one end: the places of natural ones, wild cards, and where."""
        found: list[tuple[int, int, list[bool]]] = [(0, 0, [])]
        for natural, tokens, wild in found:
            if len(wild) == min(len(places), most):
                continue
            place = places[len(wild)]
            card = card_at(place, suit)
            used = in_place and limits.is_wild(card)
            if held(card) and tokens + used <= of.wilds:
                found.append((natural | 1 << place, tokens + used, [*wild, False]))
            if tokens < of.wilds:
                found.append((natural, tokens + 1, [*wild, True]))
        return found

    ups = steps(range(meld.high + 1, aces.highest + 1))
    for below, tokens_below, wild_below in steps(range(meld.low - 1, aces.lowest - 1, -1)):
        for above, tokens_above, wild_above in ups:
            tokens, added = tokens_below + tokens_above, len(wild_below) + len(wild_above)
            if not 0 < added <= most or tokens > of.wilds:
                continue
            low, high = meld.low - len(wild_below), meld.high + len(wild_above)
            pattern = [*wild_below[::-1], *there, *wild_above]
            if not _allowed(pattern, high, limits) or breaches(meld, reaching(meld, low, high)):
                continue
            places = below | above
            planned = Planned(Kind.RUN, (suit,), places, ends=(low, high))
            taken = sum([one for at, one in enumerate(units) if places >> at & 1])
            yield Candidate(taken, tokens, tokens, 0, planned)


def reaching(meld: Meld, low: int, high: int) -> Meld:
    """A run made longer with natural cards, from this place to that one."""
    suit = meld.cards[0].stands_for.suit
    places = [card_at(place, suit) for place in range(low, high + 1)]
    cards = [Laid(card, card) for card in places]
    cards[meld.low - low : meld.high - low + 1] = meld.cards
    return Meld(meld.kind, tuple(cards))


def _allowed(wild: Sequence[bool], high: int, limits: MeldLimits) -> bool:
    """Whether a longer run may have wild cards just there."""
    size, count = len(wild), sum(wild)
    if size - count < limits.fewest_naturals(Kind.RUN):
        return False
    if limits.half_wild and 2 * count > size:
        return False
    if limits.max_wilds is not None and count > limits.max_wilds:
        return False
    if not limits.wilds_apart:
        return True
    if size == len(RANKS) and limits.ace_in_runs is AceInRuns.BOTH and high == ACE_HIGH:
        # A whole suit is read from the ace up, wherever its ace was laid.
        wild = (wild[-1], *wild[:-1])
    return (True, True) not in pairwise(wild)


def missing_suits(meld: Meld) -> tuple[Suit, ...]:
    """The suits that a set has not."""
    return tuple(suit for suit in SUITS if suit not in {card.suit for card in meld.identities})
