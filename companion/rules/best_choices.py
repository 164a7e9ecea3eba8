"""What can be done with the cards of one rank, as far as the search for the best melds can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.rules.best_limits import SetLimits, set_limits
from companion.rules.best_sets import NONE, Counts, PlannedSet, SetChoice, TableSet, set_choices
from companion.rules.best_suits import Fields
from companion.rules.card_bits import copies
from companion.rules.cards import CARD_OF, SUITS, Card, Rank
from companion.rules.melds import MeldLimits


class RankCards(NamedTuple):
    """The cards held of a rank, by suit, and which suits can have them in runs.

    ``own`` says that they are wild cards in their own place.
    """

    counts: Counts
    in_reach: tuple[bool, ...]
    own: bool


class RankChoice(NamedTuple):
    """A choice of sets for a rank.

    ``bits`` are the cards of the mask of all suits that it takes; ``cost`` is what those that it
    leaves cost where no run can have them. ``need`` wild cards are needed, those in their own place
    among them, and up to ``spare`` more can be taken.
    """

    bits: int
    need: int
    spare: int
    cost: int
    sets: tuple[PlannedSet, ...]


class _Pattern(NamedTuple):
    """A choice for any rank: bits as of the lowest rank, and what it leaves out of reach."""

    bits: int
    need: int
    spare: int
    rest: Counts
    sets: tuple[PlannedSet, ...]


def bits_of(rank: Rank, cards: RankCards, fields: Fields) -> int:
    """The cards of a rank that may be in runs, in the mask of all suits."""
    return _lowest_bits(cards, fields.layers) << rank


@lru_cache(maxsize=1024)
def _lowest_bits(cards: RankCards, layers: int) -> int:
    fields = Fields(layers)
    bits = 0
    for suit in SUITS:
        if cards.in_reach[suit]:
            bits |= fields.in_suit(copies(1, cards.counts[suit]), suit)
    return bits


def rank_choices(
    rank: Rank,
    cards: RankCards,
    there: Sequence[TableSet],
    costs: Mapping[Card, int],
    limits: MeldLimits,
    fields: Fields,
    wilds: int,
    *,
    new: bool,
) -> list[RankChoice]:
    """The choices of sets that no other choice betters, the fullest last.

    ``there`` are the sets on the table; without ``new`` there are no others.
    """
    if there:
        choices = set_choices(cards.counts, there, set_limits(limits), new=new)
        patterns = _as_patterns(choices, cards, fields.layers, wilds)
    elif new and sum(cards.counts) > 1:
        patterns = _patterns(cards, set_limits(limits), fields.layers, wilds)
    else:
        patterns = _as_patterns([SetChoice(NONE, 0, 0, ())], cards, fields.layers, wilds)
    if not any(patterns[0].rest):
        # Whatever is in no set may be in a run: there is nothing to compare.
        return [RankChoice(one.bits << rank, one.need, one.spare, 0, one.sets) for one in patterns]
    each = [costs.get(CARD_OF[rank, suit], 0) for suit in SUITS]
    best: dict[int, list[RankChoice]] = {}
    for bits, need, spare, rest, sets in patterns:
        cost = sum([count * one for count, one in zip(rest, each, strict=True)])
        choice = RankChoice(bits << rank, need, spare, cost, sets)
        others = best.setdefault(bits, [])
        if not any(_betters(other, choice) for other in others):
            others[:] = [other for other in others if not _betters(choice, other)]
            others.append(choice)
    return [choice for others in best.values() for choice in others]


@lru_cache(maxsize=4096)
def _patterns(cards: RankCards, limits: SetLimits, layers: int, wilds: int) -> tuple[_Pattern, ...]:
    return _as_patterns(set_choices(cards.counts, (), limits), cards, layers, wilds)


def _as_patterns(
    choices: Sequence[SetChoice], cards: RankCards, layers: int, wilds: int
) -> tuple[_Pattern, ...]:
    """The choices that so many wild cards are enough for; the first leaves the most."""
    fields = Fields(layers)
    found = []
    for choice in choices:
        need = choice.need + (sum(choice.used) if cards.own else 0)
        if need > wilds:
            continue
        bits = 0
        rest = [*NONE]
        for suit in SUITS:
            count = cards.counts[suit]
            left = count - choice.used[suit]
            if cards.in_reach[suit]:
                bits |= fields.in_suit(copies(1, count) ^ copies(1, left), suit)
            else:
                rest[suit] = left
        found.append(_Pattern(bits, need, choice.spare, tuple(rest), choice.sets))
    return tuple(found)


def _betters(one: RankChoice, other: RankChoice) -> bool:
    """Whether a choice that takes the same cards of the mask is as good in every way."""
    needs, takes = one.need <= other.need, one.need + one.spare >= other.need + other.spare
    return needs and takes and one.cost <= other.cost
