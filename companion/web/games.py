"""The games of a notebook: listed, found, begun, renamed, put away, played again."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import (
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameStarted,
    GameTakenOut,
    PlayerRenamed,
)
from companion.notebook.refusal import NotPossible
from companion.rules.cards import RANKS
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.services import exchange, games
from companion.services.books import Book
from companion.web.acting import Errors, Refused, act, book_of, field_id, key_sent, new_key
from companion.web.house import database, marker
from companion.web.pages import game_page, plain_page, refused_page
from companion.web.setup_form import Setup, read_setup, rule_tiles

bp = Blueprint("games", __name__)


@bp.get("/")
def home() -> ResponseReturnValue:
    """The notebook: the games that are being played or over, the newest first."""
    if "marker" not in session:
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
    page = request.args.get("page", "0")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 5 else 0
    found, more = games.lines(
        database(), marker(), search=search, archived=archived, deleted=deleted, page=number
    )
    return plain_page(
        template, lines=found, more=more, page=number, search=search, key=new_key(), games=GAMES
    )


# -- a new game -----------------------------------------------------------------------------------


@bp.get("/games/new")
def new() -> ResponseReturnValue:
    """The setup of a new game."""
    return _setup(Setup())


@bp.post("/games/new")
def start() -> ResponseReturnValue:
    """Begin the game, or do to the form what the pressed button says."""
    game = GAMES["proter"]
    setup = read_setup(request.form, game)
    most = game.players[1]
    if "last" in request.form:
        last = _recent()
        return _setup(setup.with_people(last[0].names if last else (), most))
    if "person" in request.form:
        return _setup(setup.with_people([request.form["person"]], most))
    if "more" in request.form:
        return _setup(setup.with_row(most))
    if "move" in request.form:
        return _setup(setup.moved(request.form["move"]))
    if "draw" in request.form:
        return _draw(setup)
    try:
        key = key_sent()
        game_id = games.start(database(), marker(), setup.event(game), key)
    except (NotPossible, Malformed) as problem:
        return _setup(setup, [(_in_form(problem, setup), str(problem))]), 422
    return redirect(url_for("hand.show", game_id=game_id), 303)


def _draw(setup: Setup) -> ResponseReturnValue:
    if not setup.drawing:
        return _setup(replace(setup, drawing=True))
    try:
        return _setup(setup.seated())
    except NotPossible as problem:
        return _setup(setup, [(field_id(problem), str(problem))]), 422


def _in_form(problem: ValueError, setup: Setup) -> str:
    """The field's id in the form, whose rows may have gaps between the names."""
    field = field_id(problem)
    kind, _, seat = field.partition("-")
    if kind == "names" and seat:
        filled = [row for row, name in enumerate(setup.names) if name]
        return f"name-{filled[int(seat)]}"
    return "name-0" if kind == "names" else field


def _setup(setup: Setup, errors: Errors | None = None) -> str:
    game = GAMES["proter"]
    recent = _recent()
    rows = setup.rows(game.players[1])
    seats = [name or f"Player {row}" for row, (name, _) in enumerate(rows, start=1)]
    return plain_page(
        "games/new.html",
        setup=setup,
        rules_game=game,
        rows=rows,
        dealers=list(enumerate(seats)),
        ranks=[(rank.text, rank.shown) for rank in reversed(RANKS)],
        sheets=[(one.id, one.title, one.says) for one in game.sheets],
        house_rules=rule_tiles(game),
        changed=sum(bool(value) for value in setup.rules.values()),
        errors=errors or [],
        people=games.people(recent),
        last=recent[0].names if recent else (),
        key=new_key(),
    )


def _recent() -> list[games.GameLine]:
    return games.lines(database(), marker())[0]


@bp.post("/games/<game_id>/rematch")
def rematch(game_id: str) -> ResponseReturnValue:
    """Another game with the same people and house rules, the next one dealing first."""
    book = book_of(game_id)
    try:
        event: GameStarted = games.rematch(book.sheet)
        new_id = games.start(database(), marker(), event, key_sent())
    except NotPossible as problem:
        return _manage(book, [("", str(problem))]), 422
    return redirect(url_for("hand.show", game_id=new_id), 303)


# -- managing a game ------------------------------------------------------------------------------


@bp.get("/games/<game_id>/manage")
def manage(game_id: str) -> ResponseReturnValue:
    """Rename a game and its players, play again, put away, delete."""
    return _manage(book_of(game_id))


def _manage(book: Book, errors: Errors | None = None) -> str:
    return game_page("games/manage.html", book, "", errors=errors or [], entered={})


@bp.post("/games/<game_id>/rename")
def rename(game_id: str) -> ResponseReturnValue:
    """Give the game a title, or none."""
    title = " ".join(request.form.get("title", "").split())
    return _change(game_id, GameRenamed(title), "The game is renamed.", {"title": title})


@bp.post("/games/<game_id>/players/<int:player>/rename")
def rename_player(game_id: str, player: int) -> ResponseReturnValue:
    """Write a player's name otherwise."""
    name = " ".join(request.form.get("name", "").split())
    return _change(
        game_id,
        PlayerRenamed(player, name),
        f"The player is called {name}.",
        {"player": player, "name": name},
    )


@bp.post("/games/<game_id>/archive")
def put_away(game_id: str) -> ResponseReturnValue:
    """Put the game into the archive."""
    return _change(game_id, GameArchived(), "The game is in the archive.")


@bp.post("/games/<game_id>/take-out")
def take_out(game_id: str) -> ResponseReturnValue:
    """Take the game out of the archive."""
    return _change(game_id, GameTakenOut(), "The game is back in the list.")


@bp.get("/games/<game_id>/delete")
def ask_delete(game_id: str) -> ResponseReturnValue:
    """Ask before a game is deleted."""
    return game_page("games/delete.html", book_of(game_id), "")


@bp.post("/games/<game_id>/delete")
def delete(game_id: str) -> ResponseReturnValue:
    """Delete the game; it can be restored."""
    try:
        act(game_id, lambda _: GameDeleted())
    except Refused as refused:
        return refused_page("changed.html", refused, "")
    flash("The game is deleted. It can be restored here.", "success")
    return redirect(url_for("games.deleted"), 303)


@bp.post("/games/<game_id>/restore")
def restore(game_id: str) -> ResponseReturnValue:
    """Bring a deleted game back."""
    return _change(game_id, GameRestored(), "The game is back.")


def _change(
    game_id: str, event: Event, done: str, entered: dict[str, object] | None = None
) -> ResponseReturnValue:
    try:
        act(game_id, lambda _: event)
    except Refused as refused:
        return refused_page("games/manage.html", refused, "", entered=entered or {})
    flash(done, "success")
    return redirect(url_for("games.manage", game_id=game_id), 303)


# -- from another installation --------------------------------------------------------------------


@bp.get("/games/import")
def import_form() -> ResponseReturnValue:
    """Choose a saved game to read in."""
    marker()
    return plain_page("games/import.html", errors=[])


@bp.post("/games/import")
def read_in() -> ResponseReturnValue:
    """Read a saved game in."""
    writer = marker()
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
