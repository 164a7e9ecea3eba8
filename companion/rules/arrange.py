"""What can be made of a handful of cards: the fewest points left, all in melds, or a contract.

For games in which a player may arrange cards as they like. What a turn forbids (PRO-7) and what is
on the table already (PRO-9) does not count, but every meld is one by the game's limits. The best of
all candidates are chosen, and then each card is laid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, Union

from companion.rules.candidates import (
    ABOVE,
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
    digit,
    lowest_digit,
)
from companion.rules.cards import JOKER, NATURAL, PACK, Card, Laid, all_differ, without
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.judge import Judge
from companion.rules.melds import ACE_HIGH, Kind, Meld, MeldLimits
from companion.rules.readings import Shape, run_shapes, set_shapes

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8
_NEVER: Final = 1 << 40  # more than any cards can cost
_WILD: Final = -1  # where costs have what each wild card costs


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
    return _best(cards, rules, _costs(rules, _POINT), onto, or_clean=True)


def fewest_left(cards: Sequence[Card], rules: Judge) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    The runs that the game asks for need not be there. Raises `Malformed` if the game's packs cannot
    hold the cards.
    """
    return _best(cards, rules, _costs(rules), with_runs=False)


def complete(cards: Sequence[Card], rules: Judge) -> tuple[Meld, ...] | None:
    """Return melds that use every card, with the runs that the game asks for; None if none do.

    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    best = _best(cards, rules, _costs(rules))
    return None if best.deadwood else best.melds


@lru_cache(maxsize=1024)
def _costs(rules: Judge, point: int = 0) -> Mapping[int, int]:
    """Return what it costs to leave each card: one, and so much more for each of its points.

    A wild card in its own place costs nothing besides: it is among the wild ones.
    """
    costs = {}
    for card in (JOKER, *PACK):
        is_wild = rules.limits.is_wild(card)
        if is_wild or card in AT:
            costs[_WILD if is_wild else AT[card]] = rules.value(card) * point + 1
    return costs


def _best(
    cards: Sequence[Card],
    rules: Judge,
    costs: Mapping[int, int],
    onto: Sequence[Meld] = (),
    *,
    with_runs: bool = True,
    or_clean: bool = False,
) -> Arrangement:
    """The arrangement that leaves the least.

    Its melds are the runs that the game asks for and others, or with ``or_clean`` clean runs alone,
    if that leaves less.
    """
    hand = Handful(cards, rules.limits, rules.deck)
    chosen: Sequence[Candidate] | None = None
    counted = with_runs and rules.all_runs > 0
    if not (hand.wilds or onto or counted) and all_differ(cards):
        chosen = hand.all_natural()
    if chosen is None:
        listed, lay_offs, asked = hand.melds(), hand.lay_offs(onto, rules.longer_breaches), 0
        if counted:
            runs = [one for one in listed if one.kind is Kind.RUN]
            clean = [one._replace(most=one.need) for one in runs if one.need == one.own]
            listed += [one._replace(taken=one.taken + CLEAN_RUN) for one in clean]
            others = rules.all_runs - rules.clean_runs
            listed += [one._replace(taken=one.taken + ANY_RUN) for one in runs if others]
            asked = rules.clean_runs * CLEAN_RUN + others * ANY_RUN
        cost, chosen = _choose(listed + lay_offs, hand, costs, asked)
        if counted and or_clean:
            least, better = _choose(clean + lay_offs, hand, costs, below=cost)
            chosen = better if least < cost else chosen
    melds, laid_off, left = _lay_down(chosen, hand, onto)
    return Arrangement(sum([rules.value(card) for card in left]), melds, laid_off, left)


# -- choosing among candidates --------------------------------------------------------------------

# Candidates, the one with the lowest card first, and None at the end.
Picked = Union["tuple[Candidate, Picked]", None]
_UNKNOWN: Final = (0, False, None)
_ALONE_AT: Final = lowest_digit(ALONE)


def _choose(  # noqa: C901 - one search, with what it remembers
    candidates: Sequence[Candidate],
    hand: Handful,
    costs: Mapping[int, int],
    marks: int = 0,
    below: int = _NEVER,
    use: int = 0,
) -> tuple[int, Sequence[Candidate]]:
    """Return the least that can be left, and which candidates leave it.

    ``costs`` is what each card costs if it is left, and ``use`` what a wild card costs if it is
    not. The ``marks`` are to be taken, too. The cost is at least ``below`` if nothing costs less.

    The lowest card goes into one of the candidates that take it or is left, and so on with what is
    still there. It is remembered what that comes to; and where it cannot become better than what
    was found before, only that it is no less.
    """
    reach = 0
    of_lowest: dict[int, list[Candidate]] = {}
    for one in sorted(candidates, key=itemgetter(1)):
        reach |= one[0]
        of_lowest.setdefault(lowest_digit(one[0]), []).append(one)
    reach = (reach | reach >> 1 | reach >> 2) & ONES
    guards, wild_cost = 8 * reach, costs.get(_WILD, 0)
    # The first of the marks count most.
    must = {
        at: 2 * _NEVER - 8 * at for at in range(0, marks.bit_length(), 4) if marks >> at & COUNT
    }
    costs = {**costs, **must} if must else costs
    known: dict[tuple[int, int, int], tuple[int, bool, Picked]] = {}

    def least(cards: int, wilds: int, room: int, below: int) -> tuple[int, Picked]:
        """The same for some of the cards; the melds so far have ``room`` for so many wild ones."""
        lost = at = 0
        while cards and (at := (cards & -cards).bit_length() - 1 & ~3) not in of_lowest:
            here = cards & COUNT << at
            lost += (here >> at) * costs.get(at, 0)
            cards ^= here
        if lost >= below:
            return lost, None
        if not cards or (wilds <= room and at >= _ALONE_AT):
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

    cards = hand.naturals + (OTHERS & COUNT * reach) + marks
    cost, picked = least(cards, hand.wilds, 0, below)
    chosen = []
    while picked:
        one, picked = picked
        chosen.append(one)
    return cost, chosen


# -- which card lies where ------------------------------------------------------------------------


def _lay_down(
    chosen: Sequence[Candidate], hand: Handful, onto: Sequence[Meld] = ()
) -> tuple[tuple[Meld, ...], tuple[LaidOff, ...], tuple[Card, ...]]:
    """Return the melds and lay-offs that were chosen, card by card, and the cards left.

    A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as
    far as they go. In a run that is a high card first.
    """
    # Runs come before sets, whose wild cards can be any, and at last wild cards alone.
    chosen = sorted(chosen, key=lambda one: (one.kind is Kind.SET, not one.cards))
    seen = [card for one in chosen for card in one.cards]
    left = sorted(without(hand.held, seen), key=itemgetter(1, 0))
    if not (hand.wilds or onto):
        natural = [Meld(one.kind, tuple([NATURAL[card] for card in one.cards])) for one in chosen]
        return tuple(natural), (), tuple(left)
    limits, wild = hand.limits, [card for card in left if hand.limits.is_wild(card)]

    def worth(shape: Shape) -> tuple[int, int]:
        own = [card for card in shape.free if card in wild]
        return len(own), -sum([seen.count(card) for card in shape.free])

    spare, shapes = hand.wilds - sum([one.need for one in chosen]), []
    for one in chosen:
        more = min(spare, one.most - one.need)
        spare -= more
        shape, *others = _ways_to_lie(one, one.need + more, limits, onto)
        if others:
            best_first = sorted([shape, *others], key=worth, reverse=True)
            shape = next(way for way in best_first if not limits.breaches(way.with_jokers()))
        seen += shape.free
        shapes.append((one.onto, shape))
    free = [card for _, shape in shapes for card in shape.free]
    elsewhere = without(wild, free)
    in_place = list(without(wild, elsewhere))
    # The last wild cards lie where others would, and the first are left.
    to_lay = list(elsewhere[len(wild) - len(free) :])
    deadwood = without(left, in_place + to_lay)

    def lie(place: Card) -> Laid:
        card = place if place in in_place else to_lay[0]
        (in_place if place in in_place else to_lay).remove(card)
        return Laid(card, place, True)

    laid = [(at, shape.with_cards(map(lie, shape.free))) for at, shape in shapes]
    laid_off = [LaidOff(meld.beyond(onto[at]), at) for at, meld in laid if at is not None]
    laid_off.sort(key=lambda one: one.onto)
    return tuple([meld for at, meld in laid if at is None]), tuple(laid_off), deadwood


def _ways_to_lie(
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
        return [Shape(one.kind, known, (), tuple([card.rank for card in one.cards]))]
    if one.kind is Kind.SET:
        return set_shapes(known, number, limits)
    return run_shapes(known, number, limits)[::-1]


# -- contracts ------------------------------------------------------------------------------------


def can_make(cards: Sequence[Card], rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Return melds of some of the cards that are this hand's contract; None if there are none.

    They keep what the game asks of first melds, each alone and all together, and none has more
    cards than it needs. Where all cards are laid at once, they have all of them, or all but the one
    discarded (CON-10). Raises `Malformed` if the game's packs cannot hold the cards.
    """
    if not rules.all_at_once:
        melds, lacking = nearest(cards, rules)
        return None if any(lacking) else melds
    hand, held = Handful(cards, rules.contract_limits, rules.deck), len(cards)
    discards = not rules.is_whole_hand(held, None)
    if discards and not rules.is_whole_hand(held - 1, held):
        return None
    # The other runs have as many cards as a run must have.
    longest = held - discards - (rules.contract.runs - 1) * hand.limits.run_sizes[0]
    candidates, marks = [*_first_melds(hand, rules, longest, any_size=True)], _marks(rules.contract)
    if discards:  # any card can be the one, or a wild one
        marks += DISCARD
        there = [1 << at for at in AT.values() if hand.naturals >> at & COUNT]
        candidates += [Candidate(one + DISCARD, 0, 0, Kind.SET) for one in there]
        candidates.append(Candidate(DISCARD, 1, 1, Kind.SET))
    cost, chosen = _choose(candidates, hand, _costs(rules), marks, below=1)
    return _lay_down([one for one in chosen if one.kind is Kind.RUN], hand)[0] if not cost else None


def nearest(cards: Sequence[Card], rules: ContractJudge) -> tuple[tuple[Meld, ...], Contract]:
    """Return as many melds of this hand's contract as can be made, and those that are lacking.

    Where nothing is lacking, other cards are left than may be. Raises `Malformed` as `can_make`
    does.
    """
    hand, contract = Handful(cards, rules.contract_limits, rules.deck), rules.contract
    limits, longest = hand.limits, hand.limits.run_sizes[0]
    # A run that must have several natural cards has all wild ones between two of them.
    if limits.half_wild or limits.fewest_naturals(Kind.RUN) > 1:
        longest = max(longest, 2 * hand.wilds + 1)
    # As few wild cards as can be; what is left costs nothing.
    candidates = [*_first_melds(hand, rules, longest)]
    _, chosen = _choose(candidates, hand, {}, _marks(contract), 16 * _NEVER, use=1)
    sets = len([one for one in chosen if one.kind is Kind.SET])
    lacking = Contract(contract.sets - sets, contract.runs - len(chosen) + sets)
    return _lay_down(chosen, hand)[0], lacking


def _marks(contract: Contract) -> int:
    return contract.sets * MARKS[Kind.SET] + contract.runs * MARKS[Kind.RUN]


def _first_melds(
    hand: Handful, rules: ContractJudge, longest: int, *, any_size: bool = False
) -> Iterator[Candidate]:
    """Yield what a player may lay as a first meld: runs of up to ``longest`` cards, small sets.

    With ``any_size`` each with as many wild cards as it can have, otherwise with as few.
    """
    most = {Kind.RUN: longest, Kind.SET: hand.limits.set_sizes[0]}
    for one in sorted(hand.melds(longest), key=lambda one: len(one.cards)):
        if not rules.contract.of(one.kind):
            continue
        room = min(one.most, hand.wilds, most[one.kind] - len(one.cards) + one.own)
        # Where its wild cards lie matters only beside another run of its suit.
        all_ways = rules.runs_apart and one.kind is Kind.RUN
        for wilds in range(one.need, (room if any_size else min(room, one.need)) + 1):
            shapes = _ways_to_lie(one, wilds, hand.limits)
            legal = [way for way in shapes if not rules.breaches_alone(way.with_jokers())]
            for shape in legal if all_ways else legal[:1]:
                beside, bars = _beside(shape.with_jokers(), rules)
                yield one._replace(
                    taken=one.taken + MARKS[one.kind] + beside,
                    need=wilds,
                    most=wilds,
                    shape=shape if all_ways else one.shape,
                    bars=bars,
                )


def _beside(meld: Meld, rules: ContractJudge) -> tuple[int, int]:
    """What a meld takes besides its cards, and what it bars that others would have to take."""
    suit, rank = meld.cards[0].stands_for.suit, meld.cards[0].stands_for.rank
    if meld.kind is Kind.SET:
        return COUNT * digit(ABOVE + rank, 0) if rules.one_set_a_rank else 0, 0
    if not rules.runs_apart:
        return 0, 0
    # Where it begins and ends, and where another one would end just before it or begin after it.
    begins, ends = (ABOVE + ACE_HIGH + at for at in (2 * meld.low, 2 * meld.high + 1))
    barred = digit(begins - 1, suit) | digit(ends + 1, suit)
    return digit(begins, suit) | digit(ends, suit), COUNT * barred
