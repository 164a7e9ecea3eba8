"""What the search for the best melds knows before it sees a handful, and remembers of others.

The limits as numbers, what each card costs, and, as they are asked for, what can be done with the
cards of one rank and what the cards of one suit can be left with. Handfuls have few cards of a
rank or suit, and so much the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from companion.rules.best_choices import RankCards, RankChoice, bits_of, rank_choices
from companion.rules.best_groups import ACE, FEW_WILDS, HIGH_ACE, leaves_none_out
from companion.rules.best_lengthenings import TableRun
from companion.rules.best_limits import run_limits
from companion.rules.best_runs import SuitRuns
from companion.rules.best_sets import Counts, TableSet
from companion.rules.best_suits import Fields
from companion.rules.best_wilds import sizes_of_wilds, tails
from companion.rules.card_bits import LAYER
from companion.rules.cards import JOKER, PACK, SUITS, Card, Rank
from companion.rules.melds import ACE_HIGH, MeldLimits

# More answers than this are not remembered from one handful to the next.
_MOST_REMEMBERED: Final = 2000


class CardCosts:
    """What each card costs if it is left, above 0, and all wild ones the same.

    Equal only to itself: made once for the rules of a hand.
    """

    def __init__(self, cost: Callable[[Card], int]) -> None:
        self.of: Mapping[Card, int] = {card: cost(card) for card in (*PACK, JOKER)}


class Mode(NamedTuple):
    """What is asked besides the limits.

    ``in_place`` says that wild cards may be natural in their own place, ``counted`` that a number
    of runs is asked for, ``clean_only`` that there is no new meld but clean runs.
    """

    in_place: bool
    counted: bool
    clean_only: bool


class OfRank(NamedTuple):
    """What can be done with the cards of a rank.

    ``bits`` are those that may be in runs, in the mask of all suits. Where nothing is to be
    chosen, ``cost`` is what the others cost; otherwise there are ``choices``.
    """

    bits: int
    cost: int
    choices: list[RankChoice]


class Ground:
    """What is known for these limits and costs, and so many wild cards."""

    def __init__(self, limits: MeldLimits, costs: CardCosts, wilds: int, mode: Mode) -> None:
        self.limits, self.mode = limits, mode
        self.numbers = run_limits(limits, wilds)
        # A wild card in its own place costs nothing there: it does as a wild card.
        self.costs = {
            card: 0 if card.rank in limits.wild_ranks else cost for card, cost in costs.of.items()
        }
        wild_cost = next((costs.of[card] for card in costs.of if card.rank in limits.wild_ranks), 0)
        self.pieces = () if mode.clean_only else sizes_of_wilds(limits)
        self.alone, self.tails = tails(self.pieces, wilds, wild_cost)
        self.places = places(self.costs)
        self._suits: dict[tuple[tuple[int, ...], int, bool], SuitRuns] = {}
        self._ranks: dict[tuple[Rank, Counts, int, int], OfRank] = {}

    def suit_runs(
        self, held: Sequence[int], own: Sequence[int], onto: Sequence[Sequence[TableRun]], free: int
    ) -> list[SuitRuns]:
        """The runs of each suit, new and on the table, of these cards by rank.

        ``own`` are the ranks of those that are wild cards in their own place, as bits, and ``free``
        are ranks that are to cost nothing.
        """
        places = self._places(free) if free else self.places
        found = []
        for suit, costs in zip(SUITS, places, strict=True):
            none_out = leaves_none_out(self.numbers, held[suit], counted=self.mode.counted)
            key = (costs, own[suit], none_out)
            runs = None if onto[suit] else self._suits.get(key)
            if runs is None:
                runs = self._suit_runs(*key, onto[suit], held[suit])
                if not onto[suit]:
                    self._suits[key] = runs
            found.append(runs)
        return found

    def _places(self, free: int) -> list[tuple[int, ...]]:
        if free & ACE:
            free |= HIGH_ACE
        return [
            tuple([0 if free >> place & 1 else cost for place, cost in enumerate(of_suit)])
            for of_suit in self.places
        ]

    def _suit_runs(
        self,
        costs: tuple[int, ...],
        own: int,
        none_out: bool,
        onto: Sequence[TableRun],
        held: int,
    ) -> SuitRuns:
        few = held <= LAYER and self.numbers.wilds <= FEW_WILDS and len(onto) == 1
        takes_all = few and self.numbers.anywhere and onto[0].may_reach is None
        return SuitRuns(
            self.limits,
            self.numbers,
            costs,
            onto,
            own,
            none_out=none_out,
            keeps_back=not takes_all or self.mode.counted or self.mode.clean_only,
            clean_only=self.mode.clean_only,
        )

    def of_rank(
        self, rank: Rank, counts: Counts, in_reach: int, fields: Fields, there: Sequence[TableSet]
    ) -> OfRank:
        """What can be done with so many cards of a rank, of each suit.

        ``in_reach`` has a bit for each suit of which runs can have them; ``there`` are the sets on
        the table.
        """
        if there:
            return self._of_rank(rank, counts, in_reach, fields, there)
        key = (rank, counts, in_reach, fields.layers)
        found = self._ranks.get(key)
        if found is None:
            found = self._ranks[key] = self._of_rank(rank, counts, in_reach, fields, there)
        return found

    def _of_rank(
        self, rank: Rank, counts: Counts, in_reach: int, fields: Fields, there: Sequence[TableSet]
    ) -> OfRank:
        reach = tuple([bool(in_reach >> suit & 1) for suit in SUITS])
        cards = RankCards(counts, reach, rank in self.limits.wild_ranks)
        choices = rank_choices(
            rank,
            cards,
            there,
            self.costs,
            self.limits,
            fields,
            self.numbers.wilds,
            new=not self.mode.clean_only,
        )
        bits = bits_of(rank, cards, fields)
        if len(choices) == 1 and not choices[0].sets:
            return OfRank(bits, choices[0].cost, [])
        return OfRank(bits, 0, choices)

    def forget(self) -> None:
        """Let go of what was remembered, if that is much."""
        if sum(runs.remembered for runs in self._suits.values()) > _MOST_REMEMBERED:
            self._suits.clear()


def places(costs: Mapping[Card, int]) -> list[tuple[int, ...]]:
    """What the cards of each suit cost by place: an ace has the lowest and the highest."""
    found = [[0] * (ACE_HIGH + 1) for _ in SUITS]
    for card, cost in costs.items():
        if card is JOKER:
            continue
        rank, suit = card
        found[suit][rank] = cost
        if rank is Rank.ACE:
            found[suit][ACE_HIGH] = cost
    return [tuple(of_suit) for of_suit in found]


@lru_cache(maxsize=32)
def ground(limits: MeldLimits, costs: CardCosts, wilds: int, mode: Mode) -> Ground:
    """The same for all handfuls with so many wild cards."""
    return Ground(limits, costs, wilds, mode)
