"""A whole turn, judged play by play on a table that can take it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.rules.cards import (
    Card,
    Laid,
    Offered,
    check_packs,
    identified,
    show_cards,
)
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.hand_rules import too_many
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.messages import Message
from companion.rules.player import Made, Player
from companion.rules.ruling import Breach, Ruling, TakeBack
from companion.rules.table import (
    Discard,
    LayOff,
    MeldPlay,
    Play,
    Swap,
    Table,
    TakePile,
    check_onto,
)

_REFUSED = -1


@dataclass(frozen=True, slots=True)
class TurnRuling:
    """A ruling a play, and what they come to: one charge, the strongest of what is taken back.

    ``table`` is the table afterwards (the one it began with, if the turn is taken back), and
    ``holding`` the cards that the player then holds, if those at the start were given.
    """

    plays: tuple[Ruling, ...]
    whole: Ruling
    table: Table
    holding: tuple[Card, ...] | None

    @property
    def legal(self) -> bool:
        """Whether every play is legal."""
        return self.whole.legal


def rule_on_turn(
    rules: Judge,
    table: Table,
    plays: Sequence[Play],
    player: Player,
    holding: Sequence[Card] | None = None,
) -> TurnRuling:
    """Judge a whole turn as `judge_turn` does, and say how the game's other sheets would.

    There each wild card is the card that it was here, where that is settled. What cannot be
    played there any more, because the turn went another way, is not legal there.
    """
    turn = judge_turn(rules, table, plays, player, holding)
    as_read = [settled(play, ruling) for play, ruling in zip(plays, turn.plays, strict=True)]
    courses: dict[str, _Course] = {}

    def allows(there: Judge) -> bool:
        course = _course(_CourseElsewhere, there, table, as_read, player, holding)
        courses[there.house.sheet] = course
        return course.legal

    # A wild card that was taken and played again lies on the table already.
    taken = [ruling.took for ruling in turn.plays if ruling.took and rules.swap_gives_wild]
    played = Counter([offered.card for play in plays for offered in play.plays])
    brought = list((played - Counter(taken)).elements())
    holds = player.holds if holding is None else len(holding)
    elsewhere = rules.elsewhere(table, brought, holds, allows)
    return replace(
        turn,
        plays=tuple(
            ruling.with_elsewhere(
                {s: courses[s].rulings[n].legal if s in courses else None for s in elsewhere}
            )
            for n, ruling in enumerate(turn.plays)
        ),
        whole=turn.whole.with_elsewhere(elsewhere),
    )


def judge_turn(
    rules: Judge,
    table: Table,
    plays: Sequence[Play],
    player: Player,
    holding: Sequence[Card] | None = None,
) -> TurnRuling:
    """Judge a whole turn: a ruling for every play, and one for the turn.

    A play that is refused does not stay on the table; the plays after it are judged without it.
    ``holding`` are all cards held after the draw; whoever takes the pile as a play of the turn
    holds that too from then on. Raises `Malformed` for cards that are not held or cannot be there
    and for more cards than a player can hold, `Ambiguous` for a wild card on the table whose
    identity is open; ``where`` names the play.
    """
    if holding is not None:
        places = (("the table", table.cards), ("the cards held", holding))
        check_packs(places, *rules.deck, "holding")
        _check_number(rules, len(holding), player.holds)
    course = _course(_Course, rules, table, plays, player, holding)
    rulings = tuple(course.rulings)
    breaches = tuple(dict.fromkeys(breach for ruling in rulings for breach in ruling.breaches))
    whole = rules.refusal(breaches) if breaches else Ruling(praise=Message("legal_turn"))
    if whole.consequence.take_back is TakeBack.TURN:
        held = None if holding is None else tuple(holding)
        return TurnRuling(rulings, whole, course.table.take_back(), held)
    held = None if course.holding is None else tuple(course.holding.elements())
    return TurnRuling(rulings, whole, course.table, held)


def _check_number(rules: Judge, named: int, holds: int | None) -> None:
    """Raise `Malformed` unless a player can hold so many cards, and holds as many as was said."""
    rules.most_played(named, "holding")
    if holds is not None and holds != named:
        raise Malformed(f"{named} cards are named, and the player holds {holds}.", "holding")


def settled(play: Play, ruling: Ruling) -> Play:
    """A legal play with what its wild cards stand for written out, by its first reading."""
    if not ruling.legal or not ruling.readings:
        return play
    if ruling.added:
        return _identified(play, ruling.added)
    return with_identities(play, ruling.readings[0])


def with_identities(play: Play, meld: Meld) -> Play:
    """The play with what its wild cards stand for written out, as the meld that it made has it."""
    return _identified(play, meld.cards)


def _identified(play: Play, laid: Sequence[Laid]) -> Play:
    if not isinstance(play, MeldPlay | LayOff):
        return play
    known = [Offered(one.card, one.stands_for) for one in laid if one.wild]
    return replace(play, cards=identified(play.cards, known)) if known else play


def _course(
    kind: type[_Course],
    rules: Judge,
    table: Table,
    plays: Sequence[Play],
    player: Player,
    holding: Sequence[Card] | None,
) -> _Course:
    """The turn as it went, without the plays that only its end showed to be wrong.

    Taking one of those out can leave another wrong, so the turn is gone through until none is.
    """
    refused: dict[int, Ruling] = {}
    while True:
        course = kind(rules, table, player, holding, refused)
        for number, play in enumerate(plays):
            course.rulings.append(course.rule_on(number, play))
        late = rules.turn_breaches(course.made, course.left, player)
        if not late:
            return course
        refused |= {n: ruling for n, ruling in enumerate(course.rulings) if not ruling.legal}
        for index, breach in late.items():
            number = course.numbers[index]
            refused[number] = rules.refusal([breach], course.rulings[number].readings)


class _Course:
    """The turn as it goes: the table, the player, what is held, and what fell away.

    ``refused`` are the rulings that are known by the end of the turn, by the plays' numbers.
    """

    def __init__(
        self,
        rules: Judge,
        table: Table,
        player: Player,
        holding: Sequence[Card] | None,
        refused: Mapping[int, Ruling],
    ) -> None:
        self.rules = rules
        self.table = table.begin_turn()
        first_melds = not (player.contract_met or player.melded_this_turn)
        self.player = replace(player, lays_contract=first_melds)
        self.holding = None if holding is None else Counter(holding)
        self.holds = player.holds if holding is None else len(holding)
        if self.holds is None:
            self.holds = rules.held_in_turn
        self.most = rules.most_played(self.holds)
        # Cards of the plays that were made, cards that had to be held for all plays so far (what
        # was refused can be played again), and how many came to the hand since.
        self.played: Counter[Card] = Counter()
        self.needed: Counter[Card] = Counter()
        self.came = 0
        self.refused = refused
        self.rulings: list[Ruling] = []
        self.made: list[Made] = []
        self.numbers: list[int] = []
        # Where a meld that was refused would have lain: its index in the turn stays taken, so
        # that later plays, which count it, still point at the melds they mean.
        self.index = list(range(len(table.melds)))
        # Wild cards that a refused swap was after: they lie on the table still.
        self.not_taken: set[Card] = set()
        # Wild cards that other swaps gave, and that were not played since.
        self.taken: Counter[Card] = Counter()

    @property
    def legal(self) -> bool:
        """Whether every play is."""
        return all(ruling.legal for ruling in self.rulings)

    @property
    def left(self) -> int | None:
        """How many cards are held now, if that is known."""
        return None if self.holds is None else self.holds + self.came - self.played.total()

    def rule_on(self, number: int, play: Play) -> Ruling:
        """Judge the next play, and make it if it is legal."""
        try:
            ruling = self._rule_on(number, play)
        except Ambiguous as problem:
            where = f"plays[{number}]"
            raise Ambiguous(str(problem), problem.card, problem.choices, where) from None
        except Malformed as problem:
            raise Malformed(str(problem), f"plays[{number}]") from None
        if isinstance(play, MeldPlay):
            self.index.append(len(self.table.melds) - 1 if ruling.legal else _REFUSED)
        return ruling

    def _rule_on(self, number: int, play: Play) -> Ruling:
        ruling = self.refused.get(number) or self._judge(play)
        if ruling.legal:
            self._make(number, self._aimed(play), ruling)
        elif isinstance(play, Swap) and self.rules.swap_gives_wild:
            index = self.index[play.onto]
            lying = () if index == _REFUSED else self.table.meld(index).cards
            self.not_taken |= {laid.card for laid in lying if laid.wild}
        return ruling

    def _judge(self, play: Play) -> Ruling:
        fallen = self._fallen(play)
        if fallen is not None:
            return self.rules.refusal([fallen])
        self._check_held(play)
        return self.rules.judge(self.table, self._aimed(play), self.player)

    def _aimed(self, play: Play) -> Play:
        """The play with the index that its meld has on the table as it is."""
        if isinstance(play, LayOff | Swap) and self.index[play.onto] != play.onto:
            return replace(play, onto=self.index[play.onto])
        return play

    def _fallen(self, play: Play) -> Breach | None:
        """What is wrong with a play that builds on one that was refused."""
        limits = self.rules.limits
        if isinstance(play, LayOff | Swap):
            check_onto(play.onto, len(self.index))
            if self.index[play.onto] == _REFUSED:
                rule = limits.swap_rule if isinstance(play, Swap) else limits.lay_off_rule
                return Breach(rule, "meld_taken_back")
        if not self.not_taken:
            return None
        lying = self.not_taken.intersection(self.table.cards)
        # With several equal jokers it may be another one that is played.
        surely_held = self.taken if self.holding is None else self.holding
        cards = [offered.card for offered in play.plays]
        for card in cards:
            if card in lying and cards.count(card) > surely_held[card]:
                return Breach.of(limits.swap_rule, "swap_taken_back", card=card)
        return None

    def _check_held(self, play: Play) -> None:
        cards = [offered.card for offered in play.plays]
        self.needed |= self.played + Counter(cards)
        needed = self.needed.total() - self.came
        if self.holding is None:
            if needed > self.most:
                raise Malformed(too_many(needed, self.most))
            return
        missing = [card for card in cards if cards.count(card) > self.holding[card]]
        if missing:
            raise Malformed(f"{show_cards(missing)} is not among the cards held.")

    def _make(self, number: int, play: Play, ruling: Ruling) -> None:
        if self.taken:
            self.taken -= Counter([offered.card for offered in play.plays])
        if ruling.took is not None and self.rules.swap_gives_wild:
            self.taken[ruling.took] += 1
        cards = Counter([offered.card for offered in play.plays])
        came = Counter(self.table.pile if isinstance(play, TakePile) else ())
        if ruling.took is not None and self.rules.swap_gives_wild:
            came[ruling.took] += 1
        self.played += cards
        self.came += came.total()
        if self.holding is not None:
            self.holding += came
            self.holding -= cards
        self.made.append(Made(play, ruling, self.table))
        self.table = self.rules.after(self.table, play, ruling)
        self.numbers.append(number)
        before, melded = self.player, isinstance(play, MeldPlay)
        laid = play.cards if isinstance(play, MeldPlay | LayOff) else ()
        self.player = replace(
            before,
            melded_this_hand=before.melded_this_hand or melded,
            melded_this_turn=before.melded_this_turn or melded,
            fresh=before.fresh.union([o.card for o in laid if self.rules.limits.is_wild(o.card)]),
            begun=True,
            turn_over=isinstance(play, Discard),
            drew=None if before.drew in [o.card for o in laid] else before.drew,
        )


class _CourseElsewhere(_Course):
    """The same turn on another sheet, where it may have gone another way."""

    def rule_on(self, number: int, play: Play) -> Ruling:
        """Judge the next play; one that cannot be made any more is not legal there."""
        try:
            return super().rule_on(number, play)
        except Malformed:
            if isinstance(play, MeldPlay):
                self.index.append(_REFUSED)
            return self.rules.refusal([Breach(self.rules.limits.lay_off_rule, "not_playable")])

    def _make(self, number: int, play: Play, ruling: Ruling) -> None:
        # A wild card that is open there was settled or refused here: the first reading will do.
        if len(ruling.readings) > 1:
            ruling = replace(ruling, readings=ruling.readings[:1])
        super()._make(number, play, ruling)
