"""Answers about single plays and whole turns."""

from __future__ import annotations

from companion.check.asked import Answer, Asked
from companion.check.entries import Entries, entries_of
from companion.rules.errors import Malformed
from companion.rules.table import Discard, LayOff, MeldPlay, Play, TakePile

_PLAYS = frozenset({"meld", "lay_off", "swap", "discard", "take_pile"})


def meld(asked: Asked) -> Answer:
    """A ruling on a new meld."""
    return asked.rule_on("meld", MeldPlay(asked.entries.offered("cards")))


def lay_off(asked: Asked) -> Answer:
    """A ruling on a lay-off."""
    play = LayOff(asked.entries.offered("cards"), asked.entries.onto("onto"))
    return asked.rule_on("lay_off", play)


def swap(asked: Asked) -> Answer:
    """A ruling on a swap."""
    return asked.rule_on("swap", asked.entries.swap("card"))


def discard(asked: Asked) -> Answer:
    """A ruling on a discard."""
    return asked.rule_on("discard", Discard(asked.entries.one_card("card")))


def turn(asked: Asked) -> Answer:
    """A ruling on a whole turn, and on each of its plays."""
    given = asked.entries.some("plays")
    plays = [_play(entries_of(play, f"plays[{number}]")) for number, play in enumerate(given)]
    return asked.rule_on("turn", *plays)


def _play(entries: Entries) -> Play:
    kinds = _PLAYS.intersection(entries.given)
    if len(kinds) != 1:
        says = "A play must be one of meld, lay_off (with onto), swap (with onto) or discard."
        raise Malformed(says, entries.place)
    (kind,) = kinds
    entries.only(_ENTRIES_OF.get(kind, frozenset({kind})))
    match kind:
        case "meld":
            return MeldPlay(entries.offered("meld"))
        case "lay_off":
            return LayOff(entries.offered("lay_off"), entries.onto("onto"))
        case "swap":
            return entries.swap("swap")
        case "discard":
            return Discard(entries.one_card("discard"))
        case _:  # take_pile
            return TakePile()


_ENTRIES_OF = {
    "lay_off": frozenset({"lay_off", "onto"}),
    "swap": frozenset({"swap", "onto", "joker_to"}),
}
