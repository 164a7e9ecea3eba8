"""Whether the contract of a hand can be made of a player's cards, and with which melds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.rules.arrange import MARKS_LEFT, NEVER, choose, costs_left, lay_down, ways_to_lie
from companion.rules.candidates import ABOVE, COUNT, DISCARD, MARKS, Candidate, Handful, digit
from companion.rules.cards import Card
from companion.rules.contracts import Contract, ContractJudge
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
    cards than it needs. Where all cards are laid at once, they have all of them, or all but the one
    discarded (CON-10). Raises `Malformed` if the game's packs cannot hold the cards.
    """
    if not rules.all_at_once:
        melds, lacking = nearest(cards, rules)
        return None if any(lacking) else melds
    hand, held = Handful(cards, rules.contract_limits, rules.deck), len(cards)
    discards = not rules.is_whole_hand(held, None)
    if discards and not rules.is_whole_hand(held - 1, held):
        return None
    # The other runs have as many cards as a run must have.
    longest = held - discards - (rules.contract.runs - 1) * hand.limits.run_sizes[0]
    first = [
        melded
        for one in hand.melds(longest=longest)
        for wilds in range(one.need, min(one.most, hand.wilds, longest - _naturals(one)) + 1)
        for melded in _first_melds(one, wilds, rules, hand)
        if one.kind is Kind.RUN
    ]
    marks = _marks(rules.contract)
    if discards:  # any card can be the one
        marks += DISCARD
        first += [Candidate((1 << at) + DISCARD, 0, 0, Kind.SET) for at in {*hand.places}]
        first.append(Candidate(DISCARD, 1, 1, Kind.SET))
    cost, chosen = choose(first, hand, costs_left(rules), marks, below=1)
    return lay_down([one for one in chosen if one.kind is Kind.RUN], hand)[0] if not cost else None


def nearest(cards: Sequence[Card], rules: ContractJudge) -> Nearest:
    """Return as much of this hand's contract as can be made of the cards, if not all of it can.

    Raises `Malformed` as `can_make` does.
    """
    hand, contract = Handful(cards, rules.contract_limits, rules.deck), rules.contract
    limits, longest = hand.limits, hand.limits.run_sizes[0]
    # A run that must have several natural cards has all wild ones between two of them.
    if limits.half_wild or limits.fewest_naturals(Kind.RUN) > 1:
        longest = max(longest, 2 * hand.wilds + 1)
    most = {Kind.RUN: longest, Kind.SET: limits.set_sizes[0]}
    candidates = [
        first
        for one in sorted(hand.melds(longest=longest), key=lambda one: len(one.cards))
        if contract.of(one.kind) and _naturals(one) + one.need <= most[one.kind]
        for first in _first_melds(one, one.need, rules, hand)
    ]
    # As few wild cards as can be; what is left costs nothing.
    _, chosen = choose(candidates, hand, MARKS_LEFT, _marks(contract), 8 * NEVER, use=1)
    sets = len([one for one in chosen if one.kind is Kind.SET])
    lacking = Contract(contract.sets - sets, contract.runs - len(chosen) + sets)
    return Nearest(lay_down(chosen, hand)[0], lacking)


def _marks(contract: Contract) -> int:
    return contract.sets * MARKS[Kind.SET] + contract.runs * MARKS[Kind.RUN]


def _naturals(one: Candidate) -> int:
    return len(one.cards) - one.own


def _first_melds(
    one: Candidate, wilds: int, rules: ContractJudge, hand: Handful
) -> Iterator[Candidate]:
    """Yield what a player may lay as a first meld of a candidate with so many wild cards."""
    # Where its wild cards lie matters only beside another run of its suit.
    all_ways = rules.runs_apart and one.kind is Kind.RUN
    for shape in ways_to_lie(one, wilds, hand.limits):
        meld = shape.with_jokers()
        if not rules.breaches_alone(meld):
            beside, bars = _beside(meld, rules)
            yield one._replace(
                taken=one.taken + MARKS[one.kind] + beside,
                need=wilds,
                most=wilds,
                shape=shape if all_ways else one.shape,
                bars=bars,
            )
            if not all_ways:
                return


def _beside(meld: Meld, rules: ContractJudge) -> tuple[int, int]:
    """What a meld takes besides its cards, and what it bars that others would have to take."""
    suit, rank = meld.cards[0].stands_for.suit, meld.cards[0].stands_for.rank
    if meld.kind is Kind.SET:
        return COUNT * digit(ABOVE + rank, 0) if rules.one_set_a_rank else 0, 0
    if not rules.runs_apart:
        return 0, 0
    # Where it begins and ends, and where another one would end just before it or begin after it.
    begins, ends = (ABOVE + ACE_HIGH + at for at in (2 * meld.low, 2 * meld.high + 1))
    barred = digit(begins - 1, suit) | digit(ends + 1, suit)
    return digit(begins, suit) | digit(ends, suit), COUNT * barred
