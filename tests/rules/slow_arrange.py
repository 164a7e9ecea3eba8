"""The fewest points by trying everything: slow, plain, and only for comparison in the tests.

Nothing is assumed about which melds are worth trying: every subset of the cards is tried as a meld
and as a lay-off, in every reading that `companion.rules.melds` knows of it.
"""

from collections.abc import Sequence

from companion.rules.arrange import Arrangement
from companion.rules.cards import Card, Laid, Offered
from companion.rules.judge import Judge
from companion.rules.melds import Meld, extensions, readings

Left = tuple[int, int]  # points, cards


def fewest_left(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Left:
    """The fewest points that the cards can be left with, and the fewest cards with those points."""
    limits = rules.limits
    everything = (1 << len(cards)) - 1

    def of(mask: int) -> list[Offered]:
        return [Offered(card) for at, card in enumerate(cards) if mask >> at & 1]

    melds = [
        mask
        for mask in range(1, everything + 1)
        if any(not limits.breaches(meld) for meld in readings(of(mask), limits))
    ]
    left: list[Left] = []
    for mask in range(everything + 1):
        alone = of(mask)
        tries = [(sum(rules.value(one.card) for one in alone), len(alone))]
        tries += [left[mask & ~meld] for meld in melds if meld & mask == meld and meld < mask]
        if mask in melds:
            tries.append((0, 0))
        left.append(min(tries))
    for meld in onto:
        fits = [
            mask
            for mask in range(1, everything + 1)
            if any(not limits.breaches(longer) for longer in extensions(meld, of(mask), limits))
        ]
        # A meld on the table is made longer once at most, by all that is laid off on it.
        left = [
            min([left[mask], *(left[mask & ~laid] for laid in fits if laid & mask == laid)])
            for mask in range(everything + 1)
        ]
    return left[everything]


def check_arrangement(
    found: Arrangement, cards: Sequence[Card], rules: Judge, onto: Sequence[Meld]
) -> None:
    """Every card is in one place, and every meld is a meld."""
    laid = [laid for meld in found.melds for laid in meld.cards]
    laid += [laid for lay_off in found.laid_off for laid in lay_off.cards]
    assert sorted([*(one.card for one in laid), *found.deadwood]) == sorted(cards)
    assert found.points == sum(rules.value(card) for card in found.deadwood)
    for meld in found.melds:
        assert meld in readings(_offered(meld.cards), rules.limits)
        assert not rules.limits.breaches(meld)
    assert len({lay_off.onto for lay_off in found.laid_off}) == len(found.laid_off)
    for lay_off in found.laid_off:
        (longer,) = extensions(onto[lay_off.onto], _offered(lay_off.cards), rules.limits)
        assert not rules.limits.breaches(longer)


def _offered(cards: Sequence[Laid]) -> list[Offered]:
    return [Offered(laid.card, laid.stands_for if laid.wild else None) for laid in cards]
