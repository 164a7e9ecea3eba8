"""A whole turn, judged play by play on a table that can take it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.rules.cards import Card, check_packs, show_cards
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.judge import Judge, Made, Player
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack, strongest
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, Table


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


class _Course:
    """The turn as it goes: the table, the player, what is held, and which melds fell away."""

    def __init__(
        self, rules: Judge, table: Table, player: Player, holding: Sequence[Card] | None
    ) -> None:
        self.rules = rules
        self.table = table.begin_turn()
        self.player = player
        self.holding = None if holding is None else Counter(holding)
        self.made: list[Made] = []
        self.at: list[int] = []
        # Where a meld that was refused would have lain: its index in the turn stays taken, so
        # that later plays, which count it, still point at the melds they mean.
        self.index: list[int | None] = list(range(len(table.melds)))

    def play(self, number: int, play: Play, skipped: bool = False) -> Ruling:
        where = f"plays[{number}]"
        try:
            self._check_held(play)
            aimed = self._aim(play)
            if aimed is None:
                ruling = self._nothing_there()
            else:
                ruling = self.rules.judge(self.table, aimed, self.player)
                if ruling.legal and not skipped:
                    self._push(number, aimed, ruling)
                    return ruling
        except Ambiguous as problem:
            raise Ambiguous(str(problem), problem.card, problem.choices, where) from None
        except Malformed as problem:
            raise Malformed(str(problem), where) from None
        if isinstance(play, MeldPlay):
            self.index.append(None)
        return ruling

    def _check_held(self, play: Play) -> None:
        if self.holding is None:
            return
        missing = Counter(offered.card for offered in play.plays) - self.holding
        if missing:
            raise Malformed(f"{show_cards(missing)} is not among the cards held.")

    def _aim(self, play: Play) -> Play | None:
        """The play with its index on the table as it is, None if it aims at a refused meld."""
        if not isinstance(play, LayOff | Swap):
            return play
        if not 0 <= play.onto < len(self.index):
            self.table.meld(len(self.table.melds) if play.onto >= 0 else play.onto)
        onto = self.index[play.onto]
        return None if onto is None else replace(play, onto=onto)

    def _nothing_there(self) -> Ruling:
        rule = self.rules.limits.lay_off_rule
        breach = Breach(rule, "The meld that it was played on is taken back.")
        consequence = self.rules.consequence(breach)
        return Ruling((breach,), consequence=consequence, says=f"{breach.says} {consequence.says}")

    def _push(self, number: int, play: Play, ruling: Ruling) -> None:
        self.table = self.rules.after(self.table, play, ruling)
        self.made.append(Made(play, ruling))
        self.at.append(number)
        player = self.player
        if self.holding is not None:
            self.holding -= Counter(offered.card for offered in play.plays)
            if ruling.took is not None:
                self.holding += Counter([ruling.took])
        if isinstance(play, MeldPlay):
            self.index.append(len(self.table.melds) - 1)
            player = replace(player, melded_this_hand=True, melded_this_turn=True)
        if isinstance(play, MeldPlay | LayOff):
            laid = {o.card for o in play.cards if self.rules.limits.is_wild(o.card)}
            player = replace(player, fresh=player.fresh | laid)
        self.player = replace(player, begun=True, turn_over=isinstance(play, Discard))

    @property
    def left(self) -> int | None:
        """How many cards are held now."""
        return None if self.holding is None else self.holding.total()


def judge_turn(
    rules: Judge,
    table: Table,
    plays: Sequence[Play],
    player: Player,
    holding: Sequence[Card] | None = None,
) -> TurnRuling:
    """Judge a whole turn: a ruling for every play, and one for the turn.

    A play that is refused does not stay on the table; the plays after it are judged without it.
    ``holding`` are all cards held after the draw. Raises `Malformed` for cards that are not held
    or cannot be there, `Ambiguous` for a wild card on the table whose identity is open; ``where``
    names the play.
    """
    if holding is not None:
        places = (("the table", table.cards), ("the cards held", holding))
        check_packs(places, rules.game.packs, rules.game.jokers, "holding")
    course = _Course(rules, table, player, holding)
    rulings = [course.play(number, play) for number, play in enumerate(plays)]
    late = {
        course.at[made]: breach
        for made, breach in rules.turn_breaches(course.made, course.left).items()
    }
    if late:
        rulings = [
            _refused(rules, ruling, late[n]) if n in late else ruling
            for n, ruling in enumerate(rulings)
        ]
    whole = _whole(rulings)
    if whole.consequence.take_back is TakeBack.TURN:
        held = None if holding is None else tuple(holding)
        return TurnRuling(tuple(rulings), whole, course.table.take_back(), held)
    if late:
        course = _Course(rules, table, player, holding)
        for number, play in enumerate(plays):
            course.play(number, play, skipped=number in late)
    held = None if course.holding is None else tuple(course.holding.elements())
    return TurnRuling(tuple(rulings), whole, course.table, held)


def _refused(rules: Judge, ruling: Ruling, breach: Breach) -> Ruling:
    consequence = rules.consequence(breach)
    return replace(
        ruling,
        breaches=(breach,),
        consequence=consequence,
        says=f"{breach.says} {consequence.says}",
    )


def _whole(rulings: Sequence[Ruling]) -> Ruling:
    breaches = tuple(dict.fromkeys(b for ruling in rulings for b in ruling.breaches))
    if not breaches:
        return Ruling(says="Legal: every play of the turn is.")
    consequence: Consequence = strongest([r.consequence for r in rulings if not r.legal])
    sentences = dict.fromkeys(breach.says for breach in breaches)
    return Ruling(breaches, consequence=consequence, says=" ".join([*sentences, consequence.says]))
