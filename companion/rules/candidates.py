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
# Where the digits of the tokens begin that are asked for.
ASKED: Final = [one.bit_length() - 1 for one in (CLEAN_RUN, ANY_RUN, *FIRST_MELD.values())]
ABOVE: Final = ACE_HIGH + 2
_ONLY_RUN: Final = [unit(0, Suit.SPADES - suit) for suit in SUITS]
WILD_MELD: Final = unit(-1, 2)
# The tokens that a player may leave, as many of each as there ever are; no table has 300 melds.
OPTIONAL: Final = sum(_ONLY_RUN) + COUNT * (WILD_MELD + sum(unit(ABOVE, n) for n in range(300)))

# Where the digit of each card begins, an ace's at its low place, and the other way round.
AT: Final = {card: unit(*card).bit_length() - 1 for card in PACK}
_CARD_AT: Final = {at: card for card, at in AT.items()}
# Each suit's cards by place in runs.
_BY_PLACE: Final = [tuple(NATURAL[Card(rank, s)] for rank in (*RANKS, Rank.ACE)) for s in SUITS]
# A 1 in the digit of each card and token; in those of each suit's cards; of all clubs; of all aces;
# of n cards in a row.
_ONES: Final = sum(unit(place, suit) for place in range(100) for suit in SUITS) + WILD_MELD
_SUITS: Final = [sum(unit(rank, suit) for rank in RANKS) for suit in SUITS]
_CLUBS: Final = _SUITS[0]
_ACES: Final = sum(unit(Rank.ACE, suit) for suit in SUITS)
_IN_A_ROW: Final = [sum(1 << _PLACE * place for place in range(n)) for n in range(ACE_HIGH + 1)]
_CARDS: Final = COUNT * sum(_SUITS)  # the digits of all cards
_UP: Final = _PLACE * len(RANKS)  # how far an ace's high place is above its low one
WILDS: Final = 127  # the number of wild cards; the next bit shows that too many were taken

_KNOWN: Final[dict[str, MeldLimits]] = {}  # limits by what they allow


class Candidate(NamedTuple):
    """A meld or lay-off: what it takes out of a hand, and for how many wild cards more it has room.

    ``taken`` counts its natural cards, its tokens and the fewest wild cards in it. ``own`` of the
    cards are wild ones in their own place, and count as both. ``shapes`` are the ways in which it
    can lie, if they are known. ``onto`` is the meld that it is laid off on, after its index.
    Nothing chosen later may take the tokens ``bars``.
    """

    taken: int
    room: int
    kind: Kind
    own: int = 0
    shapes: Sequence[Shape] = ()
    onto: tuple[int, Meld] | None = None
    bars: int = 0

    @property
    def need(self) -> int:
        """The fewest wild cards in it."""
        return self.taken & WILDS


class Handful:
    """The cards held, counted, and the candidates that they can form.

    ``counts`` counts the cards that can be natural, and the wild ones. A wild card that is natural
    in its own place is in both. ``all_differ`` is true if all cards are natural and no two are the
    same. Raises `Malformed` if these packs cannot hold the cards.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits, deck: tuple[int, int]) -> None:
        self.limits, self._shared, self.cards = limits, _shared(limits), cards
        units = _units(limits)
        self._bits = [units[card] for card in cards]
        self.counts = sum(self._bits)
        self.wilds = self.counts & WILDS
        # Two equal cards add up to one higher bit, so there are fewer bits than cards.
        self.all_differ = not self.wilds and self.counts.bit_count() == len(cards)
        if not self.all_differ:
            check_packs([(noted("in the cards"), cards)], *deck)

    def among(self, counts: int) -> list[Card]:
        """Return the cards that ``counts`` has, in a hand whose cards all differ."""
        if counts == self.counts:  # as in most small hands
            return [*self.cards]
        return [card for card, bit in zip(self.cards, self._bits, strict=True) if counts & bit]

    def melds(self, longest: int = 0) -> list[Candidate]:
        """Return the new melds, without most runs that two shorter ones can replace.

        With ``longest``, every run is listed whose natural cards span no more places than that.
        """
        limits, wilds, held = self._shared, self.wilds, once(self.counts)
        found = [*_of_wilds(limits, wilds)]
        for suit, in_suit in zip(SUITS, _SUITS, strict=True):
            if held & in_suit:
                found += _runs(limits, wilds, suit, held & in_suit, longest)
        return found + [one for of_rank in self.sets() for one in of_rank]

    def sets(self) -> list[Sequence[Candidate]]:
        """Return the sets of each rank that has any, the largest of them first."""
        held, wilds, found = self.counts, self.wilds, []
        together = held + (held >> 4) + (held >> 8) + (held >> 12) & 15 * _CLUBS
        # Where a rank has enough cards, the sum reaches 16 and carries over.
        fewest = max(1, self.limits.set_sizes[0] - wilds)
        ranks = together + (16 - fewest) * _CLUBS >> 4 & _CLUBS
        while ranks:
            at = ranks.bit_length() - 1
            if of_rank := _sets(self._shared, wilds, RANKS[at // _PLACE - 2], held >> at & 0xFFFF):
                found.append(of_rank)
            ranks -= 1 << at
        return found

    def in_runs(self, held: int) -> tuple[int, int]:
        """Return the places of all natural runs of these cards, which all differ, and the rest."""
        aces, places = self.limits.ace_in_runs, held
        if aces is AceInRuns.HIGH:
            places &= ~_ACES
        if aces is not AceInRuns.LOW:
            places |= (held & _ACES) << _UP
        # Keep each place from which a shortest run goes up, then fill these runs up again.
        others = range(self.limits.run_sizes[0] - 1)
        for _ in others:
            places &= places >> _PLACE
        for _ in others:
            places |= places << _PLACE
        return places, held & ~(places | places >> _UP)

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Iterator[Candidate]:
        """Yield what can be laid off on melds; ``breaches`` says what one breaks by growing.

        It is listed as new melds are, with the cards of the meld as held ones.
        """
        for number, meld in enumerate(onto):
            limits, wilds, (rank, suit) = self._shared, self.wilds, meld.identities[0]
            held = self.counts + sum([1 << AT[card] for card in meld.identities])
            if meld.kind is Kind.SET:
                longer = _sets(limits, wilds, rank, held >> _PLACE * (rank + 1) & 0xFFFF)
            else:  # no run has all cards of a tanala
                longer = _runs(limits, wilds, suit, once(held) & _SUITS[suit], ACE_HIGH)
            for cards in [cards_in(one.taken) for one in longer]:
                added = without(cards, meld.identities)
                if len(added) + len(meld.cards) > len(cards):
                    continue  # not all of the meld is in it
                own = len([card for card in added if self.limits.is_wild(card)])
                taken = sum([1 << AT[card] for card in added]) + COUNT * unit(ABOVE, number)
                # At least one card is laid off: a wild one if none is natural.
                for need in range(own + (not added), wilds + 1):
                    one = Candidate(taken + need, 0, meld.kind, own, (), (number, meld))
                    ways = self.shapes(one)
                    ways = [way for way in ways if not breaches(meld, way.with_jokers())]
                    if ways:
                        yield one._replace(shapes=ways)

    def shapes(self, one: Candidate, more: int = 0) -> Sequence[Shape]:
        """Return how a candidate can lie with so many more wild cards, high runs first."""
        if one.shapes:
            return one.shapes
        limits, cards, free = self.limits, cards_in(one.taken), one.need + more - one.own
        known = [Laid(card, card, limits.is_wild(card)) for card in cards]
        if not (free or one.onto or len(cards) == len(RANKS)):  # its ace can be high
            return [Shape(one.kind, tuple(known), (), tuple([card.rank for card in cards]))]
        known += one.onto[1].cards if one.onto else ()
        if one.kind is Kind.RUN:
            ways = melds.run_shapes(known, free, limits)[::-1]
        else:
            ways = melds.set_shapes(known, free, limits)
        return [way for way in ways if not limits.breaches(way.with_jokers())]


def once(counts: int) -> int:
    """Return a 1 in the digit of each card and token that is counted."""
    return (counts | counts >> 1 | counts >> 2) & _ONES


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


@lru_cache(maxsize=4096)
def cards_in(counts: int) -> Sequence[Card]:
    """Return the natural cards that are counted, in reading order."""
    found, counts = list[Card](), counts & _CARDS
    while counts:
        at = counts.bit_length() - 1 & ~3
        found += [_CARD_AT[at]] * (counts >> at)
        counts &= (1 << at) - 1
    return as_run(found[::-1])


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


@lru_cache(maxsize=1024)
def _wild_range(limits: MeldLimits, kind: Kind, naturals: int) -> tuple[int, int]:
    """Return the fewest and most wild cards beside natural ones; no meld if fewest > most."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    if kind is Kind.SET and limits.suits_differ:
        longest = min(longest, len(SUITS))
    if naturals < limits.fewest_naturals(kind):
        return 0, -1
    most = longest if limits.max_wilds is None else limits.max_wilds
    most = min(most, naturals) if limits.half_wild else most
    return max(0, fewest - naturals), min(longest - naturals, most)


# -- runs and sets --------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _of_wilds(limits: MeldLimits, wilds: int) -> Sequence[Candidate]:
    """Return the melds of wild cards alone."""
    need, most = _wild_range(limits, Kind.SET, 0)
    found = [Candidate(WILD_MELD + need, most - need, Kind.SET)] if need <= min(most, wilds) else []
    need, most = _wild_range(limits, Kind.RUN, 0)
    for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
        for shape in melds.run_shapes((), size, limits)[: len(SUITS)]:
            taken = WILD_MELD + _ONLY_RUN[shape.free[0].suit] * limits.one_run_a_suit + size
            found.append(Candidate(taken, 0, Kind.RUN, 0, [shape]))
    return found


@lru_cache(maxsize=1024)
def _runs(
    limits: MeldLimits, wilds: int, suit: Suit, held: int, longest: int
) -> Sequence[Candidate]:
    """Return the runs of a suit that have a natural card, those with most of them first.

    ``held`` has each held card once. A run that leaves out some of them spans ``longest`` places at
    most; if that is 0, as many as two runs cannot replace: 5 where 3 cards are a run.
    """
    aces, apart, units = limits.ace_in_runs, limits.wilds_apart, _units(limits)
    shortest, most_places = limits.run_sizes
    # One of the two may have too few natural cards, or only one is allowed.
    too_few = limits.fewest_naturals(Kind.RUN) > 1 or (limits.half_wild and not apart)
    two_runs = not (too_few or limits.one_run_a_suit)
    longest = longest or (min(most_places, 2 * shortest - 1) if two_runs else most_places)
    one_run = _ONLY_RUN[suit] * limits.one_run_a_suit
    places = range(aces.lowest, aces.highest + 1)
    # A high ace has the digit of a low one.
    cards = [(place, units[_BY_PLACE[suit][place - 1].card]) for place in places]
    there = [(place, card) for place, card in cards if card & held]
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo = [(at, at, 1, one_run + taken) for at, (_, taken) in enumerate(there)][::-1]
    for first, at, count, taken in todo:
        low, last = there[first][0], there[at][0]
        (need, most), gaps = _wild_range(limits, Kind.RUN, count), last - low + 1 - count
        if apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        need, own = max(need, gaps), taken & WILDS
        if need <= min(most, wilds):
            found.append(Candidate(taken + need, most - need, Kind.RUN, own))
        top = min(low + count + wilds, last + 2 if apart else ACE_HIGH)
        for more in range(at + 1, len(there)):
            place, card = there[more]
            if place > top or (place - low >= longest and more - first > count):
                break
            todo.append((first, more, count + 1, taken + card))
    return found[::-1]


@lru_cache(maxsize=1024)
def _sets(limits: MeldLimits, wilds: int, rank: Rank, held: int) -> Sequence[Candidate]:
    """Return the tanalas of a rank and then its sets with a natural card, the largest set first.

    ``held`` counts the cards of each suit in a digit.
    """
    most_equal = 1 if limits.suits_differ else COUNT
    cards = [_units(limits)[CARD_OF[rank, suit]] for suit in reversed(SUITS)]
    counts = [held >> 4 * suit & COUNT for suit in reversed(SUITS)]
    thrice = [3 * card for at, card in enumerate(cards) if limits.tanala_rule and counts[at] >= 3]
    found = [Candidate(taken, 0, Kind.TANALA, taken & WILDS) for taken in thrice]
    for of_suits in product(*[range(min(n, most_equal), -1, -1) for n in counts]):
        naturals, taken = sum(of_suits), sum(map(mul, of_suits, cards))
        need, most = _wild_range(limits, Kind.SET, naturals)
        # Without a wild card, three identical cards are a tanala.
        need = max(need, taken in thrice)
        if naturals and need <= min(most, wilds):
            found.append(Candidate(taken + need, most - need, Kind.SET, taken & WILDS))
    return found
