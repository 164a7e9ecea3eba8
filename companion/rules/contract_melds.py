"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple

from companion.rules.candidates import COUNT, UNITS, Handful, Planned, guards_of
from companion.rules.cards import CARD_OF, JOKER, RANKS, SUITS, Card, Laid, Rank, check_packs
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.lay_down import lay_down, run_places
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
    """A candidate with so many wild cards, ``others`` of which stand for other cards.

    ``meld`` is what it is then, with jokers for those.
    """

    taken: int
    wilds: int
    others: int
    planned: Planned
    meld: Meld


class _Rest(NamedTuple):
    """The ways that were chosen, and the cards and the wild ones that are still held."""

    chosen: tuple[_Way, ...]
    cards: int
    wilds: int


class _Search:
    def __init__(self, cards: Sequence[Card], rules: ContractJudge) -> None:
        self.rules, self.limits = rules, rules.limits
        self.held = Counter(sorted(cards))
        counts_own = not self.limits.wild_in_own_place
        self.hand = Handful(self.held, self.limits, counts_own=counts_own)
        units = UNITS[self.limits.ace_in_runs]
        self.naturals = [units[card] for card in self.held if not self.limits.is_wild(card)]

    def some(self, contract: Contract) -> tuple[Meld, ...] | None:
        """Melds of some of the cards that are so many sets and runs, as small as they can be."""
        wanted = [self.small[Kind.RUN]] * contract.runs + [self.small[Kind.SET]] * contract.sets
        return self._laid(self._choose(wanted, 0, self._all))

    @cached_property
    def small(self) -> Mapping[Kind, Sequence[_Way]]:
        """Sets and runs of the fewest cards, and longer runs between two natural cards.

        The longer ones are for tables on which a meld has more naturals than fit into the fewest
        cards: all else could be left out at one end.
        """
        longest = max(self.limits.run_sizes[0], 2 * self.hand.wilds + 1)
        ways = self._ways(longest, only_fewest=True)
        return {kind: [way for way in ways if way.meld.kind is kind] for kind in Kind}

    @cached_property
    def guards(self) -> int:
        """The guards of all cards, once the melds are listed."""
        return guards_of(self.hand.cards)

    def covering(self, runs: int, leaves: int) -> tuple[Meld, ...] | None:
        """So many runs with all the cards, or all but so many."""
        longest = self.held.total() - (runs - 1) * self.limits.run_sizes[0]
        ways = [way for way in self._ways(longest, only_fewest=False) if way.meld.kind is Kind.RUN]
        alike: dict[int, list[_Way]] = {}
        for way in ways:
            alike.setdefault(way.taken, []).append(way)
        # By each card that is in them, or by 0 if none but wild ones are.
        ways_with = {
            card: [some for taken, some in alike.items() if taken & COUNT * card]
            for card in self.naturals
        }
        ways_with[0] = [some for some in alike.values() if not some[0].planned.places]
        return self._laid(self._cover(ways_with, runs, leaves, leaves, self._all))

    @property
    def _all(self) -> _Rest:
        return _Rest((), self.hand.cards, self.hand.wilds)

    def _choose(
        self, wanted: Sequence[Sequence[_Way]], first: int, rest: _Rest
    ) -> tuple[_Way, ...] | None:
        """A meld from each of these lists, from ``first`` on in the first of them."""
        if not wanted:
            return rest.chosen
        ways, *others = wanted
        alike = sum(other is ways for other in wanted)
        for number, way in enumerate(ways[first:], first):
            if way.others * alike > rest.wilds:
                return None  # and so it is with all that come after it
            after = self._with(way, rest)
            if after is not None:
                start = number if others and others[0] is ways else 0
                found = self._choose(others, start, after)
                if found is not None:
                    return found
        return None

    def _cover(
        self,
        ways_with: Mapping[int, Sequence[Sequence[_Way]]],
        runs: int,
        leaves: int,
        aside: int,
        rest: _Rest,
    ) -> tuple[_Way, ...] | None:
        """Runs for one card after the other: the first in none is in the next, or put aside."""
        left = self.held.total() - sum(len(way.meld.cards) for way in rest.chosen)
        if not runs:
            return rest.chosen if left <= leaves else None
        card = next((one for one in self.naturals if rest.cards & COUNT * one), 0)
        # The last run has all that is not left.
        fewest = left - leaves if runs == 1 else 0
        there = [some for some in ways_with[card] if self._has(some[0].taken, rest)]
        for way in chain.from_iterable(there):
            after = self._with(way, rest) if len(way.meld.cards) >= fewest else None
            found = self._cover(ways_with, runs - 1, leaves, aside, after) if after else None
            if found is not None:
                return found
        if not card or not aside:
            return None
        without = rest._replace(cards=rest.cards - card)
        return self._cover(ways_with, runs, leaves, aside - 1, without)

    def _with(self, way: _Way, rest: _Rest) -> _Rest | None:
        """The same with one more meld; None if it takes what is not there, or breaks something."""
        if way.wilds > rest.wilds or not self._has(way.taken, rest):
            return None
        every = (*rest.chosen, way)
        if self.rules.together_breaches([one.meld for one in every]):
            return None
        return _Rest(every, rest.cards - way.taken, rest.wilds - way.wilds)

    def _has(self, taken: int, rest: _Rest) -> bool:
        """Whether these cards are still held."""
        return (rest.cards | self.guards) - taken & self.guards == self.guards

    def _laid(self, found: Sequence[_Way] | None) -> tuple[Meld, ...] | None:
        """The melds with the wild cards that are held, each once."""
        if found is None:
            return None
        chosen = [(way.planned, way.others) for way in found]
        return lay_down(chosen, self.held, (), self.limits).melds

    def _ways(self, longest: int, *, only_fewest: bool) -> list[_Way]:
        """The melds that a player may lay as first melds, the ones with few wild cards first.

        Runs have so many cards at most. With ``only_fewest`` sets have the fewest that they can
        have, and every meld has the fewest wild cards.
        """
        ways = []
        for one in self.hand.melds(longest=longest):
            own = sum(map(self.limits.is_wild, one.planned.cards))
            most = one.need if only_fewest else min(one.most, self.hand.wilds)
            for wilds in range(one.need, most + 1):
                for planned, meld in self._melds(one.planned, wilds - own, longest):
                    if not self.rules.breaches_alone(meld):
                        ways.append(_Way(one.taken, wilds, wilds - own, planned, meld))
        if only_fewest:
            fewest = self.limits.set_sizes[0]
            is_set = Kind.SET
            ways = [w for w in ways if w.meld.kind is not is_set or len(w.meld.cards) == fewest]
        return sorted(ways, key=lambda way: (way.others, len(way.meld.cards)))

    def _melds(self, planned: Planned, others: int, longest: int) -> Iterator[tuple[Planned, Meld]]:
        """What a candidate is with so many wild cards that stand for others, wherever it lies."""
        limits = self.limits
        if planned.kind is Kind.SET:
            laid = [Laid(card, card, limits.is_wild(card)) for card in planned.cards]
            rank = Rank(planned.places or Rank.ACE)
            laid += [Laid(JOKER, CARD_OF[rank, suit], True) for suit in (*SUITS, *SUITS)][:others]
            yield planned, Meld(Kind.SET, tuple(laid))
            return
        aces, places = limits.ace_in_runs, planned.places
        size = places.bit_count() + others
        if size > longest:
            return
        # A whole suit lies in one way only.
        highest = aces.highest if size < len(RANKS) else aces.lowest + size - 1
        first = (places & -places).bit_length() - 1 if places else highest
        last = places.bit_length() - 1 if places else 0
        for low in range(max(aces.lowest, last - size + 1), min(first, highest - size + 1) + 1):
            window = (1 << size) - 1 << low
            there = planned._replace(others=window & ~places)
            laid = [
                Laid(JOKER, card, True) if is_open else Laid(card, card, limits.is_wild(card))
                for card, is_open in run_places(there, others, limits)
            ]
            yield there, Meld(Kind.RUN, tuple(laid))
