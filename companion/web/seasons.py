"""Seasons: the list, making and changing one, and its page for markers and for viewers."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_TITLE
from companion.notebook.seasons import TIES, WHICH, Plan, highest_wins
from companion.rules.games import GAMES
from companion.rules.language import gettext as _
from companion.services import games, people, seasons
from companion.services.seasons import Season
from companion.web.actions import Errors, field_id
from companion.web.auth import database, notebook_marker
from companion.web.fields import (
    LONGEST_NUMBER,
    Form,
    LineField,
    NumberField,
    TextsField,
    WordField,
    small_number,
)
from companion.web.season_page import COUNT, SHARE, as_csv, season_page, which
from companion.web.settings import settings
from companion.web.settlement import Result, settlement
from companion.web.tally import download, file_name
from companion.web.viewers import NothingShown, nothing_shown, shown_by

bp = Blueprint("seasons", __name__)
bp.register_error_handler(NothingShown, nothing_shown)

# The points for places of a season, unless other ones are entered.
POINTS: Final = "5 3 2 1"
_MOST_PEOPLE: Final = 1000
_LONGEST_ID: Final = 40


class SeasonForm(Form):
    """What a season is called, which games are in it, and how it is scored.

    No ``people`` are everybody, ``best`` left empty is all evenings.
    """

    name = LineField()
    game = LineField()
    first = LineField()
    last = LineField()
    people = TextsField(_MOST_PEOPLE, _LONGEST_ID)
    games = WordField(WHICH, default="all")
    by = WordField(("places", "marks"), default="places")
    points = LineField(default=POINTS)
    ties = WordField(TIES, default="shared")
    best = NumberField()

    @classmethod
    def of(cls, season: Season) -> SeasonForm:
        """Return the form of a season as it is."""
        plan = season.plan
        return cls(
            name=plan.name,
            game=plan.game,
            first=str(plan.first),
            last=str(plan.last or ""),
            people=[person_id for person_id, _name in season.people],
            games=plan.games,
            by="places" if plan.points else "marks",
            points=" ".join(map(str, plan.points)) or POINTS,
            ties=plan.ties,
            best=plan.best or None,
        )

    def plan(self) -> Plan:
        """Return how the season is scored. Raises `NotPossible` for what cannot be read."""
        points: list[int] = []
        if self.by.data == "places":
            points = [_points(text) for text in re.split(r"[\s,;]+", self.points.data) if text]
            if not points:
                raise NotPossible("Enter the points, those of the first place first.", "points")
        if self.best.entered and self.best.data is None:
            text = self.best.entered[:20]
            raise NotPossible("“%(text)s” is no whole number.", "best", text=text)
        first = _day(self.first.data, "first")
        last = _day(self.last.data, "last") if self.last.data else None
        words = (self.games.data, tuple(points), self.ties.data)
        return Plan(self.name.data, self.game.data, first, last, *words, self.best.data or 0)


def _points(text: str) -> int:
    if not re.fullmatch(r"[-−]?\d+", text):
        raise NotPossible("“%(text)s” is no whole number.", "points", text=text[:20])
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
    return _form_page(SeasonForm(game=game, first=str(date(year, 1, 1))))


@bp.post("/seasons/new")
def add() -> ResponseReturnValue:
    """Make a season."""
    form = SeasonForm(request.form)
    try:
        made = seasons.add(database(), notebook_marker(), form.plan(), form.people.data)
    except NotPossible as problem:
        return _form_page(form, "", [(field_id(problem), str(problem))]), 422
    return redirect(url_for("seasons.show", season_id=made), 303)


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
    try:
        seasons.change(database(), writer, season_id, form.plan(), form.people.data)
    except NotPossible as problem:
        return _form_page(form, season_id, [(field_id(problem), str(problem))]), 422
    flash(_("The changes are saved."), "success")
    return redirect(url_for("seasons.show", season_id=season_id), 303)


def _form_page(form: SeasonForm, season_id: str = "", errors: Errors | None = None) -> str:
    everybody = people.people(database(), notebook_marker())
    # Who is hidden is named only where they were chosen.
    known = [*everybody.shown, *(one for one in everybody.hidden if one.id in form.people.data)]
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
    return render_template("seasons/delete.html", season=found)


@bp.post("/seasons/<season_id>/delete")
def delete(season_id: str) -> ResponseReturnValue:
    """Delete a season, if that was confirmed; its games stay."""
    if "sure" not in request.form:
        return ask_delete(season_id), 422
    seasons.delete(database(), notebook_marker(), season_id)
    flash(_("The season is deleted."), "success")
    return redirect(url_for("seasons.index"), 303)


@bp.post("/seasons/<season_id>/link")
def change_link(season_id: str) -> ResponseReturnValue:
    """Give a season another viewers' link; who has the old one sees nothing any more."""
    seasons.change_link(database(), notebook_marker(), season_id, request.form.get("old", ""))
    flash(_("The link is changed. Send the new one to those who may watch."), "success")
    return redirect(url_for("seasons.show", season_id=season_id), 303)


# -- a season, for markers and for viewers ---------------------------------------------------------


@bp.get("/seasons/<season_id>")
def show(season_id: str) -> ResponseReturnValue:
    """A season: who stands where after each evening, who owes whom, and the viewers' link."""
    season = seasons.season(database(), notebook_marker(), season_id)
    number, settled = _after(season), None
    if number:
        rows = season.evenings[number - 1].standings
        result = Result(
            [row.name for row in rows],
            [row.points for row in rows],
            [row.place for row in rows],
            highest_wins(season.plan),
        )
        settled = settlement(request.args, result)
    return render_template(
        "seasons/show.html",
        page=season_page(season, number),
        season=season.record,
        settled=settled,
        after=number,
        address=url_for("seasons.viewed", key=season.record.viewer_key, _external=True),
    )


def _after(season: Season) -> int:
    """Return the number of the evening that the address names, or of the last one; 0 for none."""
    asked, last = request.args.get("after", 0, type=small_number), len(season.evenings)
    return asked if 1 <= asked <= last else last


@bp.get("/seasons/<season_id>/season.csv")
def spreadsheet(season_id: str) -> ResponseReturnValue:
    """The season for a spreadsheet."""
    return _spreadsheet(seasons.season(database(), notebook_marker(), season_id))


def _spreadsheet(season: Season) -> Response:
    name = f"{file_name(season.record.name, str(season.plan.first))}.csv"
    return download("\ufeff" + as_csv(season), "text/csv", name)


@bp.get("/s/<key>")
def viewed(key: str) -> ResponseReturnValue:
    """A season for those who watch: that one, and nothing else."""
    season = shown_by(seasons.season_for_viewer, key)
    return render_template(
        "seasons/viewed.html",
        page=season_page(season, _after(season)),
        viewer_key=key,
        settings=settings(),
        messages=(),
    )


@bp.get("/s/<key>/season.csv")
def viewed_spreadsheet(key: str) -> ResponseReturnValue:
    """The season for a spreadsheet, for those who watch."""
    return _spreadsheet(shown_by(seasons.season_for_viewer, key))
