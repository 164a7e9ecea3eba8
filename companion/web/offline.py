"""The pages that a marker's phone keeps for when it has no network, and the app on its screen.

Pages are ``no-store``: browsers keep none by themselves. Our own service worker (static/sw.js)
precaches those with the header ``X-Keep``, which is the version of the page. Pages of hands that
have not begun come several at a time, as JSON that says what differs from hand to hand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, Final

from flask import Blueprint, Response, current_app, g, request, session, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.hand_sheet import RulingLine
from companion.rules.question import MAY_I
from companion.services.game_log import LoadedGame
from companion.services.games import has_next_game, is_newest, next_game
from companion.web.actions import loaded_game, shown_game
from companion.web.auth import database, game_only, marker, marker_id
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.rulings.form import ASKS
from companion.web.security import csrf_token
from companion.web.settings import settings
from companion.web.templating import FOLDER, asset, version, without_comments
from companion.web.upcoming import OF_HANDS, hand_ahead, hands_ahead

bp = Blueprint("offline", __name__)

Precached = tuple[str, str] | tuple[str, str, str]
"""The address of a page, its version, and perhaps where it can be had together with others."""

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
# Pages that a game has several of, and pages that only some games have.
_MORE: Final = (
    *("rulings.show", "upcards.form", "upcards.show"),
    *("hand.turned_form", "end.correct_form", "sheet.hand", "games.again"),
)
_RULINGS: Final = frozenset({"rulings.index", "rulings.form"})
_KEPT: Final = frozenset({*PAGES, *_MORE})
_OF_OPEN_HAND: Final = frozenset({"end.form", "end.throw_in_form", "rulings.form"})
_RULINGS_KEPT: Final = 6
_HANDS_KEPT: Final = 3
_PARTS: Final = ("marks", "rulings")  # the most needed first
_MARKS_AHEAD: Final = ("hand.show", "end.form", "penalties.form")
_LASTING: Final = frozenset({"rules.of_game", "games.again"})
_ICONS = (
    ("icons/icon-192.png", "192x192", "any"),
    ("icons/icon-512.png", "512x512", "any"),
    ("icons/maskable-512.png", "512x512", "maskable"),
)
# What pages load; icons are not kept.
_LOADED = (".css", ".js", ".svg")


@bp.get("/games/<game_id>/precache")
def precache(game_id: str) -> ResponseReturnValue:
    """Return the addresses of the game's pages to keep, each with its version.

    A page of a hand that has not begun has a third value: where it can be had with all others.
    Of a game that is over only if no other is kept since: otherwise it is opened to be looked at,
    and what the phone keeps of another one stays.
    """
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    if sheet.deleted:
        return {"pages": []}
    begun = has_next_game(database(), marker_id(), game_id)
    if sheet.over and (begun or not is_newest(database(), marker(), game_id)):
        return {}
    listed = [*_of_now(loaded), *_of_rulings(loaded), *_of_past(loaded)]
    pages: list[Precached] = [(one, page_version(endpoint, loaded)) for endpoint, one in listed]
    pages += _of_hands_ahead(loaded, hands_ahead(sheet))
    if not game_only():
        pages += _of_next_game(loaded, begun=begun)
    return {"pages": pages}


def _of_now(loaded: LoadedGame) -> Iterator[tuple[str, str]]:
    """Endpoint and address of the pages that a game has once; some end with the game."""
    game = loaded.sheet.game
    for endpoint in PAGES:
        if (
            (game.has_rulings or endpoint not in _RULINGS)
            and (game.lays_on_table or endpoint != "table.show")
            and not (loaded.sheet.over and endpoint in _OF_OPEN_HAND)
        ):
            yield endpoint, url_for(endpoint, game_id=loaded.record.id)


def _of_next_game(loaded: LoadedGame, *, begun: bool) -> Iterator[Precached]:
    """What begins the game that follows on this one, and pages of it, unless it is begun.

    They are of as many hands as are marked in this game, so that there are never more pages to keep
    than at its beginning; once it is over, of all.
    """
    sheet = loaded.sheet
    yield (
        url_for("games.again", game_id=loaded.record.id),
        page_version("games.again", loaded, begun=begun),
    )
    if begun:
        return
    to_come = next_game(loaded)
    hands = hands_ahead(to_come.sheet)[: None if sheet.over else len(sheet.marked)]
    if hands:
        turned = ["hand.turned_form"] if ending_of(sheet).turns_card else []
        for endpoint in ("rules.of_game", *turned):
            yield _address(endpoint, to_come), page_version(endpoint, to_come)
    yield from _of_hands_ahead(to_come, hands)


def _of_past(loaded: LoadedGame) -> Iterator[tuple[str, str]]:
    """What puts right what was written: the form of each marked hand, and of what was turned up.

    And the last hands, which show how their points came about.
    """
    sheet, game_id = loaded.sheet, loaded.record.id
    if ending_of(sheet).turns_card and not sheet.over:
        yield "hand.turned_form", url_for("hand.turned_form", game_id=game_id)
    for hand in sheet.hands[: -_HANDS_KEPT - 1 : -1]:
        yield "sheet.hand", url_for("sheet.hand", game_id=game_id, number=hand.number)
    for hand in reversed(sheet.marked):
        yield (
            "end.correct_form",
            url_for("end.correct_form", game_id=game_id, number=hand.number),
        )


def _of_hands_ahead(loaded: LoadedGame, hands: range) -> Iterator[Precached]:
    """Those of hands that have not begun: first what marks them, then what asks for rulings."""
    for part in _PARTS:
        together = _address("offline.hands_together", loaded, part=part, hands=len(hands))
        of_kinds = list(_kinds_ahead(loaded, part, hands))
        for number in range(len(hands)):
            yield from ((kind[number], version, together) for version, kind in of_kinds)


def _kinds_ahead(loaded: LoadedGame, part: str, hands: range) -> Iterator[tuple[str, list[str]]]:
    """Of each kind of page of a hand that has not begun its version, and where it is of each."""
    sheet = loaded.sheet
    kinds: list[tuple[str, str]] = []
    if part == "marks":
        kinds = [(endpoint, "") for endpoint in _MARKS_AHEAD]
    if part == "rulings" and sheet.game.has_rulings:
        asks = [f"&ask={ask}" for ask in ASKS if ask in sheet.hand.rules.disputes]
        kinds += [("rulings.form", kind) for kind in ("", *asks)]
    if part == "rulings" and sheet.game.lays_on_table:
        kinds.append(("table.show", ""))
    if part == "rulings" and MAY_I in sheet.hand.rules.disputes:
        kinds.append(("upcards.form", ""))
    for endpoint, kind in kinds:
        address = _address(endpoint, loaded)
        joined = "&" if "?" in address else "?"
        addresses = [f"{address}{joined}hand={number}{kind}" for number in hands]
        yield page_version(endpoint, loaded, ahead=True), addresses


def _address(endpoint: str, loaded: LoadedGame, **query: Any) -> str:
    """Return the address of a page of a game, which may be one that is not begun."""
    follows = loaded.follows or None
    return url_for(endpoint, game_id=loaded.record.id, follows=follows, **query)


@bp.get("/games/<game_id>/hands-ahead")
def hands_together(game_id: str) -> ResponseReturnValue:
    """Return pages of so many hands that have not begun: one of each kind, and what differs.

    They are what a request for each of them would answer. ``lines`` are those of the first hand's;
    a change of another one says at which line, how many of these go, and what comes there.
    """
    loaded = loaded_game(game_id)
    hands = hands_ahead(loaded.sheet)[: request.args.get("hands", 0, type=small_number)]
    if not hands:
        return {"kinds": []}
    csrf_token()  # which all of them then have
    kinds = []
    for version_of_kind, addresses in _kinds_ahead(loaded, request.args.get("part", ""), hands):
        first, *others = [_drawn(address).split("\n") for address in addresses]
        changes = [[], *(_changes(first, page) for page in others)]
        pages = list(zip(addresses, changes, strict=True))
        kinds.append({"version": version_of_kind, "lines": first, "pages": pages})
    return {"kinds": kinds}


def _drawn(address: str) -> str:
    """Return the page at one of our addresses, as this browser would get it ahead."""
    path, _, query = address.removeprefix(request.script_root).partition("?")
    asked = {"PATH_INFO": path, "QUERY_STRING": query, "HTTP_X_AHEAD": "1"}
    with current_app.request_context(request.environ | asked):
        return current_app.make_response(current_app.dispatch_request()).get_data(as_text=True)


def _changes(lines: list[str], others: list[str]) -> list[tuple[int, int, list[str]]]:
    """Return what makes other lines of these."""
    steps = SequenceMatcher(None, lines, others, autojunk=False).get_opcodes()
    return [(at, to - at, others[a:b]) for kind, at, to, a, b in steps if kind != "equal"]


def _of_rulings(loaded: LoadedGame) -> Iterator[tuple[str, str]]:
    """Endpoint and address of each kind of play's form, and of the last rulings of two hands.

    Those are this hand and the one before. A form that is asked for without a player lets the
    marker say whose play it was: one copy of it serves for all of them, and static/sw.js finds it.
    """
    sheet, game_id = loaded.sheet, loaded.record.id
    if not sheet.game.has_rulings:
        return
    asks = () if sheet.over else sheet.hand.rules.disputes
    for ask in ASKS:
        if ask in asks:
            yield "rulings.form", url_for("rulings.form", game_id=game_id, ask=ask)
    if MAY_I in asks:
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
    """Show no messages on a page fetched ahead: they are for the next page that is opened."""
    return {"messages": ()} if AHEAD in request.headers else {}


@bp.after_app_request
def mark(response: Response) -> Response:
    """Say of a page that it may be kept."""
    loaded = shown_game()
    fetched = AHEAD in request.headers
    if fetched:  # nobody opens it, so a message of its own would be told on another page
        session.modified = False
    if (
        loaded is not None
        and request.method == "GET"
        and response.status_code == 200
        and request.endpoint in _KEPT
        and "HX-Request" not in request.headers
        and (fetched or not g.tells)
    ):
        begun = request.endpoint == "games.again" and has_next_game(
            database(), marker_id(), (request.view_args or {})["game_id"]
        )
        of_hand = request.endpoint in {*OF_HANDS, "hand.turned_form"}
        ahead = of_hand and hand_ahead(loaded.sheet) is not None
        known = page_version(request.endpoint, loaded, ahead=ahead, begun=begun)
        response.headers["X-Keep"] = known
    return response


# -- the version of a page ------------------------------------------------------------------------


def page_version(
    endpoint: str, loaded: LoadedGame, *, ahead: bool = False, begun: bool = False
) -> str:
    """Return the version of a page: another one whenever the page would be another one.

    ``ahead`` says that it is of a hand that has not begun; ``begun``, of the page that begins the
    next game, whether that has begun.
    """
    sheet = loaded.sheet
    lasts: tuple[object, ...] = (version(), settings(), sheet.names, sheet.title, sheet.deck, begun)
    if not ahead and endpoint not in _LASTING:
        lasts += (loaded.record.last_number, loaded.record.updated_at)
    if endpoint == "rules.of_game":  # it says what can be asked in the open hand
        lasts += (sheet.hand.number, sheet.hand.turned, sheet.over)
    if ahead:
        lasts += ending_of(sheet).known_ahead(sheet, endpoint)
    return hashlib.sha256(repr((endpoint, lasts)).encode()).hexdigest()[:12]


# -- the app on the home screen -------------------------------------------------------------------


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """What the app is called, how it looks and where it starts."""
    home = url_for("games.home")
    said = {
        "id": home,
        "name": "Rummy companion",
        "short_name": "Rummy",
        "description": "Keeps the score and settles the disputes of rummy games with real cards",
        "start_url": home,
        "scope": home,
        "display": "standalone",
        "background_color": "#0f4430",
        "theme_color": "#0f4430",
        "icons": [
            {"src": asset(name), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in _ICONS
        ],
    }
    return Response(json.dumps(said), content_type="application/manifest+json")


@bp.get("/sw.js")
def worker() -> Response:
    """The service worker, which begins with the version of the static files and their addresses.

    So it changes whenever one of them does. It is served at the root, because it may only answer
    for addresses below its own.
    """
    files = [
        asset(path.relative_to(FOLDER).as_posix())
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _LOADED and path.name != "sw.js"
    ]
    begins = f"const version = {json.dumps(version())};\nconst files = {json.dumps(files)};\n"
    text = begins + without_comments((FOLDER / "sw.js").read_bytes()).decode()
    return Response(text, content_type="text/javascript; charset=utf-8")
