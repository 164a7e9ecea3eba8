"""A contract of runs into which all cards held go, or all but so many (CON-10)."""

from __future__ import annotations

from collections import Counter

from companion.rules.cards import Card
from companion.rules.contract_ways import Way, kept, runs_up_to, suits_differ, wilds_in
from companion.rules.contracts import ContractJudge


def covering_runs(held: Counter[Card], leaves: int, rules: ContractJudge) -> tuple[Way, ...] | None:
    """The runs of the contract, with ``leaves`` of the cards beside them at most; None if none."""
    runs = rules.contract.runs
    most = held.total() - (runs - 1) * rules.limits.run_sizes[0]
    search = _Search(list(kept(runs_up_to(most, held, rules), rules)), rules)
    return search.rest((), held, wilds_in(held, rules), leaves)


class _Search:
    """Runs for one card after the other: the lowest that lies in none is in the next, or left."""

    def __init__(self, ways: list[Way], rules: ContractJudge) -> None:
        self.ways = ways
        self.rules = rules

    def rest(
        self, chosen: tuple[Way, ...], held: Counter[Card], wilds: int, leaves: int
    ) -> tuple[Way, ...] | None:
        """The chosen runs and those for the cards still held; None if they cannot all be laid."""
        if len(chosen) == self.rules.contract.runs:
            return chosen if held.total() - wilds_in(held, self.rules) + wilds <= leaves else None
        card = next((card for card in held if not self.rules.limits.is_wild(card)), None)
        for way in self.ways:
            if card is not None and card not in way.naturals:
                continue
            own = wilds_in(way.naturals, self.rules)
            fits = way.wilds + own <= wilds
            if not fits or any(held[one] < count for one, count in way.naturals.items()):
                continue
            every = (*chosen, way)
            melds = [one.meld for one in every]
            if self.rules.together_breaches(melds) or not suits_differ(melds, self.rules):
                continue
            left = held - Counter(way.naturals)
            found = self.rest(every, left, wilds - way.wilds - own, leaves)
            if found is not None:
                return found
        if card is None or not leaves:
            return None
        return self.rest(chosen, held - Counter([card]), wilds, leaves - 1)
