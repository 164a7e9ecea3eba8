"""The same hands to one after the other, in one process, and the lines that say what it took.

Times are processor time of one call from a hand in the solver's own cards to its answer, in
milliseconds. A ratio is a median beside ours on the same hands in the same run.
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
    """How long one solver took for the hands of one question; hands answered otherwise than ours.

    ``ours_ms`` is our median on the same hands, and ``fewer`` of the answers that differ are fewer
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
    """Ask each question of so many hands, of everyone who can answer it."""
    installed = others()
    gc.freeze()  # what the others have loaded is not gone through in anybody's time
    for question in questions(count):
        asked = [other for other in installed if question.name in other.questions]
        yield from _measured(question, [Other(OURS, frozenset(), _ours), *asked])


def _measured(question: Question, asked: Sequence[Other]) -> Iterator[Times]:
    times: dict[str, list[float]] = {other.name: [] for other in asked}
    differs: dict[str, list[str]] = {other.name: [] for other in asked}
    fewer = dict.fromkeys(times, 0)
    ours: list[int | None] = []
    # Each goes through the hands by itself: who is asked after a solver with threads of its own
    # pays for their end, and for memory that is no longer near the processor.
    for other in asked:
        other.ask(*question.hands[0])()  # what is made once and kept is made before
        for number, (cards, rules) in enumerate(question.hands):
            solve = other.ask(cards, rules)
            start = process_time()
            left = solve()
            times[other.name].append((process_time() - start) * 1000)
            if other.name == OURS:
                ours.append(left)
                continue
            best = ours[number]
            if left != best:
                differs[other.name].append(f"{format_cards(cards)}: {left}, ours {best}")
                fewer[other.name] += left is not None and best is not None and left < best
    middle = median(times[OURS])
    for name, taken in times.items():
        yield Times(question, name, median(taken), max(taken), middle, differs[name], fewer[name])


def _ours(cards: Sequence[Card], rules: Judge) -> Solver:
    if isinstance(rules, DeclaringJudge) and rules.clean_runs:
        return lambda: int(not rules.rule_on_declaration(cards).legal)
    return lambda: arrange(cards, rules).points


# -- what is printed ------------------------------------------------------------------------------


def rows(times: Sequence[Times]) -> Iterator[Row]:
    """The aims, and a row for each who answered a question: medians with each number of jokers.

    It says how many hands were answered otherwise than by us, with an example.
    """
    yield from _aims(times)
    lines: dict[tuple[str, str, str], list[Times]] = {}
    for one in times:
        lines.setdefault((one.question.name, one.question.deal, one.who), []).append(one)
    for (question, deal, who), several in lines.items():
        jokers = f", 0 to {several[-1].question.wilds} jokers" if len(several) > 1 else ""
        middle = " ".join(f"{one.median_ms:.2f}" for one in several)
        said = f"median {middle} ms, worst {max(one.worst_ms for one in several):.2f} ms"
        if who != OURS:
            ratios = sorted(one.median_ms / one.ours_ms for one in several)
            said += f"; {ratios[0]:.1f} to {ratios[-1]:.1f} times our time"
        if differs := [hand for one in several for hand in one.differs]:
            fewer = sum(one.fewer for one in several)
            said += f"; {len(differs)} answers differ, {fewer} with less left: {differs[0]}"
        yield Row(f"{question}, {deal}{jokers}: {who}", said)


def _aims(times: Sequence[Times]) -> Iterator[Row]:
    others = [one for one in times if one.who != OURS]
    fastest: dict[tuple[str, str, int], float] = {}
    for one in others:
        if one.question.wilds:
            ratio = one.median_ms / one.ours_ms
            fastest[one.question[:3]] = min(ratio, fastest.get(one.question[:3], ratio))
    if ratios := sorted(fastest.values()):
        yield Row(
            "arrange and declare with wild cards, beside the fastest other",
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
