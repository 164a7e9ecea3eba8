"""Whether cards can all be put into melds, found out by trying everything."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from companion.rules.cards import Card, Offered
from companion.rules.declaring import DeclaringJudge
from companion.rules.melds import Kind
from companion.rules.readings import ways as ways_of


def can_be_declared(cards: Sequence[Card], rules: DeclaringJudge) -> bool:
    """Whether one of all groupings has runs enough, and clean ones.

    Jokers come last: every meld has a natural card to begin with.
    """

    @cache  # the same cards are left over after many groupings of the others
    def groupings(cards: tuple[Card, ...]) -> set[tuple[int, int]]:
        """How many runs, and clean ones, each way to put all the cards into melds has."""
        if not cards:
            return {(0, 0)}
        first, *rest = cards
        ways = set()
        for count in range(2, len(cards)):
            for others in combinations(range(len(rest)), count):
                melds = kinds((first, *(rest[at] for at in others)))
                if not melds:
                    continue
                left = tuple(card for at, card in enumerate(rest) if at not in others)
                for runs, clean in groupings(left):
                    ways |= {(runs + is_run, clean + is_clean) for is_run, is_clean in melds}
        return ways

    @cache
    def kinds(cards: tuple[Card, ...]) -> set[tuple[bool, bool]]:
        """Whether the cards are a run, and a clean one, in each reading that the limits allow."""
        return {
            (meld.kind is Kind.RUN, meld.kind is Kind.RUN and rules.is_clean(meld))
            for way in ways_of([Offered(card) for card in sorted(cards)], rules.limits)
            if not rules.limits.breaches(meld := way.meld)
        }

    return any(
        runs >= rules.all_runs and clean >= rules.clean_runs
        for runs, clean in groupings(tuple(sorted(cards, reverse=True)))
    )
