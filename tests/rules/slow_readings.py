"""Readings of melds as the rulebook defines them, found by trying every card.

Every open wild card is tried as every card. This shares only the card types with the engine.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from companion.rules.cards import PACK, Card, Offered, Rank

# Each card, and the card that is chosen for it to stand for.
Choice = frozenset[tuple[Card, Card]]


def choices(offered: Sequence[Offered], wild: Rank) -> Iterator[Choice]:
    """Yield every choice of cards that the wild cards stand for, whether a meld or not."""
    each = [
        [stands_for] if stands_for else list(PACK) if card.rank == wild else [card]
        for card, stands_for in offered
    ]
    for identities in product(*each):
        cards = [card for card, _ in offered]
        yield frozenset(zip(cards, identities, strict=True))


def is_set(choice: Choice) -> bool:
    """True for three or four cards of one rank, every suit different (PRO-4)."""
    ranks = {identity.rank for _, identity in choice}
    suits = {identity.suit for _, identity in choice}
    return len(ranks) == 1 and len(suits) == len(choice) and len(choice) in (3, 4)


def is_run(choice: Choice, ace: str) -> bool:
    """True for three to thirteen consecutive cards of one suit, not around the corner (PRO-5)."""
    suits = {identity.suit for _, identity in choice}
    ranks = [int(identity.rank) for _, identity in choice]
    if len(suits) > 1 or not 3 <= len(choice) <= 13:
        return False
    low = sorted(ranks)
    high = sorted(14 if rank == 1 else rank for rank in ranks)
    return (ace != "high" and consecutive(low)) or (ace != "low" and consecutive(high))


def consecutive(places: Sequence[int]) -> bool:
    return list(places) == list(range(places[0], places[0] + len(places)))


def naturals(choice: Choice, wild: Rank, own_place: str) -> int:
    """Return how many cards of a meld are natural (PRO-6)."""
    return sum(
        card.rank != wild or (own_place == "natural" and card == identity)
        for card, identity in choice
    )


def melds(offered: Sequence[Offered], wild: Rank, ace: str) -> set[Choice]:
    """Return every reading of the cards as a set or run, without other rules."""
    return {choice for choice in choices(offered, wild) if is_set(choice) or is_run(choice, ace)}


def lay_offs(
    meld: Sequence[Offered], offered: Sequence[Offered], wild: Rank, ace: str
) -> set[Choice]:
    """Return every reading that makes a known meld longer and keeps its kind (PRO-8)."""
    (before,) = choices(meld, wild)
    of_a_kind = is_set if is_set(before) else lambda choice: is_run(choice, ace)
    return {choice for choice in choices([*meld, *offered], wild) if of_a_kind(choice)}
