"""The people of a notebook: the list, what a person's games came to, and changing who is who.

What is said of a person's figures is in templates/people/_figures.html.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter, not_
from statistics import fmean, quantiles
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField

from companion.notebook import figures
from companion.notebook.describe import hands_of, in_points, score
from companion.notebook.events import NotPossible
from companion.notebook.figures import FEWEST, Finished, Played
from companion.notebook.names import LONGEST_NAME, same_name
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext as _, in_english
from companion.services import people
from companion.services.games import game_line
from companion.services.people import COLOURS, NEW, Person
from companion.web.actions import field_id
from companion.web.auth import database, notebook_marker
from companion.web.chart import Picture, nice_levels, running
from companion.web.fields import Form, LineField, LinesField, WordField
from companion.web.pages import go_on, with_errors
from companion.web.templating import day, decimal

bp = Blueprint("people", __name__)

# How many of the older games that were joined to people are listed.
MOST_JOINED: Final = 20
# The running totals are of so many of the latest games.
MOST_TABLES: Final = 50


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
    shown = None if found.record.hidden else figures_context(found, wanted, chosen, tables)
    return render_template(
        "people/show.html", person=found.record, names=found.names, figures=shown
    )


# -- changing who is who --------------------------------------------------------------------------


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
    return with_errors(
        "people/change.html",
        errors,
        person=found.record,
        names=[one for one in found.names if same_name(one) != same_name(found.record.name)],
        others=[(one.id, one.name) for one in known.everybody if one.id != person_id],
        form=form,
        longest=LONGEST_NAME,
    )


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
    return with_errors(
        "people/seats.html",
        errors,
        of=game,
        seats=[(row.name, one) for row, one in zip(rows, given, strict=True)],
        choices=[*choices, (NEW, _("A new person")), ("", _("A guest, counted for nobody"))],
    )


# -- a person's figures ---------------------------------------------------------------------------

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

    def choice(self, label: str, name: str, value: str) -> tuple[str, str, bool]:
        """Return a tap's label, where it leads, and if it is chosen now: then it leads back."""
        now = self.asked[name]
        others = [one for one in now if one != value] if name == "company" else []
        asked = {**self.asked, name: others if value in now else [*others, value]}
        if name in _NARROWER:
            asked[_NARROWER[name]] = []
        return label, "?" + urlencode(asked, doseq=True), value in now


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
) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """Yield the title and the choices of each filter, where there is anything to choose."""
    kinds = [game_named(id_) for id_ in sorted({one.played.game for one in games})]
    sheets = [one for game in kinds if game.id in wanted.asked["game"] for one in game.sheets]
    played = {one.played.sheet for one in games}
    years = sorted({str(one.at.year) for one in games}, reverse=True)
    months = {one.at.month: one.at for one in games if str(one.at.year) in wanted.asked["year"]}
    numbers = sorted({one.played.players for one in games})
    met = {*chain.from_iterable(one.beside for one in games)}
    filters: list[tuple[str, str, Mapping[Any, str]]] = [
        (_("Game"), "game", {game.id: game.name for game in kinds}),
        (_("Rule sheet"), "sheet", {one.id: one.title for one in sheets if one.id in played}),
        (_("Year"), "year", {year: year for year in years}),
        (_("Month"), "month", {month: day(at, "LLL") for month, at in sorted(months.items())}),
        (_("Players"), "players", {number: str(number) for number in numbers}),
        (_("With"), "company", {one: name for one, name in people.items() if one in met}),
    ]
    for title, name, labels in filters:
        if len(labels) > (name != "company"):
            yield title, [wanted.choice(says, name, str(one)) for one, says in labels.items()]


def _hands(
    games: Sequence[Finished], tables: Mapping[str, list[Played]], enough: bool
) -> dict[str, Any]:
    """Return what the hands of games of one kind came to: counts, and more with enough games."""
    seats = [one.played for one in games]
    game = game_named(seats[0].game)
    points = Counter(chain.from_iterable(seat.points for seat in seats))
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
            # The lowest hand is at 0, the highest at 1, the others at even distances between them.
            "quartiles": [decimal(at) for at in quantiles(points.elements(), method="inclusive")],
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
    hands = figures.records(games, lambda seat: seat.points)
    totals = figures.records(games, lambda seat: (seat.total,))
    comeback = figures.records(games, lambda seat: (seat.comeback,))[1]
    best = -1 if game.won_by.highest else 1  # the least comes first
    found = [*hands[::best], *totals[::best], *([comeback] if comeback[0] else [])]
    return [
        (in_points(points), day(first.at), url_for("tally.show", game_id=first.id))
        for points, first in found
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
