"""List the melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one integer with a hex digit for each card of the pack: two fives of clubs are
a 2 in the digit of that card. So one subtraction takes a meld out of a hand. Besides cards, a meld
may use up tokens, which have digits of their own: a run of a contract, or a meld to lay off on.
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
COUNT: Final = 7  # a digit counts to seven; its fourth bit shows that too much was taken
_PLACE: Final = 4 * len(SUITS)  # the bits of the four digits of one place in runs


def unit(place: int, number: int) -> int:
    """Return a 1 in one digit: by place in runs and suit, or by place and number of a token."""
    return 1 << _PLACE * (place + 1) + 4 * number


def lowest_digit(counts: int) -> int:
    """Return the bit at which the lowest digit that is not 0 begins."""
    return (counts & -counts).bit_length() - 1 & ~3


# Tokens. Above the cards: the runs that a declaration must have, clean or not, the sets and runs of
# a contract, the discard, and from ABOVE on the melds on the table. Below: a suit's only run, and
# melds of wild cards alone.
CLEAN_RUN: Final = unit(ACE_HIGH + 1, 0)
ANY_RUN: Final = unit(ACE_HIGH + 1, 1)
FIRST_MELD: Final = {Kind.SET: unit(ACE_HIGH + 1, 2), Kind.RUN: unit(ACE_HIGH + 1, 3)}
DISCARD: Final = unit(ACE_HIGH + 2, 0)
ABOVE: Final = ACE_HIGH + 3
_ONLY_RUN: Final = [unit(0, Suit.SPADES - suit) for suit in SUITS]
WILD_MELD: Final = unit(-1, 0)
# As many of each token that a player may leave as there ever are.
OPTIONAL: Final = sum(_ONLY_RUN) + COUNT * (WILD_MELD + sum(unit(ABOVE, n) for n in range(300)))

# Where the digit of each card begins (an ace's at its low place), and each suit's cards by place.
AT: Final = {card: lowest_digit(unit(card.rank, card.suit)) for card in PACK}
_BY_PLACE: Final = [tuple(NATURAL[CARD_OF[rank, s]] for rank in (*RANKS, Rank.ACE)) for s in SUITS]
# A 1 in every digit; at every place of each suit; in all clubs; in all aces; in n cards in a row.
ONES: Final = sum(unit(place, suit) for place in range(-1, 100) for suit in SUITS)
_SUITS: Final = [sum(unit(place, suit) for place in range(1, ACE_HIGH + 1)) for suit in SUITS]
_CLUBS: Final = sum(unit(rank, Suit.CLUBS) for rank in RANKS)
ACES: Final = sum(unit(Rank.ACE, suit) for suit in SUITS)
_IN_A_ROW: Final = [sum(1 << _PLACE * place for place in range(n)) for n in range(ACE_HIGH + 1)]
# How far an ace's high place is above its low one; which digits keep their place, and which go up.
ACE_UP: Final = _PLACE * (ACE_HIGH - Rank.ACE)
_KEEP_AND_RAISE: Final = {
    aces: (-1 if aces.lowest == Rank.ACE else ~ACES, ACES if aces.highest == ACE_HIGH else 0)
    for aces in AceInRuns
}
_WILDS: Final = 255  # while a hand is counted, the two lowest digits count its wild cards


class Candidate(NamedTuple):
    """A meld or lay-off: its natural ``cards``, and the fewest and the most wild cards with them.

    ``taken`` counts its natural cards and tokens. ``own`` is how many of the cards are wild ones in
    their own place. ``shape`` is how it lies, if there is only one way. ``onto`` is the index of
    the meld on the table that it is laid off on. Nothing chosen later may take the tokens ``bars``.
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
    """The cards held, counted, and the candidates that they can form.

    ``naturals`` counts the cards that can be natural, and ``wilds`` is the number of wild ones. A
    wild card that is natural in its own place is in both. ``all_differ`` is true if all cards are
    natural and no two are the same. Raises `Malformed` if these packs cannot hold the cards.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits, deck: tuple[int, int]) -> None:
        units = _units(limits)
        self.limits, self.shared, self.cards = limits, _shared(limits), cards
        self._units = [units[card] for card in cards]
        counts = sum(self._units)
        self.wilds, self.naturals = counts & _WILDS, counts & ~_WILDS
        # Two equal cards add up to one higher bit, so there are fewer bits than cards.
        self.all_differ = not self.wilds and counts.bit_count() == len(cards)
        if not self.all_differ:
            check_packs([(noted("in the cards"), cards)], *deck)

    def among(self, counts: int) -> list[Card]:
        """Return the cards that ``counts`` has, in a hand whose cards all differ."""
        return [card for card, own in zip(self.cards, self._units, strict=True) if counts & own]

    def melds(self, longest: int = 0, onto: Sequence[Meld] = ()) -> list[Candidate]:
        """Return the new melds, without those that shorter melds or lay-offs do as well.

        With ``longest``, every run is listed whose natural cards span no more places than that.
        """
        limits, wilds, held = self.shared, self.wilds, self.naturals
        once = (held | held >> 1 | held >> 2) & ONES
        places, alone = self._places(once), 0
        if held == once and not (longest or onto) and _best_in_runs(limits, len(self.cards)):
            suits = once + (once >> 4) + (once >> 8) + (once >> 12)
            alone = 0x1111 * (suits & ~(suits >> 1 | suits >> 2) & _CLUBS)
        longest, found = longest or _longest(limits), [*_of_wilds(limits, wilds)]
        for suit, in_suit in zip(SUITS, _SUITS, strict=True):
            if here := places & in_suit:
                found += _runs(limits, wilds, suit, here, longest, here & alone)
        return found + [one for of_rank in self.sets() for one in of_rank]

    def _places(self, cards: int) -> int:
        """Return the places in runs where cards, one of each, can lie: an ace may have two."""
        keep, up = _KEEP_AND_RAISE[self.shared.ace_in_runs]
        return cards & keep | (cards & up) << ACE_UP

    def sets(self) -> list[Sequence[Candidate]]:
        """Return the sets of each rank that has any."""
        held, found = self.naturals, []
        # Where a rank has enough cards, the sum reaches 16 and carries over.
        together = held + (held >> 4) + (held >> 8) + (held >> 12) & 15 * _CLUBS
        too_few = 16 - max(1, self.limits.set_sizes[0] - self.wilds)
        ranks = together + too_few * _CLUBS >> 4 & _CLUBS
        while ranks:
            at = lowest_digit(ranks)
            rank = RANKS[at // _PLACE - 2]
            if of_rank := _sets(self.shared, self.wilds, rank, held >> at & 0xFFFF):
                found.append(of_rank)
            ranks &= ranks - 1
        return found

    def in_runs(self, cards: int) -> tuple[int, int]:
        """Return the places of all natural runs of these cards, which all differ, and the rest."""
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
                yield one._replace(taken=one.taken + COUNT * unit(ABOVE, at), onto=at)

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        wild, held = limits.wilds(meld.cards), self.naturals >> AT[CARD_OF[rank, Suit.CLUBS]]
        if limits.suits_differ:
            held &= ~sum([COUNT << 4 * card.suit for card in meld.identities])
        for added in _choices(limits, rank, held):
            natural = len(meld.cards) - wild + len(added)
            most = _wild_ranges(limits, Kind.SET)[natural][1] - wild
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


def runs_at(places: int) -> list[Meld]:
    """Return the natural runs that lie at these places."""
    found = []
    while places:
        low, count = lowest_digit(places), 0
        above = places >> low
        while above & 1:
            above >>= _PLACE
            count += 1
        places ^= _IN_A_ROW[count] << low
        first, suit = low // _PLACE - 2, low % _PLACE // 4
        found.append(Meld(Kind.RUN, _BY_PLACE[suit][first : first + count]))
    return found


def shapes_of(
    one: Candidate, wilds: int, limits: MeldLimits, onto: Sequence[Meld] = ()
) -> Sequence[Shape]:
    """Return the shapes of a candidate with this number of wild cards, high runs first.

    In some of them, wild cards may lie side by side where the limits forbid it.
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


# -- limits ---------------------------------------------------------------------------------------

_KNOWN: Final[dict[tuple[object, ...], MeldLimits]] = {}


@lru_cache(maxsize=1024)
def _shared(limits: MeldLimits) -> MeldLimits:
    """Return the first limits seen that allow the same melds: their lists are shared.

    Wild ranks make a difference only where wild cards count as natural in their own place.
    """
    plain = replace(limits, wild_ranks=frozenset()) if limits.wild_in_own_place else limits
    allowed = [getattr(plain, one.name) for one in fields(plain) if one.type != "str"]
    return _KNOWN.setdefault((bool(limits.tanala_rule), *allowed), plain)


@lru_cache(maxsize=1024)
def _units(limits: MeldLimits) -> Mapping[Card, int]:
    """Return what each card adds to the counts of a hand, as a natural card, a wild one or both."""
    units = {JOKER: 1}
    for card in PACK:
        wild = int(limits.is_wild(card))
        units[card] = wild if wild and limits.wild_in_own_place else wild + (1 << AT[card])
    return units


@lru_cache(maxsize=1024)
def _wild_ranges(limits: MeldLimits, kind: Kind) -> Sequence[tuple[int, int]]:
    """Return by number of natural cards the fewest and most wild ones; no meld if fewest > most."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    if kind is Kind.SET and limits.suits_differ:
        longest = min(longest, len(SUITS))
    wilds = longest if limits.max_wilds is None else limits.max_wilds
    ranges = []
    for naturals in range(len(PACK)):
        most = min(longest - naturals, wilds, naturals if limits.half_wild else wilds)
        enough = naturals >= limits.fewest_naturals(kind)
        ranges.append((max(0, fewest - naturals), most if enough else -1))
    return ranges


@lru_cache(maxsize=1024)
def _longest(limits: MeldLimits) -> int:
    """Return the most places of a run that two runs cannot replace: 5 where 3 cards are a run."""
    shortest, longest = limits.run_sizes
    # A part of a run may have too few natural cards.
    halves = limits.half_wild and not limits.wilds_apart
    if halves or limits.one_run_a_suit or limits.fewest_naturals(Kind.RUN) > 1:
        return longest
    return min(longest, 2 * shortest - 1)


@lru_cache(maxsize=1024)
def _best_in_runs(limits: MeldLimits, cards: int) -> bool:
    """True if no run gains by a wild card in place of the only card of a rank that is held."""
    if not limits.wilds_apart and limits.max_wilds is None and limits.run_sizes[1] == len(RANKS):
        return cards <= len(RANKS)
    need, most = _wild_ranges(limits, Kind.SET)[1]
    return limits.one_run_a_suit and need > most


@lru_cache(maxsize=1024)
def _of_wilds(limits: MeldLimits, wilds: int) -> Sequence[Candidate]:
    """Return the melds of wild cards alone."""
    need, most = _wild_ranges(limits, Kind.SET)[0]
    found = [Candidate(WILD_MELD, need, most, Kind.SET)] if need <= min(most, wilds) else []
    need, most = _wild_ranges(limits, Kind.RUN)[0]
    for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
        for shape in run_shapes((), size, limits)[: len(SUITS)]:
            taken = WILD_MELD + _ONLY_RUN[shape.free[0].suit] * limits.one_run_a_suit
            found.append(Candidate(taken, size, size, Kind.RUN, shape=shape))
    return found


# -- runs and sets --------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _runs(
    limits: MeldLimits, wilds: int, suit: Suit, held: int, longest: int, alone: int
) -> Sequence[Candidate]:
    """Return the runs of a suit that have a natural card, those with most of them first.

    ``held`` has a 1 for each place where a held card can lie. A run that leaves out some of them
    spans ``longest`` places at most; one that leaves out any of ``alone`` has all the wild cards
    that it can have.
    """
    aces, ranges, apart = limits.ace_in_runs, _wild_ranges(limits, Kind.RUN), limits.wilds_apart
    one_run = _ONLY_RUN[suit] * limits.one_run_a_suit
    in_suit = enumerate(_BY_PLACE[suit], 1)
    there = [(place, laid.card) for place, laid in in_suit if held & unit(place, suit)]
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo: list[tuple[int, int, tuple[Card, ...], int]] = []
    todo += [(at, at, (card,), one_run + (1 << AT[card])) for at, (_, card) in enumerate(there)]
    todo.reverse()
    for first, at, cards, taken in todo:
        low, last, count = there[first][0], there[at][0], len(cards)
        (need, most), gaps = ranges[count], last - low + 1 - count
        if apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        left_out = alone and alone & ~taken & unit(last, suit) - unit(low, suit)
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
    """Return the sets of a rank that have a natural card, those with most of them first.

    ``held`` counts the cards of each suit.
    """
    found, ranges = [], _wild_ranges(limits, Kind.SET)
    for cards in _choices(limits, rank, held):
        need, most = ranges[len(cards)]
        if limits.tanala_rule and len(cards) == 3 and len({*cards}) == 1:
            need = 1  # without a wild card they are a tanala
        if need <= min(most, wilds) and cards:
            found.append(_candidate(limits, Kind.SET, cards, need, most))
    if limits.tanala_rule:
        thrice = [CARD_OF[rank, suit] for suit in SUITS if held >> 4 * suit & COUNT >= 3]
        found += [_candidate(limits, Kind.TANALA, (card,) * 3, 0, 0) for card in thrice]
    return found


def _choices(limits: MeldLimits, rank: Rank, held: int) -> list[tuple[Card, ...]]:
    """Return every choice of the cards of a rank for a set, largest first: ``held`` counts them."""
    most = 1 if limits.suits_differ else COUNT
    there = [(CARD_OF[rank, suit], min(held >> 4 * suit & COUNT, most)) for suit in SUITS]
    of_suits = [[(card,) * n for n in range(count, -1, -1)] for card, count in there]
    choices = [tuple(chain(*some[::-1])) for some in product(*of_suits[::-1])]
    return sorted(choices, key=len, reverse=True)


def _candidate(
    limits: MeldLimits, kind: Kind, cards: tuple[Card, ...], need: int, most: int
) -> Candidate:
    """Return the candidate of these cards, with ``need`` to ``most`` wild ones for others."""
    taken, own = sum([1 << AT[card] for card in cards]), _own(limits, cards)
    return Candidate(taken, need + own, most + own, kind, cards, own)


def _own(limits: MeldLimits, cards: Sequence[Card]) -> int:
    """Return how many of these natural cards are wild ones in their own place."""
    return 0 if limits.wild_in_own_place else len([1 for card in cards if limits.is_wild(card)])
