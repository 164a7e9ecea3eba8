"""Give the same hands to one solver after the other, in one process, and print the times.

Times are processor time of one call, in milliseconds, from a hand in the solver's own format to its
answer. A ratio is a solver's median divided by ours for the same hands in the same run.
"""

import gc
from collections.abc import Iterator, Sequence
from statistics import median
from time import process_time
from typing import NamedTuple

from companion.rules.arrange import arrange
from companion.rules.cards import Card, format_cards
from companion.rules.declaring import DeclaringJudge
from companion.rules.judge import Judge
from tests.bench.beside.others import Other, Solver, others
from tests.bench.beside.questions import Question, questions
from tests.bench.report import Row

OURS = "companion"
TIMES_AS_FAST, WORST_MS = 10, 10.0


class Times(NamedTuple):
    """The times of one solver for the hands of one question, and its answers that differ from ours.

    ``ours_ms`` is our median for the same hands. ``fewer`` is the number of answers with fewer
    points than ours.
    """

    question: Question
    who: str
    median_ms: float
    worst_ms: float
    ours_ms: float
    differs: Sequence[str]
    fewer: int


def run(count: int) -> Iterator[Times]:
    """Give `count` hands of each question to every solver that can answer it."""
    installed = others()
    gc.freeze()  # so that garbage collection skips what the solvers have loaded
    for question in questions(count):
        able = [other for other in installed if question.name in other.questions]
        yield from _measured(question, [Other(OURS, frozenset(), _ours), *able])


def _measured(question: Question, solvers: Sequence[Other]) -> Iterator[Times]:
    times: dict[str, list[float]] = {solver.name: [] for solver in solvers}
    differs: dict[str, list[str]] = {solver.name: [] for solver in solvers}
    fewer = dict.fromkeys(times, 0)
    ours: list[int | None] = []
    # One solver gets all hands before the next: after a solver with threads of its own, another one
    # pays for their end, and for memory that the processor has no longer cached.
    for solver in solvers:
        solver.ask(*question.hands[0])()  # fills caches that are filled once
        for number, (cards, rules) in enumerate(question.hands):
            solve = solver.ask(cards, rules)
            start = process_time()
            left = solve()
            times[solver.name].append((process_time() - start) * 1000)
            if solver.name == OURS:
                ours.append(left)
                continue
            best = ours[number]
            if left != best:
                differs[solver.name].append(f"{format_cards(cards)}: {left}, ours {best}")
                fewer[solver.name] += left is not None and best is not None and left < best
    own = median(times[OURS])
    for name, taken in times.items():
        yield Times(question, name, median(taken), max(taken), own, differs[name], fewer[name])


def _ours(cards: Sequence[Card], rules: Judge) -> Solver:
    if isinstance(rules, DeclaringJudge) and rules.clean_runs:
        return lambda: int(not rules.rule_on_declaration(cards).legal)
    return lambda: arrange(cards, rules).points


# -- printing -------------------------------------------------------------------------------------


def rows(times: Sequence[Times]) -> Iterator[Row]:
    """Yield the aims, then a row for each question and solver: medians by the number of jokers.

    A row has the number of answers that differ from ours, with an example.
    """
    yield from _aims(times)
    lines: dict[tuple[str, str, str], list[Times]] = {}
    for one in times:
        lines.setdefault((one.question.name, one.question.deal, one.who), []).append(one)
    for (question, deal, who), several in lines.items():
        jokers = f", 0 to {several[-1].question.wilds} jokers" if len(several) > 1 else ""
        medians = " ".join(f"{one.median_ms:.2f}" for one in several)
        figures = f"median {medians} ms, worst {max(one.worst_ms for one in several):.2f} ms"
        if who != OURS:
            ratios = sorted(one.median_ms / one.ours_ms for one in several)
            figures += f"; {ratios[0]:.1f} to {ratios[-1]:.1f} times our time"
        if differs := [hand for one in several for hand in one.differs]:
            fewer = sum(one.fewer for one in several)
            figures += f"; {len(differs)} answers differ, {fewer} with fewer points: {differs[0]}"
        yield Row(f"{question}, {deal}{jokers}: {who}", figures)


def _aims(times: Sequence[Times]) -> Iterator[Row]:
    others = [one for one in times if one.who != OURS]
    fastest: dict[tuple[str, str, int], float] = {}
    for one in others:
        if one.question.wilds:
            ratio = one.median_ms / one.ours_ms
            fastest[one.question[:3]] = min(ratio, fastest.get(one.question[:3], ratio))
    if ratios := sorted(fastest.values()):
        yield Row(
            "arrange and declare with wild cards, compared with the fastest other",
            f"{median(ratios):.1f} times as fast ({ratios[0]:.1f} to {ratios[-1]:.1f})",
            f"{TIMES_AS_FAST} times",
            ratios[0] >= TIMES_AS_FAST,
        )
    dense = [one.worst_ms for one in times if one.who == OURS and one.question.deal == "dense"]
    if dense:
        aim = f"under {WORST_MS:g} ms"
        yield Row("arrange, worst dense hand", f"{max(dense):.2f} ms", aim, max(dense) < WORST_MS)
    for one in others:
        if one.who == "rlcard":
            ratio = one.median_ms / one.ours_ms
            title = f"{one.question.name}, {one.question.deal}, beside rlcard"
            yield Row(title, f"{ratio:.2f} times as fast", "ahead of it", ratio > 1)
