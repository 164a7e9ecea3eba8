"""The people of a notebook: the list, a person's page, and changing who is who."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME, same_name
from companion.rules.games import game_named
from companion.rules.language import gettext as _
from companion.services import people
from companion.services.games import game_line
from companion.services.people import COLOURS, NEW
from companion.web.actions import field_id
from companion.web.auth import database, notebook_marker
from companion.web.fields import Form, LineField, LinesField, WordField
from companion.web.figures import MOST_TABLES, Wanted, decimal, figures_context
from companion.web.pages import go_on

bp = Blueprint("people", __name__)

# How many of the older games that were joined to people are listed.
MOST_JOINED: Final = 20


class PeopleForm(Form):
    """What is changed of people; each form sends fields of its own, and its button says what to do.

    ``other`` is the id of who is the same person, ``spelling`` a name that is somebody else's.
    ``person`` is whose each seat of a game is: a person's id, a new one, or empty for a guest.
    """

    do = WordField(("save", "merge", "part"), default="save")
    name = LineField()
    colour = WordField(COLOURS)
    hidden = BooleanField()
    other = LineField()
    spelling = LineField()
    person = LinesField()


bp.add_app_template_filter(game_line, "game_line")
bp.add_app_template_filter(decimal, "decimal")


@bp.route("/people", methods=["GET", "POST"])
def index() -> ResponseReturnValue:
    """Who is the best at a game, and everybody who has played, those with the most games first.

    Its form is sent by whoever has read how older games were joined to people.
    """
    if request.method == "POST":
        people.read_joined(database(), notebook_marker())
        return redirect(url_for("people.index"), 303)
    found = people.people(database(), notebook_marker(), request.args.get("game", ""))
    choices = [(one, game_named(one).name, one == found.game) for one in found.games]
    return render_template(
        "people/index.html",
        found=found,
        most=MOST_JOINED,
        best_at=game_named(found.game).name if found.game else "",
        choices=choices if len(choices) > 1 else (),
    )


@bp.get("/people/<person_id>")
def show(person_id: str) -> ResponseReturnValue:
    """A person: what all their games came to."""
    found, wanted = people.person(database(), notebook_marker(), person_id), Wanted(request.args)
    chosen = wanted.of(found.played)
    tables = people.tables(database(), [one.id for one in chosen[:MOST_TABLES]])
    figures = None if found.record.hidden else figures_context(found, wanted, chosen, tables)
    return render_template(
        "people/show.html", person=found.record, names=found.names, figures=figures
    )


@bp.route("/people/<person_id>/change", methods=["GET", "POST"])
def change(person_id: str) -> ResponseReturnValue:
    """Change a person's name and colour, merge and part spellings, take them out."""
    writer, errors = notebook_marker(), []
    if request.method == "POST":
        try:
            return _changed(person_id, PeopleForm(request.form))
        except NotPossible as problem:
            errors = [(field_id(problem), str(problem))]
    found, known = people.person(database(), writer, person_id), people.people(database(), writer)
    form = PeopleForm(request.form or None, obj=found.record)
    if form.do.data != "save":
        form.hidden.data = found.record.hidden
    page = render_template(
        "people/change.html",
        person=found.record,
        names=[one for one in found.names if same_name(one) != same_name(found.record.name)],
        others=[(one.id, one.name) for one in known.everybody if one.id != person_id],
        form=form,
        errors=errors,
        longest=LONGEST_NAME,
    )
    return page, 422 if errors else 200


def _changed(person_id: str, form: PeopleForm) -> ResponseReturnValue:
    """Do what the button says that was tapped. Raises `NotFound` and `NotPossible`."""
    db, writer, done = database(), notebook_marker(), _("The changes are saved.")
    if form.do.data == "merge":
        name = people.merge(db, writer, person_id, form.other.data)
        done = _("%(name)s is this person from now on.", name=name)
    elif form.do.data == "part":
        person_id = people.part(db, writer, person_id, form.spelling.data)
        done = _("%(name)s is a person of their own now.", name=form.spelling.data)
    else:
        name, colour, hidden = form.name.data, form.colour.data, form.hidden.data
        people.change(db, writer, person_id, name, colour, hidden=hidden)
    return go_on(done, url_for("people.show", person_id=person_id))


@bp.route("/games/<game_id>/people", methods=["GET", "POST"])
def seats(game_id: str) -> ResponseReturnValue:
    """Say whose each seat of a game is: a person's, a new one's, or a guest's."""
    writer, errors, given = notebook_marker(), [], PeopleForm(request.form).person.data
    if request.method == "POST":
        try:
            people.give_seats(database(), writer, game_id, given)
            return go_on(_("Who played is saved."), url_for("people.seats", game_id=game_id))
        except NotPossible as problem:
            errors = [(field_id(problem), str(problem))]
    game, rows, known = people.seats_at(database(), writer, game_id)
    if len(given) != len(rows):
        given = [row.person_id or "" for row in rows]
    choices = [(one.id, one.name) for one in known]
    page = render_template(
        "people/seats.html",
        of=game,
        seats=[(row.name, one) for row, one in zip(rows, given, strict=True)],
        choices=[*choices, (NEW, _("A new person")), ("", _("A guest, counted for nobody"))],
        errors=errors,
    )
    return page, 422 if errors else 200
