"""The games of a notebook: listed, found, begun, renamed, put away, played again."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import (
    Event,
    GameArchived,
    GameDeleted,
    GameRestored,
    GameTakenOut,
)
from companion.notebook.refusal import NotPossible
from companion.rules.cards import RANKS
from companion.rules.game import Game
from companion.rules.games import KEPT
from companion.services import exchange, games
from companion.services.books import open_book
from companion.store import Place
from companion.web.acting import Errors, Refused, act, book_of, form_key, key_sent
from companion.web.draw_form import draw_says
from companion.web.house import (
    database,
    game_only,
    known_marker,
    marker,
    notebook_marker,
    taken_off,
)
from companion.web.house_rule_form import house_rule_fields
from companion.web.names_form import renames
from companion.web.pages import game_page, plain_page, refused_page
from companion.web.setup_form import Setup, read_setup, setup_like

Changed = tuple[Setup, Errors]

bp = Blueprint("games", __name__)


@bp.get("/")
def home() -> ResponseReturnValue:
    """The notebook: the games that are being played or over, the newest first."""
    if known_marker() is None:
        if taken_off():
            abort(403)
        return plain_page("stranger.html")
    return _list("games/home.html")


@bp.get("/games/archive")
def archive() -> ResponseReturnValue:
    """The games that were put away."""
    return _list("games/archive.html", archived=True)


@bp.get("/games/deleted")
def deleted() -> ResponseReturnValue:
    """The games that were deleted, which can be restored."""
    return _list("games/deleted.html", deleted=True)


def _list(template: str, *, archived: bool = False, deleted: bool = False) -> str:
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
    return plain_page(
        template,
        lines=page.lines,
        newer=page.newer and _as_text(page.newer),
        older=page.older and _as_text(page.older),
        search=search,
        form_key=form_key,
        games=KEPT,
        game_only=game_only(),
    )


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _as_text(place: Place) -> str:
    """A place in a list as an address has it: the microseconds since 1970, and the game's id."""
    return f"{(place.at - _EPOCH) // timedelta(microseconds=1)}~{place.game_id}"


def _place(text: str) -> Place | None:
    """The place that an address names; None, which is the first page, if it names none."""
    at, parted, game_id = text.partition("~")
    if not parted or len(text) > 100 or not text.isascii() or not text.isprintable():
        return None
    try:
        return Place(_EPOCH + timedelta(microseconds=int(at)), game_id)
    except (OverflowError, ValueError):
        return None


# -- a new game -----------------------------------------------------------------------------------


@bp.get("/games/new")
def new() -> ResponseReturnValue:
    """The setup of a new game; ``like`` another one with its people and rules, the next to deal."""
    like = request.args.get("like")
    if like is None:
        return _setup(Setup(), _game(), fresh=True)
    sheet = book_of(like).sheet
    return _setup(setup_like(games.rematch(sheet), sheet.game), sheet.game)


@bp.post("/games/new")
def start() -> ResponseReturnValue:
    """Begin the game, or do to the form what the pressed button says."""
    game = _game()
    setup = read_setup(request.form, game)
    if "play" in request.form:  # another game: the people stay, and its rules are as written
        return _setup(replace(setup, sheet="", rules={}), _chosen(request.form["play"]))
    for button, press in _PRESSED.items():
        if button in request.form:
            setup, errors = press(setup, game, request.form[button])
            return _setup(setup, game, errors), 422 if errors else 200
    if setup.drawing:  # nobody begins without having seen where the cards put them
        setup, errors = setup.seated(game)
        return _setup(setup, game, errors), 422 if errors else 200
    errors = setup.problems(game)
    if not errors:
        setup, errors = setup.asking()
    if errors:
        return _setup(setup, game, errors), 422
    try:
        game_id = games.start(database(), notebook_marker(), setup.event(game), key_sent())
    except NotPossible as problem:
        return _setup(setup, game, [("", str(problem))]), 422
    except games.BegunAlready as begun:
        return _setup(setup, game, [("", _BEGUN)], begun=begun.game_id), 409
    return redirect(url_for("hand.show", game_id=game_id), 303)


_BEGUN = (
    "A game was begun from this page before, with other entries. Open that one, or press Start "
    "again to begin this one too."
)


def _same_people(setup: Setup, game: Game, _: str) -> Changed:
    recent = _recent()
    if not recent:
        return setup, []
    sheet = open_book(database(), recent[0].id, marker().id).sheet
    return replace(setup_like(games.rematch(sheet), sheet.game), title=setup.title), []


def _person(setup: Setup, game: Game, name: str) -> Changed:
    try:
        return setup.toggled(" ".join(name.split()), game.players[1]), []
    except NotPossible as problem:
        return setup, [(problem.field, str(problem))]


def _draw(setup: Setup, game: Game, _: str) -> Changed:
    if setup.drawing:
        return setup.seated(game)
    return setup.without_draw(drawing=True), []


def _stay(setup: Setup, game: Game, _: str) -> Changed:
    """Return the setup as it is, with room for another name."""
    return setup if any(not row.name for row in setup.rows) else setup.with_row(game.players[1]), []


_PRESSED: dict[str, Callable[[Setup, Game, str], Changed]] = {
    "last": _same_people,
    "person": _person,
    "stay": _stay,
    "more": lambda setup, game, _: (setup.with_row(game.players[1]), []),
    "move": lambda setup, _, where: (setup.moved(where), []),
    "draw": _draw,
    "again": lambda setup, *_: (setup.without_draw(drawing=True), []),
    "undraw": lambda setup, *_: (setup.without_draw(drawing=False), []),
}


def _game() -> Game:
    """The game that the form is for; the first one if it does not say."""
    return _chosen(request.values.get("game", ""))


def _chosen(game: str) -> Game:
    return KEPT.get(game) or next(iter(KEPT.values()))


def _setup(
    setup: Setup,
    game: Game,
    errors: Errors | None = None,
    *,
    fresh: bool = False,
    begun: str | None = None,
) -> str:
    """The form; ``fresh`` if nothing was entered, so that what the phone kept may come back."""
    recent = _recent()
    setup = setup.padded(game.players[1])
    return plain_page(
        "games/new.html",
        setup=setup,
        rules_game=game,
        games=list(KEPT.values()),
        draw_says=draw_says(game, setup.sheet or game.sheets[0].id),
        ranks=[(rank.text, rank.shown) for rank in reversed(RANKS)],
        shown={rank.text: rank.shown for rank in RANKS},
        sheets=[(one.id, one.title, one.says) for one in game.sheets],
        house_rules=house_rule_fields(game),
        errors=errors or [],
        people=games.people(recent),
        last=recent[0] if recent and not setup.names else None,
        key=secrets.token_urlsafe(12),
        fresh=fresh,
        begun=begun,
    )


def _recent() -> list[games.GameLine]:
    lines = games.lines(database(), notebook_marker()).lines
    return [line for line in lines if not line.damaged]


# -- managing a game ------------------------------------------------------------------------------


@bp.get("/games/<game_id>/manage")
def manage(game_id: str) -> ResponseReturnValue:
    """Rename a game and its players, play again, put away, delete."""
    return game_page("games/manage.html", book_of(game_id), "", errors=[], entered={})


@bp.post("/games/<game_id>/names")
def save_names(game_id: str) -> ResponseReturnValue:
    """Give the game and its players the names that were entered."""
    book = book_of(game_id)
    sheet = book.sheet
    title = " ".join(request.form.get("title", sheet.title).split())
    names = [
        " ".join(request.form.get(f"name-{seat}", sheet.names[seat]).split())
        for seat in sheet.players
    ]
    try:
        events, errors = renames(sheet, title, names)
        if errors:
            raise Refused(422, errors, book)
        for step, event in enumerate(events):
            _write(game_id, event, step)
    except Refused as refused:
        entered = {"title": title, "names": names}
        return refused_page("games/manage.html", refused, "", entered=entered)
    flash("The names are saved." if events else "Nothing was changed.", "success")
    return redirect(url_for("games.manage", game_id=game_id), 303)


def _write(game_id: str, event: Event, step: int = 0) -> None:
    act(game_id, lambda _: event, step)


@bp.post("/games/<game_id>/archive")
def put_away(game_id: str) -> ResponseReturnValue:
    """Put the game into the archive."""
    return _change(game_id, GameArchived(), "The game is in the archive.", url_for("games.archive"))


@bp.post("/games/<game_id>/take-out")
def take_out(game_id: str) -> ResponseReturnValue:
    """Take the game out of the archive."""
    return _change(game_id, GameTakenOut(), "The game is back in the list.", url_for("games.home"))


@bp.get("/games/<game_id>/delete")
def ask_delete(game_id: str) -> ResponseReturnValue:
    """Ask before a game is deleted."""
    return game_page("games/delete.html", book_of(game_id), "", errors=[])


@bp.post("/games/<game_id>/delete")
def delete(game_id: str) -> ResponseReturnValue:
    """Delete the game; it can be restored."""
    done = "The game is deleted. Restore it here if that was a mistake."
    return _change(game_id, GameDeleted(), done, url_for("games.deleted"), "games/delete.html")


@bp.post("/games/<game_id>/restore")
def restore(game_id: str) -> ResponseReturnValue:
    """Bring a deleted game back."""
    return _change(
        game_id, GameRestored(), "The game is back.", url_for("games.manage", game_id=game_id)
    )


def _change(
    game_id: str, event: Event, done: str, then: str, template: str = "games/manage.html"
) -> ResponseReturnValue:
    try:
        _write(game_id, event)
    except Refused as refused:
        return refused_page(template, refused, "", entered={})
    flash(done, "success")
    return redirect(then, 303)


# -- from another installation --------------------------------------------------------------------


@bp.get("/games/import")
def import_form() -> ResponseReturnValue:
    """Choose a saved game to read in."""
    notebook_marker()
    return plain_page("games/import.html", errors=[])


@bp.post("/games/import")
def read_in() -> ResponseReturnValue:
    """Read a saved game in."""
    writer = notebook_marker()
    file = request.files.get("file")
    try:
        if file is None or not file.filename:
            raise exchange.NotAGame("Choose the file of a saved game first.")
        text = file.read().decode("utf-8-sig")
        game_id = exchange.read_in(database(), writer, text)
    except UnicodeDecodeError:
        sentence = "This file is not text. Choose a game that was saved here."
        return plain_page("games/import.html", errors=[("file", sentence)]), 422
    except exchange.NotAGame as problem:
        return plain_page("games/import.html", errors=[("file", str(problem))]), 422
    flash("The game is read in.", "success")
    return redirect(url_for("hand.show", game_id=game_id), 303)
