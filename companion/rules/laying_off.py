"""Lay-offs at the end of a hand: several players' cards, arranged one after the other (PAY-9).

A place that one has taken is taken, so what a wild card stands for can decide what others lay off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from companion.rules.arrange import Arrangement, LaidOff, arrange
from companion.rules.cards import Card, Laid, Offered, without
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.readings import listed, ways

# A page asks again after every tap, mostly about the same players' cards.
_arranged: Final = lru_cache(maxsize=1024)(arrange)


class Shown(NamedTuple):
    """All cards that a player shows at the end of a hand.

    ``left`` are the cards that the player counts as left, or None for the best arrangement.
    ``laid_as`` has the wild cards laid off whose identity the player said: ``2S=8H``.
    """

    cards: tuple[Card, ...]
    left: tuple[Card, ...] | None = None
    laid_as: tuple[str, ...] = ()


class Placed(NamedTuple):
    """One player's cards, arranged, with lay-offs on the melds ``onto``.

    ``way`` is the player's arrangement, ``best`` the best one. ``out_of_place`` are cards that the
    player does not count as left, but that have no place in a meld.
    """

    onto: tuple[Meld, ...]
    way: Arrangement
    best: Arrangement
    out_of_place: tuple[Card, ...] = ()


class Unsure(NamedTuple):
    """A player's wild cards laid off whose identities change the points of others.

    ``player`` and ``others`` are indexes in the order of laying off. Each of the ``ways`` has one
    identity for each of these wild cards; ``said`` is the way that the player said, or None.
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
    player takes is gone for the next (PAY-9). Raises `Malformed` if the packs cannot hold them.
    """
    table = tuple(onto)
    placed = []
    for cards, left, laid_as in hands:
        best = way = _arranged(cards, rules, table)
        out_of_place: tuple[Card, ...] = ()
        if left is not None and Counter(left) != Counter(best.deadwood):
            way = _arranged(without(cards, left), rules, table)
            out_of_place = way.deadwood
        if laid_as:
            said = [_as_said(table[laid.onto], laid, laid_as, rules) for laid in way.laid_off]
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
        offered = [card.offered for card in laid.cards]
        melds[laid.onto] = ways(offered, rules.limits, melds[laid.onto])[0].meld
    return tuple(melds)


def unsure(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()) -> list[Unsure]:
    """Return the laid-off wild cards whose identities the players have to say (PAY-9).

    One that fits at either end of a run takes that place from later players.
    """
    unsure_cards = []
    for player, turn in enumerate(arrange_in_turn(hands, rules, onto)):
        later, laid_off, open_ways = hands[player + 1 :], list(turn.way.laid_off), []
        others: set[int] = set()
        for at, laid in enumerate(laid_off):
            ways = _lay_off_ways(turn.onto[laid.onto], laid, rules) if later else [laid]
            ways.sort(key=lambda way: [card.stands_for[::-1] for card in way.cards])
            each = [(*laid_off[:at], way, *laid_off[at + 1 :]) for way in ways]
            tables = [with_lay_offs(turn.onto, lay_offs, rules) for lay_offs in each]
            outcomes = [_outcomes(later, rules, table) for table in tables]
            by_player = enumerate(zip(*outcomes, strict=True), player + 1)
            differ = {other for other, results in by_player if len({*results}) > 1}
            if differ:
                open_ways.append(ways)
                others |= differ
        if open_ways:
            every = [tuple(_wilds(chosen)) for chosen in product(*open_ways)]
            said = next((way for way in every if _is_said(way, hands[player].laid_as)), None)
            unsure_cards.append(Unsure(player, tuple(every), said, tuple(sorted(others))))
    return unsure_cards


def _outcomes(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld]) -> list[object]:
    """Return each player's best points, or the cards out of place if ``left`` is given."""
    turns = arrange_in_turn(hands, rules, onto)
    return [
        turn.best.points if shown.left is None else turn.out_of_place
        for shown, turn in zip(hands, turns, strict=True)
    ]


def _lay_off_ways(meld: Meld, laid: LaidOff, rules: Judge) -> list[LaidOff]:
    """Return all ways to lay off the cards of ``laid`` on a meld, beginning with ``laid``."""
    offered = [Offered(card.card) for card in laid.cards]
    by_places = {_places(laid.cards): laid}
    for longer in listed(ways(offered, rules.limits, meld)):
        if not rules.limits.breaches(longer) and not rules.longer_breaches(meld, longer):
            cards = longer.beyond(meld)
            by_places.setdefault(_places(cards), LaidOff(cards, laid.onto))
    return [*by_places.values()]


def _places(cards: Sequence[Laid]) -> frozenset[tuple[Card, bool]]:
    return frozenset((card.stands_for, card.wild) for card in cards)


def _as_said(meld: Meld, laid: LaidOff, said: Sequence[str], rules: Judge) -> LaidOff:
    """Return the cards laid off with the identities that the player said, or else unchanged."""
    ways = _lay_off_ways(meld, laid, rules)
    return next((way for way in ways if _is_said(_wilds([way]), said)), laid)


def _wilds(laid_off: Iterable[LaidOff]) -> list[Laid]:
    return [card for laid in laid_off for card in laid.cards if card.wild]


def _is_said(wilds: Sequence[Laid], said: Sequence[str]) -> bool:
    return not Counter(card.text for card in wilds) - Counter(said)
