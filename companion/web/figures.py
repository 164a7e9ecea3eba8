"""A person's figures, and the pictures on pages: lines, bars, the heat map.

The sentences about figures are in templates/people/_figures.html. No picture needs its colours:
dashes, marks and numbers show the same in black print, and a sentence tells a screen reader.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count
from math import ceil, floor
from operator import attrgetter, itemgetter, not_
from statistics import fmean, quantiles
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook import figures
from companion.notebook.describe import hands_of, in_points, score
from companion.notebook.figures import FEWEST, Finished, Played
from companion.notebook.names import characters
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext as _, in_english, listed, noted
from companion.services.people import Person
from companion.web.templating import day, decimal

# The filters by their names in an address: the title, and the values that a game has for it.
_FILTERS: Final[Mapping[str, tuple[str, Callable[[Finished], Collection[str]]]]] = {
    "game": (noted("Game"), lambda game: [game.played.game]),
    "sheet": (noted("Rule sheet"), lambda game: [game.played.sheet]),
    "year": (noted("Year"), lambda game: [str(game.at.year)]),
    "month": (noted("Month"), lambda game: [str(game.at.month)]),
    "players": (noted("Players"), lambda game: [str(game.played.players)]),
    "company": (noted("With"), lambda game: game.beside),
}
# A rule sheet belongs to a game, and a month to a year: another game or year clears the choice.
_CLEARS: Final = {"game": "sheet", "year": "month"}


class Filters:
    """The filters in an address, each with the values that were chosen.

    ``company`` can have several, ids of people who all played.
    """

    def __init__(self, args: MultiDict[str, str]) -> None:
        self.asked = {name: [*filter(None, args.getlist(name))] for name in _FILTERS}

    def apply(self, games: Sequence[Finished]) -> Sequence[Finished]:
        """Return the games that have all the chosen values."""
        for name, (_title, has) in _FILTERS.items():
            for asked in self.asked[name]:
                games = [game for game in games if asked in has(game)]
        return games

    def choice(self, label: str, name: str, value: str) -> tuple[str, str, bool]:
        """Return a choice: its label, its address, and whether it is chosen: a tap undoes that."""
        now = self.asked[name]
        others = [chosen for chosen in now if chosen != value] if name == "company" else []
        asked = {**self.asked, name: others if value in now else [*others, value]}
        if name in _CLEARS:
            asked[_CLEARS[name]] = []
        return label, "?" + urlencode(asked, doseq=True), value in now


def figures_context(
    person: Person, filters: Filters, games: Sequence[Finished], tables: Mapping[str, list[Played]]
) -> dict[str, Any]:
    """Return what the figures section shows of a person's ``games``, which pass the filters.

    ``tables`` have what every seat did in the latest of them, by the games' ids. Rates and pictures
    are there only with `FEWEST` games or more, and points only if all are of one kind.
    """
    games = games[::-1]
    seats = [game.played for game in games]
    kinds, enough = {seat.game for seat in seats}, len(games) >= FEWEST
    against, won = figures.versus(games, person.others), [seat.won for seat in seats]
    return {
        "filters": [*_filters(person.played, filters, person.others)],
        "is_filtered": any(filters.asked.values()),
        "number": len(games),
        "enough": enough,
        "mixed": len(kinds) > 1,
        "ranks": figures.ranks(Counter(map(attrgetter("place", "players"), seats))),
        "won": figures.streak(won),
        "lost": figures.streak(map(not_, won)),
        "rulings": [sum(seat.rulings[at] for seat in seats) for at in (0, 1)],
        "nemesis": figures.nemesis(against),
        "against": against,
        "hands": _hands(games, tables, enough) if len(kinds) == 1 else None,
    }


def _filters(
    games: Sequence[Finished], filters: Filters, people: Mapping[str, str]
) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """Yield the title and the choices of each filter, where there is anything to choose."""
    asked = filters.asked
    values = {name: {*chain.from_iterable(map(has, games))} for name, (_t, has) in _FILTERS.items()}
    kinds = [game_named(game_id) for game_id in sorted(values["game"])]
    sheets = [sheet for game in kinds if game.id in asked["game"] for sheet in game.sheets]
    months = {str(game.at.month): game.at for game in games if str(game.at.year) in asked["year"]}
    labels = {
        "game": {kind.id: kind.name for kind in kinds},
        "sheet": {sheet.id: sheet.title for sheet in sheets if sheet.id in values["sheet"]},
        "year": {year: year for year in sorted(values["year"], reverse=True)},
        "month": {month: day(months[month], "LLL") for month in sorted(months, key=int)},
        "players": {number: number for number in sorted(values["players"], key=int)},
        "company": {person: name for person, name in people.items() if person in values["company"]},
    }
    for name, (title, _has) in _FILTERS.items():
        if len(labels[name]) > (name != "company"):
            yield _(title), [filters.choice(says, name, one) for one, says in labels[name].items()]


def _hands(
    games: Sequence[Finished], tables: Mapping[str, list[Played]], enough: bool
) -> dict[str, Any]:
    """Return the figures of hands in games of one kind: counts, and more with enough games."""
    seats = [game.played for game in games]
    game = game_named(seats[0].game)
    points = Counter(chain.from_iterable(seat.points for seat in seats))
    titles = {charge.rule: f"{_(charge.title)} ({charge.rule})" for charge in game.charges}
    titles[""] = _("House penalties")
    penalties = sum((Counter(seat.penalties) for seat in seats), Counter[str]())
    shown: dict[str, Any] = {
        "word": game.hand_word,
        "title": _(game.hand_title),
        "of": hands_of(game, points.total()),
        # Where everybody shows a meld, nobody goes out (CHI-1).
        "out": None if game.judge.boxes else sum(len(seat.out) for seat in seats),
        "penalties": [
            [titles.get(rule, rule), times, *([decimal(times / len(seats))] if enough else [])]
            for rule, times in sorted(penalties.items())
        ],
    }
    if enough:
        latest = [game for game in games if game.id in tables]
        shown |= {
            # By the inclusive method the lowest hand is at 0 %, the highest at 100 %.
            "quartiles": [decimal(at) for at in quantiles(points.elements(), method="inclusive")],
            "records": _records(game, games),
            "labels": _labels(game, seats),
            "decided": Counter(map(attrgetter("decided"), seats)).most_common(),
            "totals": _totals(latest, tables),
            "totals_of": len(latest),
            "spread": _spread(points),
        }
    return shown


def _records(game: Game, games: Sequence[Finished]) -> list[tuple[str, str, str]]:
    """Return the best and the worst hand and game, and the largest comeback if there was one.

    Each has its points, when it was, and the address of its game.
    """
    hands = figures.records(games, lambda seat: seat.points)
    totals = figures.records(games, lambda seat: (seat.total,))
    comeback = figures.records(games, lambda seat: (seat.comeback,))[1]
    best = -1 if game.won_by.highest else 1  # records come with the least first
    records = [*hands[::best], *totals[::best], *([comeback] if comeback[0] else [])]
    return [
        (in_points(points), day(first.at), url_for("tally.show", game_id=first.id))
        for points, first in records
    ]


def _labels(game: Game, seats: Sequence[Played]) -> list[list[object]]:
    """Return how many hands had each wild rank, contract or box, and their mean points."""
    rules = [game.rules(game.house(), hand) for hand in range(1, game.hands + 1)]
    labels = {in_english(partial(getattr, one, "label")): one.label for one in rules}
    return [
        [labels.get(label) or _(label), len(points), decimal(fmean(points))]
        for label, points in figures.points_by_label(seats).items()
    ]


def _totals(games: Sequence[Finished], tables: Mapping[str, list[Played]]) -> Picture | None:
    """Return the running totals of a person beside those of everybody at the same tables."""
    own = figures.running_totals([game.played for game in games])
    every = figures.running_totals([seat for game in games for seat in tables[game.id]])
    if not own:
        return None
    totals = [*zip(own, every, strict=False)]  # a damaged seat may have more hands or fewer
    rows = [[str(at), *map(decimal, both)] for at, both in enumerate(totals, 1)]
    names = [_("Player"), _("Table")]
    return Picture(rows, running(names, [*zip(*totals, strict=True)], [row[0] for row in rows]))


def _spread(points: Counter[int]) -> Picture:
    """Return how many hands had points in each range; all ranges are equally wide."""
    first, second, *_others = nice_levels(max(points), min(points))
    step = second - first
    counts = Counter(number // step for number in points.elements())
    ranges = range(min(counts), max(counts) + 1)
    rows = [[f"{score(at * step)}–{score(at * step + step - 1)}", counts[at]] for at in ranges]
    return Picture(rows, bars=[counts[at] / max(counts.values()) for at in ranges])


# -- pictures of any page -------------------------------------------------------------------------

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
# The least distance between two labels, for the tall letters of Tamil too; with ten players all
# fit between TOP and BOTTOM.
LABEL_HEIGHT = 18
LONGEST_LABEL = 10
MOST_TICKS = 5
# Letters in all column heads of the heat map together; a name that is cut has a “…” besides.
MOST_LETTERS = 35


class Chart(NamedTuple):
    """A line chart over hands or games. ``hands`` and ``levels`` are places on the axes, labelled.

    A line has a label, its points, and the height of the label, which is moved where several lines
    end together. ``says`` tells in a sentence what the chart shows, if the page does not.
    """

    lines: Sequence[tuple[str, Sequence[tuple[float, float]], float]]
    hands: Sequence[tuple[float, str]]
    levels: Sequence[tuple[float, str]]
    says: str = ""


class Picture(NamedTuple):
    """A picture and the rows of its numbers: ``lines``, or a bar for each row, 0 to 1 high."""

    rows: Sequence[Sequence[object]]
    lines: Chart | None = None
    bars: Sequence[float] = ()


def chart(sheet: ScoreSheet) -> Chart:
    """Return the running totals after each marked hand as lines. At least one must be marked."""
    hands, highest = range(1, len(sheet.marked) + 1), sheet.game.won_by.highest
    totals = [[sheet.total(seat, through=hand) for hand in hands] for seat in sheet.players]
    ends = zip(sheet.names, (line[-1] for line in totals), strict=True)
    ranked = sorted(ends, key=itemgetter(1), reverse=highest)
    says = _(
        "Running totals after %(hand_word)s %(number)s: %(totals)s.",
        hand_word=sheet.game.hand_word,
        number=len(hands),
        totals=listed([f"{name} {score(end)}" for name, end in ranked], "standard-narrow"),
    )
    return running(sheet.names, totals, [*map(str, hands)])._replace(says=says)


def running(names: Sequence[str], totals: Sequence[Sequence[float]], hands: Sequence[str]) -> Chart:
    """Return a chart of the totals after each of the hands, from 0 on."""
    values = [[0, *line] for line in totals]
    levels = nice_levels(ceil(max(map(max, values))), floor(min(map(min, values))))
    return lines(names, values, [(at, score(at)) for at in levels], ["", *hands])


def lines(
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    levels: Sequence[tuple[int, str]],
    ticks: Sequence[str],
) -> Chart:
    """Return a chart with a line for each name; one with fewer values begins later.

    ``levels`` are values from the bottom to the top, with their labels; ``ticks`` are the labels
    below the points of the lines, from left to right.
    """
    across = [LEFT + (RIGHT - LEFT) * at / (len(ticks) - 1) for at in range(len(ticks))]
    bottom, top = levels[0][0], levels[-1][0]

    def height(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - bottom) / (top - bottom), 1)

    points = [[*zip(across[-len(line) :], map(height, line), strict=True)] for line in values]
    labels = label_heights([line[-1][1] for line in points])
    return Chart(
        lines=[*zip(map(shortened, names), points, labels, strict=True)],
        hands=[(at, text) for at, text in zip(across, ticks, strict=True) if text],
        levels=[(height(value), text) for value, text in levels],
    )


def nice_levels(highest: int, lowest: int) -> list[int]:
    """Return two to seven round numbers for an axis that holds ``lowest`` and ``highest``."""
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


def heat_map(sheet: ScoreSheet) -> tuple[list[str], list[list[tuple[str, int]]]]:
    """Return the names, and for each marked hand a row of points. One must be marked.

    Points come with their shade, from 0 for the fewest to 4 for the most.
    """
    points = [[hand.mark(seat).points for seat in sheet.players] for hand in sheet.marked]
    least, most = min(map(min, points)), max(map(max, points))
    shade = 4 / (most - least or 1)
    rows = [[(score(mark), round(shade * (mark - least))) for mark in row] for row in points]
    longest = max(2, MOST_LETTERS // len(sheet.names))
    return [shortened(name, longest) for name in sheet.names], rows


def label_heights(wanted: Sequence[float]) -> list[float]:
    """Return heights for labels, close to where they are wanted, so that none overlaps another."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    heights, least = [*wanted], 0.0
    for label in order:
        heights[label] = max(wanted[label], least)
        least = heights[label] + LABEL_HEIGHT
    for below, label in enumerate(reversed(order)):
        heights[label] = min(heights[label], BOTTOM - below * LABEL_HEIGHT)
    return heights


def shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    """Return a name cut to the width of ``longest`` Latin letters, never within a character.

    Letters of India and Sri Lanka are half as wide again, and those of East Asia twice as wide.
    """
    kept, width = "", 0.0
    for character in characters(name):
        width += 2 if unicodedata.east_asian_width(character[0]) in "WF" else 1
        width += 0.5 * ("\u0900" <= character[0] <= "\u0dff")
        if width > longest:
            return kept.rstrip() + "…"
        kept += character
    return name
