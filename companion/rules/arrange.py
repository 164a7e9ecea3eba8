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
from operator import itemgetter
from typing import Final, NamedTuple

from companion.rules import candidates as listing
from companion.rules.candidates import AT, COUNT, FIRST_MELD, WILDS, Candidate, Handful, cards_in
from companion.rules.cards import JOKER, NATURAL, PACK, RANKS, Card, Laid, without
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.judge import Judge
from companion.rules.melds import ACE_HIGH, Kind, Meld, Shape

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8
_TOO_MUCH: Final = 1 << 40  # more than any cards can cost
_MOST_SETS: Final = 4  # all choices of so many sets are tried
# The order of cards left. Wild cards are laid in this order, too.
_IN_ORDER: Final = {card: number for number, card in enumerate((*PACK, JOKER))}.__getitem__
# What it costs to lack a meld that is asked for; a run of a contract costs less than a set.
_LACKING: Final = {at: 2 * _TOO_MUCH - at for at in listing.ASKED}


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
    hand = Handful(cards, rules.limits, rules.deck)
    if hand.all_differ and not (onto or rules.all_runs) and (found := _all_natural(hand, rules)):
        return found
    melds = hand.melds()
    found = _best(melds, hand, rules, _POINT, onto, with_runs=True)
    if not (rules.all_runs and found.deadwood):
        return found
    clean = _best(melds, hand, rules, _POINT, onto, clean_only=True)
    return min(found, clean, key=lambda one: (one.points, len(one.deadwood)))


def _all_natural(hand: Handful, rules: Judge) -> Arrangement | None:
    """Return the best arrangement of natural cards that all differ, None if it takes a search.

    All choices of sets are tried, each with the longest runs of the other cards.
    """
    limits, costs = hand.limits, _costs(rules, _POINT)
    (runs, left), of_ranks = hand.in_runs(hand.counts), hand.sets()
    # An ace could be in two runs.
    two_ways = runs and runs.bit_count() + left.bit_count() > len(hand.cards)
    limited = limits.one_run_a_suit or limits.run_sizes[1] < len(RANKS)
    if two_ways or limited or len(of_ranks) > _MOST_SETS:
        return None
    ways: list[list[int]] = []
    for largest, *others in of_ranks:
        # A smaller set has all the cards that no run can have. If those are too few for a set, it
        # may be best to have none.
        alone = largest.taken & left
        ways.append([largest.taken, *[one.taken for one in others if not alone & ~one.taken]])
        if alone.bit_count() < limits.set_sizes[0]:
            ways[-1].append(0)
    least = _TOO_MUCH
    for sets in product(*ways):
        taken = sum(sets)
        places, rest = runs, left - taken
        if taken & ~left:  # cards that could be in runs, too
            places, rest = hand.in_runs(hand.counts - taken)
        deadwood = hand.among(rest)
        cost = sum([costs[AT[card]] for card in deadwood])
        if cost < least:
            least, best = cost, (sets, places, deadwood)
        if not cost:
            break
    sets, places, deadwood = best
    melds = listing.natural_runs(places)
    for taken in filter(None, sets):
        melds.append(Meld(Kind.SET, tuple([NATURAL[card] for card in cards_in(taken)])))
    return Arrangement(least // _POINT, tuple(melds), (), tuple(sorted(deadwood, key=_IN_ORDER)))


def fewest_cards(cards: Sequence[Card], rules: Judge, *, with_runs: bool = False) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    With ``with_runs`` the runs that the game asks for are among the melds, or nothing is melded.
    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    hand = Handful(cards, rules.limits, rules.deck)
    return _best(hand.melds(), hand, rules, with_runs=with_runs)


@lru_cache(maxsize=1024)
def _costs(rules: Judge, point: int = 0) -> Mapping[int, int]:
    """Return what it costs to leave each card: 1, and ``point`` for each of its points.

    A card that can be wild or natural is left as a wild one; its natural place costs nothing.
    """
    return _LACKING | {
        0 if rules.limits.is_wild(card) else AT.get(card, 0): rules.value(card) * point + 1
        for card in (JOKER, *PACK)
    }


def _best(
    melds: Sequence[Candidate],
    hand: Handful,
    rules: Judge,
    point: int = 0,
    onto: Sequence[Meld] = (),
    *,
    with_runs: bool = False,
    clean_only: bool = False,
) -> Arrangement:
    """Return the arrangement that leaves the least: with the runs asked for, or of clean runs."""
    listed, tokens = [*melds], 0
    if rules.all_runs and (with_runs or clean_only):
        runs = [one for one in listed if one.kind is Kind.RUN]
        clean = [one._replace(room=0) for one in runs if one.need == one.own]
        if clean_only:
            listed = clean
        else:
            listed += [Candidate(one.taken + listing.CLEAN_RUN, *one[1:]) for one in clean]
            listed += [Candidate(one.taken + listing.ANY_RUN, *one[1:]) for one in runs]
            others = rules.all_runs - rules.clean_runs
            tokens = rules.clean_runs * listing.CLEAN_RUN + others * listing.ANY_RUN
    listed += hand.lay_offs(onto, rules.longer_breaches)
    found = _lay_down(_choose(listed, hand, _costs(rules, point), tokens), hand)
    return found._replace(points=sum([rules.value(card) for card in found.deadwood]))


# -- choosing among candidates --------------------------------------------------------------------


def _choose(  # noqa: C901 - one search, with what it remembers
    candidates: Iterable[Candidate],
    hand: Handful,
    costs: Mapping[int, int],
    tokens: int = 0,
    below: int = _TOO_MUCH,
    use: int = 0,
) -> Sequence[Candidate]:
    """Return the candidates that leave cards of the lowest cost, or none if that is not ``below``.

    ``costs`` has the cost of leaving each card and token, ``use`` is that of using a wild card, and
    the ``tokens`` are to be taken.

    The highest card goes to each candidate that takes it, or is left; then the next one. For each
    rest, its lowest cost is remembered, or else a cost that it is not below.
    """
    reach, of_first = 0, defaultdict[int, list[Candidate]](list)
    for one in candidates:
        reach |= one.taken
        of_first[one.taken.bit_length() - 1 & ~3].append(one)
    reach = listing.once(reach)
    guards, wild_cost = 8 * reach + WILDS + 1, costs.get(0, 0)
    known: dict[tuple[int, int], tuple[int, Sequence[Candidate] | None]] = {}

    def least(cards: int, room: int, below: int) -> tuple[int, Sequence[Candidate] | None]:
        """Return the lowest cost of the rest, and its candidates; none if it is not ``below``.

        The melds chosen before have ``room`` for this many of the wild cards.
        """
        wilds = cards & WILDS
        # The end: no card is left, or only the token of wild melds, and every wild card has room.
        if cards == wilds or (wilds == room and cards < 16 * listing.WILD_MELD):
            return (wilds - room) * wild_cost, ()
        key = cards, room
        fewest, picked = known.get(key, (0, None))
        if picked is not None or fewest >= below:
            return fewest, picked
        at = cards.bit_length() - 1 & ~3
        fewest, picked, guarded = below, None, cards | guards
        for one in of_first.get(at, ()):
            if guarded - one[0] & guards == guards:
                after = cards - one[0] & ~one.bars
                price = use and one.need * use
                more = min(room + one[1], after & WILDS)
                left, others = least(after, more, fewest - price)
                if others is not None and left + price < fewest:
                    fewest, picked = left + price, (one, *others)
                    if not fewest:
                        break
        here = cards & COUNT << at
        price = (here >> at) * costs.get(at, 0)
        if price < fewest:
            left, others = least(cards ^ here, room, fewest - price)
            if left + price < fewest:
                fewest, picked = left + price, others
        known[key] = fewest, picked
        return fewest, picked

    # Cards that no candidate takes are left.
    cards = (hand.counts & (COUNT * reach | WILDS)) + (listing.OPTIONAL & COUNT * reach) + tokens
    _, chosen = least(cards, 0, below)
    return chosen or ()


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

    def worth(shape: Shape) -> tuple[int, int]:
        own = [card for card in shape.free if card in wild]
        return len(own), -sum([seen.count(card) for card in shape.free])

    spare, shapes = hand.wilds - sum([one.need for one in chosen]), []
    for one in chosen:
        more = min(spare, one.room)
        spare -= more
        shape = max(hand.shapes(one, more), key=worth)
        seen += shape.free
        shapes.append((one.onto, shape))
    free = [card for _, shape in shapes for card in shape.free]
    elsewhere = without(wild, free)
    in_place = list(without(wild, elsewhere))
    # Of the others, the last stand for cards that are not there, and the first are left.
    to_lay = list(elsewhere[len(wild) - len(free) :])
    deadwood = without(left, in_place + to_lay)

    def lie(place: Card) -> Laid:
        if place not in in_place:
            return Laid(to_lay.pop(0), place, True)
        in_place.remove(place)
        return Laid(place, place, True)

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
    hand, held = Handful(cards, rules.contract_limits, rules.deck), len(cards)
    discards = not rules.is_whole_hand(held, None)
    if discards and not rules.is_whole_hand(held - 1, held):
        return None
    # A run leaves the other runs as many cards as they must have.
    longest = held - discards - (rules.contract.runs - 1) * hand.limits.run_sizes[0]
    found = _first_melds(hand, rules, longest, most_left=int(discards))
    if found.deadwood or not discards:
        return found.melds if len(found.deadwood) == discards else None
    # All cards can be in runs, and one of them is discarded.
    each = (can_make(without(cards, [card]), rules) for card in dict.fromkeys(cards))
    return next(filter(None, each), None)


def nearest(cards: Sequence[Card], rules: ContractJudge) -> tuple[tuple[Meld, ...], Contract]:
    """Return as many melds of this hand's contract as can be made, and those that are lacking.

    Where the contract takes all cards (CON-10) and nothing is lacking, the number of cards left may
    still be wrong. Raises `Malformed` as `can_make` does.
    """
    hand = Handful(cards, rules.contract_limits, rules.deck)
    # A run that must have several natural cards may have to be longer than others.
    any_size = hand.limits.half_wild or hand.limits.fewest_naturals(Kind.RUN) > 1
    melds = _first_melds(hand, rules, len(cards) if any_size else hand.limits.run_sizes[0]).melds
    return melds, rules.contract.lacking(melds)


def _first_melds(
    hand: Handful, rules: ContractJudge, longest: int, most_left: int | None = None
) -> Arrangement:
    """Return as many melds of the contract as can be made, with the fewest wild cards.

    They are the smallest sets, and runs of up to ``longest`` cards. With ``most_left``, runs have
    any number of wild cards, and there are no melds if more cards are left.
    """
    contract, candidates, any_size = rules.contract, [], most_left is not None
    most = {Kind.RUN: longest, Kind.SET: hand.limits.set_sizes[0]}

    def size(one: Candidate) -> int:
        return len(cards_in(one.taken)) - one.own + one.need

    for one in sorted(hand.melds(longest), key=size):
        if not contract.of(one.kind):
            continue
        room = min(one.room, hand.wilds - one.need, most[one.kind] - size(one))
        for more in range(room + 1 if any_size else min(room + 1, 1)):
            shapes = hand.shapes(one, more)
            legal = [way for way in shapes if not rules.breaches_alone(way.with_jokers())]
            # Where its wild cards lie matters only beside another run of its suit.
            each = [[way] for way in legal] if rules.runs_apart else [legal]
            for ways in filter(None, each):
                beside, bars = _beside(ways[0].with_jokers(), rules)
                taken = one.taken + more + FIRST_MELD[one.kind] + beside
                candidates.append(Candidate(taken, 0, one.kind, one.own, ways, None, bars))
    tokens = contract.sets * FIRST_MELD[Kind.SET] + contract.runs * FIRST_MELD[Kind.RUN]
    if most_left is None:
        chosen = _choose(candidates, hand, _LACKING, tokens, 16 * _TOO_MUCH, use=1)
    else:
        chosen = _choose(candidates, hand, _costs(rules), tokens, most_left + 1)
    return _lay_down(chosen, hand)


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
