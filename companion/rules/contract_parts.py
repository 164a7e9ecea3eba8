"""Which part of the contract each of a player's first melds is, and why not where it is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from companion.rules.cards import Offered
from companion.rules.contracts import ContractJudge, ContractRuling
from companion.rules.melds import Kind, Meld, shape_breaches
from companion.rules.messages import Message
from companion.rules.readings import readings
from companion.rules.ruling import Breach, Ruling


def parts(
    melds: Sequence[Sequence[Offered]], found: ContractRuling, rules: ContractJudge
) -> tuple[Ruling, ...]:
    """A ruling on each of the melds that ``found`` rules on together, in their order.

    What is legal is praised as its part of the contract; of what is not, all that is wrong with
    it is said: alone, beside the melds before it, or as one too many.
    """
    ways = found.ways[0] if found.ways else [_best(offered, rules) for offered in melds]
    before: list[Meld] = []
    rulings = []
    for number, (offered, meld) in enumerate(zip(melds, ways, strict=True)):
        if meld is None:
            rulings.append(rules.refusal(shape_breaches(offered, rules.limits)))
            continue
        breaches = [*_alone(meld, rules), *_beside(meld, before, rules)]
        nth = 1 + sum(other.kind is meld.kind for other in before)
        if not breaches:
            before.append(meld)
            breaches = _too_many(meld, nth, rules)
        readings_of_it = tuple(dict.fromkeys(way[number] for way in found.ways)) or (meld,)
        if breaches:
            rulings.append(rules.refusal(breaches, readings_of_it))
        else:
            rulings.append(Ruling(readings=readings_of_it, praise=_praise(meld, nth, rules)))
    return tuple(rulings)


def missing(rulings: Sequence[Ruling], rules: ContractJudge) -> str:
    """What the contract still lacks, in words; empty if nothing."""
    there = Counter(ruling.readings[0].kind for ruling in rulings if ruling.legal)
    sets, runs = rules.contract
    lacks = rules.contract._replace(
        sets=max(0, sets - there[Kind.SET]), runs=max(0, runs - there[Kind.RUN])
    )
    return lacks.says(rules.limits) if any(lacks) else ""


def _best(offered: Sequence[Offered], rules: ContractJudge) -> Meld | None:
    """The reading that breaks least by itself; None if it is no meld by its shape."""
    ways = readings(offered, rules.limits)
    return min(ways, key=lambda meld: len(_alone(meld, rules)), default=None)


def _alone(meld: Meld, rules: ContractJudge) -> list[Breach]:
    return [*rules.limits.breaches(meld), *rules.first_meld_breaches(meld)]


def _beside(meld: Meld, before: Sequence[Meld], rules: ContractJudge) -> Sequence[Breach]:
    return rules.together_breaches([*before, meld])


def _wanted(meld: Meld, rules: ContractJudge) -> int:
    return rules.contract.sets if meld.kind is Kind.SET else rules.contract.runs


def _too_many(meld: Meld, nth: int, rules: ContractJudge) -> list[Breach]:
    wanted = _wanted(meld, rules)
    if nth <= wanted or not rules.contract_alone:
        return []
    return [
        Breach.of(
            rules.contract_rule,
            "one_too_many",
            meld=meld,
            kind=rules.limits.term(meld.kind),
            hand=rules.hand,
            contract=rules.contract.counted(rules.limits),
        )
    ]


def _praise(meld: Meld, nth: int, rules: ContractJudge) -> Message:
    wanted, kind = _wanted(meld, rules), rules.limits.term(meld.kind)
    if nth > wanted:
        return Message.of("beside_contract", kind=kind)
    if wanted == 1:
        return Message.of("the_part", kind=kind)
    return Message.of("nth_part", kind=kind, nth=nth, wanted=wanted)
