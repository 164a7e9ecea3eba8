"""What a meld is, said as plainly as the rulebook says it, and tried card by card.

Every wild card whose identity is open is tried as every card there is; nothing here is shared with
the engine but the cards themselves.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from companion.rules.cards import PACK, Card, Offered, Rank

# Each card, and which card it is there.
Lying = frozenset[tuple[Card, Card]]


def lyings(offered: Sequence[Offered], wild: Rank) -> Iterator[Lying]:
    """Every way in which the cards can be what they stand for, melds or not."""
    choices = [
        [stands_for] if stands_for else list(PACK) if card.rank == wild else [card]
        for card, stands_for in offered
    ]
    for identities in product(*choices):
        cards = [card for card, _ in offered]
        yield frozenset(zip(cards, identities, strict=True))


def is_set(lying: Lying) -> bool:
    """PRO-4: three or four cards of one rank, every suit different."""
    ranks = {identity.rank for _, identity in lying}
    suits = {identity.suit for _, identity in lying}
    return len(ranks) == 1 and len(suits) == len(lying) and len(lying) in (3, 4)


def is_run(lying: Lying, ace: str) -> bool:
    """PRO-5: three to thirteen consecutive cards of one suit, never around the corner."""
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
    """PRO-6: how many cards of a meld are natural."""
    return sum(
        card.rank != wild or (own_place == "natural" and card == identity)
        for card, identity in lying
    )


def melds(offered: Sequence[Offered], wild: Rank, ace: str) -> set[Lying]:
    """Every reading of the cards, by shape alone."""
    return {lying for lying in lyings(offered, wild) if is_set(lying) or is_run(lying, ace)}


def lay_offs(
    meld: Sequence[Offered], offered: Sequence[Offered], wild: Rank, ace: str
) -> set[Lying]:
    """PRO-8: every way in which a meld, whose cards are all known, is longer of the same kind."""
    (before,) = lyings(meld, wild)
    of_a_kind = is_set if is_set(before) else lambda lying: is_run(lying, ace)
    return {lying for lying in lyings([*meld, *offered], wild) if of_a_kind(lying)}
