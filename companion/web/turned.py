"""The card that is turned before the deal, in games where it says what is wild."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.describe import turned_word
from companion.notebook.events import CardTurned
from companion.notebook.hand_sheet import HandSheet
from companion.rules.cards import Rank
from companion.web.acting import Refused, act, loaded_game
from companion.web.hand import hand_sent, past_hand_page
from companion.web.pages import game_page, refused_page
from companion.web.rulings.facts import TURNED_RANKS
from companion.web.upcoming_hands import hand_ahead

bp = Blueprint("turned", __name__)


@bp.before_request
def needs_turned_card() -> None:
    """Answer 404 in a game in which no card is turned before the deal."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id and not loaded_game(game_id).sheet.game.wild_turned:
        abort(404)


@bp.app_template_global("ranks_turned")
def ranks_turned() -> tuple[Rank, ...]:
    """Every rank that a card can have that is turned."""
    return TURNED_RANKS


@bp.get("/games/<game_id>/turned")
def form(game_id: str) -> ResponseReturnValue:
    """Which card was turned before the deal."""
    loaded = loaded_game(game_id)
    if loaded.sheet.over:
        flash("The game is over. Correct its last hand to say that another card was turned.")
        return redirect(url_for("hand.show", game_id=game_id), 303)
    ahead = hand_ahead(loaded.sheet)
    number = (ahead or loaded.sheet.hand).number
    return game_page("hand/turned.html", loaded, "Hand", errors=[], number=number)


@bp.post("/games/<game_id>/turned")
def turn(game_id: str) -> ResponseReturnValue:
    """Write down which card was turned."""
    number, rank = hand_sent(loaded_game(game_id).sheet), request.form.get("rank", "")[:10]
    try:
        after, _ = act(game_id, lambda _: CardTurned(number, rank))
    except Refused as refused:
        if number != refused.loaded.sheet.hand.number:
            return past_hand_page(refused, number, "The card turned up", "Hand")
        return refused_page("hand/turned.html", refused, "Hand", number=number)
    tell_turned(after.sheet.hand)
    page = "rulings.form" if request.form.get("after") == "ruling" else "hand.show"
    return redirect(url_for(page, game_id=game_id), 303)


def tell_turned(hand: HandSheet) -> None:
    """Tell what is wild, once it is on record which card was turned."""
    if hand.turned is not None:
        wild = hand.rules.needs()[0].says
        flash(f"Turned up: {turned_word(hand.turned)}. Wild: {wild}.", "success")
