"""Judge a whole turn: its plays one after the other, in every reading and on every sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from companion.rules.cards import Card, Laid, check_packs, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.hand_rules import too_many
from companion.rules.judge import Judge, ambiguous_reading
from companion.rules.language import noted
from companion.rules.melds import Meld
from companion.rules.messages import Message, Term, Value
from companion.rules.readings import MOST_READINGS, can_lie, may_have, without_identities
from companion.rules.ruling import Breach, Made, Ruling, TakeBack, agreed, legal_as
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

# The most readings of a turn that are judged.
_MOST_WAYS = 100
# The index of a meld that is not on the table.
_REFUSED = -1

Read = Mapping[int, tuple[Meld, ...]]
"""The readings chosen for plays with several, by play number; the first of them is judged."""


class Turn(NamedTuple):
    """A turn to be judged, with the table and the player as they are when it begins.

    ``holding`` are all cards held after the draw, or None if they are unknown.
    """

    rules: Judge
    table: Table
    plays: Sequence[Play]
    player: Player
    holding: Sequence[Card] | None = None


def rule_on_turn(turn: Turn) -> Ruling:
    """Rule on a whole turn, with one charge and the most taken back, and on each of its plays.

    The ruling has the table after the turn, or before it if the turn is taken back. Melds with
    several readings are on it without the identities of their wild cards. An illegal play is not
    made, and the plays after it are judged without it. A player who takes the pile holds its cards
    from then on. A wild card is judged in each reading, and stands for the same card on the game's
    other sheets, where a play that cannot be made is illegal. Raises `Malformed` for impossible
    cards, and `Ambiguous` if a wild card's readings get different rulings.
    """
    rulings = _in_each_reading(turn)
    ruling = _as_one(rulings, turn.plays)
    answers = [_elsewhere(turn, one) for one in rulings]
    whole, *of_plays = (agreed(same) for same in zip(*answers, strict=True))
    by_play = zip(ruling.plays, of_plays, strict=True)
    plays = [play._replace(elsewhere=elsewhere) for play, elsewhere in by_play]
    return ruling._replace(plays=tuple(plays), elsewhere=whole)


def check_one_reading(turn: Ruling, plays: Sequence[Play]) -> None:
    """Raise `Ambiguous` if a play that stays on the table still has several readings."""
    if turn.consequence.take_back is TakeBack.TURN or not turn.plays:
        return
    for number, (play, ruling) in enumerate(zip(plays, turn.plays, strict=True)):
        if ruling.legal and len(ruling.readings) > 1:
            raise ambiguous_reading(play, ruling, f"plays[{number}]")


def _in_each_reading(turn: Turn) -> list[Ruling]:
    """Return the ruling in each reading of the wild cards. Raises `Ambiguous` for too many."""
    rules, table, plays, player, holding = turn
    if holding is not None:
        check_packs([*table.places, (noted("in the cards held"), holding)], *rules.deck, "holding")
        named = len(holding)
        rules.most_played(named, "holding")
        if player.holds not in (None, named):
            says = noted("%(named)s cards are named, and the player holds %(holds)s.")
            raise Malformed(says, "holding", named=named, holds=player.holds)
    finished: list[Ruling] = []
    waiting: list[dict[int, tuple[Meld, ...]]] = [{}]
    while waiting:
        read = waiting.pop()
        played = play_turn(turn, read)
        if played.open is None:
            finished.append(_ruling_of(played, holding))
            continue
        ruling = played.rulings[played.open]
        groups = _reading_groups(turn, played.rulings, played.open)
        unlisted = ruling.number > MOST_READINGS and len(groups) > 1
        if unlisted or len(finished) + len(waiting) > _MOST_WAYS:
            raise ambiguous_reading(plays[played.open], ruling, f"plays[{played.open}]")
        waiting += [read | {played.open: group} for group in reversed(groups)]
    return finished


def _reading_groups(turn: Turn, rulings: Sequence[Ruling], number: int) -> list[tuple[Meld, ...]]:
    """Return the readings of a play in groups that the other plays treat alike.

    If a lay-off or swap follows, each reading is a group. All are one if melds stay in hand, or if
    they are too many to list and no meld follows; contracts never have so many. Where a card may be
    on the table only once, other melds count, even refused ones: another sheet may allow them.
    """
    rules, readings, later = turn.rules, rulings[number].readings, turn.plays[number + 1 :]
    if any(isinstance(play, LayOff | Swap) for play in later):
        return [(meld,) for meld in readings]
    melds: list[MeldPlay | LayOff] = [play for play in later if isinstance(play, MeldPlay)]
    if rules.arranges or (rulings[number].number > MOST_READINGS and not melds):
        return [readings]
    before = zip(turn.plays, rulings[:number], strict=False)
    melds += [play for play, one in before if isinstance(play, MeldPlay | LayOff) and not one.legal]
    known = [rules.limits.known_and_open(play.cards)[0] for play in melds]
    sheets = [other.limits for other in rules.on_other_sheets]

    def matters(meld: Meld) -> Sequence[object]:
        if not rules.one_of_each_card:
            return [(laid.stands_for, rules.limits.counts_as_wild(laid)) for laid in meld.cards]
        cards = [card for card in meld.identities if any(may_have(laid, card) for laid in known)]
        return [*cards, *[can_lie(meld, limits) for limits in sheets]]

    return [tuple(group) for _, group in groupby(readings, matters)]


def _ruling_of(played: PlayedTurn, holding: Sequence[Card] | None) -> Ruling:
    rulings = tuple(played.rulings)
    breaches = tuple(dict.fromkeys(breach for ruling in rulings for breach in ruling.breaches))
    whole = played.rules.refusal(breaches) if breaches else Ruling(praise=Message("legal_turn"))
    if whole.consequence.take_back is TakeBack.TURN:
        held = None if holding is None else tuple(holding)
        return whole._replace(plays=rulings, table=played.table.take_back(), holding=held)
    held = None if played.holding is None else tuple(played.holding.elements())
    return whole._replace(plays=rulings, table=played.table, holding=held)


def _as_one(each: Sequence[Ruling], plays: Sequence[Play]) -> Ruling:
    """Return one ruling for all readings of a turn. Raises `Ambiguous` if their outcomes differ."""
    first = each[0]
    by_play = zip(*(turn.plays for turn in each), strict=True)
    rulings = tuple(_in_all_readings(same) for same in by_play)
    outcomes = [
        ([ruling.outcome for ruling in (turn, *turn.plays)], turn.holding and Counter(turn.holding))
        for turn in each
    ]
    if any(other != outcomes[0] for other in outcomes):
        number = next(n for n, ruling in enumerate(rulings) if len(ruling.readings) > 1)
        raise ambiguous_reading(plays[number], rulings[number], f"plays[{number}]")
    open_rulings = [ruling for ruling in rulings if len(ruling.readings) > 1]
    if not open_rulings or first.table is None:
        return first
    several = {meld for ruling in open_rulings for meld in ruling.readings}
    # A meld that was refused may have been laid again, with its wild cards named.
    laid = {meld for ruling in open_rulings if ruling.legal for meld in ruling.readings}

    def shown(value: Value) -> Value:
        return without_identities(value) if isinstance(value, Meld) and value in several else value

    on_table = [without_identities(meld) if meld in laid else meld for meld in first.table.melds]
    return first.with_values(shown)._replace(
        plays=tuple([ruling.with_values(shown) for ruling in rulings]),
        table=replace(first.table, melds=tuple(on_table)),
    )


def _in_all_readings(same: Sequence[Ruling]) -> Ruling:
    """Return one ruling on a play, with the readings that it has in all readings of the turn."""
    first = same[0]
    melds = tuple(dict.fromkeys(meld for ruling in same for meld in ruling.readings))
    if melds == first.readings:
        return first
    praise = first.praise
    if first.legal and first.took is None:
        praise = legal_as(melds, Term(first.readings[0].kind.value), len(melds))
    return first._replace(readings=melds, number=len(melds), praise=praise, added=())


def _elsewhere(turn: Turn, ruling: Ruling) -> list[Mapping[str, bool | None]]:
    """Return what the other sheets say of a turn with known readings, and of each of its plays."""
    rules, table, plays, player, holding = turn
    as_read = [in_first_reading(play, one) for play, one in zip(plays, ruling.plays, strict=True)]
    by_sheet: dict[str, PlayedTurn] = {}

    def allows(other: Judge) -> bool:
        played = play_turn(turn._replace(rules=other, plays=as_read), {}, elsewhere=True)
        by_sheet[other.house.sheet] = played
        return all(ruling.legal for ruling in played.rulings)

    # Count the cards from the hand: not a wild card that a swap took from the table, and only once
    # the cards of a refused play, which are still held and can be played again.
    taken = [one.took for one in ruling.plays if one.took and rules.swap_gives_wild]
    made, needed = Counter[Card](), Counter[Card]()
    for play, one in zip(plays, ruling.plays, strict=True):
        cards = Counter([offered.card for offered in play.cards])
        needed |= made + cards
        made += cards if one.legal else Counter()
    brought = list((needed - Counter(taken)).elements())
    holds = player.holds if holding is None else len(holding)
    whole = rules.elsewhere(table, brought, holds, allows)
    of_plays = [
        {sheet: by_sheet[sheet].rulings[n].legal if sheet in by_sheet else None for sheet in whole}
        for n in range(len(plays))
    ]
    return [whole, *of_plays]


def in_first_reading(play: Play, ruling: Ruling) -> Play:
    """Return a legal play with the identities of its wild cards in the first reading."""
    if not ruling.legal or not ruling.readings:
        return play
    return with_identities(play, ruling.added or ruling.readings[0].cards)


def play_turn(turn: Turn, read: Read, *, elsewhere: bool = False) -> PlayedTurn:
    """Return the turn as played, without the plays that turn out wrong at its end.

    Without one play another can be wrong, so the turn is played again until none is. The end is
    judged once all readings are chosen. ``elsewhere`` is true on another sheet: there a play that
    can no longer be made is illegal, and no reading is open.
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

    ``refused`` has the rulings on plays refused when the turn was played before, and ``read`` the
    readings chosen, both by the play's number. ``open`` is the number of the first play with
    several readings of which none is chosen, or None.
    """

    def __init__(
        self, turn: Turn, refused: Mapping[int, Ruling], read: Read, elsewhere: bool
    ) -> None:
        self.rules, table, _, player, holding = turn
        self.refused, self.read, self.elsewhere = refused, read, elsewhere
        self.open: int | None = None
        self.rulings: list[Ruling] = []
        self.made: list[Made] = []
        self.numbers: list[int] = []  # of the plays made
        # The cards of the plays made, the cards needed for all plays (refused cards can be played
        # again), and how many cards the player has gained since the turn began.
        self.played, self.needed = Counter[Card](), Counter[Card]()
        self.gained = 0
        # Wild cards that a refused swap would have taken. They are still on the table.
        self.not_taken: set[Card] = set()
        # Wild cards that the player took by swaps and has not played since.
        self.taken: Counter[Card] = Counter()
        self.table = table.begin_turn()
        first_melds = not (player.contract_met or player.melded_this_turn)
        self.player = player._replace(lays_contract=first_melds)
        self.holding = None if holding is None else Counter(holding)
        self.holds = player.holds if holding is None else len(holding)
        if self.holds is None and self.rules.arranges:
            self.holds = self.rules.most_in_turn
        self.most = self.rules.most_played(self.holds)
        # The index on the table of each meld, by its number in the plays. A refused meld keeps its
        # number, so that later plays still name the melds they mean.
        self.index = list(range(len(table.melds)))

    @property
    def left(self) -> int | None:
        """How many cards are held now; None if unknown."""
        return None if self.holds is None else self.holds + self.gained - self.played.total()

    def rule_on(self, number: int, play: Play) -> Ruling:
        """Judge the next play, and make it if it is legal. Raises `Malformed` if it cannot be."""
        try:
            ruling = self._rule_on(number, play)
        except Malformed as problem:
            if not self.elsewhere:
                raise Malformed(str(problem), f"plays[{number}]") from None
            ruling = self.rules.refusal([Breach(self.rules.limits.rules.lay_off, "not_playable")])
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
            self.not_taken |= {laid.card for laid in self._target(play) if laid.wild}
        return ruling

    def _as_read(self, number: int, play: Play, ruling: Ruling) -> Ruling:
        """Return the ruling in the chosen reading, or in all readings if none is chosen."""
        chosen = self.read.get(number)
        if chosen is None:
            if len(ruling.readings) > 1 and self.open is None:
                self.open = number
            return ruling
        added = without(chosen[0].cards, self._target(play))
        if chosen[0] in ruling.readings:
            return ruling._replace(readings=chosen, added=added if isinstance(play, LayOff) else ())
        # It was chosen before an earlier play was taken back: the wild cards keep their identities.
        ruling = self._judge(with_identities(play, added))
        return ruling._replace(readings=ruling.readings[:1])

    def _target(self, play: Play) -> tuple[Laid, ...]:
        """Return the cards of the meld that a lay-off or swap is played on; none for others."""
        onto = self.index[play.onto] if isinstance(play, LayOff | Swap) else _REFUSED
        return () if onto == _REFUSED else self.table.meld(onto).cards

    def _judge(self, play: Play) -> Ruling:
        if (breach := self._refused_breach(play)) is not None:
            return self.rules.refusal([breach])
        self._check_held(play)
        return self.rules.judge(self.table, self._with_index(play), self.player)

    def _with_index(self, play: Play) -> Play:
        """Return the play with its meld's present index on the table."""
        if isinstance(play, LayOff | Swap) and self.index[play.onto] != play.onto:
            return replace(play, onto=self.index[play.onto])
        return play

    def _refused_breach(self, play: Play) -> Breach | None:
        """Return the breach of a play that needs a refused meld or swap; None if it needs none."""
        limits = self.rules.limits
        if isinstance(play, LayOff | Swap):
            check_onto(play.onto, len(self.index))
            if self.index[play.onto] == _REFUSED:
                rule = limits.rules.swap if isinstance(play, Swap) else limits.rules.lay_off
                return Breach(rule, "meld_taken_back")
        still_there = self.not_taken.intersection(self.table.cards)
        # With several jokers the player may play another one.
        surely_held = self.taken if self.holding is None else self.holding
        cards = [offered.card for offered in play.cards]
        for card in cards:
            if card in still_there and cards.count(card) > surely_held[card]:
                return Breach.of(limits.rules.swap, "swap_taken_back", card=card)
        return None

    def _check_held(self, play: Play) -> None:
        cards = [offered.card for offered in play.cards]
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
        ruling = ruling._replace(readings=ruling.readings[:1])
        cards = Counter([offered.card for offered in play.cards])
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
            melded_this_turn=before.melded_this_turn or self.rules.has_melded(self.made),
            fresh=before.fresh.union([o.card for o in laid if self.rules.limits.is_wild(o.card)]),
            turn_begun=True,
            turn_over=isinstance(play, Discard),
            drew=None if before.drew in [o.card for o in laid] else before.drew,
        )
