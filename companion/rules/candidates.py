"""List the melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one integer with a hex digit for each card of the pack: two fives of clubs are
a 2 in the digit of that card. So one subtraction takes a meld out of a hand. Besides cards, a meld
may use up tokens, which have digits of their own: a run of a contract, or a meld to lay off on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from companion.rules import melds
from companion.rules.cards import (
    JOKER,
    NATURAL,
    PACK,
    RANKS,
    SUITS,
    Card,
    Laid,
    Rank,
    Suit,
    as_run,
    check_packs,
    without,
)
from companion.rules.language import noted
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits, Shape

Breaches = Callable[[Meld, Meld], Sequence[object]]
COUNT: Final = 7  # a digit counts to seven; its fourth bit shows that too much was taken
_PLACE: Final = 4 * len(SUITS)  # the bits of the four digits of one place in runs


def unit(place: int, number: int) -> int:
    """Return a 1 in one digit: by place in runs and suit, or by place and number of a token."""
    return 1 << _PLACE * (place + 1) + 4 * number


# Tokens. Above the cards: the runs that a declaration must have, clean or not, the sets and runs of
# a contract, and from ABOVE on the melds on the table, or what keeps first melds apart. Below: a
# suit's only run, the highest for clubs, so that a run of wild cards is one of clubs; and melds of
# wild cards alone.
CLEAN_RUN: Final = unit(ACE_HIGH + 1, 0)
ANY_RUN: Final = unit(ACE_HIGH + 1, 1)
FIRST_MELD: Final = {Kind.SET: unit(ACE_HIGH + 1, 2), Kind.RUN: unit(ACE_HIGH + 1, 3)}
ABOVE: Final = ACE_HIGH + 2
_ONLY_RUN: Final = [unit(0, Suit.SPADES - suit) for suit in SUITS]
_WILD_MELD: Final = unit(-1, 0)
# The tokens that a player may leave, as many of each as there ever are; no table has 300 melds.
OPTIONAL: Final = sum(_ONLY_RUN) + COUNT * (_WILD_MELD + sum(unit(ABOVE, n) for n in range(300)))

# Where the digit of each card begins (an ace's at its low place), and each suit's cards by place.
AT: Final = {card: unit(*card).bit_length() - 1 for card in PACK}
_BY_PLACE: Final = [tuple(NATURAL[Card(rank, s)] for rank in (*RANKS, Rank.ACE)) for s in SUITS]
# A 1 in every digit; in each suit's cards; in all clubs; in all aces; in n cards in a row.
ONES: Final = sum(unit(place, suit) for place in range(-1, 100) for suit in SUITS)
_SUITS: Final = [sum(unit(rank, suit) for rank in RANKS) for suit in SUITS]
_CLUBS: Final = _SUITS[0]
_ACES: Final = sum(unit(Rank.ACE, suit) for suit in SUITS)
_IN_A_ROW: Final = [sum(1 << _PLACE * place for place in range(n)) for n in range(ACE_HIGH + 1)]
_ACE_UP: Final = _PLACE * (ACE_HIGH - Rank.ACE)  # how far an ace's high place is above its low one
_WILDS: Final = 255  # while a hand is counted, the two lowest digits count its wild cards


class Candidate(NamedTuple):
    """A meld or lay-off: its natural cards, and the fewest and the most wild cards in it.

    ``taken`` counts its natural cards and tokens. ``own`` of the cards are wild ones in their own
    place, and count as both. ``shapes`` are the ways in which it can lie, if they are known.
    ``onto`` is the meld that it is laid off on, after its index. Nothing chosen later may take the
    tokens ``bars``.
    """

    taken: int
    need: int
    most: int
    kind: Kind
    own: int = 0
    shapes: Sequence[Shape] = ()
    onto: tuple[int, Meld] | None = None
    bars: int = 0


class Handful:
    """The cards held, counted, and the candidates that they can form.

    ``naturals`` counts the cards that can be natural, and ``wilds`` is the number of wild ones. A
    wild card that is natural in its own place is in both. ``all_differ`` is true if all cards are
    natural and no two are the same. Raises `Malformed` if these packs cannot hold the cards.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits, deck: tuple[int, int]) -> None:
        self.limits, self._shared, self.cards = limits, _shared(limits), cards
        units = _units(limits)
        self._bits = [units[card] for card in cards]
        counts = sum(self._bits)
        self.wilds, self.naturals = counts & _WILDS, counts & ~_WILDS
        # Two equal cards add up to one higher bit, so there are fewer bits than cards.
        self.all_differ = not self.wilds and counts.bit_count() == len(cards)
        if not self.all_differ:
            check_packs([(noted("in the cards"), cards)], *deck)

    def among(self, counts: int) -> list[Card]:
        """Return the cards that ``counts`` has, in a hand whose cards all differ."""
        return [card for card, bit in zip(self.cards, self._bits, strict=True) if counts & bit]

    def melds(self, longest: int = 0) -> list[Candidate]:
        """Return the new melds, without most runs that two shorter ones can replace.

        With ``longest``, every run is listed whose natural cards span no more places than that.
        """
        limits, wilds, held = self._shared, self.wilds, once(self.naturals)
        found, longest = [*_of_wilds(limits, wilds)], longest or _longest(limits)
        for suit, in_suit in zip(SUITS, _SUITS, strict=True):
            if held & in_suit:
                found += _runs(limits, wilds, suit, held & in_suit, longest)
        return found + [one for of_rank in self.sets() for one in of_rank]

    def sets(self) -> list[Sequence[Candidate]]:
        """Return the sets of each rank that has any, the largest of them first."""
        held, found = self.naturals, []
        fewest = max(1, self.limits.set_sizes[0] - self.wilds)
        together = held + (held >> 4) + (held >> 8) + (held >> 12) & 15 * _CLUBS
        # Where a rank has enough cards, the sum reaches 16 and carries over.
        ranks = together + (16 - fewest) * _CLUBS >> 4 & _CLUBS
        while ranks:
            at = ranks.bit_length() - 1
            if of_rank := _sets(self._shared, self.wilds, at, held >> at & 0xFFFF):
                found.append(of_rank)
            ranks -= 1 << at
        return found

    def in_runs(self, held: int) -> tuple[int, int]:
        """Return the places of all natural runs of these cards, which all differ, and the rest."""
        aces, places = self.limits.ace_in_runs, held
        if aces is AceInRuns.HIGH:
            places &= ~_ACES
        if aces is not AceInRuns.LOW:
            places |= (held & _ACES) << _ACE_UP
        # Keep each place from which a shortest run goes up, then fill these runs up again.
        others = range(self.limits.run_sizes[0] - 1)
        for _ in others:
            places &= places >> _PLACE
        for _ in others:
            places |= places << _PLACE
        return places, held & ~(places | places >> _ACE_UP)

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Iterator[Candidate]:
        """Yield what can be laid off on melds; ``breaches`` says what one breaks by growing.

        It is listed as new melds are, with the cards of the meld as held ones.
        """
        for number, meld in enumerate(onto):
            longer, (rank, suit) = list[Candidate](), meld.identities[0]
            held = self.naturals + sum([1 << AT[card] for card in meld.identities])
            if meld.kind is Kind.SET:
                low = _PLACE * (rank + 1)
                longer += _sets(self._shared, self.wilds, low, held >> low & 0xFFFF)
            elif meld.kind is Kind.RUN:
                longer += _runs(self._shared, self.wilds, suit, once(held) & _SUITS[suit], ACE_HIGH)
            for cards in [cards_in(one.taken) for one in longer]:
                added = without(cards, meld.identities)
                if len(added) + len(meld.cards) > len(cards):
                    continue  # not all of the meld is in it
                natural = sum([1 << AT[card] for card in added])
                own, taken = _own(self._shared, natural), natural + COUNT * unit(ABOVE, number)
                # At least one card is laid off: a wild one if none is natural.
                for need in range(own + (not added), self.wilds + 1):
                    one = Candidate(taken, need, need, meld.kind, own, (), (number, meld))
                    ways = self.shapes(one, need)
                    ways = [way for way in ways if not breaches(meld, way.with_jokers())]
                    if ways:
                        yield one._replace(shapes=ways)

    def shapes(self, one: Candidate, wilds: int) -> Sequence[Shape]:
        """Return how a candidate can lie with this number of wild cards, high runs first."""
        if one.shapes:
            return one.shapes
        limits, cards = self.limits, as_run(cards_in(one.taken))
        known, free = [Laid(card, card, limits.is_wild(card)) for card in cards], wilds - one.own
        if not (free or one.onto):
            return [Shape(one.kind, tuple(known), (), tuple([card.rank for card in cards]))]
        meld = one.onto[1] if one.onto else None
        known += meld.cards if meld else ()
        if one.kind is Kind.RUN:
            ways = melds.run_shapes(known, free, limits, meld)[::-1]
        else:
            ways = melds.set_shapes(known, free, limits)
        return [way for way in ways if not limits.breaches(way.with_jokers())]


def once(counts: int) -> int:
    """Return a 1 for each digit that is not 0."""
    return (counts | counts >> 1 | counts >> 2) & ONES


def count_of(counts: int) -> int:
    """Return how many cards are counted, 14 at most: those of a run, or of a rank in three packs.

    The rest by 15 is the sum of the hex digits, as the rest by 9 is that of decimal ones.
    """
    return counts % 15


@lru_cache(maxsize=4096)
def cards_in(counts: int) -> Sequence[Card]:
    """Return the cards that are counted, suit by suit."""
    return tuple([card for card, at in AT.items() for _ in range(counts >> at & COUNT)])


def natural_runs(places: int) -> list[Meld]:
    """Return the natural runs that lie at these places."""
    found = []
    while places:
        low = (places & -places).bit_length() - 1
        missing = _IN_A_ROW[ACE_HIGH] & ~(places >> low)  # the lowest place is just above the run
        count = (missing & -missing).bit_length() // _PLACE
        places ^= _IN_A_ROW[count] << low
        first, suit = low // _PLACE - 2, low % _PLACE // 4
        found.append(Meld(Kind.RUN, _BY_PLACE[suit][first : first + count]))
    return found


# -- limits ---------------------------------------------------------------------------------------

_KNOWN: Final[dict[str, MeldLimits]] = {}


@lru_cache(maxsize=1024)
def _shared(limits: MeldLimits) -> MeldLimits:
    """Return the first limits seen that allow the same melds: their lists are shared.

    Wild ranks make a difference only where wild cards count as natural in their own place.
    """
    plain = replace(limits, wild_ranks=frozenset()) if limits.wild_in_own_place else limits
    return _KNOWN.setdefault(repr(plain), plain)


@lru_cache(maxsize=1024)
def _units(limits: MeldLimits) -> Mapping[Card, int]:
    """Return what each card adds to the counts of a hand, as a natural card, a wild one or both."""
    units = {JOKER: 1} | {card: 1 << at for card, at in AT.items()}
    for card in filter(limits.is_wild, PACK):
        units[card] = 1 if limits.wild_in_own_place else 1 + units[card]
    return units


def _own(limits: MeldLimits, taken: int) -> int:
    """Return how many of these natural cards are wild ones in their own place."""
    return count_of(taken & _wild_places(limits))


@lru_cache(maxsize=1024)
def _wild_places(limits: MeldLimits) -> int:
    return sum([COUNT << at for card, at in AT.items() if limits.is_wild(card)])


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
    # One of the two may have too few natural cards, or only one is allowed.
    too_wild = limits.half_wild and not limits.wilds_apart
    if too_wild or limits.fewest_naturals(Kind.RUN) > 1 or limits.one_run_a_suit:
        return longest
    return min(longest, 2 * shortest - 1)


# -- runs and sets --------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _of_wilds(limits: MeldLimits, wilds: int) -> Sequence[Candidate]:
    """Return the melds of wild cards alone."""
    need, most = _wild_ranges(limits, Kind.SET)[0]
    found = [Candidate(_WILD_MELD, need, most, Kind.SET)] if need <= min(most, wilds) else []
    need, most = _wild_ranges(limits, Kind.RUN)[0]
    for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
        for shape in melds.run_shapes((), size, limits)[: len(SUITS)]:
            taken = _WILD_MELD + _ONLY_RUN[shape.free[0].suit] * limits.one_run_a_suit
            found.append(Candidate(taken, size, size, Kind.RUN, 0, [shape]))
    return found


@lru_cache(maxsize=1024)
def _runs(
    limits: MeldLimits, wilds: int, suit: int, held: int, longest: int
) -> Sequence[Candidate]:
    """Return the runs of a suit that have a natural card, those with most of them first.

    ``held`` has each held card once. A run that leaves out some of them spans ``longest`` places at
    most.
    """
    aces, ranges, apart = limits.ace_in_runs, _wild_ranges(limits, Kind.RUN), limits.wilds_apart
    one_run, wild_places = _ONLY_RUN[suit] * limits.one_run_a_suit, _wild_places(limits)
    places = range(aces.lowest, aces.highest + 1)
    # A high ace has the digit of a low one.
    cards = [(place, unit(place % ACE_HIGH or Rank.ACE, suit)) for place in places]
    there = [(place, card) for place, card in cards if card & held]
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo = [(at, at, 1, one_run + taken) for at, (_, taken) in enumerate(there)]
    todo.reverse()
    for first, at, count, taken in todo:
        low, last = there[first][0], there[at][0]
        (need, most), gaps = ranges[count], last - low + 1 - count
        if apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        need = max(need, gaps)
        if need <= min(most, wilds):
            own = count_of(taken & wild_places)
            found.append(Candidate(taken, need + own, most + own, Kind.RUN, own))
        top = min(low + count + wilds, last + 2 if apart else ACE_HIGH)
        for more in range(at + 1, len(there)):
            place, card = there[more]
            if place > top or (place - low >= longest and more - first > count):
                break
            todo.append((first, more, count + 1, taken + card))
    return found[::-1]


@lru_cache(maxsize=1024)
def _sets(limits: MeldLimits, wilds: int, at: int, held: int) -> Sequence[Candidate]:
    """Return the tanalas of a rank and then its sets with a natural card, the largest set first.

    ``held`` counts the cards of each suit; their digits begin ``at`` this bit in a hand.
    """
    ranges, digits = _wild_ranges(limits, Kind.SET), range(0, _PLACE, 4)
    counts = [min(held >> digit & COUNT, 1 if limits.suits_differ else COUNT) for digit in digits]
    of_suits = [range(n << d, -1, -1 << d) for n, d in zip(counts, digits, strict=True)]
    thrice = [3 << digit for digit in digits if held >> digit & COUNT >= 3 and limits.tanala_rule]
    listed = [(taken, Kind.TANALA, 0, 0) for taken in thrice]
    for taken in map(sum, product(*reversed(of_suits))):
        need, most = ranges[count_of(taken)]
        # Without a wild card, three identical cards are a tanala.
        listed.append((taken, Kind.SET, max(need, taken in thrice), most))
    return [
        Candidate(taken << at, need + own, most + own, kind, own)
        for taken, kind, need, most in listed
        for own in [_own(limits, taken << at)]
        if taken and need <= min(most, wilds)
    ]
