"""Arrange a handful of cards: for the fewest points or cards left, or for a contract.

Only the game's limits on melds count here, not what a turn forbids (PRO-7) or what is on the table
already (PRO-9). `companion.rules.candidates` lists the melds that there are, `_choose` picks the
best of them, and `_lay_down` says which card lies where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from operator import attrgetter, itemgetter, mul
from typing import Final, NamedTuple

from companion.rules import candidates as listing
from companion.rules.candidates import ASKED, COUNT, DISCARD, WILDS, Candidate, Handful, cards_in
from companion.rules.cards import JOKER, NATURAL, PACK, RANKS, Card, Laid, without
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.judge import Judge
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, Shape

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8
_TOO_MUCH: Final = 1 << 40  # more than any cards can cost
# The order of cards left. Wild cards are laid in this order, too.
_IN_ORDER: Final = {card: number for number, card in enumerate((*PACK, JOKER))}.__getitem__
# What it costs to lack a meld that is asked for; a run of a contract costs less than a set.
_LACKING: Final[Mapping[int, int]] = {ASKED[0]: 2 * _TOO_MUCH, ASKED[1]: 2 * _TOO_MUCH - 4 * _POINT}


class LaidOff(NamedTuple):
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


class Arrangement(NamedTuple):
    """Cards as melds, lay-offs and deadwood; ``points`` is what the deadwood counts."""

    points: int
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    deadwood: tuple[Card, ...]


def arrange(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Arrangement:
    """Return an arrangement that leaves the fewest points, and of those one with the fewest cards.

    ``onto`` are melds on the table that may be laid off on, the runs as the game lets them grow
    (KAL-5). Points are as in PRO-15, melds as in PRO-4 to PRO-6, lay-offs as in PRO-8, and likewise
    in the other games. Where a game asks for a number of runs, and of clean ones (IND-5, IND-8),
    there are so many among the melds, or no melds but clean runs. All wild cards have to count the
    same, as they do in every game. Raises `Malformed` if the game's packs cannot hold the cards.
    """
    hand = Handful(cards, rules.limits)
    if not (hand.wilds or onto or rules.all_runs) and (found := _all_natural(hand, rules)):
        return found
    rules.check_held(cards)
    with_runs = ("asked", "clean") if rules.all_runs else ("any",)
    each = [_best(hand, rules, _POINT, onto, runs) for runs in with_runs]
    return min(each, key=lambda one: (one.points, len(one.deadwood)))


def _all_natural(hand: Handful, rules: Judge) -> Arrangement | None:
    """Return the best arrangement of natural cards that all differ, None if it takes a search.

    All choices of sets are tried, each with the longest runs of the other cards.
    """
    limits, units, counts = hand.limits, hand.units, hand.counts
    limited = limits.one_run_a_suit or limits.run_sizes[1] < len(RANKS)
    # Two equal cards add up to one higher bit, so there are fewer bits than cards.
    differ = counts.bit_count() == len(hand.cards) <= 14  # so four ranks at most have sets
    two_ends = limits.ace_in_runs is AceInRuns.BOTH and counts & 0xFFFF * listing.unit(1, 0)
    if limited or two_ends or not differ:
        return None
    ways, in_runs = [], hand.in_runs(counts)
    for of_rank in filter(None, hand.sets()):
        # A set has all cards that no run can have. If those are too few for one, there may be none.
        alone = of_rank[0].taken & ~in_runs
        too_few = alone.bit_count() < limits.set_sizes[0]
        ways.append([one.taken for one in of_rank if not alone & ~one.taken] + [0] * too_few)
    costs, least = _costs(rules, _POINT), _TOO_MUCH
    for sets in product(*ways):
        taken = sum(sets)
        runs = hand.in_runs(counts - taken) if taken & in_runs else in_runs
        left, deadwood = counts - taken - runs, hand.cards
        if left != counts:
            deadwood = [card for card in deadwood if units[card] & left]
        cost = sum([costs[units[card]] for card in deadwood])
        if cost < least:
            least, best = cost, (sets, runs, deadwood)
        if not cost:
            break
    sets, runs, deadwood = best
    melds = [*listing.natural_runs(runs)]
    melds += [Meld(Kind.SET, tuple(map(NATURAL.__getitem__, cards_in(one)))) for one in sets if one]
    return Arrangement(least // _POINT, tuple(melds), (), tuple(sorted(deadwood, key=_IN_ORDER)))


def fewest_cards(cards: Sequence[Card], rules: Judge, *, with_runs: bool = False) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    With ``with_runs`` the runs that the game asks for are among the melds, or nothing is melded.
    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    rules.check_held(cards)
    return _best(Handful(cards, rules.limits), rules, 0, (), "asked" if with_runs else "any")


@lru_cache(maxsize=1024)
def _costs(rules: Judge, point: int = 0) -> Mapping[int, int]:
    """Return what it costs to leave each card: 1, and ``point`` for each of its points.

    A card that can be wild or natural is left as a wild one; its natural place costs nothing.
    """
    units = listing.units_of(rules.limits).items()
    return {**_LACKING, **{one & -one: rules.value(card) * point + 1 for card, one in units}}


def _best(hand: Handful, rules: Judge, point: int, onto: Sequence[Meld], runs: str) -> Arrangement:
    """Return the arrangement that leaves the least: with the runs "asked", or of "clean" runs."""
    listed, tokens = hand.melds(), 0
    if runs != "any":
        any_runs = [one for one in listed if one.kind is Kind.RUN]
        clean = [one._replace(room=0) for one in any_runs if not one.free]
        if runs == "clean":
            listed = clean
        else:
            for token, asked in zip(ASKED, (clean, any_runs), strict=True):
                listed += [one._replace(taken=one.taken + token) for one in asked]
            tokens = sum(map(mul, (rules.clean_runs, rules.all_runs - rules.clean_runs), ASKED))
    listed += hand.lay_offs(onto, rules.longer_breaches)
    found = _lay_down(_choose(listed, hand, _costs(rules, point), tokens, _TOO_MUCH), hand)
    return found._replace(points=sum([rules.value(card) for card in found.deadwood]))


# -- choosing among candidates --------------------------------------------------------------------


def _choose(  # noqa: C901 - one search, with what it remembers
    listed: Iterable[Candidate], hand: Handful, costs: Mapping[int, int], tokens: int, below: int
) -> Sequence[Candidate]:
    """Return the candidates that leave cards of the lowest cost, or none if that is not ``below``.

    ``costs`` has the cost of leaving each card and token. The ``tokens`` are to be taken.

    The highest card goes to each candidate that takes it, or is left; then the next one. For each
    rest, its lowest cost is remembered, or else a cost that it is not below.
    """
    reach, of_first = 0, defaultdict[int, list[Candidate]](list)
    for one in listed:
        reach |= one.taken
        of_first[one.taken.bit_length() - 1 & ~3].append(one)
    reach = listing.once(reach)
    guards, wild_cost, lowest = 8 * reach + WILDS + 1, costs.get(1, 0), listing.unit(1, 0)
    known: dict[tuple[int, int], tuple[int, Sequence[Candidate] | None]] = {}

    def least(cards: int, room: int, below: int) -> tuple[int, Sequence[Candidate] | None]:
        """Return the lowest cost of the rest, and its candidates; none if it is not ``below``.

        The melds chosen before have ``room`` for this many of the wild cards.
        """
        wilds = cards & WILDS
        # The end: nothing is left, or no natural card, and every wild card has room.
        if cards == wilds or (wilds == room and cards < lowest):
            return (wilds - room) * wild_cost, ()
        fewest, picked = known.get((cards, room), (0, None))
        if picked is not None or fewest >= below:
            return fewest, picked
        at = cards.bit_length() - 1 & ~3
        fewest, picked, guarded = below, None, cards | guards
        for one in of_first.get(at, ()):
            if guarded - one[0] & guards == guards:
                after = cards - one[0] & ~one.bars
                left, others = least(after, min(room + one[1], after & WILDS), fewest - one.price)
                if others is not None and left + one.price < fewest:
                    fewest, picked = left + one.price, (one, *others)
                    if not fewest:
                        break
        here = cards & COUNT << at
        price = (here >> at) * costs.get(1 << at, 0)
        if price < fewest:
            left, others = least(cards ^ here, room, fewest - price)
            if left + price < fewest:
                fewest, picked = left + price, others
        known[cards, room] = fewest, picked
        return fewest, picked

    # Cards that no candidate takes are left.
    cards = (hand.counts & (COUNT * reach | WILDS)) + (listing.OPTIONAL & COUNT * reach) + tokens
    return least(cards, 0, below)[1] or ()


# -- which card lies where ------------------------------------------------------------------------


def _lay_down(chosen: Sequence[Candidate], hand: Handful) -> Arrangement:
    """Return the melds and lay-offs that were chosen, card by card, without counting points.

    A wild card lies in its own place if it can. Otherwise it is laid for a card that no other meld
    has, while there are such cards; in a run, for a high one first.
    """
    # Runs come before sets, whose wild cards can be any; of each, wild cards alone come last.
    chosen = sorted(chosen, key=lambda one: (one.kind is Kind.SET, not cards_in(one.taken)))
    seen = [card for one in chosen for card in cards_in(one.taken)]
    left = sorted(without(hand.cards, seen), key=_IN_ORDER)
    wild = [card for card in left if hand.limits.is_wild(card)]
    spare, shapes = hand.wilds - sum([one.taken & WILDS for one in chosen]), []
    for one in chosen:
        more = min(spare, one.room)
        spare -= more
        ways = hand.shapes(one, more)
        worth = [(len({*wild} & {*way.free}), -sum(map(seen.count, way.free))) for way in ways]
        shape = ways[worth.index(max(worth))]
        seen += shape.free
        shapes.append((one.onto, shape))
    free = [card for _, shape in shapes for card in shape.free]
    elsewhere = without(wild, free)
    # Of those, the last stand for cards that are not there, and the first are left.
    to_lay = [*elsewhere[len(wild) - len(free) :], *without(wild, elsewhere)]
    deadwood = without(left, to_lay)

    def lie(place: Card) -> Laid:
        card = place if place in to_lay else to_lay[0]
        to_lay.remove(card)
        return Laid(card, place, True)

    laid = [(onto, shape.with_cards(map(lie, shape.free))) for onto, shape in shapes]
    laid_off = [LaidOff(meld.beyond(onto[1]), onto[0]) for onto, meld in laid if onto]
    new = tuple([meld for onto, meld in laid if not onto])
    return Arrangement(0, new, tuple(sorted(laid_off, key=itemgetter(1))), deadwood)


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
    rules.check_held(cards)
    hand, held = Handful(cards, rules.contract_limits), len(cards)
    discards = not rules.is_whole_hand(held, None)
    if discards and not rules.is_whole_hand(held - 1, held):
        return None
    # A run leaves the other runs as many cards as they must have.
    longest = held - discards - (rules.contract.runs - 1) * hand.limits.run_sizes[0]
    return _first_melds(hand, rules, longest, discards) or None


def nearest(cards: Sequence[Card], rules: ContractJudge) -> tuple[tuple[Meld, ...], Contract]:
    """Return as many melds of this hand's contract as can be made, and those that are lacking.

    Where the contract takes all cards (CON-10) and nothing is lacking, the number of cards left may
    still be wrong. Raises `Malformed` as `can_make` does.
    """
    rules.check_held(cards)
    hand = Handful(cards, rules.contract_limits)
    # A run that must have several natural cards may have to be longer than others.
    any_size = hand.limits.half_wild or hand.limits.fewest_naturals(Kind.RUN) > 1
    melds = _first_melds(hand, rules, hand.limits.run_sizes[0] + any_size * hand.wilds)
    return melds, rules.contract.lacking(melds)


def _first_melds(
    hand: Handful, rules: ContractJudge, longest: int, discards: bool | None = None
) -> tuple[Meld, ...]:
    """Return as many melds of the contract as can be made, with the fewest wild cards.

    They are the smallest sets, and runs of up to ``longest`` cards. If it is said whether one card
    ``discards``, they have all others, in runs with any number of wild cards, or there are none.
    """
    tokens, ways = sum(map(mul, rules.contract, ASKED)), defaultdict[Candidate, list[Shape]](list)
    costs, below, wilds, listed = _LACKING, 16 * _TOO_MUCH, 0, list[Candidate]()
    if discards is not None:
        costs, below, wilds = {**_costs(rules), DISCARD: 1}, 1, hand.wilds
        tokens += discards * DISCARD
        listed = [Candidate(hand.units[card] + DISCARD, 0, Kind.SET, 0) for card in {*hand.cards}]
    most = bool(rules.contract.sets) * hand.limits.set_sizes[0], bool(rules.contract.runs) * longest
    for one in hand.melds(longest):
        number, size = one.kind is Kind.RUN, len(cards_in(one.taken)) + one.free
        price = _POINT * (one.taken & WILDS) + size if discards is None else 0
        for more in range(min(one.room, wilds, most[number] - size) + 1):
            taken, free = one.taken + more + ASKED[number], one.free + more
            for way in hand.shapes(one, more):
                beside, bars = _beside(way.with_jokers(), rules)
                alike = Candidate(taken + beside, 0, one.kind, free, (), None, bars, price)
                if not rules.breaches_alone(way.with_jokers()):
                    ways[alike].append(way)
    listed += [one._replace(shapes=ways[one]) for one in sorted(ways, key=attrgetter("price"))]
    chosen = _choose(listed, hand, costs, tokens, below)
    return _lay_down([one for one in chosen if not one.taken & DISCARD], hand).melds


def _beside(meld: Meld, rules: ContractJudge) -> tuple[int, int]:
    """Return the tokens that a first meld takes, and those that it bars to keep others apart."""
    rank, suit = meld.identities[0]
    if meld.kind is Kind.SET:
        return COUNT * listing.unit(listing.ABOVE + rank, 0) if rules.one_set_a_rank else 0, 0
    if not rules.runs_apart:
        return 0, 0
    # Where it begins and ends, and where another one would end just before it or begin after it.
    begins, ends = (listing.ABOVE + ACE_HIGH + at for at in (2 * meld.low, 2 * meld.high + 1))
    barred = listing.unit(begins - 1, suit) + listing.unit(ends + 1, suit)
    return listing.unit(begins, suit) + listing.unit(ends, suit), COUNT * barred
