"""Reading a table from text: every wild card on it must be one card only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from companion.rules.cards import Card, Offered, check_packs, parse_meld_text, show_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge, one_reading
from companion.rules.melds import Kind, Meld, MeldLimits
from companion.rules.readings import listed, ways
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
    given = [meld if isinstance(meld, str) else tuple(meld) for meld in melds]
    return _parsed(tuple(given), tuple(pile), rules, where)


@lru_cache(maxsize=256)  # one dispute after another is about the same table
def _parsed(
    melds: tuple[str | tuple[str, ...], ...], pile: tuple[Card, ...], rules: Judge, where: str
) -> Table:
    offered = [parse_meld_text(meld, where) for meld in melds]
    _check_packs([one.card for meld in offered for one in meld], pile, rules, where)
    found = [_ways_to_lie(meld, rules.limits, where) for meld in offered]
    if rules.one_of_each_card:
        found = _that_fit(found)
    lying = zip(offered, found, strict=True)
    return Table(tuple(one_reading(meld, ways, where) for meld, ways in lying), pile)


def _check_packs(cards: Sequence[Card], pile: Sequence[Card], rules: Judge, where: str) -> None:
    try:
        check_packs((("the melds on the table", cards), ("the pile", pile)), *rules.deck, where)
    except Malformed:
        check_packs((("the pile", pile),), *rules.deck, "pile")
        raise


def _ways_to_lie(offered: Sequence[Offered], limits: MeldLimits, where: str) -> tuple[Meld, ...]:
    """The readings of a meld on the table that the limits allow. Raises `Malformed` if none is."""
    if not offered:
        raise Malformed("A meld on the table has no cards.", where)
    limits.check_offered(offered, where)
    found = ways(offered, limits)
    allowed = listed(way for way in found if not limits.breaches(way.meld))
    if allowed:
        return tuple(allowed)
    shown = show_cards(offered)
    if found:
        breach = limits.breaches(found[0].meld)[0]
        raise Malformed(f"{shown} cannot lie on the table. {breach.says} ({breach.rule})", where)
    kinds = " nor ".join(limits.a(kind) for kind in (Kind.SET, Kind.RUN))
    raise Malformed(f"{shown} is neither {kinds} of this game.", where)


def _that_fit(found: list[tuple[Meld, ...]]) -> list[tuple[Meld, ...]]:
    """Drop each meld's readings that put a card on the table twice, whatever the others are.

    Keep all of them if the open melds cannot lie there in any reading.
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
