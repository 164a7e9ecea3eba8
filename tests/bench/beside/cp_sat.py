"""The same questions as a model for OR-tools' CP-SAT, written as one would for that solver.

Every possible set and run is a variable. If the game limits the wild cards of a meld, each place
that a wild card could take is a variable, too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from ortools.sat.python import cp_model

from companion.rules.cards import RANKS, SUITS, Card, Rank
from companion.rules.judge import Judge
from companion.rules.melds import STRETCHES, MeldLimits

# One worker, as the other solvers use one core. The other values were found by trying: small hands
# do not need these steps.
PARAMETERS: Mapping[str, int] = {
    "num_workers": 1,
    "max_presolve_iterations": 1,
    "cp_model_probing_level": 0,
    "symmetry_level": 0,
}


class _Shape(NamedTuple):
    """A possible meld: the cards that it shows, in order, and whether it is a run."""

    run: bool
    faces: tuple[Card, ...]


class Model:
    """The model of one hand's cards: which melds are laid, and how often."""

    def __init__(self, cards: Sequence[Card], rules: Judge) -> None:
        limits = rules.limits
        if not limits.suits_differ or limits.tanala_rule or limits.one_run_a_suit:
            raise ValueError("Sets with the same card twice are not in this model.")
        self._rules, self._limits = rules, limits
        self._held = Counter(cards)
        self._wilds = sum(count for card, count in self._held.items() if limits.is_wild(card))
        self._natural = {
            card: count
            for card, count in self._held.items()
            if not limits.is_wild(card)
            or (card.rank is not Rank.JOKER and not limits.wild_in_own_place)
        }
        self.model = cp_model.CpModel()
        self._used: dict[Card, list[cp_model.LinearExprT]] = {card: [] for card in self._natural}
        self._spent: list[cp_model.LinearExprT] = []
        self._runs: list[cp_model.IntVar] = []
        self._clean: list[cp_model.IntVar] = []
        limited = bool(
            limits.half_wild
            or limits.wilds_apart
            or limits.min_naturals
            or limits.max_wilds is not None
        )
        put = self._put_limited if limited else self._put
        for shape in self._shapes(limited=limited):
            put(shape)
        self._share_out(limited=limited)

    def fewest_points(self) -> int:
        """Return the fewest points of cards in no meld."""
        left = [
            self._rules.value(card) * (count - self._taken(card))
            for card, count in self._natural.items()
            if not self._limits.is_wild(card)
        ]
        wild = next((card for card in self._held if self._limits.is_wild(card)), None)
        if wild is not None and self._rules.value(wild):
            left.append(self._rules.value(wild) * (self._wilds - self._all_wild()))
        self.model.minimize(cp_model.LinearExpr.sum(left))
        solver = self._solver()
        solver.solve(self.model)
        return round(solver.objective_value)

    def can_be_declared(self) -> bool:
        """True if all the cards can be in melds, with the runs that the game requires."""
        for card, count in self._natural.items():
            if not self._limits.is_wild(card):
                self.model.add(self._taken(card) == count)
        self.model.add(self._all_wild() == self._wilds)
        self.model.add(cp_model.LinearExpr.sum(self._clean) >= self._rules.clean_runs)
        self.model.add(cp_model.LinearExpr.sum(self._runs) >= self._rules.all_runs)
        return self._solver().solve(self.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)

    def _solver(self) -> cp_model.CpSolver:
        solver = cp_model.CpSolver()
        for name, value in PARAMETERS.items():
            setattr(solver.parameters, name, value)
        return solver

    def _shapes(self, *, limited: bool) -> Iterator[_Shape]:
        """Yield every meld that these cards can form."""
        limits = self._limits
        fewest, most = limits.set_sizes
        for rank in RANKS:
            for size in range(fewest, most + 1):
                for suits in combinations(SUITS, size):
                    yield from self._if_there(False, tuple(Card(rank, suit) for suit in suits))
        fewest, most = limits.run_sizes
        if not limited:
            most = 2 * fewest - 1  # a longer run is several runs
        for size in range(fewest, most + 1):
            for stretch in STRETCHES[limits.ace_in_runs][size]:
                for suit in SUITS:
                    faces = tuple(Card(rank, suit) for rank in stretch.ranks)
                    yield from self._if_there(True, faces)

    def _if_there(self, run: bool, faces: tuple[Card, ...]) -> Iterator[_Shape]:
        missing = sum(face not in self._natural for face in faces)
        if missing < len(faces) and missing <= min(self._wilds, most_wild(self._limits, faces)):
            yield _Shape(run, faces)

    def _put(self, shape: _Shape) -> None:
        """Add a meld any number of times; the wild cards are counted for all melds together."""
        lies = self.model.new_int_var(0, self._rules.deck.packs, "")
        for face in shape.faces:
            if face in self._used:
                self._used[face].append(lies)
            else:
                self._spent.append(lies)

    def _put_limited(self, shape: _Shape) -> None:
        """Add a meld once for each pack, with a variable for each place: natural or wild."""
        model = self.model
        most = min(self._wilds, most_wild(self._limits, shape.faces))
        before = None
        # A meld can be laid twice only if each of its cards is held twice, or wild.
        copies = min([self._natural.get(face, self._wilds) for face in shape.faces])
        for _ in range(min(copies, self._rules.deck.packs)):
            lies = model.new_bool_var("")
            if before is not None:
                model.add_implication(lies, before)
            before = lies
            wild = [self._wild_at(face, lies, most) for face in shape.faces]
            self._spent += wild
            model.add(cp_model.LinearExpr.sum(wild) <= most * lies)
            if shape.run:
                self._see_run(shape, lies, wild)

    def _wild_at(self, face: Card, lies: cp_model.IntVar, most: int) -> cp_model.IntVar | int:
        """Return the variable that says if a meld, when laid, has a wild card in this place."""
        if face not in self._natural:
            return lies
        if not most:
            self._used[face].append(lies)
            return 0
        is_wild = self.model.new_bool_var("")
        self.model.add_implication(is_wild, lies)
        self._used[face].append(lies - is_wild)
        return is_wild

    def _see_run(
        self, shape: _Shape, lies: cp_model.IntVar, wild: Sequence[cp_model.IntVar | int]
    ) -> None:
        """Add the conditions for runs: wild cards apart, the number of runs, and of clean ones."""
        model = self.model
        if self._limits.wilds_apart:
            for place, neighbour in pairwise(wild):
                model.add(place + neighbour <= 1)
        self._runs.append(lies)
        if self._rules.clean_runs and all(face in self._natural for face in shape.faces):
            clean = model.new_bool_var("")
            model.add_implication(clean, lies)
            for place in wild:
                if not isinstance(place, int):
                    model.add_implication(clean, ~place)
            self._clean.append(clean)

    def _share_out(self, *, limited: bool) -> None:
        """Add the condition that no card is laid more often than it is held."""
        model = self.model
        if not limited:
            for face, count in self._natural.items():
                most = self._rules.deck.packs * 4
                natural = model.new_int_var(0, count, "")
                wild = model.new_int_var(0, most, "")
                model.add(cp_model.LinearExpr.sum(self._used[face]) == natural + wild)
                self._used[face] = [natural]
                self._spent.append(wild)
        else:
            for face, count in self._natural.items():
                model.add(cp_model.LinearExpr.sum(self._used[face]) <= count)
        model.add(self._all_wild() <= self._wilds)

    def _taken(self, card: Card) -> cp_model.LinearExprT:
        return cp_model.LinearExpr.sum(self._used[card])

    def _all_wild(self) -> cp_model.LinearExprT:
        """Return the number of wild cards in melds: for other cards, and in their own place."""
        own = [used for card, used in self._used.items() if self._limits.is_wild(card)]
        return cp_model.LinearExpr.sum([*self._spent, *chain.from_iterable(own)])


def most_wild(limits: MeldLimits, faces: Sequence[Card]) -> int:
    """Return how many cards of a meld may be wild."""
    most = len(faces) - limits.min_naturals
    if limits.half_wild:
        most = min(most, len(faces) // 2)
    return most if limits.max_wilds is None else min(most, limits.max_wilds)
