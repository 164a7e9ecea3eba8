"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, check_packs
from companion.rules.contracts import ContractJudge
from companion.rules.melds import Kind, Meld


class _Way(NamedTuple):
    """A meld of a contract, the cards in their own place, and how many wild cards besides."""

    meld: Meld
    naturals: Mapping[Card, int]
    wilds: int


def can_make(cards: Sequence[Card], rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Melds of some of the cards that are this hand's contract; None if there are none.

    They keep what the game asks of first melds, each alone and all together, and none has more
    cards than it needs. Raises `Malformed` if the game's packs cannot hold the cards.
    """
    check_packs([("the cards", cards)], *rules.deck)
    held = Counter(sorted(cards))
    runs = list(_kept(_runs(held, rules), rules)) if rules.contract.runs else []
    sets = list(_kept(_sets(held, rules), rules)) if rules.contract.sets else []
    wanted = [runs] * rules.contract.runs + [sets] * rules.contract.sets
    wilds = sum(count for card, count in held.items() if rules.limits.is_wild(card))
    found = _choose(wanted, 0, (), held, wilds, rules)
    return _laid(found, held, rules) if found is not None else None


def _choose(
    wanted: Sequence[Sequence[_Way]],
    first: int,
    chosen: tuple[_Way, ...],
    held: Counter[Card],
    wilds: int,
    rules: ContractJudge,
) -> tuple[_Way, ...] | None:
    """A meld from each of these lists, from ``first`` on in the first of them."""
    if not wanted:
        return chosen
    ways, *others = wanted
    alike = sum(other is ways for other in wanted)
    for number, way in enumerate(ways[first:], first):
        if way.wilds * alike > wilds:
            return None  # and so it is with all that come after it
        own = sum(n for card, n in way.naturals.items() if rules.limits.is_wild(card))
        if way.wilds + own > wilds or any(held[card] < n for card, n in way.naturals.items()):
            continue
        every = (*chosen, way)
        melds = [one.meld for one in every]
        if rules.together_breaches(melds) or not _suits_differ(melds, rules):
            continue
        start = number if others and others[0] is ways else 0
        rest = held - Counter(way.naturals)
        found = _choose(others, start, every, rest, wilds - way.wilds - own, rules)
        if found is not None:
            return found
    return None


def _suits_differ(melds: Sequence[Meld], rules: ContractJudge) -> bool:
    """Whether no two runs are of one suit, where a player may not have them."""
    suits = [meld.cards[0].stands_for.suit for meld in melds if meld.kind is Kind.RUN]
    return not rules.limits.one_run_a_suit or len(set(suits)) == len(suits)


# -- what there is to choose from -----------------------------------------------------------------


def _kept(found: Iterator[_Way], rules: ContractJudge) -> Iterator[_Way]:
    """Those that a player may lay as first melds, the ones with few wild cards first."""
    ways = sorted(found, key=lambda way: (way.wilds, len(way.meld.cards)))
    for way in ways:
        if not rules.limits.breaches(way.meld) and not rules.first_meld_breaches(way.meld):
            yield way


def _runs(held: Counter[Card], rules: ContractJudge) -> Iterator[_Way]:
    """Runs of the fewest cards, and longer ones between two natural cards.

    The longer ones are for tables on which a meld has more naturals than fit into the fewest cards:
    all else could be left out at one end.
    """
    limits = rules.limits
    shortest, longest = limits.run_sizes
    wilds = sum(count for card, count in held.items() if limits.is_wild(card))
    for size in range(shortest, min(longest, max(shortest, 2 * wilds + 1)) + 1):
        for ranks, suit in product(limits.ace_in_runs.runs(size), SUITS):
            for way in _fillings([CARD_OF[rank, suit] for rank in ranks], Kind.RUN, held, rules):
                ends = way.meld.cards[0], way.meld.cards[-1]
                if size == shortest or not any(limits.counts_as_wild(end) for end in ends):
                    yield way


def _sets(held: Counter[Card], rules: ContractJudge) -> Iterator[_Way]:
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
) -> Iterator[_Way]:
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
        yield _Way(Meld(kind, tuple(laid)), naturals, wilds)


def _laid(found: Sequence[_Way], held: Counter[Card], rules: ContractJudge) -> tuple[Meld, ...]:
    """The melds with the wild cards that are held, each once."""
    used = sum((Counter(way.naturals) for way in found), Counter[Card]())
    left = (held - used).elements()
    wilds = iter([card for card in left if rules.limits.is_wild(card)])
    melds = []
    for way in found:
        naturals = Counter(way.naturals)
        laid = []
        for one in way.meld.cards:
            if naturals[one.stands_for]:
                naturals[one.stands_for] -= 1
                laid.append(one)
            else:
                laid.append(Laid(next(wilds), one.stands_for, True))
        melds.append(Meld(way.meld.kind, tuple(laid)))
    return tuple(melds)
