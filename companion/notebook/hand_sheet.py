"""One hand of a score sheet: its marks, penalties, rulings and recorded table."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from companion.notebook.board import EMPTY_BOARD, Board
from companion.notebook.events import (
    PENALTY_CARDS,
    STATED,
    Entry,
    HandEntry,
    Marks,
    NotPossible,
    Ruled,
    UpcardGiven,
)
from companion.rules.cards import Card, Rank, parse_cards
from companion.rules.game import Charge
from companion.rules.judge import Judge
from companion.rules.language import ngettext, noted
from companion.rules.question import DECLARE, Question
from companion.rules.ruling import Ruling
from companion.rules.scoring import Charged, HandEnd, Left, Mark
from companion.rules.table import Discard


@dataclass(frozen=True, slots=True)
class Penalty:
    """A charge made during a hand: its entry, the player, the points and the reason.

    A house penalty has the table's words as its title, and no rule. ``withdrawn`` is the entry that
    took it back, if any.
    """

    entry: Entry
    player: int
    charged: Charged
    reason: Charge
    withdrawn: Entry | None = None


@dataclass(frozen=True, slots=True)
class RulingLine:
    """A ruling, and the entries that enforced or replaced it, if any.

    ``given`` is the event of the entry; one in words has the recorded melds and pile added.
    ``known_melds`` is how many of its question's melds were on record already, ``turn`` the number
    of its turn on record. ``before`` and ``after`` are the recorded table before and after its
    plays were added or taken back. ``turned`` is the rank that was known to be turned up.
    """

    entry: Entry
    given: Ruled
    known_melds: int = 0
    turn: int = 0
    before: Board = EMPTY_BOARD
    after: Board = EMPTY_BOARD
    turned: Rank | None = None
    enforced: Entry | None = None
    replaced: Entry | None = None

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.given.question

    @property
    def ruling(self) -> Ruling:
        """What was ruled."""
        return self.given.ruling


def on_record(event: Ruled, board: Board) -> Ruled:
    """Return a ruling in words with the recorded melds and pile; any other as it is."""
    if event.in_words is None:
        return event
    pile = board.pile_for(event.player)
    question = replace(event.question, melds=board.table.melds, pile=pile)
    return replace(event, question=question)


class UpcardLine(NamedTuple):
    """A ruling on who gets an upcard, and its entry."""

    entry: Entry
    given: UpcardGiven


@dataclass(frozen=True, slots=True)
class Marking:
    """A version of a hand's marks, with the hand's rules at that time and the number of players."""

    entry: Entry
    event: Marks
    rules: Judge
    seats: int

    def entered(self, player: int) -> HandEntry | None:
        """Return the player's entry; None for the one who went out."""
        return next((one for one in self.event.entries if one.player == player), None)

    def melded(self, player: int) -> bool:
        """True if the player is marked as having laid a meld."""
        entry = self.entered(player)
        return self.event.out_melded if entry is None else bool(entry.melded)


@dataclass(slots=True)
class HandSheet:
    """One hand of the game: its markings (the last one counts), penalties and rulings.

    ``turned`` is the rank turned before the deal, if any. ``calls`` are the players who called for
    the discard since the deal, once for each call. ``ended`` is true if the game was ended in this
    hand, before it was marked. ``scored`` caches the last marking's scores; None until they are
    needed.
    """

    number: int
    rules: Judge
    markings: list[Marking] = field(default_factory=list)
    penalties: list[Penalty] = field(default_factory=list)
    rulings: list[RulingLine] = field(default_factory=list)
    upcards: list[UpcardLine] = field(default_factory=list)
    thrown_in: list[Entry] = field(default_factory=list)
    board: Board = field(default_factory=Board)
    calls: list[int] = field(default_factory=list)
    turned: Rank | None = None
    ended: bool = False
    scored: tuple[Mark, ...] | None = field(default=None, compare=False)

    def copy(self) -> HandSheet:
        """Return a hand that can change while this one stays as it is."""
        new = copy(self)
        for name in ("markings", "penalties", "rulings", "upcards", "thrown_in", "calls"):
            setattr(new, name, [*getattr(self, name)])
        new.scored = None
        return new

    @property
    def all_rulings(self) -> list[RulingLine | UpcardLine]:
        """Rulings of every kind that were not replaced, in order."""
        lines: list[RulingLine | UpcardLine] = [*self.standing_rulings, *self.upcards]
        return sorted(lines, key=lambda line: line.entry.number)

    @property
    def standing_rulings(self) -> list[RulingLine]:
        """The rulings that no later one replaced."""
        return [line for line in self.rulings if line.replaced is None]

    @property
    def in_mid_turn(self) -> int | None:
        """The seat whose last turn has plays on record, but no discard; None if there is none."""
        plays = self.board.turn_plays
        is_over = not plays or isinstance(plays[-1], Discard)
        return None if is_over else self.board.seat_at_turn

    @property
    def pile_on_table(self) -> tuple[Card, ...]:
        """The recorded pile; empty where somebody may hold a card of it, drawn from the top."""
        return self.board.table.pile if self.rules.takes_pile else ()

    @property
    def declared(self) -> RulingLine | None:
        """The last declaration since the deal that was ruled legal."""
        lines = [one for one in self.standing_rulings if one.question.ask == DECLARE]
        legal = [one for one in lines if one.ruling.legal and self.is_of_deal(one.entry)]
        return legal[-1] if legal else None

    def standing_ruling(self, number: int) -> RulingLine | None:
        """Return the ruling an entry gave; None if there is none or a later one replaced it."""
        return next((line for line in self.standing_rulings if line.entry.number == number), None)

    def without_ruling(self, number: int | None) -> HandSheet:
        """Return the hand without the ruling to replace, if there is one. Raises `NotPossible`.

        Its charge stays: a new ruling takes it back.
        """
        if number is None:
            return self
        line = self.standing_ruling(number)
        if line is None:
            raise NotPossible("That ruling has been replaced already.")
        others = [other for other in self.rulings if other is not line]
        if line.after == self.board:
            return replace(self, board=line.before, rulings=others)
        if line.before.with_pile_known(None) == line.after.with_pile_known(None):
            return replace(self, rulings=others)  # the ruling did not change the recorded table
        raise NotPossible(
            "The recorded table has changed since that ruling. Undo what came after it first."
        )

    @property
    def marking(self) -> Marking | None:
        """The marks that count; None while the hand is not marked."""
        return self.markings[-1] if self.markings else None

    def charges(self, player: int) -> tuple[Penalty, ...]:
        """Return a player's penalties that stand, house penalties included."""
        return tuple(p for p in self.penalties if p.player == player and p.withdrawn is None)

    def rules_charged_since_deal(self, player: int) -> list[str]:
        """Return the rule number of each penalty since the last deal, ``""`` of a house penalty."""
        return [one.charged.rule for one in self.charges(player) if self.is_of_deal(one.entry)]

    def said_to_have_met(self, player: int) -> bool:
        """True if the last ruling that says when the player met the contract says “earlier”."""
        return self._says("contract_met", player)

    def said_to_have_laid(self, player: int) -> bool:
        """True if the last ruling that says whether the player laid the contract says so."""
        if "contract" not in self.rules.asks:
            return False
        return self._says("melded_this_turn", player) or self.said_to_have_met(player)

    def _says(self, fact: str, player: int) -> bool:
        """Return what was said last of a fact. Illegal first melds say that it is false."""
        for line in reversed(self._rulings_of(player)):
            asked = line.question
            if line.given.sources.get(fact) == STATED:
                return bool(asked.flag(fact))
            are_first = asked.ask in {"contract", "turn"} and not asked.flag("contract_met")
            if are_first and not line.ruling.legal:
                return False
        return False

    def has_laid_contract(self, player: int) -> bool:
        """True if the player has laid the contract since the deal, on record or as said."""
        return player in self.board.met_contract or self.said_to_have_laid(player)

    def _rulings_of(self, player: int) -> list[RulingLine]:
        """Return the rulings since the deal on plays of the player."""
        rulings = self.standing_rulings
        return [one for one in rulings if one.given.player == player and self.is_of_deal(one.entry)]

    def most_held(self, player: int, *, penalty_cards: bool) -> int | None:
        """Return the most cards the player can hold out of turn; None if only the packs bound it.

        Penalty cards count if the player drew some: by the record, or by ``penalty_cards`` in a
        game that says what they are drawn for.
        """
        said = any(PENALTY_CARDS in one.given.sources for one in self._rulings_of(player))
        drew = said or player in self.calls or (penalty_cards and bool(self.rules.penalty_cards))
        charged = self.rules_charged_since_deal(player)
        got = sum(one.given.gets == player for one in self.upcards if self.is_of_deal(one.entry))
        return self.rules.most_held(charged, got, drew)

    def check_first_melds(self, player: int, name: str, question: Question) -> None:
        """Raise `NotPossible` for first melds of a player who has met the contract before."""
        met = player in self.board.met_contract or self.said_to_have_met(player)
        if question.ask == "contract" and met:
            says = noted("By the record %(name)s has met the contract. Ask about a whole turn.")
            raise NotPossible(says, "cards", name=name)

    def is_of_deal(self, entry: Entry) -> bool:
        """True if the entry was made since the hand was last dealt."""
        return not self.thrown_in or entry.number > self.thrown_in[-1].number

    def rules_charged(self, player: int) -> tuple[str, ...]:
        """Return the rule numbers of a player's penalties that stand."""
        return tuple(p.charged.rule for p in self.charges(player) if p.charged.rule)

    def with_house_penalties(self, player: int, mark: Mark) -> Mark:
        """Return a mark with the player's house penalties added."""
        house = tuple(p.charged for p in self.charges(player) if not p.charged.rule)
        return replace(mark, charges=(*mark.charges, *house)) if house else mark

    def mark(self, player: int) -> Mark:
        """Return a player's score for the hand; only penalties count until it is marked."""
        if self.marking is None:
            return Mark(0, tuple(penalty.charged for penalty in self.charges(player)))
        if self.scored is None:
            marks = enumerate(self.marks(self.marking))
            self.scored = tuple(self.with_house_penalties(seat, mark) for seat, mark in marks)
        return self.scored[player]

    def marks(self, version: Marking) -> tuple[Mark, ...]:
        """Return all scores by a version of the marks, with the penalties of its time.

        House penalties are not included.
        """
        number = version.entry.number
        until = next((m.entry.number for m in self.markings if m.entry.number > number), None)
        stood = self.penalties
        if until is not None:
            stood = [
                replace(penalty, withdrawn=None)
                for penalty in stood
                if penalty.entry.number < until
                and (penalty.withdrawn is None or penalty.withdrawn.number > until)
            ]
        return score_hand(replace(self, rules=version.rules, penalties=stood), version)

    def worked_out(self, player: int) -> list[Charged]:
        """Return a player's charges for how the hand ended."""
        charge = self.rules.game.charge
        charges = self.mark(player).charges
        return [one for one in charges if one.rule and charge(one.rule).worked_out]

    @property
    def out(self) -> int | None:
        """The player who went out; None if nobody did or the hand is not marked."""
        return self.marking.event.out if self.marking else None

    @property
    def is_dealt(self) -> bool:
        """True if everyone was dealt new cards for the hand."""
        return self.rules.is_dealt or bool(self.thrown_in)

    def is_blank(self, player: int) -> bool:
        """True if a player's cell has nothing to show: no marks yet, or no cards count."""
        has_mark = self.marking is not None and (
            player == self.out or self.marking.entered(player) is not None
        )
        return not has_mark and not self.charges(player)


def score_hand(hand: HandSheet, marking: Marking) -> tuple[Mark, ...]:
    """Return the players' marks, in the order of their seats."""
    ends = hand_ends(hand, marking.event, [str(seat) for seat in range(marking.seats)])
    marks = hand.rules.score(ends)
    return tuple(marks[end.name] for end in ends)


def hand_ends(hand: HandSheet, event: Marks, names: Sequence[str]) -> list[HandEnd]:
    """Return how the hand ended for each player; one without an entry has no cards that count."""
    entered = {entry.player: entry for entry in event.entries}
    ends = []
    for seat, name in enumerate(names):
        end = HandEnd(name)
        if seat == event.out:
            end = HandEnd(name, melded=event.out_melded, out=True, bent=event.bent)
        elif seat in entered:
            end = end_of(hand, entered[seat], name)
        ends.append(replace(end, penalties=hand.rules_charged(seat)))
    return ends


# Marks are previewed, checked, saved and replayed with the same text.
@lru_cache(maxsize=4096)
def _left(rules: Judge, cards: str, arranged: bool) -> Left:
    return (rules.unmelded if arranged else rules.left)(parse_cards(cards))


def end_of(hand: HandSheet, entry: HandEntry, name: str) -> HandEnd:
    """Return how the hand ended for this entry's player. Raises `Malformed` for bad cards."""
    if entry.cards is None:
        left = Left(hand.rules.capped(entry.points or 0), entry.wilds, None)
    else:
        left = _left(hand.rules, entry.cards, entry.held is not None)
    return HandEnd(
        name,
        left,
        bool(entry.melded),
        suit=entry.suit,
        box=entry.box,
        split=None if entry.split is None else parse_cards(entry.split, "split"),
    )


def in_cards(count: int) -> str:
    """Return a number of cards in words: ``1 card``, ``5 cards``."""
    return ngettext("%(number)s card", "%(number)s cards", count)
