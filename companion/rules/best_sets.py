"""The ways in which the cards of one rank can go into sets, new and on the table.

A new set has two natural cards at least: one natural card and wild ones are a matter of its suit
(`companion.rules.best_runs`), wild cards alone of none (`companion.rules.best_melds`). Wild cards
in their own place are among the natural ones here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from companion.rules.best_limits import NO_ROOM, SetLimits, room
from companion.rules.cards import SUITS, Suit
from companion.rules.melds import Meld

Suits = tuple[Suit, ...]
# How many cards of each suit.
Counts = tuple[int, ...]
NONE: Counts = (0,) * len(SUITS)
_IDENTICAL = 3


class TableSet(NamedTuple):
    """A set on the table: where it lies there, how many cards count as natural."""

    at: int
    meld: Meld
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
    """One way to use a rank: the sets, how many cards of each suit they use, and the wild cards.

    ``need`` wild cards are needed, and up to ``spare`` more can be taken.
    """

    used: Counts
    need: int
    spare: int
    sets: tuple[PlannedSet, ...]


def set_choices(
    held: Counts, onto: Sequence[TableSet], limits: SetLimits, *, new: bool = True
) -> Sequence[SetChoice]:
    """Every way to use the held cards of a rank, the fullest last; no two alike.

    One that uses none of them is always among them. Without ``new`` they are only laid off.
    """
    return _sorted(
        _choice((*laid, *sets))
        for laid, rest in _lay_offs(held, onto, limits)
        for sets in (_new_sets(rest, limits) if new else [()])
    )


def _choice(sets: tuple[PlannedSet, ...]) -> SetChoice:
    need = sum(one.need for one in sets)
    spare = sum(one.most for one in sets) - need
    used = tuple(sum(one.suits.count(suit) for one in sets) for suit in SUITS)
    return SetChoice(used, need, spare, sets)


def _sorted(choices: Iterable[SetChoice]) -> Sequence[SetChoice]:
    """The choices without those that another one betters, the fullest last."""
    best: dict[Counts, list[SetChoice]] = {}
    for choice in sorted(choices, key=lambda one: (one.need, -one.spare)):
        others = best.setdefault(choice.used, [])
        if all(one.need + one.spare < choice.need + choice.spare for one in others):
            others.append(choice)
    found = (choice for choices in best.values() for choice in choices)
    return tuple(sorted(found, key=lambda choice: (sum(choice.used), -choice.need)))


# -- new sets -------------------------------------------------------------------------------------


def _new_sets(held: Counts, limits: SetLimits) -> Iterator[tuple[PlannedSet, ...]]:
    """Every way to make sets of some of the cards; where suits do not matter, of so many cards."""
    if limits.suits_differ:
        yield from _of_pieces(held, _pieces(held, limits), limits)
        return
    for used in product(*(range(count + 1) for count in held)):
        suits = tuple(suit for suit in SUITS for _ in range(used[suit]))
        for sizes in _parts(len(suits), len(suits)):
            rooms = [room(size, limits) for size in sizes]
            if NO_ROOM not in rooms:
                starts = [sum(sizes[:number]) for number in range(len(sizes))]
                yield tuple(
                    PlannedSet(suits[start : start + size], need, most)
                    for start, size, (need, most) in zip(starts, sizes, rooms, strict=True)
                )


def _parts(count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as a sum of numbers from 2 up, the largest first."""
    if not count:
        yield ()
    for first in range(min(count, largest), 1, -1):
        for rest in _parts(count - first, first):
            yield (first, *rest)


def _pieces(held: Counts, limits: SetLimits) -> list[PlannedSet]:
    """Every set of different suits, and every three identical cards where they are a meld."""
    found = []
    for chosen in product(*((0, 1) if count else (0,) for count in held)):
        suits = tuple(suit for suit in SUITS if chosen[suit])
        need, most = room(len(suits), limits)
        if len(suits) > 1 and need <= most:
            found.append(PlannedSet(suits, need, most))
    if limits.tanala:
        found += [
            PlannedSet((suit,) * _IDENTICAL, 0, 0) for suit in SUITS if held[suit] >= _IDENTICAL
        ]
    return found


def _of_pieces(
    held: Counts, pieces: Sequence[PlannedSet], limits: SetLimits
) -> Iterator[tuple[PlannedSet, ...]]:
    yield ()
    for number, piece in enumerate(pieces):
        rest = tuple(held[suit] - piece.suits.count(suit) for suit in SUITS)
        if min(rest) >= 0:
            for sets in _of_pieces(rest, pieces[number:], limits):
                yield (piece, *sets)


# -- lay-offs -------------------------------------------------------------------------------------


def _lay_offs(
    held: Counts, onto: Sequence[TableSet], limits: SetLimits
) -> Iterator[tuple[tuple[PlannedSet, ...], Counts]]:
    """Every choice of held cards to lay off on the sets of the table, and what is then left."""
    if not onto:
        yield (), held
        return
    there = onto[0]
    missing = missing_suits(there.meld) if limits.suits_differ else SUITS
    most_of = [
        0 if suit not in missing else min(held[suit], 1) if limits.suits_differ else held[suit]
        for suit in SUITS
    ]
    for taken in product(*(range(most + 1) for most in most_of)):
        most = _more_wilds(there, sum(taken), limits)
        if most is None:
            continue
        suits = tuple(suit for suit in SUITS for _ in range(taken[suit]))
        rest = tuple(held[suit] - taken[suit] for suit in SUITS)
        for laid, left in _lay_offs(rest, onto[1:], limits):
            yield (PlannedSet(suits, 0, most, there), *laid), left


def _more_wilds(there: TableSet, added: int, limits: SetLimits) -> int | None:
    """How many wild cards a set can take besides so many naturals; None if it is no meld then."""
    size = len(there.meld.cards)
    naturals, wilds = there.naturals + added, size - there.naturals
    most = limits.sizes[1] - size - added
    if limits.half_wild:
        most = min(most, naturals - wilds)
    if limits.max_wilds is not None:
        most = min(most, limits.max_wilds - wilds)
    if naturals < limits.min_naturals:
        most = -1
    if added:
        return most if most >= 0 else None
    return max(most, 0)


def missing_suits(meld: Meld) -> Suits:
    """The suits that a set has not."""
    return tuple(suit for suit in SUITS if suit not in {card.suit for card in meld.identities})
