"""The rules of a hand, by the id of the game."""

from typing import Any

from companion.rules.game import Deck
from companion.rules.games import game_named


def rules_of(
    game: str, hand: int = 1, sheet: str | None = None, deck: Deck | None = None, **house: Any
) -> Any:
    """Return the rules of a hand, with the house rules of the sheet and the given ones."""
    named = game_named(game)
    return named.rules(named.house(sheet, house), hand, deck)
