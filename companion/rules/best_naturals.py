"""The melds that leave the least of natural cards that all differ.

Then a run is any cards that follow one another, and whatever is not in sets is melded in runs as
far as it lies in a stretch that is long enough: for all suits at once that is a few operations on
one number. Only of the ranks that sets and runs can share is each choice of sets gone through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import prod
from typing import Final, NamedTuple

from companion.rules.card_bits import LAYER, LAYER_BITS
from companion.rules.cards import NATURAL, PACK, RANKS, SUITS, Card, Laid, Rank
from companion.rules.judge import Judge
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits

# More choices of sets than this are searched with bounds (`companion.rules.best_melds`).
_MOST_CHOICES: Final = 300
# From the lowest place of an ace to the highest.
_UP: Final = ACE_HIGH - Rank.ACE
# A place of the first suit, multiplied by this, is that place of every suit.
_EACH_SUIT: Final = sum(1 << LAYER_BITS * suit for suit in SUITS)
_LOW_ACES: Final = _EACH_SUIT << Rank.ACE
_HIGH_ACES: Final = _LOW_ACES << _UP


class NaturalMelds(NamedTuple):
    """Melds of natural cards, and the cards that they leave."""

    melds: tuple[Meld, ...]
    left: list[Card]


class _Places(NamedTuple):
    """Where a game's natural cards lie as bits: a field for each suit, in it a bit for each place.

    An ace that may be low or high has the low place; ``cards`` has it at both. ``shortest`` is what
    runs have at least, ``sizes`` what sets have.
    """

    bits: Mapping[Card, int]
    cards: Mapping[int, Laid]
    shortest: int
    sizes: range
    both: bool

    def in_runs(self, mask: int) -> int:
        """Which of these cards lie in long enough stretches, a high ace at its high place."""
        if self.both:
            mask |= (mask & _LOW_ACES) << _UP
        found = mask
        for shift in range(1, self.shortest):
            found &= mask >> shift
        starts = found
        for shift in range(1, self.shortest):
            found |= starts << shift
        return found

    def outside(self, runs: int, mask: int) -> int:
        """Which of these cards lie in none of the runs that were found among them."""
        return mask & ~(runs | (runs & _HIGH_ACES) >> _UP) if self.both else mask & ~runs


def natural_melds(cards: Sequence[Card], rules: Judge) -> NaturalMelds | None:
    """Melds that leave the fewest points, and of those the fewest cards.

    None if there is no such quick way: a card is wild or there twice, a suit may have one run only
    or must have some, or an ace could end two runs.
    """
    places = _places(rules.limits)
    if places is None or rules.clean_runs or rules.all_runs:
        return None
    try:
        bits = [places.bits[card] for card in cards]
    except KeyError:
        return None
    mask = sum(bits)
    if mask.bit_count() != len(cards):  # two of one card carry to the next bit
        return None
    runs = places.in_runs(mask)
    if places.both and runs & runs << _UP & _HIGH_ACES:
        return None
    ways = []
    for rank in _bits(_three_of(mask)):
        held = mask & rank * _EACH_SUIT
        if held.bit_count() >= places.sizes.start:
            in_runs = runs & held
            if places.both:
                in_runs |= (runs & (held & _LOW_ACES) << _UP) >> _UP
            ways.append(_sets(held, in_runs, places.sizes))
    rest, sets = mask, []
    if ways:
        if prod(map(len, ways)) > _MOST_CHOICES:
            return None
        chosen = _best(mask, ways, places, rules)
        rest ^= sum(chosen)
        runs = places.in_runs(rest)
        sets = [_set(one, places) for one in chosen if one]
    left = places.outside(runs, rest)
    melds = [*_runs(runs, places), *sets] if runs else sets
    of_left = [card for card, bit in zip(cards, bits, strict=True) if left & bit]
    return NaturalMelds(tuple(melds), of_left)


@lru_cache(maxsize=512)
def _places(limits: MeldLimits) -> _Places | None:
    """None if a run cannot be as long as its stretch, or a rank has not one set at most."""
    aces = limits.ace_in_runs
    fewest = max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    sizes = range(fewest, limits.set_sizes[1] + 1)
    one_set = sizes and 2 * fewest > len(SUITS)
    if not one_set or limits.one_run_a_suit or limits.run_sizes[1] < len(RANKS):
        return None
    place_of: dict[Rank, int] = {rank: int(rank) for rank in RANKS}
    if aces is AceInRuns.HIGH:
        place_of[Rank.ACE] = ACE_HIGH
    bits = {
        card: 1 << LAYER_BITS * card.suit + place_of[card.rank]
        for card in PACK
        if not limits.is_wild(card)
    }
    laid = {bit: NATURAL[card] for card, bit in bits.items()}
    if aces is AceInRuns.BOTH:
        laid |= {bit << _UP: laid[bit] for bit in _bits(_LOW_ACES) if bit in laid}
    return _Places(
        bits,
        laid,
        max(limits.run_sizes[0], limits.fewest_naturals(Kind.RUN)),
        sizes,
        aces is AceInRuns.BOTH,
    )


@lru_cache(maxsize=4096)
def _sets(held: int, in_runs: int, sizes: range) -> Sequence[int]:
    """Every set of these cards of one rank that is worth a trial, the fullest first.

    A card that no run can have is in the set if there is room. None of it comes last.
    """
    bits = list(_bits(held))
    never = held & ~in_runs
    found = [
        one
        for size in sizes
        for one in map(sum, combinations(bits, size))
        if not never & ~one or size == sizes[-1]
    ]
    if never.bit_count() < sizes.start:
        found.insert(0, 0)
    return found[::-1]


def _best(
    mask: int, ways: Sequence[Sequence[int]], places: _Places, rules: Judge
) -> tuple[int, ...]:
    """The sets, one of each of these, that leave the least."""
    best = tuple([sets[0] for sets in ways])
    if all(len(sets) == 1 for sets in ways):
        return best
    # First the points count, then the cards.
    costs = {bit: (rules.value(places.cards[bit].card) << LAYER_BITS) + 1 for bit in _bits(mask)}
    below: int | None = None
    for chosen in product(*ways):
        rest = mask ^ sum(chosen)
        left = places.outside(places.in_runs(rest), rest)
        cost = sum([costs[bit] for bit in _bits(left)])
        if below is None or cost < below:
            best, below = chosen, cost
            if not cost:
                break
    return best


def _three_of(mask: int) -> int:
    """The places, in the first suit, of ranks that three suits have."""
    clubs, diamonds = mask & LAYER, mask >> LAYER_BITS & LAYER
    hearts, spades = mask >> 2 * LAYER_BITS & LAYER, mask >> 3 * LAYER_BITS & LAYER
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


def _runs(found: int, places: _Places) -> Iterator[Meld]:
    """A run for each stretch of places, suit by suit."""
    while found:
        low = found & -found
        # Adding the lowest bit carries on to the first place that is free.
        run = found & ~(found + low)
        yield Meld(Kind.RUN, tuple([places.cards[bit] for bit in _bits(run)]))
        found ^= run


def _set(one: int, places: _Places) -> Meld:
    return Meld(Kind.SET, tuple([places.cards[bit] for bit in _bits(one)]))


def _bits(mask: int) -> Iterator[int]:
    """Each bit of a number, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
