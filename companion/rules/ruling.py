"""Rulings: whether a play is legal, which rules it breaks, and the consequences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from companion.rules.errors import Malformed
from companion.rules.messages import Counted, Message, Term, Value, message_from

if TYPE_CHECKING:
    from companion.rules.cards import Card, Laid
    from companion.rules.melds import Meld
    from companion.rules.table import Play, Table


_RULE_NUMBER: Final = re.compile(r"[A-Z]{3}-[0-9]{1,2}(\.[0-9]{1,2})?")


class Breach(NamedTuple):
    """A rule that a play breaks, and the message that says how.

    Most breaches are never shown (of other readings, on other sheets), so the sentence is made on
    demand.
    """

    rule: str
    message: str
    values: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, rule: str, message: str, /, **values: Value) -> Breach:
        """Return a breach with the values of its message by name."""
        return cls(rule, message, tuple(values.items()))

    @property
    def says(self) -> str:
        """The sentence."""
        return Message(self.message, self.values).says

    def as_data(self) -> dict[str, Any]:
        """Return the breach as JSON data; `breach_from` reads it."""
        return {"rule": self.rule, **Message(self.message, self.values).as_data()}


Breaches = Sequence[Breach]
Late = Mapping[int, Breaches]
"""Breaches that only the end of a turn shows, by the index of the play."""


def breach_from(data: object, where: str = "breach") -> Breach:
    """Read a breach from JSON data. Raises `Malformed` as `message_from` does."""
    message = message_from(data, where)
    rule = data.get("rule") if isinstance(data, dict) else None
    if not is_rule_number(rule):
        raise Malformed("A breach names its rule by its number, like PRO-9.", where)
    return Breach(str(rule), message.id, message.values)


def is_rule_number(rule: object) -> bool:
    """True if the text looks like a rule number: ``PRO-9``, ``PRO-13.1``."""
    return isinstance(rule, str) and _RULE_NUMBER.fullmatch(rule) is not None


def rule_order(rule: str) -> tuple[str, list[int]]:
    """Return a key that sorts rules as the rulebook does: ``PRO-9`` before ``PRO-13.1``."""
    if not is_rule_number(rule):
        return rule, []
    game, _, number = rule.partition("-")
    return game, [int(part) for part in number.split(".")]


def rules_of(breaches: Iterable[Breach]) -> set[str]:
    """Return the numbers of the rules that are broken."""
    return {breach.rule for breach in breaches}


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
    """What a breach costs: points, what is taken back, and whether the turn passes."""

    points: int = 0
    take_back: TakeBack = TakeBack.NONE
    turn_passes: bool = False

    @property
    def says(self) -> str:
        """The consequence as a sentence: ``20 points; the whole turn is taken back.``."""
        message = _TAKES_BACK.get((self.take_back, self.turn_passes), "nothing_back")
        says = Message.of(message, points=Counted(((self.points, "point"),))).says
        return says[0].upper() + says[1:]


# Messages by how much is taken back, and whether the next player plays.
_TAKES_BACK: Final = {
    (TakeBack.PLAY, False): "play_back",
    (TakeBack.PLAY, True): "play_back_next_plays",
    (TakeBack.TURN, False): "turn_back",
    (TakeBack.TURN, True): "turn_back_next_plays",
}
NO_CONSEQUENCE = Consequence()


def strongest(consequences: Sequence[Consequence]) -> Consequence:
    """Return one consequence for several: the highest charge (not the sum), the most taken back."""
    points, take_back, turn_passes = zip(*consequences, strict=True)
    return Consequence(max(points), max(take_back), any(turn_passes))


class Ruling(NamedTuple):
    """The answer to "is this play legal?".

    ``breaches`` holds every rule that is broken, for the reading that breaks fewest. ``readings``
    are the legal ones, or for an illegal play those that break the same rules; ``number`` says
    how many there are if not all are listed. ``elsewhere`` says for each other sheet of the game
    whether the play is legal there. A swap sets ``took``, a lay-off with one reading ``added``, its
    cards. ``praise`` is the message for a legal play, and ``follows`` are messages on what happens
    next.

    A ruling on several plays has a ruling on each in ``plays``. For a turn, ``table`` is the table
    after it, and ``holding`` the cards then held, if known. For a contract, ``ways`` has every way
    to read it; for a declaration, ``melds`` are the melds that make it legal. ``regardless_of``
    names the unknown facts that make no difference.
    """

    breaches: tuple[Breach, ...] = ()
    readings: tuple[Meld, ...] = ()
    consequence: Consequence = NO_CONSEQUENCE
    praise: Message | None = None
    elsewhere: Mapping[str, bool | None] = MappingProxyType({})
    took: Card | None = None
    added: tuple[Laid, ...] = ()
    plays: tuple[Ruling, ...] = ()
    table: Table | None = None
    holding: tuple[Card, ...] | None = None
    ways: tuple[tuple[Meld, ...], ...] = ()
    melds: tuple[Meld, ...] = ()
    regardless_of: tuple[str, ...] = ()
    number: int = 0
    follows: tuple[Message, ...] = ()

    @property
    def legal(self) -> bool:
        """True if no rule is broken."""
        return not self.breaches

    @property
    def broken(self) -> tuple[str, ...]:
        """The numbers of the broken rules, each once, in the order of the rulebook."""
        rules = rules_of(self.breaches)
        return tuple(sorted(rules, key=rule_order)) if len(rules) > 1 else tuple(rules)

    @property
    def outcome(self) -> tuple[object, ...]:
        """What rulings must have in common to be given as one ruling."""
        return self.broken, self.consequence, self.took

    def with_values(self, change: Callable[[Value], Value]) -> Ruling:
        """Return the ruling with ``change`` applied to each value of its breaches."""
        breaches = [
            breach._replace(values=tuple([(name, change(value)) for name, value in breach.values]))
            for breach in self.breaches
        ]
        return self._replace(breaches=tuple(breaches))

    @property
    def reasons(self) -> str:
        """What is broken, in words, each reason once; empty if the ruling is legal."""
        return " ".join(dict.fromkeys(breach.says for breach in self.breaches))

    @property
    def says(self) -> str:
        """The ruling in words: the reasons and the consequence, or the message for a legal play."""
        if self.breaches:
            return f"{self.reasons} {self.consequence.says}"
        return self.praise.says if self.praise else ""


class Made(NamedTuple):
    """A legal play that was made, its ruling, and the table it was made on."""

    play: Play
    ruling: Ruling
    table: Table


def agreed(answers: Sequence[Mapping[str, bool | None]]) -> Mapping[str, bool | None]:
    """Return for each sheet the answer that all of these give; None if they differ."""
    first, *others = answers
    return {
        sheet: legal if all(other[sheet] is legal for other in others) else None
        for sheet, legal in first.items()
    }


def legal_as(melds: Sequence[Meld], kind: Term, number: int) -> Message:
    """Return the message for a legal meld of this kind with this many readings."""
    if number == 1:
        return Message.of("legal_meld", meld=melds[0], kind=kind)
    if number > len(_NTH):
        return Message.of("legal_in_many", count=number)
    values: dict[str, Value] = dict(zip(_NTH, melds, strict=False))
    return Message(_LEGAL_IN[number], tuple(values.items()))


_NTH: Final = ("one", "two", "three", "four")
_LEGAL_IN: Final = {2: "legal_in_2", 3: "legal_in_3", 4: "legal_in_4"}
