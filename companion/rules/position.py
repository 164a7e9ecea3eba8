"""Reading a table from text: every wild card on it must be one card only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from companion.rules.cards import Card, Offered, check_packs, parse_meld_text, show_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge, one_reading
from companion.rules.melds import Meld, MeldLimits, readings
from companion.rules.table import Table


def parse_table(
    melds: Iterable[str | Iterable[str]],
    pile: Sequence[Card],
    rules: Judge,
    where: str = "table",
) -> Table:
    """A table from the text of its melds and the cards of its pile.

    A wild card whose identity is not given is read if only one reading is left: none that the
    limits forbid, none that is on the table already in another meld. Raises `Malformed` for what
    is no meld or cannot lie on one table, `Ambiguous` for a wild card that stays open.
    """
    read = [
        _read(meld if isinstance(meld, str) else tuple(meld), rules.limits, where) for meld in melds
    ]
    _check_packs([one.card for offered, _ in read for one in offered], pile, rules, where)
    found = [ways or _ways_to_lie(offered, rules.limits, where) for offered, ways in read]
    if max(map(len, found), default=1) == 1:
        return Table(tuple([meld for (meld,) in found]), tuple(pile))
    if rules.one_of_each_card:
        found = _that_fit(found)
    lying = zip(read, found, strict=True)
    return Table(
        tuple(one_reading(offered, ways, where) for (offered, _), ways in lying), tuple(pile)
    )


def _check_packs(cards: Sequence[Card], pile: Sequence[Card], rules: Judge, where: str) -> None:
    packs, jokers = rules.game.packs, rules.game.jokers
    try:
        check_packs((("the melds on the table", cards), ("the pile", pile)), packs, jokers, where)
    except Malformed:
        check_packs((("the pile", pile),), packs, jokers, "pile")
        raise


# The same melds lie on the table in one question after another. What is remembered of those with
# an open wild card is their cards alone: they can have a thousand readings.
@lru_cache(maxsize=4096)
def _read(
    text: str | tuple[str, ...], limits: MeldLimits, where: str
) -> tuple[tuple[Offered, ...], tuple[Meld, ...]]:
    """A meld's cards, and how it lies if no wild card in it is open. Raises `Malformed`."""
    offered = parse_meld_text(text, where)
    limits.check_offered(offered, where)
    _, open_wilds = limits.sort(offered)
    return offered, () if open_wilds else _legal(offered, limits)


def _ways_to_lie(offered: Sequence[Offered], limits: MeldLimits, where: str) -> tuple[Meld, ...]:
    """The readings of a meld on the table that the limits allow. Raises `Malformed` if none is."""
    ways = _legal(offered, limits)
    if not ways:
        shown = show_cards(one.card for one in offered)
        raise Malformed(f"{shown} is neither a set nor a run of this game.", where)
    return ways


def _legal(offered: Sequence[Offered], limits: MeldLimits) -> tuple[Meld, ...]:
    return tuple(one for one in readings(offered, limits) if not limits.breaches(one))


def _that_fit(found: list[tuple[Meld, ...]]) -> list[tuple[Meld, ...]]:
    """Of each meld's readings, those with which no card need be on the table twice.

    All of them, if the open melds cannot lie there however they are read.
    """
    known = {card for ways in found if len(ways) == 1 for card in ways[0].identities}
    choices = list(_together([ways for ways in found if len(ways) > 1], frozenset(known)))
    if not choices:
        return found
    fitting = (tuple(dict.fromkeys(ways)) for ways in zip(*choices, strict=True))
    return [ways if len(ways) == 1 else next(fitting) for ways in found]


def _together(
    found: Sequence[Sequence[Meld]], there: frozenset[Card]
) -> Iterator[tuple[Meld, ...]]:
    """Every choice of one reading for each meld, no card being on the table twice."""
    if not found:
        yield ()
        return
    for meld in found[0]:
        if there.isdisjoint(meld.identities):
            for others in _together(found[1:], there.union(meld.identities)):
                yield (meld, *others)
