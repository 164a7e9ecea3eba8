"""One play from what a form says of it: its kind, its cards, and the meld that it is played on."""

from __future__ import annotations

from collections.abc import Sequence

from companion.notebook.refusal import NotPossible
from companion.rules.cards import parse_cards, parse_meld_text, parse_offered
from companion.rules.table import ENDS, Discard, LayOff, MeldPlay, Play, Swap, TakePile, parse_play


def play_of(kind: str, cards: Sequence[str], onto: int | None, joker_to: str = "") -> Play:
    """One play from its cards. Raises `NotPossible` or `Malformed`, naming the field."""
    if not cards:
        raise NotPossible("Tap the cards that were played.", "cards")
    if kind == "meld":
        return MeldPlay(parse_meld_text(cards))
    if kind == "discard":
        return Discard(parse_cards(_one(cards, "A discard is one card."))[0])
    if onto is None:
        raise NotPossible("Say on which meld of the table.", "onto")
    if kind == "lay_off":
        return LayOff(parse_meld_text(cards), onto)
    if kind == "swap":
        card = parse_offered(_one(cards, "One card is put in another's place.")[0])
        return Swap(card, onto, joker_to if joker_to in ENDS else "")
    raise NotPossible("Say what was played.", "ask")


def _one(cards: Sequence[str], sentence: str) -> Sequence[str]:
    if len(cards) > 1:
        raise NotPossible(f"{sentence} Tap only that one.", "cards")
    return cards


def parsed_plays(plays: Sequence[str]) -> tuple[Play, ...]:
    """The plays of a turn, from their text. Raises `Malformed`."""
    return tuple(parse_play(play) for play in plays)


def added(value: str, cards: Sequence[str]) -> Play:
    """The play that a button adds: ``meld``, ``discard``, ``take_pile``, ``lay_off 0``, ``swap 1``.

    Raises `NotPossible` or `Malformed`.
    """
    kind, _, onto = value.partition(" ")
    onto, _, joker_to = onto.partition(" ")
    if kind == "take_pile":
        return TakePile()
    return play_of(kind, cards, number_in(onto), joker_to)


def number_in(text: str) -> int | None:
    """A small number from a form; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def ask_for(play: Play) -> str:
    """How a single play is asked about."""
    match play:
        case Discard():
            return "discard"
        case MeldPlay():
            return "meld"
        case LayOff():
            return "lay_off"
        case Swap():
            return "swap"
        case TakePile():
            return "turn"
