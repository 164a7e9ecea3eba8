"""Readings: every set and every run that offered cards can be.

A few open wild cards have thousands of readings. Those that differ only in which wild card stands
for which card are one `Way`: the rules allow all of them or none, so a ruling judges one of them
and lists the readings only if they are few.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations, islice, product
from math import factorial
from operator import and_
from typing import Final, NamedTuple

from companion.rules.cards import JOKER, Card, Laid, Offered
from companion.rules.errors import Ambiguous
from companion.rules.language import noted
from companion.rules.melds import Kind, Meld, MeldLimits, Shape, run_shapes, set_shapes

# Of more readings than this only a selection is listed, and all are counted.
MOST_READINGS: Final = 200
# The number of orders of four wild cards: a pack has four of a rank.
_ORDERS: Final = 24
_TANALA: Final = 3


class Way(NamedTuple):
    """Readings that differ only in which wild card stands for which card.

    ``meld`` is one of them, ``number`` how many there are. The ``wilds`` fill the free places of
    ``shape``. Just the cards in ``own`` stand for themselves; ``own`` is None if it makes no
    difference which do.
    """

    meld: Meld
    number: int = 1
    shape: Shape | None = None
    wilds: tuple[Card, ...] = ()
    own: frozenset[Card] | None = None

    def readings(self) -> Iterator[Meld]:
        """Yield all the readings, in an order that does not depend on the order of the cards."""
        if self.shape is None or self.number == 1:
            yield self.meld
            return
        for laid in _placements(self.wilds, self.shape.free, self.own):
            yield self.shape.with_cards(laid)


def readings_of(ways: Iterable[Way], most: int = MOST_READINGS) -> list[Meld]:
    """Return the readings of these ways, or a selection if there are more than ``most``.

    The selection still has each wild card standing for every card that it can stand for.
    """
    ways = list(ways)
    if sum(way.number for way in ways) <= most:
        return [meld for way in ways for meld in way.readings()]
    chosen: list[Meld] = []
    seen: set[Laid] = set()
    for way in ways:
        free = way.shape.free if way.shape else ()
        if free and seen.issuperset(Laid(*pair, True) for pair in product(way.wilds, free)):
            continue
        for meld in islice(way.readings(), _ORDERS):
            if not seen.issuperset(meld.cards):
                seen.update(meld.cards)
                chosen.append(meld)
    return chosen[:most]


def readings(offered: Sequence[Offered], limits: MeldLimits) -> list[Meld]:
    """Return the sets and runs that cards can be by shape alone; `readings_of` says how many."""
    return readings_of(ways(offered, limits))


def ways(offered: Sequence[Offered], limits: MeldLimits, onto: Meld | None = None) -> list[Way]:
    """Return the readings of the cards as ways; with ``onto``, of that meld with them laid off."""
    known, wilds = limits.known_and_open(offered)
    wilds.sort()
    if onto is not None:
        known = [*onto.cards, *known]
        # A tanala is no run: nothing is laid off on it.
        is_set, is_run = onto.kind is Kind.SET, onto.kind is not Kind.SET
    else:
        # Three identical cards are a tanala, even wild ones that could be a set or a run.
        if identical := _tanala(offered, limits):
            return identical
        # Two known cards of one rank are in no run, others in no set.
        one_rank = len(known) < 2 or known[0].stands_for.rank == known[1].stands_for.rank
        is_set, is_run = one_rank, len(known) < 2 or not one_rank
    shapes = set_shapes(known, len(wilds), limits) if is_set else []
    if is_run:
        shapes += run_shapes(known, len(wilds), limits)
    return [way for shape in shapes for way in _ways_to_fill(shape, wilds, limits)]


def _tanala(offered: Sequence[Offered], limits: MeldLimits) -> list[Way]:
    """Return three identical cards, each as itself, if the game allows a tanala."""
    card = offered[0].card
    if not limits.tanala_rule or card is JOKER or len(offered) != _TANALA:
        return []
    if any(held != card or stands_for not in (None, card) for held, stands_for in offered):
        return []
    return [Way(Meld(Kind.TANALA, (Laid(card, card, limits.is_wild(card)),) * _TANALA))]


def without_identities(meld: Meld) -> Meld:
    """Return a meld with its wild cards last, and without what they stand for."""
    cards = sorted(meld.cards, key=lambda laid: laid.wild)
    return Meld(meld.kind, tuple(Laid(laid.card, laid.card) for laid in cards))


def without_suits(meld: Meld, limits: MeldLimits) -> Meld:
    """Return a meld; in a set of any suits without what its wild cards stand for."""
    any_suits = meld.kind is Kind.SET and not limits.suits_differ
    return without_identities(meld) if any_suits else meld


def as_on_table(meld: Meld, limits: MeldLimits) -> Meld:
    """Return a meld `without_suits`, but a set of wild cards alone as it is: they say its rank."""
    return meld if all(laid.wild for laid in meld.cards) else without_suits(meld, limits)


def cards_as_on_table(
    meld: Sequence[Offered], limits: MeldLimits, onto: Sequence[Offered] = ()
) -> list[Offered]:
    """Return the cards of a meld, or those laid off ``onto`` one, as `as_on_table` has them."""
    naturals = [one.card for one in (*onto, *meld) if not limits.is_wild(one.card)]
    said = [one.stands_for for one in (*onto, *meld) if one.stands_for is not None]
    if limits.suits_differ or not naturals or len({card.rank for card in [*naturals, *said]}) > 1:
        return [*meld]
    cards = sorted(meld, key=lambda one: one.stands_for not in (None, one.card))
    return [Offered(one.card) for one in cards]


def may_have(known: Sequence[Laid], card: Card) -> bool:
    """True if a meld with these known cards can also have this card, in some reading."""
    cards = [laid.stands_for for laid in known]
    suits, ranks = {read.suit for read in cards}, {read.rank for read in cards}
    return suits <= {card.suit} or ranks <= {card.rank} or card in cards


@lru_cache(maxsize=4096)  # one question after another has the same melds
def can_lie(meld: Meld, limits: MeldLimits) -> bool:
    """True if these limits allow the meld with its wild cards as they are read."""
    offered = [laid.offered for laid in meld.cards]
    return any(not limits.breaches(way.meld) for way in ways(offered, limits))


def ambiguous_card(cards: Sequence[Offered], melds: Sequence[Meld], where: str) -> Ambiguous:
    """Return the error for cards with several readings: it names an open card and its choices."""
    each = [(offered.card, identities(offered.card, melds)) for offered in cards]
    card, choices = next((card, several) for card, several in each if len(several) > 1)
    named = ", ".join(choice.shown for choice in choices)
    texts = tuple(choice.text for choice in choices)
    says, like = noted("%(card)s could be %(choices)s. Say which, like %(example)s."), texts[0]
    values = {"card": card.shown, "choices": named, "example": f"{card.text}={like}"}
    return Ambiguous(says, card.text, texts, where, **values)


def ambiguous_end(runs: Sequence[Meld], where: str) -> Ambiguous:
    """Return the error for a swap after which the wild card can go to either end of the run."""
    joker = runs[0].cards[0].card
    says = noted("%(joker)s can go to either end. Say which: low or high.")
    return Ambiguous(says, joker.text, ("low", "high"), where, joker=joker.shown)


def identities(card: Card, melds: Sequence[Meld]) -> list[Card]:
    """Return every card that this card stands for in some of these readings, but not in all.

    A card found in all of them is what an equal wild card, laid before, stands for.
    """
    each = [Counter(laid.stands_for for laid in meld.cards if laid.card == card) for meld in melds]
    always = reduce(and_, each)
    return list(dict.fromkeys(identity for these in each for identity in these - always))


# -- which wild card stands for which card ---------------------------------------------------------


def _ways_to_fill(shape: Shape, wilds: Sequence[Card], limits: MeldLimits) -> list[Way]:
    """Return the ways to fill a shape; wild cards in their own places may count as natural."""
    if shape.kind is Kind.SET and not limits.suits_differ:
        return [_set_of_any_suits(shape, wilds)]
    wilds = tuple(wilds)
    if len(wilds) < 2 or limits.wild_in_own_place:
        laid = [Laid(wild, card, True) for wild, card in zip(wilds, shape.free, strict=True)]
        number = _count_orders(Counter(wilds)) if len(wilds) > 1 else 1
        return [Way(shape.with_cards(laid), number, shape, wilds)]
    with_place = [card for card in shape.free if card in wilds]
    ways_found = []
    for size in range(len(with_place), -1, -1):
        for cards in combinations(with_place, size):
            count, own = _count_ways(wilds, with_place, cards), frozenset(cards)
            if count:
                meld = shape.with_cards(next(_placements(wilds, shape.free, own)))
                ways_found.append(Way(meld, count, shape, wilds, own))
    return ways_found


def _set_of_any_suits(shape: Shape, wilds: Sequence[Card]) -> Way:
    """Return a set of any suits: a wild card that has the rank of the set stands for itself."""
    rank = (*shape.free, *[laid.stands_for for laid in shape.known])[0].rank
    own = [Laid(card, card, True) for card in wilds if card.rank is rank]
    others = [card for card in wilds if card.rank is not rank]
    read = [Laid(card, place, True) for card, place in zip(others, shape.free, strict=False)]
    return Way(shape.with_cards([*own, *read]))


def _count_ways(wilds: Sequence[Card], with_place: Sequence[Card], own: Sequence[Card]) -> int:
    """Return how many ways there are to place the wild cards with just ``own`` in their own places.

    ``with_place`` are the wild cards that have a place of their own. Inclusion and exclusion counts
    all orders, less those with one more card in its own place, plus those with two more, and so on.
    """
    others = Counter(wilds)
    others.subtract(own)
    moved = [card for card in with_place if card not in own]
    return sum(
        (-1) ** size * _count_orders(others - Counter(in_place))
        for size in range(len(moved) + 1)
        for in_place in combinations(moved, size)
    )


def _count_orders(cards: Mapping[Card, int]) -> int:
    """Return how many different orders these cards have."""
    orders = factorial(sum(cards.values()))
    for count in cards.values():
        orders //= factorial(count)
    return orders


def _placements(
    wilds: Sequence[Card], free: Sequence[Card], own: frozenset[Card] | None
) -> Iterator[tuple[Laid, ...]]:
    """Yield every way to put the wild cards into the free places, just ``own`` in their own."""
    if not free:
        yield ()
        return
    place, *rest = free
    choices = list(dict.fromkeys(wilds))
    if own is not None:
        choices = [card for card in choices if card != place and wilds.count(card) > (card in own)]
        if place in own:
            choices, own = [place], own - {place}
    for card in choices:
        left = list(wilds)
        left.remove(card)
        for others in _placements(left, rest, own):
            yield (Laid(card, place, True), *others)
