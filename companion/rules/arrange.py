"""Arrange a handful of cards: for the fewest points or cards left, or for a contract.

Only the game's limits on melds count here, not what a turn forbids (PRO-7) or what is on the table
already (PRO-9). `companion.rules.candidates` lists the melds that there are, `_choose` picks the
best of them, and `_lay_down` says which card lies where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from operator import itemgetter
from typing import Final, NamedTuple, Union

from companion.rules import candidates as listing
from companion.rules.candidates import AT, COUNT, FIRST_MELD, Candidate, Handful, shapes_of, unit
from companion.rules.cards import JOKER, NATURAL, PACK, RANKS, Card, Laid, without
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.judge import Judge
from companion.rules.melds import ACE_HIGH, Kind, Meld, Shape

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT: Final = 1 << 8
_TOO_MUCH: Final = 1 << 40  # more than any cards can cost
_MOST_CHOICES: Final = 300  # as many combinations of sets are tried one by one
_WILD: Final = -1  # the key of a wild card in costs
# The order of cards left. Wild cards are laid in this order, too.
_IN_ORDER: Final = {card: number for number, card in enumerate((*PACK, JOKER))}.__getitem__


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
    (KAL-5). The order of the cards does not matter. Points are as in PRO-15, melds as in PRO-4 to
    PRO-6, lay-offs as in PRO-8, and likewise in the other games. Where a game asks for a number of
    runs, and of clean ones (IND-5, IND-8), there are so many among the melds, or no melds but clean
    runs. All wild cards have to count the same, as they do in every game. Raises `Malformed` if the
    game's packs cannot hold the cards.
    """
    hand = Handful(cards, rules.limits, rules.deck)
    if hand.all_differ and not (onto or rules.all_runs) and (found := _all_natural(hand, rules)):
        return found
    melds, costs = hand.melds(onto=onto), _costs(rules, _POINT)
    found = _best(melds, hand, rules, costs, onto, with_runs=True)
    if not (rules.all_runs and found.deadwood):
        return found
    clean = _best(melds, hand, rules, costs, onto, clean_only=True)
    return min(found, clean, key=lambda one: (one.points, len(one.deadwood)))


def fewest_cards(cards: Sequence[Card], rules: Judge, *, with_runs: bool = False) -> Arrangement:
    """Return an arrangement that leaves the fewest cards, whatever they count.

    With ``with_runs`` the runs that the game asks for are among the melds, or nothing is melded.
    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    hand = Handful(cards, rules.limits, rules.deck)
    return _best(hand.melds(), hand, rules, _costs(rules), with_runs=with_runs)


@lru_cache(maxsize=1024)
def _points(rules: Judge) -> Mapping[Card, int]:
    return {card: rules.value(card) for card in (JOKER, *PACK)}


@lru_cache(maxsize=1024)
def _costs(rules: Judge, point: int = 0) -> Mapping[int, int]:
    """Return what it costs to leave each card: 1, and ``point`` for each of its points.

    A card that can be wild or natural is left as a wild one; its natural place costs nothing.
    """
    return {
        _WILD if rules.limits.is_wild(card) else AT.get(card, _WILD): points * point + 1
        for card, points in _points(rules).items()
    }


def _best(
    melds: Sequence[Candidate],
    hand: Handful,
    rules: Judge,
    costs: Mapping[int, int],
    onto: Sequence[Meld] = (),
    *,
    with_runs: bool = False,
    clean_only: bool = False,
) -> Arrangement:
    """Return the arrangement that leaves the least: with the runs asked for, or of clean runs."""
    listed, tokens = [*melds], 0
    if rules.all_runs and (with_runs or clean_only):
        runs = [one for one in listed if one.kind is Kind.RUN]
        clean = [one._replace(most=one.need) for one in runs if one.need == one.own]
        if clean_only:
            listed = clean
        else:
            listed += [one._replace(taken=one.taken + listing.CLEAN_RUN) for one in clean]
            listed += [one._replace(taken=one.taken + listing.ANY_RUN) for one in runs]
            others = rules.all_runs - rules.clean_runs
            tokens = rules.clean_runs * listing.CLEAN_RUN + others * listing.ANY_RUN
    listed += hand.lay_offs(onto, rules.longer_breaches)
    laid, laid_off, left = _lay_down(_choose(listed, hand, costs, tokens)[1], hand, onto)
    return Arrangement(sum(map(_points(rules).__getitem__, left)), laid, laid_off, left)


# -- natural cards that all differ ----------------------------------------------------------------


def _all_natural(hand: Handful, rules: Judge) -> Arrangement | None:
    """Return the best arrangement of natural cards that all differ, None if it takes a search.

    The sets are chosen, and the longest runs are made of the other cards.
    """
    limits, points = hand.limits, _points(rules)
    runs, left = hand.in_runs(hand.naturals)
    # An ace could be in two runs.
    two_ways = runs & runs >> listing.ACE_UP & listing.ACES
    if two_ways or limits.one_run_a_suit or limits.run_sizes[1] < len(RANKS):
        return None
    sets: Sequence[Candidate] = ()
    if of_ranks := hand.sets():
        ways = [_worth_trying(of_rank, left, limits.set_sizes[1]) for of_rank in of_ranks]
        sets, number = [way[0] for way in ways], prod(map(len, ways))
        if number == 1:  # all of their cards were left
            left -= sum([one.taken for one in sets])
        elif number > _MOST_CHOICES:
            return None
        else:
            least = _TOO_MUCH
            for some in product(*ways):
                longer, rest = hand.in_runs(hand.naturals - sum([one.taken for one in some]))
                cost = sum([points[card] * _POINT + 1 for card in hand.among(rest)]) if rest else 0
                if cost < least:
                    least, sets, runs, left = cost, some, longer, rest
                    if not cost:
                        break
    melds = listing.runs_at(runs)
    for one in sets:
        if one.cards:
            melds.append(Meld(Kind.SET, tuple([NATURAL[card] for card in one.cards])))
    deadwood = sorted(hand.among(left) if melds else hand.cards, key=_IN_ORDER)
    return Arrangement(sum([points[card] for card in deadwood]), tuple(melds), (), tuple(deadwood))


def _worth_trying(sets: Sequence[Candidate], left: int, most: int) -> list[Candidate]:
    """Return the sets that may be best, full or with all cards ``left`` by runs, and no set."""
    alone = sets[0].taken & left
    found = [one for one in sets if not alone & ~one.taken or len(one.cards) == most]
    if alone.bit_count() < len(sets[-1].cards):
        found.append(Candidate(0, 0, 0, Kind.SET))
    return found


# -- choosing among candidates --------------------------------------------------------------------

# Candidates, in the order in which they were chosen, and None at the end.
Picked = Union["tuple[Candidate, Picked]", None]
_UNKNOWN: Final = (0, False, None)


def _choose(  # noqa: C901 - one search, with what it remembers
    candidates: Sequence[Candidate],
    hand: Handful,
    costs: Mapping[int, int],
    tokens: int = 0,
    below: int = _TOO_MUCH,
    use: int = 0,
    *,
    low_first: bool = False,
) -> tuple[int, Sequence[Candidate]]:
    """Return the lowest cost of the cards left, and the candidates that leave them.

    ``costs`` has the cost of leaving each card, ``use`` is that of using a wild one, and ``tokens``
    must be taken. Costs from ``below`` up are not told apart.

    The highest card, or with ``low_first`` the lowest, goes to each candidate that takes it, or is
    left; then the next one. For each rest, its lowest cost is remembered, or that it is not low
    enough to be of use.
    """
    reach, of_first = 0, defaultdict[int, list[Candidate]](list)
    for one in sorted(candidates, key=itemgetter(1)):
        taken = one[0]
        reach |= taken
        of_first[(taken & -taken if low_first else taken).bit_length() - 1 & ~3].append(one)
    reach = (reach | reach >> 1 | reach >> 2) & listing.ONES
    guards, wild_cost = 8 * reach, costs.get(_WILD, 0)
    if tokens:  # leaving one costs more than any cards, and most for the lowest
        digits = [at for at in range(0, tokens.bit_length(), 4) if tokens >> at & COUNT]
        costs = {**costs, **{at: 2 * _TOO_MUCH - 8 * at for at in digits}}
    known: dict[tuple[int, int, int], tuple[int, bool, Picked]] = {}

    def least(cards: int, wilds: int, room: int, below: int) -> tuple[int, Picked]:
        """Return the same for the rest, after melds with ``room`` for this many wild cards."""
        if not cards or (wilds <= room and cards <= COUNT):
            return (wilds - room) * wild_cost, None
        key = cards, wilds, room
        fewest, is_sure, picked = known.get(key, _UNKNOWN)
        if is_sure or fewest >= below:
            return fewest, picked
        at = (cards & -cards if low_first else cards).bit_length() - 1 & ~3
        fewest, picked, guarded = below, None, cards | guards
        for one in of_first.get(at, ()):
            taken, need, most = one[0], one[1], one[2]
            if need > wilds or not fewest:
                break
            if guarded - taken & guards == guards:
                after, price = cards - taken & ~one.bars, need * use
                spare = wilds - need
                left, others = least(after, spare, min(room + most - need, spare), fewest - price)
                if left + price < fewest:
                    fewest, picked = left + price, (one, others)
        here = cards & COUNT << at
        price = (here >> at) * costs.get(at, 0)
        if price < fewest:
            left, others = least(cards ^ here, wilds, room, fewest - price)
            if left + price < fewest:
                fewest, picked = left + price, others
        known[key] = fewest, fewest < below, picked
        return fewest, picked

    cards = hand.naturals + (listing.OPTIONAL & COUNT * reach) + tokens
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

    A wild card lies in its own place if it can. Otherwise it is laid for a card that no other meld
    has, while there are such cards; in a run, for a high one first.
    """
    # Runs come before sets, whose wild cards can be any, and at last wild cards alone.
    chosen = sorted(chosen, key=lambda one: (one.kind is Kind.SET, not one.cards))
    seen = [card for one in chosen for card in one.cards]
    left = sorted(without(hand.cards, seen), key=_IN_ORDER)
    limits, wild = hand.limits, [card for card in left if hand.limits.is_wild(card)]

    def worth(shape: Shape) -> tuple[int, int]:
        own = [card for card in shape.free if card in wild]
        return len(own), -sum([seen.count(card) for card in shape.free])

    spare, shapes = hand.wilds - sum([one.need for one in chosen]), []
    for one in chosen:
        more = min(spare, one.most - one.need)
        spare -= more
        shape, *others = shapes_of(one, one.need + more, limits, onto)
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
    laid_off.sort(key=itemgetter(1))
    return tuple([meld for at, meld in laid if at is None]), tuple(laid_off), deadwood


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
    candidates = [*_first_melds(hand, rules, longest, any_size=True)]
    tokens = _tokens(rules.contract)
    if discards:  # any card can be the one, or a wild one
        tokens += listing.DISCARD
        there = [1 << at for at in AT.values() if hand.naturals >> at & COUNT]
        candidates += [Candidate(one + listing.DISCARD, 0, 0, Kind.SET) for one in there]
        candidates.append(Candidate(listing.DISCARD, 1, 1, Kind.SET))
    cost, chosen = _choose(candidates, hand, _costs(rules), tokens, below=1, low_first=True)
    runs = [one for one in chosen if one.kind is Kind.RUN]
    return None if cost else _lay_down(runs, hand)[0]


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
    tokens, below = _tokens(contract), 16 * _TOO_MUCH
    _, chosen = _choose(candidates, hand, {}, tokens, below, use=1, low_first=True)
    sets = len([one for one in chosen if one.kind is Kind.SET])
    lacking = Contract(contract.sets - sets, contract.runs - len(chosen) + sets)
    return _lay_down(chosen, hand)[0], lacking


def _tokens(contract: Contract) -> int:
    return contract.sets * FIRST_MELD[Kind.SET] + contract.runs * FIRST_MELD[Kind.RUN]


def _first_melds(
    hand: Handful, rules: ContractJudge, longest: int, *, any_size: bool = False
) -> Iterator[Candidate]:
    """Yield the candidates for first melds: the smallest sets, and runs of up to ``longest`` cards.

    With ``any_size``, each is listed with every number of wild cards, otherwise with the fewest.
    """
    most = {Kind.RUN: longest, Kind.SET: hand.limits.set_sizes[0]}
    for one in sorted(hand.melds(longest), key=lambda one: len(one.cards)):
        if not rules.contract.of(one.kind):
            continue
        room = min(one.most, hand.wilds, most[one.kind] - len(one.cards) + one.own)
        # Where its wild cards lie matters only beside another run of its suit.
        all_ways = rules.runs_apart and one.kind is Kind.RUN
        for wilds in range(one.need, (room if any_size else min(room, one.need)) + 1):
            shapes = shapes_of(one, wilds, hand.limits)
            legal = [way for way in shapes if not rules.breaches_alone(way.with_jokers())]
            for shape in legal if all_ways else legal[:1]:
                beside, bars = _beside(shape.with_jokers(), rules)
                yield one._replace(
                    taken=one.taken + FIRST_MELD[one.kind] + beside,
                    need=wilds,
                    most=wilds,
                    shape=shape if all_ways else one.shape,
                    bars=bars,
                )


def _beside(meld: Meld, rules: ContractJudge) -> tuple[int, int]:
    """Return the tokens that a first meld takes, and those that it bars to keep others apart."""
    suit, rank = meld.cards[0].stands_for.suit, meld.cards[0].stands_for.rank
    if meld.kind is Kind.SET:
        return COUNT * unit(listing.ABOVE + rank, 0) if rules.one_set_a_rank else 0, 0
    if not rules.runs_apart:
        return 0, 0
    # Where it begins and ends, and where another one would end just before it or begin after it.
    begins, ends = (listing.ABOVE + ACE_HIGH + at for at in (2 * meld.low, 2 * meld.high + 1))
    barred = unit(begins - 1, suit) | unit(ends + 1, suit)
    return unit(begins, suit) | unit(ends, suit), COUNT * barred
