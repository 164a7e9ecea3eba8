"""Rules of invented games, to test arrangements and contracts with any limits on melds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any

from companion.rules.cards import RANKS, Card, Rank
from companion.rules.contracts import Contract, ContractJudge
from companion.rules.game import Deck
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, Kind, Meld, MeldLimits, MeldRules
from companion.rules.ruling import Breach


@dataclass(eq=False)
class InventedRules(Judge):
    """The rules of a hand: only limits on melds, and values of cards."""

    limits: MeldLimits
    deck: Deck
    wild_value: int = 15
    clean_runs: int = 0
    all_runs: int = 0
    low_end_last: bool = False

    def value(self, card: Card) -> int:
        """Return the same for all wild cards, 10 for natural ones from the 8 up, 5 for others."""
        if self.limits.is_wild(card):
            return self.wild_value
        return 10 if card.rank >= Rank.EIGHT else 5

    def longer_breaches(self, meld: Meld, longer: Meld) -> Sequence[Breach]:
        """With ``low_end_last`` a run grows at its low end only if it has its ace at the other."""
        whole = len(longer.cards) == len(RANKS)
        if not self.low_end_last or meld.kind is Kind.SET or whole:
            return []
        if longer.low == meld.low or longer.cards[-1].stands_for.rank is Rank.ACE:
            return []
        return [Breach.of("INV-10", "low_end_waits", meld=meld)]


TWO_PACKS = Deck(2, 4)
JOKERS = frozenset({Rank.JOKER})


def invented(
    deck: Deck = TWO_PACKS,
    wild_ranks: frozenset[Rank] = JOKERS,
    *,
    ace_in_runs: AceInRuns = AceInRuns.LOW,
    wild_value: int = 15,
    clean_runs: int = 0,
    all_runs: int = 0,
    low_end_last: bool = False,
    **limits: Any,
) -> InventedRules:
    """Return the rules of a game with these limits, and common ones by default."""
    allowed = MeldLimits(
        rules=MeldRules(set="INV-1", run="INV-2", wild="INV-3", lay_off="INV-4", swap="INV-5"),
        wild_ranks=wild_ranks,
        ace_in_runs=ace_in_runs,
        **limits,
    )
    return InventedRules(allowed, deck, wild_value, clean_runs, all_runs, low_end_last)


def any_rules(chance: Random) -> InventedRules:
    """Return rules with any combination of limits."""
    either = (True, False)
    clean = chance.choice([0, 0, 0, 1, 2])
    return invented(
        Deck(chance.randint(1, 3), chance.randint(2, 6)),
        frozenset({Rank.JOKER, *chance.sample(RANKS, chance.randint(0, 2))}),
        ace_in_runs=chance.choice([*AceInRuns]),
        set_sizes=chance.choice([(3, 3), (3, 4), (3, 12)]),
        run_sizes=chance.choice([(3, 13), (4, 13), (4, 4), (3, 5)]),
        wild_in_own_place=chance.choice(either),
        min_naturals=chance.choice([0, 0, 1, 2]),
        set_min_naturals=chance.choice([0, 0, 2]),
        suits_differ=chance.choice(either),
        half_wild=chance.choice(either),
        wilds_apart=chance.choice(either),
        max_wilds=chance.choice([None, None, 1, 2]),
        tanala_rule=chance.choice(["", "INV-6"]),
        one_run_a_suit=chance.choice([False, False, True]),
        wild_value=chance.choice([0, 2, 15]),
        clean_runs=clean,
        all_runs=chance.choice([clean, clean + 1]),
        low_end_last=chance.choice([False, False, True]),
    )


# Limits that differ as those of the rulebook's games do.
SHAPES: dict[str, InventedRules] = {
    # Pay Me: at most half of a meld is wild, no two wild cards are neighbours in a run.
    "halves": invented(
        wild_ranks=frozenset({Rank.JOKER, Rank.TWO, Rank.SEVEN}),
        wild_in_own_place=False,
        half_wild=True,
        wilds_apart=True,
    ),
    # Indian Rummy: two clean runs, or no melds but them; wild cards count nothing.
    "clean": invented(
        wild_ranks=frozenset({Rank.JOKER, Rank.FIVE}),
        ace_in_runs=AceInRuns.BOTH,
        set_sizes=(3, 3),
        wild_in_own_place=False,
        min_naturals=1,
        wild_value=0,
        clean_runs=2,
        all_runs=2,
    ),
    # The same with three packs, one clean run of two, and one wild card a meld.
    "one clean": invented(
        Deck(3, 3),
        frozenset({Rank.JOKER, Rank.FIVE}),
        ace_in_runs=AceInRuns.BOTH,
        wild_in_own_place=False,
        min_naturals=1,
        max_wilds=1,
        tanala_rule="INV-6",
        wild_value=0,
        clean_runs=1,
        all_runs=2,
    ),
    # Kalooki: runs of four, one a suit, jokers apart; sets of any suits with two naturals.
    "fours": invented(
        ace_in_runs=AceInRuns.BOTH,
        set_sizes=(3, 12),
        run_sizes=(4, 13),
        set_min_naturals=2,
        suits_differ=False,
        wilds_apart=True,
        one_run_a_suit=True,
        wild_value=50,
        low_end_last=True,
    ),
    # Carioca: runs of four, sets of any suits, jokers without limits.
    "free": invented(
        ace_in_runs=AceInRuns.BOTH,
        set_sizes=(3, 12),
        run_sizes=(4, 13),
        suits_differ=False,
        wild_value=50,
    ),
    # Contract Rummy: the same with a natural card at least.
    "one natural": invented(
        ace_in_runs=AceInRuns.BOTH,
        set_sizes=(3, 12),
        run_sizes=(4, 13),
        min_naturals=1,
        suits_differ=False,
    ),
}


@dataclass(eq=False)
class InventedContract(ContractJudge):
    """The rules of a hand: only a contract, and limits on melds.

    Melds of the contract may have ``most_cards``, ``most_wilds``, and if ``runs_apart`` no two runs
    of one suit of which one begins where the other ends.
    """

    contract_rule = "INV-7"
    hand = 1

    limits: MeldLimits
    deck: Deck
    contracts: Sequence[Contract]
    most_cards: int = 13
    most_wilds: int = 13
    runs_apart: bool = False

    def value(self, card: Card) -> int:
        """Return 0: values of cards do not matter for a contract."""
        raise AssertionError

    def first_meld_breaches(self, meld: Meld) -> Sequence[Breach]:
        """Not too many cards, and not too many wild ones."""
        wilds = self.limits.wilds(meld.cards)
        if len(meld.cards) > self.most_cards or wilds > self.most_wilds:
            return [Breach.of("INV-8", "contract_jokers", meld=meld, jokers=wilds)]
        return []

    def together_breaches(self, melds: Sequence[Meld]) -> Sequence[Breach]:
        """No run begins where another one of its suit ends."""
        runs = [meld for meld in melds if meld.kind is Kind.RUN and self.runs_apart]
        return [
            Breach.of("INV-9", "runs_are_one", one=one, other=other)
            for one, other in permutations(runs, 2)
            if one.high + 1 == other.low
            and one.cards[0].stands_for.suit == other.cards[0].stands_for.suit
        ]
