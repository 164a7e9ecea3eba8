"""The table as the marker recorded it during a hand: who laid what, and whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.rules.cards import Card, Offered
from companion.rules.judge import Judge, Player
from companion.rules.melds import Meld
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Table

EMPTY_TABLE = Table()


@dataclass(frozen=True, slots=True)
class Board:
    """The recorded table of a hand.

    ``turn_of`` is the seat whose turn the last recorded plays belong to, None before the first
    play and after a turn was taken back. ``melded`` are the seats that have laid a new meld (or
    laid off) in this hand, ``turn`` the plays of the turn that is under way.
    """

    table: Table = EMPTY_TABLE
    turn_of: int | None = None
    turn: tuple[Play, ...] = ()
    melded: frozenset[int] = frozenset()
    laid_off: frozenset[int] = frozenset()
    at_start: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    def turn_for(self, seat: int) -> Board:
        """The board with the turn of ``seat`` under way: a new one, unless it is already."""
        over = bool(self.turn) and isinstance(self.turn[-1], Discard)
        if self.turn_of == seat and not over:
            return self
        return replace(
            self,
            table=self.table.begin_turn(),
            turn_of=seat,
            turn=(),
            at_start=(self.melded, self.laid_off),
        )

    def player(self, seat: int, rules: Judge) -> Player:
        """What the record tells of a player at this moment, for the rules to judge by."""
        turn = self.turn_for(seat).turn
        fresh = frozenset(
            offered.card
            for play in turn
            if isinstance(play, MeldPlay | LayOff)
            for offered in play.cards
            if rules.limits.is_wild(offered.card)
        )
        return Player(
            melded_this_hand=seat in self.melded,
            melded_this_turn=any(isinstance(play, MeldPlay) for play in turn),
            fresh=fresh,
        )

    def put(self, seat: int, play: Play, rules: Judge) -> Board:
        """The board with one more play of that seat.

        A discard is taken as it lies. Melds, lay-offs and swaps must be such by the rules, but
        what depends on a turn's course (the first meld) is not asked, since the record need not
        hold the whole turn. Raises `Illegal`, `Ambiguous` or `Malformed`.
        """
        board = self.turn_for(seat)
        if isinstance(play, Discard):
            rules.check_cards(board.table, play)
            table = board.table.with_discard(play.card)
        else:
            table, _ = rules.push(board.table, play, _ANY_TIME)
        return replace(
            board,
            table=table,
            turn=(*board.turn, play),
            melded=board.melded | ({seat} if isinstance(play, MeldPlay) else set()),
            laid_off=board.laid_off | ({seat} if isinstance(play, LayOff) else set()),
        )

    def see_pile(self, pile: tuple[Card, ...]) -> Board:
        """The board with the pile as the marker saw it, also for the turn that is under way."""
        before = self.table.before
        if before is not None:
            before = before.with_pile(pile)
        return replace(self, table=replace(self.table, pile=pile, before=before))

    def take_back(self, seat: int) -> Board:
        """The board as it was before the turn of ``seat``, if that is the turn under way."""
        if self.turn_of != seat:
            return self
        melded, laid_off = self.at_start
        return Board(self.table.take_back(), melded=melded, laid_off=laid_off)


_ANY_TIME = Player(melded_this_hand=True, melded_this_turn=True, contract_met=True)


def with_identities(play: Play, meld: Meld | None) -> Play:
    """The play with its wild cards' identities written out, as the meld that it made has them."""
    if meld is None or not isinstance(play, MeldPlay | LayOff):
        return play
    known = {laid.card: laid for laid in meld.cards}
    return replace(
        play,
        cards=tuple(
            Offered(o.card, known[o.card].stands_for if known[o.card].wild else None)
            for o in play.cards
        ),
    )
