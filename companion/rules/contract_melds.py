"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from companion.rules.arrange import counted
from companion.rules.candidates import (
    COUNT,
    UNITS,
    Candidate,
    Handful,
    lowest_field,
)
from companion.rules.cards import CARD_OF, JOKER, RANKS, SUITS, Card, Laid, Rank, check_packs
from companion.rules.choice import guards_of, lay_down, windows
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.language import noted
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
    if rules.contract_leaves is None:
        return _Search(cards, rules).melds(rules.contract)
    return _Search(cards, rules, rules.contract_leaves).melds(Contract(0, rules.contract.runs))


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """As much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    search = _Search(cards, rules)
    sets, runs = rules.contract
    fewer = product(range(sets, -1, -1), range(runs, -1, -1))
    for contract in sorted((Contract(*one) for one in fewer), key=sum, reverse=True):
        melds = search.melds(contract)
        if melds is not None:
            return Nearest(melds, Contract(sets - contract.sets, runs - contract.runs))
    raise AssertionError("no melds can always be made")  # pragma: no cover


# A meld with its wild cards in certain places.
_Way = tuple[Candidate, Meld]


class _Search:
    """Melds of a player's cards, of which only so many are left over as ``leaves`` says.

    Without that any cards are left, and the melds are as small as they can be.
    """

    def __init__(
        self, cards: Sequence[Card], rules: ContractJudge, leaves: int | None = None
    ) -> None:
        check_packs([(noted("the cards"), cards)], *rules.deck)
        self.rules, self.held, limits = rules, counted(cards), rules.contract_limits
        self.limits, self.small, longest = limits, leaves is None, len(RANKS)
        self.leaves = len(cards) if leaves is None else leaves
        self.ways: dict[tuple[Candidate, int], list[_Way]] = {}
        self.dead: set[tuple[int, int, int, int, int]] = set()
        self.hand = hand = Handful(self.held, limits)
        # The natural cards, of which only some may be left over.
        units = {} if self.small else UNITS[limits.ace_in_runs]
        self.naturals = sum([units.get(card, 0) for card in self.held if not limits.is_wild(card)])
        if self.small:
            longest = limits.run_sizes[0]
            # A run that must have several natural cards has all wild ones between two of them.
            if limits.half_wild or limits.wilds_apart or limits.fewest_naturals(Kind.RUN) > 1:
                longest = max(longest, 2 * hand.wilds + 1)
        self.most = {Kind.RUN: longest, Kind.SET: limits.set_sizes[0]}
        self.of_lowest = {
            at: self._worth_trying(some)
            for at, some in hand.melds(longest=longest).of_lowest.items()
        }
        tried = [(at, one.kind) for at, some in self.of_lowest.items() for one in some]
        self.last_set = max([at for at, kind in tried if kind is Kind.SET], default=-1)
        self.last_run = max([at for at, kind in tried if kind is Kind.RUN], default=-1)
        self.guards = guards_of(hand.cards)

    def _size(self, one: Candidate) -> int:
        """The number of cards, with as few wild ones as it can have."""
        return len(one.cards) + one.need - one.own(self.limits)

    def _worth_trying(self, some: Sequence[Candidate]) -> Sequence[Candidate]:
        """Those of few cards, if all are to be small; the ones with few wild cards first."""
        if self.small:
            some = [one for one in some if self._size(one) <= self.most[one.kind]]
            some = [one for one in some if self._ways(one, one.need)]
        return sorted(some, key=lambda one: (one.need, self._size(one)))

    def melds(self, contract: Contract) -> tuple[Meld, ...] | None:
        """Melds that are so many sets and runs, small ones with as few wild cards as can be."""
        hand = self.hand
        for wilds in range(hand.wilds + 1) if self.small else [hand.wilds]:
            for chosen, spare, leaves in self._choices(hand.cards, wilds, *contract, self.leaves):
                ways = self._placed(chosen, spare, leaves)
                if ways is not None:
                    placed = [(one, sum(laid.wild for laid in meld.cards)) for one, meld in ways]
                    return lay_down(placed, self.held, (), self.limits)[0]
        return None

    def _choices(
        self, cards: int, wilds: int, sets: int, runs: int, leaves: int
    ) -> Iterator[tuple[tuple[Candidate, ...], int, int]]:
        """Every choice of so many sets and runs, if each has only to be right by itself.

        With each choice: how many wild cards it does without, and how many of them may be left. The
        lowest card goes into a meld or is left, and so on with what is still there.
        """
        if not sets and not runs:
            left = cards & self.naturals, cards & self.naturals << 1
            leaves -= left[0].bit_count() + 2 * left[1].bit_count()
            if leaves >= 0:
                yield (), wilds, leaves
            return
        state, at = (cards, wilds, sets, runs, leaves), lowest_field(cards)
        ended = (sets and at > self.last_set) or (runs and at > self.last_run)
        if ended or not cards or sets < 0 or runs < 0 or leaves < 0 or state in self.dead:
            return
        is_dead, guards = True, self.guards
        guarded = cards | guards
        for one in self.of_lowest.get(at, ()):
            if one.need <= wilds and guarded - one.taken & guards == guards:
                is_set = one.kind is Kind.SET
                after = cards - one.taken, wilds - one.need, sets - is_set, runs - (not is_set)
                for more, spare, may_stay in self._choices(*after, leaves):
                    is_dead = False
                    yield (one, *more), spare, may_stay
        here = cards & COUNT << at
        less = leaves - (here >> at if self.naturals & COUNT << at else 0)
        for found in self._choices(cards ^ here, wilds, sets, runs, less):
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
        """What a player may lay as a first meld of a candidate with so many wild cards.

        They stand for others, wherever they lie.
        """
        limits = self.limits
        found = self.ways.get((one, wilds))
        if found is None:
            others = wilds - one.own(limits)
            if one.kind is Kind.SET:
                rank, suits = Rank(one.places or Rank.ACE), (*SUITS, *SUITS)[:others]
                laid = [Laid(JOKER, CARD_OF[rank, suit], True) for suit in suits]
                found = [(one, Meld(Kind.SET, (*one.laid(limits), *laid)))]
            else:
                there = windows(one.places, others, limits)
                runs = [one._replace(others=window) for window in there]
                found = [(run, Meld(Kind.RUN, tuple(run.laid(limits)))) for run in runs]
            found = [(there, meld) for there, meld in found if not self.rules.breaches_alone(meld)]
            self.ways[one, wilds] = found
        return found
