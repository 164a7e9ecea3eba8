"""What a ruling must know of the player whose turn it is, and of the turn so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.cards import Card
from companion.rules.ruling import Ruling
from companion.rules.table import Play, Table


@dataclass(frozen=True, slots=True)
class Player:
    """What a ruling must know of the player whose turn it is.

    ``contract_met`` means in an earlier turn. With ``lays_contract`` the melds of this turn are
    judged together at its end, as the player's first melds; without it a meld is judged alone.
    ``holds`` is how many cards the player held when the play began, after the draw; None where that
    is not known. ``drew`` is the card that was taken from the top of the pile, if one was, and that
    is still held. ``fresh`` are the wild cards that the player has laid in this turn; ``begun``
    says that something was played in it, ``turn_over`` that the discard was made.
    """

    melded_this_hand: bool = False
    melded_this_turn: bool = False
    contract_met: bool = False
    fresh: frozenset[Card] = frozenset()
    begun: bool = False
    turn_over: bool = False
    drew: Card | None = None
    lays_contract: bool = False
    holds: int | None = None

    @property
    def has_melded(self) -> bool:
        """Whether a meld was laid in this hand, this turn included."""
        return self.melded_this_hand or self.melded_this_turn


class Made(NamedTuple):
    """A play that was made, the ruling that found it legal, and the table on which it was made."""

    play: Play
    ruling: Ruling
    table: Table
