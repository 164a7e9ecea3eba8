"""The table as the marker recorded it during a hand: who laid what, and whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from companion.rules.cards import Card, Laid, Offered
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.player import Player
from companion.rules.readings import readings
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, Table, TakePile

EMPTY_TABLE = Table()


@dataclass(frozen=True, slots=True)
class Board:
    """The recorded table of a hand.

    ``turn_of`` is the seat whose turn the last recorded plays belong to, None before the first
    play and after a turn was taken back; ``turn`` its plays, and ``number`` how many turns have
    begun on the record. ``melded`` are the seats that have laid a new meld in this hand,
    ``laid_off`` those that have laid off, ``at_start`` both as they were when the turn began.
    ``past`` are the plays of earlier turns, which stay, with the turn's number and its seat.
    """

    table: Table = EMPTY_TABLE
    turn_of: int | None = None
    turn: tuple[Play, ...] = ()
    number: int = 0
    melded: frozenset[int] = frozenset()
    laid_off: frozenset[int] = frozenset()
    at_start: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    past: tuple[tuple[int, int, tuple[Play, ...]], ...] = ()

    def turn_for(self, seat: int) -> Board:
        """The board with the turn of ``seat`` under way: a new one, unless it is already."""
        over = bool(self.turn) and isinstance(self.turn[-1], Discard)
        return self if self.turn_of == seat and not over else self._begun(seat)

    def turn_of_question(self, seat: int, plays: Sequence[Play], *, melded: bool) -> Board:
        """The board with the turn under way in which those plays were disputed.

        ``melded`` says whether the player had laid a meld before them in that turn. If not, a
        recorded turn with a meld in it was an earlier one: the record need not hold the discard
        that ended it. One of which nothing but the taking of the pile is recorded begins again
        with plays that begin with it.
        """
        board = self.turn_for(seat)
        melds_recorded = any(isinstance(play, MeldPlay) for play in board.turn)
        took_pile = board.turn == (TakePile(),) == tuple(plays[:1])
        return self._begun(seat) if took_pile or (melds_recorded and not melded) else board

    def _begun(self, seat: int) -> Board:
        return replace(
            self,
            table=self.table.begin_turn(),
            turn_of=seat,
            turn=(),
            number=self.number + 1,
            at_start=(self.melded, self.laid_off),
            past=self._turns,
        )

    @property
    def _turns(self) -> tuple[tuple[int, int, tuple[Play, ...]], ...]:
        if self.turn_of is None or not self.turn:
            return self.past
        return (*self.past, (self.number, self.turn_of, self.turn))

    def plays_in(self, number: int, seat: int) -> tuple[Play, ...]:
        """The recorded plays of ``seat`` in the turn with that number; empty if it has none."""
        of_turn = (plays for n, who, plays in self._turns if (n, who) == (number, seat))
        return next(of_turn, ())

    def last_turn(self, seat: int) -> int:
        """The number of the last turn in which ``seat`` has plays on record; 0 if none has."""
        return max((number for number, who, _ in self._turns if who == seat), default=0)

    def laid_by(self, seat: int, rules: Judge) -> int:
        """Return by how many cards the recorded melds, lay-offs and swaps of a player outnumber
        the wild cards that came back to the hand.
        """
        laid = 0
        for play in (play for _, who, plays in self._turns if who == seat for play in plays):
            if isinstance(play, MeldPlay | LayOff):
                laid += len(play.cards)
            elif isinstance(play, Swap):
                laid += not rules.swap_gives_wild
        return laid

    def player(self, seat: int, rules: Judge) -> Player:
        """What the record tells of a player at this moment, for the rules to judge by."""
        board = self.turn_for(seat)
        turn = board.turn
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
            contract_met=seat in board.at_start[0],
            fresh=fresh,
            begun=bool(turn),
        )

    def put(self, seat: int, play: Play, rules: Judge) -> Board:
        """The board with one more play of that seat.

        A discard is taken as it lies, and so is taking the pile, with which a turn begins. Melds,
        lay-offs and swaps must be such by the rules, but what depends on a turn's course (the
        first meld) is not asked, since the record need not hold the whole turn. Raises `Illegal`,
        `Ambiguous` or `Malformed`.
        """
        board = self.turn_for(seat)
        if board.turn and isinstance(play, TakePile):
            # Nobody disputes it, so it began a turn: the discard before it was not recorded.
            board = self._begun(seat)
        match play:
            case Discard():
                rules.check_cards(board.table, play)
                table = board.table.with_discard(play.card)
            case TakePile():
                table = board.table.with_pile()
            case _:
                table, _ = rules.push(board.table, play, at_some_time(board.table, play, rules))
        return replace(
            board,
            table=table,
            turn=(*board.turn, play),
            melded=board.melded | ({seat} if isinstance(play, MeldPlay) else set()),
            laid_off=board.laid_off | ({seat} if isinstance(play, LayOff) else set()),
        )

    def put_turn(self, seat: int, plays: Sequence[Play], rules: Judge, *, melded: bool) -> Board:
        """The board with these plays in the turn that `turn_of_question` finds. Raises as `put`."""
        board = self.turn_of_question(seat, plays, melded=melded)
        for play in plays:
            board = board.put(seat, play, rules)
        return board

    def see_pile(self, pile: tuple[Card, ...]) -> Board:
        """The board with the pile as the marker saw it, also for the turn that is under way.

        Taking that turn back leaves the pile without what the turn put there; if the turn began
        with taking the pile, what lay there before is not what was seen now.
        """
        before = self.table.before
        if before is not None and TakePile() not in self.turn:
            before = before.with_pile(tuple(takewhile(self._lay_there, pile)))
        return replace(self, table=replace(self.table, pile=pile, before=before))

    def _lay_there(self, card: Card) -> bool:
        """Whether the card can have been in the pile before the turn that is under way."""
        before = self.table.before or self.table
        in_melds = any(card == laid.card for meld in before.melds for laid in meld.cards)
        return not in_melds and Discard(card) not in self.turn

    def take_back(self, seat: int) -> Board:
        """The board as it was before the turn of ``seat``, if that is the turn under way."""
        if self.turn_of != seat:
            return self
        melded, laid_off = self.at_start
        return Board(
            self.table.take_back(),
            number=self.number,
            melded=melded,
            laid_off=laid_off,
            past=self.past,
        )


_ANY_TIME = Player(melded_this_hand=True, melded_this_turn=True, contract_met=True)
_FIRST_MELDS = Player(melded_this_turn=True, lays_contract=True)


def at_some_time(table: Table, play: Play, rules: Judge) -> Player:
    """A player who may make the play, if there is a time in the hand at which one may.

    If there is none, a meld is said to be wrong as a first one: what comes after the contract is
    not what is wrong with it.
    """
    if rules.judge(table, play, _FIRST_MELDS).legal:
        return _FIRST_MELDS
    if isinstance(play, MeldPlay) and not rules.judge(table, play, _ANY_TIME).legal:
        return _FIRST_MELDS
    return _ANY_TIME


def may_have_grown(table: Table, play: MeldPlay, rules: Judge) -> bool:
    """Whether cards that were not laid at once may lie there: a first meld, and what was added."""
    limits = rules.limits
    for meld in readings(play.cards, limits):
        of_set = meld.kind is Kind.SET
        size = limits.set_sizes[0] if of_set else limits.run_sizes[0]
        cards = sorted(meld.cards, key=lambda laid: laid.wild) if of_set else list(meld.cards)
        for start in range(len(cards) - size + 1):
            first, rest = cards[start : start + size], cards[:start] + cards[start + size :]
            if not rest or not rules.judge(table, MeldPlay(_offered(first)), _FIRST_MELDS).legal:
                continue
            there = table.with_meld(Meld(meld.kind, tuple(first)))
            lay_off = LayOff(_offered(rest), len(table.melds))
            if rules.judge(there, lay_off, _ANY_TIME).legal:
                return True
    return False


def _offered(cards: Sequence[Laid]) -> tuple[Offered, ...]:
    return tuple([Offered(one.card, one.stands_for if one.wild else None) for one in cards])
