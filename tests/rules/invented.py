"""Rules of invented games, for what can be worked out of cards by a game's limits on melds."""

from companion.rules.cards import Card, Rank
from companion.rules.game import Deck
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, MeldLimits


class InventedRules(Judge):
    """One hand of a game of which nothing is known but what a meld is and what cards count."""

    def __init__(
        self,
        limits: MeldLimits,
        deck: Deck,
        wild_value: int = 15,
        clean_runs: int = 0,
        all_runs: int = 0,
    ) -> None:
        self.limits = limits
        self.deck = deck
        self.wild_value = wild_value
        self.clean_runs = clean_runs
        self.all_runs = all_runs

    def value(self, card: Card) -> int:
        """Wild cards count all the same; ten from the 8 up, five below."""
        if self.limits.is_wild(card):
            return self.wild_value
        return 10 if card.rank >= Rank.EIGHT else 5


TWO_PACKS = Deck(2, 4)
JOKERS = frozenset({Rank.JOKER})


def invented(
    deck: Deck = TWO_PACKS,
    wild_ranks: frozenset[Rank] = JOKERS,
    *,
    ace_in_runs: AceInRuns = AceInRuns.LOW,
    set_sizes: tuple[int, int] = (3, 4),
    run_sizes: tuple[int, int] = (3, 13),
    wild_in_own_place: bool = True,
    min_naturals: int = 0,
    suits_differ: bool = True,
    half_wild: bool = False,
    wilds_apart: bool = False,
    max_wilds: int | None = None,
    tanala_rule: str = "",
    one_run_a_suit: bool = False,
    wild_value: int = 15,
    clean_runs: int = 0,
    all_runs: int = 0,
) -> InventedRules:
    """The rules of a game with these limits, and with the common ones where none is given."""
    limits = MeldLimits(
        set_rule="INV-1",
        run_rule="INV-2",
        wild_rule="INV-3",
        lay_off_rule="INV-4",
        swap_rule="INV-5",
        wild_ranks=wild_ranks,
        ace_in_runs=ace_in_runs,
        set_sizes=set_sizes,
        run_sizes=run_sizes,
        wild_in_own_place=wild_in_own_place,
        min_naturals=min_naturals,
        suits_differ=suits_differ,
        half_wild=half_wild,
        wilds_apart=wilds_apart,
        max_wilds=max_wilds,
        tanala_rule=tanala_rule,
        one_run_a_suit=one_run_a_suit,
    )
    return InventedRules(limits, deck, wild_value, clean_runs, all_runs)
