"""Several players' cards arranged one after the other, each on what the players before have left.

For games in which the others lay off when somebody has gone out (PAY-9). A wild card that is laid
off takes a place, and sometimes it has to be said which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from companion.rules.arrange import Arrangement, LaidOff, arrange
from companion.rules.cards import Card, Laid, Offered, without
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.readings import extensions


class Shown(NamedTuple):
    """All cards that a player shows at the end of a hand.

    ``left`` are those that the player counts as left, where the best arrangement is not wanted.
    ``laid_as`` has wild cards laid off and what they stand for, where that was said: ``2S=8H``.
    """

    cards: tuple[Card, ...]
    left: tuple[Card, ...] | None = None
    laid_as: tuple[str, ...] = ()


class Placed(NamedTuple):
    """One player's cards, arranged on the melds that the players before have left.

    ``way`` is how they are arranged, ``best`` the best way there is. ``out_of_place`` are cards
    that are not left, as the player says, and that no meld has room for.
    """

    onto: tuple[Meld, ...]
    way: Arrangement
    best: Arrangement
    out_of_place: tuple[Card, ...] = ()


class Unsure(NamedTuple):
    """Wild cards laid off that can stand for several cards, and others' points depend on which.

    ``player`` and ``others`` are places in the order of laying off. Each of the ``ways`` has all of
    the player's wild cards that matter; ``said`` is the one that the player has told, if any.
    """

    player: int
    ways: tuple[tuple[Laid, ...], ...]
    said: tuple[Laid, ...] | None
    others: tuple[int, ...]


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
    for cards, left, laid_as in hands:
        best = way = _arranged(rules, cards, table)
        out_of_place: tuple[Card, ...] = ()
        if left is not None and Counter(left) != Counter(best.deadwood):
            way = _arranged(rules, without(cards, left), table)
            out_of_place = way.deadwood
        if laid_as:
            said = [_laid_as_said(table[one.onto], one, laid_as, rules) for one in way.laid_off]
            way = way._replace(laid_off=tuple(said))
        placed.append(Placed(table, way, best, out_of_place))
        table = with_lay_offs(table, way.laid_off, rules)
    return placed


def with_lay_offs(
    onto: Sequence[Meld], laid_off: Sequence[LaidOff], rules: Judge
) -> tuple[Meld, ...]:
    """Return the melds with these cards laid off on them."""
    melds = list(onto)
    for laid in laid_off:
        offered = [one.offered for one in laid.cards]
        melds[laid.onto] = extensions(melds[laid.onto], offered, rules.limits)[0]
    return tuple(melds)


def unsure(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()) -> list[Unsure]:
    """Return the wild cards for which it has to be said what they stand for (PAY-9).

    A wild card fits at either end of a run, and the place that it takes is taken for the players
    after. The arguments are those of `arrange_in_turn`.
    """
    found = []
    for player, turn in enumerate(arrange_in_turn(hands, rules, onto)):
        later, laid_off, matter = hands[player + 1 :], list(turn.way.laid_off), []
        others: set[int] = set()
        for at, laid in enumerate(laid_off):
            ways = _ways_to_lie(turn.onto[laid.onto], laid, rules) if later else [laid]
            ways.sort(key=lambda one: [card.stands_for[::-1] for card in one.cards])
            tables = [(*laid_off[:at], one, *laid_off[at + 1 :]) for one in ways]
            outcomes = [
                _outcome(later, rules, with_lay_offs(turn.onto, table, rules)) for table in tables
            ]
            differ = {
                player + 1 + n
                for n, each in enumerate(zip(*outcomes, strict=True))
                if len({*each}) > 1
            }
            if differ:
                matter.append(ways)
                others |= differ
        if matter:
            every = [tuple(_wilds(chosen)) for chosen in product(*matter)]
            told = next((way for way in every if _is_said(way, hands[player].laid_as)), None)
            found.append(Unsure(player, tuple(every), told, tuple(sorted(others))))
    return found


def _outcome(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld]) -> list[object]:
    """What each player comes to, by the points of the best way or by what has no place."""
    turns = arrange_in_turn(hands, rules, onto)
    return [
        turn.best.points if shown.left is None else turn.out_of_place
        for shown, turn in zip(hands, turns, strict=True)
    ]


def _ways_to_lie(meld: Meld, laid: LaidOff, rules: Judge) -> list[LaidOff]:
    """Return all ways in which cards laid off can lie on a meld, first that of ``laid``."""
    offered = [Offered(one.card) for one in laid.cards]
    ways = {_places(laid.cards): laid}
    for longer in extensions(meld, offered, rules.limits):
        if not rules.limits.breaches(longer) and not rules.longer_breaches(meld, longer):
            cards = longer.beyond(meld)
            ways.setdefault(_places(cards), LaidOff(cards, laid.onto))
    return [*ways.values()]


def _places(cards: Sequence[Laid]) -> frozenset[tuple[Card, bool]]:
    return frozenset((one.stands_for, one.wild) for one in cards)


def _laid_as_said(meld: Meld, laid: LaidOff, said: Sequence[str], rules: Judge) -> LaidOff:
    """Return the way in which the cards lie as the player says, or else as they were laid."""
    ways = _ways_to_lie(meld, laid, rules)
    return next((one for one in ways if _is_said(_wilds([one]), said)), laid)


def _wilds(laid_off: Iterable[LaidOff]) -> list[Laid]:
    return [one for laid in laid_off for one in laid.cards if one.wild]


def _is_said(wilds: Sequence[Laid], said: Sequence[str]) -> bool:
    return not Counter(one.text for one in wilds) - Counter(said)


# A page asks again after every tap, mostly about the same players' cards.
@lru_cache(maxsize=1024)
def _arranged(rules: Judge, cards: tuple[Card, ...], onto: tuple[Meld, ...]) -> Arrangement:
    return arrange(cards, rules, onto)
