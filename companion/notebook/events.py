"""What happened in a game, in the past tense. An event is never changed; later ones answer it.

Players are named by their seat, from 0 in the order of play; cards and plays are card text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, get_args

from companion.rules.errors import Malformed
from companion.rules.question import Question
from companion.rules.ruling import Consequence, Ruling, TakeBack


class NotPossible(ValueError):
    """What the marker asked for cannot be written down.

    The text is a sentence for the marker; ``field`` names the entry to change, for a player's
    entry followed by the seat (``cards.2``).
    """

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


@contextmanager
def refused_at(field: str) -> Iterator[None]:
    """Raise `NotPossible` for that field where the rules raise `Malformed`."""
    try:
        yield
    except Malformed as problem:
        raise NotPossible(str(problem), field) from None


# A field that was added later: it is in the record only if it was said, so that older records
# stay the same byte by byte.
SAID_ONLY: Final[Mapping[str, Any]] = {"said_only": True}


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game began: which game, by which house rules, who sits where, who deals first.

    ``names`` are in the order of play; ``rules`` holds every house rule's choice by its id.
    """

    game: str
    sheet: str
    rules: Mapping[str, str | int]
    names: tuple[str, ...]
    first_dealer: int
    title: str


@dataclass(frozen=True, slots=True)
class GameRenamed:
    """The game has another title; an empty one means that its players name it."""

    title: str


@dataclass(frozen=True, slots=True)
class PlayerRenamed:
    """A player got another name."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class GameArchived:
    """The game was put away, out of the list of games."""


@dataclass(frozen=True, slots=True)
class GameTakenOut:
    """The game came back from the archive."""


@dataclass(frozen=True, slots=True)
class GameDeleted:
    """The game was thrown away; it can be restored."""


@dataclass(frozen=True, slots=True)
class GameRestored:
    """A game that was thrown away came back."""


@dataclass(frozen=True, slots=True)
class CardTurned:
    """The marker said which card was turned before the deal: its rank as text, ``X`` a joker."""

    hand: int
    rank: str


@dataclass(frozen=True, slots=True)
class PlayRecorded:
    """A play that nobody disputed was put on the recorded table.

    ``player`` is None for cards that lie there, whoever played them.
    """

    hand: int
    player: int | None
    play: str


@dataclass(frozen=True, slots=True)
class PileSeen:
    """The marker looked at the pile: its top cards, the topmost last; none if it is empty."""

    hand: int
    cards: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A ruling in words, as it was kept before `Ruled`.

    ``charge`` is the rule number of the penalty it leads to, or None if it costs no points.
    """

    legal: bool
    broken: tuple[str, ...]
    readings: tuple[str, ...]
    points: int
    take_back: str
    turn_passes: bool
    says: str
    elsewhere: Mapping[str, bool]
    charge: str | None

    @property
    def consequence(self) -> Consequence:
        """What an illegal play costs and takes back. Raises ``KeyError`` for what is none."""
        return Consequence(self.points, TakeBack[self.take_back.upper()], self.turn_passes)


@dataclass(frozen=True, slots=True)
class RulingGiven:
    """A dispute was judged, as it was written down before facts were kept; see `Ruled`.

    In a declaration the first play is a meld of all cards, and the others are the groups that the
    player made, if that was asked. The plays stand on the recorded table if the verdict is legal.
    """

    hand: int
    player: int
    ask: str
    plays: tuple[str, ...]
    melded_this_hand: bool
    melded_this_turn: bool
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ruled:
    """A dispute was ruled on: the question with the facts that it rests on, and the ruling.

    ``sources`` has the facts that decided: 0 for one that the marker stated, or the number of the
    entry that recorded it. ``charge`` is the rule number of the penalty that the ruling leads to,
    or None; ``instead_of`` is the number of the ruling that this one replaces, or None.

    The question puts its melds on the recorded table, where new ones belong to no player; a legal
    ruling puts its plays there.
    """

    hand: int
    player: int
    question: Question
    ruling: Ruling
    charge: str | None
    sources: Mapping[str, int]
    instead_of: int | None = None


@dataclass(frozen=True, slots=True)
class RulingEnforced:
    """A ruling was carried out: its charge written down, and the turn taken back on the table.

    ``plays`` are the rest of the turn that came to the table, if only one play was taken back.
    """

    hand: int
    ruling: int
    plays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UpcardGiven:
    """A ruling on “May I?” gave the upcard that ``player``, at turn, did not want.

    ``last_taker`` took the upcard before it, None if nobody did; ``gets`` gets this one, None if
    nobody may.
    """

    hand: int
    player: int
    asked: tuple[int, ...]
    last_taker: int | None
    gets: int | None


@dataclass(frozen=True, slots=True)
class CallNoted:
    """A player called for the discard and got it, within the calls that are free of charge."""

    hand: int
    player: int


@dataclass(frozen=True, slots=True)
class PenaltyCharged:
    """A player was charged for a reason of the game's list."""

    hand: int
    player: int
    rule: str


@dataclass(frozen=True, slots=True)
class HousePenalty:
    """The table charged a player for a reason of its own; points below zero are a bonus."""

    hand: int
    player: int
    points: int
    text: str


@dataclass(frozen=True, slots=True)
class PenaltyWithdrawn:
    """A charge was taken back; ``charge`` is the number of the event that made it."""

    hand: int
    charge: int


@dataclass(frozen=True, slots=True)
class HandEntry:
    """How a hand ended for one player who still held cards, as the marker entered it.

    Either ``cards`` (as text), or ``points`` and how many of the cards were ``wilds``. ``melded``
    says whether the player laid a new meld; None leaves that to the record. ``penalty_cards`` says
    that the player drew penalty cards, and so may hold more than was dealt.

    Where every player shows a meld, ``cards`` are its cards, ``suit`` is the letter of the suit
    named for it, and ``split`` the cards that the player set apart (as text), None if nothing was
    said. Where only its points are known, ``box`` names its box, and ``points`` is what it scores.

    Where melds stay in hand to the end, ``held`` are all the cards that the player showed, and
    ``cards`` those left after melds and lay-offs: None leaves them to the best arrangement.
    ``otherwise`` says that the player insisted on another one.
    """

    player: int
    cards: str | None = None
    points: int | None = None
    wilds: int = 0
    melded: bool | None = None
    suit: str = field(default="", metadata=SAID_ONLY)
    split: str | None = field(default=None, metadata=SAID_ONLY)
    held: str | None = field(default=None, metadata=SAID_ONLY)
    otherwise: bool = field(default=False, metadata=SAID_ONLY)
    penalty_cards: bool = field(default=False, metadata=SAID_ONLY)
    box: str = field(default="", metadata=SAID_ONLY)

    @property
    def shown(self) -> str:
        """The cards that were entered, as text: all that were held, or those left."""
        return self.held or self.cards or ""


@dataclass(frozen=True, slots=True)
class _HandEnded:
    """How a hand ended: ``out`` went out (None: nobody), and ``entries`` are of the other players.

    ``out_melded`` says that ``out`` laid a new meld in the hand, ``bent`` that ``out`` laid nothing
    before the last turn. ``out_held`` are the cards in the melds of ``out``, where melds stay in
    hand until then and others lay off on them; ``lays_off_first`` is the seat that may do so first,
    if the marker said. ``table_is_old`` says that the recorded table was not kept up, so that cards
    left may lie there too. ``turned`` is the rank turned before the deal, if it has changed.
    """

    hand: int
    out: int | None
    entries: tuple[HandEntry, ...]
    out_melded: bool = True
    table_is_old: bool = False
    bent: bool = False
    out_held: str | None = field(default=None, metadata=SAID_ONLY)
    turned: str | None = field(default=None, metadata=SAID_ONLY)
    lays_off_first: int | None = field(default=None, metadata=SAID_ONLY)


@dataclass(frozen=True, slots=True)
class HandMarked(_HandEnded):
    """A hand ended and was marked."""


@dataclass(frozen=True, slots=True)
class HandCorrected(_HandEnded):
    """A marked hand was corrected; what stood before stays readable."""


@dataclass(frozen=True, slots=True)
class HandThrownIn:
    """The hand was thrown in, unscored, and is dealt again by the same dealer."""

    hand: int


@dataclass(frozen=True, slots=True)
class Undone:
    """The last action was taken back; ``act`` is its number."""

    act: int


@dataclass(frozen=True, slots=True)
class Redone:
    """The action that was last taken back holds again; ``act`` is its number."""

    act: int


Marks = HandMarked | HandCorrected
# Actions that undo takes back, one by one from the last. The others stand until their opposite.
Action = (
    CardTurned
    | PlayRecorded
    | PileSeen
    | RulingGiven
    | Ruled
    | RulingEnforced
    | UpcardGiven
    | CallNoted
    | PenaltyCharged
    | HousePenalty
    | PenaltyWithdrawn
    | Marks
    | HandThrownIn
)
ACTIONS: Final[tuple[type, ...]] = get_args(Action)
Event = (
    GameStarted
    | GameRenamed
    | PlayerRenamed
    | GameArchived
    | GameTakenOut
    | GameDeleted
    | GameRestored
    | Action
    | Undone
    | Redone
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An event on record: its number in the game (from 1), its time and its marker."""

    number: int
    at: datetime
    by: str
    event: Event
    key: str = ""
