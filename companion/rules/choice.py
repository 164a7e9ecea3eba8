"""The candidates that leave the least of a handful, chosen with memory, and laid card by card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import or_
from typing import Final, NamedTuple

from companion.rules.candidates import (
    ALONE,
    ANY_RUN,
    CLEAN_RUN,
    COUNT,
    FIELD,
    UNITS,
    Candidate,
    Listed,
    lowest_field,
    missing_suits,
)
from companion.rules.cards import CARD_OF, RANKS, SUITS, Card, Laid, Rank
from companion.rules.melds import STRETCHES, Kind, Meld, MeldLimits

NEVER: Final = 1 << 40  # more than any cards can cost
_UNKNOWN: Final = (0, False, None)
_BELOW_ALONE: Final = ALONE[0] - 1

# Candidates, and how many wild cards are in each.
Chosen = Sequence[tuple[Candidate, int]]


class Costs:
    """What cards cost if they are left, above 0: by their fields, and a wild one.

    Wild cards in their own place and melds on the table cost nothing more. Runs that there must be
    cannot be left.
    """

    def __init__(self, of: Mapping[Card, int], limits: MeldLimits) -> None:
        self.of = of
        self.wild = next((of[card] for card in of if limits.is_wild(card)), 0)
        self.left = {lowest_field(CLEAN_RUN): NEVER, lowest_field(ANY_RUN): NEVER}
        for card, one in UNITS[limits.ace_in_runs].items():
            if not limits.is_wild(card):
                self.left[lowest_field(one)] = of[card]


def guards_of(cards: int) -> int:
    """The guards of all fields up to the highest in which there is a card."""
    return 4 * ((1 << FIELD * (cards.bit_length() // FIELD + 1)) // 7)


class Choice:
    """Which of the candidates to make of cards and wild cards, so that the least is left.

    The lowest card goes into one of the candidates that take it or is left, and so on with what is
    still there. It is remembered what that leaves, and what became of the lowest card; and where it
    cannot become better than what was found before, only that it leaves no less. ``cost`` is the
    least that is left, or at least ``below`` if it is not less.
    """

    def __init__(
        self, candidates: Listed, cards: int, wilds: int, costs: Costs, below: int = NEVER
    ) -> None:
        self._cards, self._wilds = cards, wilds
        self._costs, self._wild_cost = costs.left, costs.wild
        self._of_lowest, self._guards = candidates.of_lowest, guards_of(cards)
        # With so many wild cards left, these cards are in no candidate any more.
        reach = accumulate(candidates.reach, or_)
        self._out_of_reach = [~(taken | taken << 1 | taken >> 1) for taken in reach]
        self._known: dict[tuple[int, int, int], tuple[int, bool, Candidate | None]] = {}
        self.cost = self._least(cards, wilds, 0, below)

    def _least(self, cards: int, wilds: int, room: int, below: int) -> int:
        """The least that is left of these cards, or at least ``below`` if it is not less.

        The melds made so far have ``room`` for so many of the wild cards.
        """
        gone = cards & self._out_of_reach[wilds]
        lost = self._cost(gone) if gone else 0
        cards ^= gone
        if lost >= below or (wilds <= room and not cards & _BELOW_ALONE):
            return lost
        if not cards:
            return lost + (wilds - room) * self._wild_cost
        key = cards, wilds, room
        least, is_known, _ = self._known.get(key, _UNKNOWN)
        if is_known or least >= below - lost:
            return lost + least
        chosen, least, guards = None, below - lost, self._guards
        at, guarded = lowest_field(cards), cards | guards
        for one in self._of_lowest.get(at, ()):
            taken, need, most = one[0], one[1], one[2]
            if need > wilds or guarded - taken & guards != guards:
                continue
            after = wilds - need
            left = self._least(cards - taken, after, min(room + most - need, after), least)
            if left < least:
                least, chosen = left, one
                if not least:
                    break
        else:
            here = cards & COUNT << at
            left = (here >> at) * self._costs.get(at, 0)
            if left < least:
                left += self._least(cards ^ here, wilds, room, least - left)
            if left < least:
                least, chosen = left, None
        self._known[key] = least, least < below - lost, chosen
        return lost + least

    def _cost(self, gone: int) -> int:
        cost = 0
        while gone:
            at = (gone & -gone).bit_length() - 1
            at -= at % FIELD
            here = gone & COUNT << at
            cost += (here >> at) * self._costs.get(at, 0)
            gone ^= here
        return cost

    def chosen(self) -> Chosen:
        """The candidates that leave the least, if that is less than what was asked for."""
        found: list[Candidate] = []
        cards, wilds, room = self._cards, self._wilds, 0
        while True:
            cards &= ~self._out_of_reach[wilds]
            if not cards or (wilds <= room and not cards & _BELOW_ALONE):
                break
            one = self._known[cards, wilds, room][2]
            if one is None:
                cards &= ~(COUNT << lowest_field(cards))
            else:
                found.append(one)
                cards, wilds = cards - one.taken, wilds - one.need
                room = min(room + one.most - one.need, wilds)
        shared = []
        for one in found:
            more = min(wilds, one.most - one.need)
            shared.append((one, one.need + more))
            wilds -= more
        return shared


# -- which card lies where ----------------------------------------------------------------------


def windows(places: int, others: int, limits: MeldLimits) -> list[int]:
    """Where so many wild cards can lie in a run with natural cards in these places, from low up.

    Each is bits by place, as the natural cards are.
    """
    size = places.bit_count() + others
    return [
        gaps
        for stretch in STRETCHES[limits.ace_in_runs][size]
        for gaps in [((1 << size) - 1 << stretch.low) & ~places]
        if gaps.bit_count() == others and not (limits.wilds_apart and gaps & gaps >> 1)
    ]


class LaidOff(NamedTuple):
    """Cards laid off together on one meld; ``onto`` is its index among the melds given."""

    cards: tuple[Laid, ...]
    onto: int


def lay_down(
    chosen: Chosen, held: Mapping[Card, int], onto: Sequence[Meld], limits: MeldLimits
) -> tuple[tuple[Meld, ...], tuple[LaidOff, ...], tuple[Card, ...]]:
    """The melds and lay-offs that were chosen, card by card, and the cards that are in none.

    A wild card lies in its own place if it can; otherwise it is a card that no other meld has, as
    far as they go.
    """
    if not chosen:
        return (), (), _every(held)
    left, seen = dict(held), dict.fromkeys(held, 0)
    # What counts as natural has its card first, and then what has its place in a run.
    for card in [card for one, _ in chosen for card in one.cards]:
        left[card] -= 1
        seen[card] += 1
    lying = []
    # Runs come before sets, whose wild cards can be any, and at last wild cards alone.
    # A meld on the table that takes no card is left as it is.
    taking = [pair for pair in chosen if pair[0].cards or pair[1]]
    in_order = sorted(taking, key=lambda pair: (pair[0].kind is Kind.SET, not pair[0].places))
    for one, wilds in in_order:
        places = _places(one, wilds, left, seen, onto, limits)
        for at, (card, is_open) in enumerate(places):
            seen[card] = seen.get(card, 0) + is_open
            if is_open and left.get(card) and limits.is_wild(card):
                left[card] -= 1
                places[at] = card, False
        lying.append((one, places))
    # The last wild cards lie where others would, and the first are left.
    others = sum([is_open for _, places in lying for _, is_open in places])
    spare = [card for card in _every(left) if card.rank in limits.wild_ranks]
    taken = spare[len(spare) - others :]
    for card in taken:
        left[card] -= 1
    wild, melds, laid_off = iter(taken), [], []
    for one, places in lying:
        cards = [
            Laid(card, identity, limits.is_wild(card))
            for identity, is_open in places
            for card in [next(wild) if is_open else identity]
        ]
        if one.onto is None:
            melds.append(_meld(one.kind, cards, limits))
        else:
            laid_off.append(LaidOff(_meld(one.kind, cards, limits).cards, one.onto))
    laid_off.sort(key=lambda one: one.onto)
    return tuple(melds), tuple(laid_off), _every(left)


def _every(held: Mapping[Card, int]) -> tuple[Card, ...]:
    """Each card as often as it is there."""
    return tuple([card for card, count in held.items() for _ in range(count)])


def _meld(kind: Kind, cards: list[Laid], limits: MeldLimits) -> Meld:
    """A meld as a reading has it: where there are tanalas, three identical cards are one."""
    if kind is Kind.SET:
        cards.sort(key=lambda one: (one.stands_for, one.wild, one.card))
    first = cards[0].card
    if limits.tanala_rule and len(cards) == 3 and all(one[:2] == (first, first) for one in cards):
        kind = Kind.TANALA
    return Meld(kind, tuple(cards))


def _places(
    one: Candidate,
    wilds: int,
    left: Mapping[Card, int],
    seen: Mapping[Card, int],
    onto: Sequence[Meld],
    limits: MeldLimits,
) -> list[tuple[Card, bool]]:
    """The cards of a meld, and whether a wild card stands for each.

    In a run wild cards to spare go to its high end first. In a set they are in their own places, or
    what few melds have.
    """
    others = wilds and wilds - one.own(limits)
    if one.kind is Kind.RUN and others and one.others is None:
        there = windows(one.places, others, limits)
        one = one._replace(others=there[-1 if one.places else 0])
    if one.kind is Kind.RUN or not others:
        return one.lying
    own = [card for card in _every(left) if card.rank in limits.wild_ranks]
    ranks = [card.rank for card in (dict.fromkeys(own) if limits.suits_differ else own)]
    rank = Rank(one.places or max(RANKS, key=lambda rank: (ranks.count(rank), -rank)))
    suits = SUITS if one.onto is None else missing_suits(onto[one.onto])
    free = [CARD_OF[rank, suit] for suit in suits if suit not in one.suits]
    if limits.suits_differ:
        free.sort(key=lambda card: (card not in own, card not in own and seen.get(card, 0)))
        chosen = free[:others]
    else:
        chosen = [card for card in own if card.rank is rank][:others]
        free = free or [CARD_OF[rank, suit] for suit in SUITS]
        free = [card for card in free if card not in chosen] or free
        chosen += [free[n % len(free)] for n in range(others - len(chosen))]
    places = [*one.lying, *[(card, True) for card in chosen]]
    return sorted(places, key=lambda place: place[0].suit)
