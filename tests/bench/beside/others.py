"""Other people's solvers for the same questions, each behind the same interface.

A hand is converted to a solver's own format before its time is taken. A solver returns the fewest
points that the hand can be left with, or None if it has no answer.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from companion.rules.cards import JOKER, Card
from companion.rules.judge import Judge

Solver = Callable[[], int | None]
Ask = Callable[[Sequence[Card], Judge], Solver]

_PACKAGES = {
    "rlcard": "rlcard",
    "pyspiel": "open-spiel",
    "rummikub_solver": "rummikub-solver",
    "ortools": "ortools",
}


class Other(NamedTuple):
    """A solver: its name in the table, the questions that it answers, and how to ask it."""

    name: str
    questions: frozenset[str]
    ask: Ask


def missing() -> list[str]:
    return [package for module, package in _PACKAGES.items() if find_spec(module) is None]


def others() -> list[Other]:
    found = []
    gin = frozenset({"gin, 10 cards", "gin, 13 cards"})
    if find_spec("rlcard"):
        found.append(Other("rlcard", gin, _rlcard()))
    if find_spec("pyspiel"):
        found.append(Other("OpenSpiel", gin, _open_spiel()))
    if find_spec("ortools"):
        of_two_packs = frozenset({"gin, 13 cards", "tiles", "Pay Me", "declare"})
        found.append(Other("CP-SAT", of_two_packs, _cp_sat()))
    if find_spec("rummikub_solver"):
        found.append(Other("rummikub-solver", frozenset({"tiles"}), _rummikub_solver()))
    return found


def _rlcard() -> Ask:
    from rlcard.games.base import Card as TheirCard
    from rlcard.games.gin_rummy.utils import melding, utils

    def fewest(hand: Sequence[TheirCard]) -> int:
        if len(hand) == 10:
            clusters = melding.get_best_meld_clusters(hand)
            return int(utils.get_deadwood_count(hand, clusters[0] if clusters else []))
        # Its search for the best melds takes ten cards only; its list of melds takes any number.
        worth = utils.get_deadwood_value
        melded = (
            sum(worth(card) for meld in cluster for card in meld)
            for cluster in melding.get_meld_clusters(hand)
        )
        return int(sum(map(worth, hand)) - max(melded, default=0))

    def ask(cards: Sequence[Card], rules: Judge) -> Solver:
        hand = [TheirCard(card.suit.text, card.rank.text) for card in cards]
        return lambda: fewest(hand)

    return ask


def _open_spiel() -> Ask:
    import pyspiel

    ranks, suits = 13, 4
    cards_of_gin = pyspiel.gin_rummy.GinRummyUtils(ranks, suits, 10)

    def ask(cards: Sequence[Card], rules: Judge) -> Solver:
        hand = [int(card.suit) * ranks + int(card.rank) - 1 for card in cards]
        return lambda: int(cards_of_gin.min_deadwood(hand))

    return ask


def _rummikub_solver() -> Ask:
    from rummikub_solver import RuleSet, SolverMode

    rules_of_tiles = RuleSet(repeats=2, jokers=4, min_initial_value=1)
    tiles = rules_of_tiles.tiles
    joker = tiles[-1]

    def fewest(rack: Sequence[int], naturals: int) -> int:
        state = rules_of_tiles.new_game()
        state.add_rack(*rack)
        # Only in its mode for a first placing jokers do not count as tiles. Its public function for
        # that mode checks the value of the placing first, so this calls the solver behind it.
        placed = rules_of_tiles._solver(SolverMode.INITIAL, state).tiles
        return naturals - sum(tile != joker for tile in placed)

    def ask(cards: Sequence[Card], rules: Judge) -> Solver:
        rack = [joker if card == JOKER else tiles[card.suit * 13 + card.rank - 1] for card in cards]
        naturals = sum(card != JOKER for card in cards)
        return lambda: fewest(rack, naturals)

    return ask


def _cp_sat() -> Ask:
    from tests.bench.beside.cp_sat import Model

    def ask(cards: Sequence[Card], rules: Judge) -> Solver:
        if rules.clean_runs:
            return lambda: int(not Model(cards, rules).can_be_declared())
        return lambda: Model(cards, rules).fewest_points()

    return ask
