"""The viewers' pages, which show one game and nothing else, and the page with their link."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from PIL import Image, ImageDraw, ImageFont
from werkzeug.exceptions import BadHost

from companion.notebook import events
from companion.notebook.describe import news, score
from companion.notebook.replay import standing_entries
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _, listed
from companion.services import NotFound
from companion.services.game_log import LoadedGame, open_for_viewer, viewed_number
from companion.services.games import change_viewers_link, next_viewer_key
from companion.services.rate_limits import Tried
from companion.store import Database
from companion.web.actions import loaded_game
from companion.web.auth import database, limit, marker_id
from companion.web.hand import HandPage
from companion.web.pages import cached, game_page, go_on, settings
from companion.web.sheet import hand_context
from companion.web.tally import picture as result_picture, tally_context
from companion.web.templating import chosen_language, hand_heading

bp = Blueprint("viewers", __name__)

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_LAYOUT: Final = "viewers/_base.html"
# The events that viewers see beside marks, and how many of all.
_NEWS_EVENTS: Final = (
    events.PenaltyCharged,
    events.HousePenalty,
    events.PenaltyWithdrawn,
    events.RulingEnforced,
    events.HandThrownIn,
    events.GameEnded,
)
_MOST_NEWS: Final = 3

Found = TypeVar("Found")


def shown_by(find: Callable[[Database, str], Found], key: str) -> Found:
    """Return what a key shows. Answers 404 if that is nothing; may raise `TooOften`."""
    try:
        return find(database(), key)
    except NotFound:
        limit(Tried.WRONG_KEY)
        abort(Response(_nothing_shown(), 404))


def _nothing_shown() -> str:
    """Say that the link shows nothing: in the place of a sheet that it showed, or as a page."""
    is_part = request.endpoint in {"viewers.live", "viewers.screen_live"}
    says = _(
        "The address is not complete, the link was changed, or the game was deleted. Ask"
        " whoever keeps the score to show its code again."
    )
    return render_template(
        "plain.html",
        title=_("Nothing is shown here"),
        lead=says,
        layout=_LAYOUT,
        part=is_part,
        leads_to_no_game=True,
    )


def _page(template: str, key: str, sheet: ScoreSheet, section: str, **context: object) -> str:
    """Return a page of a game as a viewer sees it. It gets nothing that is only for markers."""
    return render_template(
        template,
        layout=_LAYOUT,
        sheet=sheet,
        section=_(section),
        game_nav=[
            (_("Sheet"), url_for("viewers.sheet", key=key)),
            (_("Tally"), url_for("viewers.tally", key=key)),
        ],
        viewer_key=key,
        standings_line=standings_line(sheet),
        **context,
    )


def _live_page(
    key: str, loaded: LoadedGame, next_key: str, *, part: bool = False
) -> ResponseReturnValue:
    """Return the viewers' page of a game, or its screen, for a television in the room.

    A line of the standings has the total, the points of this hand, and the number of the hand with
    the last points (0 before there are any). A screen redirects to that of the next game.
    """
    sheet, is_screen = loaded.sheet, "screen" in str(request.endpoint)
    if is_screen and next_key:
        address = url_for("viewers.screen", key=next_key)
        return ("", 200, {"HX-Redirect": address}) if part else redirect(address, 303)
    lines = []
    for standing in sheet.standings():
        now = 0 if sheet.over else sheet.hand.mark(standing.player).points
        last = sheet.hand.number if now else len(sheet.marked)
        lines.append((standing, score(standing.total), now, last))
    return _page(
        "viewers/screen.html" if is_screen else "viewers/sheet.html",
        key,
        sheet,
        "Sheet",
        part=part,
        heading=heading(sheet),
        page=None if sheet.over else HandPage(sheet, sheet.hand),
        lines=lines,
        news=[(news(one.event, sheet), f"{one.at.astimezone():%H:%M}") for one in _latest(loaded)],
        leaders=sheet.leaders() if sheet.marked else (),
        next_url=url_for("viewers.sheet", key=next_key) if next_key else "",
        keep_awake=is_screen,
    )


def _latest(loaded: LoadedGame) -> list[events.Entry]:
    """Return the latest entries with marks, penalties or ends that stand, the newest first."""
    marks = {hand.marking.entry.number for hand in loaded.sheet.marked if hand.marking}
    entries = reversed(standing_entries(loaded.entries))
    shown = (one for one in entries if isinstance(one.event, _NEWS_EVENTS) or one.number in marks)
    return [*islice(shown, _MOST_NEWS)]


@bp.get("/v/<key>", endpoint="sheet")
@bp.get("/v/<key>/screen", endpoint="screen")
def follow(key: str) -> ResponseReturnValue:
    """Show the standings, the latest news, and the score sheet; or a screen for a room to read.

    Both follow the game, and the screen goes on to the next one.
    """
    loaded = shown_by(open_for_viewer, key)
    return _live_page(key, loaded, _next_key(loaded))


@bp.get("/v/<key>/live", endpoint="live")
@bp.get("/v/<key>/screen/live", endpoint="screen_live")
def live(key: str) -> ResponseReturnValue:
    """Return the page if there are entries after ``since``, or another game; otherwise 204."""
    # Nearly always there is nothing new, and then only one row is read.
    number = viewed_number(database(), key)
    is_new = number is None or request.args.get("since") != str(number)
    if not is_new and "over" not in request.args:
        return "", 204
    loaded = shown_by(open_for_viewer, key)
    next_key = _next_key(loaded)
    if next_key:
        return _live_page(key, loaded, next_key, part=True)
    if not is_new:
        return "", 204
    look = (request.script_root, chosen_language(), *settings().values())
    name = (request.endpoint, key, loaded.record.last_number, loaded.record.updated_at, *look)
    return cached(name, lambda: str(_live_page(key, loaded, "", part=True)))


def _next_key(loaded: LoadedGame) -> str:
    return next_viewer_key(database(), loaded.record) if loaded.sheet.over else ""


@bp.get("/v/<key>/hands/<int:number>")
def hand(key: str, number: int) -> ResponseReturnValue:
    """Show one hand, and how each player's points came about."""
    loaded = shown_by(open_for_viewer, key)
    context = hand_context(loaded, number, url_for("viewers.sheet", key=key))
    return _page("sheet/hand.html", key, loaded.sheet, "Sheet", **context)


@bp.get("/v/<key>/tally")
def tally(key: str) -> ResponseReturnValue:
    """Show the tally."""
    sheet = shown_by(open_for_viewer, key).sheet
    context = {"drawn": url_for("viewers.result", key=key), **tally_context(sheet)}
    return _page("tally/show.html", key, sheet, "Tally", **context)


@bp.get("/v/<key>/result.svg")
def result(key: str) -> ResponseReturnValue:
    """Return the result as a picture."""
    return result_picture(shown_by(open_for_viewer, key).sheet)


@bp.get("/v/<key>/standings.png")
def standings(key: str) -> ResponseReturnValue:
    """Return the picture that a messenger shows beside the link."""
    loaded = shown_by(open_for_viewer, key)
    record = loaded.record
    name = ("standings", chosen_language(), record.id, record.last_number, record.updated_at)
    return Response(cached(name, lambda: draw(loaded.sheet)), content_type="image/png")


def standings_line(sheet: ScoreSheet) -> str:
    """Return the standings in one line: ``Hand 5 of 13: Ana 51, Ben 70``."""
    standings = [f"{sheet.names[row.player]} {score(row.total)}" for row in sheet.standings()]
    totals = listed(standings, "standard-narrow")
    return f"{heading(sheet)}: {totals}"


@bp.get("/games/<game_id>/code")
def code(game_id: str) -> ResponseReturnValue:
    """Show the viewers' address as a code for other phones to scan."""
    loaded = loaded_game(game_id)
    address = url_for("viewers.sheet", key=loaded.record.viewer_key, _external=True)
    return game_page("viewers/code.html", loaded, "", **code_to_scan(address))


@bp.post("/games/<game_id>/code")
def change_link(game_id: str) -> ResponseReturnValue:
    """Give the game another viewers' link; the old one stops working."""
    change_viewers_link(database(), game_id, marker_id(), request.form.get("old", ""))
    done = _("The link is changed. Show the new code to those who may watch.")
    return go_on(done, url_for("viewers.code", game_id=game_id))


def code_to_scan(address: str) -> dict[str, Any]:
    """Return an address, its code as a picture with its size, and if it works only here."""
    try:
        drawn = segno.make(address, error="m", micro=False)
    except segno.DataOverflowError:  # no host has so long a name
        raise BadHost from None
    return {
        "address": address,
        "picture": drawn.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True),
        "size": 8 * drawn.symbol_size(border=4)[0],
        "only_here": urlsplit(address).hostname in _THIS_MACHINE,
    }


# -- the picture of the standings -----------------------------------------------------------------
# Its font has Latin, Greek and Cyrillic. A name in another script is replaced by its seat, as in
# ``Player 2``; the words beside the picture have it in full.

SIZE: Final = (1200, 630)
FONT: Final = Path(__file__).with_name("fonts") / "DejaVuSans-Bold.ttf"
_CLOTH, _PAPER, _INK, _RED, _GOLD = "#0f4430", "#fbfaf5", "#17221c", "#b3202a", "#f2cf7b"
_MARGIN: Final = 64
_FIRST: Final = 176
_MOST_ROWS: Final = 8


def draw(sheet: ScoreSheet) -> bytes:
    """Return the standings of a game as a PNG of 1200 × 630."""
    image = Image.new("RGB", SIZE, _CLOTH)
    pen = ImageDraw.Draw(image)
    for at, suit in enumerate("♣♦♥♠"):
        left = SIZE[0] - _MARGIN - (4 - at) * 84
        pen.rounded_rectangle((left, 44, left + 72, 140), 10, fill=_PAPER)
        pen.text((left + 36, 92), suit, _RED if suit in "♦♥" else _INK, _font(52), anchor="mm")
    pen.text((_MARGIN, 92), heading(sheet), _PAPER, _font(60), anchor="lm")
    standings, leaders = sheet.standings()[:_MOST_ROWS], sheet.leaders() if sheet.marked else ()
    height = min((SIZE[1] - _FIRST - 30) // max(len(standings), 1), 110)
    size = min(height * 6 // 10, 56)
    for row, standing in enumerate(standings):
        middle = _FIRST + row * height + height // 2
        colour = _GOLD if standing.player in leaders else _PAPER
        total = score(standing.total)
        end = SIZE[0] - _MARGIN - _font(size).getlength(total) - 30
        place = f"{standing.place}." if sheet.is_counted else ""
        pen.text((_MARGIN, middle), place, colour, _font(size), anchor="lm")
        start = _MARGIN + _font(size).getlength("00. ")
        name = cut(drawable(sheet.names[standing.player], standing.player + 1), size, end - start)
        pen.text((start, middle), name, colour, _font(size), anchor="lm")
        pen.text((SIZE[0] - _MARGIN, middle), total, colour, _font(size), anchor="rm")
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def heading(sheet: ScoreSheet) -> str:
    """Return how far the game has come: ``Hand 5 of 13``."""
    if sheet.over:
        return _("Final score")
    return hand_heading(sheet.game, sheet.hand.number)


def drawable(name: str, seat: int) -> str:
    """Return the name without emoji, or ``Player 2`` if the font lacks a letter of it."""
    letters = "".join(
        sign
        for sign in unicodedata.normalize("NFC", name)
        if unicodedata.category(sign) not in {"So", "Sk", "Cf", "Cn", "Co", "Me"}
        and sign != "\ufe0f"
    )
    letters = " ".join(letters.split())
    return letters if letters and all(map(_has_glyph, letters)) else _("Player %(seat)s", seat=seat)


def cut(text: str, size: int, width: float) -> str:
    """Return the text, or as much of it as fits into ``width`` pixels, with an ellipsis."""
    font = _font(size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=2000)
def _has_glyph(sign: str) -> bool:
    """True if the font has a sign: one that it lacks looks like U+FFFF, which no font has."""
    if sign == " ":
        return True
    return bytes(_font(20).getmask(sign)) != bytes(_font(20).getmask("\uffff"))
