"""The score sheet: all that the pages show, replayed from a game's events.

Nothing here is stored. The same entries always give the same sheet, so totals are the same on every
page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.notebook.events import Entry, RulingEnforced
from companion.notebook.hand_sheet import HandSheet, Penalty
from companion.rules.cards import Rank, parse_rank
from companion.rules.game import Charge, Deck, Game
from companion.rules.hand_rules import MeldBox
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.language import isolated, listed
from companion.rules.scoring import Mark, paid_to_winner
from companion.rules.seating import Places, places
from companion.rules.table import Discard, parse_play


class Filled(NamedTuple):
    """A box that a player has filled: in which hand, and its score."""

    hand: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the standings (equals share it), total and number of penalties.

    A house bonus is not counted as a penalty.
    """

    place: int
    player: int
    name: str
    total: int
    penalties: int


@dataclass(slots=True)
class ScoreSheet:
    """A game after its last entry.

    ``hands`` are those that have begun. The last one is open until the game is over; then it has
    marks, unless the game was ended in it, or won because all others left.
    ``can_undo`` and ``can_redo`` are the next actions to undo or redo.
    """

    game: Game
    house: House
    names: list[str]
    first_dealer: int
    title: str
    started: Entry
    last: Entry
    hands: list[HandSheet] = field(default_factory=list)
    archived: bool = False
    deleted: bool = False
    can_undo: Entry | None = None
    can_redo: Entry | None = None

    @property
    def number(self) -> int:
        """The number of the last entry."""
        return self.last.number

    @property
    def players(self) -> range:
        """The seats, in the order of play."""
        return range(len(self.names))

    @property
    def name(self) -> str:
        """The title, or the players' names if there is none, in their order whatever the script."""
        return isolated(self.title) or ", ".join(map(isolated, self.names))

    def named(self, seats: Sequence[int]) -> str:
        """Return one or more players' names as a list: ``Ana, Ben and Cem``."""
        return listed(self.names[seat] for seat in seats)

    @property
    def over(self) -> bool:
        """True if the last hand is marked, a player has won before it, or the marker ended it."""
        all_marked = len(self.hands) == self.game.hands and self.hands[-1].marking is not None
        return all_marked or self.hand.ended or self.winner is not None

    @property
    def _leavings(self) -> Sequence[tuple[int, Penalty]]:
        """The penalties with which players have left the game, each with its hand."""
        if not any(charge.leaves for charge in self.game.charges):
            return []
        return [
            (hand.number, penalty)
            for hand in self.hands
            for penalty in hand.penalties
            if penalty.reason.leaves and penalty.withdrawn is None
        ]

    @property
    def left_in(self) -> Mapping[int, int]:
        """The hand in which each player who left the game did so, by seat."""
        return {penalty.player: hand for hand, penalty in self._leavings}

    @property
    def playing(self) -> list[int]:
        """The seats that have not left the game."""
        return self.playing_in(self.hand.number)

    def playing_in(self, hand: int) -> list[int]:
        """Return the seats that have left the game neither before a hand nor in it."""
        left = self.left_in
        return [player for player in self.players if left.get(player, hand + 1) > hand]

    def next_player(self, seat: int, hand: int | None = None) -> int:
        """Return the player after a seat, skipping those who have left the game.

        With ``hand``, skip those who left before it or in it: after a Rummy, the next hand (IND-7).
        """
        playing = self.playing if hand is None else self.playing_in(hand)
        order = [(seat + after) % len(self.names) for after in self.players]
        return next((player for player in order[1:] if player in playing), seat)

    @property
    def next_to_play(self) -> int | None:
        """Who plays next if the last entry settled a discard; None if anybody may.

        The discard was legal, its turn was taken back, or it is in the rest of a turn that stays.
        """
        for line in self.hand.standing_rulings:
            plays, by = line.question.plays, line.entry if line.ruling.legal else line.enforced
            if by is None or self.can_undo is None or by.number != self.can_undo.number:
                continue
            if isinstance(by.event, RulingEnforced) and not line.ruling.consequence.turn_passes:
                plays = tuple(parse_play(play) for play in by.event.plays)
            if any(isinstance(play, Discard) for play in plays):
                return self.next_player(line.given.player)
        return None

    def declared(self, before: int | None = None) -> list[int]:
        """Return the seats that declared correctly, in order, in all hands or ``before`` one."""
        hands = self.hands if before is None else self.hands[: before - 1]
        return [hand.out for hand in hands if hand.out is not None]

    @property
    def winner(self) -> int | None:
        """The seat that has won before the last hand (IND-7); None if nobody has."""
        return self.winner_with(self.declared(), self.hand.number)

    def winner_with(self, declared: Sequence[int], hand: int) -> int | None:
        """Return who has won by a hand if these seats declared in this order (IND-7), or None."""
        return self.game.judge.winner(declared, self.playing_in(hand))

    def wins(self, hand: int, out: int | None) -> bool:
        """True if a Rummy of ``out`` in that hand wins the game, whoever leaves in a later one."""
        return out is not None and self.winner_with([*self.declared(hand), out], hand) is not None

    def ahead(self, hand: int) -> Sequence[int]:
        """Return who leads after a hand whatever the totals: with a Rummy, and still playing."""
        playing = () if self.game.won_by.totals else self.playing_in(hand)
        return [seat for seat in self.declared(hand + 1) if seat in playing]

    @property
    def uncounted(self) -> list[int]:
        """The seats whose cards the last hand lacks, if a correction made it the winning one."""
        marking = self.hand.marking
        if marking is None or self.winner is None:
            return []
        others = [seat for seat in self.playing if seat != self.hand.out]
        return [seat for seat in others if marking.entered(seat) is None]

    @property
    def has_result(self) -> bool:
        """True if the game is over, somebody has won, and all cards that count are on the sheet."""
        return self.over and self.is_counted and not self.uncounted

    def payments(self) -> Mapping[int, int]:
        """Return what each seat receives, below 0 what it pays.

        Empty until somebody has won and all cards that count are on the sheet.
        """
        won = self.winner
        if won is None or self.uncounted:
            return {}
        return paid_to_winner({seat: self.total(seat) for seat in self.players}, won)

    @property
    def hand(self) -> HandSheet:
        """The hand being played; the last one when the game is over."""
        return self.hands[-1]

    def is_open(self, hand: HandSheet) -> bool:
        """True if the hand is being played, so that more can be asked about it."""
        return hand.number == self.hand.number and not self.over

    def can_go_on(self, hand: HandSheet) -> bool:
        """True if a hand is being played, or has not begun."""
        return hand.number >= self.hand.number and not self.over

    @property
    def counts_penalties(self) -> bool:
        """True if of equal totals the one with fewer penalties is ahead (PRO-16)."""
        return self.house.get("ties") == "fewest_penalties"

    def reasons(self, hand: HandSheet) -> list[Charge]:
        """Return the charges that the marker can make in a hand: none that the marks work out.

        A player can leave the game only in the hand being played, or in a later one. A charge
        without points is left out, unless it changes something else.
        """
        can_leave = self.can_go_on(hand)
        return [
            charge
            for charge in self.game.charges
            if charge.applies(self.house)
            and not charge.worked_out
            and hand.number >= charge.first_hand
            and (can_leave if charge.leaves else charge.takes_back or self._counts(charge, hand))
        ]

    def _counts(self, charge: Charge, hand: HandSheet) -> bool:
        return self.counts_penalties or hand.rules.charge_points(charge.rule) > 0

    def hand_at(self, number: int) -> HandSheet:
        """Return a hand by its number: a new one if it has not begun."""
        return self.hands[number - 1] if number <= len(self.hands) else self.open_hand(number)

    def places(self, hand: HandSheet) -> Places:
        """Return who deals a hand, cuts and plays first, of those who had not left the game."""
        # When a hand was dealt is on record only if an earlier deal of it was thrown in.
        dealt = hand.thrown_in[-1].number if hand.thrown_in else self.number + 1
        gone = {
            penalty.player
            for number, penalty in self._leavings
            if number <= hand.number and penalty.entry.number < dealt
        }
        return places(len(self.names), self.first_dealer, hand.number, gone)

    @property
    def marked(self) -> list[HandSheet]:
        """The hands that are marked."""
        return [hand for hand in self.hands if hand.marking is not None]

    @property
    def is_counted(self) -> bool:
        """True once something is marked or charged: before that nobody leads or has a place.

        In a game won by Rummies, only players who have one and still play lead, and nobody wins if
        the marker ended the game before a second one (IND-7).
        """
        if not self.game.won_by.totals:
            leads = not self.hand.ended and self.ahead(self.hand.number)
            return self.winner is not None or bool(leads)
        charged = any(penalty.withdrawn is None for penalty in self.hand.penalties)
        return charged or bool(self.marked)

    def wild_of(self, number: int) -> str:
        """Return the rank that a hand's number makes wild or that was turned; empty if none is."""
        wild = self.game.wild_rank(number)
        if wild is None and number <= len(self.hands):
            wild = self.hands[number - 1].turned
        return "" if wild is None else wild.shown if wild else "★"

    def total(self, player: int, through: int | None = None) -> int:
        """Return a player's points so far or ``through`` a hand, with the open hand's penalties."""
        return sum(hand.mark(player).points for hand in self.hands[:through])

    def penalties(self, player: int) -> Counter[str]:
        """Return how many penalties a player has had by rule, house penalties under ``""``.

        A house bonus is not counted.
        """
        charges = (charge for hand in self.hands for charge in hand.mark(player).charges)
        sign = self.game.won_by.sign
        return Counter(one.rule for one in charges if one.rule or sign * one.points > 0)

    def standings(self) -> list[Standing]:
        """Return the players from first to last, the winner first; equals share a place (PRO-16).

        In a game won by Rummies (IND-7), players who have one and still play lead until it is won.
        """
        sign = self.game.won_by.sign
        won = self.winner
        ahead = self.ahead(self.hand.number) if won is None else [won]
        totals = [self.total(player) for player in self.players]
        penalties = [self.penalties(player) for player in self.players]
        scores = {
            player: (
                player not in ahead,
                sign * totals[player],
                penalties[player].total() - penalties[player][""] if self.counts_penalties else 0,
            )
            for player in self.players
        }
        return [
            Standing(
                1 + sum(other < scores[player] for other in scores.values()),
                player,
                self.names[player],
                totals[player],
                penalties[player].total(),
            )
            for player in sorted(self.players, key=lambda player: (*scores[player], player))
        ]

    def leaders(self) -> list[int]:
        """Return the seats in first place; none while nobody leads (see `is_counted`)."""
        first = [standing.player for standing in self.standings() if standing.place == 1]
        return first if self.is_counted else []

    def filled_boxes(self, player: int) -> dict[str, Filled]:
        """Return the boxes that a player has filled, by title."""
        return {
            mark.box.title: Filled(hand.number, mark)
            for hand in self.marked
            for mark in [hand.mark(player)]
            if mark.box is not None
        }

    def open_boxes(self, player: int) -> list[MeldBox]:
        """Return the boxes that a player has not filled, in the order of the sheet."""
        filled = self.filled_boxes(player)
        return [box for box in self.game.judge.boxes if box.title not in filled]

    @property
    def deck(self) -> Deck:
        """The deck for this table's number of players."""
        return self.game.deck(self.house, len(self.names))

    def rules(self, number: int, turned: Rank | None = None) -> Judge:
        """Return the rules of a hand at this table, given the rank turned before the deal."""
        return self.game.rules(self.house, number, self.deck, turned)

    def with_turned(self, hand: HandSheet, rank: str | None) -> HandSheet:
        """Return the hand with this rank turned, as text; unchanged if None."""
        if rank is None:
            return hand
        turned = parse_rank(rank, "turned")
        return replace(hand, turned=turned, rules=self.rules(hand.number, turned))

    def open_hand(self, number: int) -> HandSheet:
        """Return a new hand with its rules; the turned card stays until a new deal.

        If earlier hands have not begun either, the card is that of the last hand begun.
        """
        turned = self.hands[: number - 1][-1].turned if number > 1 else None
        return HandSheet(number, self.rules(number, turned), turned=turned)
