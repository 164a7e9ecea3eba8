"""Thirteen cards each, held in Indian Rummy where eights are wild, and what they count (IND-8)."""

from collections.abc import Callable

from companion.notebook.events import CardTurned, Event, HandMarked, PenaltyCharged
from tests.web.asking import the_book
from tests.web.conftest import Marker, text, write

ANA, BEN, CHANDI = "0", "1", "2"
EARLY, LATE, WRONG = "IND-7.1", "IND-7.2", "IND-8"


# Two clean sequences, and 2 + 3 + 5 and three kings of two suits left.
BENS = ["4H", "5H", "6H", "7H", "9C", "TC", "JC", "2S", "3D", "5D", "KS", "KS", "KC"]
# No sequence without a wild card: all count, the eight and the joker nothing.
CHANDIS = ["8D", "XX", "AC", "AD", "3H", "5C", "7C", "9D", "JD", "QS", "KH", "4S", "6S"]
BENS_LEFT, CHANDIS_LEFT = 2 + 3 + 5 + 30, 20 + 3 + 5 + 7 + 9 + 30 + 4 + 6


def saved(marker: Marker, to: str, fields: dict[str, object], form: str = "") -> None:
    """Fill a form in and send it, which must be written down."""
    marker.saved(form or to, fields, to=to)


def turn(marker: Marker, game: str, rank: str = "8") -> None:
    """Write down which card was turned up."""
    _write(marker, game, lambda hand: CardTurned(hand, rank))


def declared(marker: Marker, game: str, out: str) -> None:
    """Write down a first Rummy."""
    _write(marker, game, lambda hand: HandMarked(hand, int(out), ()))


def charged(marker: Marker, game: str, player: str, rule: str) -> None:
    """Write down a penalty, or that a player leaves."""
    _write(marker, game, lambda hand: PenaltyCharged(hand, int(player), rule))


def _write(marker: Marker, game: str, make: Callable[[int], Event]) -> None:
    app = marker.client.application
    write(app, marker, game, make(the_book(app, marker, game).sheet.hand.number))


def main(page: str) -> str:
    """What the main part of a page says."""
    return text(page.partition("<main")[2])
