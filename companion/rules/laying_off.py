"""Lay-offs at the end of a hand: several players' cards, arranged one after the other (PAY-9).

A place that one player takes is gone for the next. So what others lay off can depend on what a wild
card stands for, and on the melds in which the player who went out laid the cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations, islice, product
from operator import and_
from typing import Final, NamedTuple, TypeVar

from companion.rules.arrange import Arrangement, LaidOff, arrange
from companion.rules.cards import Card, Groups, Laid, Offered, without
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.readings import ways

# A page asks again after every tap, mostly about the same players' cards.
_arranged: Final = lru_cache(maxsize=1024)(arrange)
_MOST_WAYS: Final = 12  # as many ways to lay cards as the marker can choose among
_Way = TypeVar("_Way", LaidOff, Meld)
# Each choice of ways to lay several cards, with the table that it gives.
_Options = Iterable[tuple[tuple[LaidOff | Meld, ...], Sequence[Meld]]]


class Shown(NamedTuple):
    """All cards that a player shows at the end of a hand.

    ``left`` are the cards that the player counts as left, or None for the best arrangement.
    ``laid_as`` has the wild cards laid off whose identity the player said: ``2S=8H``.
    """

    cards: tuple[Card, ...]
    left: tuple[Card, ...] | None = None
    laid_as: tuple[str, ...] = ()


class Placed(NamedTuple):
    """One player's cards, arranged, with lay-offs on the melds ``onto``.

    ``way`` is the player's arrangement, ``best`` the best one. ``out_of_place`` are cards that the
    player does not count as left, but that have no place in a meld.
    """

    onto: tuple[Meld, ...]
    way: Arrangement
    best: Arrangement
    out_of_place: tuple[Card, ...] = ()


class Unsure(NamedTuple):
    """Wild cards whose identities change the points of other players, or melds that do.

    ``player`` laid them off, or is -1 if they are in the melds of the player who went out;
    ``others`` are those whose points change. Both are indexes in the order of laying off. Each of
    the ``ways`` has an identity for each of these wild cards, or all melds if the cards can be
    grouped differently; there are none if they are too many to ask about. ``said`` is the way that
    the player said, or None.
    """

    player: int
    ways: tuple[tuple[Laid | Meld, ...], ...]
    said: tuple[Laid | Meld, ...] | None
    others: tuple[int, ...]

    @property
    def of_melds(self) -> bool:
        """True if the ways are melds, and not single wild cards."""
        return isinstance(self.ways[0][0], Meld)

    def asked(self, way: tuple[Laid | Meld, ...]) -> Sequence[Laid | Meld]:
        """Return the cards or melds of a way that are not the same in all ways."""
        in_all = reduce(and_, map(Counter, self.ways))
        return [*(Counter(way) - in_all).elements()] or way

    def text(self, way: tuple[Laid | Meld, ...]) -> str:
        """Return a way as text: ``2S=8H``, or with a stroke after each meld."""
        return " ".join([f"{one.text} /" if self.of_melds else one.text for one in way])


def arrange_in_turn(
    hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = (), *, only_deadwood: bool = True
) -> list[Placed]:
    """Arrange several players' cards one after the other, each as well as the table then allows.

    ``hands`` are in the order in which the players lay off on the melds ``onto``: a place that one
    player takes is gone for the next (PAY-9). With ``only_deadwood`` a card that fits into a
    meld of the player's own is not laid off. Raises `Malformed` if the packs cannot hold the cards.
    """
    table, best_of = tuple(onto), _with_fewest_lay_offs if only_deadwood else _arranged
    placed = []
    for cards, left, laid_as in hands:
        best = way = best_of(cards, rules, table)
        out_of_place: tuple[Card, ...] = ()
        if left is not None and Counter(left) != Counter(best.deadwood):
            way = best_of(without(cards, left), rules, table)
            out_of_place = way.deadwood
        if laid_as:
            each = [_lay_off_ways(table[laid.onto], laid, rules) for laid in way.laid_off]
            way = way._replace(laid_off=_as_said(each, laid_as))
        placed.append(Placed(table, way, best, out_of_place))
        table = with_lay_offs(table, way.laid_off, rules)
    return placed


def _with_fewest_lay_offs(
    cards: tuple[Card, ...], rules: Judge, table: tuple[Meld, ...]
) -> Arrangement:
    """Return the best arrangement, without lay-offs on melds that it can do without."""
    best = _arranged(cards, rules, table)
    melds = [laid.onto for laid in best.laid_off]
    for onto in melds:
        fewer = [at for at in melds if at != onto]
        way = _arranged(cards, rules, tuple([table[at] for at in fewer]))
        if (way.points, len(way.deadwood)) == (best.points, len(best.deadwood)):
            melds = fewer
            laid_off = [laid._replace(onto=fewer[laid.onto]) for laid in way.laid_off]
            best = way._replace(laid_off=tuple(laid_off))
    return best


def with_lay_offs(
    onto: Sequence[Meld], laid_off: Sequence[LaidOff], rules: Judge
) -> tuple[Meld, ...]:
    """Return the melds with these cards laid off on them."""
    melds = list(onto)
    for laid in laid_off:
        offered = [card.offered for card in laid.cards]
        melds[laid.onto] = ways(offered, rules.limits, melds[laid.onto])[0].meld
    return tuple(melds)


def unsure(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld] = ()) -> list[Unsure]:
    """Return the laid-off wild cards whose identities the players have to say (PAY-9).

    One that fits at either end of a run takes that place from later players.
    """
    found = []
    for player, turn in enumerate(arrange_in_turn(hands, rules, onto)[:-1]):
        each = [_lay_off_ways(turn.onto[laid.onto], laid, rules) for laid in turn.way.laid_off]
        options = [(ways, with_lay_offs(turn.onto, ways, rules)) for ways in _choices(each)]
        found.append(_unsure(player, options, hands, rules, hands[player].laid_as))
    return [one for one in found if one]


def unsure_groups(
    cards: tuple[Card, ...], hands: tuple[Shown, ...], rules: Judge, said: str
) -> Unsure | None:
    """Return the melds that these cards can be, if they decide what others can lay off.

    There are no ``ways`` if they are more than `_MOST_WAYS`: nobody would find the right one.
    """
    found = _deciding_ways(cards, hands, rules)
    if found is None:
        return None
    ways, others = found
    return Unsure(-1, tuple(ways), _way_said(ways, said), others)


# Pages ask with and without what was said.
@lru_cache(maxsize=64)
def _deciding_ways(
    cards: tuple[Card, ...], hands: tuple[Shown, ...], rules: Judge
) -> tuple[Sequence[tuple[Meld, ...]], tuple[int, ...]] | None:
    """Return the ways to lay these cards, and whose points depend on them; None if nobody's do."""
    groupings = _ways_to_lay(cards, rules)
    if len(groupings) < 2:
        return None
    made = [_choices([_meld_ways(meld, rules) for meld in melds]) for melds in groupings]
    tables = [[*islice(some, _MOST_WAYS + 1)] for some in made]
    if len(groupings) > _MOST_WAYS or max(map(len, tables)) > _MOST_WAYS:
        return (), ()
    ways: list[tuple[Meld, ...]] = []
    outcomes: list[Sequence[object]] = []
    for some in tables:
        # Of wild cards that make no difference, one identity is enough: the first.
        by_outcome = {tuple(_outcomes(hands, rules, way)): way for way in some[::-1]}
        ways += by_outcome.values()
        outcomes += by_outcome
    others = _differing(outcomes)
    return (ways if len(ways) <= _MOST_WAYS else (), others) if others else None


def _way_said(ways: Iterable[tuple[Meld, ...]], said: str) -> tuple[Meld, ...] | None:
    """Return the way with the melds said, or else the only one with the same cards in them."""
    groups = [group.split() for group in said.split("/") if group.strip()]
    exact = [way for way in ways if _sorted_in(way, 5) == sorted(map(sorted, groups))]
    cards = sorted(sorted(text[:2] for text in group) for group in groups)
    alike = [way for way in ways if _sorted_in(way, 2) == cards]
    return next(iter(exact or (alike if len(alike) == 1 else ())), None)


def _sorted_in(melds: Iterable[Meld], length: int) -> list[list[str]]:
    """Return the text of each meld's cards, in order: the first 2 letters, or 5 with identities."""
    return sorted(sorted(card.text[:length] for card in meld.cards) for meld in melds)


@lru_cache(maxsize=256)
def _ways_to_lay(cards: tuple[Card, ...], rules: Judge) -> Sequence[tuple[Meld, ...]]:
    """Return the ways to lay all these cards in melds; `_MOST_WAYS` + 1 if there are more."""
    in_order = sorted(cards, key=lambda card: (rules.limits.is_wild(card), card))
    found = set[tuple[tuple[Card, ...], ...]]()
    for groups in _grouped(tuple(in_order), rules):
        found.add(tuple(sorted(groups)))
        if len(found) > _MOST_WAYS:
            break
    offered = [[[Offered(card) for card in group] for group in groups] for groups in sorted(found)]
    return [melds_of(groups, rules) for groups in offered]


def _grouped(cards: tuple[Card, ...], rules: Judge) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Yield the ways to divide cards, wild ones last, into melds."""
    if not cards:
        yield ()
        return
    first, others, is_wild = cards[0], cards[1:], rules.limits.is_wild
    of_rank = [card for card in others if card.rank == first.rank or is_wild(card)]
    of_suit = [card for card in others if card.suit == first.suit or is_wild(card)]
    some = [
        (first, *more)
        for alike in (of_rank, of_suit)
        for size in range(2, len(alike) + 1)
        for more in combinations(alike, size)
    ]
    for group in dict.fromkeys(some):
        others = without(cards, group)
        can_be_laid = not _arranged(others, rules, ()).deadwood
        if can_be_laid and _readings([Offered(card) for card in group], rules):
            for rest in _grouped(others, rules):
                yield (group, *rest)


def unsure_melds(
    melds: Sequence[Meld], hands: Sequence[Shown], rules: Judge, said: Sequence[str]
) -> Unsure | None:
    """Return the wild cards in these melds whose identities decide what others can lay off."""
    options = [(made, made) for made in _choices([_meld_ways(meld, rules) for meld in melds])]
    return _unsure(-1, options, hands, rules, said)


def melds_of(groups: Groups, rules: Judge) -> tuple[Meld, ...]:
    """Return the melds that these groups are, in their first readings; none if one is no meld."""
    read = [_readings(offered, rules) for offered in groups]
    return tuple([melds[0] for melds in read]) if all(read) else ()


def melds_as_said(melds: Sequence[Meld], said: Sequence[str], rules: Judge) -> tuple[Meld, ...]:
    """Return the melds with the identities that the player said, the others unchanged."""
    return _as_said([_meld_ways(meld, rules) for meld in melds], said)


def _choices(each: Sequence[Sequence[_Way]]) -> Iterable[tuple[_Way, ...]]:
    """Return every choice of one way for each meld."""
    return product(*(sorted(ways, key=_order) for ways in each))


def _unsure(
    player: int, options: _Options, hands: Sequence[Shown], rules: Judge, said: Sequence[str]
) -> Unsure | None:
    """Return the wild cards on which later players' points depend, if there are any."""
    later = hands[player + 1 :]
    outcomes = {ways: tuple(_outcomes(later, rules, table)) for ways, table in options}
    others = _differing(outcomes.values(), player + 1)
    if not others:
        return None
    open_at = []
    for at in range(len(next(iter(outcomes)))):
        # Does it make a difference while all other melds stay as they are?
        of_others = [(ways[:at], ways[at + 1 :]) for ways in outcomes]
        if len({*zip(of_others, outcomes.values(), strict=True)}) > len({*of_others}):
            open_at.append(at)
    every = dict.fromkeys(tuple(_wilds([ways[at] for at in open_at])) for ways in outcomes)
    chosen = next((way for way in every if not _texts(way) - Counter(said)), None)
    return Unsure(player, tuple(every), chosen, others)


def _differing(outcomes: Iterable[Sequence[object]], first: int = 0) -> tuple[int, ...]:
    """Return the players, from ``first`` on, whose results are not the same in all outcomes."""
    by_player = enumerate(zip(*outcomes, strict=True), first)
    return tuple(player for player, results in by_player if len({*results}) > 1)


def _outcomes(hands: Sequence[Shown], rules: Judge, onto: Sequence[Meld]) -> list[object]:
    """Return each player's best points, or the cards out of place if ``left`` is given."""
    turns = arrange_in_turn(hands, rules, onto)
    return [
        turn.best.points if shown.left is None else turn.out_of_place
        for shown, turn in zip(hands, turns, strict=True)
    ]


def _lay_off_ways(meld: Meld, laid: LaidOff, rules: Judge) -> list[LaidOff]:
    """Return all ways to lay off the cards of ``laid`` on a meld, beginning with ``laid``."""
    offered = [Offered(card.card) for card in laid.cards]
    by_places = {_places(laid.cards): laid}
    for longer in [way.meld for way in ways(offered, rules.limits, meld)]:
        if not rules.limits.breaches(longer) and not rules.longer_breaches(meld, longer):
            cards = longer.beyond(meld)
            by_places.setdefault(_places(cards), LaidOff(cards, laid.onto))
    return [*by_places.values()]


def _meld_ways(meld: Meld, rules: Judge) -> list[Meld]:
    """Return the readings of a meld's cards that keep the limits, beginning with ``meld``."""
    by_places = {_places(meld.cards): meld}
    for other in _readings([Offered(card.card) for card in meld.cards], rules):
        by_places.setdefault(_places(other.cards), other)
    return [*by_places.values()]


def _readings(offered: Sequence[Offered], rules: Judge) -> list[Meld]:
    """Return the readings of these cards as a meld, one of each way, that keep the limits."""
    read = [way.meld for way in ways(offered, rules.limits)]
    return [meld for meld in read if not rules.limits.breaches(meld)]


def _order(way: LaidOff | Meld) -> list[object]:
    return [card.stands_for[::-1] for card in way.cards]


def _places(cards: Sequence[Laid]) -> frozenset[tuple[Card, bool]]:
    return frozenset((card.stands_for, card.wild) for card in cards)


def _as_said(each: Sequence[Sequence[_Way]], said: Sequence[str]) -> tuple[_Way, ...]:
    """Return a way for each meld: the first choice with the most identities that were said."""
    wanted = Counter(said)
    return max(product(*each), key=lambda ways: (_texts(_wilds(ways)) & wanted).total())


def _wilds(laid: Iterable[LaidOff | Meld]) -> list[Laid]:
    return [card for one in laid for card in one.cards if card.wild]


def _texts(wilds: Iterable[Laid]) -> Counter[str]:
    return Counter(card.text for card in wilds)
