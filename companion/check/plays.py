"""Answers about single plays and whole turns."""

from __future__ import annotations

from companion.check.asked import Answer, Asked, ruled
from companion.check.entries import Entries, entries_of
from companion.rules.errors import Malformed
from companion.rules.table import Discard, LayOff, MeldPlay, Play, TakePile
from companion.rules.turn import rule_on_turn

_PLAYS = frozenset({"meld", "lay_off", "swap", "discard", "take_pile"})


def meld(asked: Asked) -> Answer:
    """A ruling on a new meld."""
    return asked.rule_on(MeldPlay(asked.entries.offered("cards")))


def lay_off(asked: Asked) -> Answer:
    """A ruling on a lay-off."""
    return asked.rule_on(LayOff(asked.entries.offered("cards"), asked.entries.onto("onto")))


def swap(asked: Asked) -> Answer:
    """A ruling on a swap."""
    return asked.rule_on(asked.entries.swap("card"))


def discard(asked: Asked) -> Answer:
    """A ruling on a discard."""
    return asked.rule_on(Discard(asked.entries.one_card("card")))


def turn(asked: Asked) -> Answer:
    """A ruling on a whole turn, and on each of its plays."""
    given = asked.entries.some("plays", "plays")
    plays = [_play(entries_of(play, f"plays[{number}]")) for number, play in enumerate(given)]
    held = asked.entries.any_cards("holding") if "holding" in asked.entries.given else None
    turn = rule_on_turn(asked.rules, asked.table(), plays, asked.player(), held)
    answer = ruled(turn.whole)
    answer["plays"] = [ruled(ruling) for ruling in turn.plays]
    answer["table_after"] = [meld.text for meld in turn.table.melds]
    answer["pile_after"] = [card.text for card in turn.table.pile]
    if turn.holding is not None:
        answer["holding_after"] = [card.text for card in turn.holding]
    return answer


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
