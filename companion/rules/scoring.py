"""Scoring a hand: what players have left, their charges, and their marks.

`HandRules.value` returns the points of one card left, `HandRules.left` what all of them cost, and
`HandRules.score` every player's points for the hand.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.cards import Card
from companion.rules.errors import Malformed
from companion.rules.language import gettext, listed, noted
from companion.rules.ruling import rule_order


class Left(NamedTuple):
    """The cards a player has left: their points, how many are wild, and the cards.

    ``cards`` is None if the marker gave only the points.
    """

    points: int = 0
    wilds: int = 0
    cards: tuple[Card, ...] | None = ()


class Charged(NamedTuple):
    """A charge on a hand's score: the number of its rule, and its points.

    A house penalty has no rule; ``text`` is the table's reason.
    """

    rule: str
    points: int
    text: str = ""


def in_order(charges: Iterable[Charged]) -> tuple[Charged, ...]:
    """Return the charges in the order of the rulebook."""
    return tuple(sorted(charges, key=lambda charge: rule_order(charge.rule)))


NOTHING_LEFT = Left()


@dataclass(frozen=True, slots=True)
class HandEnd:
    """How a hand ended for one player.

    ``out`` is true if the player went out, ``melded`` if they laid a new meld in the hand.
    ``penalties`` has the rule number of each charge made during the hand. ``bent`` is true if the
    player went out in the turn of their first melds; ``calls`` is how often they called for the
    discard. In a game of boxes ``left`` is the meld shown, ``suit`` the letter of the suit named
    for it, and ``split`` the cards set apart, if any. ``box`` is the title of the box if only its
    points were entered.
    """

    name: str
    left: Left = NOTHING_LEFT
    melded: bool = True
    out: bool = False
    penalties: tuple[str, ...] = ()
    bent: bool = False
    calls: int = 0
    suit: str = ""
    split: tuple[Card, ...] | None = None
    box: str = ""


def held_by(name: str) -> str:
    """Return the place of the cards that a player holds, translated: ``in Ana's cards``."""
    return gettext("in %(name)s's cards", name=name)


class BoxScore(NamedTuple):
    """What a shown meld scores in the box of this title, the reason, and the cards set apart.

    With ``needs_all`` its points depend on what all the others show.
    """

    title: str
    points: int
    says: str
    split: tuple[Card, ...] | None = None
    needs_all: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A player's score for one hand: ``points`` is the sum of ``cards`` and all charges.

    ``box`` is the box filled, in a game of boxes.
    """

    cards: int
    charges: tuple[Charged, ...] = ()
    box: BoxScore | None = None

    @property
    def points(self) -> int:
        """Points for the hand."""
        return self.cards + sum(charge.points for charge in self.charges)


def paid_to_winner(points: Mapping[int, int], winner: int) -> Mapping[int, int]:
    """Return by seat what the others pay (below 0) and the winner receives (IND-8)."""
    paid = {player: -owed for player, owed in points.items() if player != winner}
    return {player: paid.get(player, -sum(paid.values())) for player in points}


def check_ends(ends: Sequence[HandEnd], *, nothing_left_is_out: bool = True) -> None:
    """Raise `Malformed` if a hand cannot end like this.

    At most one player goes out, and has no cards left. With ``nothing_left_is_out`` all others
    have some. No name occurs twice.
    """
    names = [end.name for end in ends]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise Malformed("%(name)s is entered twice.", "players", name=twice[0])
    out = [end.name for end in ends if end.out]
    if len(out) > 1:
        raise Malformed("Only one player can go out, not %(names)s.", "players", names=listed(out))
    for end in ends:
        has_left = end.left.points or end.left.wilds or end.left.cards
        if end.out and has_left:
            raise Malformed("%(name)s went out and has no cards left.", "left", name=end.name)
        if nothing_left_is_out and not end.out and end.left.cards == ():
            says = noted(
                "%(name)s has no cards left, but did not go out. Say who went out, "
                "or enter %(name)s's cards."
            )
            raise Malformed(says, "left", name=end.name)
