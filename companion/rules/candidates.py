"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, a field of three bits for each: how many there are of it, and a
guard. Wild cards are a mere number: a candidate takes certain natural cards, and from so many to so
many wild ones. A wild card that counts as natural in its own place is among both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import chain, combinations, product
from operator import itemgetter
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, JOKER, PACK, RANKS, SUITS, Card, Laid, Rank, Suit
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, Meld, MeldLimits

FIELD: Final = 3
COUNT: Final = 3  # both bits of a field that count
_PLACE: Final = FIELD * len(SUITS)
_IDENTICAL: Final = 3
_MOST_NATURALS: Final = 20  # more than a meld can have
Breaches = Callable[[Meld, Meld], Sequence[object]]


def unit(place: int, suit: int) -> int:
    """One card, in the number that counts cards."""
    return 1 << _PLACE * (place + 1) + FIELD * suit


def guards_of(cards: int) -> int:
    """The guards of all fields up to the highest in which there is a card."""
    fields = cards.bit_length() // FIELD + 1
    return 4 * ((1 << FIELD * fields) // 7)


# Fields for what can be used up besides cards. Below the cards, so that they are chosen first: runs
# that there must be, clean or not, and the one run that a suit may have. Above them: a meld of wild
# cards alone for each suit, and the melds on the table.
CLEAN_RUN: Final = unit(-1, 0)
ANY_RUN: Final = unit(-1, 1)
PERMITS: Final = [unit(0, suit) for suit in SUITS]
ALONE: Final = [unit(ACE_HIGH + 1, suit) for suit in SUITS]
_TABLE: Final = ACE_HIGH + 2


def lowest_field(cards: int) -> int:
    """The bit at which the field of the lowest card begins."""
    at = (cards & -cards).bit_length() - 1
    return at - at % FIELD


class Planned(NamedTuple):
    """What a candidate is: the ranks of its natural cards, by suit, and where it lies.

    A set has one rank, ``places``; a run has its natural cards as bits by place, 1 … 14, in one
    suit, and so has it ``others``, the places of wild cards, if those are to be certain ones.
    ``onto`` is the meld on the table that it makes longer.
    """

    kind: Kind
    suits: tuple[Suit, ...]
    places: int
    onto: int | None = None
    others: int | None = None

    @property
    def cards(self) -> list[Card]:
        """The natural cards."""
        if self.kind is Kind.SET:
            return [CARD_OF[Rank(self.places), suit] for suit in self.suits]
        places = range(1, self.places.bit_length())
        return [card_at(place, self.suits[0]) for place in places if self.places >> place & 1]

    @property
    def run_places(self) -> list[tuple[Card, bool]]:
        """The cards that a run is, and whether a wild card stands for each."""
        others = self.others or 0
        return [
            (card_at(place, self.suits[0]), others >> place & 1 > 0)
            for place in range(1, ACE_HIGH + 1)
            if (self.places | others) >> place & 1
        ]


class Candidate(NamedTuple):
    """Cards for a meld, and the fewest and the most wild cards with them.

    It is worth no trial while one of the cards that it ``skips`` is still there.
    """

    taken: int
    need: int
    most: int
    skips: int
    planned: Planned


class Asked(NamedTuple):
    """How many runs must be ``clean`` and how many there must be; or no melds but clean runs."""

    clean: int = 0
    runs: int = 0
    clean_only: bool = False

    @property
    def marks(self) -> int:
        """The same as what has to be used up."""
        return self.clean * CLEAN_RUN + max(0, self.runs - self.clean) * ANY_RUN


NOTHING_ASKED: Final = Asked()
_NEED: Final = itemgetter(1)


class LeavesOut(Enum):
    """Which cards held a run may leave out between its ends: any, none, or what is gone by then."""

    ANY = 1
    NONE = 2
    GONE = 3

    __hash__ = object.__hash__


def card_at(place: int, suit: Suit) -> Card:
    """The card that has this place, 1 … 14, in a suit."""
    return _CARDS_AT[suit][place]


def home_of(rank: int, aces: AceInRuns) -> int:
    """The place at which a rank is counted: an ace that can only be high is the highest card."""
    return ACE_HIGH if rank == 1 and aces is AceInRuns.HIGH else rank


_CARDS_AT: Final = [
    [JOKER, *(CARD_OF[rank, suit] for rank in RANKS), CARD_OF[Rank.ACE, suit]] for suit in SUITS
]
# Every card as a number, and its places in a run as bits; and the cards of a suit by place.
UNITS: Final = {
    aces: {card: unit(home_of(card.rank, aces), card.suit) for card in PACK} for aces in AceInRuns
}
_PLACES: Final = {
    aces: {card: sum(1 << place for place in aces.places(card.rank)) for card in PACK}
    for aces in AceInRuns
}
_IN_SUIT: Final = {
    aces: [[0, *(UNITS[aces][card_at(p, suit)] for p in range(1, ACE_HIGH + 1))] for suit in SUITS]
    for aces in AceInRuns
}


@lru_cache(maxsize=1024)
def _rooms(limits: MeldLimits, kind: Kind) -> Sequence[tuple[int, int]]:
    """The fewest and the most wild cards with so many natural ones; more than the most if none."""
    if kind is Kind.RUN:
        fewest, longest = limits.run_sizes[0], min(limits.run_sizes[1], len(RANKS))
    else:
        fewest, longest = limits.set_sizes
        longest = min(longest, len(SUITS)) if limits.suits_differ else longest
    found = []
    for naturals in range(_MOST_NATURALS):
        most = longest - naturals
        if limits.half_wild:
            most = min(most, naturals)
        if limits.max_wilds is not None:
            most = min(most, limits.max_wilds)
        enough = naturals >= limits.fewest_naturals(kind)
        found.append((max(0, fewest - naturals), most if enough else -1))
    return found


def _run_room(
    room: tuple[int, int], gaps: int, low: int, last: int, limits: MeldLimits
) -> tuple[int, int]:
    """The room for wild cards in a run from low to last, which has so many gaps."""
    need, most = room
    aces = limits.ace_in_runs
    if last == ACE_HIGH and aces is AceInRuns.BOTH:
        # A whole suit is read from its ace up.
        most = min(most, len(RANKS) - 1 - (last - low + 1 - gaps))
    if limits.wilds_apart:
        # From 2 up to the ace is a whole suit, and that is read from the ace up.
        whole = aces is AceInRuns.BOTH and (low, last) == (Rank.THREE, Rank.KING)
        ends = 1 if whole else (low > aces.lowest) + (last < aces.highest)
        most = min(most, gaps + ends)
    return max(need, gaps), most


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
def _fewest_in_set(limits: MeldLimits, wilds: int, *, every: bool) -> int:
    """How many natural cards a set has at least: not one alone, if a run of it is as good."""
    fewest = max(1, limits.set_sizes[0] - wilds, limits.fewest_naturals(Kind.SET))
    if fewest > 1 or every or limits.wilds_apart or limits.one_run_a_suit:
        return fewest
    (as_run, most_as_run), (as_set, most_as_set) = (
        _rooms(limits, kind)[1] for kind in (Kind.RUN, Kind.SET)
    )
    return 2 if as_run <= as_set and most_as_set <= most_as_run else 1


class Listed:
    """Candidates by the field of the lowest card that they take, those with few wild cards first.

    ``reach`` is what those take together that need so many wild cards, by that number.
    """

    def __init__(self, wilds: int, candidates: Iterable[Candidate] = ()) -> None:
        self.of_lowest: dict[int, list[Candidate]] = {}
        self.reach = [0] * (wilds + 1)
        for one in sorted(candidates, key=_NEED):
            taken = one[0]
            at = (taken & -taken).bit_length() - 1
            self.of_lowest.setdefault(at - at % FIELD, []).append(one)
            self.reach[one[1]] |= taken

    def add(self, other: Listed) -> None:
        """Add candidates that were listed for as many wild cards."""
        of_lowest = self.of_lowest
        for at, some in other.of_lowest.items():
            of_lowest[at] = sorted(of_lowest[at] + some, key=_NEED) if at in of_lowest else some
        self.reach = [one | more for one, more in zip(self.reach, other.reach, strict=True)]


class Handful:
    """The cards held, and the candidates that they can form.

    ``cards`` is all of them as a number, with what else can be used up; ``wilds`` is how many are
    wild. ``counts_own`` says that a wild card in its own place is to be counted as natural.
    """

    def __init__(self, held: Mapping[Card, int], limits: MeldLimits, *, counts_own: bool) -> None:
        self.held, self.limits, self.counts_own = held, limits, counts_own
        self.cards = self.wilds = 0
        self._suits, self._own = [0] * len(SUITS), [0] * len(SUITS)
        self._several = [False] * len(SUITS)
        self._ranks: dict[Rank, list[int]] = {}
        wild_ranks = limits.wild_ranks
        units, places = UNITS[limits.ace_in_runs], _PLACES[limits.ace_in_runs]
        for card, count in held.items():
            rank, suit = card
            if rank in wild_ranks:
                self.wilds += count
                if not counts_own or card is JOKER:
                    continue
                self._own[suit] |= places[card]
            self._suits[suit] |= places[card]
            self.cards += count * units[card]
            if count > 1:
                self._several[suit] = True
            self._ranks.setdefault(rank, [0] * len(SUITS))[suit] = count
        if limits.one_run_a_suit:
            self.cards += sum(PERMITS)

    def melds(
        self, asked: Asked = NOTHING_ASKED, longest: int = 0, *, beside_others: bool = False
    ) -> Listed:
        """The new melds.

        With ``longest`` all of them are listed whose runs have so many cards at most, and not only
        those that may leave the least. With ``beside_others`` cards can go elsewhere too.
        """
        limits, wilds, found = self.limits, self.wilds, Listed(self.wilds)
        exchanges = not longest and not beside_others and _exchanges(limits)
        for suit, there in zip(SUITS, self._suits, strict=True):
            if there & there >> 1 & there >> 2 or (wilds and there and not asked.clean_only):
                out = LeavesOut.ANY
                if exchanges and there.bit_count() + wilds < len(RANKS):
                    several = self._several[suit] or asked is not NOTHING_ASKED
                    out = LeavesOut.GONE if several else LeavesOut.NONE
                found.add(runs(limits, wilds, suit, there, self._own[suit], asked, out, longest))
        if asked.clean_only:
            return found
        fewest = _fewest_in_set(limits, wilds, every=longest > 0)
        for rank, counts in self._ranks.items():
            if sum(counts) >= fewest:
                found.add(sets(limits, wilds, rank, tuple(counts), fewest))
        if wilds >= min(limits.run_sizes[0], limits.set_sizes[0]):
            found.add(Listed(wilds, self._of_wilds(asked, every=longest > 0)))
        return found

    def _of_wilds(self, asked: Asked, *, every: bool) -> Iterator[Candidate]:
        """Melds of wild cards alone, each using up one of the places that there are for them."""
        limits = self.limits
        for kind in Kind.SET, Kind.RUN:
            need, most = _rooms(limits, kind)[0]
            if need > min(most, self.wilds) or (limits.wilds_apart and kind is Kind.RUN):
                continue
            any_suit = every or limits.one_run_a_suit
            for suit in SUITS if any_suit else SUITS[: self.wilds // need]:
                self.cards |= ALONE[suit]
                if kind is Kind.SET:
                    yield Candidate(ALONE[suit], need, most, 0, Planned(kind, (), 0))
                    continue
                permit = PERMITS[suit] if limits.one_run_a_suit else 0
                planned = Planned(kind, (suit,), 0)
                one = Candidate(ALONE[suit] + permit, need, most, 0, planned)
                yield from _marked(one, 0, asked)

    # -- lay-offs -----------------------------------------------------------------------------

    def lay_offs(self, onto: Sequence[Meld], breaches: Breaches) -> Listed:
        """What can be laid off on melds; ``breaches`` says what a run breaks by growing."""
        every: list[Candidate] = []
        for at, meld in enumerate(onto):
            if meld.kind is Kind.TANALA:
                continue
            mark = unit(_TABLE, at)
            self.cards |= mark
            found = (
                self._onto_set(meld) if meld.kind is Kind.SET else self._onto_run(meld, breaches)
            )
            every += [
                one._replace(taken=one.taken + mark, planned=one.planned._replace(onto=at))
                for one in found
            ]
        return Listed(self.wilds, every)

    def _onto_set(self, meld: Meld) -> Iterator[Candidate]:
        limits, rank = self.limits, meld.cards[0].stands_for.rank
        natural = limits.naturals(meld.cards)
        there = len(meld.cards) - natural
        suits = missing_suits(meld) if limits.suits_differ else SUITS
        counts_of = [self.held.get(CARD_OF[rank, suit], 0) * (suit in suits) for suit in SUITS]
        own = self.counts_own and rank in limits.wild_ranks
        if limits.suits_differ:
            counts_of = [min(count, 1) for count in counts_of]
        for counts in product(*[range(count + 1) for count in counts_of]):
            added = sum(counts)
            most = _rooms(limits, Kind.SET)[natural + added][1] - there
            need = added if own else 0
            if most >= 0 < most + added and need <= self.wilds:
                place = home_of(rank, limits.ace_in_runs)
                yield _set(place, rank, counts, need, most + need)

    def _onto_run(self, meld: Meld, breaches: Breaches) -> Iterator[Candidate]:
        limits, aces, wilds = self.limits, self.limits.ace_in_runs, self.wilds
        suit = meld.cards[0].stands_for.suit
        units, there, own = _IN_SUIT[aces][suit], self._suits[suit], self._own[suit]
        most = min(limits.run_sizes[1], len(RANKS)) - len(meld.cards)
        for low, high in product(
            range(meld.low, aces.lowest - 1, -1), range(meld.high, aces.highest + 1)
        ):
            added = [*range(low, meld.low), *range(meld.high + 1, high + 1)]
            held = [place for place in added if there >> place & 1]
            fewest = max(0, len(added) - wilds)
            if not 0 < len(added) <= most or len(held) < fewest:
                continue
            for natural in chain.from_iterable(
                combinations(held, count) for count in range(len(held), fewest - 1, -1)
            ):
                places = sum([1 << place for place in natural])
                need = len(added) - len(natural) + (places & own).bit_count()
                if need > wilds:
                    continue
                others = sum([1 << place for place in added]) - places
                planned = Planned(Kind.RUN, (suit,), places, others=others)
                laid, below = laid_in_run(planned, limits), meld.low - low
                cards = (*laid[:below], *meld.cards, *laid[below:])
                if aces is AceInRuns.BOTH and len(cards) == len(RANKS) and low > 1:
                    # A whole suit is read from the ace up, wherever its ace was laid.
                    cards = (cards[-1], *cards[:-1])
                longer = Meld(Kind.RUN, cards)
                if not limits.breaches(longer) and not breaches(meld, longer):
                    taken = sum([units[place] for place in natural])
                    yield Candidate(taken, need, need, 0, planned)


@lru_cache(maxsize=1024)
def runs(
    limits: MeldLimits,
    wilds: int,
    suit: Suit,
    held: int,
    own: int,
    asked: Asked,
    leaves_out: LeavesOut,
    most_cards: int,
) -> Listed:
    """The runs of a suit with a natural card, those with many of them first.

    ``held`` are the places held, as bits, and ``own`` those of wild cards. With ``most_cards`` runs
    have as many at most; without it those are left out that are two runs.
    """
    aces, shortest = limits.ace_in_runs, limits.run_sizes[0]
    longest = min(most_cards or len(RANKS), limits.run_sizes[1])
    # Where more than half may be wild in a part, a run that can be cut may be longer than that.
    uncut = most_cards or limits.one_run_a_suit or (limits.half_wild and not limits.wilds_apart)
    cut_from = ACE_HIGH + 1 if uncut else 2 * shortest
    units, suits = _IN_SUIT[aces][suit], (suit,)
    most_gaps = len(RANKS) if limits.max_wilds is None else limits.max_wilds
    most_gaps = 0 if asked.clean_only else most_gaps
    skips_held = leaves_out is LeavesOut.GONE
    reach, farthest = 2 if limits.wilds_apart else ACE_HIGH, aces.highest
    permit = PERMITS[suit] if limits.one_run_a_suit else 0
    rooms = _rooms(limits, Kind.RUN)
    found: list[Candidate] = []
    # Each run is made longer by one natural card; so those with few of them come first here.
    todo = [
        (low, low, 1, 1 << low, permit + units[low])
        for low in range(aces.highest, aces.lowest - 1, -1)
        if held >> low & 1
    ]
    for low, last, count, places, taken in todo:
        in_place = (places & own).bit_count() if own else 0
        if last - low < cut_from - 1 or not _can_be_cut(places, low, last, limits):
            need, most = _run_room(rooms[count], last - low + 1 - count, low, last, limits)
            if need <= most and need + in_place <= wilds:
                between = held & ~places & (1 << last) - (1 << low)
                skips = _skipped(between, units) if between and skips_held else 0
                planned = Planned(Kind.RUN, suits, places)
                found.append(Candidate(taken, need + in_place, most + in_place, skips, planned))
        else:
            continue  # what is longer can be cut too
        gaps = min(wilds - in_place, most_gaps)
        top = min(farthest, low + longest - 1, last + reach, low + count + gaps)
        for place in range(last + 1, top + 1):
            if held >> place & 1:
                todo.append((low, place, count + 1, places | 1 << place, taken + units[place]))
                if leaves_out is LeavesOut.NONE:
                    break
    found.reverse()
    if asked is NOTHING_ASKED:
        return Listed(wilds, found)
    return Listed(wilds, [marked for one in found for marked in _marked(one, own, asked)])


def _skipped(places: int, units: Sequence[int]) -> int:
    """All cards in these places, with ``units`` of them by place."""
    return COUNT * sum([one for place, one in enumerate(units) if places >> place & 1])


def _marked(one: Candidate, own: int, asked: Asked) -> Iterator[Candidate]:
    """A run once for each of the runs asked for that it can be."""
    places, (clean, runs, clean_only) = one.planned.places, asked
    in_place = (places & own).bit_count()
    gapless = places and (places // (places & -places) + 1).bit_count() == 1
    if gapless and one.need == in_place and (clean or clean_only):
        mark = 0 if clean_only else CLEAN_RUN
        yield Candidate(one.taken + mark, in_place, in_place, 0, one.planned)
    if not clean_only:
        if runs > clean:
            yield one._replace(taken=one.taken + ANY_RUN)
        yield one


@lru_cache(maxsize=1024)
def sets(limits: MeldLimits, wilds: int, rank: Rank, held: tuple[int, ...], fewest: int) -> Listed:
    """The sets of one rank with so many natural cards; ``held`` is how many, by suit."""
    found, place = [], home_of(rank, limits.ace_in_runs)
    own = rank in limits.wild_ranks
    # More than twice the fewest would be two sets.
    most_of_it = 2 * max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    in_a_set = [min(count, 1) for count in held] if limits.suits_differ else held
    rooms = _rooms(limits, Kind.SET)
    for counts in product(*[range(count, -1, -1) for count in in_a_set]):
        number = sum(counts)
        if fewest <= number < most_of_it:
            need, most = rooms[number]
            in_place = number if own else 0
            if need <= most and need + in_place <= wilds:
                found.append(_set(place, rank, counts, need + in_place, most + in_place))
    if limits.tanala_rule:
        for suit in SUITS:
            if held[suit] >= _IDENTICAL:
                counts = tuple([_IDENTICAL * (other is suit) for other in SUITS])
                in_place = _IDENTICAL if own else 0
                found.append(_set(place, rank, counts, in_place, in_place))
    return Listed(wilds, found)


def laid_in_run(planned: Planned, limits: MeldLimits) -> list[Laid]:
    """The cards of a run, with a joker in each of its places for wild cards."""
    return [
        Laid(JOKER, card, True) if is_open else Laid(card, card, limits.is_wild(card))
        for card, is_open in planned.run_places
    ]


def _set(place: int, rank: int, counts: Sequence[int], need: int, most: int) -> Candidate:
    """So many cards of a rank, by suit, counted at this place, as a set."""
    taken = sum([count * unit(place, suit) for suit, count in enumerate(counts)])
    suits = tuple([suit for suit in SUITS for _ in range(counts[suit])])
    return Candidate(taken, need, most, 0, Planned(Kind.SET, suits, rank))


def missing_suits(meld: Meld) -> tuple[Suit, ...]:
    """The suits that a set has not."""
    return tuple(suit for suit in SUITS if suit not in {card.suit for card in meld.identities})


def one_run(one: Planned, other: Planned, wilds: int, limits: MeldLimits) -> Planned | None:
    """Two runs of a suit as one with so many wild cards, if they are one."""
    alike = one.kind is other.kind is Kind.RUN and one.suits == other.suits
    if not alike or one.onto is not None or other.onto is not None:
        return None
    lower, higher = sorted((one.places, other.places))
    between = (higher & -higher).bit_length() - lower.bit_length() - 1
    if between < 0 or (limits.wilds_apart and between > 1):
        return None
    low, last = (lower & -lower).bit_length() - 1, higher.bit_length() - 1
    count = (lower | higher).bit_count()
    room = _rooms(limits, Kind.RUN)[count]
    need, most = _run_room(room, last - low + 1 - count, low, last, limits)
    return one._replace(places=lower | higher) if need <= wilds <= most else None


def _can_be_cut(places: int, low: int, last: int, limits: MeldLimits) -> bool:
    """Whether a run, its gaps filled with wild cards, is also two runs."""
    shortest, fewest = limits.run_sizes[0], limits.fewest_naturals(Kind.RUN)
    for cut in range(low + shortest, last - shortest + 2):
        below = (places & (1 << cut) - 1).bit_count()
        above = places.bit_count() - below
        if min(below, above) >= fewest and (
            not limits.half_wild or (2 * below >= cut - low and 2 * above >= last - cut + 1)
        ):
            return True
    return False
