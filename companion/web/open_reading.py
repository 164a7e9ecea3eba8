"""A wild card that could be several cards: what the marker is asked before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.rules.cards import parse_card
from companion.rules.errors import Ambiguous
from companion.rules.melds import Kind, Meld

MOST_READINGS: Final = 12


class Open(ValueError):
    """A play is only complete once it is said what its wild cards stand for.

    ``play`` is its number in the turn; ``readings`` are all its readings, if they are few enough
    to choose among. Otherwise ``card`` is asked about first: one of ``choices`` (card text).
    """

    def __init__(
        self, play: int, card: str, choices: Sequence[str], readings: Sequence[Meld] = ()
    ) -> None:
        super().__init__(f"{parse_card(card).shown} could be several cards.")
        self.play = play
        self.card = card
        self.choices = tuple(choices)
        self.readings = tuple(readings)

    @property
    def groups(self) -> list[tuple[Kind, list[Meld]]]:
        """The readings, sets and runs apart."""
        kinds = dict.fromkeys(meld.kind for meld in self.readings)
        return [(kind, [meld for meld in self.readings if meld.kind is kind]) for kind in kinds]

    @property
    def wilds(self) -> list[str]:
        """The wild cards that are asked about, as people write them."""
        identities = identities_in(self.readings)
        several = [card for card, choices in identities.items() if len(choices) > 1]
        return [parse_card(card).shown for card in several or [self.card]]


def identities_in(readings: Sequence[Meld]) -> dict[str, dict[str, None]]:
    """What each wild card stands for in these readings, as card text, in their order."""
    found: dict[str, dict[str, None]] = {}
    for meld in readings:
        for laid in meld.cards:
            if laid.wild:
                found.setdefault(laid.card.text, {})[laid.stands_for.text] = None
    return found


def open_among(play: int, readings: Sequence[Meld]) -> Open:
    """What to ask about a play that has these readings, more than one."""
    card, choices = next(
        (card, choices) for card, choices in identities_in(readings).items() if len(choices) > 1
    )
    few = readings if len(readings) <= MOST_READINGS else ()
    return Open(play, card, tuple(choices), few)


def open_play(problem: Ambiguous) -> Open:
    """What is asked about a play that could not be laid, alone or in a turn."""
    number = problem.where.removeprefix("plays[").removesuffix("]")
    return Open(int(number) if number.isdigit() else 0, problem.card, problem.choices)
