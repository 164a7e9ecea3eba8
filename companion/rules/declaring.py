"""Declarations: all the cards that a player holds, in melds, with so many clean runs among them.

A hand ends when a player declares a fixed number of cards, or goes out with the whole hand. Then
the others arrange their cards, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from companion.rules.arrange import Arrangement, LaidOff, arrange, fewest_cards
from companion.rules.cards import (
    Card,
    Groups,
    Laid,
    Offered,
    Rank,
    check_packs,
    show_cards,
    without,
)
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Kind, Meld, shape_breaches
from companion.rules.messages import Cards, Message
from companion.rules.readings import listed, ways
from companion.rules.ruling import Breach, Breaches, Consequence, Late, Made, Ruling, TakeBack
from companion.rules.table import Discard, MeldPlay, Player

if TYPE_CHECKING:
    from companion.rules.game import Deal, Game
    from companion.rules.house_rules import House

# A page asks again after every tap, mostly about the same players' cards.
_arranged: Final = lru_cache(maxsize=1024)(arrange)
# The message of a false call: melds are shown, and cards are left over.
FALSE_CALL: Final = "not_all_melded"


# What a meld breaks, said of one meld among others.
_IN = {
    "half_wild": "half_wild_in",
    "too_many_wild": "too_many_wild_in",
    "wild_neighbours": "wild_neighbours_in",
    "too_few_naturals": "too_few_naturals_in",
}


class DeclaringJudge(Judge):
    """The rules of one hand of a game in which all cards are declared at once.

    ``declare_rule`` says what a declaration is, of ``declared`` cards. With ``declare_discards``
    one of the cards may be discarded, and need not be in a meld; with ``must_discard`` one has to
    be.
    """

    asks = Judge.asks | {"declare"}
    # Melds stay in hand until somebody declares. The others arrange and show theirs then, and may
    # have nothing left.
    arranges = True
    asks_off_table = frozenset({"meld", "declare"})
    nothing_left_is_out = False
    declare_rule: str
    wrong_declaration_points: int = 0
    declared: int
    declare_discards: bool = False
    must_discard: bool = False
    # What the player calls.
    declare_call: str = noted("Rummy")

    def rule_on_declaration(self, cards: Sequence[Card], grouping: Groups = ()) -> Ruling:
        """Rule whether these cards may be declared, as they are grouped, or grouped anyhow.

        A legal one has the melds that make it so. Raises `Malformed` for the wrong number of cards,
        for cards that the packs cannot hold, and for a grouping of others.
        """
        self._check_declared(cards, grouping)
        return self._as_grouped(cards, grouping) if grouping else self._grouped_anyhow(cards)

    def is_clean(self, meld: Meld) -> bool:
        """True if no card of a meld counts as standing for another."""
        return not self.limits.wilds(meld.cards)

    def _check_declared(self, cards: Sequence[Card], grouping: Groups) -> None:
        if len(cards) != self.declared:
            says = noted(
                "A declaration is %(declared)s cards, not %(cards)s; "
                "the card that is discarded with it is not one of them."
            )
            if self.declare_discards:
                says = noted(
                    "A declaration is %(declared)s cards, not %(cards)s; "
                    "the card that is discarded with it is one of them."
                )
            raise Malformed(says, declared=self.declared, cards=len(cards))
        check_packs([(noted("in the cards"), cards)], *self.deck)
        for offered in grouping:
            self.limits.check_offered(offered, "melds")
        missing = Counter(_cards_of(grouping)) - Counter(cards)
        if missing:
            shown = show_cards(missing)
            says = noted("%(shown)s is in the melds more often than among the cards.")
            raise Malformed(says, "melds", shown=shown)

    def _as_grouped(self, cards: Sequence[Card], grouping: Groups) -> Ruling:
        breaches: list[Breach] = []
        melds: list[Meld] = []
        refused = 0
        for offered in grouping:
            found = [way.meld for way in ways(offered, self.limits)]
            if found:
                best = min(found, key=self._worth_of_reading)
                melds.append(best)
                wrong = [
                    Breach(rule, _IN[message], (("meld", best), *values))
                    for rule, message, values in self.limits.breaches(best)
                ]
            else:
                wrong = shape_breaches(offered, self.limits)
            refused += len(offered) if wrong else 0
            breaches += wrong
        over, discard = without(cards, _cards_of(grouping)), None
        if self.declare_discards and len(over) == 1:
            discard, over = over[0], ()
        if over:
            breaches.append(Breach.of(self.declare_rule, "in_no_meld", cards=Cards(over)))
        breaches += self._too_few_runs(melds)
        if self.must_discard and discard is None and not breaches:
            breaches.append(Breach(self.declare_rule, "must_discard"))
        if breaches:
            return self._wrong(breaches, len(over) + refused)
        return self._legal(melds, discard)

    def _worth_of_reading(self, meld: Meld) -> tuple[int, bool, bool]:
        """Return a key: what breaks fewest limits comes first, then a clean run, then any run."""
        run = meld.kind is Kind.RUN
        return len(self.limits.breaches(meld)), not (run and self.is_clean(meld)), not run

    def _too_few_runs(self, melds: Sequence[Meld]) -> list[Breach]:
        runs = [meld for meld in melds if meld.kind is Kind.RUN]
        clean = [meld for meld in runs if self.is_clean(meld)]
        return [
            Breach.of(self.declare_rule, message, found=len(found), wanted=wanted)
            for found, wanted, message in (
                (clean, self.clean_runs, "too_few_clean_runs"),
                (runs, self.all_runs, "too_few_runs"),
            )
            if len(found) < wanted
        ]

    def _grouped_anyhow(self, cards: Sequence[Card]) -> Ruling:
        """Return the ruling where nobody says how the cards are grouped."""
        best, rule = fewest_cards(cards, self), self.declare_rule
        left = len(best.deadwood)
        if left > self.declare_discards:
            but = Breach.of(rule, "no_grouping_but", left=left)
            return self._wrong([but if self.declare_discards else Breach(rule, "no_grouping")], 0)
        if self.must_discard and not left:
            # One of the cards has to be discarded, though all can be in melds.
            for card in dict.fromkeys(cards):
                found = fewest_cards(without(cards, [card]), self, with_runs=True)
                if not found.deadwood:
                    return self._legal(found.melds, card)
            return self._wrong([Breach(rule, "must_discard")], 0)
        found = fewest_cards(cards, self, with_runs=True) if self.all_runs else best
        if found.deadwood == best.deadwood:
            return self._legal(found.melds, best.deadwood[0] if left else None)
        runs, clean = self.all_runs, self.clean_runs
        return self._wrong([Breach.of(rule, "no_grouping_with_runs", runs=runs, clean=clean)], 0)

    def _legal(self, melds: Sequence[Meld], discard: Card | None) -> Ruling:
        cards = sum(len(meld.cards) for meld in melds)
        if self.all_runs:
            clean = sum(meld.kind is Kind.RUN and self.is_clean(meld) for meld in melds)
            praise = Message.of("legal_declaration", cards=cards, melds=len(melds), clean=clean)
        elif discard is None:
            praise = Message.of("legal_all_melded", cards=cards, melds=len(melds))
        else:
            praise = Message.of("legal_all_but_one", cards=cards, melds=len(melds), discard=discard)
        return Ruling(praise=praise, melds=tuple(melds))

    def _wrong(self, breaches: Breaches, unmelded: int) -> Ruling:
        consequence = Consequence(self.wrong_declaration_points, TakeBack.PLAY)
        return Ruling((*breaches, *self.false_call_breaches(unmelded)), consequence=consequence)

    def false_call_breaches(self, unmelded: int) -> Breaches:
        """Return the breach of going out with so many cards in no meld: a false call."""
        is_false = self.declare_discards and unmelded > 0
        return [Breach.of(self.declare_rule, FALSE_CALL, left=unmelded)] if is_false else []


class GoingOutJudge(DeclaringJudge):
    """The rules of one hand of a game in which melds stay in hand until somebody goes out.

    Who goes out has all cards held after the draw in melds, but for one discard: any other melds
    that are shown are a false call. ``must_discard`` says that there has to be that discard. Every
    hand deals a card more, and makes the rank of the number of cards dealt wild.
    """

    # “Pay me!”: all cards held after the draw, in melds but for one discard.
    declare_discards = True
    asks = Judge.asks
    asks_without_hand = frozenset({"discard"})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        # The cards dealt and the one drawn: nothing is laid before somebody goes out.
        self.declared = self.most_in_turn

    # Nothing else is played before somebody goes out.
    disputes = frozenset({"meld", "declare"})

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank:
        """Return the rank of the number of cards dealt, n + 2 in hand n."""
        return Rank(hand + 2)

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return what melds break with cards left over, or without a discard that there must be.

        If melds lay there before, somebody has gone out, and the others show what they have.
        """
        melds = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        before = made[0].table.before if made else None
        if not melds or left is None or (before is not None and before.melds):
            return {}
        if left:
            return dict.fromkeys(melds, self.false_call_breaches(left))
        if self.must_discard and not any(isinstance(one.play, Discard) for one in made):
            return dict.fromkeys(melds, (Breach(self.declare_rule, "must_discard"),))
        return {}


def _cards_of(grouping: Groups) -> list[Card]:
    return [one.card for offered in grouping for one in offered]


# -- the cards of several players, one after the other ---------------------------------------------


class Shown(NamedTuple):
    """All cards that a player shows at the end of a hand.

    ``left`` are those that the player counts as left, where the best arrangement is not wanted.
    ``laid_as`` has wild cards laid off and what they stand for, where that was said: ``2S=8H``.
    """

    cards: tuple[Card, ...]
    left: tuple[Card, ...] | None = None
    laid_as: tuple[str, ...] = ()


class Placed(NamedTuple):
    """One player's cards, arranged on the melds that the players before have left.

    ``way`` is how they are arranged, ``best`` the best way there is. ``out_of_place`` are cards
    that are not left, as the player says, and that no meld has room for.
    """

    onto: tuple[Meld, ...]
    way: Arrangement
    best: Arrangement
    out_of_place: tuple[Card, ...] = ()


class Unsure(NamedTuple):
    """Wild cards laid off that can stand for several cards, and others' points depend on which.

    ``player`` and ``others`` are places in the order of laying off. Each of the ``ways`` has all of
    the player's wild cards that matter; ``said`` is the one that the player has told, if any.
    """

    player: int
    ways: tuple[tuple[Laid, ...], ...]
    said: tuple[Laid, ...] | None
    others: tuple[int, ...]


def arrange_in_turn(
    hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()
) -> list[Placed]:
    """Arrange several players' cards one after the other, each as well as the table then allows.

    ``hands`` are in the order in which the players lay off on the melds ``onto``: a place that one
    has taken is taken for the next (PAY-9). Raises `Malformed` for cards that cannot be there.
    """
    table = tuple(onto)
    placed = []
    for cards, left, laid_as in hands:
        best = way = _arranged(cards, rules, table)
        out_of_place: tuple[Card, ...] = ()
        if left is not None and Counter(left) != Counter(best.deadwood):
            way = _arranged(without(cards, left), rules, table)
            out_of_place = way.deadwood
        if laid_as:
            said = [_laid_as_said(table[one.onto], one, laid_as, rules) for one in way.laid_off]
            way = way._replace(laid_off=tuple(said))
        placed.append(Placed(table, way, best, out_of_place))
        table = with_lay_offs(table, way.laid_off, rules)
    return placed


def with_lay_offs(
    onto: Sequence[Meld], laid_off: Sequence[LaidOff], rules: Judge
) -> tuple[Meld, ...]:
    """Return the melds with these cards laid off on them."""
    melds = list(onto)
    for laid in laid_off:
        offered = [one.offered for one in laid.cards]
        melds[laid.onto] = ways(offered, rules.limits, melds[laid.onto])[0].meld
    return tuple(melds)


def unsure(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()) -> list[Unsure]:
    """Return the wild cards for which it has to be said what they stand for (PAY-9).

    One that fits at either end of a run takes that place from the players after.
    """
    found = []
    for player, turn in enumerate(arrange_in_turn(hands, rules, onto)):
        later, laid_off, matter = hands[player + 1 :], list(turn.way.laid_off), []
        others: set[int] = set()
        for at, laid in enumerate(laid_off):
            ways = _ways_to_lie(turn.onto[laid.onto], laid, rules) if later else [laid]
            ways.sort(key=lambda one: [card.stands_for[::-1] for card in one.cards])
            tables = [(*laid_off[:at], one, *laid_off[at + 1 :]) for one in ways]
            outcomes = [
                _outcome(later, rules, with_lay_offs(turn.onto, table, rules)) for table in tables
            ]
            by_player = enumerate(zip(*outcomes, strict=True), player + 1)
            differ = {other for other, each in by_player if len({*each}) > 1}
            if differ:
                matter.append(ways)
                others |= differ
        if matter:
            every = [tuple(_wilds(chosen)) for chosen in product(*matter)]
            told = next((way for way in every if _is_said(way, hands[player].laid_as)), None)
            found.append(Unsure(player, tuple(every), told, tuple(sorted(others))))
    return found


def _outcome(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld]) -> list[object]:
    """Return each player's points in the best way, or the cards without a place."""
    turns = arrange_in_turn(hands, rules, onto)
    return [
        turn.best.points if shown.left is None else turn.out_of_place
        for shown, turn in zip(hands, turns, strict=True)
    ]


def _ways_to_lie(meld: Meld, laid: LaidOff, rules: Judge) -> list[LaidOff]:
    """Return all ways in which cards laid off can lie on a meld, first that of ``laid``."""
    offered = [Offered(one.card) for one in laid.cards]
    found = {_places(laid.cards): laid}
    for longer in listed(ways(offered, rules.limits, meld)):
        if not rules.limits.breaches(longer) and not rules.longer_breaches(meld, longer):
            cards = longer.beyond(meld)
            found.setdefault(_places(cards), LaidOff(cards, laid.onto))
    return [*found.values()]


def _places(cards: Sequence[Laid]) -> frozenset[tuple[Card, bool]]:
    return frozenset((one.stands_for, one.wild) for one in cards)


def _laid_as_said(meld: Meld, laid: LaidOff, said: Sequence[str], rules: Judge) -> LaidOff:
    """Return the way in which the cards lie as the player says, or else as they were laid."""
    ways = _ways_to_lie(meld, laid, rules)
    return next((one for one in ways if _is_said(_wilds([one]), said)), laid)


def _wilds(laid_off: Iterable[LaidOff]) -> list[Laid]:
    return [one for laid in laid_off for one in laid.cards if one.wild]


def _is_said(wilds: Sequence[Laid], said: Sequence[str]) -> bool:
    return not Counter(one.text for one in wilds) - Counter(said)
