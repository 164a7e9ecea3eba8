"""Melds as a form had them, found again on the recorded table.

What waits on a phone without a network is counted in on its pages: a meld that is to be recorded
first can be laid off on. When the question comes, that meld may have been refused, or another one
recorded before it, so that its place alone would name another meld.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.notebook.events import NotPossible
from companion.rules.cards import parse_offered
from companion.rules.table import LayOff, Play, Swap

MOST_MELDS = 100
LONGEST = 300


def read_lying(text: str | None) -> tuple[str, ...] | None:
    """The melds that a form counted with, as card text; None if it does not say."""
    if text is None:
        return None
    melds = (meld.strip()[:LONGEST] for meld in text.split(";")[:MOST_MELDS])
    return tuple(meld for meld in melds if meld)


def place(onto: int, lying: Sequence[str], recorded: Sequence[str]) -> int:
    """Where the meld ``onto`` of those in ``lying`` is among the recorded ones, all as card text.

    What comes after all of ``lying`` was laid with the question itself, so it comes after all that
    are recorded. Raises `NotPossible` if the meld is not there, `Malformed` if it is none.
    """
    if onto >= len(lying):
        return onto - len(lying) + len(recorded)
    there = [at for at, meld in enumerate(recorded) if _cards(meld) == _cards(lying[onto])]
    if not there:
        cards = " ".join(parse_offered(text).card.shown for text in lying[onto].split())
        says = f"The meld {cards} is not on the recorded table. Record it, or choose another."
        raise NotPossible(says, "onto")
    return onto if onto in there else there[0]


def placed(play: Play, lying: Sequence[str] | None, recorded: Sequence[str]) -> Play:
    """The play on the meld that was meant. May raise as `place` does."""
    if lying is None or not isinstance(play, LayOff | Swap):
        return play
    return replace(play, onto=place(play.onto, lying, recorded))


def _cards(meld: str) -> Counter[str]:
    """The cards alone: what wild ones stand for is known once the meld was ruled on."""
    return Counter(text.partition("=")[0] for text in meld.split())
