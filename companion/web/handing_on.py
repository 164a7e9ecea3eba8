"""Handing the book on: a code for another phone, shown once."""

from __future__ import annotations

from typing import Final, NamedTuple

import segno
from flask import Blueprint, abort, current_app, request, url_for
from flask.typing import ResponseReturnValue

from companion.services.handing_on import VALID, offer
from companion.web.acting import book_of
from companion.web.house import database, game_only, marker
from companion.web.pages import game_page
from companion.web.viewers import only_here

bp = Blueprint("handing_on", __name__)


class Way(NamedTuple):
    """One way to hand on."""

    whole: bool
    resigns: bool
    title: str
    says: str


_OF_NOTEBOOK: Final = {
    "game": Way(False, False, "This game", "both phones keep it; the others stay here"),
    "notebook": Way(True, False, "The whole notebook", "both phones keep it"),
    "notebook-all": Way(True, True, "The whole notebook, and I stop", "this phone keeps nothing"),
}
_OF_GAME: Final = {
    "game": Way(False, False, "This game", "both phones keep it"),
    "game-all": Way(False, True, "This game, and I stop", "this phone keeps nothing"),
}


def _ways() -> dict[str, Way]:
    return _OF_GAME if game_only() else _OF_NOTEBOOK


@bp.get("/games/<game_id>/hand-on")
def form(game_id: str) -> ResponseReturnValue:
    """What to hand on, and whether this phone goes on."""
    return game_page("handing_on/form.html", book_of(game_id), "", ways=_ways())


@bp.post("/games/<game_id>/hand-on")
def code(game_id: str) -> ResponseReturnValue:
    """Make a code and show it, this once: a picture to scan, an address, digits."""
    book = book_of(game_id)
    way = (_OF_GAME if marker().game_id else _OF_NOTEBOOK).get(request.form.get("way", ""))
    if way is None:
        abort(400)
    made = offer(
        database(),
        game_id,
        marker().id,
        secret=str(current_app.config["SECRET_KEY"]),
        whole=way.whole,
        resigns=way.resigns,
    )
    address = url_for("joining.join_link", key=made.link, _external=True)
    drawn = segno.make(address, error="m", micro=False)
    return game_page(
        "handing_on/code.html",
        book,
        "",
        way=way,
        made=made,
        digits=f"{made.digits[:4]} {made.digits[4:]}",
        minutes=int(VALID.total_seconds()) // 60,
        address=address,
        join=url_for("joining.join", _external=True),
        picture=drawn.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True),
        size=8 * drawn.symbol_size(border=4)[0],
        only_here=only_here(address),
    )
