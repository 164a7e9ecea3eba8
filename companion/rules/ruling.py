"""What is ruled on a play: legal or not, by which rules, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from companion.rules.cards import Card, Laid
    from companion.rules.melds import Meld
    from companion.rules.table import Table


class Shown(Protocol):
    """What has a text that people read: a card, a meld."""

    @property
    def shown(self) -> str:
        """The text."""


class Breach(NamedTuple):
    """A rule that a play breaks, and the words that say how, with ``{}`` for each thing shown.

    Most breaches are counted and never read (of other readings, on other sheets), so the sentence
    is made when somebody asks for it.
    """

    rule: str
    words: str
    about: tuple[Shown | str, ...] = ()

    @property
    def says(self) -> str:
        """The sentence."""
        return self.words.format(*(a if isinstance(a, str) else a.shown for a in self.about))


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
        return ("none", "play", "turn")[self]


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
    points, take_back, turn_passes = NO_CONSEQUENCE
    for consequence in consequences:
        points = max(points, consequence.points)
        take_back = max(take_back, consequence.take_back)
        turn_passes = turn_passes or consequence.turn_passes
    return Consequence(points, take_back, turn_passes)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to "is this play legal?".

    ``breaches`` holds every rule that is broken, for the reading that breaks fewest, and is empty
    for a legal play. ``readings`` are the legal readings of the wild cards, or for an illegal play
    those that break just these rules. ``elsewhere`` says for each other sheet of the game whether
    the play is legal there. ``took`` and ``meld_after`` are set by a swap, ``added`` by a lay-off
    with one reading: its cards. ``praise`` is what is said of a legal play, unless its readings
    say enough: that it is ``called`` a run.

    A ruling on several plays has one on each in ``plays``. One on a turn has the ``table`` after
    it, and in ``holding`` the cards then held if those at its start were given; one on a contract
    has every way to read it in ``ways``; one on a declaration the ``melds`` that make it legal.
    ``regardless_of`` names the facts that are not known and make no difference.
    """

    breaches: tuple[Breach, ...] = ()
    readings: tuple[Meld, ...] = ()
    consequence: Consequence = NO_CONSEQUENCE
    praise: str = ""
    called: str = ""
    elsewhere: Mapping[str, bool | None] = field(default_factory=dict)
    took: Card | None = None
    meld_after: Meld | None = None
    added: tuple[Laid, ...] = ()
    plays: tuple[Ruling, ...] = ()
    table: Table | None = None
    holding: tuple[Card, ...] | None = None
    ways: tuple[tuple[Meld, ...], ...] = ()
    melds: tuple[Meld, ...] = ()
    regardless_of: tuple[str, ...] = ()

    def with_elsewhere(self, elsewhere: Mapping[str, bool | None]) -> Ruling:
        """The same ruling, with what the other sheets say."""
        return replace(self, elsewhere=elsewhere)

    @property
    def legal(self) -> bool:
        """Whether no rule is broken."""
        return not self.breaches

    @property
    def broken(self) -> tuple[str, ...]:
        """The numbers of the broken rules, each once, in the rulebook's order."""
        rules = {breach.rule for breach in self.breaches}
        return tuple(sorted(rules, key=rule_order)) if len(rules) > 1 else tuple(rules)

    @property
    def says(self) -> str:
        """The ruling in words: why, and what follows."""
        if self.breaches:
            sentences = dict.fromkeys(breach.says for breach in self.breaches)
            return " ".join([*sentences, self.consequence.says])
        return self.praise or _says_legal(self.readings, self.called)


def _says_legal(melds: Sequence[Meld], called: str) -> str:
    if len(melds) == 1:
        return f"Legal: {melds[0].shown} is {called}."
    if len(melds) > 4:
        return f"Legal, in {len(melds)} readings. Say what each wild card stands for."
    listed = "; or ".join(meld.shown for meld in melds)
    return f"Legal, in {len(melds)} readings: {listed}. Say what each wild card stands for."
