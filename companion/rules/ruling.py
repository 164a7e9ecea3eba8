"""What is ruled on a play: legal or not, by which rules, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from companion.rules.cards import Card
    from companion.rules.melds import Meld


class Breach(NamedTuple):
    """A rule that a play breaks, and the sentence that says how."""

    rule: str
    says: str


def rule_order(rule: str) -> tuple[str, list[int]]:
    """Sorts rule numbers as the rulebook has them: ``PRO-9`` before ``PRO-13.1``."""
    game, _, number = rule.partition("-")
    return game, [int(part) for part in number.split(".")]


class TakeBack(IntEnum):
    """How much of a turn is taken back, from the weakest to the strongest."""

    NONE = 0
    PLAY = 1
    TURN = 2

    @property
    def text(self) -> str:
        """``none``, ``play`` or ``turn``."""
        return self.name.lower()


class Consequence(NamedTuple):
    """What a breach costs: points on the hand's score, what is taken back, and the turn."""

    points: int = 0
    take_back: TakeBack = TakeBack.NONE
    turn_passes: bool = False

    @property
    def says(self) -> str:
        """The consequence as a sentence."""
        charge = f"{self.points} points; " if self.points else "No points; "
        if self.take_back is TakeBack.TURN:
            rest = "the whole turn is taken back"
        else:
            rest = "the play is taken back"
        after = " and the next player plays." if self.turn_passes else "."
        return charge + rest + after


NO_CONSEQUENCE = Consequence()


def strongest(consequences: Sequence[Consequence]) -> Consequence:
    """One consequence for several breaches: the highest charge (not their sum), the most undone."""
    return Consequence(
        max((c.points for c in consequences), default=0),
        max((c.take_back for c in consequences), default=TakeBack.NONE),
        any(c.turn_passes for c in consequences),
    )


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to "is this play legal?".

    ``breaches`` holds every rule that is broken, for the reading that breaks fewest, and is empty
    for a legal play. ``readings`` are the legal readings of the wild cards, or for an illegal play
    those that break fewest rules. ``elsewhere`` says for each other sheet of the game whether the
    play is legal there. ``took`` and ``meld_after`` are set by a swap.
    """

    breaches: tuple[Breach, ...] = ()
    readings: tuple[Meld, ...] = ()
    consequence: Consequence = NO_CONSEQUENCE
    says: str = ""
    elsewhere: Mapping[str, bool] = field(default_factory=dict)
    took: Card | None = None
    meld_after: Meld | None = None

    @property
    def legal(self) -> bool:
        """Whether no rule is broken."""
        return not self.breaches

    @property
    def broken(self) -> tuple[str, ...]:
        """The numbers of the broken rules, each once, in the rulebook's order."""
        rules = {breach.rule for breach in self.breaches}
        return tuple(sorted(rules, key=rule_order)) if len(rules) > 1 else tuple(rules)
