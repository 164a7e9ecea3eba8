"""The search for the melds that leave the least, with wild cards as a mere number.

What goes into sets is searched, rank by rank. Whatever that leaves goes into runs, suit by suit:
`companion.rules.best_runs` says what is left of a suit for every number of wild cards spent on it,
and the suits are joined by sharing the wild cards out. A choice of sets that cannot become better
than the best one found is not followed, and nothing left is the end of the search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Final, NamedTuple

from companion.rules.best_runs import NEVER, PlannedRun, Row, SuitRuns, TableRun
from companion.rules.best_sets import PlannedSet, SetChoice, TableSet, missing_suits, set_choices
from companion.rules.best_suits import BIT, AllSuits, cards_of, in_suit, shares
from companion.rules.cards import SUITS, Card, Rank, Suit
from companion.rules.melds import ACE_HIGH, Kind, Meld, MeldLimits

# To bound a choice of sets costs as much as to follow about so many to their end.
_WORTH_A_BOUND: Final = 64


class BestMelds(NamedTuple):
    """The melds that leave the least: what is left costs ``cost``.

    The wild cards ``in_place`` lie in their own place and count as natural. Each set comes with the
    number of other wild cards in it; ``own`` of them are a set of their own, ``unused`` ones are
    left, and so are the natural cards ``left``.
    """

    cost: int
    in_place: tuple[Card, ...]
    runs: tuple[tuple[Suit, PlannedRun], ...]
    sets: tuple[tuple[Rank, PlannedSet, int], ...]
    own: int
    unused: int
    left: tuple[Card, ...]


def best_melds(
    costs: Mapping[Card, int], limits: MeldLimits, onto: Sequence[Meld] = ()
) -> BestMelds:
    """The melds and lay-offs that leave the least.

    ``costs`` has a cost above 0 for each card, and one for all the wild ones. ``onto`` are the
    melds on the table that may be laid off on.
    """
    search = _Search(costs, limits, onto)
    return search.plan(search.best())


class _Found(NamedTuple):
    """A choice of wild cards in place, and of sets.

    ``mask`` is the natural cards that are in no set; ``need`` the wild cards that are in place or
    needed in sets, ``spare`` those that the sets could take besides.
    """

    cost: int
    mask: int
    need: int
    spare: int
    in_place: tuple[Card, ...]
    chosen: tuple[SetChoice, ...]


class _Search:
    def __init__(self, costs: Mapping[Card, int], limits: MeldLimits, onto: Sequence[Meld]) -> None:
        self._limits = limits
        self._wilds = tuple(card for card in costs if limits.is_wild(card))
        self._naturals: Mapping[Card, int] = {
            card: cost for card, cost in costs.items() if not limits.is_wild(card)
        }
        self._in_place = _in_place(self._wilds, limits, onto)
        self._costs = costs if len(self._in_place) > 1 else self._naturals
        self._runs_there: list[list[TableRun]] = [[] for _ in SUITS]
        sets_there: dict[Rank, list[TableSet]] = {}
        for number, meld in enumerate(onto):
            naturals = limits.naturals(meld.cards)
            rank, suit = meld.cards[0].stands_for
            if meld.kind is Kind.RUN:
                self._runs_there[suit].append(TableRun(number, meld, naturals))
            else:
                there = TableSet(number, meld, missing_suits(meld), naturals)
                sets_there.setdefault(rank, []).append(there)
        self._choices = _choices(self._costs, sets_there, limits, len(self._wilds))
        wild_cost = costs[self._wilds[0]] if self._wilds else 0
        self._tails = _tails(len(self._wilds), wild_cost, limits)
        self._exact = self._all_suits(self._costs, self._tails)

    def _all_suits(self, costs: Mapping[Card, int], tails: Sequence[Row]) -> AllSuits:
        places = [[0] * (ACE_HIGH + 1) for _ in SUITS]
        for card, cost in costs.items():
            places[card.suit][card.rank] = cost
            if card.rank is Rank.ACE:
                places[card.suit][ACE_HIGH] = cost
        return AllSuits(
            [
                SuitRuns(self._limits, places[suit], len(self._wilds), self._runs_there[suit])
                for suit in SUITS
            ],
            tails,
        )

    def _bound(self, depth: int) -> AllSuits:
        """What is left at least, whatever is chosen from a depth on: those ranks cost nothing."""
        still_open = {rank for rank, _ in self._choices[depth:]}
        costs = {card: 0 if card.rank in still_open else cost for card, cost in self._costs.items()}
        return self._all_suits(costs, [[0] * (len(self._wilds) + 1)])

    def best(self) -> _Found:
        """The choice of sets that leaves the least."""
        depths = range(len(self._choices) + 1)
        below = [prod(len(choices) for _, choices in self._choices[d:]) for d in depths]
        bounds: dict[int, AllSuits] = {}
        best = _Found(NEVER, 0, 0, 0, (), ())
        naturals = sum(BIT[card] for card in self._naturals)
        todo = [
            _Found(0, naturals + sum(BIT[c] for c in in_place), len(in_place), 0, in_place, ())
            for in_place in self._in_place
        ]
        while todo and best.cost:
            found = todo.pop()
            _, mask, need, spare, in_place, chosen = found
            depth = len(chosen)
            wilds = len(self._wilds) - need
            if depth == depths[-1]:
                cost = self._exact.left(mask, wilds, min(spare, wilds))
                if cost < best.cost:
                    best = found._replace(cost=cost)
                continue
            if below[depth] > _WORTH_A_BOUND and best.cost < NEVER:
                if depth not in bounds:
                    bounds[depth] = self._bound(depth)
                if bounds[depth].left(mask, wilds, 0) >= best.cost:
                    continue
            for bits, choice in self._choices[depth][1]:
                if choice.need <= wilds and bits & mask == bits:
                    used, more = need + choice.need, spare + choice.spare
                    every = (*chosen, choice)
                    todo.append(_Found(0, mask ^ bits, used, more, in_place, every))
        return best

    def plan(self, found: _Found) -> BestMelds:
        """The melds of a choice of sets, every wild card in its place."""
        wilds = len(self._wilds) - found.need
        spare = min(found.spare, wilds)
        *taken, rest = shares(self._exact.rows(found.mask, spare), wilds, found.cost)
        left = found.mask
        runs = []
        for suit, share in zip(SUITS, taken, strict=True):
            for run in self._exact.suits[suit].plan(cards_of(left, suit), share):
                runs.append((suit, run))
                left &= ~in_suit(run.naturals, suit)
        # Wild cards go into the sets that there are before they make one of their own.
        target = self._tails[spare][rest]
        alone = self._tails[0]
        extra = max(n for n in range(min(spare, rest) + 1) if alone[rest - n] == target)
        own = _set_of_their_own(rest - extra, self._limits)
        return BestMelds(
            found.cost,
            found.in_place,
            tuple(runs),
            tuple(self._filled(found.chosen, extra)),
            own,
            rest - extra - own,
            tuple(card for card in self._costs if left & BIT[card]),
        )

    def _filled(
        self, chosen: Sequence[SetChoice], extra: int
    ) -> Iterator[tuple[Rank, PlannedSet, int]]:
        """The sets with the wild cards that they need, and so many more where there is room."""
        for (rank, _), choice in zip(self._choices, chosen, strict=True):
            for planned in choice.sets:
                more = min(extra, planned.most - planned.need)
                extra -= more
                if planned.suits or more:
                    yield rank, planned, planned.need + more


def _in_place(
    wilds: Sequence[Card], limits: MeldLimits, onto: Sequence[Meld]
) -> Sequence[tuple[Card, ...]]:
    """Every choice of wild cards to count as natural, each in its own place; none is the last.

    It matters only where natural cards are needed. A new meld that needs a wild card as a natural
    one has no natural card too many, so there are other wild cards in it that make it a meld.
    """
    fewest, count = limits.min_naturals, len(wilds)
    if limits.wild_in_own_place or not fewest:
        return [()]
    others = min(limits.set_sizes[0], limits.run_sizes[0]) - fewest
    in_melds = (min(melds * fewest, count - melds * others) for melds in range(count + 1))
    most = count if onto else max(in_melds)
    return [chosen for n in range(most, -1, -1) for chosen in combinations(wilds, n)]


def _choices(
    costs: Mapping[Card, int],
    sets_there: Mapping[Rank, Sequence[TableSet]],
    limits: MeldLimits,
    wilds: int,
) -> list[tuple[Rank, list[tuple[int, SetChoice]]]]:
    """For each rank that can go into sets, the choices, each with its cards as a mask."""
    held: dict[Rank, list[Suit]] = {rank: [] for rank in sets_there}
    for card in costs:
        held.setdefault(card.rank, []).append(card.suit)
    found = []
    for rank in sorted(held, reverse=True):
        there = sets_there.get(rank, ())
        if len(held[rank]) > 1 or there:
            choices = set_choices(tuple(sorted(held[rank])), there, limits, wilds)
            if len(choices) > 1 or choices[0].spare:
                masks = (sum(in_suit(1 << rank, suit) for suit in c.suits) for c in choices)
                found.append((rank, list(zip(masks, choices, strict=True))))
    return found


def _set_of_their_own(wilds: int, limits: MeldLimits) -> int:
    """How many of so many wild cards can be a set without any other card."""
    fewest, most = limits.set_sizes
    return 0 if limits.min_naturals or wilds < fewest else min(wilds, most)


def _tails(wilds: int, cost: int, limits: MeldLimits) -> list[Row]:
    """What is left of wild cards in no run, by their number, where sets can take ``spare``."""
    alone = [(count - _set_of_their_own(count, limits)) * cost for count in range(wilds + 1)]
    return [
        [min(alone[max(0, count - spare) : count + 1]) for count in range(wilds + 1)]
        for spare in range(wilds + 1)
    ]
