"""Whether cards can all be put into melds, found out by trying everything."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from companion.rules.cards import Card, Offered
from companion.rules.declaring import DeclaringJudge
from companion.rules.melds import Kind, Meld, readings


def groupings(cards: Sequence[Card], rules: DeclaringJudge) -> Iterator[tuple[Meld, ...]]:
    """Every way to put all the cards into melds, each way of reading a wild card counted once."""
    if not cards:
        yield ()
        return
    first, rest = cards[0], cards[1:]
    tried = set()
    for count in range(2, len(cards)):
        for others in combinations(range(len(rest)), count):
            meld = tuple(sorted([first, *(rest[at] for at in others)]))
            if meld in tried:
                continue
            tried.add(meld)
            ways = kinds(meld, rules)
            if not ways:
                continue
            left = [card for at, card in enumerate(rest) if at not in others]
            for tail in groupings(left, rules):
                yield from ((way, *tail) for way in ways)


def kinds(cards: Sequence[Card], rules: DeclaringJudge) -> list[Meld]:
    """Of the readings that the limits allow, one for each kind, clean and not."""
    found = {}
    for meld in readings([Offered(card) for card in cards], rules.limits):
        if not rules.limits.breaches(meld):
            found[meld.kind, rules.is_clean(meld)] = meld
    return list(found.values())


def can_be_declared(cards: Sequence[Card], rules: DeclaringJudge) -> bool:
    """Whether one of all groupings has runs enough, and clean ones.

    Jokers come last: every meld has a natural card to begin with.
    """
    for melds in groupings(sorted(cards, reverse=True), rules):
        runs = [meld for meld in melds if meld.kind is Kind.RUN]
        clean = [meld for meld in runs if rules.is_clean(meld)]
        if len(runs) >= rules.all_runs and len(clean) >= rules.clean_runs:
            return True
    return False
