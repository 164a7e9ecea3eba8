"""How many cards each player can be left with, and whether entries fit that and the packs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.notebook.events import HandEntry, Marks
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.notebook.totals import whole_packs
from companion.rules.cards import Card, check_packs, split_cards
from companion.rules.errors import Malformed


class Limits(NamedTuple):
    """The most cards each seat can be left with; only the packs bound a seat that is missing.

    One of the players may hold ``drawn`` more, drawn and not discarded.
    """

    most: Mapping[int, int]
    drawn: int

    def together(self, entries: Sequence[HandEntry]) -> int | None:
        """Return the most cards that these players hold together; None if only packs bound it."""
        most = [self.most[entry.player] for entry in entries if entry.player in self.most]
        return sum(most) + self.drawn if len(most) == len(entries) else None


UNLIMITED = Limits({}, 0)


def most_held(hand: HandSheet, entry: HandEntry) -> int | None:
    """Return the most cards a player who laid none holds out of turn; None if only packs bound it.

    Ignores charges and upcards of a deal that was thrown in.
    """
    since = hand.dealt_after
    charges = [one for one in hand.charges(entry.player) if one.entry.number > since]
    upcards = [one for one in hand.upcards if one.entry.number > since]
    return hand.rules.most_held(
        [one.charged.rule for one in charges],
        sum(one.given.gets == entry.player for one in upcards),
        penalty_cards=entry.penalty_cards or entry.player in hand.calls,
    )


def laid(hand: HandSheet, event: Marks, player: int) -> int:
    """Return how many cards the player has laid on the recorded table.

    0 if that was not kept up, or if melds stay in hand to the end.
    """
    if event.table_is_old or hand.rules.arranges:
        return 0
    return hand.board.laid_by(player, hand.rules)


def most_left(hand: HandSheet, event: Marks, entry: HandEntry) -> int | None:
    """Return the most cards the player can be left with; None if only the packs bound it.

    Includes a card drawn and not discarded if nobody went out: one of the players may hold it.
    """
    most = most_held(hand, entry)
    return None if most is None else max(0, most - laid(hand, event, entry.player)) + _drawn(event)


def _drawn(event: Marks) -> int:
    return int(event.out is None)


def fits(hand: HandSheet, entry: HandEntry, most: int | None) -> bool:
    """Return whether the entry can be of at most that many cards of whole packs.

    A player who did not go out has at least one card, unless all may be melded after the hand.
    """
    if entry.points is None:
        return most is None or len(split_cards(entry.held or entry.cards or "")) <= most
    fewest = 1 if hand.rules.nothing_left_is_out else 0
    enough = fewest if most is None else most + 1
    totals = whole_packs(hand.rules, enough)
    return totals.can_make(entry.points, known_wilds(hand, entry.wilds), fewest, most)


def known_wilds(hand: HandSheet, wilds: int) -> int | None:
    """Return the number of wild cards left; None where they cost nothing and nobody is asked."""
    return wilds if hand.rules.wild_left_points() else None


def check_most(sheet: ScoreSheet, hand: HandSheet, event: Marks, entry: HandEntry) -> None:
    """Raise `NotPossible` if the player cannot be left with so many cards.

    The message asks for penalty cards where these alone could explain the number.
    """
    name, seat = sheet.names[entry.player], entry.player
    limit, down = most_left(hand, event, entry), laid(hand, event, seat)
    if limit is None or fits(hand, entry, limit):
        return
    if not fits(hand, entry, None) and (entry.points or 0) <= _most_points(hand, entry, limit):
        return  # no number of cards makes these points
    with_more = most_left(hand, event, replace(entry, penalty_cards=True))
    if with_more != limit and fits(hand, entry, with_more):
        raise NotPossible(
            f"{_at_most(hand, name, entry, limit)} Did {name} draw penalty cards for "
            f"{hand.rules.penalty_cards}?",
            f"penalty_cards.{seat}",
        )
    unlaid = most_left(hand, replace(event, table_is_old=True), entry)
    if down and fits(hand, entry, unlaid):
        raise NotPossible(
            f"{_at_most(hand, name, entry, limit)} The recorded table has {_cards(down)} that "
            f"{name} laid. Correct what is left, or say that the recorded table was not kept up.",
            "table_is_old",
        )
    at = "cards" if entry.points is None else "points"
    raise NotPossible(_at_most(hand, name, entry, unlaid or 0), f"{at}.{seat}")


def limits(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Limits:
    """Return the most cards each player can be left with out of turn, and the card drawn.

    Raises `NotPossible` if several players hold a card more: only the player at turn can.
    """
    drawn = _drawn(event)
    found = {entry.player: most_left(hand, event, entry) for entry in event.entries}
    most = {seat: limit - drawn for seat, limit in found.items() if limit is not None}
    over = [
        entry.player
        for entry in event.entries
        if entry.player in most and not fits(hand, entry, most[entry.player])
    ]
    if len(over) > 1:
        raise NotPossible(
            f"{sheet.named(over)} cannot all hold a card more than was dealt: only whoever drew "
            "last and did not discard does.",
            f"cards.{over[-1]}",
        )
    return Limits(most, drawn)


def check_apart(
    hand: HandSheet, places: Sequence[tuple[int, str, Sequence[Card]]], advice: str = ""
) -> None:
    """Raise `NotPossible` if several players have more of a card than there are.

    ``places`` has the seat, where the cards lie, and the cards.
    """
    for count, (seat, _, _) in enumerate(places, start=1):
        try:
            check_packs([(name, cards) for _, name, cards in places[:count]], *hand.rules.deck)
        except Malformed as problem:
            raise NotPossible(f"{problem} {advice}".rstrip(), f"cards.{seat}") from None


def _at_most(hand: HandSheet, name: str, entry: HandEntry, most: int) -> str:
    says = f"{name} holds {_cards(most)} at most"
    if entry.points is None:
        held = len(split_cards(entry.held or entry.cards or ""))
        return f"{says}, and {held} were entered."
    points = _most_points(hand, entry, most)
    if entry.points > points:
        return f"{says}: that is {points} points."
    return f"{says}, and so many do not make {entry.points} points."


def _most_points(hand: HandSheet, entry: HandEntry, most: int) -> int:
    return whole_packs(hand.rules, most + 1).largest(known_wilds(hand, entry.wilds), most)


def _cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"
