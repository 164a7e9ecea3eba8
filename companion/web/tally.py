"""The final tally: for the printer, for spreadsheets, for another installation."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from companion.notebook.scoresheet import ScoreSheet
from companion.services import exchange
from companion.web.acting import book_of
from companion.web.house import database
from companion.web.pages import game_page

bp = Blueprint("tally", __name__)


@dataclass(frozen=True, slots=True)
class PenaltyLine:
    """A charge on the tally, worked-out ones included."""

    hand: int
    name: str
    rule: str
    title: str
    points: int


def penalty_lines(sheet: ScoreSheet) -> list[PenaltyLine]:
    """Every charge that stands, hand by hand in the order of seats."""
    return [
        PenaltyLine(
            hand.number,
            sheet.names[player],
            charge.rule,
            sheet.game.charge(charge.rule).title,
            charge.points,
        )
        for hand in sheet.hands
        for player in sheet.players
        for charge in hand.mark(player).charges
    ]


def changed_rules(sheet: ScoreSheet) -> list[tuple[str, str, str]]:
    """The house rules that differ from the sheet: rule number, title, this table's choice."""
    house = sheet.house
    return [
        (rule.rule, rule.title, rule.says(house[rule.id]))
        for rule in sheet.game.house_rules
        if house[rule.id] != rule.defaults[house.sheet]
    ]


def tally_context(sheet: ScoreSheet) -> dict[str, object]:
    """What the tally's template needs beside the sheet."""
    return {
        "standings": sheet.standings(),
        "penalties": penalty_lines(sheet),
        "changed_rules": changed_rules(sheet),
        "sheet_title": next(s.title for s in sheet.game.sheets if s.id == sheet.house.sheet),
        "rulings": [line for hand in sheet.hands for line in hand.rulings],
    }


@bp.get("/games/<game_id>/tally")
def show(game_id: str) -> ResponseReturnValue:
    """The tally, to be read and to be printed."""
    book = book_of(game_id)
    return game_page("tally/show.html", book, "Tally", **tally_context(book.sheet))


@bp.get("/games/<game_id>/tally.csv")
def as_csv(game_id: str) -> ResponseReturnValue:
    """The sheet for a spreadsheet, with the mark by which it knows UTF-8."""
    sheet = book_of(game_id).sheet
    return _download("\ufeff" + exchange.as_csv(sheet), "text/csv", sheet.name, "csv")


@bp.get("/games/<game_id>/game.json")
def as_json(game_id: str) -> ResponseReturnValue:
    """The whole game, to be read in elsewhere."""
    book = book_of(game_id)
    text = exchange.as_json(database(), book)
    return _download(text, "application/json", book.sheet.name, "json")


def _download(text: str, kind: str, name: str, ending: str) -> Response:
    response = Response(text, content_type=f"{kind}; charset=utf-8")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-") or "game"
    full = quote(f"{name}.{ending}".replace("/", "-"), safe="")
    response.headers["Content-Disposition"] = (
        f"attachment; filename=\"{plain}.{ending}\"; filename*=UTF-8''{full}"
    )
    return response
