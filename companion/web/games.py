"""The games of a notebook: listed, found, begun, renamed, put away, played again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature, URLSafeSerializer
from markupsafe import Markup

from companion.notebook.describe import score
from companion.notebook.events import (
    Entry,
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameTakenOut,
    NotPossible,
    PlayerRenamed,
)
from companion.notebook.names import check_name, check_title, same_name
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.services import export, games
from companion.store import Place
from companion.web.actions import (
    Errors,
    Refused,
    form_key,
    key_sent,
    loaded_game,
    name_the_game_before,
    write_action,
    wrote,
)
from companion.web.auth import database, game_only, known_marker, marker, notebook_marker, taken_off
from companion.web.fields import one_line
from companion.web.pages import Page, game_page, go_on, refused_page
from companion.web.phones import other_notebooks
from companion.web.seats import look_alikes, refusal
from companion.web.templating import marked, names_of

bp = Blueprint("games", __name__)
bp.app_url_defaults(name_the_game_before)


@bp.get("/")
def home() -> ResponseReturnValue:
    """The notebook: the games that are being played or over, the newest first."""
    if known_marker() is None:
        if taken_off():
            abort(403)
        return render_template("stranger.html")
    return _list(
        _("Games"),
        empty=_(
            "Keeps the score of rummy games that you play with real cards, and settles disputes."
        ),
    )


@bp.get("/games/archive")
def archive() -> ResponseReturnValue:
    """The games that were put away."""
    return _list(_("Archive"), archived=True, empty=_("No archived games."))


@bp.get("/games/deleted")
def deleted() -> ResponseReturnValue:
    """The games that were deleted, which can be restored."""
    return _list(_("Deleted games"), deleted=True, empty=_("No deleted games."))


_LISTS: Final = {
    "games.home": noted("Look in the list"),
    "games.archive": noted("Look in the archive"),
    "games.deleted": noted("Look among the deleted"),
}


def _list(title: str, *, empty: str, archived: bool = False, deleted: bool = False) -> str:
    search = request.args.get("q", "")[:100]
    page = games.lines(
        database(),
        marker(),
        search=search,
        archived=archived,
        deleted=deleted,
        older=_place(request.args.get("older", "")),
        newer=_place(request.args.get("newer", "")),
    )
    at_home = not (archived or deleted)
    here, others = request.endpoint or "", {**_LISTS}
    del others[here]
    lines = [(line, None if deleted or line.damaged else _state(line)) for line in page.lines]
    playing = None
    if at_home and not (search or page.newer or not lines):
        newest, state = lines[0]
        if state and not newest.over:
            playing, lines = (newest, state), lines[1:]
    return render_template(
        "games/list.html",
        title=title,
        at_home=at_home,
        here=here,
        others=others.items(),
        playing=playing,
        lines=lines,
        deleted=deleted,
        empty="" if page.lines or search or (at_home and game_only()) else empty,
        newer=_as_text(page.newer),
        older=_as_text(page.older),
        search=search,
        form_key=form_key,
        notebooks=other_notebooks() if at_home else (),
        game_only=game_only(),
    )


class State(NamedTuple):
    """How far a game is, in words: which game, which hand, and who is ahead with what."""

    game: str
    hand: str
    standing: Markup | str


# Who is ahead, by whether the game is over and whether a total decides it.
_STANDING: Final = {
    (False, True): (
        noted("%(names)s leads with %(total)s"),
        noted("%(names)s lead with %(total)s"),
    ),
    (False, False): (noted("%(names)s leads"), noted("%(names)s lead")),
    (True, True): (noted("%(names)s won with %(total)s"),) * 2,
    (True, False): (noted("%(names)s won"),) * 2,
}


def _state(line: games.GameLine) -> State:
    game = GAMES[line.game]
    hand = _("over")
    if not line.over:
        says = noted("%(hand_word)s %(number)s of %(hands)s")
        if not game.won_by.totals:
            says = noted("%(hand_word)s %(number)s")
        hand = _(says, hand_word=game.hand_word, number=line.hand, hands=line.hands)
    if not line.marked:
        return State(game.name, hand, "")
    one, several = _STANDING[line.over, game.won_by.totals]
    names = names_of(line.names[seat] for seat in line.leaders)
    total = score(line.totals[line.leaders[0]])
    says = several if len(line.leaders) > 1 else one
    return State(game.name, hand, marked(says, names=names, total=total))


def _signed() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.config["SECRET_KEY"]), salt="place")


def _as_text(place: Place | None) -> str:
    """A place in a list as an address has it."""
    return str(_signed().dumps([place.at.isoformat(), place.game_id])) if place else ""


def _place(text: str) -> Place | None:
    """The place that an address names; None, which is the first page, if it names none."""
    try:
        at, game_id = _signed().loads(text)
    except BadSignature:
        return None
    return Place(datetime.fromisoformat(at), game_id)


# -- managing a game ------------------------------------------------------------------------------


@bp.get("/games/<game_id>/manage")
def manage(game_id: str) -> ResponseReturnValue:
    """Rename a game and its players, play again, put away, delete."""
    return game_page("games/manage.html", loaded_game(game_id), "", errors=[], entered={})


@bp.post("/games/<game_id>/names")
def save_names(game_id: str) -> ResponseReturnValue:
    """Give the game and its players the names that were entered."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    title = request.form.get("title", sheet.title, type=one_line)
    names = [
        request.form.get(f"name-{seat}", sheet.names[seat], type=one_line) for seat in sheet.players
    ]
    asked = tuple(request.form.getlist("asked", type=one_line)[:20])
    try:
        events, errors = renames(sheet, title, names)
        if not errors and names != sheet.names:
            errors, asked = look_alikes(names, asked, "Save")
        if errors:
            raise Refused(422, errors, loaded)
        made: list[Entry] = []
        for event in events:
            made.append(write_action(game_id, event, *made)[1])
    except Refused as refused:
        entered = {"title": title, "names": names, "asked": asked}
        return refused_page("games/manage.html", refused, "", entered=entered)
    done = _("The names are saved.") if events else _("Nothing was changed.")
    return go_on(done, url_for("games.manage", game_id=game_id))


@bp.post("/games/<game_id>/archive")
def put_away(game_id: str) -> ResponseReturnValue:
    """Put the game into the archive."""
    done = _("The game is in the archive.")
    return _change(game_id, GameArchived(), done, url_for("games.archive"))


@bp.post("/games/<game_id>/take-out")
def take_out(game_id: str) -> ResponseReturnValue:
    """Take the game out of the archive."""
    done = _("The game is back in the list.")
    return _change(game_id, GameTakenOut(), done, url_for("games.home"))


@bp.get("/games/<game_id>/delete")
def ask_delete(game_id: str) -> ResponseReturnValue:
    """Ask before a game is deleted."""
    return game_page("games/delete.html", loaded_game(game_id), "", errors=[])


@bp.post("/games/<game_id>/delete")
def delete(game_id: str) -> ResponseReturnValue:
    """Delete the game; it can be restored."""
    done = _("The game is deleted. Restore it here if that was a mistake.")
    return _change(game_id, GameDeleted(), done, url_for("games.deleted"), "games/delete.html")


@bp.post("/games/<game_id>/restore")
def restore(game_id: str) -> ResponseReturnValue:
    """Bring a deleted game back."""
    then = url_for("games.manage", game_id=game_id)
    return _change(game_id, GameRestored(), _("The game is back."), then)


def _change(
    game_id: str, event: Event, done: str, then: str, template: str = "games/manage.html"
) -> ResponseReturnValue:
    try:
        write_action(game_id, event)
    except Refused as refused:
        return refused_page(template, refused, "", entered={})
    return go_on(done, then)


# -- from another installation --------------------------------------------------------------------


@bp.get("/games/import")
def import_form() -> ResponseReturnValue:
    """Choose a saved game to import."""
    notebook_marker()
    return render_template("games/import.html", errors=[])


@bp.post("/games/import")
def import_game() -> ResponseReturnValue:
    """Import a saved game."""
    writer = notebook_marker()
    file = request.files.get("file")
    try:
        if file is None or not file.filename:
            raise export.NotAGame("Choose the file of a saved game first.")
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            says = noted("This file is not text. Choose a game that was saved here.")
            raise export.NotAGame(says) from None
        game_id = export.import_game(database(), writer, text)
    except export.NotAGame as problem:
        return render_template("games/import.html", errors=[("file", str(problem))]), 422
    return go_on(_("The game is imported."), url_for("hand.show", game_id=game_id))


def renames(sheet: ScoreSheet, title: str, names: Sequence[str]) -> tuple[list[Event], Errors]:
    """What must be written down so that the game and its players are called so, and all errors.

    The events are in such an order that no two players are ever called the same.
    """
    errors = refusal("title", partial(check_title, title))
    for seat, name in enumerate(names):
        errors += refusal(f"name-{seat}", partial(check_name, name, names[:seat], ""))
    if errors:
        return [], errors
    events: list[Event] = [] if title == sheet.title else [GameRenamed(title)]
    called = list(sheet.names)
    waiting = [seat for seat in sheet.players if names[seat] != called[seat]]
    while waiting:
        owners = {seat: _owner(names[seat], seat, called) for seat in waiting}
        free = next((one for one, owner in owners.items() if owner is None), None)
        if free is None:
            first = waiting[0]
            return [], [(f"name-{first}", _SWAPPED.format(names[first]))]
        waiting.remove(free)
        called[free] = names[free]
        events.append(PlayerRenamed(free, names[free]))
    return events, []


_SWAPPED = noted(
    "{} is still somebody else's name. Names that change places need two steps: save another name "
    "for one of them first."
)


def _owner(name: str, seat: int, called: Sequence[str]) -> int | None:
    """The other seat whose player is called so now."""
    return next(
        (n for n, other in enumerate(called) if n != seat and same_name(other) == same_name(name)),
        None,
    )


# -- playing again: the same people, by the same rules --------------------------------------------


@bp.get("/games/<game_id>/again")
def again(game_id: str) -> ResponseReturnValue:
    """Who plays again and who deals first, before the game begins; or where it is, if it has."""
    notebook_marker()
    return _again_page(game_id)


@bp.post("/games/<game_id>/again")
def play_again(game_id: str) -> ResponseReturnValue:
    """Begin the next game. It is one, however often it is begun."""
    writer = notebook_marker()
    try:
        following = games.begin_next_game(database(), writer, game_id, key_sent())
    except (NotPossible, Malformed) as problem:
        return _again_page(game_id, [("", str(problem))]), 422
    wrote(1)  # also where it had begun: what waits to be written in it comes after that
    return redirect(url_for("hand.show", game_id=following), 303)


def _again_page(game_id: str, errors: Errors | None = None) -> Page:
    loaded = loaded_game(game_id)
    if games.has_next_game(database(), notebook_marker().id, game_id):
        begun = games.next_game(loaded).record.id
        return game_page("games/again.html", loaded, "", before=game_id, begun=begun, errors=[])
    to_come = games.next_game(loaded)
    return game_page("games/again.html", to_come, "", before=game_id, errors=errors or [])
