"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, which has a hex digit for each: how many there are of it. Wild
cards are a mere number: a candidate takes certain natural cards, and from so many to so many wild
ones. A wild card that counts as natural in its own place is among both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, JOKER, PACK, RANKS, SUITS, Card, Laid, Rank, Suit
from companion.rules.melds import ACE_HIGH, STRETCHES, AceInRuns, Kind, Meld, MeldLimits
from companion.rules.readings import Shape

COUNT: Final = 7  # three bits of a digit count; the fourth guards them
_LISTED: Final = {card: number for number, card in enumerate((*PACK, JOKER))}
Breaches = Callable[[Meld, Meld], Sequence[object]]


def digit(place: int, number: int) -> int:
    """Return one card in the number that counts cards, by its place in a run and its suit."""
    return 1 << 4 * (len(SUITS) * (place + 1) + number)


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

_CARDS_AT: Final = [
    [CARD_OF[rank, suit] for rank in (Rank.ACE, *RANKS, Rank.ACE)] for suit in SUITS
]
DIGITS: Final = {card: digit(card.rank, card.suit) for card in PACK}


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
    limits: MeldLimits, kind: Kind, cards: tuple[Card, ...], need: int, most: int, taken: int = 0
) -> Candidate:
    """These natural cards with so many wild ones that stand for others."""
    taken += sum([DIGITS[card] for card in cards])
    own = len([card for card in cards if card.rank in limits.wild_ranks])
    return Candidate(taken, need + own, most + own, kind, cards, own)


@lru_cache(maxsize=4096)
def _room(limits: MeldLimits, kind: Kind, naturals: int) -> tuple[int, int]:
    """The fewest and the most wild cards with so many natural ones; more than the most if none."""
    fewest, longest = limits.run_sizes if kind is Kind.RUN else limits.set_sizes
    differ = len(RANKS) if kind is Kind.RUN else len(SUITS) if limits.suits_differ else longest
    most = min(longest, differ) - naturals
    if limits.max_wilds is not None:
        most = min(most, limits.max_wilds)
    if limits.half_wild:
        most = min(most, naturals)
    return max(0, fewest - naturals), most if naturals >= limits.fewest_naturals(kind) else -1


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
        and limits.run_sizes[1] >= len(RANKS)
    )


class Handful:
    """The cards held, and the candidates that they can form.

    ``cards`` is all of them as a number, with what else can be used up; ``wilds`` is how many are
    wild. Wild cards that count as natural in their own places are among both.
    """

    def __init__(self, cards: Sequence[Card], limits: MeldLimits) -> None:
        self.limits = limits
        self.held = sorted(cards, key=_LISTED.__getitem__)
        self.wilds = 0
        self.naturals: dict[Card, int] = {}
        for card, count in Counter(self.held).items():
            is_wild = card.rank in limits.wild_ranks
            self.wilds += count * is_wild
            if not is_wild or not (limits.wild_in_own_place or card is JOKER):
                self.naturals[card] = count
        self.cards = sum([count * DIGITS[card] for card, count in self.naturals.items()])
        self.cards += sum(_RUN_OF) if limits.one_run_a_suit else 0

    def melds(self, longest: int = 0) -> list[Candidate]:
        """Return the new melds, without those that other ones are as good as.

        With ``longest`` there are all runs that have so many places at most from the first to the
        last natural card.
        """
        limits, wilds = self.limits, self.wilds
        found = self._of_wilds() if wilds else []
        twice = {card.suit for card, count in self.naturals.items() if count > 1}
        places = [0] * len(SUITS)
        of_rank: dict[Rank, list[int]] = {}
        for (rank, suit), count in self.naturals.items():
            of_rank.setdefault(rank, [0] * len(SUITS))[suit] = count
            for place in limits.ace_in_runs.places(rank):
                places[suit] |= 1 << place
        exchanges = not longest and _exchanges(limits)
        longest = longest or _longest(limits)
        for suit, held in zip(SUITS, places, strict=True):
            if held and (wilds or held & held >> 1 & held >> 2):
                every = exchanges and suit not in twice and held.bit_count() + wilds <= len(RANKS)
                found += runs(limits, wilds, suit, held, 0 if every else longest)
        # One natural card is as good in a run.
        fewest = 2 if exchanges and limits.run_sizes[0] <= limits.set_sizes[0] else 1
        for rank, counts in of_rank.items():
            if sum(counts) >= max(fewest, limits.set_sizes[0] - wilds):
                found += sets(limits, wilds, rank, tuple(counts), fewest)
        return found

    def _of_wilds(self) -> list[Candidate]:
        """Return the melds of wild cards alone."""
        limits, wilds = self.limits, self.wilds
        need, most = _room(limits, Kind.SET, 0)
        sizes = range(need, min(most, wilds) + 1)
        found = [Candidate(ALONE, size, size, Kind.SET) for size in sizes]
        need, most = _room(limits, Kind.RUN, 0)
        for size in range(need, 0 if limits.wilds_apart else min(most, wilds) + 1):
            ranks = STRETCHES[limits.ace_in_runs][size][0].ranks
            for suit in SUITS:
                taken = ALONE + _RUN_OF[suit] * limits.one_run_a_suit
                shape = Shape(Kind.RUN, (), tuple([CARD_OF[rank, suit] for rank in ranks]), ranks)
                found.append(Candidate(taken, size, size, Kind.RUN, shape=shape))
        self.cards |= ALONE * COUNT if found else 0
        return found

    # -- lay-offs -----------------------------------------------------------------------------

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> list[Candidate]:
        """Return what can be laid off on melds; ``breaches`` says what a run breaks by growing."""
        every: list[Candidate] = []
        for at, meld in enumerate(onto):
            mark = digit(ABOVE, at)
            self.cards |= mark
            found: Iterable[Candidate] = ()
            if meld.kind is not Kind.TANALA:
                is_set = meld.kind is Kind.SET
                found = self._onto_set(meld) if is_set else self._onto_run(meld, breaches)
            every += [one._replace(taken=one.taken + mark, onto=at) for one in found]
        return every

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        natural, taken = limits.naturals(meld.cards), {card.suit for card in meld.identities}
        cards = [
            CARD_OF[rank, suit] for suit in SUITS if not (limits.suits_differ and suit in taken)
        ]
        for added in _choices(cards, [self.naturals.get(card, 0) for card in cards], limits):
            most = _room(limits, Kind.SET, natural + len(added))[1] - len(meld.cards) + natural
            if most >= 0 < most + len(added):
                yield _candidate(limits, Kind.SET, added, 0, most)

    def _onto_run(self, meld: Meld, breaches: Breaches) -> Iterator[Candidate]:
        limits, suit = self.limits, meld.cards[0].stands_for.suit
        there = {laid.stands_for.rank for laid in meld.cards}
        stretches = STRETCHES[limits.ace_in_runs][len(there) + 1 : limits.run_sizes[1] + 1]
        # A wild card to spare goes to the high end first.
        for stretch in [one for some in stretches for one in some[::-1] if one.holds(meld)]:
            added = [CARD_OF[rank, suit] for rank in stretch.ranks if rank not in there]
            held = [card for card in added if card in self.naturals]
            for count in range(len(held), max(0, len(added) - self.wilds) - 1, -1):
                for cards in combinations(held, count):
                    known = (*meld.cards, *laid_as_themselves(cards, limits))
                    free = tuple([card for card in added if card not in cards])
                    shape = Shape(Kind.RUN, known, free, stretch.ranks)
                    longer = shape.with_jokers()
                    if not limits.breaches(longer) and not breaches(meld, longer):
                        one = _candidate(limits, Kind.RUN, cards, len(free), len(free))
                        yield one._replace(shape=shape)


def laid_as_themselves(cards: Iterable[Card], limits: MeldLimits) -> list[Laid]:
    """Return the cards as they lie in their own places."""
    return [Laid(card, card, limits.is_wild(card)) for card in cards]


@lru_cache(maxsize=1024)
def runs(
    limits: MeldLimits, wilds: int, suit: Suit, held: int, longest: int
) -> Sequence[Candidate]:
    """Return the runs of a suit with a natural card, those with many of them first.

    ``held`` are the places held, as bits. There are ``longest`` places at most from the first to
    the last natural card; if that is 0, there are any, and none between is left out.
    """
    aces = limits.ace_in_runs
    found: list[Candidate] = []
    run_of_suit = _RUN_OF[suit] if limits.one_run_a_suit else 0
    reach = 2 if limits.wilds_apart else ACE_HIGH
    most_gaps = wilds if limits.max_wilds is None else min(wilds, limits.max_wilds)
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo: list[tuple[int, int, tuple[Card, ...]]]
    todo = [(at, at, (_CARDS_AT[suit][at],)) for at in range(ACE_HIGH, 0, -1) if held >> at & 1]
    for low, last, cards in todo:
        need, most = _room(limits, Kind.RUN, len(cards))
        gaps = last - low + 1 - len(cards)
        if last == ACE_HIGH and aces is AceInRuns.BOTH:
            # A whole suit is read from its ace up.
            most = min(most, len(RANKS) - 1 - len(cards))
        if limits.wilds_apart:
            most = min(most, gaps + (low > aces.lowest) + (last < aces.highest))
        need = max(need, gaps)
        if need <= min(most, wilds):
            found.append(_candidate(limits, Kind.RUN, cards, need, most, run_of_suit))
        top = min(aces.highest, low + (longest or ACE_HIGH) - 1, last + reach)
        for place in range(last + 1, min(top, low + len(cards) + most_gaps) + 1):
            if held >> place & 1:
                todo.append((low, place, (*cards, _CARDS_AT[suit][place])))
                if not longest:
                    break
    return found[::-1]


@lru_cache(maxsize=1024)
def sets(
    limits: MeldLimits, wilds: int, rank: Rank, held: tuple[int, ...], fewest: int
) -> Sequence[Candidate]:
    """Return the sets of a rank with so many natural cards; ``held`` is how many, by suit."""
    found = []
    cards = [CARD_OF[rank, suit] for suit in SUITS]
    # More than twice the fewest would be two sets.
    too_many = 2 * max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    for some in _choices(cards, held, limits):
        need, most = _room(limits, Kind.SET, len(some))
        if fewest <= len(some) < too_many and need <= min(most, wilds):
            found.append(_candidate(limits, Kind.SET, some, need, most))
    for card, count in zip(cards, held, strict=True):
        if limits.tanala_rule and count >= 3:
            found.append(_candidate(limits, Kind.SET, (card,) * 3, 0, 0))
    return found


def _choices(
    cards: Sequence[Card], held: Sequence[int], limits: MeldLimits
) -> Iterator[tuple[Card, ...]]:
    """Yield every choice for a set from so many of each card as are ``held``, most cards first."""
    most = [min(count, 1) for count in held] if limits.suits_differ else held
    for counts in product(*[range(count, -1, -1) for count in most]):
        yield tuple([card for card, count in zip(cards, counts, strict=True) for _ in range(count)])
