"""The fewest points that a handful of cards can be left with, and melds that leave no more.

For games in which a player may arrange cards as they like. What a turn forbids (PRO-7) and what is
on the table already (PRO-9) does not count, but every meld is one by the game's limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from companion.rules.candidates import ANY_RUN, CLEAN_RUN, Handful
from companion.rules.cards import JOKER, PACK, Card, Offered, check_packs
from companion.rules.choice import NEVER, Choice, Chosen, Costs, LaidOff, lay_down
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Meld
from companion.rules.readings import extensions

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8
_LISTED: Final = {card: number for number, card in enumerate((*PACK, JOKER))}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Cards as melds, lay-offs and deadwood; ``points`` is what the deadwood counts."""

    points: int
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    deadwood: tuple[Card, ...]


def arrange(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Arrangement:
    """Return an arrangement that leaves the fewest points, and of those one with the fewest cards.

    ``onto`` are melds on the table that may be laid off on, the runs as the game lets them grow
    (KAL-5). The order of the cards does not matter. Points are as in PRO-15, melds as in PRO-4 to
    PRO-6, lay-offs as in PRO-8, and likewise in the other games. Where a game asks for a number of
    runs, and of clean ones (IND-5, IND-8), there are so many among the melds, or no melds but clean
    runs. All wild cards have to count the same, as they do in every game. Raises `Malformed` if the
    game's packs cannot hold the cards.
    """
    asked = _asked(rules)
    return _best(cards, rules, _costs(rules), asked, onto, or_clean=asked > 0)


def fewest_left(cards: Sequence[Card], rules: Judge) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    The runs that the game asks for need not be there. Raises `Malformed` if the game's packs cannot
    hold the cards.
    """
    return _best(cards, rules, _costs(rules, alike=True))


def complete(cards: Sequence[Card], rules: Judge) -> tuple[Meld, ...] | None:
    """Melds that use every one of the cards, with the runs that the game asks for; None if none do.

    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    asked = _asked(rules)
    best = _best(cards, rules, _costs(rules, alike=True), asked, below=1)
    return None if best.deadwood or (asked and not best.melds) else best.melds


def _asked(rules: Judge) -> int:
    """The marks of the runs that there must be."""
    clean, every = rules.clean_runs, rules.all_runs
    return clean * CLEAN_RUN + max(0, every - clean) * ANY_RUN if clean or every else 0


def _best(
    cards: Sequence[Card],
    rules: Judge,
    costs: Costs,
    asked: int = 0,
    onto: Sequence[Meld] = (),
    below: int = NEVER,
    *,
    or_clean: bool = False,
) -> Arrangement:
    """The arrangement that leaves the least; one of deadwood if none leaves less than ``below``.

    Its melds are the runs ``asked`` for and others, or with ``or_clean`` clean runs alone, if that
    leaves less.
    """
    check_packs([(noted("the cards"), cards)], *rules.deck)
    limits, held = rules.limits, counted(cards)
    hand = Handful(held, limits)
    listed = hand.melds(asked | or_clean * CLEAN_RUN)
    either = [(hand.clean_runs(listed), 0), (listed, asked)] if or_clean else [(listed, asked)]
    lay_offs = hand.lay_offs(onto, rules.longer_breaches) if onto else None
    chosen: Chosen = ()
    for candidates, marks in either:
        if lay_offs:
            candidates.add(lay_offs)
        if candidates.of_lowest or marks:
            choice = Choice(candidates, hand.cards + marks, hand.wilds, costs, below)
            if choice.cost < below:
                # What leaves as much with the runs asked for is better.
                chosen, below = choice.chosen(), choice.cost + 1
    melds, laid_off, left = lay_down(chosen, held, onto, limits)
    points = sum([costs.of[card] for card in left]) // _POINT
    return Arrangement(points, melds, laid_off, left)


def counted(cards: Sequence[Card]) -> dict[Card, int]:
    """How often each card is there, in the order in which cards are listed."""
    held: dict[Card, int] = {}
    for card in sorted(cards, key=_LISTED.__getitem__):
        held[card] = held.get(card, 0) + 1
    return held


@lru_cache(maxsize=1024)
def _costs(rules: Judge, *, alike: bool = False) -> Costs:
    """What each card costs if it is left: its points first, or as much as any other."""
    of = {card: _POINT if alike else rules.value(card) * _POINT + 1 for card in _LISTED}
    return Costs(of, rules.limits)


# -- one player after the other -------------------------------------------------------------------


class Shown(NamedTuple):
    """All cards that a player shows at the end of a hand.

    ``left`` are those that the player counts as left, where the best arrangement is not wanted.
    """

    cards: tuple[Card, ...]
    left: tuple[Card, ...] | None = None


class Placed(NamedTuple):
    """One player's cards, arranged on the melds that the players before have left.

    ``way`` is how they are arranged, ``best`` the best way there is. ``out_of_place`` are cards
    that are not left, as the player says, and that no meld has room for.
    """

    onto: tuple[Meld, ...]
    way: Arrangement
    best: Arrangement
    out_of_place: tuple[Card, ...] = ()


def arrange_in_turn(
    hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()
) -> list[Placed]:
    """Arrange several players' cards one after the other, each as well as the table then allows.

    ``hands`` are in the order in which the players lay off on the melds ``onto``: a place that one
    has taken is taken for the next, and what has grown keeps the game's limits (PAY-9). Raises
    `Malformed` if the packs cannot hold the cards of one player.
    """
    table = tuple(onto)
    placed = []
    for cards, left in hands:
        best = way = _arranged(rules, cards, table)
        out_of_place: tuple[Card, ...] = ()
        if left is not None and Counter(left) != Counter(best.deadwood):
            way = _arranged(rules, tuple((Counter(cards) - Counter(left)).elements()), table)
            out_of_place = way.deadwood
        placed.append(Placed(table, way, best, out_of_place))
        table = with_lay_offs(table, way.laid_off, rules)
    return placed


def with_lay_offs(
    onto: Sequence[Meld], laid_off: Sequence[LaidOff], rules: Judge
) -> tuple[Meld, ...]:
    """Return the melds with these cards laid off on them."""
    melds = list(onto)
    for laid in laid_off:
        offered = [Offered(one.card, one.stands_for if one.wild else None) for one in laid.cards]
        melds[laid.onto] = extensions(melds[laid.onto], offered, rules.limits)[0]
    return tuple(melds)


# A page asks again after every tap, mostly about the same players' cards.
@lru_cache(maxsize=1024)
def _arranged(rules: Judge, cards: tuple[Card, ...], onto: tuple[Meld, ...]) -> Arrangement:
    return arrange(cards, rules, onto)
