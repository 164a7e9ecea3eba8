"""“May I?”: who of those who ask gets the card that a player does not want."""

from __future__ import annotations

from typing import Any, NamedTuple

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.notebook.events import Event, UpcardGiven
from companion.notebook.scoresheet import ScoreSheet
from companion.services.game_log import LoadedGame, NotFound, who_wrote
from companion.services.rulings import last_taker, next_to_play, rule_on_upcard, why_upcard
from companion.web.acting import Refused, act, loaded_game
from companion.web.auth import database
from companion.web.fields import small_number
from companion.web.hand import hand_sent, is_past, past_hand_page
from companion.web.pages import game_page, refused_page
from companion.web.rulings.ask import BEGUN_SAYS
from companion.web.upcoming import book_ahead, check_hand

bp = Blueprint("upcards", __name__)

MOST_ASKERS = 10
NOBODY = "nobody"


@bp.before_request
def needs_may_i() -> None:
    """Answer 404 where the table has no rule by which others may ask for the card."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id and not loaded_game(game_id).sheet.hand.rules.may_i_rule:
        abort(404)


class MayI(NamedTuple):
    """The question as far as it was entered: whose turn, who asked, who took the card before.

    ``hand`` is the hand that it was asked in, where that had not begun yet.
    """

    player: int | None = None
    asked: tuple[int, ...] = ()
    last_taker: int | None = None
    hand: int | None = None


def _read(form: MultiDict[str, str]) -> MayI:
    return MayI(
        form.get("player", type=small_number),
        tuple(sorted(set(form.getlist("asked", type=small_number)[:MOST_ASKERS]))),
        form.get("last_taker", type=small_number),
        form.get("hand", type=small_number),
    )


def _in_its_hand(loaded: LoadedGame, asked: MayI) -> tuple[LoadedGame, MayI]:
    """The game as the question sees it: with its hand open, if that has not begun."""
    ahead = book_ahead(loaded, asked.hand)
    return (loaded, asked._replace(hand=None)) if ahead is None else (ahead, asked)


@bp.get("/games/<game_id>/may-i")
def form(game_id: str) -> ResponseReturnValue:
    """Who asked for the card that lies on the pile."""
    loaded, asked = _in_its_hand(loaded_game(game_id), _read(request.args))
    sheet = loaded.sheet
    player = asked.player if asked.player in sheet.players else next_to_play(sheet)
    before = last_taker(sheet.hand, sheet)
    context = _context(sheet, MayI(player, (), before, asked.hand))
    return game_page("rulings/may_i.html", loaded, "Rulings", errors=[], **context)


@bp.post("/games/<game_id>/may-i")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on who gets it, and keep the ruling."""
    asked, number = _read(request.form), hand_sent(loaded_game(game_id).sheet)

    def make(sheet: ScoreSheet) -> Event:
        check_hand(sheet, number)
        return rule_on_upcard(sheet, asked.player, asked.asked, asked.last_taker)

    try:
        _, entry = act(game_id, make)
    except Refused as refused:
        if is_past(refused.loaded.sheet, number):
            return past_hand_page(refused, number, "“May I?”", "Rulings")
        refused.loaded, asked = _in_its_hand(refused.loaded, asked)
        context = _context(refused.loaded.sheet, asked)
        return refused_page("rulings/may_i.html", refused, "Rulings", **context)
    return redirect(url_for("upcards.show", game_id=game_id, number=entry.number), 303)


@bp.get("/games/<game_id>/may-i/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """Who gets the card, and why."""
    loaded = loaded_game(game_id)
    return game_page("rulings/may_i_ruled.html", loaded, "Rulings", **_seen(loaded, number))


def _context(sheet: ScoreSheet, asked: MayI) -> dict[str, Any]:
    seats = [(str(seat), sheet.names[seat]) for seat in sheet.players]
    before = NOBODY if asked.last_taker is None else str(asked.last_taker)
    return {
        "seats": seats,
        "player": "" if asked.player is None else str(asked.player),
        "asked": [str(seat) for seat in asked.asked],
        "before": before,
        "ahead_of": asked.hand,
        "begun_says": BEGUN_SAYS.format("The"),
        "again": "",
        "befores": [(NOBODY, "Nobody"), *seats],
        "rule": sheet.hand.rules.may_i_rule,
    }


def _seen(loaded: LoadedGame, number: int) -> dict[str, Any]:
    sheet = loaded.sheet
    entry = loaded.entries[number - 1] if 1 <= number <= len(loaded.entries) else None
    if entry is None or not isinstance(entry.event, UpcardGiven):
        raise NotFound("ruling")
    given = entry.event
    lines = [line.entry.number for line in sheet.hands[given.hand - 1].upcards]
    return {
        "entry": entry,
        "given": given,
        "why": why_upcard(sheet, given),
        "stands": number in lines,
        "rule": sheet.hand.rules.may_i_rule,
        "is_open": given.hand == sheet.hand.number and not sheet.over,
        "by": who_wrote(database(), loaded),
    }
