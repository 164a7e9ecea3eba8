"""The search for the melds that leave the least, with wild cards as a mere number.

What goes into sets is searched, rank by rank. Whatever that leaves goes into runs, suit by suit:
`companion.rules.best_runs` says what is left of a suit for every number of wild cards spent on it,
and the suits are joined by sharing the wild cards out. Cards that no run can have are no matter of
a suit; ranks of such cards alone are joined like suits. A choice of sets that cannot become better
than the best one found is not followed, and nothing left is the end of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from math import prod
from typing import Final, NamedTuple

from companion.rules.best_choices import RankChoice
from companion.rules.best_ground import CardCosts, Mode, ground
from companion.rules.best_groups import in_reach
from companion.rules.best_lengthenings import MayReach, TableRun, reaching
from companion.rules.best_limits import natural_in_place
from companion.rules.best_runs import NEVER, PlannedAlone, PlannedRun, Row, SuitRuns
from companion.rules.best_sets import NONE, PlannedSet, TableSet
from companion.rules.best_suits import NOTHING_ASKED, AllSuits, Asked, Fields, join, shares
from companion.rules.best_wilds import Own, tail, wilds_alone
from companion.rules.card_bits import LAYER, copies
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Rank, Suit
from companion.rules.melds import Kind, Meld, MeldLimits

# To bound a choice of sets costs as much as to follow about so many to their end.
_WORTH_A_BOUND: Final = 64
_RANK_BITS: Final[Sequence[tuple[int, Rank]]] = [(1 << rank, rank) for rank in RANKS]


class Question(NamedTuple):
    """What is to be melded, by which limits.

    ``held`` is how often each card is held. ``onto`` are the melds on the table that may be laid
    off on; what a run there breaks by growing is given where a game says anything of it. So many
    new runs must be clean, and there must be so many in all; with ``clean_only`` clean runs are the
    only new melds.
    """

    costs: CardCosts
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
    best = search.plan(found) if found else None
    search.ground.forget()
    return best


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
        ranks = limits.wild_ranks
        wilds = [count for card, count in question.held.items() if card.rank in ranks]
        self._wilds = sum(wilds)
        mode = Mode(
            natural_in_place(limits, clean=question.clean_only or question.clean_runs > 0),
            counted=question.all_runs > 0,
            clean_only=question.clean_only,
        )
        self.ground = ground(limits, question.costs, self._wilds, mode)
        self._own: list[Card] = []
        self._held = [0] * len(SUITS)
        self._own_ranks = [0] * len(SUITS)
        layers = 1
        counts: dict[Rank, list[int]] = {}
        for card, count in question.held.items():
            rank, suit = card
            if rank in ranks:
                if not mode.in_place or rank is Rank.JOKER:
                    continue
                self._own.append(card)
                self._own_ranks[suit] |= 1 << rank
            if count > layers:
                layers = count
            self._held[suit] |= copies(1 << rank, count)
            if rank not in counts:
                counts[rank] = [*NONE]
            counts[rank][suit] = count
        self._fields = Fields(layers)
        self._runs_there: list[list[TableRun]] = [[] for _ in SUITS]
        self._sets_there: dict[Rank, list[TableSet]] = {}
        for rank in self._see_table():
            counts.setdefault(rank, [*NONE])
        self._in_reach = [
            held if there or not held else in_reach(self.ground.numbers, held)
            for held, there in zip(self._held, self._runs_there, strict=True)
        ]
        self._choices: list[tuple[Rank, list[RankChoice]]] = []
        self._apart: list[tuple[Rank, list[RankChoice]]] = []
        self._mask, self._base = 0, 0
        self._choose(counts)
        self._rows_apart = [self._row_apart(choices) for _, choices in self._apart]
        self._tails = self._with_apart(self.ground.tails)
        self._suits = self._suit_runs()

    def _see_table(self) -> Iterable[Rank]:
        """Note the melds on the table; the ranks of its sets."""
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
        return self._sets_there

    def _may_reach(self, meld: Meld) -> MayReach | None:
        breaches = self._question.longer_breaches
        if breaches is None:
            return None
        return cache(lambda low, high: not breaches(meld, reaching(meld, low, high)))

    def _suit_runs(self, free: int = 0) -> list[SuitRuns]:
        """The runs of each suit; the ranks of ``free``, as bits, cost nothing."""
        return self.ground.suit_runs(self._held, self._own_ranks, self._runs_there, free)

    # -- choices ----------------------------------------------------------------------------------

    def _choose(self, counts: Mapping[Rank, Sequence[int]]) -> None:
        """For each rank that can go into sets, the choices; the other cards are no choice."""
        reach = [0] * (len(RANKS) + 1)
        for suit, held in zip(SUITS, self._in_reach, strict=True):
            rest = held & LAYER
            while rest:
                rank = rest.bit_length() - 1
                reach[rank] |= 1 << suit
                rest ^= 1 << rank
        for rank in sorted(counts, reverse=True):
            there = self._sets_there.get(rank, ())
            if not there and sum(counts[rank]) == 1:
                self._single(rank, SUITS[counts[rank].index(1)], reach[rank])
                continue
            bits, cost, choices = self.ground.of_rank(
                rank, tuple(counts[rank]), reach[rank], self._fields, there
            )
            self._mask |= bits
            self._base += cost
            if not choices:
                continue
            if any(choice.bits for choice in choices):
                self._choices.append((rank, choices))
            else:
                self._apart.append((rank, choices))

    def _single(self, rank: Rank, suit: Suit, reach: int) -> None:
        """The only card of its rank is in a run or in none."""
        if reach:
            self._mask |= self._fields.in_suit(1 << rank, suit)
        else:
            self._base += self.ground.costs[CARD_OF[rank, suit]]

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
                    if not self.ground.numbers.one_run or max(share.runs for share in asked) <= 1:
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
        free = sum(1 << rank for rank, _ in self._choices[depth:])
        nothing = self._with_apart([[0] * (self._wilds + 1)])
        return AllSuits(self._suit_runs(free), self._fields, nothing, asked)

    # -- the melds --------------------------------------------------------------------------------

    def plan(self, asking: _Asking) -> BestMelds:
        """The melds of a choice of sets, every wild card in its place."""
        found, exact = asking
        wilds = self._wilds - found.need
        spare = min(found.spare, wilds)
        suit_rows = exact.rows(found.mask, spare)[:-1]
        alone, pieces = self.ground.alone, self.ground.pieces
        rest_of = tail(alone, spare)
        rows = [*suit_rows, *self._rows_apart, rest_of]
        taken = shares(rows, wilds, found.cost - found.base)
        rest = taken.pop()
        runs: list[tuple[Suit, PlannedRun]] = []
        sets: list[tuple[Rank, PlannedSet, int]] = []
        ranks = self._question.limits.wild_ranks
        left = {card: n for card, n in self._question.held.items() if card.rank not in ranks}
        left |= dict.fromkeys(self._own, 0)
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
        extra = max(n for n in range(min(spare, rest) + 1) if alone[rest - n] == rest_of[rest])
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
        own = wilds_alone(pieces, rest - extra)
        return BestMelds(
            found.cost,
            tuple(runs),
            (*filled, *sets),
            own,
            rest - extra - sum(size for _, size in own),
            tuple([c for c, count in left.items() for _ in range(count)]),
        )


class _Asking(NamedTuple):
    """The best choice of sets, and the suits that were asked for runs with it."""

    found: _Found
    exact: AllSuits


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
