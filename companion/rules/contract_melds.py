"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.rules.arrange import NEVER, choose, lay_down, ways_to_lie
from companion.rules.candidates import ABOVE, COUNT, MARKS, Candidate, Handful, digit
from companion.rules.cards import RANKS, Card, check_packs, without
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.language import noted
from companion.rules.melds import ACE_HIGH, Kind, Meld


class Nearest(NamedTuple):
    """The melds of a contract that can be made, and those that are lacking.

    Where nothing is lacking, other cards are left than may be.
    """

    melds: tuple[Meld, ...]
    lacking: Contract


def can_make(cards: Sequence[Card], rules: ContractJudge) -> tuple[Meld, ...] | None:
    """Return melds of some of the cards that are this hand's contract; None if there are none.

    They keep what the game asks of first melds, each alone and all together, and none has more
    cards than it needs; but where the cards all go into the contract, they do. Raises `Malformed`
    if the game's packs cannot hold the cards.
    """
    leaves = rules.contract_leaves
    if leaves is None:
        melds, lacking = nearest(cards, rules)
        return None if any(lacking) else melds
    found = _of_all(cards, rules, leaves)
    all_melded = sum(len(meld.cards) for meld in found or ()) == len(cards)
    if found and leaves and all_melded and rules.whole_hand_breaches(found, None):
        # One card has to be left for the discard (CON-10): an end of the longest run.
        longest = max([meld.cards for meld in found], key=len)
        for end in longest[0].card, longest[-1].card:
            fewer = without(cards, [end])
            found = _of_all(fewer, rules, 0) or found
    return found


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """Return as much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    hand, contract, limits = _handful(cards, rules), rules.contract, rules.contract_limits
    longest = limits.run_sizes[0]
    # A run that must have several natural cards has all wild ones between two of them.
    if limits.half_wild or limits.fewest_naturals(Kind.RUN) > 1:
        longest = max(longest, 2 * hand.wilds + 1)
    most = {Kind.RUN: longest, Kind.SET: limits.set_sizes[0]}
    candidates = [
        first
        for one in sorted(hand.melds(longest=longest), key=lambda one: len(one.cards))
        if contract.of(one.kind) and len(one.cards) - one.own + one.need <= most[one.kind]
        for first in _first_melds(one, rules, hand, one.need)
    ]
    # As few wild cards as can be; what is left costs nothing.
    costs, marks = dict.fromkeys(cards, 0), _marks(contract)
    _, chosen = choose(candidates, hand, costs, marks, 8 * NEVER, use=1)
    sets = len([one for one in chosen if one.kind is Kind.SET])
    lacking = Contract(contract.sets - sets, contract.runs - len(chosen) + sets)
    return Nearest(lay_down(chosen, hand)[0], lacking)


def _of_all(cards: Sequence[Card], rules: ContractJudge, leaves: int) -> tuple[Meld, ...] | None:
    """Runs of all but so many of the cards, first melds having no limits (CON-10); None if none."""
    hand, costs, marks = _handful(cards, rules), dict.fromkeys(cards, 1), _marks(rules.contract)
    runs = [one for one in hand.melds(longest=len(RANKS)) if one.kind is Kind.RUN]
    first = [one._replace(taken=one.taken + MARKS[Kind.RUN]) for one in runs]
    cost, chosen = choose(first, hand, costs, marks, leaves + 1)
    if rules.together_breaches(lay_down(chosen, hand)[0]):
        first = [way for one in runs for way in _first_melds(one, rules, hand, one.most)]
        cost, chosen = choose(first, hand, costs, marks, leaves + 1)
    return None if cost > leaves else lay_down(chosen, hand)[0]


def _handful(cards: Sequence[Card], rules: ContractJudge) -> Handful:
    check_packs([(noted("the cards"), cards)], *rules.deck)
    return Handful(cards, rules.contract_limits)


def _marks(contract: Contract) -> int:
    return contract.sets * MARKS[Kind.SET] + contract.runs * MARKS[Kind.RUN]


def _first_melds(
    one: Candidate, rules: ContractJudge, hand: Handful, most: int
) -> Iterator[Candidate]:
    """What a player may lay as a first meld of a candidate, with ``most`` wild cards at most."""
    limits = rules.contract_limits
    # Where its wild cards lie matters only beside another run of its suit.
    all_ways = rules.runs_apart and one.kind is Kind.RUN
    for wilds in range(one.need, min(most, hand.wilds) + 1):
        for shape in ways_to_lie(one, wilds, limits)[: None if all_ways else 1]:
            meld = shape.with_jokers()
            if not rules.breaches_alone(meld):
                beside, bars = _beside(meld, rules)
                hand.cards |= COUNT * beside
                yield one._replace(
                    taken=one.taken + MARKS[one.kind] + beside,
                    need=wilds,
                    most=wilds,
                    shape=shape if all_ways else one.shape,
                    bars=bars,
                )


def _beside(meld: Meld, rules: ContractJudge) -> tuple[int, int]:
    """What a meld takes besides its cards, and what it bars that others would have to take."""
    suit, rank = meld.cards[0].stands_for.suit, meld.cards[0].stands_for.rank
    if meld.kind is Kind.SET:
        taken = digit(ABOVE + rank, 0) if rules.one_set_a_rank else 0
        return taken, COUNT * taken
    if not rules.runs_apart:
        return 0, 0
    # Where it begins and ends, and where another one would end just before it or begin after it.
    begins, ends = (ABOVE + ACE_HIGH + at for at in (2 * meld.low, 2 * meld.high + 1))
    barred = digit(begins - 1, suit) | digit(ends + 1, suit)
    return digit(begins, suit) | digit(ends, suit), COUNT * barred
