"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, which has a hex digit for each: how many there are of it. Wild
cards are a mere number: a candidate takes certain natural cards, and from so many to so many wild
ones. A wild card that counts as natural in its own place is among both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, PACK, RANKS, SUITS, Card, Laid, Rank, Suit, check_packs
from companion.rules.language import noted
from companion.rules.melds import ACE_HIGH, STRETCHES, AceInRuns, Kind, Meld, MeldLimits
from companion.rules.readings import Shape, run_shapes

COUNT: Final = 7  # three bits of a digit count; the fourth guards them
_ALL_SUITS: Final = 0x1111  # one card of each suit
_PLACE: Final = 4 * len(SUITS)  # the bits of one place in a run, or of a rank
Breaches = Callable[[Meld, Meld], Sequence[object]]


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

# How often those others can be used up.
OTHERS: Final = sum(_RUN_OF) + COUNT * (ALONE + sum(digit(ABOVE, n) for n in range(300)))

# Where the digit of each card begins; one in every digit, in that of each club, and of each ace.
AT: Final = {card: lowest_digit(digit(card.rank, card.suit)) for card in PACK}
_DIGIT: Final = {card: 1 << at for card, at in AT.items()}
ONES: Final = sum(digit(place, suit) for place in range(-1, 100) for suit in SUITS)
_CLUBS: Final = sum(digit(rank, Suit.CLUBS) for rank in RANKS)
_ACES: Final = sum(digit(Rank.ACE, suit) for suit in SUITS)
# An ace multiplied by this is it in all the places that it can take in runs.
_ACE_PLACES: Final = {
    aces: sum(1 << _PLACE * (place - Rank.ACE) for place in aces.places(Rank.ACE))
    for aces in AceInRuns
}
# For each suit the digit of each place in a run, and the card that lies there.
_PLACES: Final = [
    [(digit(place, suit), CARD_OF[rank, suit]) for place, rank in enumerate((*RANKS, Rank.ACE), 1)]
    for suit in SUITS
]
_SUITS: Final = [sum(here for here, _ in places) for places in _PLACES]


class Candidate(NamedTuple):
    """Natural cards for a meld, and the fewest and the most wild cards with them.

    ``own`` of the natural cards are wild ones in their own place. ``shape`` is how it lies, if that
    is certain. ``onto`` is the meld on the table that it makes longer. What it takes is used up,
    and so is what it ``bars``.
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


def _candidate(
    limits: MeldLimits, kind: Kind, cards: tuple[Card, ...], need: int, most: int
) -> Candidate:
    """These natural cards with so many wild ones that stand for others."""
    taken = sum([_DIGIT[card] for card in cards])
    of_itself = not limits.wild_in_own_place
    own = len([card for card in cards if card.rank in limits.wild_ranks]) if of_itself else 0
    return Candidate(taken, need + own, most + own, kind, cards, own)


@lru_cache(maxsize=1024)
def _rooms(limits: MeldLimits, kind: Kind) -> Sequence[tuple[int, int]]:
    """The fewest and the most wild cards, by the number of natural ones; more than most if none."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    if kind is Kind.RUN or limits.suits_differ:
        longest = min(longest, len(RANKS) if kind is Kind.RUN else len(SUITS))
    wilds = longest if limits.max_wilds is None else limits.max_wilds
    rooms = []
    for naturals in range(len(PACK)):
        most = min(longest - naturals, wilds, naturals if limits.half_wild else wilds)
        enough = naturals >= limits.fewest_naturals(kind)
        rooms.append((max(0, fewest - naturals), most if enough else -1))
    return rooms


@lru_cache(maxsize=512)
def _longest(limits: MeldLimits) -> int:
    """The most places from the first to the last natural card of a run that may beat two runs."""
    shortest, longest = limits.run_sizes
    # A part of a run may have too few natural cards.
    halves = limits.half_wild and not limits.wilds_apart
    if halves or limits.one_run_a_suit or limits.fewest_naturals(Kind.RUN) > 1:
        return longest
    return min(longest, 2 * shortest - 1)


@lru_cache(maxsize=512)
def _exchanges(limits: MeldLimits) -> bool:
    """True if a wild card and the card that it stands for can always change places.

    No limit asks where wild cards lie or how many they are. So a run need leave out no card between
    its ends: whatever has that card instead can have the wild one. Three identical cards cannot.
    """
    return (
        not (limits.tanala_rule or limits.half_wild or limits.wilds_apart or limits.one_run_a_suit)
        and limits.max_wilds is None
        and max(limits.min_naturals, limits.set_min_naturals) <= 1
    )


class Handful:
    """The cards held, and the candidates that they can form.

    ``naturals`` is those that can be natural, as a number, and ``places`` where the digit of each
    begins; ``wilds`` is how many are wild. Wild cards that count as natural in their own places are
    among both. Raises `Malformed` if so many packs and jokers cannot hold the cards.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits, deck: tuple[int, int]) -> None:
        check_packs([(noted("in the cards"), cards)], *deck)
        wild, own = limits.wild_ranks, not limits.wild_in_own_place
        self.limits, self.held = limits, sorted(cards, key=itemgetter(1, 0))
        self.wilds = len([card for card in cards if card.rank in wild])
        self.places = [AT[one] for one in cards if one in AT and (own or one.rank not in wild)]
        self.naturals = sum([1 << at for at in self.places])

    def melds(self, longest: int = 0, *, joined: bool = False) -> list[Candidate]:
        """Return the new melds, without those that other ones are as good as.

        With ``longest`` there are all runs that have so many places at most from the first to the
        last natural card. With ``joined`` there are none that leave out a card next to them, if no
        new set could have it.
        """
        limits, wilds, held = self.limits, self.wilds, self.naturals
        exchanges = not longest and limits.run_sizes[1] >= len(RANKS)
        exchanges = exchanges and (not wilds or _exchanges(limits))
        # One natural card is as good in a run.
        fewest = 2 if exchanges and limits.run_sizes[0] <= limits.set_sizes[0] else 1
        fewest = max(fewest, limits.set_sizes[0] - wilds)
        # The ranks with enough cards: in their digits the sum reaches 16, and carries over.
        of_rank = sum([held >> 4 * suit & COUNT * _CLUBS for suit in SUITS])
        ranks = of_rank + (16 - fewest) * _CLUBS >> 4 & _CLUBS
        twice = (held >> 1 | held >> 2) & ONES
        once = held & ONES | twice
        free = 0
        if joined and exchanges and (limits.wild_in_own_place or not wilds):
            free = once & ~(ranks * _ALL_SUITS | _ACES)
        aces = once & _ACES
        places = once - aces + aces * _ACE_PLACES[limits.ace_in_runs]
        if not wilds:  # only three that follow one another can be in a run
            lows = places & places >> _PLACE & places >> 2 * _PLACE
            places = lows | lows << _PLACE | lows << 2 * _PLACE
        found = [*_of_wilds(limits, wilds)]
        for suit, in_suit in zip(SUITS, _SUITS, strict=True):
            here = places & in_suit
            count = here.bit_count()
            if exchanges and not twice & in_suit and count and count + wilds <= len(RANKS):
                found += runs(limits, wilds, suit, here, free & in_suit, 0)
            elif count:
                found += runs(limits, wilds, suit, here, 0, longest or _longest(limits))
        while ranks:
            at = lowest_digit(ranks)
            of_suits = held >> at & COUNT * _ALL_SUITS
            found += sets(limits, wilds, RANKS[at // _PLACE - 2], of_suits, fewest)
            ranks &= ranks - 1
        return found

    # -- lay-offs -----------------------------------------------------------------------------

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> list[Candidate]:
        """Return what can be laid off on melds; ``breaches`` says what a run breaks by growing."""
        every: list[Candidate] = []
        for at, meld in enumerate(onto):
            mark = COUNT * digit(ABOVE, at)
            found: Iterable[Candidate] = ()
            if meld.kind is Kind.SET:
                found = self._onto_set(meld)
            elif meld.kind is Kind.RUN:
                found = self._onto_run(meld, breaches)
            every += [one._replace(taken=one.taken + mark, onto=at) for one in found]
        return every

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        natural, held = limits.naturals(meld.cards), self.naturals >> AT[CARD_OF[rank, Suit.CLUBS]]
        if limits.suits_differ:
            held &= ~sum([COUNT << 4 * card.suit for card in meld.identities])
        for added in _choices(limits, rank, held, 0, len(PACK)):
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


@lru_cache(maxsize=1024)
def _of_wilds(limits: MeldLimits, wilds: int) -> Sequence[Candidate]:
    """Return the melds of wild cards alone."""
    need, most = _rooms(limits, Kind.SET)[0]
    found = [Candidate(ALONE, size, size, Kind.SET) for size in range(need, min(most, wilds) + 1)]
    need, most = _rooms(limits, Kind.RUN)[0]
    for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
        for shape in run_shapes((), size, limits)[: len(SUITS)]:
            taken = ALONE + _RUN_OF[shape.free[0].suit] * limits.one_run_a_suit
            found.append(Candidate(taken, size, size, Kind.RUN, shape=shape))
    return found


@lru_cache(maxsize=1024)
def runs(
    limits: MeldLimits, wilds: int, suit: Suit, held: int, free: int, longest: int
) -> Sequence[Candidate]:
    """Return the runs of a suit with a natural card, those with many of them first.

    ``held`` has a digit for each place that is held. There are ``longest`` places at most from the
    first to the last natural card; if that is 0, there are any, and none between is left out. No
    run ends next to a place that is ``free``.
    """
    aces, rooms, apart = limits.ace_in_runs, _rooms(limits, Kind.RUN), limits.wilds_apart
    lowest, highest, reach = aces.lowest, aces.highest, 2 if apart else ACE_HIGH
    one_run = _RUN_OF[suit] if limits.one_run_a_suit else 0
    most_gaps = wilds if limits.max_wilds is None else min(wilds, limits.max_wilds)
    there = [
        (place, here, _DIGIT[card], card, card.rank in limits.wild_ranks)
        for place, (here, card) in enumerate(_PLACES[suit], 1)
        if held & here
    ]
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo: list[tuple[int, int, int, tuple[Card, ...], int]] = []
    for at, (place, here, card_digit, card, is_own) in enumerate(there):
        if not free & here >> _PLACE:
            todo.insert(0, (at, place, one_run + card_digit, (card,), int(is_own)))
    for at, low, taken, cards, own in todo:
        last, here, count = there[at][0], there[at][1], len(cards)
        if not free & here << _PLACE:
            (need, most), gaps = rooms[count], last - low + 1 - count
            if apart:
                most = min(most, gaps + (low > lowest) + (last < highest))
            need = max(need, gaps)
            if need <= most and need <= wilds:
                found.append(Candidate(taken, need + own, most + own, Kind.RUN, cards, own))
        top = min(low + longest - 1 if longest else ACE_HIGH, low + count + most_gaps, last + reach)
        for more in range(at + 1, len(there)):
            place, _, card_digit, card, is_own = there[more]
            if place > top:
                break
            todo.append((more, low, taken + card_digit, (*cards, card), own + is_own))
            if not longest:
                break
    return found[::-1]


@lru_cache(maxsize=1024)
def sets(limits: MeldLimits, wilds: int, rank: Rank, held: int, fewest: int) -> Sequence[Candidate]:
    """Return the sets of a rank with ``fewest`` natural cards at least.

    ``held`` is how many there are of each suit.
    """
    found, rooms = [], _rooms(limits, Kind.SET)
    # More than twice the fewest would be two sets.
    too_many = 2 * max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    for cards in _choices(limits, rank, held, fewest, too_many):
        need, most = rooms[len(cards)]
        if need <= most and need <= wilds:
            found.append(_candidate(limits, Kind.SET, cards, need, most))
    if limits.tanala_rule:
        thrice = [CARD_OF[rank, suit] for suit in SUITS if held >> 4 * suit & COUNT >= 3]
        found += [_candidate(limits, Kind.SET, (card,) * 3, 0, 0) for card in thrice]
    return found


def _choices(
    limits: MeldLimits, rank: Rank, held: int, fewest: int, below: int
) -> Iterator[tuple[Card, ...]]:
    """Yield every choice of cards for a set, most cards first.

    ``held`` has how many there are of each suit. A choice has ``fewest`` cards at least, and not as
    many as ``below``.
    """
    most = 1 if limits.suits_differ else COUNT
    cards = [CARD_OF[rank, s] for s in SUITS for _ in range(min(held >> 4 * s & COUNT, most))]
    for size in range(min(len(cards), below - 1), fewest - 1, -1):
        yield from dict.fromkeys(combinations(cards, size))
