"""The people of a notebook: the list, a person's page, and changing who is who."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME
from companion.rules.games import game_named
from companion.rules.language import gettext as _, noted
from companion.services import people
from companion.services.games import game_line
from companion.services.people import COLOURS, NEW, PAGE
from companion.web.actions import Errors, field_id
from companion.web.auth import database, notebook_marker
from companion.web.fields import Form, LineField, LinesField, WordField, small_number
from companion.web.figures import MOST_TABLES, Wanted, decimal, figures_context
from companion.web.pages import go_on

bp = Blueprint("people", __name__)

# How many of the older games that were joined to people are listed.
MOST_JOINED: Final = 20
_CALLED: Final[Mapping[str, str]] = {
    "red": noted("Red"),
    "blue": noted("Blue"),
    "green": noted("Green"),
    "orange": noted("Orange"),
    "violet": noted("Violet"),
    "teal": noted("Teal"),
    "pink": noted("Pink"),
    "brown": noted("Brown"),
}


class PeopleForm(Form):
    """What is changed of people; each form sends fields of its own.

    ``other`` is the id of who is the same person, ``spelling`` a name that is somebody else's, and
    ``hidden`` is ``1`` to take the person out of all figures and lists, or ``0`` to count again.
    ``person`` is whose each seat of a game is: a person's id, a new one, or empty for a guest.
    """

    name = LineField()
    colour = WordField(COLOURS)
    other = LineField()
    hidden = WordField(("0", "1"))
    spelling = LineField()
    person = LinesField()


bp.add_app_template_filter(game_line, "game_line")
bp.add_app_template_filter(decimal, "decimal")


@bp.get("/people")
def index() -> ResponseReturnValue:
    """Who is the best at a game, and everybody who has played, those who played last first."""
    found = people.people(database(), notebook_marker(), request.args.get("game", ""))
    best = found.ranking
    choices = [(one, game_named(one).name, one == best.game) for one in best.games]
    return render_template(
        "people/index.html",
        found=found,
        most=MOST_JOINED,
        best=best,
        best_at=game_named(best.game).name if best.game else "",
        choices=choices if len(choices) > 1 else (),
    )


@bp.post("/people")
def read_joined() -> ResponseReturnValue:
    """Say no longer how older games were joined to people."""
    people.read_joined(database(), notebook_marker())
    return redirect(url_for("people.index"), 303)


@bp.get("/people/<person_id>")
def show(person_id: str) -> ResponseReturnValue:
    """A person: what all their games came to, and the games, the last one first."""
    page, wanted = max(request.args.get("page", 1, type=small_number), 1), Wanted(request.args)
    found = people.person(database(), notebook_marker(), person_id, PAGE * (page - 1))
    chosen = wanted.of(found.played)
    tables = people.tables(database(), [one.id for one in chosen[:MOST_TABLES]])
    figures = None if found.record.hidden else figures_context(found, wanted, chosen, tables)
    return render_template(
        "people/show.html",
        found=found,
        person=found.record,
        figures=figures,
        games=found.games[:PAGE],
        newer=page - 1,
        older=page + 1 if len(found.games) > PAGE else 0,
    )


@bp.get("/people/<person_id>/change")
def change_form(person_id: str, errors: Errors | None = None) -> str:
    """Change a person's name and colour, merge and part spellings, take them out."""
    writer = notebook_marker()
    swatch = Markup('<span class="dot {}"></span> {}')
    found, known = people.person(database(), writer, person_id), people.people(database(), writer)
    return render_template(
        "people/change.html",
        person=found.record,
        spellings=found.spellings,
        others=[(one.id, one.name) for one in (*known.shown, *known.hidden) if one.id != person_id],
        colours=[(one, swatch.format(one, _(says))) for one, says in _CALLED.items()],
        form=PeopleForm(request.form, obj=found.record),
        errors=errors or [],
        longest=LONGEST_NAME,
    )


@bp.errorhandler(NotPossible)
def _refused(problem: NotPossible) -> ResponseReturnValue:
    """Show the form again with what cannot be."""
    address, errors = request.view_args or {}, [(field_id(problem), str(problem))]
    if "game_id" in address:
        return seats(address["game_id"], errors, PeopleForm(request.form).person.data), 422
    return change_form(address["person_id"], errors), 422


@bp.post("/people/<person_id>/change")
def change(person_id: str) -> ResponseReturnValue:
    """Give a person another name and colour."""
    form = PeopleForm(request.form)
    name, colour = form.name.data, form.colour.data
    people.change(database(), notebook_marker(), person_id, name, colour)
    return go_on(_("The changes are saved."), url_for("people.show", person_id=person_id))


@bp.post("/people/<person_id>/hide")
def hide(person_id: str) -> ResponseReturnValue:
    """Take a person out of all figures and lists, or count them again."""
    hidden = PeopleForm(request.form).hidden.data
    if not hidden:
        return change_form(person_id, [("", _("We couldn't read that form. Try again."))]), 422
    people.hide(database(), notebook_marker(), person_id, hidden=hidden == "1")
    return redirect(url_for("people.show", person_id=person_id), 303)


@bp.post("/people/<person_id>/merge")
def merge(person_id: str) -> ResponseReturnValue:
    """Make another person the same one as this."""
    other = PeopleForm(request.form).other.data
    name = people.merge(database(), notebook_marker(), person_id, other)
    done = _("%(name)s is this person from now on.", name=name)
    return go_on(done, url_for("people.change_form", person_id=person_id))


@bp.post("/people/<person_id>/part")
def part(person_id: str) -> ResponseReturnValue:
    """Make one spelling of a person's name a person of its own."""
    spelling = PeopleForm(request.form).spelling.data
    new = people.part(database(), notebook_marker(), person_id, spelling)
    done = _("%(name)s is a person of their own now.", name=spelling)
    return go_on(done, url_for("people.show", person_id=new))


@bp.get("/games/<game_id>/people")
def seats(game_id: str, errors: Errors | None = None, given: Sequence[str] = ()) -> str:
    """Say whose each seat of a game is."""
    game, rows, known = people.seats_at(database(), notebook_marker(), game_id)
    if len(given) != len(rows):
        given = [row.person_id or "" for row in rows]
    choices = [(one.id, one.name) for one in known]
    return render_template(
        "people/seats.html",
        of=game,
        seats=[(row.name, one) for row, one in zip(rows, given, strict=True)],
        choices=[*choices, (NEW, _("A new person")), ("", _("A guest, counted for nobody"))],
        errors=errors or [],
    )


@bp.post("/games/<game_id>/people")
def give_seats(game_id: str) -> ResponseReturnValue:
    """Give the seats of a game to people, new ones, or guests."""
    people.give_seats(database(), notebook_marker(), game_id, PeopleForm(request.form).person.data)
    return go_on(_("Who played is saved."), url_for("people.seats", game_id=game_id))
