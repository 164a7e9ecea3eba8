"""The ways in which a run on the table can be made longer with the cards of its suit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, RANKS, Laid, Rank
from companion.rules.melds import ACE_HIGH, AceInRuns, Meld, MeldLimits

_ACE: Final = 1 << Rank.ACE


def rank_bit(place: int) -> int:
    """The bit of the card that has a place, 1 … 14, in a mask of ranks: the ace has but one."""
    return _ACE if place == ACE_HIGH else 1 << place


# Whether a game lets a run on the table become one from this place to that one.
MayReach = Callable[[int, int], bool]


class TableRun(NamedTuple):
    """A run on the table, where it lies there, and for each of its cards whether it is wild.

    ``may_reach`` is given where a game says how runs may grow.
    """

    at: int
    meld: Meld
    wild: tuple[bool, ...]
    may_reach: MayReach | None = None


class Lengthening(NamedTuple):
    """Natural cards to lay off on a run, by rank as bits, wild cards in all, and its new low end.

    A wild card in its own place is among both. ``added`` is the number of cards.
    """

    taken: int
    wilds: int
    low: int
    added: int


class _Step(NamedTuple):
    """Cards laid off at one end: what they take, and which of them are wild, outwards."""

    taken: int
    tokens: int
    wild: tuple[bool, ...]


def lengthenings(
    run: TableRun, held: int, own: int, wilds: int, limits: MeldLimits, *, keep_back: bool
) -> Iterator[Lengthening]:
    """Every way to make a run longer with these cards (bits by rank), none of it first.

    ``own`` are those of them that are wild cards in their own place. A held card is kept back, with
    another wild one in its place, only if ``keep_back`` says so.
    """
    aces = limits.ace_in_runs
    size = len(run.meld.cards)
    yield Lengthening(0, 0, run.meld.low, 0)

    def reach(places: Sequence[int]) -> list[_Step]:
        room = places[: limits.run_sizes[1] - size]
        return list(_steps(room, held, own, wilds, keep_back=keep_back))

    up = reach(range(run.meld.high + 1, aces.highest + 1))
    down = reach(range(run.meld.low - 1, aces.lowest - 1, -1))
    allowed = _allowed(run, limits)
    for below in down:
        for above in up:
            tokens, added = below.tokens + above.tokens, len(below.wild) + len(above.wild)
            if added and tokens <= wilds and not below.taken & above.taken:
                low, high = run.meld.low - len(below.wild), run.meld.high + len(above.wild)
                pattern = (*below.wild[::-1], *run.wild, *above.wild)
                if allowed(pattern) and (run.may_reach is None or run.may_reach(low, high)):
                    yield Lengthening(below.taken | above.taken, tokens, low, added)


def reaching(meld: Meld, low: int, high: int) -> Meld:
    """A run made longer with natural cards, from this place to that one."""
    suit = meld.cards[0].stands_for.suit
    places = [CARD_OF[RANKS[(place - 1) % len(RANKS)], suit] for place in range(low, high + 1)]
    cards = [Laid(card, card) for card in places]
    cards[meld.low - low : meld.high - low + 1] = meld.cards
    return Meld(meld.kind, tuple(cards))


def _steps(
    places: Sequence[int], held: int, own: int, wilds: int, *, keep_back: bool
) -> Iterator[_Step]:
    """Every way to lay cards at an end, place by place, with so many wild cards at most."""
    todo = [_Step(0, 0, ())]
    while todo:
        step = todo.pop()
        yield step
        if len(step.wild) == len(places):
            continue
        bit = rank_bit(places[len(step.wild)])
        there = bit & held & ~step.taken
        tokens = step.tokens + (1 if bit & own else 0)
        if there and tokens <= wilds:
            todo.append(_Step(step.taken | bit, tokens, (*step.wild, False)))
        if (keep_back or not there) and step.tokens < wilds:
            todo.append(_Step(step.taken, step.tokens + 1, (*step.wild, True)))


def _allowed(run: TableRun, limits: MeldLimits) -> Callable[[Sequence[bool]], bool]:
    """Whether a longer run may have wild cards just there."""
    longest = limits.run_sizes[1]

    def allowed(wild: Sequence[bool]) -> bool:
        size, count = len(wild), sum(wild)
        if size > longest or size - count < limits.min_naturals:
            return False
        if limits.half_wild and 2 * count > size:
            return False
        if limits.max_wilds is not None and count > limits.max_wilds:
            return False
        if not limits.wilds_apart:
            return True
        if (
            size == len(RANKS)
            and limits.ace_in_runs is AceInRuns.BOTH
            and run.meld.high == ACE_HIGH
        ):
            # A whole suit is read from the ace up, wherever its ace was laid.
            wild = (wild[-1], *wild[:-1])
        return (True, True) not in pairwise(wild)

    return allowed
