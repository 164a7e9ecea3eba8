"""Readings of melds as the rulebook defines them, found by trying every card.

Every open wild card is tried as every card. This shares only the card types with the engine.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from companion.rules.cards import PACK, Card, Offered, Rank

# Each card, and the card that it stands for.
Lying = frozenset[tuple[Card, Card]]


def lyings(offered: Sequence[Offered], wild: Rank) -> Iterator[Lying]:
    """Yield every choice of cards that the wild cards stand for, whether a meld or not."""
    choices = [
        [stands_for] if stands_for else list(PACK) if card.rank == wild else [card]
        for card, stands_for in offered
    ]
    for identities in product(*choices):
        cards = [card for card, _ in offered]
        yield frozenset(zip(cards, identities, strict=True))


def is_set(lying: Lying) -> bool:
    """True for three or four cards of one rank, every suit different (PRO-4)."""
    ranks = {identity.rank for _, identity in lying}
    suits = {identity.suit for _, identity in lying}
    return len(ranks) == 1 and len(suits) == len(lying) and len(lying) in (3, 4)


def is_run(lying: Lying, ace: str) -> bool:
    """True for three to thirteen consecutive cards of one suit, not around the corner (PRO-5)."""
    suits = {identity.suit for _, identity in lying}
    ranks = [int(identity.rank) for _, identity in lying]
    if len(suits) > 1 or not 3 <= len(lying) <= 13:
        return False
    low = sorted(ranks)
    high = sorted(14 if rank == 1 else rank for rank in ranks)
    return (ace != "high" and consecutive(low)) or (ace != "low" and consecutive(high))


def consecutive(places: Sequence[int]) -> bool:
    return list(places) == list(range(places[0], places[0] + len(places)))


def naturals(lying: Lying, wild: Rank, own_place: str) -> int:
    """Return how many cards of a meld are natural (PRO-6)."""
    return sum(
        card.rank != wild or (own_place == "natural" and card == identity)
        for card, identity in lying
    )


def melds(offered: Sequence[Offered], wild: Rank, ace: str) -> set[Lying]:
    """Return every reading of the cards as a set or run, without other rules."""
    return {lying for lying in lyings(offered, wild) if is_set(lying) or is_run(lying, ace)}


def lay_offs(
    meld: Sequence[Offered], offered: Sequence[Offered], wild: Rank, ace: str
) -> set[Lying]:
    """Return every reading that makes a known meld longer and keeps its kind (PRO-8)."""
    (before,) = lyings(meld, wild)
    of_a_kind = is_set if is_set(before) else lambda lying: is_run(lying, ace)
    return {lying for lying in lyings([*meld, *offered], wild) if of_a_kind(lying)}
