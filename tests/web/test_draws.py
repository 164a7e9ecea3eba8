"""Seats drawn by the game's own rule, and what the page says of it."""

import re

import pytest

from tests.web.conftest import Marker, text


def drawn(marker: Marker, game: str, sheet: str = "") -> tuple[str, list[str]]:
    """What the page says while Ana draws a 5, Ben a king and Cem an ace, and the seats then."""
    names = ["Ana", "Ben", "Cem"]
    fields = {"game": game, "sheet": sheet, "name": names}
    page = marker.act("/games/new", fields | {"draw": "1"}).text
    fields |= {"drawing": "1", "drew": ["5", "K", "A"], "earlier": ["", "", ""]}
    seated = marker.act("/games/new", fields | {"draw": "1"}).text
    return text(page), re.findall(r'name="name" value="(\w+)"', seated)


@pytest.mark.parametrize(
    ("game", "sheet", "says", "seats"),
    [
        ("proter", "", "the highest (king high, ace low) deals first", ["Ben", "Ana", "Cem"]),
        ("indian_rummy", "", "the lowest (king high, ace low) deals first", ["Cem", "Ana", "Ben"]),
        ("contract_rummy", "gamerules", "the lowest (king high", ["Cem", "Ana", "Ben"]),
        ("contract_rummy", "denexa", "the highest (king high", ["Ben", "Ana", "Cem"]),
        ("kalooki", "", "the highest (king high", ["Ben", "Ana", "Cem"]),
    ],
)
def test_seats_are_drawn_by_the_rule_of_the_sheet(marker, game, sheet, says, seats):
    page, order = drawn(marker, game, sheet)
    assert says in page
    assert order == seats


def test_where_the_rules_say_nothing_the_page_says_so(marker):
    assert "The rules of Kalooki do not say who deals first." in drawn(marker, "kalooki")[0]
    assert "do not say" in drawn(marker, "contract_rummy", "denexa")[0]
    for game, sheet, rule in (
        ("proter", "", "PRO-2"),
        ("indian_rummy", "", "IND-6"),
        ("contract_rummy", "gamerules", "CON-1"),
    ):
        page, _ = drawn(marker, game, sheet)
        assert "do not say" not in page
        assert f"draw again. {rule}" in page
