"""Playing a turn: its plays one after the other, on a table that each of them changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.rules.cards import Card, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.hand_rules import too_many
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.ruling import Breach, Made, Ruling
from companion.rules.table import (
    Discard,
    LayOff,
    MeldPlay,
    Play,
    Player,
    Swap,
    Table,
    TakePile,
    check_onto,
    with_identities,
)

_REFUSED = -1


class Turn(NamedTuple):
    """A turn to be judged, with the table and the player as they are when it begins.

    ``holding`` are all cards held after the draw, or None if they are unknown.
    """

    rules: Judge
    table: Table
    plays: Sequence[Play]
    player: Player
    holding: Sequence[Card] | None = None


def play_turn(turn: Turn, read: Mapping[int, Meld], *, elsewhere: bool = False) -> PlayedTurn:
    """Return the turn as played, without the plays that turn out wrong at its end.

    Taking one of those back can make another one wrong, so the turn is played again until none is.
    ``read`` has the chosen reading of each play with several, by the play's number. While such a
    play has no chosen reading, the end of the turn is not judged. ``elsewhere`` is true for a turn
    of another sheet: there a play that can no longer be made is illegal, and no reading is open.
    """
    rules, refused = turn.rules, dict[int, Ruling]()
    while True:
        played = PlayedTurn(turn, refused, read, elsewhere)
        for number, play in enumerate(turn.plays):
            played.rulings.append(played.rule_on(number, play))
        if played.open is not None and not elsewhere:
            return played
        late = rules.turn_breaches(played.made, played.left, turn.player)
        if not late:
            return played
        refused |= {n: ruling for n, ruling in enumerate(played.rulings) if not ruling.legal}
        for index, breaches in late.items():
            number = played.numbers[index]
            refused[number] = rules.refusal(breaches, played.rulings[number].readings)


class PlayedTurn:
    """A turn as it is played: the table, the player, the cards held, and the plays taken back.

    ``refused`` holds the rulings that only the end of the turn shows, and ``read`` the readings
    chosen, both by the play's number. ``open`` is the number of the first play without a chosen
    reading; None if there is none.
    """

    def __init__(
        self,
        turn: Turn,
        refused: Mapping[int, Ruling],
        read: Mapping[int, Meld],
        elsewhere: bool,
    ) -> None:
        self.rules, table, _, player, holding = turn
        self.table = table.begin_turn()
        first_melds = not (player.contract_met or player.melded_this_turn)
        self.player = player._replace(lays_contract=first_melds)
        self.holding = None if holding is None else Counter(holding)
        self.holds = player.holds if holding is None else len(holding)
        if self.holds is None:
            self.holds = self.rules.held_in_turn
        self.most = self.rules.most_played(self.holds)
        # The cards of the plays made, the cards needed for all plays so far (refused cards can be
        # played again), and how many cards the player has gained since.
        self.played: Counter[Card] = Counter()
        self.needed: Counter[Card] = Counter()
        self.gained = 0
        self.refused = refused
        self.read = read
        self.elsewhere = elsewhere
        self.open: int | None = None
        self.rulings: list[Ruling] = []
        self.made: list[Made] = []
        self.numbers: list[int] = []
        # The index on the table of each meld that the plays count. A refused meld keeps its
        # number, so that later plays still point at the melds they mean.
        self.index = list(range(len(table.melds)))
        # Wild cards that a refused swap would have taken: they are still on the table.
        self.not_taken: set[Card] = set()
        # Wild cards that the player got by other swaps and has not played since.
        self.taken: Counter[Card] = Counter()

    @property
    def legal(self) -> bool:
        """True if every play is legal."""
        return all(ruling.legal for ruling in self.rulings)

    @property
    def left(self) -> int | None:
        """How many cards are held now; None if unknown."""
        return None if self.holds is None else self.holds + self.gained - self.played.total()

    def rule_on(self, number: int, play: Play) -> Ruling:
        """Judge the next play, and make it if it is legal."""
        try:
            ruling = self._rule_on(number, play)
        except Malformed as problem:
            if not self.elsewhere:
                raise Malformed(str(problem), f"plays[{number}]") from None
            ruling = self.rules.refusal([Breach(self.rules.limits.lay_off_rule, "not_playable")])
        if isinstance(play, MeldPlay):
            self.index.append(len(self.table.melds) - 1 if ruling.legal else _REFUSED)
        return ruling

    def _rule_on(self, number: int, play: Play) -> Ruling:
        ruling = self.refused.get(number) or self._judge(play)
        if ruling.legal:
            ruling = self._as_read(number, play, ruling)
        if ruling.legal:
            self._make(number, self._with_index(play), ruling)
        elif isinstance(play, Swap) and self.rules.swap_gives_wild:
            index = self.index[play.onto]
            lying = () if index == _REFUSED else self.table.meld(index).cards
            self.not_taken |= {laid.card for laid in lying if laid.wild}
        return ruling

    def _as_read(self, number: int, play: Play, ruling: Ruling) -> Ruling:
        """Return the ruling in the chosen reading, or in all of them if none was chosen."""
        chosen = self.read.get(number)
        if chosen is None:
            if len(ruling.readings) > 1 and self.open is None:
                self.open = number
            return ruling
        if chosen in ruling.readings:
            return ruling._replace(readings=(chosen,))
        # It was chosen before an earlier play was taken back: the wild cards stay what they were.
        onto = self.index[play.onto] if isinstance(play, LayOff | Swap) else _REFUSED
        lying = () if onto == _REFUSED else self.table.meld(onto).cards
        added = without(chosen.cards, lying)
        ruling = self._judge(with_identities(play, added))
        return ruling._replace(readings=ruling.readings[:1])

    def _judge(self, play: Play) -> Ruling:
        refused_before = self._on_refused(play)
        if refused_before is not None:
            return self.rules.refusal([refused_before])
        self._check_held(play)
        return self.rules.judge(self.table, self._with_index(play), self.player)

    def _with_index(self, play: Play) -> Play:
        """Return the play with its meld's index on the table as it now is."""
        if isinstance(play, LayOff | Swap) and self.index[play.onto] != play.onto:
            return replace(play, onto=self.index[play.onto])
        return play

    def _on_refused(self, play: Play) -> Breach | None:
        """Return the breach of a play that builds on one taken back; None if it does not."""
        limits = self.rules.limits
        if isinstance(play, LayOff | Swap):
            check_onto(play.onto, len(self.index))
            if self.index[play.onto] == _REFUSED:
                rule = limits.swap_rule if isinstance(play, Swap) else limits.lay_off_rule
                return Breach(rule, "meld_taken_back")
        if not self.not_taken:
            return None
        lying = self.not_taken.intersection(self.table.cards)
        # With several jokers it may be another one that is played.
        surely_held = self.taken if self.holding is None else self.holding
        cards = [offered.card for offered in play.plays]
        for card in cards:
            if card in lying and cards.count(card) > surely_held[card]:
                return Breach.of(limits.swap_rule, "swap_taken_back", card=card)
        return None

    def _check_held(self, play: Play) -> None:
        cards = [offered.card for offered in play.plays]
        self.needed |= self.played + Counter(cards)
        needed = self.needed.total() - self.gained
        if self.holding is None:
            if needed > self.most:
                raise Malformed(too_many(needed, self.most))
            return
        missing = [card for card in cards if cards.count(card) > self.holding[card]]
        if missing:
            raise Malformed("%(missing)s is not among the cards held.", missing=show_cards(missing))

    def _make(self, number: int, play: Play, ruling: Ruling) -> None:
        # If this play has several readings, the turn is played again for each of them.
        if len(ruling.readings) > 1:
            ruling = ruling._replace(readings=ruling.readings[:1])
        cards = Counter([offered.card for offered in play.plays])
        taken = Counter([ruling.took] if ruling.took and self.rules.swap_gives_wild else ())
        self.taken = self.taken - cards + taken
        came = taken + Counter(self.table.pile if isinstance(play, TakePile) else ())
        self.played += cards
        self.gained += came.total()
        if self.holding is not None:
            self.holding += came
            self.holding -= cards
        self.made.append(Made(play, ruling, self.table))
        self.table = self.rules.after(self.table, play, ruling)
        self.numbers.append(number)
        before, melded = self.player, isinstance(play, MeldPlay)
        laid = play.cards if isinstance(play, MeldPlay | LayOff) else ()
        self.player = before._replace(
            melded_this_hand=before.melded_this_hand or melded,
            melded_this_turn=before.melded_this_turn or melded,
            fresh=before.fresh.union([o.card for o in laid if self.rules.limits.is_wild(o.card)]),
            begun=True,
            turn_over=isinstance(play, Discard),
            drew=None if before.drew in [o.card for o in laid] else before.drew,
        )
