"""List the melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one integer with a hex digit for each card of the pack: two fives of clubs are
a 2 in the digit of that card. The two lowest digits count the wild cards. So one subtraction takes
a meld out of a hand. Besides cards, a meld may use up tokens, which have digits of their own: a run
of a contract, or a meld to lay off on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from operator import mul
from typing import Final, NamedTuple

from companion.rules import melds
from companion.rules.cards import JOKER, NATURAL, PACK, RANKS, SUITS, Card, Laid, Suit, without
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits, Shape

Breaches = Callable[[Meld, Meld], Sequence[object]]
COUNT: Final = 7  # a digit counts to seven; its fourth bit shows that too much was taken
_PLACE: Final = 4 * len(SUITS)  # the bits of the four digits of one place in runs


def unit(place: int, number: int) -> int:
    """Return a 1 in one digit: by place in runs and suit, or by place and number of a token."""
    return 1 << _PLACE * (place + 2) + 4 * number


# Tokens. Above the cards: a suit's only run; what is asked for, the clean runs and other runs of a
# declaration or the sets and runs of a contract; and from ABOVE on the melds on the table, or what
# keeps first melds apart. Below: melds of wild cards alone, and a suit's run of them: clubs first.
_ONLY_RUN: Final = [unit(ACE_HIGH + 1, Suit.SPADES - suit) for suit in SUITS]
ASKED: Final = unit(ACE_HIGH + 2, 0), unit(ACE_HIGH + 2, 1)
DISCARD: Final = unit(ACE_HIGH + 2, 2)
ABOVE: Final = ACE_HIGH + 3
_WILD_MELD: Final = unit(0, 0)
_WILD_RUN: Final = [unit(-1, Suit.SPADES - suit) for suit in SUITS]
# The tokens that a player may leave, as many of each as there ever are: also all from ABOVE on.
OPTIONAL: Final = sum(_WILD_RUN + _ONLY_RUN) + COUNT * _WILD_MELD - unit(ABOVE, 0)

# What lies at each place in runs: the natural card of each suit by its unit.
_PLACES: Final = range(1, ACE_HIGH + 1)
_CARDS: Final = {unit(n, s): Card(RANKS[n % len(RANKS) - 1], s) for n in _PLACES for s in SUITS}
_LAID: Final = {one: NATURAL[card] for one, card in _CARDS.items()}
# A 1 in the digit of each card and token; in those of each suit's cards.
_ONES: Final = sum(unit(place, number) for place in range(-1, 100) for number in range(4))
_SUITED: Final = [sum(unit(place, suit) for place in _PLACES) for suit in SUITS]
_CLUBS: Final = _SUITED[0]
WILDS: Final = 127  # the number of wild cards; the next bit shows that too many were taken
_KNOWN: Final[dict[str, MeldLimits]] = {}  # limits by what they allow


class Candidate(NamedTuple):
    """A meld or lay-off: what it takes out of a hand, and for how many wild cards more it has room.

    ``taken`` counts its natural cards, its tokens and the fewest wild cards in it; ``free`` of them
    stand for others, and the rest count as both. ``shapes`` are the ways in which it can lie, if
    they are known. ``onto`` is the meld that it is laid off on, after its index. Nothing chosen
    later may take the tokens ``bars``. To choose it costs ``price``.
    """

    taken: int
    room: int
    kind: Kind
    free: int
    shapes: Sequence[Shape] = ()
    onto: tuple[int, Meld] | None = None
    bars: int = 0
    price: int = 0


class Handful:
    """The cards held, counted, and the candidates that they can form.

    ``counts`` counts the cards that can be natural, and the wild ones; ``units`` is what each card
    counts. A wild card that is natural in its own place is in both.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits) -> None:
        self.limits, self.cards = limits, cards
        self.units = units = units_of(limits)
        self.counts = sum([units[card] for card in cards])
        self.wilds = self.counts & WILDS

    def melds(self, longest: int = 0) -> list[Candidate]:
        """Return the new melds, without most runs that two shorter ones can replace.

        With ``longest``, every run is listed whose natural cards span no more places than that.
        """
        limits, wilds, held = _shared(self.limits), self.wilds, once(self.counts)
        found = [*_sets(limits, wilds, unit(1, 0), 0)]
        for suit in SUITS:
            found += _runs(limits, wilds, suit, held & _SUITED[suit], longest)
        return found + [one for of_rank in self.sets() for one in of_rank]

    def sets(self) -> list[Sequence[Candidate]]:
        """Return the sets of each rank that has any, the largest of them first."""
        held, wilds, found = self.counts, self.wilds, []
        together = held + (held >> 4) + (held >> 8) + (held >> 12) & 15 * _CLUBS
        # Where a rank has enough cards, the sum reaches 16 and carries over.
        fewest = max(1, self.limits.set_sizes[0] - wilds)
        ranks = together + (16 - fewest) * _CLUBS >> 4 & _CLUBS
        while ranks:
            clubs = ranks & -ranks
            found.append(_sets(_shared(self.limits), wilds, clubs, held & 0xFFFF * clubs))
            ranks ^= clubs
        return found

    def in_runs(self, held: int) -> int:
        """Return those of these cards, which are all natural and differ, that runs can have."""
        # Keep each card from which a shortest run goes up, then fill these runs up again.
        others = range(self.limits.run_sizes[0] - 1)
        for _ in others:
            held &= held >> _PLACE
        for _ in others:
            held |= held << _PLACE
        return held

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Iterator[Candidate]:
        """Yield what can be laid off on melds; ``breaches`` says what one breaks by growing.

        It is listed as new melds are, with the cards of the meld as held ones.
        """
        limits, units = _shared(self.limits), units_of(_shared(self.limits))
        for number, meld in enumerate(onto):
            on_table = sum([units[card] for card in meld.identities])
            held, suit = self.counts + on_table, meld.identities[0].suit
            if meld.kind is Kind.SET:
                clubs = unit((on_table.bit_length() - 1) // _PLACE - 2, 0)
                longer = _sets(limits, self.wilds, clubs, held & 0xFFFF * clubs)
            else:  # no run has all cards of a tanala
                longer = _runs(limits, self.wilds, suit, once(held) & _SUITED[suit], ACE_HIGH)
            for cards in [cards_in(one.taken) for one in longer]:
                added = without(cards, meld.identities)
                if len(added) + len(meld.cards) > len(cards):
                    continue  # not all of the meld is in it
                taken = sum([units[card] for card in added]) + COUNT * unit(ABOVE, number)
                # At least one card is laid off: a wild one if none is natural.
                for free in range(not added, self.wilds - (taken & WILDS) + 1):
                    one = Candidate(taken + free, 0, meld.kind, free, (), (number, meld))
                    ways = self.shapes(one)
                    ways = [way for way in ways if not breaches(meld, way.with_jokers())]
                    if ways:
                        yield one._replace(shapes=ways)

    def shapes(self, one: Candidate, more: int = 0) -> Sequence[Shape]:
        """Return how a candidate can lie with so many more wild cards, high runs first."""
        limits, cards, free = self.limits, cards_in(one.taken), one.free + more
        known = [Laid(card, card, limits.is_wild(card)) for card in cards]
        known += one.onto[1].cards if one.onto else ()
        ways = [*one.shapes]
        if not (free or one.kind is Kind.RUN):
            ways = [Shape(one.kind, tuple(known))]
        elif not ways and one.kind is Kind.SET:
            ways = melds.set_shapes(known, free, limits)
        elif not ways:
            # A run of wild cards alone lies low.
            ways = melds.run_shapes(known, free, limits)[:: -1 if known else 1]
            ways = [way for way in ways if known or one.taken & _WILD_RUN[way.free[0].suit]]
        wild = free or one.onto
        return [way for way in ways if not (wild and limits.breaches(way.with_jokers()))]


def once(counts: int) -> int:
    """Return a 1 in the digit of each card and token that is counted."""
    return (counts | counts >> 1 | counts >> 2) & _ONES


@lru_cache(maxsize=4096)
def natural_runs(cards: int) -> list[Meld]:
    """Return the runs that these natural cards form, each card in one of them."""
    runs = []
    while cards:
        one, run = cards & -cards, []
        while cards & one:
            run.append(_LAID[one])
            cards ^= one
            one <<= _PLACE
        runs.append(Meld(Kind.RUN, tuple(run)))
    return runs


@lru_cache(maxsize=4096)
def cards_in(cards: int) -> Sequence[Card]:
    """Return the natural cards that are counted."""
    held = once(cards)
    return [card for one, card in _CARDS.items() if held & one for _ in range(cards // one & COUNT)]


@lru_cache(maxsize=1024)
def _shared(limits: MeldLimits) -> MeldLimits:
    """Return the first limits seen that allow the same melds: their lists are shared.

    Wild ranks make a difference only where wild cards count as natural in their own place.
    """
    plain = replace(limits, wild_ranks=frozenset()) if limits.wild_in_own_place else limits
    return _KNOWN.setdefault(repr(plain), plain)


@lru_cache(maxsize=1024)
def units_of(limits: MeldLimits) -> Mapping[Card, int]:
    """Return what each card adds to the counts of a hand, as a natural card, a wild one or both."""
    places = [0, ACE_HIGH if limits.ace_in_runs is AceInRuns.HIGH else 1, *range(2, ACE_HIGH)]
    counted = {JOKER: 1} | {card: unit(places[card.rank], card.suit) for card in PACK}
    for card in filter(limits.is_wild, PACK):
        counted[card] = 1 if limits.wild_in_own_place else 1 + counted[card]
    return counted


@lru_cache(maxsize=1024)
def _wild_range(limits: MeldLimits, kind: Kind, naturals: int) -> tuple[int, int]:
    """Return the fewest and most wild cards beside natural ones; no meld if fewest > most."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    longest = min(longest, len(SUITS)) if kind is Kind.SET and limits.suits_differ else longest
    if naturals < limits.fewest_naturals(kind):
        return 0, -1
    most = longest if limits.max_wilds is None else limits.max_wilds
    most = min(most, naturals) if limits.half_wild else most
    return max(0, fewest - naturals), min(longest - naturals, most)


# -- runs and sets --------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _runs(limits: MeldLimits, wilds: int, suit: Suit, held: int, longest: int) -> list[Candidate]:
    """Return the runs of a suit, those with most natural cards first.

    ``held`` has each held card once. A run that leaves out some of them spans ``longest`` places at
    most; if that is 0, as many as two runs cannot replace: 5 where 3 cards are a run.
    """
    aces, apart, counted = limits.ace_in_runs, limits.wilds_apart, units_of(limits)
    shortest, most_places = limits.run_sizes
    # Of two runs, one may have too few natural cards, or only one is allowed.
    too_few = limits.fewest_naturals(Kind.RUN) > 1 or (limits.half_wild and not apart)
    longest = longest or (most_places if too_few or limits.one_run_a_suit else 2 * shortest - 1)
    one_run = _ONLY_RUN[suit] * limits.one_run_a_suit
    found, (need, most) = list[Candidate](), _wild_range(limits, Kind.RUN, 0)
    if need <= min(most, wilds) and not apart:
        tokens = one_run + _WILD_MELD + _WILD_RUN[suit]
        found = [Candidate(tokens + need, most - need, Kind.RUN, need)]
    # A high ace has the digit of a low one, if it can be either.
    cards = [(n, counted[_CARDS[unit(n, suit)]]) for n in range(aces.lowest, aces.highest + 1)]
    there = [(place, card) for place, card in cards if card & held]
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo = [(at, at, 1, one_run + taken) for at, (_, taken) in enumerate(there)][::-1]
    for first, at, count, taken in todo:
        low, last = there[first][0], there[at][0]
        (need, most), gaps = _wild_range(limits, Kind.RUN, count), last - low + 1 - count
        if apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        need = max(need, gaps)
        if need <= min(most, wilds):
            found.append(Candidate(taken + need, most - need, Kind.RUN, need))
        top = min(low + count + wilds, last + 2 if apart else ACE_HIGH)
        for more in range(at + 1, len(there)):
            place, card = there[more]
            if place > top or (place - low >= longest and more - first > count):
                break
            todo.append((first, more, count + 1, taken + card))
    return found[::-1]


@lru_cache(maxsize=1024)
def _sets(limits: MeldLimits, wilds: int, clubs: int, held: int) -> Sequence[Candidate]:
    """Return the tanalas of a rank and then its sets, the largest set first.

    ``held`` counts the cards of the rank; ``clubs`` is the unit of its card of clubs. Without any,
    they are the sets of wild cards alone.
    """
    most_equal, counted = 1 if limits.suits_differ else COUNT, units_of(limits)
    cards = [counted[_CARDS[clubs << 4 * suit]] for suit in reversed(SUITS)]
    counts = [held // clubs >> 4 * suit & COUNT for suit in reversed(SUITS)]
    thrice = [3 * card for at, card in enumerate(cards) if limits.tanala_rule and counts[at] >= 3]
    found = [Candidate(taken, 0, Kind.TANALA, 0) for taken in thrice]
    for of_suits in product(*[range(min(n, most_equal), -1, -1) for n in counts]):
        naturals, taken = sum(of_suits), sum(map(mul, of_suits, cards))
        need, most = _wild_range(limits, Kind.SET, naturals)
        # Without a wild card, three identical cards are a tanala.
        need = max(need, taken in thrice)
        if bool(naturals) == bool(held) and need <= min(most, wilds):
            found.append(Candidate((taken or _WILD_MELD) + need, most - need, Kind.SET, need))
    return found
