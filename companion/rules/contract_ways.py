"""The melds that a contract can be made of: every way to fill one with the cards held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid
from companion.rules.contracts import ContractJudge
from companion.rules.melds import Kind, Meld


class Way(NamedTuple):
    """A meld of a contract, the cards in their own place, and how many wild cards besides."""

    meld: Meld
    naturals: Mapping[Card, int]
    wilds: int


def wilds_in(held: Mapping[Card, int], rules: ContractJudge) -> int:
    """How many of the cards are wild."""
    return sum(count for card, count in held.items() if rules.limits.is_wild(card))


def suits_differ(melds: Sequence[Meld], rules: ContractJudge) -> bool:
    """Whether no two runs are of one suit, where a player may not have them."""
    suits = [meld.cards[0].stands_for.suit for meld in melds if meld.kind is Kind.RUN]
    return not rules.limits.one_run_a_suit or len(set(suits)) == len(suits)


def kept(found: Iterator[Way], rules: ContractJudge) -> Iterator[Way]:
    """Those that a player may lay as first melds, the ones with few wild cards first."""
    ways = sorted(found, key=lambda way: (way.wilds, len(way.meld.cards)))
    for way in ways:
        if not rules.breaches_alone(way.meld):
            yield way


def runs_of(held: Counter[Card], rules: ContractJudge) -> Iterator[Way]:
    """Runs of the fewest cards, and longer ones between two natural cards.

    The longer ones are for tables on which a meld has more naturals than fit into the fewest cards:
    all else could be left out at one end.
    """
    limits = rules.limits
    shortest, longest = limits.run_sizes
    wilds = wilds_in(held, rules)
    for size in range(shortest, min(longest, max(shortest, 2 * wilds + 1)) + 1):
        for ranks, suit in product(limits.ace_in_runs.runs(size), SUITS):
            for way in _fillings([CARD_OF[rank, suit] for rank in ranks], Kind.RUN, held, rules):
                ends = way.meld.cards[0], way.meld.cards[-1]
                if size == shortest or not any(limits.counts_as_wild(end) for end in ends):
                    yield way


def runs_up_to(most: int, held: Counter[Card], rules: ContractJudge) -> Iterator[Way]:
    """Runs of all sizes up to so many cards, in every way."""
    shortest, longest = rules.limits.run_sizes
    for size in range(shortest, min(longest, most) + 1):
        for ranks, suit in product(rules.limits.ace_in_runs.runs(size), SUITS):
            yield from _fillings([CARD_OF[rank, suit] for rank in ranks], Kind.RUN, held, rules)


def sets_of(held: Counter[Card], rules: ContractJudge) -> Iterator[Way]:
    """Sets of the fewest cards."""
    limits = rules.limits
    size = limits.set_sizes[0]
    choices = sorted(combinations_with_replacement(SUITS, size), key=lambda s: -len(set(s)))
    for rank in RANKS:
        seen = set()
        for suits in choices:
            if not limits.suits_differ or len(set(suits)) == size:
                places = [CARD_OF[rank, suit] for suit in suits]
                for way in _fillings(places, Kind.SET, held, rules):
                    # What its wild cards stand for does not matter.
                    key = frozenset(way.naturals.items())
                    if key not in seen:
                        seen.add(key)
                        yield way


def _fillings(
    places: Sequence[Card], kind: Kind, held: Counter[Card], rules: ContractJudge
) -> Iterator[Way]:
    """Every way to fill places with the cards that they are and with wild ones."""
    limits = rules.limits
    wild_cards = [card for card in held if limits.is_wild(card)]
    most = sum(held[card] for card in wild_cards)
    can_be_own = [
        held[card] > 0 and not (limits.is_wild(card) and limits.wild_in_own_place)
        for card in places
    ]
    if can_be_own.count(False) > most:
        return
    for natural in product(*([True, False] if can else [False] for can in can_be_own)):
        naturals = Counter(card for card, own in zip(places, natural, strict=True) if own)
        wilds = natural.count(False)
        if wilds > most or any(count > held[card] for card, count in naturals.items()):
            continue
        laid = [
            Laid(card, card, limits.is_wild(card))
            if own
            else Laid(next((w for w in wild_cards if w != card), card), card, True)
            for card, own in zip(places, natural, strict=True)
        ]
        yield Way(Meld(kind, tuple(laid)), naturals, wilds)
