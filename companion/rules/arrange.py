"""The fewest points that a handful of cards can be left with, and melds that leave no more.

For games in which a player may arrange cards as they like. What a turn forbids (PRO-7) and what is
on the table already (PRO-9) does not count, but every meld is one by the game's limits. First the
candidates are listed, then some are chosen with memory, and then each card is laid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, Union

from companion.rules.candidates import (
    ALONE,
    ANY_RUN,
    AT,
    CLEAN_RUN,
    COUNT,
    DISCARD,
    MARKS,
    ONES,
    OTHERS,
    Candidate,
    Handful,
    lowest_digit,
)
from companion.rules.cards import JOKER, NATURAL, PACK, Card, Laid, all_differ, without
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld, MeldLimits
from companion.rules.readings import Shape, run_shapes, set_shapes

NEVER: Final = 1 << 40  # more than any cards can cost
# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8

# Costs are known by where the digit of a card begins; here is what each wild card costs.
WILD: Final = -1
# What it costs to leave a mark. More sets of a contract are better than as many runs.
_MARKS: Final = (CLEAN_RUN, ANY_RUN, DISCARD, MARKS[Kind.RUN])
MARKS_LEFT: Final = {lowest_digit(mark): NEVER for mark in _MARKS} | {
    lowest_digit(MARKS[Kind.SET]): NEVER + 64
}


class LaidOff(NamedTuple):
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Cards as melds, lay-offs and deadwood; ``points`` is what the deadwood counts."""

    points: int
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    deadwood: tuple[Card, ...]


def arrange(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Arrangement:
    """Return an arrangement that leaves the fewest points, and of those one with the fewest cards.

    ``onto`` are melds on the table that may be laid off on, the runs as the game lets them grow
    (KAL-5). The order of the cards does not matter. Points are as in PRO-15, melds as in PRO-4 to
    PRO-6, lay-offs as in PRO-8, and likewise in the other games. Where a game asks for a number of
    runs, and of clean ones (IND-5, IND-8), there are so many among the melds, or no melds but clean
    runs. All wild cards have to count the same, as they do in every game. Raises `Malformed` if the
    game's packs cannot hold the cards.
    """
    return _best(cards, rules, costs_left(rules, _POINT), onto, or_clean=True)


def fewest_left(cards: Sequence[Card], rules: Judge) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    The runs that the game asks for need not be there. Raises `Malformed` if the game's packs cannot
    hold the cards.
    """
    return _best(cards, rules, costs_left(rules), with_runs=False)


def complete(cards: Sequence[Card], rules: Judge) -> tuple[Meld, ...] | None:
    """Return melds that use every card, with the runs that the game asks for; None if none do.

    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    best = _best(cards, rules, costs_left(rules), below=1)
    return None if best.deadwood else best.melds


@lru_cache(maxsize=1024)
def costs_left(rules: Judge, point: int = 0) -> Mapping[int, int]:
    """Return what it costs to leave each card: one, and so much more for each of its points.

    A wild card in its own place costs nothing besides: it is among the wild ones.
    """
    costs = dict(MARKS_LEFT)
    for card in (JOKER, *PACK):
        is_wild = rules.limits.is_wild(card)
        if is_wild or card in AT:
            costs[WILD if is_wild else AT[card]] = rules.value(card) * point + 1
    return costs


def _best(
    cards: Sequence[Card],
    rules: Judge,
    costs: Mapping[int, int],
    onto: Sequence[Meld] = (),
    below: int = NEVER,
    *,
    with_runs: bool = True,
    or_clean: bool = False,
) -> Arrangement:
    """The arrangement that leaves the least; one of deadwood if none leaves less than ``below``.

    Its melds are the runs that the game asks for and others, or with ``or_clean`` clean runs alone,
    if that leaves less.
    """
    hand = Handful(cards, rules.limits, rules.deck)
    counted = with_runs and rules.all_runs > 0
    # A card next to a run could as well be in it, unless runs are counted or it is laid off.
    listed = hand.melds(joined=not counted and not onto)
    lay_offs = hand.lay_offs(onto, rules.longer_breaches)
    wanted = [card for one in listed for card in one.cards]
    to_choose = hand.wilds or lay_offs or counted or rules.limits.one_run_a_suit
    if not to_choose and all_differ(cards) and all_differ(wanted):
        # Natural melds that share no card are all laid.
        natural = [Meld(one.kind, tuple(map(NATURAL.__getitem__, one.cards))) for one in listed]
        left = without(hand.held, wanted)
        return Arrangement(sum(map(rules.value, left)), tuple(natural), (), left)
    either = [(listed, 0)]
    if counted:
        runs = [one for one in listed if one.kind is Kind.RUN]
        clean = [one._replace(most=one.need) for one in runs if one.need == one.own]
        listed += [one._replace(taken=one.taken + CLEAN_RUN) for one in clean]
        asked = rules.clean_runs * CLEAN_RUN
        if others := rules.all_runs - rules.clean_runs:
            listed += [one._replace(taken=one.taken + ANY_RUN) for one in runs]
            asked += others * ANY_RUN
        either = [(listed, asked)]
        if or_clean:
            # After them: what leaves as much with the runs asked for is better.
            either.insert(0, (clean, 0))
    chosen: Sequence[Candidate] = ()
    for candidates, asked in either:
        cost, better = choose(candidates + lay_offs, hand, costs, asked, below)
        if cost < below:
            chosen, below = better, cost + 1
    melds, laid_off, left = lay_down(chosen, hand, onto)
    return Arrangement(sum([rules.value(card) for card in left]), melds, laid_off, left)


# -- choosing among candidates --------------------------------------------------------------------

# Candidates, the one with the lowest card first, and None at the end.
Picked = Union["tuple[Candidate, Picked]", None]
_UNKNOWN: Final = (0, False, None)
_ALONE_AT: Final = lowest_digit(ALONE)


def choose(  # noqa: C901 - one search, with what it remembers
    candidates: Sequence[Candidate],
    hand: Handful,
    costs: Mapping[int, int],
    marks: int = 0,
    below: int = NEVER,
    use: int = 0,
) -> tuple[int, Sequence[Candidate]]:
    """Return the least that can be left, and which candidates leave it.

    ``costs`` is what each card costs if it is left, and ``use`` what a wild card costs if it is
    not. The ``marks`` are to be taken, too. The cost is at least ``below`` if nothing costs less.

    The lowest card goes into one of the candidates that take it or is left, and so on with what is
    still there. It is remembered what that comes to; and where it cannot become better than what
    was found before, only that it is no less.
    """
    if not candidates:
        return NEVER, ()
    reach = 0
    of_lowest: dict[int, list[Candidate]] = {}
    for one in sorted(candidates, key=itemgetter(1)):
        reach |= one[0]
        of_lowest.setdefault(lowest_digit(one[0]), []).append(one)
    reach = (reach | reach >> 1 | reach >> 2) & ONES
    guards = 8 * reach
    # What no candidate takes is left in any case.
    hopeless = sum([costs.get(at, 0) for at in hand.places if not reach >> at & 1])
    wild_cost = costs.get(WILD, 0)
    contract = COUNT * (MARKS[Kind.SET] | MARKS[Kind.RUN] | DISCARD)
    contract = contract if marks & contract else 0
    known: dict[tuple[int, int, int], tuple[int, bool, Picked]] = {}

    def least(cards: int, wilds: int, room: int, below: int) -> tuple[int, Picked]:
        """The same for some of the cards; the melds so far have ``room`` for so many wild ones."""
        lost = at = 0
        # A contract that is complete takes no more.
        there = of_lowest if not contract or cards & contract else {}
        while cards and (at := (cards & -cards).bit_length() - 1 & ~3) not in there:
            here = cards & COUNT << at
            lost += (here >> at) * costs.get(at, 0)
            cards ^= here
        if lost >= below or (wilds <= room and at >= _ALONE_AT):
            return lost, None
        if not cards:
            return lost + (wilds - room) * wild_cost, None
        key = cards, wilds, room
        fewest, is_sure, picked = known.get(key, _UNKNOWN)
        if is_sure or fewest >= below - lost:
            return lost + fewest, picked
        fewest, picked, guarded = below - lost, None, cards | guards
        for one in of_lowest[at]:
            taken, need, most = one[0], one[1], one[2]
            if need <= wilds and guarded - taken & guards == guards:
                after, price = cards - taken & ~one.bars, need * use
                spare = wilds - need
                left, others = least(after, spare, min(room + most - need, spare), fewest - price)
                if left + price < fewest:
                    fewest, picked = left + price, (one, others)
                    if not fewest:
                        break
        else:
            here = cards & COUNT << at
            price = (here >> at) * costs.get(at, 0)
            left, others = least(cards ^ here, wilds, room, fewest - price)
            if left + price < fewest:
                fewest, picked = left + price, others
        known[key] = fewest, fewest < below - lost, picked
        return lost + fewest, picked

    cards = (hand.naturals + OTHERS & COUNT * reach) + marks
    cost, picked = least(cards, hand.wilds, 0, below - hopeless)
    chosen = []
    while picked:
        one, picked = picked
        chosen.append(one)
    return hopeless + cost, chosen


# -- which card lies where ------------------------------------------------------------------------


def lay_down(
    chosen: Sequence[Candidate], hand: Handful, onto: Sequence[Meld] = ()
) -> tuple[tuple[Meld, ...], tuple[LaidOff, ...], tuple[Card, ...]]:
    """Return the melds and lay-offs that were chosen, card by card, and the cards left.

    A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as
    far as they go. In a run that is a high card first.
    """
    limits = hand.limits
    seen = [card for one in chosen for card in one.cards]
    left = list(without(hand.held, seen))
    wild = [card for card in left if card.rank in limits.wild_ranks]

    def worth(shape: Shape) -> tuple[int, int]:
        own = [card for card in shape.free if card in wild]
        return len(own), -sum([seen.count(card) for card in shape.free])

    spare, filled = hand.wilds - sum([one.need for one in chosen]), []
    for one in chosen:
        more = min(spare, one.most - one.need)
        spare -= more
        filled.append((one, one.need + more))
    placed = []
    # Runs come before sets, whose wild cards can be any, and at last wild cards alone.
    filled.sort(key=lambda pair: (pair[0].kind is Kind.SET, not pair[0].cards))
    for one, wilds in [pair for pair in filled if pair[0].cards or pair[1]]:
        shape, *others = ways_to_lie(one, wilds, limits, onto)
        if others:
            best_first = sorted([shape, *others], key=worth, reverse=True)
            shape = next(one for one in best_first if not limits.breaches(one.with_jokers()))
        seen += shape.free
        lying: list[Card | None] = []
        for card in shape.free:
            lying.append(card if card in wild else None)
            if card in wild:
                wild.remove(card)
                left.remove(card)
        placed.append((one, shape, lying))
    # The last wild cards lie where others would, and the first are left.
    to_lay = wild[len(wild) - sum([lying.count(None) for *_, lying in placed]) :]
    deadwood = without(left, to_lay)
    melds, laid_off = [], []
    for one, shape, lying in placed:
        cards = zip([card or to_lay.pop(0) for card in lying], shape.free, strict=True)
        meld = shape.with_cards([Laid(card, place, True) for card, place in cards])
        if one.onto is None:
            melds.append(meld)
        else:
            laid_off.append(LaidOff(meld.beyond(onto[one.onto]), one.onto))
    laid_off.sort(key=lambda one: one.onto)
    return tuple(melds), tuple(laid_off), deadwood


def ways_to_lie(
    one: Candidate, wilds: int, limits: MeldLimits, onto: Sequence[Meld] = ()
) -> Sequence[Shape]:
    """Return the shapes that a candidate can have with so many wild cards, high runs first.

    In some of them wild cards may be neighbours that must not be.
    """
    if one.shape is not None:
        return [one.shape]
    there = () if one.onto is None else onto[one.onto].cards
    known = (*there, *[Laid(card, card, limits.is_wild(card)) for card in one.cards])
    number = wilds - one.own
    if not number:
        alike = limits.tanala_rule and len(known) == 3 and len({*known}) == 1
        kind = Kind.TANALA if alike else one.kind
        return [Shape(kind, known, (), tuple([card.rank for card in one.cards]))]
    if one.kind is Kind.SET:
        shapes = set_shapes(known, number, limits)
        if known:
            return shapes
        # Wild cards alone are best of a rank that is wild.
        return [one for one in shapes if one.free[0].rank in limits.wild_ranks] or shapes
    return run_shapes(known, number, limits)[::-1]
