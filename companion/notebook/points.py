"""Points that were entered without cards: whether any cards that are free could make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.notebook.events import HandEntry, Marks
from companion.notebook.held import Limits, fits, known_wilds
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.notebook.totals import free_totals, whole_packs
from companion.rules.cards import Card


def check_points(
    sheet: ScoreSheet,
    hand: HandSheet,
    event: Marks,
    held: Mapping[int, Sequence[Card]],
    limits: Limits,
) -> None:
    """Raise `NotPossible` for points that no free cards make, for one player or for several.

    ``held`` are the cards of the players whose cards were given: these are not free, and neither
    are those on the recorded table unless that is old (PRO-15).
    """
    counted = sorted(
        (entry for entry in event.entries if entry.player not in held),
        key=lambda entry: (entry.points or 0, entry.wilds, entry.player),
    )
    if not counted:
        return
    given = [card for cards in held.values() for card in cards]
    impossible = _impossible(hand, counted, given, limits)
    if impossible:
        entry = impossible[-1]
        says = _says_impossible(sheet, hand, impossible, limits)
        raise NotPossible(says, f"points.{entry.player}")
    if not event.table_is_old:
        lies = [*given, *hand.board.table.cards]
        impossible = _impossible(hand, counted, lies, limits) if len(lies) > len(given) else ()
        if impossible:
            raise NotPossible(
                f"With the recorded table, the cards that are left cannot make the points of "
                f"{sheet.named([entry.player for entry in impossible])}. Count again, or say "
                "that the recorded table was not kept up.",
                "table_is_old",
            )


def _impossible(
    hand: HandSheet, counted: Sequence[HandEntry], elsewhere: Sequence[Card], limits: Limits
) -> Sequence[HandEntry]:
    """Return players whose points the free cards cannot make, lowest points first; or nobody.

    One player alone, or several together: each has at least one card, so five players cannot have
    one point each, although a five would make their sum.
    """
    totals = free_totals(
        hand.rules, elsewhere, max(len(counted), sum(limits.most.values()) + limits.drawn) + 1
    )
    fewest = 1 if hand.rules.nothing_left_is_out else 0
    alone = [[entry] for entry in counted]
    for some in [*alone, *(counted[:several] for several in range(2, len(counted) + 1))]:
        points = sum(entry.points or 0 for entry in some)
        wilds = known_wilds(hand, sum(entry.wilds for entry in some))
        if not totals.can_make(points, wilds, fewest * len(some), limits.together(some)):
            return some
    return ()


def _says_impossible(
    sheet: ScoreSheet, hand: HandSheet, entries: Sequence[HandEntry], limits: Limits
) -> str:
    names = sheet.named([entry.player for entry in entries])
    first = entries[0]
    wilds = _with_wilds(known_wilds(hand, sum(entry.wilds for entry in entries)))
    most = limits.together(entries)
    cards = "cards" if most is None or not fits(hand, first, None) else f"{most} cards or fewer"
    if len(entries) > 1:
        points = sum(entry.points or 0 for entry in entries)
        return (
            f"{names} cannot have {points} points{wilds} together: no {cards} that are free make "
            "that. Count again."
        )
    if not first.points and not first.wilds:
        worthless = whole_packs(hand.rules, 1).can_make(0, 1, 1)
        asked = known_wilds(hand, 0) is not None
        unless = " but a wild one: say how many of those" if worthless and asked else ""
        return (
            f"{names} did not go out, so at least one card is left, and none counts 0{unless}. "
            "Count again, or say who went out."
        )
    plural = "" if first.points == 1 else "s"
    return (
        f"No {cards} that are free make {first.points} point{plural}{wilds}. "
        f"Count {names}'s cards again."
    )


def _with_wilds(wilds: int | None) -> str:
    if wilds is None:
        return ""
    if not wilds:
        return " without a wild card"
    return f" with {wilds} wild card{'' if wilds == 1 else 's'} among them"
