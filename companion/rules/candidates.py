"""The melds and lay-offs that a handful of cards can form under a game's limits.

Cards are counted in one number, a field of three bits for each: how many there are of it, and a
guard. Wild cards are a mere number: a candidate takes certain natural cards, and from so many to so
many wild ones. Where a wild card in its own place counts as natural, it is among both.

Only candidates that are worth a trial are listed: a run or set that could be cut into two, which
need no more wild cards and take as many, is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Rank, Suit
from companion.rules.melds import ACE_HIGH, AceInRuns, Kind, MeldLimits

FIELD: Final = 3
COUNT: Final = 3  # both bits of a field that count
_PLACE: Final = FIELD * len(SUITS)
# Fields for what can be used up besides cards: below them the runs that there must be, and the one
# run that a suit may have, so that those are chosen first; above them the melds on the table.
_ASKED: Final = -1
_PERMITS: Final = 0
TABLE: Final = ACE_HIGH + 1
_IDENTICAL: Final = 3

Room = tuple[int, int]


class Planned(NamedTuple):
    """What a candidate is: the ranks of its cards, by suit, and where it lies.

    A set has one rank, ``places``; a run has its natural cards as bits by place, 1 … 14, in one
    suit, and ``ends`` if it makes a run on the table longer. ``onto`` is the meld on the table.
    """

    kind: Kind
    suits: tuple[Suit, ...]
    places: int
    onto: int | None = None
    ends: tuple[int, int] | None = None


class Candidate(NamedTuple):
    """Cards for a meld, and the fewest and the most wild cards with them.

    It is worth no trial while one of the cards that it ``skips`` is still there.
    """

    taken: int
    need: int
    most: int
    skips: int
    planned: Planned


def unit(place: int, suit: int) -> int:
    """One card, in the number that counts cards."""
    return 1 << _PLACE * (place + 1) + FIELD * suit


_CLEAN_ASKED: Final = unit(_ASKED, 0)
_RUN_ASKED: Final = unit(_ASKED, 1)
MUST_BE_USED: Final = [count * mark for mark in (_CLEAN_ASKED, _RUN_ASKED) for count in (1, 2, 3)]


def guards(melds: int) -> int:
    """The guards of all fields where so many melds are on the table."""
    return _guards((TABLE + 1) * len(SUITS) + melds)


@lru_cache(maxsize=64)
def _guards(fields: int) -> int:
    return sum(4 << FIELD * field for field in range(fields))


class Asked(NamedTuple):
    """What is asked of the runs, and which of them are worth a trial.

    Some must be ``clean``, without a card that stands for another, or there must be ``runs``; with
    ``clean_only`` there are no new melds but clean runs. With ``leaves_none_out`` a run has all the
    cards held between its lowest and its highest, and with ``unless_gone`` all that are still
    there when it is chosen.
    """

    clean: bool = False
    runs: bool = False
    clean_only: bool = False
    leaves_none_out: bool = False
    unless_gone: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """A game's limits as numbers, for so many wild cards.

    ``run_room`` is the room for wild cards that a run has, by the number of its natural cards,
    ``high_room`` the same with an ace above the king, ``set_room`` that of a set. Where it is
    ``simple``, no limit asks where wild cards lie or how many they are, and a run need leave out no
    card between its ends: whatever has that card instead can have the wild one. Three identical
    cards cannot. Sets of fewer natural cards than ``fewest_in_set`` cannot be, or a run is as good;
    runs from ``cut_from`` cards up may be two.
    """

    limits: MeldLimits
    wilds: int
    run_room: Sequence[Room]
    high_room: Sequence[Room]
    set_room: Sequence[Room]
    simple: bool
    fewest_in_set: int
    cut_from: int


@lru_cache(maxsize=1024)
def shapes(limits: MeldLimits, wilds: int) -> Shapes:
    """The limits of a hand, as numbers."""
    shortest, longest = limits.run_sizes
    longest = min(longest, len(RANKS))
    fewest, most = limits.set_sizes
    most = min(most, len(SUITS)) if limits.suits_differ else most
    run_room = _rooms(limits, Kind.RUN, shortest, longest)
    set_room = _rooms(limits, Kind.SET, fewest, most)
    # With an ace at either end a whole suit is read from its ace up.
    whole = limits.ace_in_runs is AceInRuns.BOTH
    high_room = _rooms(limits, Kind.RUN, shortest, min(longest, len(RANKS) - whole))
    as_run, as_set = run_room[1], set_room[1]
    covered = as_run[0] <= as_set[0] and as_set[1] <= as_run[1]
    loose = not limits.wilds_apart and not limits.one_run_a_suit
    return Shapes(
        limits,
        wilds,
        run_room,
        high_room,
        set_room,
        simple=not limits.tanala_rule
        and not limits.half_wild
        and not limits.wilds_apart
        and limits.max_wilds is None
        and not limits.one_run_a_suit
        and max(limits.min_naturals, limits.set_min_naturals) <= 1
        and longest == len(RANKS),
        cut_from=ACE_HIGH + 1 if limits.one_run_a_suit else 2 * shortest,
        fewest_in_set=max(
            2 if loose and covered else 1, fewest - wilds, limits.fewest_naturals(Kind.SET)
        ),
    )


def _rooms(limits: MeldLimits, kind: Kind, fewest: int, longest: int) -> list[Room]:
    found = []
    for naturals in range(20):
        need, most = max(0, fewest - naturals), longest - naturals
        if limits.half_wild:
            most = min(most, naturals)
        if limits.max_wilds is not None:
            most = min(most, limits.max_wilds)
        fits = naturals >= limits.fewest_naturals(kind) and need <= most
        found.append((need, most) if fits else (1, 0))
    return found


# -- sets -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def sets(of: Shapes, rank: int, held: tuple[int, ...], *, own: bool) -> Sequence[Candidate]:
    """The sets of one rank; ``held`` is how many of its cards are held, by suit.

    ``own`` says that they are wild cards in their own place.
    """
    limits, place = of.limits, home_of(rank, of.limits)
    enough = max(limits.set_sizes[0], limits.fewest_naturals(Kind.SET))
    most_of = [min(count, 1) for count in held] if limits.suits_differ else held
    found = []
    for counts in product(*[range(most, -1, -1) for most in most_of]):
        number = sum(counts)
        if number < of.fewest_in_set or number >= 2 * enough:
            continue
        need, most = of.set_room[number]
        in_place = number if own else 0
        if need <= most and need + in_place <= of.wilds:
            found.append(a_set(place, rank, counts, need + in_place, most + in_place))
    if limits.tanala_rule:
        for suit in SUITS:
            if held[suit] >= _IDENTICAL and (not own or of.wilds >= _IDENTICAL):
                counts = tuple([_IDENTICAL * (other is suit) for other in SUITS])
                in_place = _IDENTICAL if own else 0
                found.append(a_set(place, rank, counts, in_place, in_place))
    return found


def a_set(place: int, rank: int, counts: Sequence[int], need: int, most: int) -> Candidate:
    """So many cards of a rank, by suit, counted at this place, as a set."""
    taken = sum([count * unit(place, suit) for suit, count in enumerate(counts)])
    suits = tuple([suit for suit in SUITS for _ in range(counts[suit])])
    return Candidate(taken, need, most, 0, Planned(Kind.SET, suits, rank))


def home_of(rank: int, limits: MeldLimits) -> int:
    """The place at which a rank is counted: an ace that can only be high is the highest card."""
    return ACE_HIGH if rank == 1 and limits.ace_in_runs is AceInRuns.HIGH else rank


# -- runs -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def runs(of: Shapes, suit: Suit, held: int, own: int, asked: Asked) -> Sequence[Candidate]:
    """The runs of the places held of a suit, as bits; ``own`` are wild cards in their own place."""
    limits, wilds = of.limits, of.wilds
    lowest, highest = limits.ace_in_runs.lowest, limits.ace_in_runs.highest
    longest = min(limits.run_sizes[1], len(RANKS))
    most_gaps = wilds if limits.max_wilds is None else min(wilds, limits.max_wilds)
    farthest = 2 if limits.wilds_apart else ACE_HIGH
    suits, units = (suit,), units_of(suit, limits)
    permit = unit(_PERMITS, suit) if limits.one_run_a_suit else 0
    found: list[Candidate] = []
    todo = [
        (low, low, 1 << low, permit + units[low], 0)
        for low in range(lowest, highest + 1)
        if held >> low & 1
    ]
    while todo:
        low, last, places, taken, gaps = todo.pop()
        in_place = (places & own).bit_count() if own else 0
        cut = last - low + 1 >= of.cut_from and _can_be_cut(places, low, last, limits)
        if not cut:
            need, most = _run_room(places, low, last, of)
            if need <= most and need + in_place <= wilds:
                skips = 0
                if asked.unless_gone:
                    between = held & ~places & (1 << last) - (1 << low)
                    skips = COUNT * sum([units[at] for at in range(low, last) if between >> at & 1])
                planned = Planned(Kind.RUN, suits, places)
                found.append(Candidate(taken, need + in_place, most + in_place, skips, planned))
        if cut and not limits.half_wild:
            continue
        room = min(wilds - in_place, most_gaps) - gaps
        top = min(highest, low + longest - 1, last + farthest, last + 1 + room)
        for place in range(last + 1, top + 1):
            if held >> place & 1:
                more = gaps + place - last - 1
                todo.append((low, place, places | 1 << place, taken + units[place], more))
                if asked.leaves_none_out:
                    break
    found.sort(key=_naturals, reverse=True)
    if not (asked.clean or asked.runs or asked.clean_only):
        return found
    return [marked for one in found for marked in _marked(one, own, asked)]


def _naturals(one: Candidate) -> int:
    return one.planned.places.bit_count()


def _marked(one: Candidate, own: int, asked: Asked) -> Iterator[Candidate]:
    """A run once for each of the runs asked for that it can be."""
    places = one.planned.places
    in_place = (places & own).bit_count()
    gapless = places.bit_length() - (places & -places).bit_length() + 1 == places.bit_count()
    if gapless and one.need == in_place and (asked.clean or asked.clean_only):
        mark = 0 if asked.clean_only else _CLEAN_ASKED
        yield Candidate(one.taken + mark, in_place, in_place, 0, one.planned)
    if not asked.clean_only:
        if asked.runs:
            yield one._replace(taken=one.taken + _RUN_ASKED)
        yield one


def _run_room(places: int, low: int, last: int, of: Shapes) -> Room:
    """The fewest and the most wild cards in a run of these natural cards, from low to last."""
    count = places.bit_count()
    gaps = last - low + 1 - count
    need, most = (of.high_room if last == ACE_HIGH else of.run_room)[count]
    if of.limits.wilds_apart:
        aces = of.limits.ace_in_runs
        # From 2 up to the ace is a whole suit, and that is read from the ace up.
        whole = aces is AceInRuns.BOTH and (low, last) == (Rank.THREE, Rank.KING)
        ends = 1 if whole else (low > aces.lowest) + (last < aces.highest)
        most = min(most, gaps + ends)
    return max(need, gaps), most


def one_run(one: int, other: int, wilds: int, of: Shapes) -> int:
    """The places of both runs, if they are one run with so many wild cards; 0 if not."""
    lower, higher = sorted((one, other))
    low, last = (lower & -lower).bit_length() - 1, higher.bit_length() - 1
    between = (higher & -higher).bit_length() - lower.bit_length() - 1
    if between < 0 or (of.limits.wilds_apart and between > 1):
        return 0
    need, most = _run_room(one | other, low, last, of)
    return one | other if need <= wilds <= most else 0


def _can_be_cut(places: int, low: int, last: int, limits: MeldLimits) -> bool:
    """Whether a run, its gaps filled with wild cards, is also two runs."""
    shortest = limits.run_sizes[0]
    fewest, count = limits.fewest_naturals(Kind.RUN), places.bit_count()
    for cut in range(low + shortest, last - shortest + 2):
        below = (places & (1 << cut) - 1).bit_count()
        above = count - below
        if min(below, above) >= fewest and (
            not limits.half_wild or (2 * below >= cut - low and 2 * above >= last - cut + 1)
        ):
            return True
    return False


@lru_cache(maxsize=512)
def units_of(suit: Suit, limits: MeldLimits) -> Sequence[int]:
    """The card of a suit at each place; an ace that can be low is counted there."""
    units = [unit(place, suit) for place in range(ACE_HIGH + 1)]
    if limits.ace_in_runs is not AceInRuns.HIGH:
        units[ACE_HIGH] = units[1]
    return units


# -- wild cards alone -----------------------------------------------------------------------------


def marked_runs_of_wilds(of: Shapes, asked: Asked) -> Iterator[Candidate]:
    """Runs of wild cards alone that use up what a suit may have, or what there must be."""
    need, most = of.run_room[0]
    if of.limits.wilds_apart or asked.clean_only or need > min(most, of.wilds):
        return
    for suit in SUITS if of.limits.one_run_a_suit else SUITS[:1]:
        permit = unit(_PERMITS, suit) if of.limits.one_run_a_suit else 0
        for mark in (_RUN_ASKED, 0) if asked.runs else (0,):
            if permit or mark:
                yield Candidate(permit + mark, need, most, 0, Planned(Kind.RUN, (suit,), 0))


@lru_cache(maxsize=1024)
def sizes_of_wilds(of: Shapes) -> Sequence[tuple[Kind, range]]:
    """What melds of wild cards alone there are besides, and how many cards they may have."""
    found = []
    if of.set_room[0][0] <= of.set_room[0][1]:
        found.append((Kind.SET, range(of.set_room[0][0], of.set_room[0][1] + 1)))
    free = not of.limits.wilds_apart and not of.limits.one_run_a_suit
    if free and of.run_room[0][0] <= of.run_room[0][1]:
        found.append((Kind.RUN, range(of.run_room[0][0], of.run_room[0][1] + 1)))
    return found


def marks(asked_clean: int, asked_runs: int, limits: MeldLimits, onto: int) -> int:
    """What can be used up besides cards, each as often as it can be."""
    found = asked_clean * _CLEAN_ASKED + max(0, asked_runs - asked_clean) * _RUN_ASKED
    if limits.one_run_a_suit:
        found += sum([unit(_PERMITS, suit) for suit in SUITS])
    return found + sum([unit(TABLE, at) for at in range(onto)])


def cards_of(planned: Planned) -> list[Card]:
    """The natural cards of a candidate."""
    if planned.kind is Kind.RUN:
        (suit,) = planned.suits
        return [
            card_at(place, suit) for place in range(1, ACE_HIGH + 1) if planned.places >> place & 1
        ]
    return [CARD_OF[Rank(planned.places), suit] for suit in planned.suits]


def card_at(place: int, suit: Suit) -> Card:
    """The card that has this place, 1 … 14, in a suit."""
    return CARD_OF[RANKS[(place - 1) % len(RANKS)], suit]
