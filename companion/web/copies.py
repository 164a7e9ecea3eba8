"""Pages that a marker's phone may keep for when it has no network, and those to fetch ahead.

Pages are ``no-store``: browsers keep none by themselves. Our own service worker (static/sw.js)
keeps those with the header ``X-Keep``, whose value changes when the page would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response, g, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.scoresheet import RulingLine
from companion.services.again import is_newest, is_played_again
from companion.services.books import Book
from companion.web.acting import book_of
from companion.web.ahead import hands_ahead, is_ahead
from companion.web.follows import after
from companion.web.house import database, game_only, marker, marker_id
from companion.web.rulings_form import ASKS
from companion.web.stamps import stamp

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
    *("turned.form", "end.correct_form", "sheet.hand", "again.form"),
)
_RULINGS: Final = frozenset({"rulings.index", "rulings.form"})
_KEPT: Final = frozenset({*PAGES, *_MORE})
_OF_OPEN_HAND: Final = frozenset({"end.form", "end.throw_in_form", "rulings.form"})
_RULINGS_KEPT: Final = 6
_HANDS_KEPT: Final = 3
_MARKS_AHEAD: Final = ("hand.show", "end.form", "penalties.form")


@bp.get("/games/<game_id>/copies")
def of_game(game_id: str) -> ResponseReturnValue:
    """The addresses of the game's pages to keep, each with its ``X-Keep``.

    Of a game that is over only if no other is kept since: otherwise it is opened to be looked at,
    and what the phone keeps of another one stays.
    """
    book = book_of(game_id)
    sheet = book.sheet
    if sheet.deleted:
        return {"pages": []}
    begun = is_played_again(database(), marker_id(), game_id)
    if sheet.over and (begun or not is_newest(database(), marker(), game_id)):
        return {}
    listed = [*_of_now(book), *_of_rulings(book), *_of_past(book)]
    pages = [(address, stamp(endpoint, book)) for endpoint, address in listed]
    pages += _of_hands_ahead(book, hands_ahead(sheet))
    if not game_only():
        pages += _of_next_game(book, begun=begun)
    return {"pages": pages}


def _of_now(book: Book) -> Iterator[tuple[str, str]]:
    """Endpoint and address of the pages of which there is one; of a game that is over, fewer."""
    game = book.sheet.game
    for endpoint in PAGES:
        if (
            (game.has_rulings or endpoint not in _RULINGS)
            and (game.lays_on_table or endpoint != "table.show")
            and not (book.sheet.over and endpoint in _OF_OPEN_HAND)
        ):
            yield endpoint, url_for(endpoint, game_id=book.record.id)


def _of_next_game(book: Book, *, begun: bool) -> Iterator[tuple[str, str]]:
    """What begins the game that follows on this one, and pages of it, unless it is begun.

    They are of as many hands as are marked in this game, so that there are never more pages to keep
    than at its beginning; once it is over, of all.
    """
    sheet = book.sheet
    yield (
        url_for("again.form", game_id=book.record.id),
        stamp("again.form", book, begun=begun),
    )
    if begun:
        return
    to_come = after(book)
    hands = hands_ahead(to_come.sheet)[: None if sheet.over else len(sheet.marked)]
    if hands:
        for endpoint in ("rules.of_game", *(["turned.form"] if sheet.game.wild_turned else [])):
            yield url_for(endpoint, game_id=to_come.record.id), stamp(endpoint, to_come)
    yield from _of_hands_ahead(to_come, hands)


def _of_past(book: Book) -> Iterator[tuple[str, str]]:
    """What puts right what was written: the form of each marked hand, and of what was turned up.

    And the last hands, which show how their points came about.
    """
    sheet, game_id = book.sheet, book.record.id
    if sheet.game.wild_turned and not sheet.over:
        yield "turned.form", url_for("turned.form", game_id=game_id)
    for hand in sheet.hands[: -_HANDS_KEPT - 1 : -1]:
        yield "sheet.hand", url_for("sheet.hand", game_id=game_id, number=hand.number)
    for hand in reversed(sheet.marked):
        yield (
            "end.correct_form",
            url_for("end.correct_form", game_id=game_id, number=hand.number),
        )


def _of_hands_ahead(book: Book, hands: range) -> Iterator[tuple[str, str]]:
    """Those of hands that have not begun: first what marks them, then what asks for rulings."""
    sheet, game_id = book.sheet, book.record.id
    marks = [(endpoint, "") for endpoint in _MARKS_AHEAD]
    rulings: list[tuple[str, str]] = []
    if sheet.game.has_rulings:
        asks = sheet.hand.rules.disputes
        kinds = ["", *(f"&ask={ask}" for ask in ASKS if ask in asks)]
        rulings = [("rulings.form", kind) for kind in kinds]
    if sheet.game.lays_on_table:
        rulings.append(("table.show", ""))
    if sheet.hand.rules.may_i_rule:
        rulings.append(("upcards.form", ""))
    for some in (marks, rulings):
        addresses = [
            (url_for(endpoint, game_id=game_id), kind, stamp(endpoint, book, ahead=True))
            for endpoint, kind in some
        ]
        for number in hands:
            for address, kind, its_stamp in addresses:
                joined = "&" if "?" in address else "?"
                yield f"{address}{joined}hand={number}{kind}", its_stamp


def _of_rulings(book: Book) -> Iterator[tuple[str, str]]:
    """Endpoint and address of each kind of play's form, and of the last rulings of two hands.

    Those are this hand and the one before. A form that is asked for without a player lets the
    marker say whose play it was: one copy of it serves for all of them, and static/sw.js finds it.
    """
    sheet, game_id = book.sheet, book.record.id
    if not sheet.game.has_rulings:
        return
    asks = () if sheet.over else sheet.hand.rules.disputes
    for ask in ASKS:
        if ask in asks:
            yield "rulings.form", url_for("rulings.form", game_id=game_id, ask=ask)
    if sheet.hand.rules.may_i_rule and not sheet.over:
        yield "upcards.form", url_for("upcards.form", game_id=game_id)
    lines = [line for hand in sheet.hands[-2:] for line in hand.all_rulings]
    for line in lines[: -_RULINGS_KEPT - 1 : -1]:
        endpoint = "rulings.show" if isinstance(line, RulingLine) else "upcards.show"
        yield endpoint, url_for(endpoint, game_id=game_id, number=line.entry.number)


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
        begun = bool(g.get("is_played_again"))
        response.headers["X-Keep"] = stamp(request.endpoint, book, ahead=is_ahead(), begun=begun)
    return response
