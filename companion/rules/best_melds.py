"""The search for the melds that leave the least, with wild cards as a mere number.

What goes into sets is searched, rank by rank. Whatever that leaves goes into runs, suit by suit:
`companion.rules.best_runs` says what is left of a suit for every number of wild cards spent on it,
and the suits are joined by sharing the wild cards out. Cards that no run can have are no matter of
a suit; ranks of such cards alone are joined like suits. A choice of sets that cannot become better
than the best one found is not followed, and nothing left is the end of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from math import prod
from typing import Final, NamedTuple

from companion.rules.best_choices import RankCards, RankChoice, bits_of, rank_choices
from companion.rules.best_groups import in_reach
from companion.rules.best_lengthenings import MayReach, TableRun, reaching
from companion.rules.best_limits import natural_in_place, run_limits
from companion.rules.best_runs import NEVER, PlannedAlone, PlannedRun, Row, SuitRuns
from companion.rules.best_sets import NONE, PlannedSet, TableSet
from companion.rules.best_suits import NOTHING_ASKED, AllSuits, Asked, Fields, join, shares
from companion.rules.best_wilds import Own, sizes_of_wilds, tail, tails, wilds_alone
from companion.rules.card_bits import copies
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Rank, Suit
from companion.rules.melds import ACE_HIGH, Kind, Meld, MeldLimits

# To bound a choice of sets costs as much as to follow about so many to their end.
_WORTH_A_BOUND: Final = 64
_RANK_BITS: Final[Sequence[tuple[int, Rank]]] = [(1 << rank, rank) for rank in RANKS]


class Question(NamedTuple):
    """What is to be melded, by which limits.

    ``costs`` has a cost above 0 for each card held, and one for all the wild ones; ``held`` how
    often each is held. ``onto`` are the melds on the table that may be laid off on; what a run
    there breaks by growing is given where a game says anything of it. So many new runs must be
    clean, and there must be so many in all; with ``clean_only`` clean runs are the only new melds.
    """

    costs: Mapping[Card, int]
    held: Mapping[Card, int]
    limits: MeldLimits
    onto: Sequence[Meld] = ()
    longer_breaches: Callable[[Meld, Meld], Sequence[object]] | None = None
    clean_runs: int = 0
    all_runs: int = 0
    clean_only: bool = False


class BestMelds(NamedTuple):
    """The melds that leave the least: what is left costs ``cost``.

    Wild cards that lie in their own place and count as natural are among the naturals. Each set
    comes with the number of other wild cards in it; those of ``own`` are melds of wild cards and
    nothing else, ``unused`` ones are left, and so are the natural cards ``left``.
    """

    cost: int
    runs: tuple[tuple[Suit, PlannedRun], ...]
    sets: tuple[tuple[Rank, PlannedSet, int], ...]
    own: Own
    unused: int
    left: tuple[Card, ...]


def best_melds(question: Question, below: int = NEVER) -> BestMelds | None:
    """The melds and lay-offs that leave the least; None if they do not leave less than ``below``.

    Without a number of runs to be made there always are such melds, if only none at all.
    """
    search = _Search(question)
    found = search.best(below)
    return search.plan(found) if found else None


class _Found(NamedTuple):
    """A choice of sets.

    ``mask`` is the cards that are in no set and may be in runs; ``base`` what others of the ranks
    gone through cost; ``need`` the wild cards needed in sets, ``spare`` those that the sets could
    take besides.
    """

    cost: int
    mask: int
    base: int
    need: int
    spare: int
    chosen: tuple[RankChoice, ...]


class _Search:
    def __init__(self, question: Question) -> None:
        self._question = question
        limits = question.limits
        wilds = [card for card in question.held if card.rank in limits.wild_ranks]
        self._wilds = sum([question.held[card] for card in wilds])
        wild_cost = question.costs[wilds[0]] if wilds else 0
        self._naturals, self._costs = _naturals(question)
        self._own = [card for card in wilds if card in self._naturals]
        self._numbers = run_limits(limits, self._wilds)
        self._fields = Fields(max(self._naturals.values(), default=1))
        self._runs_there: list[list[TableRun]] = [[] for _ in SUITS]
        self._sets_there: dict[Rank, list[TableSet]] = {}
        self._see_table()
        self._held = [0] * len(SUITS)
        for (rank, suit), count in self._naturals.items():
            self._held[suit] |= copies(1 << rank, count)
        self._in_reach = [
            held if there else in_reach(self._numbers, held)
            for held, there in zip(self._held, self._runs_there, strict=True)
        ]
        self._choices: list[tuple[Rank, list[RankChoice]]] = []
        self._apart: list[tuple[Rank, list[RankChoice]]] = []
        self._mask, self._base = 0, 0
        self._choose()
        self._pieces = () if question.clean_only else sizes_of_wilds(limits)
        self._alone, with_spare = tails(self._pieces, self._wilds, wild_cost)
        self._rows_apart = [self._row_apart(choices) for _, choices in self._apart]
        self._tails = self._with_apart(with_spare)
        self._suits = self._suit_runs(self._costs)

    def _see_table(self) -> None:
        limits = self._question.limits
        for number, meld in enumerate(self._question.onto):
            if meld.kind is Kind.RUN:
                wild = tuple(limits.counts_as_wild(laid) for laid in meld.cards)
                suit = meld.cards[0].stands_for.suit
                may_reach = self._may_reach(meld)
                self._runs_there[suit].append(TableRun(number, meld, wild, may_reach))
            elif meld.kind is Kind.SET:
                there = TableSet(number, meld, limits.naturals(meld.cards))
                self._sets_there.setdefault(meld.cards[0].stands_for.rank, []).append(there)

    def _may_reach(self, meld: Meld) -> MayReach | None:
        breaches = self._question.longer_breaches
        if breaches is None:
            return None
        return cache(lambda low, high: not breaches(meld, reaching(meld, low, high)))

    def _suit_runs(self, costs: Mapping[Card, int]) -> list[SuitRuns]:
        question = self._question
        places = [[0] * (ACE_HIGH + 1) for _ in SUITS]
        for (rank, suit), cost in costs.items():
            places[suit][rank] = cost
            if rank is Rank.ACE:
                places[suit][ACE_HIGH] = cost
        own = [0] * len(SUITS)
        for rank, suit in self._own:
            own[suit] |= 1 << rank
        return [
            SuitRuns(
                question.limits,
                self._numbers,
                places[suit],
                self._held[suit],
                self._runs_there[suit],
                own[suit],
                counted=question.all_runs > 0,
                clean_only=question.clean_only,
            )
            for suit in SUITS
        ]

    # -- choices ----------------------------------------------------------------------------------

    def _choose(self) -> None:
        """For each rank that can go into sets, the choices; the other cards are no choice."""
        held: dict[Rank, list[Card]] = {rank: [] for rank in self._sets_there}
        for card in self._naturals:
            held.setdefault(card.rank, []).append(card)
        for rank in sorted(held, reverse=True):
            there = self._sets_there.get(rank, ())
            if not there and len(held[rank]) == 1 and self._naturals[held[rank][0]] == 1:
                self._single(held[rank][0])
                continue
            counts = [*NONE]
            for card in held[rank]:
                counts[card.suit] = self._naturals[card]
            reach = tuple([bits >> rank & 1 == 1 for bits in self._in_reach])
            cards = RankCards(tuple(counts), reach, rank in self._question.limits.wild_ranks)
            self._mask |= bits_of(rank, cards, self._fields)
            choices = rank_choices(
                rank,
                cards,
                there,
                self._costs,
                self._question.limits,
                self._fields,
                self._wilds,
                new=not self._question.clean_only,
            )
            if len(choices) == 1 and not choices[0].sets:
                self._base += choices[0].cost
            elif any(choice.bits for choice in choices):
                self._choices.append((rank, choices))
            else:
                self._apart.append((rank, choices))

    def _single(self, card: Card) -> None:
        """The only card of its rank is in a run or in none."""
        bit = self._in_reach[card.suit] & 1 << card.rank
        if bit:
            self._mask |= self._fields.in_suit(bit, card.suit)
        else:
            self._base += self._costs[card]

    def _row_apart(self, choices: Sequence[RankChoice]) -> Row:
        """What the cards of a rank leave that no run can have, by the wild cards spent."""
        row = [NEVER] * (self._wilds + 1)
        for one in choices:
            for spent in range(one.need, min(one.need + one.spare, self._wilds) + 1):
                row[spent] = min(row[spent], one.cost)
        return row

    def _with_apart(self, tails: Sequence[Row]) -> list[Row]:
        if not self._rows_apart:
            return list(tails)
        apart = reduce(join, self._rows_apart)
        return [join(tail, apart) for tail in tails]

    # -- the search -------------------------------------------------------------------------------

    def best(self, below: int) -> _Asking | None:
        """The choice of sets that leaves the least, and what was asked of each suit for it."""
        best: _Asking | None = None
        for asked in self._askings():
            exact = AllSuits(self._suits, self._fields, self._tails, asked)
            found = self._best(exact, best.found.cost if best else below)
            if found:
                best = _Asking(found, exact)
        return best

    def _askings(self) -> Iterator[Sequence[Asked]]:
        """Every way to ask each suit for a share of the runs that there must be."""
        clean, runs = self._question.clean_runs, self._question.all_runs
        if not clean and not runs:
            yield NOTHING_ASKED
            return
        for cleans in _splits(clean, len(SUITS)):
            if all(
                self._suits[suit].can_be_clean(self._held[suit]) for suit in SUITS if cleans[suit]
            ):
                for others in _splits(max(runs - clean, 0), len(SUITS)):
                    pairs = zip(cleans, others, strict=True)
                    asked = tuple(Asked(one, one + more) for one, more in pairs)
                    if not self._numbers.one_run or max(share.runs for share in asked) <= 1:
                        yield asked

    def _best(self, exact: AllSuits, below: int) -> _Found | None:
        depths = range(len(self._choices) + 1)
        after = [prod(len(choices) for _, choices in self._choices[d:]) for d in depths]
        bounds: dict[int, AllSuits] = {}
        best: _Found | None = None
        todo = [_Found(0, self._mask, self._base, 0, 0, ())]
        while todo and below > 0:
            found = todo.pop()
            _, mask, base, need, spare, chosen = found
            depth = len(chosen)
            if base >= below:
                continue
            wilds = self._wilds - need
            if depth == depths[-1]:
                cost = base + exact.left(mask, wilds, min(spare, wilds))
                if cost < below:
                    best, below = found._replace(cost=cost), cost
                continue
            if after[depth] > _WORTH_A_BOUND and below < NEVER:
                if depth not in bounds:
                    bounds[depth] = self._bound(depth, exact.asked)
                if base + bounds[depth].left(mask, wilds, 0) >= below:
                    continue
            for choice in self._choices[depth][1]:
                bits, needed, room, cost, _ = choice
                if needed <= wilds:
                    every = (*chosen, choice)
                    todo.append(
                        _Found(0, mask ^ bits, base + cost, need + needed, spare + room, every)
                    )
        return best

    def _bound(self, depth: int, asked: Sequence[Asked]) -> AllSuits:
        """What is left at least, whatever is chosen from a depth on: those ranks cost nothing."""
        still_open = {rank for rank, _ in self._choices[depth:]}
        costs = {card: 0 if card.rank in still_open else cost for card, cost in self._costs.items()}
        nothing = self._with_apart([[0] * (self._wilds + 1)])
        return AllSuits(self._suit_runs(costs), self._fields, nothing, asked)

    # -- the melds --------------------------------------------------------------------------------

    def plan(self, asking: _Asking) -> BestMelds:
        """The melds of a choice of sets, every wild card in its place."""
        found, exact = asking
        wilds = self._wilds - found.need
        spare = min(found.spare, wilds)
        suit_rows = exact.rows(found.mask, spare)[:-1]
        rest_of = tail(self._alone, spare)
        rows = [*suit_rows, *self._rows_apart, rest_of]
        taken = shares(rows, wilds, found.cost - found.base)
        rest = taken.pop()
        runs: list[tuple[Suit, PlannedRun]] = []
        sets: list[tuple[Rank, PlannedSet, int]] = []
        left = dict(self._naturals)
        for suit, share in zip(SUITS, taken, strict=False):
            cards = self._fields.cards_of(found.mask, suit)
            for one in self._suits[suit].plan(cards, share, *exact.asked[suit]):
                if isinstance(one, PlannedAlone):
                    planned = PlannedSet((suit,), one.wilds, one.wilds)
                    sets.append((one.rank, planned, one.wilds))
                    left[CARD_OF[one.rank, suit]] -= 1
                else:
                    runs.append((suit, one))
                    for bit, of_run in _RANK_BITS:
                        if one.naturals & bit:
                            left[CARD_OF[of_run, suit]] -= 1
        # Wild cards go into the sets that there are before they make melds of their own.
        extra = max(
            n for n in range(min(spare, rest) + 1) if self._alone[rest - n] == rest_of[rest]
        )
        chosen = [(rank, one) for (rank, _), one in zip(self._choices, found.chosen, strict=True)]
        filled = list(_filled(chosen, extra))
        shared = zip(self._apart, self._rows_apart, taken[len(SUITS) :], strict=True)
        for (rank, choices), row, share in shared:
            choice = next(
                choice
                for choice in choices
                if choice.need <= share <= choice.need + choice.spare and choice.cost == row[share]
            )
            filled += _filled([(rank, choice)], share - choice.need)
        for rank, planned, _ in filled:
            for each in planned.suits:
                left[CARD_OF[rank, each]] -= 1
        own = wilds_alone(self._pieces, rest - extra)
        return BestMelds(
            found.cost,
            tuple(runs),
            (*filled, *sets),
            own,
            rest - extra - sum(size for _, size in own),
            tuple([c for c, count in left.items() if c not in self._own for _ in range(count)]),
        )


class _Asking(NamedTuple):
    """The best choice of sets, and the suits that were asked for runs with it."""

    found: _Found
    exact: AllSuits


def _naturals(question: Question) -> tuple[dict[Card, int], dict[Card, int]]:
    """How often each natural card is held, and what it costs.

    A wild card that may be natural in its own place is among them, and costs nothing there: it does
    as a wild card.
    """
    limits = question.limits
    in_place = natural_in_place(limits, clean=question.clean_only or question.clean_runs > 0)
    held: dict[Card, int] = {}
    costs: dict[Card, int] = {}
    for card, count in question.held.items():
        if card.rank not in limits.wild_ranks:
            held[card], costs[card] = count, question.costs[card]
        elif in_place and card.rank is not Rank.JOKER:
            held[card], costs[card] = count, 0
    return held, costs


def _filled(
    chosen: Sequence[tuple[Rank, RankChoice]], extra: int
) -> Iterator[tuple[Rank, PlannedSet, int]]:
    """The sets with the wild cards that they need, and so many more where there is room."""
    for rank, one in chosen:
        for planned in one.sets:
            more = min(extra, planned.most - planned.need)
            extra -= more
            if planned.suits or more:
                yield rank, planned, planned.need + more


def _splits(count: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to share out a number among so many."""
    if parts == 1:
        yield (count,)
        return
    for first in range(count, -1, -1):
        for rest in _splits(count - first, parts - 1):
            yield (first, *rest)
