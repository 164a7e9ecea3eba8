"""Seasons: the list, making and changing one, and its page for markers and for viewers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_TITLE
from companion.notebook.seasons import TIES, WHICH, Evening, Plan, Row, highest_wins, standings
from companion.rules.games import GAMES, game_named
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.services import games, people, seasons
from companion.services.seasons import Season
from companion.services.tally import in_csv
from companion.store import SeasonRecord
from companion.web.actions import Errors
from companion.web.auth import database, notebook_marker
from companion.web.chart import Choice, Picture, Table, ladder
from companion.web.fields import (
    LONGEST_NUMBER,
    Form,
    LineField,
    TextsField,
    WordField,
    small_number,
)
from companion.web.figures import day, decimal
from companion.web.pages import go_on
from companion.web.tally import download, file_name, settlement
from companion.web.viewers import NothingShown, nothing_shown, shown_by

bp = Blueprint("seasons", __name__)
bp.register_error_handler(NothingShown, nothing_shown)

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
# The points for places of a season, unless other ones are entered.
POINTS: Final = "5 3 2 1"
_MOST_PEOPLE: Final = 1000
_LONGEST_ID: Final = 40


class SeasonForm(Form):
    """What a season is called, which games are in it, and how it is scored.

    With nobody ``chosen`` it is everybody, ``best`` left empty is all evenings.
    """

    name = LineField()
    game = LineField()
    first_day = LineField(name="first")
    last_day = LineField(name="last")
    chosen = TextsField(_MOST_PEOPLE, _LONGEST_ID, name="people")
    games = WordField(WHICH, default="all")
    by = WordField(("places", "marks"), default="places")
    points = LineField(default=POINTS)
    ties = WordField(TIES, default="shared")
    best = LineField()

    @classmethod
    def of(cls, season: Season) -> SeasonForm:
        """Return the form of a season as it is."""
        chosen = [one.id for one in season.record.people]
        by = "places" if season.plan.points else "marks"
        form = cls(obj=season.record, chosen=chosen, by=by)
        form.points.data = season.record.points or POINTS
        return form

    def plan(self) -> Plan:
        """Return how the season is scored. Raises `NotPossible` for what cannot be read."""
        is_for_places = self.by.data == "places"
        texts = re.findall(r"[^\s,;]+", self.points.data) if is_for_places else []
        if is_for_places and not texts:
            raise NotPossible("Enter the points, starting with the first place.", "points")
        return Plan(
            name=self.name.data,
            game=self.game.data,
            games=self.games.data,
            points=tuple(_whole(text, "points") for text in texts),
            ties=self.ties.data,
            best=_whole(self.best.data, "best") if self.best.data else 0,
            first_day=_day(self.first_day.data, "first"),
            last_day=_day(self.last_day.data, "last") if self.last_day.data else None,
        )


def _whole(text: str, field: str) -> int:
    if not re.fullmatch(r"[-−]?\d+", text):
        raise NotPossible("“%(text)s” is not a whole number.", field, text=text[:20])
    # So many digits are too many, and said to be.
    return int(text.replace("−", "-")[:LONGEST_NUMBER])


def _day(text: str, field: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotPossible("Enter the day as in 2026-01-31.", field) from None


# -- the list, making and changing ----------------------------------------------------------------


@bp.get("/seasons")
def index() -> ResponseReturnValue:
    """The seasons of the notebook, the one that began last first."""
    found = seasons.seasons(database(), notebook_marker())
    lines_of = [(one.id, one.name, "" if seasons.is_damaged(one) else which(one)) for one in found]
    return render_template("seasons/index.html", lines=lines_of)


@bp.get("/seasons/new")
def new() -> ResponseReturnValue:
    """Make a season, of what was played last, from the first of January on."""
    kept = games.lines(database(), notebook_marker()).lines
    game = next((one.game for one in kept if not one.damaged), "")
    year = datetime.now(UTC).astimezone().year
    return _form_page(SeasonForm(game=game, first_day=date(year, 1, 1)))


@bp.post("/seasons/new")
def add() -> ResponseReturnValue:
    """Make a season."""
    form = SeasonForm(request.form)
    made = seasons.save(database(), notebook_marker(), form.plan(), form.chosen.data)
    return redirect(url_for("seasons.show", season_id=made), 303)


@bp.errorhandler(NotPossible)
def _refused(problem: NotPossible) -> ResponseReturnValue:
    """Show the form again with what cannot be."""
    season_id = (request.view_args or {}).get("season_id", "")
    return _form_page(SeasonForm(request.form), season_id, [(problem.field, str(problem))]), 422


@bp.get("/seasons/<season_id>/change")
def change_form(season_id: str) -> ResponseReturnValue:
    """Change a season: its name, days and people, and how it is scored."""
    found = seasons.season(database(), notebook_marker(), season_id)
    return _form_page(SeasonForm.of(found), season_id)


@bp.post("/seasons/<season_id>/change")
def change(season_id: str) -> ResponseReturnValue:
    """Score a season otherwise, or among others."""
    form, writer = SeasonForm(request.form), notebook_marker()
    seasons.record_of(database(), writer, season_id)  # a bad id is no mistake in the form
    seasons.save(database(), writer, form.plan(), form.chosen.data, season_id)
    return go_on(_("The changes are saved."), url_for("seasons.show", season_id=season_id))


def _form_page(form: SeasonForm, season_id: str = "", errors: Errors | None = None) -> str:
    everybody = people.people(database(), notebook_marker())
    # Who is hidden is named only where they were chosen.
    known = [*everybody.shown, *(one for one in everybody.hidden if one.id in form.chosen.data)]
    return render_template(
        "seasons/form.html",
        form=form,
        season_id=season_id,
        errors=errors or [],
        kinds=[(one.id, one.name) for one in GAMES.values()],
        known=[(one.id, one.name) for one in known],
        which=[(word, _(says)) for word, says in COUNT.items()],
        ties=[(word, _(says)) for word, says in SHARE.items()],
        longest=LONGEST_TITLE,
    )


@bp.get("/seasons/<season_id>/delete")
def ask_delete(season_id: str) -> str:
    """Ask before a season is deleted."""
    found = seasons.record_of(database(), notebook_marker(), season_id)
    return render_template(
        "plain.html",
        title=_("Delete?"),
        heading=_("Delete this season?"),
        address=url_for("seasons.delete", season_id=season_id),
        hidden=[("sure", "1")],
        lead=Markup("<bdi>{}</bdi>").format(found.name),
        says=[_("Its link shows nothing any more. The games stay. It cannot be restored.")],
        links=[(_("Keep it"), url_for("seasons.show", season_id=season_id), "quiet")],
        button=_("Delete"),
        button_look="danger",
    )


@bp.post("/seasons/<season_id>/delete")
def delete(season_id: str) -> ResponseReturnValue:
    """Delete a season, if that was confirmed; its games stay."""
    if "sure" not in request.form:
        return ask_delete(season_id), 422
    seasons.delete(database(), notebook_marker(), season_id)
    return go_on(_("The season is deleted."), url_for("seasons.index"))


@bp.post("/seasons/<season_id>/link")
def change_link(season_id: str) -> ResponseReturnValue:
    """Give a season another viewers' link; who has the old one sees nothing any more."""
    seasons.change_link(database(), notebook_marker(), season_id, request.form.get("old", ""))
    done = _("The link is changed. Send the new one to those who may watch.")
    return go_on(done, url_for("seasons.show", season_id=season_id))


# -- a season, for markers and for viewers ---------------------------------------------------------


@bp.get("/seasons/<season_id>")
def show(season_id: str) -> ResponseReturnValue:
    """A season: who stands where after each evening, who owes whom, and the viewers' link."""
    return _page(seasons.season(database(), notebook_marker(), season_id))


@bp.get("/s/<key>")
def viewed(key: str) -> ResponseReturnValue:
    """A season for those who watch: that one, and nothing else."""
    return _page(shown_by(seasons.season_for_viewer, key), key)


@bp.get("/seasons/<season_id>/season.csv")
def spreadsheet(season_id: str) -> ResponseReturnValue:
    """The season for a spreadsheet."""
    return _spreadsheet(seasons.season(database(), notebook_marker(), season_id))


@bp.get("/s/<key>/season.csv")
def viewed_spreadsheet(key: str) -> ResponseReturnValue:
    """The season for a spreadsheet, for those who watch."""
    return _spreadsheet(shown_by(seasons.season_for_viewer, key))


def _page(season: Season, viewer_key: str = "") -> str:
    """Return the page of a season after the evening that the address names, or the last one.

    Beside each row of the standings is whether its place is shared, and its points as people write
    them. The evenings to choose from come the newest first.
    """
    every, plan = season.evenings, season.plan
    asked = request.args.get("after", 0, type=small_number)
    number = asked if 1 <= asked <= len(every) else len(every)
    found, rows = every[:number], standings(plan, every[:number])
    places, settled = [row.place for row in rows], None
    if rows and not viewer_key:
        results = [(row.name, row.points, row.place) for row in rows]
        settled = settlement(request.args, results, highest_wins=highest_wins(plan))
    pattern = _("d MMM y") if len({one.day.year for one in every}) > 1 else _("d MMM")
    choices = [
        Choice(day(one.day, pattern), f"?after={at}", at == number)
        for at, one in enumerate(every, 1)
    ][::-1]
    return render_template(
        "seasons/show.html",
        season=season.record,
        which=which(season.record),
        says=_scoring(plan),
        number=number,
        after=day(found[-1].day) if found else "",
        latest=choices[:MOST_CHOICES],
        earlier=choices[MOST_CHOICES:],
        standings=[(row, places.count(row.place) > 1, decimal(row.points)) for row in rows],
        evenings=_evenings(found, rows),
        is_wide=len(rows) > MOST_COLUMNS,
        drawn=_picture(plan, found, rows) if len(found) > 1 else None,
        settled=settled,
        address=url_for("seasons.viewed", key=season.record.viewer_key, _external=True),
        viewer_key=viewer_key,
        **({"messages": ()} if viewer_key else {}),  # those are for markers
    )


def _scoring(plan: Plan) -> str:
    """Return how a season is scored, in sentences."""
    if plan.points:
        points = listed(map(str, plan.points), "standard-narrow")
        says = [_("Points for places: %(points)s.", points=points), _(SHARE[plan.ties])]
    elif highest_wins(plan):
        says = [_("The highest sum of marks comes first.")]
    else:
        says = [_("Most games come first, then the lowest sum of marks.")]
    best = _("All evenings count.")
    if plan.best:
        best = ngettext(
            "The best evening of each player counts.",
            "The best %(number)s evenings of each player count.",
            plan.best,
        )
    equal = _("Of equal players, the one who won more games comes first.")
    return " ".join([*says, _(COUNT[plan.games]), best, equal])


def _evenings(found: Sequence[Evening], rows: Sequence[Row]) -> Table:
    """Return what everybody got on each evening, in brackets what does not count."""

    def cell(result: tuple[Fraction, bool] | None) -> str:
        if result is None:
            return "–"
        return decimal(result[0]) if result[1] else f"({decimal(result[0])})"

    counts = all(one[1] for row in rows for one in row.results if one)
    return Table(
        _("Evenings"),
        "",
        "" if counts else _("Results in brackets do not count."),
        [_("Evening"), *(row.name for row in rows)],
        [[day(one.day), *(cell(row.results[at]) for row in rows)] for at, one in enumerate(found)],
    )


def _picture(plan: Plan, found: Sequence[Evening], rows: Sequence[Row]) -> Picture:
    """Return the places after each of the latest evenings; a line begins when somebody comes in."""
    days = [day(one.day, _("d MMM")) for one in found][-MOST_EVENINGS:]
    after = [
        {row.person_id: row.place for row in standings(plan, found[: number + 1])}
        for number in range(len(found))[-MOST_EVENINGS:]
    ]
    says = _("The place in the standings after each evening, the newest at the right.")
    if len(rows) > MOST_LINES:
        says += " " + _("It has the first %(most)s people.", most=MOST_LINES)
    table = Table(
        _("Places"),
        "",
        says,
        [_("Evening"), *(row.name for row in rows)],
        [
            [tick, *(str(places.get(row.person_id, "–")) for row in rows)]
            for tick, places in zip(days, after, strict=True)
        ],
    )
    drawn = rows[:MOST_LINES]
    values = [
        [places[row.person_id] for places in after if row.person_id in places] for row in drawn
    ]
    last = max(2, *map(max, values))
    return Picture(table, ladder([row.name for row in drawn], values, last, days))


def which(record: SeasonRecord) -> str:
    """Return the game and the days of a season: ``Proter · 1 Jan 2026 – 31 Dec 2026``."""
    days = _("from %(day)s", day=day(record.first_day))
    if record.last_day:
        days = f"{day(record.first_day)} – {day(record.last_day)}"
    return f"{game_named(record.game).name} · {days}"


def _spreadsheet(season: Season) -> Response:
    name = f"{file_name(season.record.name, str(season.plan.first_day))}.csv"
    return download("\ufeff" + in_csv(_rows(season)), "text/csv", name)


def _rows(season: Season) -> Iterator[Sequence[str | float]]:
    """Yield the rows of a spreadsheet with the standings, and every evening's results."""
    rows = standings(season.plan, season.evenings)
    yield [_("Place"), _("Player"), _("Points"), _("Evenings"), _("Games"), _("Won")]
    for row in rows:
        yield [row.place, row.name, _rounded(row.points), row.evenings, row.games, row.wins]
    yield []
    yield [_("Evening"), _("Player"), _("Points"), _("Counts")]
    for at, one in enumerate(season.evenings):
        for row in rows:
            if result := row.results[at]:
                points, counts = result
                yield [str(one.day), row.name, _rounded(points), _("yes") if counts else _("no")]


def _rounded(points: Fraction) -> float:
    """Return points to at most two places, without any if they are whole."""
    return int(points) if points.denominator == 1 else round(float(points), 2)
