"""Pages that a marker's phone may keep for when it has no network, and those to fetch ahead.

Pages are ``no-store``: browsers keep none by themselves. Our own service worker (static/sw.js)
keeps those with the header ``X-Keep``, whose value changes when the page would.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response, g, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook import rummies
from companion.notebook.scoresheet import RulingLine, ScoreSheet
from companion.services.books import Book
from companion.web.acting import book_of
from companion.web.ahead import hands_ahead, is_ahead
from companion.web.assets import version
from companion.web.look import settings
from companion.web.rulings_form import ASKS

bp = Blueprint("copies", __name__)

AHEAD: Final = "X-Ahead"
# Those of a game that a marker has a use for at the table, the most needed first.
PAGES: Final = (
    "hand.show",
    "end.form",
    "penalties.form",
    "sheet.show",
    "rulings.index",
    "rulings.form",
    "table.show",
    "tally.show",
    "end.throw_in_form",
    "rules.of_game",
    "games.manage",
)
# Those of which there are several, and those of some games only.
_MORE: Final = (
    *("rulings.show", "upcards.form", "upcards.show"),
    *("turned.form", "end.correct_form", "sheet.hand"),
)
_RULINGS: Final = frozenset({"rulings.index", "rulings.form"})
_KEPT: Final = frozenset({*PAGES, *_MORE})
_LASTING: Final = frozenset({"rules.of_game"})
_RULINGS_KEPT: Final = 6
_HANDS_KEPT: Final = 3
_MARKS_AHEAD: Final = ("hand.show", "end.form", "penalties.form")


@bp.get("/games/<game_id>/copies")
def of_game(game_id: str) -> ResponseReturnValue:
    """The addresses of the game's pages to keep, each with its ``X-Keep``."""
    book = book_of(game_id)
    sheet = book.sheet
    pages = [
        (url_for(endpoint, game_id=game_id), _stamp(endpoint, book))
        for endpoint in PAGES
        if (sheet.game.has_rulings or endpoint not in _RULINGS)
        and (sheet.game.has_table or endpoint != "table.show")
    ]
    if sheet.game.has_rulings:
        pages += [
            (address, _stamp(endpoint, book)) for endpoint, address in _of_rulings(game_id, sheet)
        ]
    pages += [(address, _stamp(endpoint, book)) for endpoint, address in _of_past(game_id, sheet)]
    pages += _of_hands_ahead(book)
    return {"pages": [] if sheet.over or sheet.deleted else pages}


def _of_past(game_id: str, sheet: ScoreSheet) -> Iterator[tuple[str, str]]:
    """What puts right what was written: the form of each marked hand, and of what was turned up.

    And the last hands, which show how their points came about.
    """
    if sheet.game.wild_turned:
        yield "turned.form", url_for("turned.form", game_id=game_id)
    for hand in sheet.hands[: -_HANDS_KEPT - 1 : -1]:
        yield "sheet.hand", url_for("sheet.hand", game_id=game_id, number=hand.number)
    for hand in reversed(sheet.marked):
        yield (
            "end.correct_form",
            url_for("end.correct_form", game_id=game_id, number=hand.number),
        )


def _of_hands_ahead(book: Book) -> Iterator[tuple[str, str]]:
    """Those of the hands that have not begun: first what marks them, then what asks for rulings."""
    sheet, game_id = book.sheet, book.record.id
    marks = [(endpoint, "") for endpoint in _MARKS_AHEAD]
    rulings: list[tuple[str, str]] = []
    if sheet.game.has_rulings:
        asks = sheet.hand.rules.asks
        kinds = ["", *(f"&ask={ask}" for ask in ASKS if ask in asks)]
        rulings = [("rulings.form", kind) for kind in kinds]
    if sheet.game.has_table:
        rulings.append(("table.show", ""))
    if sheet.hand.rules.may_i_rule:
        rulings.append(("upcards.form", ""))
    for some in (marks, rulings):
        addresses = [
            (url_for(endpoint, game_id=game_id), kind, _stamp(endpoint, book, ahead=True))
            for endpoint, kind in some
        ]
        for number in hands_ahead(sheet):
            for address, kind, stamp in addresses:
                yield f"{address}?hand={number}{kind}", stamp


def _of_rulings(game_id: str, sheet: ScoreSheet) -> Iterator[tuple[str, str]]:
    """Endpoint and address of each kind of play's form, and of the last rulings of two hands.

    Those are this hand and the one before. A form that is asked for without a player lets the
    marker say whose play it was: one copy of it serves for all of them, and static/sw.js finds it.
    """
    asks = sheet.hand.rules.asks
    for ask in ASKS:
        if ask in asks:
            yield "rulings.form", url_for("rulings.form", game_id=game_id, ask=ask)
    if sheet.hand.rules.may_i_rule:
        yield "upcards.form", url_for("upcards.form", game_id=game_id)
    lines = [line for hand in sheet.hands[-2:] for line in hand.all_rulings]
    for line in lines[: -_RULINGS_KEPT - 1 : -1]:
        endpoint = "rulings.show" if isinstance(line, RulingLine) else "upcards.show"
        yield endpoint, url_for(endpoint, game_id=game_id, number=line.entry.number)


def _stamp(endpoint: str, book: Book, *, ahead: bool = False) -> str:
    sheet = book.sheet
    lasts: tuple[object, ...] = (version(), settings(), sheet.names, sheet.title, sheet.deck)
    if not ahead and endpoint not in _LASTING:
        lasts += (book.record.last_number, book.record.updated_at)
    if ahead and sheet.game.judge.declares:
        lasts += _known_ahead(endpoint, sheet)
    return hashlib.sha256(repr((endpoint, lasts)).encode()).hexdigest()[:12]


def _known_ahead(endpoint: str, sheet: ScoreSheet) -> tuple[object, ...]:
    """What a page of a hand that has not begun shows of the record, where Rummies end the hands."""
    turned = None if endpoint == "penalties.form" else sheet.hand.turned
    playing = () if endpoint == "hand.show" else sheet.playing
    made = sorted(rummies.declared(sheet)) if endpoint == "end.form" else ()
    return turned, playing, made


@bp.before_app_request
def tells() -> None:
    """See, before the page is drawn, whether it tells what was done: such a page is not kept."""
    g.tells = request.endpoint != "static" and "_flashes" in session


@bp.app_context_processor
def quietly() -> dict[str, object]:
    """A page that is fetched ahead leaves what is to be told for the page that is looked at."""
    return {"messages": ()} if AHEAD in request.headers else {}


@bp.after_app_request
def mark(response: Response) -> Response:
    """Say of a page that it may be kept."""
    book = g.get("book")
    fetched = AHEAD in request.headers
    if (
        book is not None
        and request.method == "GET"
        and response.status_code == 200
        and request.endpoint in _KEPT
        and "HX-Request" not in request.headers
        and (fetched or not g.tells)
    ):
        response.headers["X-Keep"] = _stamp(request.endpoint, book, ahead=is_ahead())
    return response
