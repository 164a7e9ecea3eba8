"""What those who look on may see: the sheet and the tally of one game, and nothing else."""

from __future__ import annotations

import segno
from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.scoresheet import ScoreSheet
from companion.services.books import open_for_viewer
from companion.web.acting import book_of
from companion.web.house import database
from companion.web.look import settings
from companion.web.pages import game_page
from companion.web.tally import tally_context

bp = Blueprint("viewers", __name__)


def _page(template: str, key: str, sheet: ScoreSheet, section: str, **context: object) -> str:
    return render_template(
        template,
        sheet=sheet,
        game=sheet,
        section=section,
        game_nav=[
            ("Sheet", url_for("viewers.sheet", key=key)),
            ("Tally", url_for("viewers.tally", key=key)),
        ],
        home_url=url_for("viewers.sheet", key=key),
        viewer_key=key,
        settings=settings(),
        **context,
    )


@bp.get("/v/<key>")
def sheet(key: str) -> ResponseReturnValue:
    """The score sheet, which follows the game."""
    found = open_for_viewer(database(), key).sheet
    return _page("viewers/sheet.html", key, found, "Sheet")


@bp.get("/v/<key>/live")
def live(key: str) -> ResponseReturnValue:
    """The score sheet again if there is anything after entry ``since``; otherwise 204."""
    found = open_for_viewer(database(), key).sheet
    if request.args.get("since") == str(found.number):
        return "", 204
    return _page("viewers/_live.html", key, found, "Sheet")


@bp.get("/v/<key>/tally")
def tally(key: str) -> ResponseReturnValue:
    """The tally."""
    found = open_for_viewer(database(), key).sheet
    return _page("viewers/tally.html", key, found, "Tally", **tally_context(found))


@bp.get("/games/<game_id>/code")
def code(game_id: str) -> ResponseReturnValue:
    """The viewers' address as a code for other phones to scan."""
    book = book_of(game_id)
    address = url_for("viewers.sheet", key=book.record.viewer_key, _external=True)
    picture = segno.make(address, error="m").svg_data_uri(
        scale=8, border=3, dark="#000", light="#fff"
    )
    return game_page("viewers/code.html", book, "", address=address, picture=picture)
