"""The ways in which the cards of one rank can go into sets, new and on the table.

A new set has two natural cards at least: with one and the same wild cards there is a run as good,
as long as runs may be as short as sets (`companion.rules.best_runs`); one of wild cards alone is no
matter of a rank (`companion.rules.best_melds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.rules.cards import SUITS, Suit
from companion.rules.melds import Meld, MeldLimits

Suits = tuple[Suit, ...]


class TableSet(NamedTuple):
    """A set on the table: where it lies there, the suits it has not, how many cards are natural."""

    at: int
    meld: Meld
    missing: Suits
    naturals: int


class PlannedSet(NamedTuple):
    """Natural cards, by suit, for a set; it takes ``need`` wild cards and has room for ``most``.

    ``onto`` is the set on the table that they are laid off on, or None.
    """

    suits: Suits
    need: int
    most: int
    onto: TableSet | None = None


class SetChoice(NamedTuple):
    """One way to use a rank: the sets, the suits they use, and the wild cards they take.

    ``need`` wild cards are needed, and up to ``spare`` more can be taken.
    """

    suits: Suits
    need: int
    spare: int
    sets: tuple[PlannedSet, ...]


def set_choices(
    held: Suits, onto: Sequence[TableSet], limits: MeldLimits, wilds: int
) -> Sequence[SetChoice]:
    """Every way to use the held suits of a rank with so many wild cards, the fullest last.

    One that uses none of them is always among them.
    """
    if not onto:
        return _without_lay_offs(held, limits.set_sizes, limits.min_naturals, wilds)
    return _sorted(
        [
            _choice((*sets, *laid))
            for laid, rest in _lay_offs(held, onto, limits)
            for sets in _new_sets(rest, limits.set_sizes, limits.min_naturals)
        ],
        wilds,
    )


@lru_cache(maxsize=1024)
def _without_lay_offs(
    held: Suits, sizes: tuple[int, int], min_naturals: int, wilds: int
) -> Sequence[SetChoice]:
    return _sorted([_choice(sets) for sets in _new_sets(held, sizes, min_naturals)], wilds)


def _choice(sets: tuple[PlannedSet, ...]) -> SetChoice:
    need = sum(one.need for one in sets)
    spare = sum(one.most for one in sets) - need
    return SetChoice(tuple(suit for one in sets for suit in one.suits), need, spare, sets)


def _sorted(choices: Iterable[SetChoice], wilds: int) -> Sequence[SetChoice]:
    affordable = [choice for choice in choices if choice.need <= wilds]
    return tuple(sorted(affordable, key=lambda choice: (len(choice.suits), -choice.need)))


def _lay_offs(
    held: Suits, onto: Sequence[TableSet], limits: MeldLimits
) -> Iterator[tuple[tuple[PlannedSet, ...], Suits]]:
    """Every choice of held suits to lay off on the sets of the table, and what is then left."""
    if not onto:
        yield (), held
        return
    there = onto[0]
    for taken in _subsets(tuple(suit for suit in held if suit in there.missing)):
        enough = there.naturals + len(taken) >= limits.min_naturals
        if taken and not enough:
            continue
        room = len(there.missing) - len(taken) if enough else 0
        rest = tuple(suit for suit in held if suit not in taken)
        for laid, left in _lay_offs(rest, onto[1:], limits):
            yield (PlannedSet(taken, 0, room, there), *laid), left


@lru_cache(maxsize=256)
def _new_sets(
    held: Suits, sizes: tuple[int, int], min_naturals: int
) -> tuple[tuple[PlannedSet, ...], ...]:
    """Every way to make sets of some of the suits; of those that are alike, the first."""
    fewest = max(2, min_naturals)
    ways: dict[tuple[frozenset[Suit], int, int], tuple[PlannedSet, ...]] = {}
    for sets in _partitions(held, fewest):
        planned = tuple(
            PlannedSet(suits, max(0, sizes[0] - len(suits)), sizes[1] - len(suits))
            for suits in sets
        )
        used = frozenset(suit for suits in sets for suit in suits)
        need, most = sum(one.need for one in planned), sum(one.most for one in planned)
        ways.setdefault((used, need, most), planned)
    return tuple(ways.values())


def _partitions(held: Suits, fewest: int) -> Iterator[tuple[Suits, ...]]:
    if not held:
        yield ()
        return
    first, *others = held
    yield from _partitions(tuple(others), fewest)
    for more in _subsets(tuple(others)):
        if 1 + len(more) >= fewest:
            rest = tuple(suit for suit in others if suit not in more)
            for sets in _partitions(rest, fewest):
                yield ((first, *more), *sets)


def _subsets(suits: Suits) -> list[Suits]:
    return [
        tuple(suit for at, suit in enumerate(suits) if chosen >> at & 1)
        for chosen in range(1 << len(suits))
    ]


def missing_suits(meld: Meld) -> Suits:
    """The suits that a set has not."""
    return tuple(suit for suit in SUITS if suit not in {card.suit for card in meld.identities})
