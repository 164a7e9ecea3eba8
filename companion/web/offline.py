"""What a marker's phone needs without a network: pages to keep, actions to send later, the app.

Pages are ``no-store``: browsers keep none by themselves. Our own service worker (static/sw.js)
precaches those with the header ``X-Keep``, which is the version of the page. Pages of upcoming
hands come several at a time, as JSON that lists the lines in which they differ.

What could not be sent when it was entered is sent later (static/js/outbox.js), with the header
``X-Action``: ``send`` if its page is open, ``later`` if nobody waits for the answer. It is answered
in JSON:

    to      the address that comes next, with ``entry``, the number of the last entry made, and
            ``after``, the number before the first one
    says    its result in words; or why it was refused, or what it asks, with ``page`` to show in
            place of an open one

Every answer has the header, too, so that a hotel's login page is not taken for ours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, Final

from flask import (
    Blueprint,
    Response,
    after_this_request,
    current_app,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.notebook.hand_sheet import RulingLine
from companion.rules.question import MAY_I
from companion.services.game_log import LoadedGame
from companion.services.games import has_next_game, is_newest, next_game
from companion.web.actions import (
    ACTION,
    ENTRIES,
    PER_HAND,
    loaded_game,
    upcoming_hand,
    upcoming_hands,
)
from companion.web.auth import csrf_token, database, game_only, marker, marker_id
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.pages import Page, settings
from companion.web.rulings.form import ASKS
from companion.web.save_hand import usual_layout
from companion.web.templating import FOLDER, asset, chosen_language, version, without_comments

bp = Blueprint("offline", __name__)

# The header of a request that fetches a page to keep it.
PRECACHE: Final = "X-Precache"
# The pages that a phone can keep.
_KEPT: Final = PER_HAND | {
    *("sheet.show", "sheet.hand", "tally.show", "rules.of_game", "rulings.index", "rulings.show"),
    *("disputes.upcard", "save_hand.correct_form", "save_hand.throw_in_form"),
    *("save_hand.game_form", "hand.turned_form", "games.manage", "games.again"),
}
_RULINGS_KEPT, _HANDS_KEPT = 6, 3
# The static files that a phone keeps, by suffix: those that pages load.
_STATIC_KEPT = (".css", ".js", ".svg")


@bp.get("/games/<game_id>/precache")
def precache(game_id: str) -> ResponseReturnValue:
    """Return the addresses of the game's pages to keep, each with its version.

    A page of an upcoming hand has a third value: the address that returns all of them together.
    For a game that is over while another one is being played, the answer is empty: the phone goes
    on keeping the other one.
    """
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    if sheet.deleted:
        return {"pages": []}
    begun = has_next_game(database(), marker_id(), game_id)
    if sheet.over and (begun or not is_newest(database(), marker(), game_id)):
        return {}
    pages: list[tuple[str, ...]] = [
        (url_for(endpoint, game_id=game_id, **values), page_version(endpoint, loaded))
        for endpoint, values in _game_pages(loaded)
    ]
    pages += _upcoming_pages(loaded, upcoming_hands(sheet))
    pages += [] if begun or game_only() else _next_game_pages(loaded)
    return {"pages": pages}


def _game_pages(loaded: LoadedGame) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the pages of a game: those it has once, the last rulings and hands, and corrections.

    The form for a ruling is kept once, without a player: static/sw.js shows it for every player,
    and the marker says there whose play it was.
    """
    sheet, game = loaded.sheet, loaded.sheet.game
    # The pages that a marker uses at the table, the most needed first.
    once = {
        "hand.show": True,
        "save_hand.form": not sheet.over,
        "penalties.form": True,
        "sheet.show": True,
        "rulings.index": game.has_rulings,
        "rulings.form": game.has_rulings and not sheet.over,
        "table.show": game.lays_on_table,
        "tally.show": True,
        "save_hand.throw_in_form": not sheet.over,
        "save_hand.game_form": bool(sheet.marked) and not sheet.over,
        "rules.of_game": True,
        "games.manage": True,
        "games.again": not game_only(),
    }
    yield from ((endpoint, {}) for endpoint, is_wanted in once.items() if is_wanted)
    if game.has_rulings:
        asks = () if sheet.over else sheet.hand.rules.disputes
        yield from (("rulings.form", {"ask": ask}) for ask in ASKS if ask in asks)
        if MAY_I in asks:
            yield "disputes.may_i", {}
        lines = [line for hand in sheet.hands[-2:] for line in hand.all_rulings]
        for line in lines[: -_RULINGS_KEPT - 1 : -1]:
            endpoint = "rulings.show" if isinstance(line, RulingLine) else "disputes.upcard"
            yield endpoint, {"number": line.entry.number}
    if ending_of(sheet).turns_card and not sheet.over:
        yield "hand.turned_form", {}
    for hand in sheet.hands[: -_HANDS_KEPT - 1 : -1]:
        yield "sheet.hand", {"number": hand.number}
    for hand in reversed(sheet.marked):
        yield "save_hand.correct_form", {"number": hand.number}


def _next_game_pages(loaded: LoadedGame) -> Iterator[tuple[str, ...]]:
    """Yield pages of the rematch: for as many hands as are marked here, for all once this is over.

    So a phone never keeps more pages than at the game's beginning.
    """
    sheet, following = loaded.sheet, next_game(loaded)
    hands = upcoming_hands(following.sheet)[: None if sheet.over else len(sheet.marked)]
    if hands:
        turned = ["hand.turned_form"] if ending_of(sheet).turns_card else []
        for endpoint in ("rules.of_game", *turned):
            yield _address(endpoint, following), page_version(endpoint, following)
    yield from _upcoming_pages(following, hands)


def _upcoming_pages(loaded: LoadedGame, hands: range) -> Iterator[tuple[str, ...]]:
    """Yield the pages of upcoming hands: first those that mark them, then those for rulings."""
    for part in ("marks", "rulings"):
        together = _address("offline.hands_together", loaded, part=part, hands=len(hands))
        for version_of_kind, addresses in _upcoming_kinds(loaded, part, hands):
            yield from ((address, version_of_kind, together) for address in addresses)


def _upcoming_kinds(loaded: LoadedGame, part: str, hands: range) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of page of upcoming hands: its version, and its address for each hand."""
    disputes, game = loaded.sheet.hand.rules.disputes, loaded.sheet.game
    kinds: list[tuple[str, str | None]] = []
    if part == "marks":
        kinds = [("hand.show", None), ("save_hand.form", None), ("penalties.form", None)]
    elif part == "rulings" and game.has_rulings:
        kinds = [("rulings.form", ask) for ask in (None, *ASKS) if ask in {None, *disputes}]
        kinds += [("table.show", None)] * game.lays_on_table
        kinds += [("disputes.may_i", None)] * (MAY_I in disputes)
    for endpoint, ask in kinds:
        addresses = [_address(endpoint, loaded, hand=number, ask=ask) for number in hands]
        yield page_version(endpoint, loaded, upcoming=True), addresses


def _address(endpoint: str, loaded: LoadedGame, **query: Any) -> str:
    """Return the address of a page of a game, also of one that has not begun."""
    before = loaded.game_before or None
    return url_for(endpoint, game_id=loaded.record.id, before=before, **query)


@bp.get("/games/<game_id>/upcoming-hands")
def hands_together(game_id: str) -> ResponseReturnValue:
    """Return the pages of the next upcoming hands, kind by kind; the address says how many.

    ``lines`` are those of the first hand's page. Another hand's page is a list of changes to them:
    the line, how many lines are removed, and the lines that come there.
    """
    loaded = loaded_game(game_id)
    hands = upcoming_hands(loaded.sheet)[: request.args.get("hands", 0, type=small_number)]
    if not hands:
        return {"kinds": []}
    csrf_token()  # made here, so that all pages have the same one
    kinds = []
    for version_of_kind, addresses in _upcoming_kinds(loaded, request.args.get("part", ""), hands):
        first, *others = [_drawn(address).split("\n") for address in addresses]
        changes = [[], *(_changes(first, page) for page in others)]
        pages = list(zip(addresses, changes, strict=True))
        kinds.append({"version": version_of_kind, "lines": first, "pages": pages})
    return {"kinds": kinds}


def _drawn(address: str) -> str:
    """Return the page at this address, as this browser would get it to keep."""
    path, _, query = address.removeprefix(request.script_root).partition("?")
    asked = {"PATH_INFO": path, "QUERY_STRING": query, "HTTP_X_PRECACHE": "1"}
    with current_app.request_context(request.environ | asked):
        return current_app.make_response(current_app.dispatch_request()).get_data(as_text=True)


def _changes(lines: list[str], others: list[str]) -> list[tuple[int, int, list[str]]]:
    """Return the changes that turn these lines into the others."""
    steps = SequenceMatcher(None, lines, others, autojunk=False).get_opcodes()
    return [(at, to - at, others[a:b]) for kind, at, to, a, b in steps if kind != "equal"]


@bp.before_app_request
def mark_page() -> None:
    """Mark a page that a phone may keep with its version. One with a message may not be kept."""
    if PRECACHE in request.headers or (request.endpoint in _KEPT and "_flashes" not in session):
        after_this_request(mark)


def mark(response: Response) -> Response:
    """Add the header with the page's version, if a phone may keep the page."""
    if PRECACHE in request.headers:  # nobody opens it, so it must not use up a message
        session.modified = False
    endpoint, loaded = request.endpoint, response.loaded if isinstance(response, Page) else None
    is_whole = request.method == "GET" and "HX-Request" not in request.headers
    if not is_whole or endpoint not in _KEPT or loaded is None or response.status_code != 200:
        return response
    if endpoint == "games.again" or "hand" in request.args:  # the page was given a changed game
        loaded = loaded_game((request.view_args or {})["game_id"])
    of_hand = endpoint in {*PER_HAND, "hand.turned_form"}
    upcoming = of_hand and upcoming_hand(loaded.sheet) is not None
    response.headers["X-Keep"] = page_version(endpoint, loaded, upcoming=upcoming)
    return response


# -- the version of a page ------------------------------------------------------------------------


def page_version(endpoint: str, loaded: LoadedGame, *, upcoming: bool = False) -> str:
    """Return the version of a page, which changes whenever the page does."""
    sheet = loaded.sheet
    look = version(), chosen_language(), settings()
    shown: list[object] = [sheet.names, sheet.title, sheet.deck, sheet.first_dealer]
    if upcoming:
        outs = ending_of(sheet).outs(sheet, sheet.hand.number, nobody=False)
        shown += [sheet.hand.turned, outs]
        if endpoint == "save_hand.form":  # boxes that are open, and by cards or points
            shown += [[*sheet.filled_boxes(seat)] for seat in sheet.players]
            shown += [usual_layout(sheet)]
    elif endpoint == "rules.of_game":  # it says what can be asked in the open hand
        shown += [sheet.hand.number, sheet.hand.turned, sheet.over]
    elif endpoint == "games.again":
        shown += [has_next_game(database(), marker_id(), loaded.record.id)]
    else:
        shown += [loaded.record.last_number, loaded.record.updated_at]
    return hashlib.sha256(repr((endpoint, look, shown)).encode()).hexdigest()[:12]


# -- what is sent later ---------------------------------------------------------------------------


@bp.get("/outbox")
def token() -> ResponseReturnValue:
    """Return a fresh CSRF token. Answers 403 to a browser that is not a marker now."""
    marker()
    return {"token": csrf_token()}


@bp.app_context_processor
def about_the_phone() -> dict[str, object]:
    """Tell templates whether this browser has a marker's cookie, and if that is for one game only.

    Pages are kept only with the cookie; waiting actions are shown without it, too. A page that is
    fetched to be kept shows no messages: they are for the next page that the marker opens.
    """
    shown: dict[str, object] = {"messages": ()} if PRECACHE in request.headers else {}
    return shown | {"keeps_score": isinstance(session.get("marker"), str), "game_only": game_only()}


@bp.before_app_request
def keep_messages() -> None:
    """Keep the messages for the next page as they are: an action that is sent later adds none."""
    if request.headers.get(ACTION) != "later":
        return
    messages = list(session.get("_flashes", ()))

    @after_this_request
    def restore(response: Response) -> Response:
        if response.status_code == 303 and "_flashes" in session:
            session["_flashes"] = messages
        return response


@bp.after_app_request
def answer(response: Response) -> Response:
    """Answer in JSON if a phone had kept the action."""
    if (how := request.headers.get(ACTION)) is None:
        return response
    response.headers[ACTION] = "answered"
    reply: dict[str, object] = {}
    if response.status_code == 303:
        response.status_code = 200
        reply["to"] = response.headers.pop("Location")
        reply |= {"says": response.says} if isinstance(response, Page) else {}
        entries = response.headers.getlist(ENTRIES, type=int)
        if entries:
            reply |= {"entry": entries[-1], "after": entries[0] - 1}
    elif response.mimetype == "text/html":
        reply["says"] = response.says if isinstance(response, Page) else ""
        if how == "send":
            reply["page"] = response.get_data(as_text=True)
    else:
        return response
    response.set_data(json.dumps(reply))
    response.content_type = "application/json"
    return response


# -- the app on the home screen -------------------------------------------------------------------


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the app's name, its look and its first page."""
    return Response(render_template("manifest.json"), content_type="application/manifest+json")


@bp.get("/sw.js")
def worker() -> Response:
    """Return the service worker, with the version and the addresses of the static files first.

    So it changes whenever a static file does. Its texts are in the browser's language. It is at
    the root, because a worker may only answer for addresses below its own.
    """
    files = [
        asset(path.relative_to(FOLDER).as_posix())
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _STATIC_KEPT and path.name != "sw.js"
    ]
    constants = {
        "version": version(),
        "files": files,
        "noConnection": render_template("no_connection.html"),
        "toTheGame": render_template("no_connection.html", has_game=True),
    }
    text = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    text += without_comments((FOLDER / "sw.js").read_bytes()).decode()
    return Response(text, content_type="text/javascript; charset=utf-8")
