"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, check_packs
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.melds import Kind, Meld


class Nearest(NamedTuple):
    """The melds of a contract that can be made, and those that are lacking.

    Where nothing is lacking, other cards are left than may be.
    """

    melds: tuple[Meld, ...]
    lacking: Contract


def can_make(cards: Sequence[Card], rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Melds of some of the cards that are this hand's contract; None if there are none.

    They keep what the game asks of first melds, each alone and all together, and none has more
    cards than it needs; but where the cards all go into the contract, they do. Raises `Malformed`
    if the game's packs cannot hold the cards.
    """
    check_packs([("the cards", cards)], *rules.deck)
    search = _Search(cards, rules)
    if rules.contract_leaves is None:
        return search.some(rules.contract)
    return search.covering(rules.contract.runs, rules.contract_leaves)


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """As much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    check_packs([("the cards", cards)], *rules.deck)
    search = _Search(cards, rules)
    sets, runs = rules.contract
    fewer = product(range(sets, -1, -1), range(runs, -1, -1))
    for contract in sorted((Contract(*one) for one in fewer), key=sum, reverse=True):
        melds = search.some(contract)
        if melds is not None:
            return Nearest(melds, Contract(sets - contract.sets, runs - contract.runs))
    raise AssertionError("no melds can always be made")  # pragma: no cover


class _Way(NamedTuple):
    """A meld of a contract, the cards in their own place, and how many wild cards there are in all.

    ``others`` are the wild cards that stand for other cards.
    """

    meld: Meld
    naturals: Mapping[Card, int]
    others: int
    wilds: int


# Melds chosen, the cards that are still held, and how many of those are wild.
_Rest = tuple[tuple[_Way, ...], Counter[Card], int]


class _Search:
    def __init__(self, cards: Sequence[Card], rules: ContractJudge) -> None:
        self.rules = rules
        self.held = Counter(sorted(cards))
        self.wild_cards = [card for card in self.held if rules.limits.is_wild(card)]
        self.wilds = sum(self.held[card] for card in self.wild_cards)

    def some(self, contract: Contract) -> tuple[Meld, ...] | None:
        """Melds of some of the cards that are so many sets and runs, as small as they can be."""
        wanted = [self.runs] * contract.runs if contract.runs else []
        wanted += [self.sets] * contract.sets if contract.sets else []
        return self._laid(self._choose(wanted, 0, ((), self.held, self.wilds)))

    def covering(self, runs: int, leaves: int) -> tuple[Meld, ...] | None:
        """So many runs with all the cards, or all but so many."""
        most = self.held.total() - (runs - 1) * self.rules.limits.run_sizes[0]
        ways = self._kept(self._runs(most))
        return self._laid(self._cover(ways, runs, leaves, ((), self.held, self.wilds)))

    def _choose(
        self, wanted: Sequence[Sequence[_Way]], first: int, rest: _Rest
    ) -> tuple[_Way, ...] | None:
        """A meld from each of these lists, from ``first`` on in the first of them."""
        chosen, _, wilds = rest
        if not wanted:
            return chosen
        ways, *others = wanted
        alike = sum(other is ways for other in wanted)
        for number, way in enumerate(ways[first:], first):
            if way.others * alike > wilds:
                return None  # and so it is with all that come after it
            after = self._with(way, rest)
            if after is not None:
                start = number if others and others[0] is ways else 0
                found = self._choose(others, start, after)
                if found is not None:
                    return found
        return None

    def _cover(
        self, ways: Sequence[_Way], runs: int, leaves: int, rest: _Rest
    ) -> tuple[_Way, ...] | None:
        """Runs for one card after the other: the lowest in none is in the next, or left."""
        chosen, held, wilds = rest
        naturals = [card for card in held.elements() if card not in self.wild_cards]
        if not runs:
            return chosen if len(naturals) + wilds <= leaves else None
        card = naturals[0] if naturals else None
        for way in ways:
            after = self._with(way, rest) if card is None or card in way.naturals else None
            found = self._cover(ways, runs - 1, leaves, after) if after is not None else None
            if found is not None:
                return found
        if card is None or not leaves:
            return None
        return self._cover(ways, runs, leaves - 1, (chosen, held - Counter([card]), wilds))

    def _with(self, way: _Way, rest: _Rest) -> _Rest | None:
        """The same with one more meld; None if it takes what is not there, or breaks something."""
        chosen, held, wilds = rest
        if way.wilds > wilds or any(held[card] < n for card, n in way.naturals.items()):
            return None
        every = (*chosen, way)
        melds = [one.meld for one in every]
        suits = [meld.cards[0].stands_for.suit for meld in melds if meld.kind is Kind.RUN]
        if self.rules.limits.one_run_a_suit and len(set(suits)) < len(suits):
            return None
        if self.rules.together_breaches(melds):
            return None
        return every, held - Counter(way.naturals), wilds - way.wilds

    def _laid(self, found: Sequence[_Way] | None) -> tuple[Meld, ...] | None:
        """The melds with the wild cards that are held, each once."""
        if found is None:
            return None
        left = self.held - sum((Counter(way.naturals) for way in found), Counter[Card]())
        wilds = iter([card for card in left.elements() if card in self.wild_cards])
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

    # -- every way to fill a meld -----------------------------------------------------------------

    @cached_property
    def runs(self) -> Sequence[_Way]:
        """Runs of the fewest cards, and longer ones between two natural cards.

        The longer ones are for tables on which a meld has more naturals than fit into the fewest
        cards: all else could be left out at one end.
        """
        limits = self.rules.limits
        shortest = limits.run_sizes[0]
        return self._kept(
            way
            for way in self._runs(max(shortest, 2 * self.wilds + 1))
            if len(way.meld.cards) == shortest
            or not any(limits.counts_as_wild(way.meld.cards[end]) for end in (0, -1))
        )

    @cached_property
    def sets(self) -> Sequence[_Way]:
        """Sets of the fewest cards."""
        limits = self.rules.limits
        size = limits.set_sizes[0]
        choices = sorted(combinations_with_replacement(SUITS, size), key=lambda s: -len(set(s)))
        if limits.suits_differ:
            choices = [suits for suits in choices if len(set(suits)) == size]
        # What their wild cards stand for does not matter.
        found = {
            (rank, *sorted(way.naturals.items())): way
            for rank in RANKS
            for suits in reversed(choices)
            for way in self._fillings([CARD_OF[rank, suit] for suit in suits], Kind.SET)
        }
        return self._kept(reversed(found.values()))

    def _kept(self, found: Iterator[_Way]) -> list[_Way]:
        """Those that a player may lay as first melds, the ones with few wild cards first."""
        ways = sorted(found, key=lambda way: (way.others, len(way.meld.cards)))
        return [way for way in ways if not self.rules.breaches_alone(way.meld)]

    def _runs(self, most: int) -> Iterator[_Way]:
        """Runs of all sizes up to so many cards, in every way."""
        limits = self.rules.limits
        shortest, longest = limits.run_sizes
        for size in range(shortest, min(longest, most) + 1):
            for ranks, suit in product(limits.ace_in_runs.runs(size), SUITS):
                yield from self._fillings([CARD_OF[rank, suit] for rank in ranks], Kind.RUN)

    def _fillings(self, places: Sequence[Card], kind: Kind) -> Iterator[_Way]:
        """Every way to fill places with the cards that they are and with wild ones."""
        limits, held = self.rules.limits, self.held
        can_be_own = [
            held[card] > 0 and not (limits.is_wild(card) and limits.wild_in_own_place)
            for card in places
        ]
        if can_be_own.count(False) > self.wilds:
            return
        for natural in product(*([True, False] if can else [False] for can in can_be_own)):
            naturals = Counter(card for card, own in zip(places, natural, strict=True) if own)
            others = natural.count(False)
            wilds = others + sum(n for card, n in naturals.items() if limits.is_wild(card))
            if wilds > self.wilds or any(count > held[card] for card, count in naturals.items()):
                continue
            laid = [
                Laid(card, card, limits.is_wild(card))
                if own
                else Laid(next((w for w in self.wild_cards if w != card), card), card, True)
                for card, own in zip(places, natural, strict=True)
            ]
            yield _Way(Meld(kind, tuple(laid)), naturals, others, wilds)
