"""The fewest points by trying everything: slow and simple, to compare with in tests.

It tries every subset of the cards as a meld and as a lay-off, in every reading that
`companion.rules.readings` finds.
"""

from collections.abc import Sequence
from typing import NamedTuple

from companion.rules.arrange import Arrangement
from companion.rules.cards import Card, Laid, Offered, Suit
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.readings import readings, readings_of, ways as ways_of

Left = tuple[int, int]  # points, cards


class Runs(NamedTuple):
    """The runs of some melds: how many are clean, how many there are, and their suits."""

    clean: int = 0
    all: int = 0
    suits: frozenset[Suit] = frozenset()

    def of(self, meld: Meld, rules: Judge) -> "Runs":
        """Return the runs with one more meld."""
        if meld.kind is not Kind.RUN:
            return self
        clean = rules.limits.wilds(meld.cards) == 0
        suit = meld.cards[0].stands_for.suit
        return Runs(self.clean + clean, self.all + 1, self.suits | {suit})


# The fewest points and cards that can be left, by the runs of the melds.
ByRuns = dict[Runs, Left]


def within_limits(offered: Sequence[Offered], rules: Judge) -> list[Meld]:
    """Return a reading of each kind that the limits on wild cards allow."""
    found = [way.meld for way in ways_of(offered, rules.limits)]
    return [meld for meld in found if not rules.limits.breaches(meld)]


def fewest_left(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Left:
    """Return the fewest points that can be left, and the fewest cards with those points."""
    of = [[Offered(c) for at, c in enumerate(cards) if m >> at & 1] for m in range(1 << len(cards))]
    melds = {mask: kept for mask in range(1, len(of)) if (kept := within_limits(of[mask], rules))}
    clean = {
        mask: kept
        for mask, found in melds.items()
        if (kept := [m for m in found if Runs().of(m, rules).clean])
    }
    left = []
    for found, alone in zip(
        _by_runs(cards, rules, melds), _by_runs(cards, rules, clean), strict=True
    ):
        enough = [
            least
            for runs, least in found.items()
            if runs.clean >= rules.clean_runs and runs.all >= rules.all_runs
        ]
        # Without the required runs only clean runs count as melds.
        left.append(min([*enough, *alone.values()]))
    for meld in onto:
        fits = [
            mask
            for mask in range(1, len(of))
            if any(
                not rules.limits.breaches(way.meld) and not rules.longer_breaches(meld, way.meld)
                for way in ways_of(of[mask], rules.limits, meld)
            )
        ]
        # A meld on the table grows at most once, by all cards laid off on it.
        left = [
            min([left[mask], *(left[mask & ~laid] for laid in fits if laid & mask == laid)])
            for mask in range(len(of))
        ]
    return left[-1]


def _by_runs(cards: Sequence[Card], rules: Judge, melds: dict[int, list[Meld]]) -> list[ByRuns]:
    """Return for every subset of the cards the fewest points and cards left of it."""
    kinds = {
        mask: list({Runs().of(meld, rules): meld for meld in found}.values())
        for mask, found in melds.items()
    }
    best: list[ByRuns] = [{Runs(): (0, 0)}]
    for mask in range(1, 1 << len(cards)):
        first = mask & -mask
        points = rules.value(cards[first.bit_length() - 1])
        found: ByRuns = {}
        for runs, (count, number) in best[mask ^ first].items():
            _keep(found, runs, (count + points, number + 1))
        for meld, ways in kinds.items():
            if meld & first and meld & mask == meld:
                for runs, least in best[mask ^ meld].items():
                    for way in ways:
                        after = runs.of(way, rules)
                        if not rules.limits.one_run_a_suit or len(after.suits) == after.all:
                            _keep(found, after, least)
        best.append(found)
    return best


def _keep(found: ByRuns, runs: Runs, least: Left) -> None:
    found[runs] = min(found.get(runs, least), least)


def check_arrangement(
    found: Arrangement, cards: Sequence[Card], rules: Judge, onto: Sequence[Meld]
) -> None:
    """Assert that every card is in one place, every meld is legal, and the required runs exist."""
    laid = [laid for meld in found.melds for laid in meld.cards]
    laid += [laid for lay_off in found.laid_off for laid in lay_off.cards]
    assert sorted([*(one.card for one in laid), *found.deadwood]) == sorted(cards)
    assert found.points == sum(rules.value(card) for card in found.deadwood)
    check_melds(found.melds, rules)
    runs = _runs_of(found.melds, rules)
    if runs.clean < rules.clean_runs or runs.all < rules.all_runs:
        assert runs.clean == len(found.melds)
    assert len({lay_off.onto for lay_off in found.laid_off}) == len(found.laid_off)
    for lay_off in found.laid_off:
        meld = onto[lay_off.onto]
        (longer,) = readings_of(ways_of(as_offered(lay_off.cards), rules.limits, meld))
        assert not rules.limits.breaches(longer)
        assert not rules.longer_breaches(onto[lay_off.onto], longer)


def check_melds(melds: Sequence[Meld], rules: Judge) -> None:
    """Assert that the melds are legal, each by itself and together."""
    for meld in melds:
        assert meld in readings(as_offered(meld.cards), rules.limits)
        assert not rules.limits.breaches(meld)
    runs = _runs_of(melds, rules)
    assert not rules.limits.one_run_a_suit or len(runs.suits) == runs.all


def _runs_of(melds: Sequence[Meld], rules: Judge) -> Runs:
    runs = Runs()
    for meld in melds:
        runs = runs.of(meld, rules)
    return runs


def as_offered(cards: Sequence[Laid]) -> list[Offered]:
    """Return the cards of a meld with the identities of the wild ones."""
    return [Offered(laid.card, laid.stands_for if laid.wild else None) for laid in cards]
