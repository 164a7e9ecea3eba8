"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, which has a hex digit for each: how many there are of it. A
candidate takes certain natural cards, and from so many to so many wild ones, a mere number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import chain, combinations, product
from typing import Final, NamedTuple

from companion.rules.cards import (
    CARD_OF,
    JOKER,
    NATURAL,
    PACK,
    RANKS,
    SUITS,
    Card,
    Laid,
    Rank,
    Suit,
    check_packs,
)
from companion.rules.language import noted
from companion.rules.melds import (
    ACE_HIGH,
    STRETCHES,
    AceInRuns,
    Kind,
    Meld,
    MeldLimits,
    Shape,
    run_shapes,
    set_shapes,
)

Breaches = Callable[[Meld, Meld], Sequence[object]]
COUNT: Final = 7  # three bits of a digit count; the fourth guards them
_PLACE: Final = 4 * len(SUITS)  # the bits of one place in a run, or of a rank


def digit(place: int, number: int) -> int:
    """Return one card in the number that counts cards, by its place in a run and its suit."""
    return 1 << _PLACE * (place + 1) + 4 * number


def lowest_digit(cards: int) -> int:
    """Return the bit at which the digit of the lowest card begins."""
    return (cards & -cards).bit_length() - 1 & ~3


# Digits for what can be used up besides cards. Below the cards, so that they are chosen first: runs
# that there must be, clean or not, and the one run that a suit may have. Above them: the sets and
# runs of a contract, a discard, melds of wild cards alone, and the melds on the table.
CLEAN_RUN: Final = digit(-1, 0)
ANY_RUN: Final = digit(-1, 1)
_RUN_OF: Final = [digit(0, suit) for suit in SUITS]
MARKS: Final = {Kind.SET: digit(ACE_HIGH + 1, 0), Kind.RUN: digit(ACE_HIGH + 1, 1)}
DISCARD: Final = digit(ACE_HIGH + 1, 2)
ALONE: Final = digit(ACE_HIGH + 1, 3)
ABOVE: Final = ACE_HIGH + 2
# How often those can be used up that need not be.
OTHERS: Final = sum(_RUN_OF) + COUNT * (ALONE + sum(digit(ABOVE, n) for n in range(300)))

# Where the digit of each card begins, an ace's at its low place, and the cards of each suit's runs.
AT: Final = {card: lowest_digit(digit(card.rank, card.suit)) for card in PACK}
_IN_RUN: Final = [tuple(NATURAL[CARD_OF[rank, s]] for rank in (*RANKS, Rank.ACE)) for s in SUITS]
# One in every digit, at all places of each suit, in the digits of all clubs, and of all aces.
ONES: Final = sum(digit(place, suit) for place in range(-1, 100) for suit in SUITS)
_SUITS: Final = [sum(digit(place, suit) for place in range(1, ACE_HIGH + 1)) for suit in SUITS]
_CLUBS: Final = sum(digit(rank, Suit.CLUBS) for rank in RANKS)
ACES: Final = sum(digit(Rank.ACE, suit) for suit in SUITS)
# So many cards that follow one another.
_IN_A_ROW: Final = [sum(1 << _PLACE * place for place in range(n)) for n in range(ACE_HIGH + 1)]
# From the low place of an ace to its high one, and which cards stay or go up.
ACE_UP: Final = _PLACE * (ACE_HIGH - Rank.ACE)
_STAY_OR_UP: Final = {
    aces: (-1 if aces.lowest == Rank.ACE else ~ACES, ACES if aces.highest == ACE_HIGH else 0)
    for aces in AceInRuns
}
# While cards are counted, the wild ones have two digits that are not in use then.
_WILD_BITS: Final = 8
_WILDS: Final = 255 << _WILD_BITS


class Candidate(NamedTuple):
    """Natural cards for a meld, and the fewest and the most wild cards with them.

    ``own`` of the natural cards are wild ones in their own place. ``shape`` is how it lies, if that
    is certain, and ``onto`` the meld on the table that grows. What it ``bars`` is used up as well.
    """

    taken: int
    need: int
    most: int
    kind: Kind
    cards: tuple[Card, ...] = ()
    own: int = 0
    shape: Shape | None = None
    onto: int | None = None
    bars: int = 0


class Handful:
    """The cards held, and the candidates that they can form.

    ``naturals`` is those that can be natural, as a number, and ``wilds`` how many are wild. Wild
    cards that count as natural in their own places are among both. With ``all_differ`` all are
    natural, and none is there twice. Raises `Malformed` if these packs cannot hold the cards.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits, deck: tuple[int, int]) -> None:
        digits = _digits(limits)
        self.limits, self.alike, self.held = limits, _alike(limits), cards
        self._digits = [digits[card] for card in cards]
        held = sum(self._digits)
        self.wilds, self.naturals = (held & _WILDS) >> _WILD_BITS, held & ~_WILDS
        # Two equal cards add up to one higher bit, so there are fewer bits than cards.
        self.all_differ = not self.wilds and held.bit_count() == len(cards)
        if not self.all_differ:
            check_packs([(noted("in the cards"), cards)], *deck)

    def among(self, some: int) -> list[Card]:
        """Return the cards held that are among some natural ones that all differ."""
        return [card for card, bit in zip(self.held, self._digits, strict=True) if some & bit]

    def melds(self, longest: int = 0, onto: Sequence[Meld] = ()) -> list[Candidate]:
        """Return the new melds, without those that other ones, or lay-offs, are as good as.

        With ``longest`` there are all runs whose natural cards span at most so many places.
        """
        limits, wilds, held = self.alike, self.wilds, self.naturals
        some = (held | held >> 1 | held >> 2) & ONES
        places, alone = self._places(some), 0
        if held == some and not (longest or onto) and _best_in_runs(limits, len(self.held)):
            suits = some + (some >> 4) + (some >> 8) + (some >> 12)
            alone = 0x1111 * (suits & ~(suits >> 1 | suits >> 2) & _CLUBS)
        longest, found = longest or _longest(limits), [*_of_wilds(limits, wilds)]
        for suit, in_suit in zip(SUITS, _SUITS, strict=True):
            if here := places & in_suit:
                found += _runs(limits, wilds, suit, here, longest, here & alone)
        return found + [one for of_rank in self.sets() for one in of_rank]

    def _places(self, cards: int) -> int:
        """Where cards, one of each, can lie in runs."""
        stay, up = _STAY_OR_UP[self.limits.ace_in_runs]
        return cards & stay | (cards & up) << ACE_UP

    def sets(self) -> list[Sequence[Candidate]]:
        """Return the sets of each rank that has any."""
        held, found = self.naturals, []
        # Where there are enough cards of a rank, the sum reaches 16 and carries over.
        together = held + (held >> 4) + (held >> 8) + (held >> 12) & 15 * _CLUBS
        too_few = 16 - max(1, self.limits.set_sizes[0] - self.wilds)
        ranks = together + too_few * _CLUBS >> 4 & _CLUBS
        while ranks:
            at = lowest_digit(ranks)
            rank = RANKS[at // _PLACE - 2]
            if of_rank := _sets(self.alike, self.wilds, rank, held >> at & 0xFFFF):
                found.append(of_rank)
            ranks &= ranks - 1
        return found

    def in_runs(self, cards: int) -> tuple[int, int]:
        """Return at which places natural cards that all differ make runs, and the cards left."""
        places, others = self._places(cards), range(self.limits.run_sizes[0] - 1)
        for _ in others:
            places &= places >> _PLACE
        for _ in others:
            places |= places << _PLACE
        return places, cards & ~(places | places >> ACE_UP)

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Iterator[Candidate]:
        """Yield what can be laid off on melds; ``breaches`` says what a run breaks by growing."""
        for at, meld in enumerate(onto):
            ways = {Kind.SET: self._onto_set(meld), Kind.RUN: self._onto_run(meld, breaches)}
            for one in ways.get(meld.kind, ()):
                yield one._replace(taken=one.taken + COUNT * digit(ABOVE, at), onto=at)

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        natural, held = limits.naturals(meld.cards), self.naturals >> AT[CARD_OF[rank, Suit.CLUBS]]
        if limits.suits_differ:
            held &= ~sum([COUNT << 4 * card.suit for card in meld.identities])
        for added in _choices(limits, rank, held):
            most = _rooms(limits, Kind.SET)[natural + len(added)][1] - len(meld.cards) + natural
            if most >= 0 < most + len(added):
                yield _candidate(limits, Kind.SET, added, 0, most)

    def _onto_run(self, meld: Meld, breaches: Breaches) -> Iterator[Candidate]:
        limits, suit = self.limits, meld.cards[0].stands_for.suit
        there = {laid.stands_for.rank for laid in meld.cards}
        stretches = STRETCHES[limits.ace_in_runs][len(there) + 1 : limits.run_sizes[1] + 1]
        # A wild card to spare goes to the high end first.
        for stretch in [one for some in stretches for one in some[::-1] if one.holds(meld)]:
            added = [CARD_OF[rank, suit] for rank in stretch.ranks if rank not in there]
            held = [card for card in added if self.naturals >> AT[card] & COUNT]
            for count in range(len(held), max(0, len(added) - self.wilds) - 1, -1):
                for cards in combinations(held, count):
                    laid = [Laid(card, card, limits.is_wild(card)) for card in cards]
                    free = tuple([card for card in added if card not in cards])
                    shape = Shape(Kind.RUN, (*meld.cards, *laid), free, stretch.ranks)
                    longer = shape.with_jokers()
                    if not limits.breaches(longer) and not breaches(meld, longer):
                        one = _candidate(limits, Kind.RUN, cards, len(free), len(free))
                        yield one._replace(shape=shape)


def laid_in_runs(places: int) -> list[Meld]:
    """Return the runs that lie at these places."""
    found = []
    while places:
        low, count = lowest_digit(places), 0
        above = places >> low
        while above & 1:
            above >>= _PLACE
            count += 1
        places ^= _IN_A_ROW[count] << low
        first, suit = low // _PLACE - 2, low % _PLACE // 4
        found.append(Meld(Kind.RUN, _IN_RUN[suit][first : first + count]))
    return found


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
        return [Shape(one.kind, known, (), tuple([card.rank for card in one.cards]))]
    if one.kind is Kind.SET:
        return set_shapes(known, number, limits)
    return run_shapes(known, number, limits)[::-1]


# -- what lists depend on -------------------------------------------------------------------------

_KNOWN: Final[dict[tuple[object, ...], MeldLimits]] = {}


@lru_cache(maxsize=1024)
def _alike(limits: MeldLimits) -> MeldLimits:
    """Return the first limits that allow the same melds: what is listed for them is remembered.

    Which ranks are wild matters only where wild cards count as natural in their own places.
    """
    plain = replace(limits, wild_ranks=frozenset()) if limits.wild_in_own_place else limits
    allowed = [getattr(plain, one.name) for one in fields(plain) if one.type != "str"]
    return _KNOWN.setdefault((bool(limits.tanala_rule), *allowed), plain)


@lru_cache(maxsize=1024)
def _digits(limits: MeldLimits) -> Mapping[Card, int]:
    """One of each card in the number that counts cards, as a natural card, a wild one or both."""
    digits = {JOKER: 1 << _WILD_BITS}
    for card in PACK:
        wild = limits.is_wild(card) << _WILD_BITS
        digits[card] = wild if wild and limits.wild_in_own_place else wild + (1 << AT[card])
    return digits


@lru_cache(maxsize=1024)
def _rooms(limits: MeldLimits, kind: Kind) -> Sequence[tuple[int, int]]:
    """The fewest and the most wild cards, by the number of natural ones; more than most if none."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    if kind is Kind.SET and limits.suits_differ:
        longest = min(longest, len(SUITS))
    wilds = longest if limits.max_wilds is None else limits.max_wilds
    rooms = []
    for naturals in range(len(PACK)):
        most = min(longest - naturals, wilds, naturals if limits.half_wild else wilds)
        enough = naturals >= limits.fewest_naturals(kind)
        rooms.append((max(0, fewest - naturals), most if enough else -1))
    return rooms


@lru_cache(maxsize=1024)
def _longest(limits: MeldLimits) -> int:
    """The most places from the first to the last natural card of a run that may beat two runs."""
    shortest, longest = limits.run_sizes
    # A part of a run may have too few natural cards.
    halves = limits.half_wild and not limits.wilds_apart
    if halves or limits.one_run_a_suit or limits.fewest_naturals(Kind.RUN) > 1:
        return longest
    return min(longest, 2 * shortest - 1)


@lru_cache(maxsize=1024)
def _best_in_runs(limits: MeldLimits, cards: int) -> bool:
    """True if the only card of a rank is best in a run: a wild one there can go elsewhere."""
    if not limits.wilds_apart and limits.max_wilds is None and limits.run_sizes[1] == len(RANKS):
        return cards <= len(RANKS)
    need, most = _rooms(limits, Kind.SET)[1]
    return limits.one_run_a_suit and need > most


@lru_cache(maxsize=1024)
def _of_wilds(limits: MeldLimits, wilds: int) -> Sequence[Candidate]:
    """Return the melds of wild cards alone."""
    need, most = _rooms(limits, Kind.SET)[0]
    found = [Candidate(ALONE, need, most, Kind.SET)] if need <= min(most, wilds) else []
    need, most = _rooms(limits, Kind.RUN)[0]
    for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
        for shape in run_shapes((), size, limits)[: len(SUITS)]:
            taken = ALONE + _RUN_OF[shape.free[0].suit] * limits.one_run_a_suit
            found.append(Candidate(taken, size, size, Kind.RUN, shape=shape))
    return found


# -- runs and sets --------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _runs(
    limits: MeldLimits, wilds: int, suit: Suit, held: int, longest: int, alone: int
) -> Sequence[Candidate]:
    """Return the runs of a suit with a natural card, those with many of them first.

    ``held`` has a digit for each place that is held. If some between are left out, there are
    ``longest`` places at most from the first to the last natural card. Those ``alone`` are left out
    only if wild cards fill the run.
    """
    aces, rooms, apart = limits.ace_in_runs, _rooms(limits, Kind.RUN), limits.wilds_apart
    one_run = _RUN_OF[suit] * limits.one_run_a_suit
    in_suit = enumerate(_IN_RUN[suit], 1)
    there = [(place, laid.card) for place, laid in in_suit if held & digit(place, suit)]
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo: list[tuple[int, int, tuple[Card, ...], int]] = []
    todo += [(at, at, (card,), one_run + (1 << AT[card])) for at, (_, card) in enumerate(there)]
    todo.reverse()
    for first, at, cards, taken in todo:
        low, last, count = there[first][0], there[at][0], len(cards)
        (need, most), gaps = rooms[count], last - low + 1 - count
        if apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        left_out = alone and alone & ~taken & digit(last, suit) - digit(low, suit)
        need = most if left_out else max(need, gaps)
        if need <= min(most, wilds):
            own = _own(limits, cards)
            found.append(Candidate(taken, need + own, most + own, Kind.RUN, cards, own))
        top = min(low + count + wilds, last + 2 if apart else ACE_HIGH)
        for more in range(at + 1, len(there)):
            place, card = there[more]
            if place > top or (place - low >= longest and more - first > count):
                break
            todo.append((first, more, (*cards, card), taken + (1 << AT[card])))
    return found[::-1]


@lru_cache(maxsize=1024)
def _sets(limits: MeldLimits, wilds: int, rank: Rank, held: int) -> Sequence[Candidate]:
    """Return the sets of a rank with a natural card, those with many of them first.

    ``held`` is how many there are of each suit.
    """
    found, rooms = [], _rooms(limits, Kind.SET)
    for cards in _choices(limits, rank, held):
        need, most = rooms[len(cards)]
        if limits.tanala_rule and len(cards) == 3 and len({*cards}) == 1:
            need = 1  # without a wild card they are a tanala
        if need <= min(most, wilds) and cards:
            found.append(_candidate(limits, Kind.SET, cards, need, most))
    if limits.tanala_rule:
        thrice = [CARD_OF[rank, suit] for suit in SUITS if held >> 4 * suit & COUNT >= 3]
        found += [_candidate(limits, Kind.TANALA, (card,) * 3, 0, 0) for card in thrice]
    return found


def _choices(limits: MeldLimits, rank: Rank, held: int) -> list[tuple[Card, ...]]:
    """Every choice of cards for a set, all of them first; ``held`` has the number of each suit."""
    most = 1 if limits.suits_differ else COUNT
    there = [(CARD_OF[rank, suit], min(held >> 4 * suit & COUNT, most)) for suit in SUITS]
    of_suits = product(*[[(card,) * n for n in range(count, -1, -1)] for card, count in there])
    return sorted([tuple(chain(*some)) for some in of_suits], key=len, reverse=True)


def _candidate(
    limits: MeldLimits, kind: Kind, cards: tuple[Card, ...], need: int, most: int
) -> Candidate:
    """These natural cards with so many wild ones that stand for others."""
    taken, own = sum([1 << AT[card] for card in cards]), _own(limits, cards)
    return Candidate(taken, need + own, most + own, kind, cards, own)


def _own(limits: MeldLimits, cards: Sequence[Card]) -> int:
    """How many of these natural cards are wild ones in their own place."""
    return 0 if limits.wild_in_own_place else len([1 for card in cards if limits.is_wild(card)])
