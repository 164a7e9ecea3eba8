"""The games of a notebook: list, find, rename, archive, delete, import, play again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final, cast

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.file import FileField
from itsdangerous import BadSignature, URLSafeSerializer
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from companion.notebook import events
from companion.notebook.checks import check_dealer
from companion.notebook.describe import hands_of, score
from companion.notebook.events import Entry, Event, NotPossible
from companion.notebook.names import check_name, check_title, lookalike_key, renames
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.rules.language import gettext as _, noted
from companion.services import export, games
from companion.store import Place
from companion.web.actions import (
    Errors,
    Refused,
    add_entry_header,
    field_id,
    form_key,
    key_sent,
    loaded_game,
    name_the_game_before,
    refusals,
    write_action,
)
from companion.web.auth import database, game_only, known_marker, marker, notebook_marker, removed
from companion.web.fields import Form, LineField, LinesField, SmallNumberField
from companion.web.pages import form_page, go_on, plain_form
from companion.web.phones import other_notebooks
from companion.web.templating import clock, marked, names_of

bp = Blueprint("games", __name__)
bp.app_url_defaults(name_the_game_before)

_KEEPS_SCORE: Final = noted(
    "Keeps the score of rummy games that you play with real cards, and settles disputes."
)
# What each list is called, and what it says if it is empty.
_LISTS: Final = {
    "games.home": (noted("Games"), _KEEPS_SCORE),
    "games.archive": (noted("Archive"), noted("No archived games.")),
    "games.deleted": (noted("Deleted games"), noted("No deleted games.")),
}


@bp.get("/", endpoint="home")
@bp.get("/games/archive", endpoint="archive")
@bp.get("/games/deleted", endpoint="deleted")
def show_list() -> ResponseReturnValue:
    """The notebook's games, the newest first: in the list, archived, or deleted."""
    endpoint, args = str(request.endpoint), request.args
    at_home, deleted = endpoint == "games.home", endpoint == "games.deleted"
    if at_home and known_marker() is None:
        if removed():
            abort(403)
        return render_template("strangers.html")
    search = args.get("q", "")[:100]
    page = games.lines(
        database(),
        marker(),
        search=search,
        archived=endpoint == "games.archive",
        deleted=deleted,
        older=_place(args.get("older", "")),
        newer=_place(args.get("newer", "")),
    )
    lines, playing = page.lines, None
    if at_home and lines and not (search or page.newer or lines[0].over or lines[0].damaged):
        first, *lines = lines
        playing = first, _progress(first), _dotted(_standing(first), GAMES[first.game].name)
    title, empty = _LISTS[endpoint]
    return render_template(
        "games/list.html",
        title=_(title),
        at_home=at_home,
        endpoint=endpoint,
        others=[(other, _(name)) for other, (name, _empty) in _LISTS.items() if other != endpoint],
        playing=playing,
        lines=[(line, _details(line, deleted=deleted)) for line in lines],
        deleted=deleted,
        empty="" if page.lines or search or (at_home and game_only()) else _(empty),
        newer=_place_text(page.newer),
        older=_place_text(page.older),
        search=search,
        form_key=form_key,
        notebooks=other_notebooks() if at_home else (),
    )


def _details(line: games.GameLine, *, deleted: bool) -> list[Markup | str]:
    """Return the lines below a game's name."""
    at = clock(line.updated_at)
    if deleted:
        return [_dotted(_("The list entry of this game is damaged") if line.damaged else "", at)]
    if line.damaged:
        return [_("The list entry of this game is damaged. Open the game to check it."), at]
    names = names_of(line.names, "standard-narrow") if line.title else ""
    return [_dotted(GAMES[line.game].name, _progress(line), _standing(line)), _dotted(names, at)]


def _dotted(*parts: Markup | str) -> Markup:
    return Markup(" · ").join(part for part in parts if part)


def _progress(line: games.GameLine) -> str:
    """Return how far a game is: ``hand 5 of 13``, ``over``, ``over after 9 of 13 hands``."""
    game = GAMES[line.game]
    if line.over and game.won_by.totals and line.marked < line.hands:
        hands = hands_of(game, line.hands)
        return _("over after %(marked)s of %(hands)s", marked=line.marked, hands=hands)
    if line.over:
        return _("over")
    says = noted("%(hand_word)s %(number)s of %(hands)s")
    if not game.won_by.totals:
        says = noted("%(hand_word)s %(number)s")
    return _(says, hand_word=game.hand_word, number=line.hand, hands=line.hands)


# Who leads or won, one or several, by whether the game is over and whether totals decide it.
_STANDING: Final = {
    (False, True): (
        noted("%(names)s leads with %(total)s"),
        noted("%(names)s lead with %(total)s"),
    ),
    (False, False): (noted("%(names)s leads"), noted("%(names)s lead")),
    (True, True): (noted("%(names)s won with %(total)s"),) * 2,
    (True, False): (noted("%(names)s won"),) * 2,
}


def _standing(line: games.GameLine) -> Markup | str:
    """Return who leads or won, and with what; empty before a hand is marked or anybody leads."""
    if not (line.marked and line.leaders):
        return ""
    one, several = _STANDING[line.over, GAMES[line.game].won_by.totals]
    names = names_of(line.names[seat] for seat in line.leaders)
    total = score(line.totals[line.leaders[0]])
    return marked(several if len(line.leaders) > 1 else one, names=names, total=total)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.config["SECRET_KEY"]), salt="place")


def _place_text(place: Place | None) -> str:
    """Return a place in a list as text for an address."""
    return str(_signer().dumps([place.at.isoformat(), place.game_id])) if place else ""


def _place(text: str) -> Place | None:
    """Return the place that an address names; None, for the first page, if it names none."""
    try:
        at, game_id = _signer().loads(text)
    except BadSignature:
        return None
    return Place(datetime.fromisoformat(at), game_id)


# -- managing a game ------------------------------------------------------------------------------


class NamesForm(Form):
    """What the game and its players are called, and who deals first.

    `_names_form` adds the field of each seat.
    """

    title = LineField()
    first_dealer = SmallNumberField()
    asked = LinesField()

    @property
    def seats(self) -> list[LineField]:
        """The fields of the players' names, in the order of play."""
        return [field for field in self if isinstance(field, LineField) and field is not self.title]


def _names_form(sheet: ScoreSheet, sent: MultiDict[str, str] | None = None) -> NamesForm:
    names = {f"name-{seat}": name for seat, name in enumerate(sheet.names)}
    form = type("NamesFormOfGame", (NamesForm,), {name: LineField() for name in names})
    first = sheet.first_dealer
    return cast("NamesForm", form(sent, title=sheet.title, first_dealer=first, **names))


@bp.get("/games/<game_id>/manage")
def manage(
    game_id: str, refused: Refused | None = None, form: NamesForm | None = None
) -> ResponseReturnValue:
    """Show the page to rename players, correct who deals, play again, archive or delete."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    form = form or _names_form(loaded.sheet)
    sheet = loaded.sheet
    # Each player, with the first dealer that makes them the dealer of the hand dealt last.
    dealt = next(one.number for one in reversed(sheet.hands) if one.is_dealt and not one.ended)
    players = len(sheet.names)
    dealers = [((seat - dealt + 1) % players, name) for seat, name in enumerate(sheet.names)]
    next_dealer = games.rematch(sheet).first_dealer
    return form_page(
        "games/manage.html",
        loaded,
        "",
        refused,
        form=form,
        dealt=dealt,
        dealers=dealers,
        next_dealer=next_dealer,
    )


@bp.post("/games/<game_id>/names")
def save_names(game_id: str) -> ResponseReturnValue:
    """Give the game and its players the names that were entered, and correct who deals."""
    loaded = loaded_game(game_id)
    sheet, form = loaded.sheet, _names_form(loaded.sheet, request.form)
    names = [field.data for field in form.seats]
    try:
        changes, errors = _changes(sheet, form, names)
        if not errors and names != sheet.names:
            errors = look_alikes(names, form.asked, _("Save"))
        if errors:
            raise Refused(422, errors, loaded)
        made: list[Entry] = []
        for event in changes:
            made.append(write_action(game_id, event, *made)[1])
    except Refused as refused:
        return manage(game_id, refused, form)
    done = _("Saved.") if changes else _("Nothing was changed.")
    return go_on(done, url_for("games.manage", game_id=game_id))


@bp.get("/games/<game_id>/delete")
def ask_delete(game_id: str, refused: Refused | None = None) -> ResponseReturnValue:
    """Ask before a game is deleted."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    return form_page("games/delete.html", loaded, "", refused)


# By endpoint: the event, what is said once it is done, and the page that comes next.
_CHANGES: Final[dict[str | None, tuple[Event, str, str]]] = {
    "games.put_away": (events.GameArchived(), noted("The game is in the archive."), ".archive"),
    "games.take_out": (events.GameTakenOut(), noted("The game is back in the list."), ".home"),
    "games.delete": (
        events.GameDeleted(),
        noted("The game is deleted. Restore it here if that was a mistake."),
        ".deleted",
    ),
    "games.restore": (events.GameRestored(), noted("The game is back."), ".manage"),
}


@bp.post("/games/<game_id>/archive", endpoint="put_away")
@bp.post("/games/<game_id>/take-out", endpoint="take_out")
@bp.post("/games/<game_id>/delete", endpoint="delete")
@bp.post("/games/<game_id>/restore", endpoint="restore")
def change(game_id: str) -> ResponseReturnValue:
    """Put the game into the archive, take it out, delete it, or bring it back."""
    event, done, then = _CHANGES[request.endpoint]
    try:
        write_action(game_id, event)
    except Refused as refused:
        page = ask_delete if isinstance(event, events.GameDeleted) else manage
        return page(game_id, refused)
    return go_on(_(done), url_for(then, game_id=game_id if then == ".manage" else None))


# -- from another installation --------------------------------------------------------------------


class ImportForm(Form):
    """The file of a saved game."""

    file = FileField(
        noted("File of a saved game"),
        description=noted(
            "A file that was saved with “Save as a file” here or on another installation."
        ),
        render_kw={"accept": ".json,application/json"},
    )


@bp.route("/games/import", methods=["GET", "POST"])
def import_game() -> ResponseReturnValue:
    """Choose a saved game, and import it."""
    writer, form, errors = notebook_marker(), ImportForm(request.files), Errors()
    if request.method == "POST":
        try:
            if form.file.data is None:
                raise export.NotAGame("Choose the file of a saved game first.")
            text = form.file.data.read().decode("utf-8-sig")
            game_id, is_new = export.import_game(database(), writer, text)
            done = _("The game is imported.") if is_new else _("This game is here already.")
            return go_on(done, url_for("hand.show", game_id=game_id))
        except UnicodeDecodeError:
            errors = [("file", _("This file is not text. Choose a game that was saved here."))]
        except export.NotAGame as problem:
            errors = [("file", str(problem))]
    links, hint = [(_("Back"), url_for("games.home"), "quiet")], ""
    if errors and form.file.data is not None:
        hint = _("Save the game as a file again where it is kept, and import that one.")
    title, button, not_done = _("Import a game"), _("Import"), _("Not imported")
    return plain_form(title, form, errors, button, not_done=not_done, links=links, hint=hint)


# -- names ----------------------------------------------------------------------------------------


def _changes(
    sheet: ScoreSheet, form: NamesForm, names: Sequence[str]
) -> tuple[list[Event], Errors]:
    """Return the events that change the game to what was entered, and what is wrong with it."""
    title, dealer = form.title.data, form.first_dealer.data
    errors = refusals(lambda: check_title(title)) + wrong_names(dict(enumerate(names)))
    errors += refusals(lambda: check_dealer(dealer, len(names)))
    if errors or dealer is None:  # which is one of the errors
        return [], errors
    changes: list[Event] = [] if title == sheet.title else [events.GameRenamed(title)]
    if dealer != sheet.first_dealer:
        changes.append(events.FirstDealerChanged(dealer))
    try:
        return [*changes, *renames(sheet.names, names)], []
    except NotPossible as problem:
        return [], [(field_id(problem), str(problem))]


def wrong_names(names: Mapping[int, str]) -> Errors:
    """Return what is wrong with the names of players, by their places on the form."""
    all_names = [*names.values()]
    checks = [
        partial(check_name, name, all_names[:n], f"name-{place}")
        for n, (place, name) in enumerate(names.items())
    ]
    return refusals(*checks)


_ALIKE: Final = noted(
    "“%(one)s” and “%(other)s” look alike. "
    "Change one of them, or tap “%(button)s” again if both play."
)


def look_alikes(names: Sequence[str], asked: LinesField, button: str) -> Errors:
    """Return a question for each two names that look alike, at the second one.

    The field ``asked`` has the looks (`lookalike_key`) that were asked about, also these.
    """
    errors, by_look = Errors(), dict[str, str]()
    for n, name in enumerate(names):
        look = lookalike_key(name)
        other = by_look.setdefault(look, name)
        if name and other != name and look not in asked.data:
            asked.data.append(look)
            errors.append((f"name-{n}", _(_ALIKE, one=other, other=name, button=button)))
    return errors


# -- playing again: the same people, by the same rules --------------------------------------------


@bp.route("/games/<game_id>/again", methods=["GET", "POST"])
def again(game_id: str) -> ResponseReturnValue:
    """Show the form for a rematch, or a link to the rematch once it has begun; begin it by POST.

    A game has one rematch, however often the form is sent.
    """
    writer, errors = notebook_marker(), Errors()
    if request.method == "POST":
        try:
            next_id = games.begin_next_game(database(), writer, game_id, key_sent())
            add_entry_header(1)  # even if it had begun: kept actions come after its entry 1
            return redirect(url_for("hand.show", game_id=next_id), 303)
        except (NotPossible, Malformed) as problem:
            errors = [("", str(problem))]
    loaded = loaded_game(game_id)
    shown, begun = games.next_game(loaded), ""
    if games.has_next_game(database(), writer.id, game_id):
        shown, begun = loaded, shown.record.id
    refused = Refused(422, errors, shown) if errors else None
    return form_page("games/again.html", shown, "", refused, before=game_id, begun=begun)
