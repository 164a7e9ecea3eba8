"""The score sheet: everything that the pages show, replayed from a game's events.

Nothing here is stored. The same entries always give the same sheet, so totals are the same
wherever they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.notebook.events import (
    Entry,
)
from companion.notebook.hand_sheet import HandSheet
from companion.rules.cards import Rank, parse_rank
from companion.rules.game import Deck, Game
from companion.rules.hand_rules import MeldBox
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.scoring import Mark
from companion.rules.seating import places


class Filled(NamedTuple):
    """A box that a player has filled: in which hand, and what it scored."""

    hand: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the standings (equal ones share it), total and number of penalties.

    A bonus of the table is no penalty.
    """

    place: int
    player: int
    name: str
    total: int
    penalties: int


@dataclass(slots=True)
class ScoreSheet:
    """A game as it stands after its last entry.

    ``number`` is the last entry's; ``hands`` are those begun, the last one open unless the game
    is over. ``can_undo`` and ``can_redo`` are the actions that would be undone or redone next.
    """

    game: Game
    house: House
    names: list[str]
    first_dealer: int
    title: str
    number: int = 0
    hands: list[HandSheet] = field(default_factory=list)
    archived: bool = False
    deleted: bool = False
    started: Entry | None = None
    last: Entry | None = None
    can_undo: Entry | None = None
    can_redo: Entry | None = None

    @property
    def players(self) -> range:
        """The seats, in the order of play."""
        return range(len(self.names))

    @property
    def name(self) -> str:
        """The title, or who plays if it has none."""
        return self.title or ", ".join(self.names)

    def named(self, seats: Sequence[int]) -> str:
        """Players' names as a list: ``Ana, Ben and Cem``; of one at least."""
        *others, last = (self.names[seat] for seat in seats)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def over(self) -> bool:
        """True if the last hand is marked, or somebody has won before."""
        all_marked = len(self.hands) == self.game.hands and self.hands[-1].marking is not None
        return all_marked or self.winner is not None

    @property
    def _left(self) -> Mapping[int, int]:
        """The seats that have left the game, each with the hand."""
        if not any(charge.leaves for charge in self.game.charges):
            return {}
        return {
            one.player: hand.number
            for hand in self.hands
            for one in hand.penalties
            if one.reason.leaves and one.withdrawn is None
        }

    def left_in(self, player: int) -> int | None:
        """The hand in which a player left the game; None for one who has not."""
        return self._left.get(player)

    @property
    def playing(self) -> list[int]:
        """The seats that have not left the game."""
        left = self._left
        return [player for player in self.players if player not in left]

    def next_player(self, seat: int) -> int:
        """Who plays after a seat, of those who have not left the game."""
        order = [(seat + after) % len(self.names) for after in self.players]
        playing = self.playing
        return next((one for one in order[1:] if one in playing), seat)

    def plays_after_rummy(self, hand: int, out: int) -> int:
        """The seat that plays after the Rummy of ``out``: the next one in the game (IND-7).

        Skips players who left right after that Rummy too, in the hand that it began.
        """
        order = [(out + after) % len(self.names) for after in range(1, len(self.names))]
        left = self._left
        return next((seat for seat in order if left.get(seat, hand + 2) > hand + 1), out)

    def declared(self, before: int | None = None) -> list[int]:
        """The seats that have declared rightly, in order; ``before`` a hand, or in all."""
        hands = self.hands if before is None else self.hands[: before - 1]
        return [hand.out for hand in hands if hand.out is not None]

    @property
    def winner(self) -> int | None:
        """Who has won before the last hand; None while the game goes on, or if nobody can."""
        return self.winner_with(self.declared())

    def winner_with(self, declared: Sequence[int]) -> int | None:
        """Who has won if these have declared rightly, in order; None if nobody has (IND-7)."""
        names, playing = map(str, declared), map(str, self.playing)
        won = self.game.judge.winner([*names], [*playing])
        return None if won is None else int(won)

    def wins(self, hand: int, out: int | None) -> bool:
        """Whether the game is won if that hand ends with a Rummy of ``out``."""
        return out is not None and self.winner_with([*self.declared(hand), out]) is not None

    def payments(self) -> Mapping[int, int]:
        """What each seat receives, or pays if it is below 0; nothing unless somebody has won."""
        won = self.winner
        if won is None:
            return {}
        points = {str(player): self.total(player) for player in self.players}
        paid = self.game.judge.payments(points, str(won))
        return {int(seat): points for seat, points in paid.items()}

    @property
    def hand(self) -> HandSheet:
        """The hand that is being played; the last one when the game is over."""
        return self.hands[-1]

    @property
    def marked(self) -> list[HandSheet]:
        """The hands that are marked."""
        return [hand for hand in self.hands if hand.marking is not None]

    def wild_of(self, number: int) -> str:
        """The rank that a hand makes wild by its number, or that was turned for it; or nothing."""
        wild = self.game.wild_rank(number)
        if wild is None and number <= len(self.hands):
            wild = self.hands[number - 1].turned
        return "" if wild is None else wild.shown if wild else "★"

    def total(self, player: int, through: int | None = None) -> int:
        """A player's points so far, penalties of the open hand included; ``through`` a hand."""
        hands = self.hands if through is None else self.hands[:through]
        return sum(hand.mark(player).points for hand in hands)

    def penalties(self, player: int, *, by_rules: bool = False) -> int:
        """How many penalties a player has had, or how many of them ``by_rules``."""
        charges = (charge for hand in self.hands for charge in hand.mark(player).charges)
        sign = -1 if self.game.highest_wins else 1
        # A house penalty that does not cost its player anything is a bonus.
        return sum(bool(one.rule) or (not by_rules and sign * one.points > 0) for one in charges)

    def standings(self) -> list[Standing]:
        """The players from first to last, the winner first; equal ones share a place (PRO-16).

        Where Rummies win the game (IND-7), who has one is before who has none while it goes on.
        """
        by_penalties = self.house.get("ties") == "fewest_penalties"
        sign = -1 if self.game.highest_wins else 1
        won = self.winner
        ahead = (
            [won]
            if won is not None
            else [int(name) for name in self.game.judge.ahead([*map(str, self.declared())])]
        )
        scores = {
            player: (
                player not in ahead,
                sign * self.total(player),
                self.penalties(player, by_rules=True) if by_penalties else 0,
            )
            for player in self.players
        }
        return [
            Standing(
                1 + sum(other < scores[player] for other in scores.values()),
                player,
                self.names[player],
                self.total(player),
                self.penalties(player),
            )
            for player in sorted(self.players, key=lambda player: (*scores[player], player))
        ]

    def leaders(self) -> list[int]:
        """The seats in first place."""
        return [standing.player for standing in self.standings() if standing.place == 1]

    def filled_boxes(self, player: int) -> dict[str, Filled]:
        """The boxes that a player has filled so far, by title."""
        return {
            mark.shown.box: Filled(hand.number, mark)
            for hand in self.marked
            for mark in [hand.mark(player)]
            if mark.shown is not None
        }

    def open_boxes(self, player: int) -> list[MeldBox]:
        """The boxes that a player has yet to fill, in the order of the sheet."""
        filled = self.filled_boxes(player)
        return [box for box in self.game.judge.boxes if box.title not in filled]

    @property
    def deck(self) -> Deck:
        """What this table plays with: the deck for so many players."""
        return self.game.deck(self.house, len(self.names))

    def rules(self, number: int, turned: Rank | None = None) -> Judge:
        """The rules of a hand at this table, with the rank that was turned before the deal."""
        return self.game.rules(self.house, number, self.deck, turned)

    def with_turned(self, hand: HandSheet, rank: str | None) -> HandSheet:
        """The hand with the rank that was turned, as text; as it is if none is said."""
        if rank is None:
            return hand
        turned = parse_rank(rank, "turned")
        return replace(hand, turned=turned, rules=self.rules(hand.number, turned))

    def open_hand(self, number: int) -> HandSheet:
        """Return a new hand with its rules and places; the turned card stays until a new deal.

        If hands before it have not begun either, the card is that of the last hand begun.
        """
        turned = self.hands[: number - 1][-1].turned if number > 1 else None
        return HandSheet(
            number,
            self.rules(number, turned),
            places(len(self.names), self.first_dealer, number),
            turned=turned,
        )
