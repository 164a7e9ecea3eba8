"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from companion.rules.candidates import (
    COUNT,
    UNITS,
    Candidate,
    Handful,
    Planned,
    guards_of,
    laid_in_run,
    lowest_field,
)
from companion.rules.cards import CARD_OF, JOKER, RANKS, SUITS, Card, Laid, Rank, check_packs
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.lay_down import lay_down
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
    if rules.contract_leaves is None:
        return _Search(cards, rules).melds(rules.contract)
    return _Search(cards, rules, rules.contract_leaves).melds(Contract(0, rules.contract.runs))


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """As much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    check_packs([("the cards", cards)], *rules.deck)
    search = _Search(cards, rules)
    sets, runs = rules.contract
    fewer = product(range(sets, -1, -1), range(runs, -1, -1))
    for contract in sorted((Contract(*one) for one in fewer), key=sum, reverse=True):
        melds = search.melds(contract)
        if melds is not None:
            return Nearest(melds, Contract(sets - contract.sets, runs - contract.runs))
    raise AssertionError("no melds can always be made")  # pragma: no cover


# A meld with its wild cards in certain places.
_Way = tuple[Planned, Meld]
_NO_MELDS: Final = Contract(0, 0)


class _Search:
    """Melds of a player's cards, of which only so many are left over as ``leaves`` says.

    Without that any cards are left, and the melds are as small as they can be.
    """

    def __init__(
        self, cards: Sequence[Card], rules: ContractJudge, leaves: int | None = None
    ) -> None:
        self.rules, self.limits = rules, rules.limits
        self.held = Counter(sorted(cards))
        self.small = leaves is None
        self.leaves = len(cards) if leaves is None else leaves
        self.ways: dict[tuple[Planned, int], list[_Way]] = {}
        self.dead: set[tuple[int, int, Contract, int]] = set()
        limits = rules.contract_limits
        self.hand = Handful(self.held, limits, counts_own=not limits.wild_in_own_place)
        units = UNITS[limits.ace_in_runs]
        self.naturals = sum(units[card] for card in self.held if not limits.is_wild(card))
        longest = self._longest() if self.small else len(RANKS)
        listed = self.hand.melds(longest=longest).of_lowest
        self.of_lowest = {at: self._worth_trying(some, longest) for at, some in listed.items()}
        self.guards = guards_of(self.hand.cards)

    def _longest(self) -> int:
        """The most cards that a run needs to have.

        Where it must have several natural ones, that is so many between two of them.
        """
        limits, shortest = self.limits, self.limits.run_sizes[0]
        if limits.half_wild or limits.wilds_apart or limits.fewest_naturals(Kind.RUN) > 1:
            return max(shortest, 2 * self.hand.wilds + 1)
        return shortest

    def _worth_trying(self, some: Sequence[Candidate], longest: int) -> Sequence[Candidate]:
        """Those of few cards, if all are to be small; the ones with few wild cards first."""
        if self.small:
            most = {Kind.RUN: longest, Kind.SET: self.limits.set_sizes[0]}
            some = [one for one in some if self._size(one) <= most[one.planned.kind]]
            some = [one for one in some if self._ways(one, one.need)]
        return sorted(some, key=lambda one: (one.need, self._size(one)))

    def _own(self, one: Candidate) -> int:
        """How many of the wild cards of a candidate are in their own place."""
        return sum(map(self.limits.is_wild, one.planned.cards))

    def _size(self, one: Candidate) -> int:
        """The number of cards, with as few wild ones as it can have."""
        return len(one.planned.cards) + one.need - self._own(one)

    def melds(self, contract: Contract) -> tuple[Meld, ...] | None:
        """Melds that are so many sets and runs, small ones with as few wild cards as can be."""
        hand = self.hand
        for wilds in range(hand.wilds + 1) if self.small else [hand.wilds]:
            for chosen, spare, leaves in self._choices(hand.cards, wilds, contract, self.leaves):
                ways = self._placed(chosen, spare, leaves)
                if ways is not None:
                    others = [(one, len(meld.cards) - len(one.cards)) for one, meld in ways]
                    return lay_down(others, self.held, (), self.limits).melds
        return None

    def _choices(
        self, cards: int, wilds: int, contract: Contract, leaves: int
    ) -> Iterator[tuple[tuple[Candidate, ...], int, int]]:
        """Every choice of melds that are the contract, if each has only to be right by itself.

        With each choice: how many wild cards it does without, and how many of them may be left. The
        lowest card goes into a meld or is left, and so on with what is still there.
        """
        if contract == _NO_MELDS:
            left = cards & self.naturals, cards & self.naturals << 1
            leaves -= left[0].bit_count() + 2 * left[1].bit_count()
            if leaves >= 0:
                yield (), wilds, leaves
            return
        state = cards, wilds, contract, leaves
        if not cards or min(contract) < 0 or state in self.dead:
            return
        is_dead, guards = True, self.guards
        at = lowest_field(cards)
        for one in self.of_lowest.get(at, ()):
            if one.need > wilds or (cards | guards) - one.taken & guards != guards:
                continue
            is_set = one.planned.kind is Kind.SET
            others = Contract(contract.sets - is_set, contract.runs - (not is_set))
            after = cards - one.taken, wilds - one.need, others, leaves
            for more, spare, may_stay in self._choices(*after):
                is_dead = False
                yield (one, *more), spare, may_stay
        here = cards & COUNT << at
        less = leaves - (here >> at if self.naturals & COUNT << at else 0)
        if less >= 0:
            for found in self._choices(cards ^ here, wilds, contract, less):
                is_dead = False
                yield found
        if is_dead:
            self.dead.add(state)

    def _placed(
        self, chosen: Sequence[Candidate], spare: int, leaves: int, before: tuple[_Way, ...] = ()
    ) -> tuple[_Way, ...] | None:
        """The chosen melds with wild cards in places that break nothing; None if there are none.

        Melds that are not small get the ``spare`` wild cards, but for as many as may be left.
        """
        if not chosen:
            return before if spare <= leaves else None
        one, *others = chosen
        for more in range(1 if self.small else 1 + min(spare, one.most - one.need)):
            for way in self._ways(one, one.need + more):
                ways = (*before, way)
                if not self.rules.together_breaches([meld for _, meld in ways]):
                    found = self._placed(others, spare - more, leaves, ways)
                    if found is not None:
                        return found
        return None

    def _ways(self, one: Candidate, wilds: int) -> Sequence[_Way]:
        """What a player may lay as a first meld of a candidate with so many wild cards."""
        planned = one.planned
        found = self.ways.get((planned, wilds))
        if found is None:
            found = [
                (there, meld)
                for there, meld in self._melds(planned, wilds - self._own(one))
                if not self.rules.breaches_alone(meld)
            ]
            self.ways[planned, wilds] = found
        return found

    def _melds(self, planned: Planned, others: int) -> Iterator[_Way]:
        """A candidate with so many wild cards that stand for others, wherever they lie."""
        limits = self.limits
        if planned.kind is Kind.SET:
            laid = [Laid(card, card, limits.is_wild(card)) for card in planned.cards]
            rank = Rank(planned.places or Rank.ACE)
            laid += [Laid(JOKER, CARD_OF[rank, suit], True) for suit in (*SUITS, *SUITS)][:others]
            yield planned, Meld(Kind.SET, tuple(laid))
            return
        aces, places = limits.ace_in_runs, planned.places
        size = places.bit_count() + others
        # A whole suit lies in one way only.
        highest = aces.highest if size < len(RANKS) else aces.lowest + size - 1
        first = (places & -places).bit_length() - 1 if places else highest
        last = places.bit_length() - 1 if places else 0
        for low in range(max(aces.lowest, last - size + 1), min(first, highest - size + 1) + 1):
            window = (1 << size) - 1 << low
            there = planned._replace(others=window & ~places)
            yield there, Meld(Kind.RUN, tuple(laid_in_run(there, limits)))
