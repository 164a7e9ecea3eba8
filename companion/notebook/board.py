"""The table as recorded during a hand: who laid what, and whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from companion.notebook.events import NotPossible
from companion.rules.cards import Card, Laid, Offered, parse_meld_text
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Illegal, Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext, noted
from companion.rules.melds import Kind, Meld
from companion.rules.question import DRAW, NO_PILE, UNKNOWN_PILE, Pile, Question
from companion.rules.readings import readings
from companion.rules.ruling import Ruling
from companion.rules.table import (
    NO_TABLE,
    Discard,
    LayOff,
    MeldPlay,
    Play,
    Player,
    Swap,
    Table,
    TakePile,
)


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn on record: its number, the seat, and its plays.

    ``met_contract`` is true if a meld in it was ruled legal in a game of contracts.
    """

    number: int
    seat: int
    plays: tuple[Play, ...] = ()
    met_contract: bool = False

    def has(self, kind: type[Play]) -> bool:
        """True if a play of the turn is of that kind."""
        return any(isinstance(play, kind) for play in self.plays)


@dataclass(frozen=True, slots=True)
class Board:
    """The recorded table of a hand, and the turns that led to it.

    ``under_way`` is true if the last turn can go on or be taken back: not before the first play,
    nor after a turn was taken back. ``number`` counts the turns, also those taken back.

    ``known`` is what is on record of the pile, from entry ``known_by``. It is sure for one seat
    only, ``known_to``, and for one turn: the player directly after the last discard, or the one who
    took the pile.
    """

    table: Table = NO_TABLE
    turns: tuple[RecordedTurn, ...] = ()
    under_way: bool = False
    number: int = 0
    known_to: int | None = None
    known_by: int = 0
    known: Pile = UNKNOWN_PILE

    @property
    def seat_at_turn(self) -> int | None:
        """The seat whose turn is under way; None if no turn is."""
        return self.turns[-1].seat if self.under_way else None

    @property
    def turn_plays(self) -> tuple[Play, ...]:
        """The plays of the turn under way."""
        return self.turns[-1].plays if self.under_way else ()

    @property
    def melded(self) -> frozenset[int]:
        """The seats that have laid a new meld in this hand."""
        return frozenset(turn.seat for turn in self.turns if turn.has(MeldPlay))

    @property
    def laid_off(self) -> frozenset[int]:
        """The seats that have laid off in this hand."""
        return frozenset(turn.seat for turn in self.turns if turn.has(LayOff))

    @property
    def met_contract(self) -> frozenset[int]:
        """The seats that have met their contract on record."""
        return frozenset(turn.seat for turn in self.turns if turn.met_contract)

    def turn_for(self, seat: int) -> Board:
        """Return the board with a turn of ``seat`` under way: the same one, or a new one."""
        over = bool(self.turn_plays) and isinstance(self.turn_plays[-1], Discard)
        return self if self.seat_at_turn == seat and not over else self._begin_turn(seat)

    def turn_of_question(self, seat: int, plays: Sequence[Play], *, melded: bool | None) -> Board:
        """Return the board with the turn that disputed plays belong to.

        That is the player's recorded turn, with two exceptions. If the player had laid no meld in
        the turn (``melded`` is False; None if nobody said), a recorded turn with a meld was an
        earlier one, though its discard may not be recorded. If taking the pile is the only recorded
        play, and the plays begin with it too, they are the same turn from its start.
        """
        board = self.turn_for(seat)
        is_later = melded is False and board.turns[-1].has(MeldPlay)
        took_pile = board.turn_plays == (TakePile(),) == tuple(plays[:1])
        return self._begin_turn(seat) if took_pile or is_later else board

    def _begin_turn(self, seat: int) -> Board:
        # The pile is still known if the player who knows it is the next to play.
        knows = seat == self.known_to and seat != self.seat_at_turn
        return replace(
            self if knows else self.with_pile_known(None),
            table=self.table.begin_turn(),
            turns=(*self.turns, RecordedTurn(self.number + 1, seat)),
            under_way=True,
            number=self.number + 1,
        )

    def plays_in(self, number: int, seat: int) -> tuple[Play, ...]:
        """Return the recorded plays of ``seat`` in the turn with that number."""
        plays = (turn.plays for turn in self.turns if (turn.number, turn.seat) == (number, seat))
        return next(plays, ())

    def last_turn(self, seat: int) -> int:
        """Return the number of the last turn in which ``seat`` has recorded plays; 0 if none."""
        numbers = (turn.number for turn in self.turns if turn.seat == seat and turn.plays)
        return max(numbers, default=0)

    def melded_before_last_turn(self, seat: int) -> bool:
        """True if the player laid a meld on record before the last recorded turn."""
        return any(turn.seat == seat and turn.has(MeldPlay) for turn in self.turns[:-1])

    def _plays_of(self, seat: int) -> Iterator[Play]:
        return (play for turn in self.turns if turn.seat == seat for play in turn.plays)

    def laid_by(self, seat: int, rules: Judge, in_melds: int = 0) -> int:
        """Return how many cards the player has laid on record, minus wild cards taken back.

        Their melds count as ``in_melds`` cards at least.
        """
        laid = [play for play in self._plays_of(seat) if not isinstance(play, Discard)]
        melded = sum(len(play.cards) for play in laid if isinstance(play, MeldPlay))
        return sum(cards_from_hand(play, rules) for play in laid) + max(0, in_melds - melded)

    def melds_of(self, seat: int) -> tuple[Meld, ...]:
        """Return the melds on the table that contain a meld which the seat laid on record."""
        melds = [play for play in self._plays_of(seat) if isinstance(play, MeldPlay)]
        laid = [Counter(one.card for one in play.cards) for play in melds]
        on_table = [(meld, Counter(one.card for one in meld.cards)) for meld in self.table.melds]
        found = [next((meld for meld, cards in on_table if own <= cards), None) for own in laid]
        return tuple(meld for meld in found if meld is not None)

    def melds_of_nobody(self, melds: Sequence[Meld]) -> tuple[Meld, ...]:
        """Return those of the melds that nobody is known to have laid."""
        seats = {turn.seat for turn in self.turns}
        laid = Counter(meld for seat in seats for meld in self.melds_of(seat))
        return tuple((Counter(melds) - laid).elements())

    def has_met_contract(self, seat: int) -> bool:
        """True if the player, on record, met the contract in an earlier turn."""
        earlier = self.turn_for(seat).turns[:-1]
        return any(turn.seat == seat and turn.met_contract for turn in earlier)

    def pile_for(self, seat: int) -> Pile:
        """Return what is known of the pile for a turn of the seat."""
        return self.known if self.turn_for(seat).known_to == seat else UNKNOWN_PILE

    def with_pile_known(
        self, seat: int | None, entry: int = 0, known: Pile = UNKNOWN_PILE
    ) -> Board:
        """Return the board where ``seat`` knows this much of the pile; None for nobody."""
        return replace(self, known_to=seat, known_by=entry, known=known)

    def pile_after(
        self, plays: Sequence[Play], known: Pile, seat: int, next_seat: int, entry: int
    ) -> Board:
        """Return the board with what is known of the pile after plays of ``seat``, and to whom."""
        board = self
        for play in plays:
            if isinstance(play, TakePile):
                known = NO_PILE
                board = board.with_pile_known(seat, entry, known)
            elif isinstance(play, Discard):
                known = Pile((*known.cards, play.card), known.whole)
                board = board.with_pile_known(next_seat, entry, known)
        return board

    def with_pile(self, pile: Pile) -> Board:
        """Return the board with this pile, known to no seat if it differs from the record."""
        is_known = self.known_to is not None and pile == self.known
        board = self if is_known else self.with_pile_known(None)
        return replace(board, table=self.table.with_pile(pile.cards))

    def put(self, seat: int, play: Play, rules: Judge) -> Board:
        """Return the board with one more play of that seat.

        Accepts any discard, and taking the pile, which begins a turn. If recorded cards of the pile
        are played, the pile is unknown: somebody took it in between. Melds, lay-offs and swaps
        must be legal at some time in a hand: rules about the rest of the turn (the first meld) are
        not checked, as it may not be on record. Raises `Illegal`, `Ambiguous` or `Malformed`.
        """
        board = self.turn_for(seat)
        if board.turn_plays and isinstance(play, TakePile):
            # It is undisputed, so it begins a turn: the discard before it was not recorded.
            board = self._begin_turn(seat)
        board = board.with_pile_before((play,), rules)
        if isinstance(play, Discard):
            rules.check_cards(board.table, play)
        ruling = Ruling()
        if not isinstance(play, Discard | TakePile):
            ruling = ruling_at_any_time(board.table, play, rules)
        if not ruling.legal:
            raise Illegal(ruling.reasons)
        *earlier, turn = board.turns
        turn = replace(turn, plays=(*turn.plays, play))
        table = rules.after(board.table, play, ruling)
        return replace(board, table=table, turns=(*earlier, turn))

    def with_question(self, question: Question, rules: Judge) -> Board:
        """Return the board with the melds and the pile of a question added."""
        board = self
        for meld in question.melds[len(self.table.melds) :]:
            board = board.put_unowned_meld(MeldPlay(_offered(meld.cards)), rules)
        if question.ask == DRAW:  # cards of the pile were taken, or put back
            return board.with_pile(UNKNOWN_PILE)
        if question.discarded is not None and question.pile != UNKNOWN_PILE:
            cards = question.pile_on(board.table.pile)
            board = board.with_pile(question.pile)
            return replace(board, table=board.table.with_pile(cards))
        return board.with_pile_before(question.plays, rules)

    def with_pile_before(self, plays: Sequence[Play], rules: Judge) -> Board:
        """Return the board before these plays: its pile is unknown if cards of it are played."""
        try:
            for play in takewhile(lambda play: not isinstance(play, TakePile), plays):
                rules.check_cards(self.table, play)
        except Malformed:
            return self.with_pile(UNKNOWN_PILE)
        return self

    def put_unowned_meld(self, play: MeldPlay, rules: Judge) -> Board:
        """Return the board with a meld that nobody is known to have laid.

        It stays when a turn is taken back, and may have lay-offs in it. Raises as `put` does.
        """
        board = self.with_pile_before((play,), rules)
        ruling = ruling_at_any_time(board.table, play, rules)
        if not ruling.legal:
            grown = grown_readings(board.table, play, rules)
            if not grown:
                raise Illegal(ruling.reasons)
            ruling = Ruling(readings=grown)
        table = rules.after(board.table, play, ruling)
        before = board.table.before
        if before is not None:
            table = replace(table, before=before.with_meld(table.melds[-1]))
        return replace(board, table=table)

    def put_turn(
        self, seat: int, plays: Sequence[Play], rules: Judge, *, melded: bool | None
    ) -> Board:
        """Return the board with plays that were ruled legal, in the turn they belong to.

        See `turn_of_question` and `put`. In a game of contracts a legal meld is part of the
        contract, or comes after it: either way the player has met it.
        """
        board = self.turn_of_question(seat, plays, melded=melded)
        for play in plays:
            board = board.put(seat, play, rules)
        *earlier, turn = board.turns
        if isinstance(rules, ContractJudge) and any(isinstance(play, MeldPlay) for play in plays):
            turn = replace(turn, met_contract=True)
        return replace(board, turns=(*earlier, turn))

    def see_pile(self, pile: tuple[Card, ...]) -> Board:
        """Return the board with the pile as the marker saw it.

        Taking back the turn under way then leaves the pile without the cards of that turn. If the
        turn took the pile, the pile before it stays as recorded.
        """
        before = self.table.before
        if before is not None and TakePile() not in self.turn_plays:
            before = before.with_pile(tuple(takewhile(self._may_be_older, pile)))
        return replace(self, table=replace(self.table, pile=pile, before=before))

    def _may_be_older(self, card: Card) -> bool:
        """True if the card can have been in the pile before the turn under way."""
        before = self.table.before or self.table
        in_melds = any(card == laid.card for meld in before.melds for laid in meld.cards)
        return not in_melds and Discard(card) not in self.turn_plays

    def take_back(self, seat: int) -> Board:
        """Return the board as it was before the turn of ``seat``, if that turn is under way."""
        if self.seat_at_turn != seat:
            return self
        return Board(self.table.take_back(), self.turns[:-1], number=self.number)


EMPTY_BOARD = Board()
_ANY_TIME = Player(melded_this_hand=True, melded_this_turn=True, contract_met=True)
_FIRST_MELDS = Player(melded_this_turn=True, lays_contract=True)


def cards_from_hand(play: Play, rules: Judge) -> int:
    """Return how many cards a play takes from the hand; none for a swap that gives a wild card."""
    return 0 if isinstance(play, Swap) and rules.swap_gives_wild else len(play.cards)


def ruling_at_any_time(table: Table, play: Play, rules: Judge) -> Ruling:
    """Return the ruling on a play by a player who may make it at some time in a hand.

    If nobody may, that on a first meld, which names only what is wrong with the cards.
    """
    as_first = rules.judge(table, play, _FIRST_MELDS)
    later = as_first if as_first.legal else rules.judge(table, play, _ANY_TIME)
    return later if later.legal or not isinstance(play, MeldPlay) else as_first


def why_not_on_table(table: Table, play: Play, rules: Judge, *, grown: bool = True) -> str:
    """Return a sentence on why the play cannot be on the table, whoever made it; empty if it can.

    With ``grown`` a meld may have grown since it was laid.
    """
    ruling = ruling_at_any_time(table, play, rules)
    if ruling.legal:
        return ""
    has_grown = isinstance(play, MeldPlay) and grown_readings(table, play, rules)
    if has_grown and grown:
        return ""
    advice = gettext("So it cannot lie on the table.")
    if has_grown:
        advice = gettext("If it has grown since, record it without saying whose it is.")
    return f"{ruling.reasons} {advice}"


def grown_readings(table: Table, play: MeldPlay, rules: Judge) -> tuple[Meld, ...]:
    """Return the readings of a meld that can be a first meld and lay-offs on it."""
    limits, grown = rules.limits, list[Meld]()
    for meld in readings(play.cards, limits):
        of_set, size = meld.kind is Kind.SET, limits.smallest(meld.kind)
        cards = sorted(meld.cards, key=lambda laid: laid.wild) if of_set else list(meld.cards)
        for start in range(len(cards) - size + 1):
            first, rest = cards[start : start + size], cards[:start] + cards[start + size :]
            if not rest or not rules.judge(table, MeldPlay(_offered(first)), _FIRST_MELDS).legal:
                continue
            with_first = table.with_meld(Meld(meld.kind, tuple(first)))
            lay_off = LayOff(_offered(rest), len(table.melds))
            if rules.judge(with_first, lay_off, _ANY_TIME).legal:
                grown.append(meld)
                break
    return tuple(grown)


def _offered(cards: Sequence[Laid]) -> tuple[Offered, ...]:
    return tuple([one.offered for one in cards])


# -- melds as a page had them ----------------------------------------------------------------------
# A phone without a network shows melds that wait to be recorded, and cards can be laid off on them.
# When that lay-off arrives, its meld may have been refused, or another recorded before it, so that
# the index alone could name another meld.


def play_on_record(play: Play, counted: Sequence[str] | None, recorded: Sequence[str]) -> Play:
    """Return the play with its meld's index on record. Raises `NotPossible` or `Malformed`."""
    if not isinstance(play, LayOff | Swap):
        return play
    return replace(play, onto=place_on_record(play.onto, counted, recorded))


def place_on_record(onto: int, counted: Sequence[str] | None, recorded: Sequence[str]) -> int:
    """Return the index on record of the meld that had the index ``onto`` on a page.

    ``counted`` are the melds of the page (card text), None if it does not say: then they are the
    recorded ones. Later indexes are of melds in the question itself, which come after all recorded.
    Raises `NotPossible` if the meld is not on record.
    """
    if counted is None or counted == recorded:
        return onto
    if onto >= len(counted):
        return onto - len(counted) + len(recorded)
    # Compare the cards alone: a page may not know yet what wild cards stand for.
    meant, *on_record = (
        Counter(offered.card for offered in parse_meld_text(meld))
        for meld in (counted[onto], *recorded)
    )
    places = [at for at, meld in enumerate(on_record) if meld == meant]
    if not places:
        cards = " ".join(offered.card.shown for offered in parse_meld_text(counted[onto]))
        says = noted(
            "The meld %(cards)s is not on the recorded table now. Choose another, or record it."
        )
        raise NotPossible(says, "onto", cards=cards)
    return onto if onto in places else places[0]
