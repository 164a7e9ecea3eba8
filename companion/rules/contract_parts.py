"""Which part of the contract each of a player's first melds is, and why not where it is none."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.cards import Offered
from companion.rules.contracts import Contract, ContractJudge, ContractRuling, counted
from companion.rules.melds import Meld, shape_breaches
from companion.rules.messages import Message
from companion.rules.readings import readings
from companion.rules.ruling import Ruling


def parts(
    melds: Sequence[Sequence[Offered]], found: ContractRuling, rules: ContractJudge
) -> tuple[Ruling, ...]:
    """A ruling on each of the melds that ``found`` rules on together, in their order.

    A legal meld is praised as its part of the contract. A ruling on any other says all that is
    wrong with it: alone, beside the melds before it, or as one too many.
    """
    ways = found.ways[0] if found.ways else [_best(offered, rules) for offered in melds]
    before: list[Meld] = []
    rulings = []
    for number, (offered, meld) in enumerate(zip(melds, ways, strict=True)):
        if meld is None:
            rulings.append(rules.refusal(shape_breaches(offered, rules.limits)))
            continue
        breaches = [*rules.breaches_alone(meld), *rules.together_breaches([*before, meld])]
        nth = 1 + sum(other.kind is meld.kind for other in before)
        if not breaches:
            before.append(meld)
            if rules.contract_alone and nth > rules.contract.of(meld.kind):
                breaches = [rules.one_too_many(meld)]
        readings_of_it = tuple(dict.fromkeys(way[number] for way in found.ways)) or (meld,)
        if breaches:
            rulings.append(rules.refusal(breaches, readings_of_it))
        else:
            rulings.append(Ruling(readings=readings_of_it, praise=_praise(meld, nth, rules)))
    return tuple(rulings)


def missing(rulings: Sequence[Ruling], rules: ContractJudge) -> str:
    """What the contract still lacks, in words; empty if nothing."""
    there = counted([ruling.readings[0] for ruling in rulings if ruling.legal])
    sets, runs = rules.contract
    lacks = Contract(max(0, sets - there.sets), max(0, runs - there.runs))
    return lacks.says(rules.limits) if any(lacks) else ""


def _best(offered: Sequence[Offered], rules: ContractJudge) -> Meld | None:
    """The reading that breaks least by itself; None if it is no meld by its shape."""
    ways = readings(offered, rules.limits)
    return min(ways, key=lambda meld: len(rules.breaches_alone(meld)), default=None)


def _praise(meld: Meld, nth: int, rules: ContractJudge) -> Message:
    wanted, kind = rules.contract.of(meld.kind), rules.limits.term(meld.kind)
    if nth > wanted:
        return Message.of("beside_contract", kind=kind)
    if wanted == 1:
        return Message.of("the_part", kind=kind)
    return Message.of("nth_part", kind=kind, nth=nth, wanted=wanted)
