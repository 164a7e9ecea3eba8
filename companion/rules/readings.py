"""Readings: every set and every run that offered cards can be.

A few open wild cards have thousands of readings. Those that differ only in which wild card stands
for which card are one `Way`: the rules allow all of them or none, so a ruling looks at one of them,
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

# Beyond this number readings are only counted.
MOST_READINGS: Final = 200
# In how many orders four wild cards can lie: a pack has no more of one rank.
_ORDERS: Final = 24
_TANALA: Final = 3


class Way(NamedTuple):
    """Readings that differ only in which wild card stands for which card.

    ``meld`` is one of them, ``number`` how many there are. The ``wilds`` fill the free places of
    ``shape``. Those in ``own`` stand for themselves, and no others do; ``own`` is None if that
    makes no difference.
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
        for laid in _placed(self.wilds, self.shape.free, self.own):
            yield self.shape.with_cards(laid)


def listed(ways: Iterable[Way], most: int = MOST_READINGS) -> list[Meld]:
    """Return the readings of these ways; of more than ``most`` a choice.

    In that choice each wild card still stands for every card that it can stand for.
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
    """Return every set and run that the cards can be by shape alone, as far as `listed`."""
    return listed(ways(offered, limits))


def ways(offered: Sequence[Offered], limits: MeldLimits, onto: Meld | None = None) -> list[Way]:
    """Return all readings as ways; with ``onto`` what that meld becomes by laying them off."""
    known, wilds = limits.sort(offered)
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
        alike = len(known) < 2 or known[0].stands_for.rank == known[1].stands_for.rank
        is_set, is_run = alike, len(known) < 2 or not alike
    shapes = set_shapes(known, len(wilds), limits) if is_set else []
    if is_run:
        shapes += run_shapes(known, len(wilds), limits, onto)
    return [way for shape in shapes for way in _ways(shape, wilds, limits)]


def _tanala(offered: Sequence[Offered], limits: MeldLimits) -> list[Way]:
    """Return three identical cards, each as itself, if the game allows a tanala."""
    card = offered[0].card
    if not limits.tanala_rule or card is JOKER or len(offered) != _TANALA:
        return []
    if any(one.card != card or one.stands_for not in (None, card) for one in offered):
        return []
    return [Way(Meld(Kind.TANALA, (Laid(card, card, limits.is_wild(card)),) * _TANALA))]


def unread(meld: Meld) -> Meld:
    """Return a meld without what its wild cards stand for, these last."""
    cards = sorted(meld.cards, key=lambda laid: laid.wild)
    return Meld(meld.kind, tuple(Laid(laid.card, laid.card) for laid in cards))


def may_have(known: Sequence[Laid], card: Card) -> bool:
    """True if a meld with these known cards may have this card too, however it is read."""
    cards = [laid.stands_for for laid in known]
    suits, ranks = {one.suit for one in cards}, {one.rank for one in cards}
    return suits <= {card.suit} or ranks <= {card.rank} or card in cards


@lru_cache(maxsize=4096)  # one question after another has the same melds
def can_lie(meld: Meld, limits: MeldLimits) -> bool:
    """True if these limits allow the meld with its wild cards as they are read."""
    offered = [one.offered for one in meld.cards]
    return any(not limits.breaches(way.meld) for way in ways(offered, limits))


def open_card(cards: Sequence[Offered], found: Sequence[Meld], where: str) -> Ambiguous:
    """Return the error for cards with several readings: it names an open card and its choices."""
    each = [(offered.card, identities(offered.card, found)) for offered in cards]
    card, choices = next((card, several) for card, several in each if len(several) > 1)
    named = ", ".join(choice.shown for choice in choices)
    texts = tuple(choice.text for choice in choices)
    says, like = noted("%(card)s could be %(choices)s. Say which, like %(example)s."), texts[0]
    values = {"card": card.shown, "choices": named, "example": f"{card.text}={like}"}
    return Ambiguous(says, card.text, texts, where, **values)


def open_end(found: Sequence[Meld], where: str) -> Ambiguous:
    """Return the error for a swap after which the wild card can go to either end of the run."""
    joker = found[0].cards[0].card
    says = noted("%(joker)s can go to either end. Say which: low or high.")
    return Ambiguous(says, joker.text, ("low", "high"), where, joker=joker.shown)


def identities(card: Card, found: Sequence[Meld]) -> list[Card]:
    """Return every card that this card stands for in some of these readings, and not in all.

    What another such card stands for, that lay there before, is in all of them.
    """
    each = [Counter(one.stands_for for one in meld.cards if one.card == card) for meld in found]
    always = reduce(and_, each)
    return list(dict.fromkeys(stands for one in each for stands in one - always))


# -- which wild card stands for what ---------------------------------------------------------------


def _ways(shape: Shape, wilds: Sequence[Card], limits: MeldLimits) -> list[Way]:
    """Return the ways to fill a shape; wild cards in their own places may count as natural."""
    if shape.kind is Kind.SET and not limits.suits_differ:
        return [_in_any_suits(shape, wilds)]
    wilds = tuple(wilds)
    if len(wilds) < 2 or limits.wild_in_own_place:
        laid = [Laid(wild, card, True) for wild, card in zip(wilds, shape.free, strict=True)]
        number = _orders(Counter(wilds)) if len(wilds) > 1 else 1
        return [Way(shape.with_cards(laid), number, shape, wilds)]
    could = [card for card in shape.free if card in wilds]
    found = []
    for size in range(len(could), -1, -1):
        for own in combinations(could, size):
            count, stay = _count(wilds, could, own), frozenset(own)
            if count:
                meld = shape.with_cards(next(_placed(wilds, shape.free, stay)))
                found.append(Way(meld, count, shape, wilds, stay))
    return found


def _in_any_suits(shape: Shape, wilds: Sequence[Card]) -> Way:
    """Return a set in which suits do not matter: a wild card of its rank stands for itself."""
    rank = (*shape.free, *[laid.stands_for for laid in shape.known])[0].rank
    own = [Laid(card, card, True) for card in wilds if card.rank is rank]
    others = [card for card in wilds if card.rank is not rank]
    read = [Laid(card, place, True) for card, place in zip(others, shape.free, strict=False)]
    return Way(shape.with_cards([*own, *read]))


def _count(wilds: Sequence[Card], could: Sequence[Card], own: Sequence[Card]) -> int:
    """Return how many ways there are to place the wild cards with just ``own`` in their own places.

    ``could`` are the cards that have a place of their own. This counts by inclusion and exclusion:
    all orders, less those with one more card in its own place, plus those with two more, and so on.
    """
    others = Counter(wilds)
    others.subtract(own)
    may_not = [card for card in could if card not in own]
    return sum(
        (-1) ** size * _orders(others - Counter(there))
        for size in range(len(may_not) + 1)
        for there in combinations(may_not, size)
    )


def _orders(cards: Mapping[Card, int]) -> int:
    """Return how many different orders these cards have."""
    orders = factorial(sum(cards.values()))
    for count in cards.values():
        orders //= factorial(count)
    return orders


def _placed(
    wilds: Sequence[Card], free: Sequence[Card], own: frozenset[Card] | None
) -> Iterator[tuple[Laid, ...]]:
    """Yield every way to put the wild cards into the free places, just ``own`` in their own."""
    if not free:
        yield ()
        return
    place, *rest = free
    here = list(dict.fromkeys(wilds))
    if own is not None:
        here = [card for card in here if card != place and wilds.count(card) > (card in own)]
        if place in own:
            here, own = [place], own - {place}
    for card in here:
        left = list(wilds)
        left.remove(card)
        for more in _placed(left, rest, own):
            yield (Laid(card, place, True), *more)
