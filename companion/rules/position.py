"""Reading a table from text: every wild card on it must be one card only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.rules.cards import Card, check_packs, parse_meld_text, show_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge, one_reading
from companion.rules.melds import Meld, readings
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
    offered = [parse_meld_text(meld, where) for meld in melds]
    check_packs(
        (
            ("the melds on the table", [one.card for meld in offered for one in meld]),
            ("the pile", pile),
        ),
        rules.game.packs,
        rules.game.jokers,
        where,
    )
    found: list[list[Meld]] = []
    for meld in offered:
        rules.limits.check_offered(meld, where)
        legal = [one for one in readings(meld, rules.limits) if not rules.limits.breaches(one)]
        if not legal:
            shown = show_cards(one.card for one in meld)
            raise Malformed(
                f"{shown} is neither a set nor a run, so it cannot be on the table.", where
            )
        found.append(legal)
    found = _narrowed(found, rules)
    return Table(
        tuple(one_reading(o, f, where) for o, f in zip(offered, found, strict=True)), tuple(pile)
    )


def _narrowed(found: list[list[Meld]], rules: Judge) -> list[list[Meld]]:
    """Drop the readings that put a card on the table twice, until nothing more is forced."""
    if not rules.one_of_each_card:
        return found
    while True:
        known = [set(legal[0].identities) if len(legal) == 1 else set() for legal in found]
        narrower = [
            legal
            if len(legal) == 1
            else [
                one
                for one in legal
                if not any(one_known & set(one.identities) for one_known in known)
            ]
            or legal
            for legal in found
        ]
        if narrower == found:
            return found
        found = narrower
