"""The melds and lay-offs that leave the least of a handful, chosen among all that it can form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter, or_
from typing import Final, NamedTuple

from companion.rules.candidates import (
    COUNT,
    FIELD,
    MUST_BE_USED,
    Asked,
    Candidate,
    Planned,
    Shapes,
    cards_of,
    guards,
    home_of,
    marked_runs_of_wilds,
    marks,
    one_run,
    runs,
    sets,
    shapes,
    sizes_of_wilds,
    unit,
)
from companion.rules.cards import CARD_OF, JOKER, PACK, RANKS, SUITS, Card, Rank
from companion.rules.judge import Judge
from companion.rules.lay_offs import lay_offs
from companion.rules.melds import Kind, Meld, MeldLimits

NEVER: Final = 1 << 40  # more than any cards can cost
_NEED = itemgetter(1)

# Melds of wild cards alone: their kinds, and how many cards they have.
Own = Sequence[tuple[Kind, int]]


class Costs:
    """What each card costs if it is left, above 0, and all wild ones the same."""

    def __init__(self, of: Mapping[Card, int], limits: MeldLimits) -> None:
        self.of = of
        self.wild = next((of[card] for card in of if limits.is_wild(card)), 0)
        aces = limits.ace_in_runs
        places = {card: int(card.rank) for card in PACK}
        self.places = {card: 1 << place for card, place in places.items()} | {JOKER: 0}
        for suit in SUITS:
            ace = CARD_OF[Rank.ACE, suit]
            self.places[ace] = sum([1 << place for place in aces.places(Rank.ACE)])
            places[ace] = home_of(Rank.ACE, limits)
        self.units = {card: unit(place, card.suit) for card, place in places.items()}
        # By what is left of a field. Wild cards in their own place, melds on the table and runs
        # that a suit may have cost nothing.
        self.left = _Left(dict.fromkeys(MUST_BE_USED, NEVER))
        for card, one in self.units.items():
            if not limits.is_wild(card):
                self.left |= {count * one: count * of[card] for count in (1, 2, 3)}


class _Left(dict[int, int]):
    def __missing__(self, left: int) -> int:
        return 0


class Best(NamedTuple):
    """The melds that leave the least: what is left costs ``cost``.

    Each of those ``chosen`` comes with the number of wild cards that stand for others in it; those
    of ``own`` are of wild cards and nothing else. ``unused`` wild cards are left, and so are the
    natural cards ``left``.
    """

    cost: int
    chosen: Sequence[tuple[Planned, int]]
    own: Own
    unused: int
    left: Mapping[Card, int]


class _Handful:
    """The cards held, as the candidates are listed by them and chosen from them.

    ``places`` are those of each suit, as bits, and ``own`` those of wild cards in their own place;
    ``several`` says in which suits a card is there more than once, and ``ranks`` how many cards of
    each suit a rank has. ``cards`` is all of them, ``left`` the natural ones, which cost ``cost``.
    """

    def __init__(
        self, held: Mapping[Card, int], costs: Costs, limits: MeldLimits, *, in_place: bool
    ) -> None:
        self.places, self.own = [0] * len(SUITS), [0] * len(SUITS)
        self.several = [False] * len(SUITS)
        self.ranks: dict[Rank, list[int]] = {}
        self.left: dict[Card, int] = {}
        self.wilds = self.cards = self.cost = 0
        wild_ranks, places, units, cost_of = limits.wild_ranks, costs.places, costs.units, costs.of
        for card, count in held.items():
            rank, suit = card
            place = places[card]
            if rank in wild_ranks:
                self.wilds += count
                if not in_place or rank is Rank.JOKER:
                    continue
                self.own[suit] |= place
            else:
                self.left[card] = count
                self.cost += count * cost_of[card]
            self.places[suit] |= place
            self.cards += count * units[card]
            if count > 1:
                self.several[suit] = True
            self.ranks.setdefault(rank, [0] * len(SUITS))[suit] = count


def least(
    held: Mapping[Card, int],
    rules: Judge,
    costs: Costs,
    onto: Sequence[Meld] = (),
    clean: int = 0,
    runs: int = 0,
    *,
    below: int = NEVER,
    clean_only: bool = False,
) -> Best | None:
    """The melds and lay-offs that leave the least; None if that is not less than ``below``.

    So many new runs must be clean, and there must be so many in all; with ``clean_only`` clean runs
    are the only new melds.
    """
    limits = rules.limits
    in_place = _natural_in_place(limits, clean=clean_only or clean > 0)
    hand = _Handful(held, costs, limits, in_place=in_place)
    of = shapes(limits, hand.wilds)
    asked = Asked(clean > 0, runs > clean, clean_only)
    found = _new_melds(hand, of, asked, leaves_none_out=of.simple and not onto)
    if onto:
        breaches = rules.longer_breaches
        found += lay_offs(onto, lambda card: held.get(card, 0), of, breaches, in_place=in_place)
    alone = _alone(of, costs.wild, clean_only)
    if not found and not clean and not runs:
        cost = hand.cost + alone[hand.wilds]
        return _best(cost, [], hand.wilds, hand, of, asked) if cost < below else None
    cards = hand.cards + marks(clean, runs, limits, len(onto))
    choice = Choice(found, costs.left, guards(len(onto)), alone)
    cost = choice.least(cards, hand.wilds, 0, below)
    if cost >= below:
        return None
    chosen = []
    wilds = hand.wilds
    for one, spent in choice.chosen(cards, wilds, cost):
        wilds -= spent
        naturals = cards_of(one.planned)
        own = [card for card in naturals if card not in hand.left]
        for card in naturals:
            if card in hand.left:
                hand.left[card] -= 1
        chosen.append((one.planned, spent - len(own)))
    if not (clean or runs or in_place):
        chosen = _joined(chosen, of)
    return _best(cost, chosen, wilds, hand, of, asked)


def _best(
    cost: int,
    chosen: Sequence[tuple[Planned, int]],
    wilds: int,
    hand: _Handful,
    of: Shapes,
    asked: Asked,
) -> Best:
    own = () if asked.clean_only else of_wilds(of, wilds)
    return Best(cost, chosen, own, wilds - sum([size for _, size in own]), hand.left)


def _new_melds(
    hand: _Handful, of: Shapes, asked: Asked, *, leaves_none_out: bool
) -> list[Candidate]:
    """All runs and sets that the cards can form."""
    found: list[Candidate] = []
    for suit, there in zip(SUITS, hand.places, strict=True):
        if there & there >> 1 & there >> 2 or (hand.wilds and there):
            in_suit = asked
            if leaves_none_out and there.bit_count() + of.wilds < len(RANKS):
                several = hand.several[suit] or asked.clean or asked.runs
                in_suit = asked._replace(leaves_none_out=not several, unless_gone=several)
            found += runs(of, suit, there, hand.own[suit], in_suit)
    if hand.wilds and (of.limits.one_run_a_suit or asked.runs):
        found += marked_runs_of_wilds(of, asked)
    if not asked.clean_only:
        for rank, counts in hand.ranks.items():
            if sum(counts) >= of.fewest_in_set:
                found += sets(
                    of, rank, tuple(counts), own=of.limits.is_wild(CARD_OF[rank, SUITS[0]])
                )
    return found


def _natural_in_place(limits: MeldLimits, *, clean: bool) -> bool:
    """Whether it matters that a wild card in its own place counts as natural."""
    asks = limits.fewest_naturals(Kind.SET) or limits.half_wild or limits.wilds_apart or clean
    return not limits.wild_in_own_place and bool(asks or limits.max_wilds is not None)


def _joined(chosen: Sequence[tuple[Planned, int]], of: Shapes) -> list[tuple[Planned, int]]:
    """The same with runs of one suit in one, where the one ends before the other and it is one."""
    joined: list[tuple[Planned, int]] = []
    for planned, wilds in chosen:
        for at, (other, more) in enumerate(joined):
            alike = planned.kind is other.kind is Kind.RUN and planned.suits == other.suits
            new = planned.onto is None and other.onto is None
            places = one_run(planned.places, other.places, wilds + more, of) if alike and new else 0
            if places:
                joined[at] = (planned._replace(places=places), wilds + more)
                break
        else:
            joined.append((planned, wilds))
    return joined


# -- wild cards alone -----------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _alone(of: Shapes, cost: int, clean_only: bool) -> Sequence[int]:
    """What wild cards cost that are in no meld with others, by their number."""
    return [
        (count - sum([size for _, size in (() if clean_only else of_wilds(of, count))])) * cost
        for count in range(of.wilds + 1)
    ]


@lru_cache(maxsize=1024)
def of_wilds(of: Shapes, count: int) -> Own:
    """Melds of wild cards alone that use as many of so many as can be, and are as few."""
    best: list[Own] = [()]
    for number in range(1, count + 1):
        ways = [best[number - 1]]
        ways += [
            ((kind, size), *best[number - size])
            for kind, sizes in sizes_of_wilds(of)
            for size in sizes
            if size <= number
        ]
        best.append(max(ways, key=lambda way: (sum([size for _, size in way]), -len(way))))
    return best[count]


# -- the choice -----------------------------------------------------------------------------------


class Choice:
    """Which of the candidates to make of cards and wild cards, so that the least is left.

    The lowest card goes into one of the candidates that take it or is left, and so on with what is
    still there. It is remembered what that leaves; and where it cannot become better than what was
    found before, it is only remembered that it leaves no less. ``alone`` is what wild cards cost
    that are in none, by their number.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        costs: Mapping[int, int],
        guards: int,
        alone: Sequence[int],
    ) -> None:
        self._costs = costs
        self._guards = guards
        self._alone = alone
        self._of_lowest: dict[int, list[Candidate]] = {}
        reach = [0] * len(alone)
        for one in sorted(candidates, key=_NEED):
            taken = one[0]
            at = (taken & -taken).bit_length() - 1
            at -= at % FIELD
            if at in self._of_lowest:
                self._of_lowest[at].append(one)
            else:
                self._of_lowest[at] = [one]
            reach[one[1]] |= taken
        # With so many wild cards left, these cards are in no candidate any more.
        self._out_of_reach = [
            ~(taken | taken << 1 | taken >> 1) for taken in accumulate(reach, or_)
        ]
        self._known: dict[tuple[int, int, int], tuple[int, bool]] = {}

    def least(self, cards: int, wilds: int, room: int, below: int) -> int:
        """The least that is left, or at least ``below`` if it is not less.

        The melds made so far have ``room`` for so many of the wild cards.
        """
        gone = cards & self._out_of_reach[wilds]
        if gone:
            cost = self._cost(gone)
            if cost >= below:
                return cost
            return cost + self.least(cards ^ gone, wilds, room, below - cost)
        if not cards:
            return min(self._alone[wilds - room : wilds + 1])
        key = cards, wilds, room
        least, is_known = self._known.get(key, (0, False))
        if is_known or least >= below:
            return least
        least = below
        guards = self._guards
        guarded = cards | guards
        at = (cards & -cards).bit_length() - 1
        at -= at % FIELD
        for taken, need, most, skips, _ in self._of_lowest.get(at, ()):
            if need > wilds or guarded - taken & guards != guards or cards & skips:
                continue
            after = wilds - need
            left = self.least(cards - taken, after, min(room + most - need, after), least)
            if left < least:
                least = left
                if not least:
                    break
        here = cards & COUNT << at
        cost = self._costs[here]
        if cost < least:
            least = min(least, cost + self.least(cards ^ here, wilds, room, least - cost))
        self._known[key] = least, least < below
        return least

    def _cost(self, gone: int) -> int:
        cost = 0
        while gone:
            at = (gone & -gone).bit_length() - 1
            here = gone & COUNT << at - at % FIELD
            cost += self._costs[here]
            gone ^= here
        return cost

    def chosen(self, cards: int, wilds: int, target: int) -> list[tuple[Candidate, int]]:
        """Candidates that leave as much as the target, each with its number of wild cards."""
        found = []
        guards, room = self._guards, 0
        while True:
            gone = cards & self._out_of_reach[wilds]
            target -= self._cost(gone)
            cards ^= gone
            if not cards:
                break
            at = (cards & -cards).bit_length() - 1
            at -= at % FIELD
            for one in self._of_lowest.get(at, ()):
                taken, need, most, skips, _ = one
                if need > wilds or (cards | guards) - taken & guards != guards or cards & skips:
                    continue
                after = wilds - need
                more = min(room + most - need, after)
                if self.least(cards - taken, after, more, target + 1) == target:
                    found.append(one)
                    cards, wilds, room = cards - taken, after, more
                    break
            else:
                here = cards & COUNT << at
                target -= self._costs[here]
                cards ^= here
        # Wild cards go into melds that there are before they make melds of their own.
        spare = next(n for n in range(room, -1, -1) if self._alone[wilds - n] == target)
        shared = []
        for one in found:
            more = min(spare, one.most - one.need)
            shared.append((one, one.need + more))
            spare -= more
        return shared
