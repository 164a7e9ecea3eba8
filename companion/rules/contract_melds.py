"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from companion.rules.cards import Card, Laid, check_packs
from companion.rules.contract_cover import covering_runs
from companion.rules.contract_ways import Way, kept, runs_of, sets_of, suits_differ, wilds_in
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.melds import Meld


def can_make(cards: Sequence[Card], rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Melds of some of the cards that are this hand's contract; None if there are none.

    They keep what the game asks of first melds, each alone and all together, and none has more
    cards than it needs; but where the cards all go into the contract, they do. Raises `Malformed`
    if the game's packs cannot hold the cards.
    """
    check_packs([("the cards", cards)], *rules.deck)
    held = Counter(sorted(cards))
    if rules.contract_leaves is None:
        return _some(held, rules.contract, rules)
    found = covering_runs(held, rules.contract_leaves, rules)
    return _laid(found, held, rules) if found is not None else None


class Nearest(NamedTuple):
    """The melds of a contract that can be made, and those that are lacking.

    Where nothing is lacking, other cards are left than may be.
    """

    melds: tuple[Meld, ...]
    lacking: Contract


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """As much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    check_packs([("the cards", cards)], *rules.deck)
    held = Counter(sorted(cards))
    sets, runs = rules.contract
    fewer = product(range(sets, -1, -1), range(runs, -1, -1))
    for contract in sorted((Contract(*one) for one in fewer), key=sum, reverse=True):
        melds = _some(held, contract, rules)
        if melds is not None:
            return Nearest(melds, Contract(sets - contract.sets, runs - contract.runs))
    raise AssertionError("no melds can always be made")  # pragma: no cover


def _some(held: Counter[Card], contract: Contract, rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Melds of some of the cards that are so many sets and runs."""
    runs = list(kept(runs_of(held, rules), rules)) if contract.runs else []
    sets = list(kept(sets_of(held, rules), rules)) if contract.sets else []
    wanted = [runs] * contract.runs + [sets] * contract.sets
    found = _choose(wanted, 0, (), held, wilds_in(held, rules), rules)
    return _laid(found, held, rules) if found is not None else None


def _choose(
    wanted: Sequence[Sequence[Way]],
    first: int,
    chosen: tuple[Way, ...],
    held: Counter[Card],
    wilds: int,
    rules: ContractJudge,
) -> tuple[Way, ...] | None:
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
        if rules.together_breaches(melds) or not suits_differ(melds, rules):
            continue
        start = number if others and others[0] is ways else 0
        rest = held - Counter(way.naturals)
        found = _choose(others, start, every, rest, wilds - way.wilds - own, rules)
        if found is not None:
            return found
    return None


def _laid(found: Sequence[Way], held: Counter[Card], rules: ContractJudge) -> tuple[Meld, ...]:
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
