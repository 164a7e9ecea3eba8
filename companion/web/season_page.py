"""What the page of a season shows, and its spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from companion.notebook.seasons import Evening, Plan, Row, highest_wins
from companion.rules.games import game_named
from companion.rules.language import gettext as _
from companion.rules.language import ngettext, noted
from companion.services.seasons import Season
from companion.services.tally import in_csv
from companion.store import SeasonRecord
from companion.web.chart import lines
from companion.web.figures import Choice, Picture, Table, day, decimal

# So many of the latest evenings are there to choose from; those before are one tap further.
MOST_CHOICES: Final = 12
# The picture has so many of the latest evenings, and the lines of so many people.
MOST_EVENINGS: Final = 20
MOST_LINES: Final = 7
# With more people than this, the table of evenings is wider than a phone.
MOST_COLUMNS: Final = 8
# The choices of how a season is scored: what the form and the page say of each.
COUNT: Final[Mapping[str, str]] = {
    "all": noted("All games of an evening count."),
    "first": noted("The first game of an evening counts."),
    "last": noted("The last game of an evening counts."),
}
SHARE: Final[Mapping[str, str]] = {
    "shared": noted("Players who tie share the points of their places."),
    "full": noted("Players who tie each get the points of their place."),
}


@dataclass(frozen=True, slots=True)
class SeasonPage:
    """A season after one of its evenings: the standings, and all that led to them.

    ``says`` is how it is scored, ``after`` the day of the evening. ``latest`` and ``earlier`` are
    the evenings to choose from, the newest first. Beside each row of the standings is whether its
    place is shared, and its points as people write them.
    """

    name: str
    which: str
    says: str
    after: str
    latest: Sequence[Choice]
    earlier: Sequence[Choice]
    standings: Sequence[tuple[Row, bool, str]]
    evenings: Table
    is_wide: bool
    picture: Picture | None


def season_page(season: Season, number: int) -> SeasonPage:
    """Return the page of a season after the evening of that number, from 1; 0 if there is none."""
    every = season.evenings
    found = every[:number]
    standings = found[-1].standings if found else ()
    places = [row.place for row in standings]
    pattern = _("d MMM")
    if len({one.day.year for one in every}) > 1:
        pattern = _("d MMM y")
    choices = [
        Choice(day(one.day, pattern), f"?after={at}", at == number)
        for at, one in enumerate(every, 1)
    ][::-1]
    return SeasonPage(
        season.record.name,
        which(season.record),
        _scoring(season.plan),
        day(found[-1].day) if found else "",
        choices[:MOST_CHOICES],
        choices[MOST_CHOICES:],
        [(row, places.count(row.place) > 1, _number(row.points)) for row in standings],
        _evenings(found),
        len(standings) > MOST_COLUMNS,
        _picture(found[-MOST_EVENINGS:]) if len(found) > 1 else None,
    )


def _scoring(plan: Plan) -> str:
    """Return how a season is scored, in sentences."""
    if plan.points:
        points = ", ".join(map(str, plan.points))
        says = [_("Points for places: %(points)s.", points=points), _(SHARE[plan.ties])]
    elif highest_wins(plan):
        says = [_("The highest sum of marks comes first.")]
    else:
        says = [_("Who played the most games comes first, then the lowest sum of marks.")]
    best = _("All evenings count.")
    if plan.best:
        best = ngettext(
            "The best evening of each one counts.",
            "The best %(number)s evenings of each one count.",
            plan.best,
        )
    equal = _("If players are equal, more games won decide.")
    return " ".join([*says, _(COUNT[plan.games]), best, equal])


def _number(points: Fraction) -> str:
    return decimal(float(points))


def _evenings(found: Sequence[Evening]) -> Table:
    """Return what everybody got on each evening, in brackets what does not count."""
    standings = found[-1].standings if found else ()

    def cell(result: tuple[Fraction, bool] | None) -> str:
        if result is None:
            return "–"
        return _number(result[0]) if result[1] else f"({_number(result[0])})"

    counts = all(one[1] for row in standings for one in row.results if one)
    says = "" if counts else _("Results in brackets do not count.")
    return Table(
        _("Evenings"),
        "",
        says,
        [_("Evening"), *(row.name for row in standings)],
        [
            [day(one.day), *(cell(row.results[at]) for row in standings)]
            for at, one in enumerate(found)
        ],
    )


def _picture(found: Sequence[Evening]) -> Picture:
    """Return the places after each evening; a line begins when somebody comes in."""
    standings = found[-1].standings
    after = [{row.person_id: row.place for row in one.standings} for one in found]
    ticks = [day(one.day, _("d MMM")) for one in found]
    table = Table(
        _("Places"),
        "",
        _("The place in the standings after each evening, the newest at the right."),
        [_("Evening"), *(row.name for row in standings)],
        [
            [tick, *(str(places.get(row.person_id, "–")) for row in standings)]
            for tick, places in zip(ticks, after, strict=True)
        ],
    )
    says = table.says
    if len(standings) > MOST_LINES:
        says += " " + _("It has the first %(most)s people.", most=MOST_LINES)
    drawn = standings[:MOST_LINES]
    values = [
        [places[row.person_id] for places in after if row.person_id in places] for row in drawn
    ]
    levels = [(place, str(place)) for place in range(max(2, *map(max, values)), 0, -1)]
    between = [""] * (len(ticks) - 2)
    names = [row.name for row in drawn]
    shown = lines(names, values, levels, [ticks[0], *between, ticks[-1]], says)
    return Picture(table._replace(says=says), shown)


def which(record: SeasonRecord) -> str:
    """Return the game and the days of a season: ``Proter · 1 Jan 2026 – 31 Dec 2026``."""
    days = _("from %(day)s", day=day(record.first_day))
    if record.last_day:
        days = f"{day(record.first_day)} – {day(record.last_day)}"
    return f"{game_named(record.game).name} · {days}"


def as_csv(season: Season) -> str:
    """Return the standings and every evening's results as CSV by RFC 4180."""
    return in_csv(_rows(season))


def _rows(season: Season) -> Iterator[Sequence[str | float]]:
    standings = season.evenings[-1].standings if season.evenings else ()
    yield [_("Place"), _("Player"), _("Points"), _("Evenings"), _("Games"), _("Won")]
    for row in standings:
        yield [row.place, row.name, _rounded(row.points), row.evenings, row.games, row.wins]
    yield []
    yield [_("Evening"), _("Player"), _("Points"), _("Counts")]
    for at, one in enumerate(season.evenings):
        for row in standings:
            result = row.results[at]
            if result is not None:
                answer = _("yes") if result[1] else _("no")
                yield [str(one.day), row.name, _rounded(result[0]), answer]


def _rounded(points: Fraction) -> float:
    """Return points to at most two places, without any if they are whole."""
    return int(points) if points.denominator == 1 else round(float(points), 2)
