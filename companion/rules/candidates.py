"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, a field of three bits for each: how many there are of it, and a
guard. Wild cards are a mere number: a candidate takes certain natural cards, and from so many to so
many wild ones. A wild card that counts as natural in its own place is among both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from operator import itemgetter, or_
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, JOKER, PACK, RANKS, SUITS, Card, Laid, Rank, Suit
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits

FIELD: Final = 3
COUNT: Final = 3  # both bits of a field that count
_MOST_NATURALS: Final = 20  # more than a meld can have
Breaches = Callable[[Meld, Meld], Sequence[object]]


def unit(place: int, suit: int) -> int:
    """One card, in the number that counts cards."""
    return 1 << FIELD * (len(SUITS) * (place + 1) + suit)


def lowest_field(cards: int) -> int:
    """The bit at which the field of the lowest card begins."""
    at = (cards & -cards).bit_length() - 1
    return at - at % FIELD


# Fields for what can be used up besides cards. Below the cards, so that they are chosen first: runs
# that there must be, clean or not, and the one run that a suit may have. Above them: a meld of wild
# cards alone for each suit, and the melds on the table.
CLEAN_RUN: Final = unit(-1, 0)
ANY_RUN: Final = unit(-1, 1)
_PERMITS: Final = [unit(0, suit) for suit in SUITS]
ALONE: Final = [unit(ACE_HIGH + 1, suit) for suit in SUITS]
_TABLE: Final = ACE_HIGH + 2

_CARDS_AT: Final = [
    [JOKER, *(CARD_OF[rank, suit] for rank in RANKS), CARD_OF[Rank.ACE, suit]] for suit in SUITS
]
# Every card as a number, and its places in a run as bits. An ace that can only be high is the
# highest card.
UNITS: Final = {
    aces: {card: unit(aces.places(card.rank)[0], card.suit) for card in PACK} for aces in AceInRuns
}
_TWICE: Final = [sum(2 * unit(place, suit) for place in range(1, ACE_HIGH + 1)) for suit in SUITS]
_IN_SUIT: Final = {
    aces: [[UNITS[aces].get(card, 0) for card in cards] for cards in _CARDS_AT]
    for aces in AceInRuns
}
_PLACES: Final = {
    aces: {card: sum(1 << place for place in aces.places(card.rank)) for card in PACK}
    for aces in AceInRuns
}


class Candidate(NamedTuple):
    """Cards for a meld, and the fewest and the most wild cards with them.

    A set has one rank, ``places``, and the ``suits`` of its natural cards; a run has its natural
    cards as bits by place, 1 … 14, in one suit, and so has it ``others``, the places of wild cards,
    if those are to be certain ones. ``onto`` is the meld on the table that it makes longer.
    """

    taken: int
    need: int
    most: int
    kind: Kind
    suits: tuple[Suit, ...]
    places: int
    onto: int | None = None
    others: int | None = None

    @property
    def lying(self) -> list[tuple[Card, bool]]:
        """The cards that it is, and whether a wild card stands for each."""
        if self.kind is Kind.SET:
            return [(_CARDS_AT[suit][self.places], False) for suit in self.suits]
        others = self.others or 0
        every, cards = self.places | others, _CARDS_AT[self.suits[0]]
        return [
            (cards[place], others >> place & 1 > 0)
            for place in range(1, every.bit_length())
            if every >> place & 1
        ]

    @property
    def cards(self) -> list[Card]:
        """The natural cards."""
        return [card for card, is_open in self.lying if not is_open]

    def own(self, limits: MeldLimits) -> int:
        """How many of the natural cards are wild ones in their own place."""
        return sum([card.rank in limits.wild_ranks for card in self.cards])

    def laid(self, limits: MeldLimits) -> list[Laid]:
        """The cards as they lie, a joker wherever a wild card stands for another."""
        return [
            Laid(JOKER, card, True) if is_open else Laid(card, card, limits.is_wild(card))
            for card, is_open in self.lying
        ]


_NEED: Final = itemgetter(1)


class Listed:
    """Candidates by the field of the lowest card that they take, those with few wild cards first.

    ``reach`` is what those take together that need so many wild cards, by that number.
    """

    def __init__(self, wilds: int, candidates: Iterable[Candidate] = ()) -> None:
        self.of_lowest: dict[int, list[Candidate]] = {}
        self.reach = [0] * (wilds + 1)
        for one in sorted(candidates, key=_NEED):
            if one.need <= wilds:
                self.of_lowest.setdefault(lowest_field(one.taken), []).append(one)
                self.reach[one.need] |= one.taken

    def add(self, other: Listed) -> None:
        """Add candidates that were listed for as many wild cards."""
        of_lowest = self.of_lowest
        for at, some in other.of_lowest.items():
            of_lowest[at] = sorted(of_lowest[at] + some, key=_NEED) if at in of_lowest else some
        self.reach = list(map(or_, self.reach, other.reach))


@lru_cache(maxsize=1024)
def rooms_of(limits: MeldLimits, kind: Kind) -> Sequence[tuple[int, int]]:
    """The fewest and the most wild cards with so many natural ones; more than the most if none."""
    if kind is Kind.RUN:
        fewest, longest = limits.run_sizes[0], min(limits.run_sizes[1], len(RANKS))
    else:
        fewest, longest = limits.set_sizes
        longest = min(longest, len(SUITS)) if limits.suits_differ else longest
    found = []
    for naturals in range(_MOST_NATURALS):
        most = longest if limits.max_wilds is None else limits.max_wilds
        most = min(most, longest - naturals, naturals if limits.half_wild else longest)
        enough = naturals >= limits.fewest_naturals(kind)
        found.append((max(0, fewest - naturals), most if enough else -1))
    return found


@lru_cache(maxsize=512)
def _exchanges(limits: MeldLimits) -> bool:
    """Whether a wild card and the card that it stands for can always change places.

    No limit asks where wild cards lie or how many they are. So a run need leave out no card between
    its ends: whatever has that card instead can have the wild one. Three identical cards cannot.
    """
    return (
        not (limits.tanala_rule or limits.half_wild or limits.wilds_apart or limits.one_run_a_suit)
        and limits.max_wilds is None
        and max(limits.min_naturals, limits.set_min_naturals) <= 1
        and limits.run_sizes[1] >= len(RANKS)
    )


@lru_cache(maxsize=512)
def _longest(limits: MeldLimits) -> int:
    """The most cards in a run that may be better than two runs."""
    shortest, longest = limits.run_sizes
    # A part of a run may have too few natural cards.
    halves = limits.half_wild and not limits.wilds_apart
    if halves or limits.one_run_a_suit or limits.fewest_naturals(Kind.RUN) > 1:
        return longest
    return min(longest, 2 * shortest - 1)


class Handful:
    """The cards held, and the candidates that they can form.

    ``cards`` is all of them as a number, with what else can be used up; ``wilds`` is how many are
    wild. Wild cards that count as natural in their own places are among both.
    """

    def __init__(self, held: Mapping[Card, int], limits: MeldLimits) -> None:
        self.limits = limits
        self.cards = sum(_PERMITS) if limits.one_run_a_suit else 0
        self.wilds = 0
        self._suits, self._own = [0] * len(SUITS), [0] * len(SUITS)
        self._ranks: dict[Rank, list[int]] = {}
        wild_ranks = limits.wild_ranks
        units, places = UNITS[limits.ace_in_runs], _PLACES[limits.ace_in_runs]
        for card, count in held.items():
            rank, suit = card
            if rank in wild_ranks:
                self.wilds += count
                if limits.wild_in_own_place or card is JOKER:
                    continue
                self._own[suit] |= places[card]
            self._suits[suit] |= places[card]
            self.cards += count * units[card]
            self._ranks.setdefault(rank, [0] * len(SUITS))[suit] = count

    def melds(self, asked: int = 0, longest: int = 0) -> Listed:
        """The new melds, each also as one of the runs ``asked`` for by their marks.

        With ``longest`` all melds are listed whose runs have so many cards at most, and not only
        those that may leave the least.
        """
        limits, wilds, found = self.limits, self.wilds, Listed(self.wilds)
        stand_in = wilds and limits.max_wilds != 0
        exchanges = not longest and _exchanges(limits)
        for suit, there in zip(SUITS, self._suits, strict=True):
            if there and (stand_in or there & there >> 1 & there >> 2):
                full = exchanges and not asked and there.bit_count() + wilds <= len(RANKS)
                full = full and not self.cards & _TWICE[suit]
                own = self._own[suit]
                most = longest or (limits.run_sizes[1] if full else _longest(limits))
                found.add(runs(limits, wilds, suit, there, own, asked, most, full=full))
        # One natural card is as good in a run.
        fewest = 2 if exchanges and limits.run_sizes[0] <= limits.set_sizes[0] else 1
        naturals = max(limits.min_naturals, limits.set_min_naturals)
        fewest = max(fewest, limits.set_sizes[0] - wilds, naturals)
        for rank, counts in self._ranks.items():
            if sum(counts) >= fewest:
                found.add(sets(limits, wilds, rank, tuple(counts), fewest))
        if wilds >= min(limits.run_sizes[0], limits.set_sizes[0]):
            found.add(Listed(wilds, self._of_wilds(asked)))
        return found

    def clean_runs(self, melds: Listed) -> Listed:
        """Those of the melds that are marked as clean runs, without the mark."""
        marked = melds.of_lowest.get(lowest_field(CLEAN_RUN), ())
        return Listed(self.wilds, [one._replace(taken=one.taken - CLEAN_RUN) for one in marked])

    def _of_wilds(self, asked: int) -> Iterator[Candidate]:
        """Melds of wild cards alone, each using up one of the places that there are for them."""
        limits = self.limits
        for kind in Kind.SET, Kind.RUN:
            (need, most), is_run = rooms_of(limits, kind)[0], kind is Kind.RUN
            if need > min(most, self.wilds) or (limits.wilds_apart and is_run):
                continue
            for suit in SUITS if limits.one_run_a_suit else SUITS[: self.wilds // need]:
                self.cards |= ALONE[suit]
                taken = ALONE[suit] + is_run * limits.one_run_a_suit * _PERMITS[suit]
                suits = (suit,) if is_run else ()
                yield from _marked(Candidate(taken, need, most, kind, suits, 0), 0, asked)

    # -- lay-offs -----------------------------------------------------------------------------

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Listed:
        """What can be laid off on melds; ``breaches`` says what a run breaks by growing."""
        every = []
        for at, meld in enumerate(onto):
            if meld.kind is Kind.TANALA:
                continue
            mark, is_set = unit(_TABLE, at), meld.kind is Kind.SET
            self.cards |= mark
            found = self._onto_set(meld) if is_set else self._onto_run(meld, breaches)
            every += [one._replace(taken=one.taken + mark, onto=at) for one in found]
        return Listed(self.wilds, every)

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        natural = limits.naturals(meld.cards)
        free = missing_suits(meld) if limits.suits_differ else SUITS
        held = _in_a_set(self._ranks.get(rank, [0] * len(SUITS)), limits)
        for counts in product(*[range(held[suit] * (suit in free) + 1) for suit in SUITS]):
            added = sum(counts)
            most = rooms_of(limits, Kind.SET)[natural + added][1] - len(meld.cards) + natural
            if most >= 0 < most + added:
                yield _set(limits, rank, counts, 0, most)

    def _onto_run(self, meld: Meld, breaches: Breaches) -> Iterator[Candidate]:
        limits, aces = self.limits, self.limits.ace_in_runs
        suit = meld.cards[0].stands_for.suit
        most = min(limits.run_sizes[1], len(RANKS)) - len(meld.cards)
        for low, high in product(
            range(meld.low, aces.lowest - 1, -1), range(meld.high, aces.highest + 1)
        ):
            added = [*range(low, meld.low), *range(meld.high + 1, high + 1)]
            held = [place for place in added if self._suits[suit] >> place & 1]
            fewest = max(0, len(added) - self.wilds)
            for count in range(len(held), fewest - 1, -1) if 0 < len(added) <= most else ():
                for natural in combinations(held, count):
                    places = sum([1 << place for place in natural])
                    others = sum([1 << place for place in added]) - places
                    need = others.bit_count() + (places & self._own[suit]).bit_count()
                    one = Candidate(0, need, need, Kind.RUN, (suit,), places, others=others)
                    laid, below = one.laid(limits), meld.low - low
                    cards = (*laid[:below], *meld.cards, *laid[below:])
                    if aces is AceInRuns.BOTH and len(cards) == len(RANKS) and low > 1:
                        # A whole suit is read from the ace up, wherever its ace was laid.
                        cards = (cards[-1], *cards[:-1])
                    longer = Meld(Kind.RUN, cards)
                    if not limits.breaches(longer) and not breaches(meld, longer):
                        yield one._replace(taken=sum([UNITS[aces][card] for card in one.cards]))


@lru_cache(maxsize=1024)
def runs(
    limits: MeldLimits,
    wilds: int,
    suit: Suit,
    held: int,
    own: int,
    asked: int,
    longest: int,
    *,
    full: bool,
) -> Listed:
    """The runs of a suit with a natural card, those with many of them first.

    ``held`` are the places held, as bits, and ``own`` those of wild cards. ``full`` runs leave out
    no card held between their ends.
    """
    aces = limits.ace_in_runs
    units, suits = _IN_SUIT[aces][suit], (suit,)
    most_gaps = len(RANKS) if limits.max_wilds is None else limits.max_wilds
    reach, farthest = 2 if limits.wilds_apart else ACE_HIGH, aces.highest
    permit = _PERMITS[suit] if limits.one_run_a_suit else 0
    rooms = rooms_of(limits, Kind.RUN)
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo = [
        (low, low, 1, 1 << low, permit + units[low])
        for low in range(aces.highest, aces.lowest - 1, -1)
        if held >> low & 1
    ]
    for low, last, count, places, taken in todo:
        in_place = (places & own).bit_count() if own else 0
        (need, most), gaps = rooms[count], last - low + 1 - count
        if last == ACE_HIGH and aces is AceInRuns.BOTH:
            # A whole suit is read from its ace up.
            most = min(most, len(RANKS) - 1 - count)
        if limits.wilds_apart:
            # From 2 up to the ace is a whole suit, and that is read from the ace up.
            whole = aces is AceInRuns.BOTH and (low, last) == (Rank.THREE, Rank.KING)
            ends = 1 if whole else (low > aces.lowest) + (last < aces.highest)
            most = min(most, gaps + ends)
        need = max(need, gaps)
        if need <= most:
            need, most = need + in_place, most + in_place
            found.append(Candidate(taken, need, most, Kind.RUN, suits, places))
        spare = min(wilds - in_place, most_gaps)
        top = min(farthest, low + longest - 1, last + reach, low + count + spare)
        for place in range(last + 1, top + 1):
            if held >> place & 1:
                todo.append((low, place, count + 1, places | 1 << place, taken + units[place]))
                if full:
                    break
    found.reverse()
    if asked:
        found = [marked for one in found for marked in _marked(one, own, asked)]
    return Listed(wilds, found)


def _marked(one: Candidate, own: int, asked: int) -> Iterator[Candidate]:
    """A meld once for each of the runs asked for that it can be."""
    places = one.places
    if one.kind is Kind.RUN:
        in_place = (places & own).bit_count()
        gapless = places and (places // (places & -places) + 1).bit_count() == 1
        if asked & COUNT * CLEAN_RUN and gapless and one.need == in_place:
            yield one._replace(taken=one.taken + CLEAN_RUN, most=in_place)
        if asked & COUNT * ANY_RUN:
            yield one._replace(taken=one.taken + ANY_RUN)
    yield one


@lru_cache(maxsize=1024)
def sets(limits: MeldLimits, wilds: int, rank: Rank, held: tuple[int, ...], fewest: int) -> Listed:
    """The sets of one rank with so many natural cards; ``held`` is how many there are, by suit."""
    found = []
    # More than twice the fewest would be two sets.
    most_of_it = 2 * max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    rooms = rooms_of(limits, Kind.SET)
    for counts in product(*[range(count, -1, -1) for count in _in_a_set(held, limits)]):
        number = sum(counts)
        need, most = rooms[number]
        if fewest <= number < most_of_it and need <= most:
            found.append(_set(limits, rank, counts, need, most))
    for suit in SUITS:
        if limits.tanala_rule and held[suit] >= 3:
            alike = [3 * (other is suit) for other in SUITS]
            found.append(_set(limits, rank, alike, 0, 0))
    return Listed(wilds, found)


def _in_a_set(held: Sequence[int], limits: MeldLimits) -> Sequence[int]:
    """How many of these cards of a rank, by suit, can be in one set."""
    return [min(count, 1) for count in held] if limits.suits_differ else held


def _set(limits: MeldLimits, rank: Rank, counts: Sequence[int], need: int, most: int) -> Candidate:
    """So many cards of a rank, by suit, as a set with so many wild cards that stand for others."""
    suits = tuple([suit for suit in SUITS for _ in range(counts[suit])])
    units, own = UNITS[limits.ace_in_runs], len(suits) if rank in limits.wild_ranks else 0
    taken = sum([units[CARD_OF[rank, suit]] for suit in suits])
    return Candidate(taken, need + own, most + own, Kind.SET, suits, rank)


def missing_suits(meld: Meld) -> tuple[Suit, ...]:
    """The suits that a set has not."""
    return tuple(suit for suit in SUITS if suit not in {card.suit for card in meld.identities})
