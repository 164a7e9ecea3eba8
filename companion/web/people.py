"""The people of a notebook, who is who, and its seasons: lists, pages, and changing them.

A person's figures are in `companion.web.figures`. A season has a page for viewers too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME, LONGEST_TITLE, name_key
from companion.notebook.seasons import WHICH, Evening, Plan, Row, standings
from companion.rules.games import GAMES, game_named
from companion.rules.language import gettext as _
from companion.services import games, people, seasons
from companion.services.games import game_line
from companion.services.people import COLOURS, NEW
from companion.services.seasons import Season
from companion.services.tally import in_csv
from companion.store import SeasonRecord
from companion.web.actions import field_id
from companion.web.auth import database, notebook_marker
from companion.web.fields import Form, LineField, LinesField, TextsField, WordField, small_number
from companion.web.figures import Filters, Picture, figures_context, lines
from companion.web.pages import go_on, with_errors
from companion.web.tally import Settlement, download
from companion.web.templating import day
from companion.web.viewers import shown_by

bp = Blueprint("people", __name__)
seasons_bp = Blueprint("seasons", __name__)

# At most this many of the older games that were joined to people are listed.
MOST_JOINED: Final = 20
# The running totals are those of the latest games, at most this many.
MOST_TABLES: Final = 50
# The most evenings in the picture of a season (the latest), and the most people.
MOST_EVENINGS: Final = 20
MOST_LINES: Final = 7


class PeopleForm(Form):
    """Changes to people. Each page sends some of the fields; its button ``do`` says what to do.

    ``other`` is the id of a person to merge with, ``spelling`` a name to split off. ``person`` has
    a person's id for each seat of a game, or `NEW` for a new one, or empty for a guest.
    """

    do = WordField(("save", "merge", "part"), default="save")
    name = LineField()
    colour = WordField(COLOURS)
    hidden = BooleanField()
    other = LineField()
    spelling = LineField()
    person = LinesField()


bp.add_app_template_filter(game_line, "game_line")


@bp.route("/people", methods=["GET", "POST"])
def index() -> ResponseReturnValue:
    """List who is the best at a game, and everybody who has played, the most games first.

    Its form dismisses the note on how older games were joined to people.
    """
    if request.method == "POST":
        people.dismiss_joined(database(), notebook_marker())
        return redirect(url_for("people.index"), 303)
    found = people.people(database(), notebook_marker(), request.args.get("game", ""))
    choices = [(game, game_named(game).name, game == found.game) for game in found.games]
    return render_template(
        "people/index.html",
        found=found,
        most=MOST_JOINED,
        best_at=game_named(found.game).name if found.game else "",
        choices=choices if len(choices) > 1 else (),
    )


@bp.get("/people/<person_id>")
def show(person_id: str) -> ResponseReturnValue:
    """Show a person, and the figures of their games."""
    person, filters = people.person(database(), notebook_marker(), person_id), Filters(request.args)
    played = filters.apply(person.played)
    tables = people.played_in(database(), [game.id for game in played[:MOST_TABLES]])
    record, names = person.record, person.names
    figures = None if record.hidden else figures_context(person, filters, played, tables)
    return render_template("people/show.html", person=record, names=names, figures=figures)


# -- changing who is who --------------------------------------------------------------------------


@bp.route("/people/<person_id>/change", methods=["GET", "POST"])
def change(person_id: str) -> ResponseReturnValue:
    """Change a person's name and colour, merge two people, split one in two, or hide one."""
    writer, errors = notebook_marker(), []
    if request.method == "POST":
        try:
            return _changed(person_id, PeopleForm(request.form))
        except NotPossible as problem:
            errors = [(field_id(problem), str(problem))]
    person, known = people.person(database(), writer, person_id), people.people(database(), writer)
    form = PeopleForm(request.form or None, obj=person.record)
    if form.do.data != "save":
        form.hidden.data = person.record.hidden
    return with_errors(
        "people/change.html",
        errors,
        person=person.record,
        names=[name for name in person.names if name_key(name) != name_key(person.record.name)],
        others=[(other.id, other.name) for other in known.everybody if other.id != person_id],
        form=form,
        longest=LONGEST_NAME,
    )


def _changed(person_id: str, form: PeopleForm) -> ResponseReturnValue:
    """Do what the tapped button says. Raises `NotFound` and `NotPossible`."""
    db, writer, done = database(), notebook_marker(), _("The changes are saved.")
    if form.do.data == "merge":
        name = people.merge(db, writer, person_id, form.other.data)
        done = _("%(name)s's games now belong to this person.", name=name)
    elif form.do.data == "part":
        person_id = people.split_off(db, writer, person_id, form.spelling.data)
        done = _("%(name)s is now a separate person.", name=form.spelling.data)
    else:
        name, colour, hidden = form.name.data, form.colour.data, form.hidden.data
        people.change(db, writer, person_id, name, colour, hidden=hidden)
    return go_on(done, url_for("people.show", person_id=person_id))


@bp.route("/games/<game_id>/people", methods=["GET", "POST"])
def seats(game_id: str) -> ResponseReturnValue:
    """Say who sat in each seat of a game: a known person, a new one, or a guest."""
    writer, errors, given = notebook_marker(), [], PeopleForm(request.form).person.data
    if request.method == "POST":
        try:
            people.give_seats(database(), writer, game_id, given)
            return go_on(_("The players are saved."), url_for("people.seats", game_id=game_id))
        except NotPossible as problem:
            errors = [(field_id(problem), str(problem))]
    game, rows, known = people.seats_at(database(), writer, game_id)
    if len(given) != len(rows):
        given = [row.person_id or "" for row in rows]
    choices = [(one.id, one.name) for one in known]
    return with_errors(
        "people/seats.html",
        errors,
        of=game,
        seats=[(row.name, whose) for row, whose in zip(rows, given, strict=True)],
        choices=[*choices, (NEW, _("A new person")), ("", _("A guest, counted for nobody"))],
    )


# -- seasons: made and changed ---------------------------------------------------------------------


class SeasonForm(Form):
    """What a season is called, which games are in it, and how it is scored.

    With nobody ``chosen``, everybody is in it; without ``points`` for places, marks are added up;
    without ``best``, all evenings count. Numbers can be in digits of any script.
    """

    _digits = (lambda text: re.sub(r"\d", lambda found: str(int(found[0])), text),)
    name = LineField()
    game = LineField()
    first_day = LineField(name="first")
    last_day = LineField(name="last")
    chosen = TextsField(most=1000, longest=40, name="people")
    games = WordField(WHICH, default="all")
    points = LineField(filters=_digits)
    ties = WordField(("shared", "full"), default="shared")
    best = LineField(filters=_digits)

    def plan(self) -> Plan:
        """Return how the season is scored. Raises `NotPossible` for a field that cannot be read."""
        points = re.findall(r"[^\s,;]+", self.points.data)
        best, last_day = self.best.data or 0, self.last_day.data or None
        return seasons.read_plan(self.data | {"points": points, "best": best, "last_day": last_day})


@seasons_bp.get("/seasons", endpoint="index")
def season_list() -> ResponseReturnValue:
    """List the seasons of the notebook, the one that began last first."""
    every = seasons.seasons(database(), notebook_marker())
    shown = [(one.id, one.name, game_days(one) if seasons.plan_of(one) else "") for one in every]
    return render_template("seasons/index.html", lines=shown)


@seasons_bp.route("/seasons/new", methods=["GET", "POST"], endpoint="new")
def new_season() -> ResponseReturnValue:
    """Make a season; its form begins with the game played last, and the first of January."""
    kept = games.lines(database(), notebook_marker()).lines
    game = next((line.game for line in kept if not line.damaged), "")
    first_day = date(datetime.now(UTC).astimezone().year, 1, 1)
    form = SeasonForm(request.form or None, game=game, first_day=first_day, points="5 3 2 1")
    return _edit_season(form)


@seasons_bp.route("/seasons/<season_id>/change", methods=["GET", "POST"], endpoint="change")
def change_season(season_id: str) -> ResponseReturnValue:
    """Change a season: its name, days and people, and how it is scored."""
    record = seasons.season(database(), notebook_marker(), season_id).record
    chosen = [person.id for person in record.people]
    return _edit_season(SeasonForm(request.form or None, obj=record, chosen=chosen), season_id)


def _edit_season(form: SeasonForm, season_id: str = "") -> ResponseReturnValue:
    """Return the page with the form of a season, or save what was entered."""
    writer, errors = notebook_marker(), []
    if request.method == "POST":
        try:
            saved = seasons.save(database(), writer, form.plan(), form.chosen.data, season_id)
            return go_on(_("The season is saved."), url_for("seasons.show", season_id=saved))
        except NotPossible as problem:
            errors = [(problem.field, str(problem))]
    known = people.people(database(), writer).everybody
    return with_errors(
        "seasons/form.html",
        errors,
        form=form,
        season_id=season_id,
        kinds=[(game.id, game.name) for game in GAMES.values()],
        # Hidden people are listed only if they were chosen before.
        known=[(one.id, one.name) for one in known if not one.hidden or one.id in form.chosen.data],
        longest=LONGEST_TITLE,
    )


@seasons_bp.post("/seasons/<season_id>/delete", endpoint="delete")
def delete_season(season_id: str) -> ResponseReturnValue:
    """Delete a season; its games stay."""
    seasons.delete(database(), notebook_marker(), season_id)
    return go_on(_("The season is deleted."), url_for("seasons.index"))


@seasons_bp.post("/seasons/<season_id>/link")
def change_link(season_id: str) -> ResponseReturnValue:
    """Give a season another viewers' link; the old one stops working."""
    seasons.change_link(database(), notebook_marker(), season_id, request.form.get("old", ""))
    done = _("The link is changed. Send the new one to those who may watch.")
    return go_on(done, url_for("seasons.show", season_id=season_id))


# -- a season, for markers and for viewers ---------------------------------------------------------


def _season(season_id: str, key: str) -> Season:
    """Return a season of the notebook, or the one that a viewers' key shows."""
    if key:
        return shown_by(seasons.season_for_viewer, key)
    return seasons.season(database(), notebook_marker(), season_id)


@seasons_bp.get("/seasons/<season_id>", endpoint="show")
@seasons_bp.get("/s/<key>", endpoint="viewed")
def show_season(season_id: str = "", key: str = "") -> ResponseReturnValue:
    """Show a season after the evening that the address names, or the last one.

    A marker also sees who owes whom, and the viewers' link.
    """
    season = _season(season_id, key)
    every, plan, record = season.evenings, season.plan, season.record
    asked = request.args.get("after", 0, type=small_number)
    number = asked if 1 <= asked <= len(every) else len(every)
    evenings, rows = every[:number], standings(plan, every[:number])
    settled = None
    if rows and not key:
        results = [(row.name, row.total.points, row.place) for row in rows]
        settled = Settlement(request.args, results, highest_wins=plan.highest_wins)
    return render_template(
        "seasons/show.html",
        season=record,
        which=game_days(record),
        plan=plan,
        number=number,
        days=[day(at) for at, _results in every],
        standings=rows,
        places=[row.place for row in rows],
        drawn=_picture(plan, evenings, rows[:MOST_LINES]) if number > 1 else None,
        settled=settled,
        address=url_for("seasons.viewed", key=record.viewer_key, _external=True),
        viewer_key=key,
    )


def _picture(plan: Plan, evenings: Sequence[Evening], rows: Sequence[Row]) -> Picture:
    """Return the places after each of the latest evenings; latecomers' lines begin later."""
    latest = range(len(evenings))[-MOST_EVENINGS:]
    days = [day(evenings[at][0]) for at in latest]
    after = [{row.name: row.place for row in standings(plan, evenings[: at + 1])} for at in latest]
    places = [[place_of.get(row.name) for place_of in after] for row in rows]
    drawn = [[*filter(None, line)] for line in places]
    levels = [(place, str(place)) for place in range(max(2, *map(max, drawn)), 0, -1)]
    ticks = [days[0], *[""] * (len(days) - 2), days[-1]]
    table = [[one, *(at or "–" for at in row)] for one, *row in zip(days, *places, strict=True)]
    return Picture(table, lines([row.name for row in rows], drawn, levels, ticks))


def game_days(record: SeasonRecord) -> str:
    """Return the game and the days of a season: ``Proter · 1 Jan 2026 – 31 Dec 2026``."""
    days = _("from %(day)s", day=day(record.first_day))
    if record.last_day:
        days = f"{day(record.first_day)} – {day(record.last_day)}"
    return f"{game_named(record.game).name} · {days}"


@seasons_bp.get("/seasons/<season_id>/season.csv")
@seasons_bp.get("/s/<key>/season.csv", endpoint="viewed_spreadsheet")
def spreadsheet(season_id: str = "", key: str = "") -> ResponseReturnValue:
    """Return the standings as CSV, with each evening's points beside them."""
    season = _season(season_id, key)
    days = [str(at) for at, _results in season.evenings]
    head = [_("Place"), _("Player"), _("Points"), _("Evenings"), _("Games"), _("Won"), *days]
    rows: list[Sequence[str | float]] = [head]
    for row in standings(season.plan, season.evenings):
        came = [_rounded(result[0]) if result else "" for result in row.results]
        points, played, wins = row.total
        rows.append([row.place, row.name, _rounded(points), row.evenings, played, wins, *came])
    name, begun = season.record.name, str(season.plan.first_day)
    return download("\ufeff" + in_csv(rows), "text/csv", name, begun)


def _rounded(points: Fraction) -> float:
    """Return points to at most two places, without any if they are whole."""
    return int(points) if points.denominator == 1 else round(float(points), 2)
