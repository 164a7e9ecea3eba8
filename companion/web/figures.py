"""What a person's page shows of what that person's games came to: filters, figures, pictures.

What is said of them is in templates/people/_figures.html.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import chain
from operator import attrgetter, not_
from statistics import fmean
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import flask_babel
from babel.dates import format_date
from babel.numbers import format_decimal
from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook import figures
from companion.notebook.describe import hands_of, in_points, score
from companion.notebook.figures import FEWEST, Finished, Played
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext as _, in_english
from companion.services.people import Person
from companion.web.chart import Picture, Rows, nice_levels, running
from companion.web.templating import ENGLISH

# The running totals are of so many of the latest games.
MOST_TABLES: Final = 50
# What each filter asks of a game, by the name that it has in an address.
_FITS: Final[Mapping[str, Callable[[Finished, str], bool]]] = {
    "game": lambda one, asked: one.played.game == asked,
    "sheet": lambda one, asked: one.played.sheet == asked,
    "year": lambda one, asked: str(one.at.year) == asked,
    "month": lambda one, asked: str(one.at.month) == asked,
    "players": lambda one, asked: str(one.played.players) == asked,
    "company": lambda one, asked: asked in one.beside,
}
# A rule sheet is of one game, and a month of one year: another choice of these leaves it open.
_NARROWER: Final = {"game": "sheet", "year": "month"}
_points: Final[Callable[[Played], Sequence[int]]] = attrgetter("points")


class Choice(NamedTuple):
    """One tap of a filter: what it says, where it leads, and whether it is chosen now."""

    label: str
    address: str
    is_chosen: bool


class Wanted:
    """The games that an address asks for, by the values that it has for the filters.

    Of ``company`` there can be several, ids of people who all sat there.
    """

    def __init__(self, args: MultiDict[str, str]) -> None:
        self.asked = {name: [*filter(None, args.getlist(name))] for name in _FITS}

    def of(self, games: Sequence[Finished]) -> Sequence[Finished]:
        """Return those of the games that are wanted."""
        for name, fits in _FITS.items():
            for asked in self.asked[name]:
                games = [one for one in games if fits(one, asked)]
        return games

    def choice(self, label: str, name: str, value: str) -> Choice:
        """Return the choice of a value, which leads to the games without it if it is chosen."""
        now = self.asked[name]
        others = [one for one in now if one != value] if name == "company" else []
        asked = {**self.asked, name: others if value in now else [*others, value]}
        if name in _NARROWER:
            asked[_NARROWER[name]] = []
        return Choice(label, "?" + urlencode(asked, doseq=True), value in now)


def figures_context(
    person: Person, wanted: Wanted, games: Sequence[Finished], tables: Mapping[str, list[Played]]
) -> dict[str, Any]:
    """Return what the section needs about a person with these games, the wanted ones.

    ``tables`` have what every seat did in the latest of them, by the games' ids. Rates and pictures
    come with enough games, and what is about points with games of one kind.
    """
    games = games[::-1]
    seats = [one.played for one in games]
    kinds, enough = {seat.game for seat in seats}, len(games) >= FEWEST
    against, won = figures.versus(games, person.others), [seat.won for seat in seats]
    return {
        "filters": [*_filters(person.played, wanted, person.others)],
        "is_filtered": any(wanted.asked.values()),
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
    games: Sequence[Finished], wanted: Wanted, people: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[Choice]]]:
    """Yield the title and the choices of each filter, where there is anything to choose."""
    kinds = [game_named(id_) for id_ in sorted({one.played.game for one in games})]
    sheets = [one for game in kinds if game.id in wanted.asked["game"] for one in game.sheets]
    played = {one.played.sheet for one in games}
    years = sorted({str(one.at.year) for one in games}, reverse=True)
    months = {one.at.month: one.at for one in games if str(one.at.year) in wanted.asked["year"]}
    numbers = sorted({one.played.players for one in games})
    met = {*chain.from_iterable(one.beside for one in games)}
    choices: list[tuple[str, str, Mapping[Any, str]]] = [
        (_("Game"), "game", {game.id: game.name for game in kinds}),
        (_("Rule sheet"), "sheet", {one.id: one.title for one in sheets if one.id in played}),
        (_("Year"), "year", {year: year for year in years}),
        (_("Month"), "month", {month: day(at, "LLL") for month, at in sorted(months.items())}),
        (_("Players"), "players", {number: str(number) for number in numbers}),
        (_("With"), "company", {one: name for one, name in people.items() if one in met}),
    ]
    for title, name, labels in choices:
        if len(labels) > (name != "company"):
            yield title, [wanted.choice(says, name, str(one)) for one, says in labels.items()]


# -- what games of one kind came to ---------------------------------------------------------------


def _hands(
    games: Sequence[Finished], tables: Mapping[str, list[Played]], enough: bool
) -> dict[str, Any]:
    """Return what the hands of games of one kind came to: counts, and more with enough games."""
    seats = [one.played for one in games]
    game, points = game_named(seats[0].game), Counter(chain.from_iterable(map(_points, seats)))
    titles = {one.rule: f"{_(one.title)} ({one.rule})" for one in game.charges}
    titles[""] = _("House penalties")
    penalties: Counter[str] = Counter()
    for seat in seats:
        for rule, times in seat.penalties.items():
            penalties[rule] += times
    shown = {
        "word": game.hand_word,
        "title": _(game.hand_title),
        "of": hands_of(game, points.total()),
        "out": sum(len(seat.out) for seat in seats),
        "penalties": [
            [titles.get(rule, rule), times, *([decimal(times / len(seats))] if enough else [])]
            for rule, times in sorted(penalties.items())
        ],
    }
    if enough:
        known = [one for one in games if one.id in tables]
        shown |= {
            "quartiles": [decimal(one) for one in figures.quartiles(points)],
            "records": _records(game, games),
            "labels": _labels(game, seats),
            "decided": Counter(map(attrgetter("decided"), seats)).most_common(),
            "totals": _totals(known, tables),
            "totals_of": len(known),
            "spread": _spread(points),
        }
    return shown


def _records(game: Game, games: Sequence[Finished]) -> list[tuple[str, str, str]]:
    """Return the best and the worst hand and game, and the largest comeback if there was one.

    Each has its points, when it was, and the address of its game.
    """
    hands = figures.records(games, _points)
    totals = figures.records(games, lambda seat: (seat.total,))
    comeback = figures.records(games, lambda seat: (seat.comeback,))[1]
    best = -1 if game.won_by.highest else 1  # the least comes first
    found = [*hands[::best], *totals[::best], *([comeback] if comeback[0] else [])]
    return [
        (in_points(points), day(first.at), url_for("tally.show", game_id=first.id))
        for points, first in found
    ]


def _labels(game: Game, seats: Sequence[Played]) -> Rows:
    """Return how many hands had each wild rank, contract or box, and their mean points."""
    rules = [game.rules(game.house(), hand) for hand in range(1, game.hands + 1)]
    labels = {in_english(partial(getattr, one, "label")): one.label for one in rules}
    return [
        [labels.get(label) or _(label), len(points), decimal(fmean(points))]
        for label, points in figures.points_by_label(seats).items()
    ]


# -- pictures -------------------------------------------------------------------------------------


def _totals(games: Sequence[Finished], tables: Mapping[str, list[Played]]) -> Picture | None:
    """Return the running totals of a person beside those of everybody at the same tables."""
    own = figures.running_totals([one.played for one in games])
    every = figures.running_totals([seat for one in games for seat in tables[one.id]])
    if not own:
        return None
    totals = [*zip(own, every, strict=False)]  # a damaged seat may have more hands or fewer
    rows = [[str(at), *map(decimal, both)] for at, both in enumerate(totals, 1)]
    names = [_("Player"), _("Table")]
    return Picture(rows, running(names, [*zip(*totals, strict=True)], [row[0] for row in rows]))


def _spread(points: Counter[int]) -> Picture:
    """Return how often a hand had points of each group, which are equally wide."""
    first, second, *_others = nice_levels(max(points), min(points))
    step = second - first
    counts: Counter[int] = Counter()
    for number, times in points.items():
        counts[number // step] += times
    groups = range(min(counts), max(counts) + 1)
    rows = [[f"{score(at * step)}–{score(at * step + step - 1)}", counts[at]] for at in groups]
    return Picture(rows, bars=[counts[at] / max(counts.values()) for at in groups])


# -- numbers and dates ----------------------------------------------------------------------------


def decimal(number: float | Fraction) -> str:
    """Return a number with at most two places behind the point: ``0.25``, ``−3.5``."""
    locale = flask_babel.get_locale() or ENGLISH
    return str(format_decimal(float(number), "0.##", locale)).replace("-", "−")


def day(at: date, pattern: str = "") -> str:
    """Return a day: ``5 Mar 2026``."""
    return format_date(at, pattern or _("d MMM y"), flask_babel.get_locale() or ENGLISH)
