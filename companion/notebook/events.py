"""Events: what happened in a game. An event never changes; later ones undo or correct it.

Players are named by their seat, from 0 in the order of play; cards and plays are card text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext
from companion.rules.question import Question
from companion.rules.ruling import Ruling


class NotPossible(ValueError):
    """The marker's action cannot be recorded.

    The text is a sentence for the marker, translated and with its values. ``field`` names the entry
    to change, followed by the seat for a player's entry (``cards.2``).
    """

    def __init__(self, sentence: str, field: str = "", /, **values: object) -> None:
        super().__init__(gettext(sentence, **values))
        self.field = field


@contextmanager
def refused_at(field: str, advice: str = "") -> Iterator[None]:
    """Raise `NotPossible` for that field, with advice, when the rules raise `Malformed`."""
    try:
        yield
    except Malformed as problem:
        raise NotPossible(f"{problem} {advice}".rstrip(), field) from None


# A field that was added later. The record leaves out its default, so that older records stay the
# same byte by byte.
OMIT_DEFAULT: Final[Mapping[str, Any]] = {"omit_default": True}

# Where the facts of a ruling come from: the marker stated one, or it follows from the record as a
# whole. Any other number is that of the entry that recorded it.
STATED: Final = 0
ON_RECORD: Final = -1
# The fact that the player had drawn penalty cards, as the marker stated.
PENALTY_CARDS: Final = "penalty_cards"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a game."""


@dataclass(frozen=True, slots=True)
class Action(Event):
    """An event of one hand. Undo takes actions back one by one, from the last.

    Other events stand until an opposite one: a game is deleted, then restored.
    """

    hand: int


@dataclass(frozen=True, slots=True)
class PlayerAction(Action):
    """An action of one player, or about one."""

    player: int


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    """A game began, with its house rules, seats and first dealer.

    ``names`` are in the order of play; ``rules`` has every house rule's choice by its id.
    """

    game: str
    sheet: str
    rules: Mapping[str, str | int]
    names: tuple[str, ...]
    first_dealer: int
    title: str


@dataclass(frozen=True, slots=True)
class GameRenamed(Event):
    """The game got another title; without one it is called by its players' names."""

    title: str


@dataclass(frozen=True, slots=True)
class PlayerRenamed(Event):
    """A player got another name."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class FirstDealerChanged(Event):
    """Another player dealt first; the dealers of all hands follow from that."""

    first_dealer: int


@dataclass(frozen=True, slots=True)
class GameArchived(Event):
    """The game was moved to the archive."""


@dataclass(frozen=True, slots=True)
class GameTakenOut(Event):
    """The game was taken out of the archive."""


@dataclass(frozen=True, slots=True)
class GameDeleted(Event):
    """The game was deleted; it can be restored."""


@dataclass(frozen=True, slots=True)
class GameRestored(Event):
    """A deleted game was restored."""


@dataclass(frozen=True, slots=True)
class CardTurned(Action):
    """The marker said which card was turned before the deal: its rank, ``X`` for a joker."""

    rank: str


@dataclass(frozen=True, slots=True)
class PlayRecorded(Action):
    """An undisputed play was put on the recorded table.

    ``player`` is None for cards on the table that nobody is known to have played.
    """

    player: int | None
    play: str


@dataclass(frozen=True, slots=True)
class PileSeen(Action):
    """The marker saw the pile: its top cards, the topmost last; none if it is empty."""

    cards: str


@dataclass(frozen=True, slots=True)
class Ruled(PlayerAction):
    """A dispute was ruled on: the question with its facts, and the ruling.

    ``sources`` has the facts that decided: `STATED`, `ON_RECORD`, or the number of the entry that
    recorded one. ``charge`` is the rule number of the penalty that the ruling leads to, or
    None; ``instead_of`` is the number of the ruling that it replaces, or None.

    The question's melds are put on the recorded table, where new ones belong to no player; a legal
    ruling adds its plays.

    ``in_words`` is the record of a ruling by an earlier version, which kept a sentence, and not the
    melds and the pile that it was about: those are the ones on record.
    """

    question: Question
    ruling: Ruling
    charge: str | None
    sources: Mapping[str, int]
    instead_of: int | None = None
    in_words: Mapping[str, Any] | None = field(default=None, metadata=OMIT_DEFAULT)

    @property
    def melded_before(self) -> bool | None:
        """True if a meld was laid earlier in the turn; None if unknown or irrelevant."""
        question = self.question
        return question.player.melded_this_turn if self.in_words else question.melded_before

    def comes_to_table(self, rules: Judge) -> bool:
        """True if the plays go on the recorded table when they are legal.

        Those of a ruling in words do in every game with a table.
        """
        was_put = self.in_words is not None and rules.game.has_table
        return was_put or self.question.ask not in rules.asks_off_table


@dataclass(frozen=True, slots=True)
class RulingEnforced(Action):
    """A ruling was carried out: its penalty was charged, and its plays or turn taken back.

    ``plays`` are the rest of the turn if only its illegal plays were taken back.
    """

    ruling: int
    plays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UpcardGiven(PlayerAction):
    """A ruling on “May I?” gave away the upcard that ``player``, at turn, did not want.

    ``last_taker`` took the upcard before it, None if nobody did; ``gets`` gets this one, None if
    nobody may.
    """

    asked: tuple[int, ...]
    last_taker: int | None
    gets: int | None


@dataclass(frozen=True, slots=True)
class CallNoted(PlayerAction):
    """A player called for the discard and got it, free of charge."""


@dataclass(frozen=True, slots=True)
class PenaltyCharged(PlayerAction):
    """A player was charged for a reason on the game's list."""

    rule: str


@dataclass(frozen=True, slots=True)
class HousePenalty(PlayerAction):
    """The table charged a player for its own reason; points below zero are a bonus."""

    points: int
    text: str


@dataclass(frozen=True, slots=True)
class PenaltyWithdrawn(Action):
    """A charge was taken back; ``charge`` is the number of the event that made it."""

    charge: int


@dataclass(frozen=True, slots=True)
class HandEntry:
    """How a hand ended for one player who did not go out, as the marker entered it.

    Either ``cards`` (as text), or ``points`` and how many of the cards were ``wilds``. ``melded``
    tells whether the player laid a new meld; None leaves that to the record. With ``penalty_cards``
    the player drew penalty cards, and so may hold more than was dealt.

    In a game of boxes ``cards`` are those of the meld shown, ``suit`` is the letter of the suit
    named for it, and ``split`` the cards set apart (as text), None if nothing was said. If only its
    points are known, ``box`` names its box, and ``points`` is what it scores.

    If melds stay in hand to the end, ``held`` are all the cards that the player showed, and
    ``cards`` those left after melds and lay-offs; None leaves them to the best arrangement. With
    ``otherwise`` the player insisted on another one. ``laid_as`` says what laid-off wild cards
    stand for, where others' points depend on it (as text, ``2S=8H``).
    """

    player: int
    cards: str | None = None
    points: int | None = None
    wilds: int = 0
    melded: bool | None = None
    suit: str = field(default="", metadata=OMIT_DEFAULT)
    split: str | None = field(default=None, metadata=OMIT_DEFAULT)
    held: str | None = field(default=None, metadata=OMIT_DEFAULT)
    otherwise: bool = field(default=False, metadata=OMIT_DEFAULT)
    penalty_cards: bool = field(default=False, metadata=OMIT_DEFAULT)
    box: str = field(default="", metadata=OMIT_DEFAULT)
    laid_as: str = field(default="", metadata=OMIT_DEFAULT)

    @property
    def shown(self) -> str:
        """The cards that were entered, as text: all that were held, or those left."""
        return self.held or self.cards or ""


@dataclass(frozen=True, slots=True)
class Marks(Action):
    """How a hand ended: ``out`` went out (None: nobody); ``entries`` are of the others.

    ``out_melded`` is true if ``out`` laid a new meld in the hand, ``bent`` if ``out`` laid nothing
    before the last turn. ``out_held`` are the cards in the melds of ``out``, if melds stay in hand
    until then and others lay off on them; ``out_melds`` has them meld by meld, if that was said:
    ``5C 6C 7C / 5D 2S 7D``. Where others' points depend on it, ``out_laid_as`` says what wild cards
    in them stand for, or has the melds as they lay, each with a stroke after it.
    ``lays_off_first`` is the seat that lays off first, if the marker said. ``table_is_old`` is true
    if the recorded table is out of date, so that cards left may be there too. ``turned`` is the
    rank turned before the deal, if it has changed.
    """

    out: int | None
    entries: tuple[HandEntry, ...]
    out_melded: bool = True
    table_is_old: bool = False
    bent: bool = False
    out_held: str | None = field(default=None, metadata=OMIT_DEFAULT)
    out_melds: str = field(default="", metadata=OMIT_DEFAULT)
    out_laid_as: str = field(default="", metadata=OMIT_DEFAULT)
    turned: str | None = field(default=None, metadata=OMIT_DEFAULT)
    lays_off_first: int | None = field(default=None, metadata=OMIT_DEFAULT)

    @property
    def by_points(self) -> bool:
        """True if points were given, and nobody's cards."""
        return bool(self.entries) and all(entry.cards is None for entry in self.entries)


@dataclass(frozen=True, slots=True)
class HandMarked(Marks):
    """A hand ended and was marked."""


@dataclass(frozen=True, slots=True)
class HandCorrected(Marks):
    """A marked hand was corrected; the earlier marks stay readable."""


@dataclass(frozen=True, slots=True)
class HandThrownIn(Action):
    """The hand was thrown in unscored; the same dealer deals it again."""


@dataclass(frozen=True, slots=True)
class GameEnded(Action):
    """The game was ended early, after at least one marked hand.

    ``hand`` is the open one, which is not played on: it stays on the sheet without marks, and its
    penalties count.
    """


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """The last action was undone; ``act`` is its number."""

    act: int


@dataclass(frozen=True, slots=True)
class Redone(Event):
    """The action undone last was redone; ``act`` is its number."""

    act: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A recorded event: its number in the game, from 1, its time and its marker.

    ``key`` is that of the form that made it: the same form sent again makes no second entry.
    """

    number: int
    at: datetime
    by: str
    event: Event
    key: str = ""
