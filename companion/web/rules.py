"""The rules of the games, numbered as in the rulebook, with a table's house rules marked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from companion.rules.game import Game
from companion.rules.games import KEPT
from companion.rules.house import House
from companion.services.tally import sheet_title
from companion.web.acting import book_of
from companion.web.pages import game_page, plain_page

bp = Blueprint("rules", __name__)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of a house rule on the rules page: its sentence, and where it holds.

    ``sheets`` are the titles of the sheets that have it; ``here`` is true for this table's choice.
    """

    value: str
    says: str
    sheets: tuple[str, ...]
    here: bool


@dataclass(frozen=True, slots=True)
class HouseRuleText:
    """A house rule on the rules page. ``changed`` is true where the table left its sheet."""

    id: str
    title: str
    options: tuple[Option, ...]
    changed: bool


def house_rule_texts(game: Game, house: House | None = None) -> dict[str, list[HouseRuleText]]:
    """The house rules by the number of the rule that they belong to."""
    found: dict[str, list[HouseRuleText]] = defaultdict(list)
    for rule in game.house_rules:
        here = None if house is None else house[rule.id]
        values = [choice.value for choice in rule.choices]
        if here is not None and here not in values:
            values.append(here)
        options = tuple(
            Option(
                str(value),
                rule.says(value),
                tuple(s.title for s in game.sheets if rule.defaults[s.id] == value),
                value == here,
            )
            for value in values
        )
        changed = house is not None and here != rule.defaults[house.sheet]
        found[rule.rule].append(HouseRuleText(rule.id, rule.title, options, changed))
    return found


@bp.get("/rules")
def index() -> ResponseReturnValue:
    """The games whose rules can be read."""
    return plain_page("rules/index.html", games=KEPT.values())


@bp.get("/rules/<game>")
def show(game: str) -> ResponseReturnValue:
    """A game's rules, with every house rule's choices and where they come from."""
    if game not in KEPT:
        abort(404)
    known = KEPT[game]
    return plain_page(
        f"rules/{game}.html",
        sheet_titles=[one.title for one in known.sheets],
        house_rules=house_rule_texts(known),
        house=None,
    )


@bp.get("/games/<game_id>/rules")
def of_game(game_id: str) -> ResponseReturnValue:
    """A game's rules as this table plays them."""
    book = book_of(game_id)
    game, house = book.sheet.game, book.sheet.house
    return game_page(
        f"rules/{game.id}.html",
        book,
        "Rules",
        sheet_title=sheet_title(book.sheet),
        house_rules=house_rule_texts(game, house),
        house=house,
    )
