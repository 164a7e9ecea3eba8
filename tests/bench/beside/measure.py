"""The same hands to one after the other, in one process, and the lines that say what it took.

Times are processor time of one call from a hand in the solver's own cards to its answer, in
milliseconds. A ratio is a median beside ours on the same hands in the same run.
"""

import gc
from collections.abc import Iterator, Sequence
from itertools import groupby
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
    """A row for each who answered a question: medians with each number of jokers."""
    yield from _aims(times)
    lines = sorted(times, key=lambda one: (_names(times).index(_name(one)), one.question.wilds))
    for name, group in groupby(lines, key=_name):
        several = list(group)
        jokers = f", 0 to {several[-1].question.wilds} jokers" if len(several) > 1 else ""
        middle = " ".join(f"{one.median_ms:.2f}" for one in several)
        said = f"median {middle} ms, worst {max(one.worst_ms for one in several):.2f} ms"
        if several[0].who != OURS:
            said += f"; {_ratio(several)} times our time"
        question, deal, who = name
        yield Row(f"{question}, {deal}{jokers}: {who}", said)


def notes(times: Sequence[Times], shown: int = 1) -> Iterator[str]:
    """Who answered otherwise than we did, how often, and an example or so."""
    hands = sum(len(one.question.hands) for one in times if one.who != OURS)
    yield f"{hands:,} answers of others were compared with ours."
    for (question, deal, who), group in groupby(
        sorted((one for one in times if one.differs), key=_name), key=_name
    ):
        several = list(group)
        differs = [hand for one in several for hand in one.differs]
        fewer = sum(one.fewer for one in several)
        says = f"{who} left more than we did in {len(differs) - fewer}, and less in {fewer}"
        yield f"{question}, {deal}: {says}. {'; '.join(differs[:shown])}."


def _name(one: Times) -> tuple[str, str, str]:
    return one.question.name, one.question.deal, one.who


def _names(times: Sequence[Times]) -> list[tuple[str, str, str]]:
    return list(dict.fromkeys(map(_name, times)))


def _ratio(several: Sequence[Times]) -> str:
    """The lowest and the highest ratio, or the one there is."""
    ratios = sorted(one.median_ms / one.ours_ms for one in several)
    ends = dict.fromkeys(f"{ratio:.1f}" for ratio in (ratios[0], ratios[-1]))
    return " to ".join(ends)


def _aims(times: Sequence[Times]) -> Iterator[Row]:
    others = [one for one in times if one.who != OURS]
    wild = [one for one in others if one.question.wilds]
    if wild:
        fastest = [
            min(one.median_ms / one.ours_ms for one in group)
            for _, group in groupby(wild, key=lambda one: one.question[:3])
        ]
        yield Row(
            "arrange and declare with wild cards, beside the fastest other",
            f"{median(fastest):.1f} times as fast ({min(fastest):.1f} to {max(fastest):.1f})",
            f"{TIMES_AS_FAST} times",
            min(fastest) >= TIMES_AS_FAST,
        )
    dense = [one.worst_ms for one in times if one.who == OURS and one.question.deal == "dense"]
    if dense:
        yield Row(
            "arrange, worst dense hand",
            f"{max(dense):.2f} ms",
            f"under {WORST_MS:g} ms",
            max(dense) < WORST_MS,
        )
    for one in others:
        if one.who == "rlcard":
            ratio = one.median_ms / one.ours_ms
            yield Row(
                f"{one.question.name}, {one.question.deal}, beside rlcard",
                f"{ratio:.2f} times as fast",
                "ahead of it",
                ratio > 1,
            )
