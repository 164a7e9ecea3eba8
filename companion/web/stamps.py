"""The stamps of pages that a phone keeps: another one whenever the page would be another one."""

from __future__ import annotations

import hashlib
from typing import Final

from companion.notebook import rummies
from companion.notebook.scoresheet import ScoreSheet
from companion.services.books import Book
from companion.web.assets import version
from companion.web.look import settings

_LASTING: Final = frozenset({"rules.of_game", "again.form"})


def stamp(endpoint: str, book: Book, *, ahead: bool = False, begun: bool = False) -> str:
    """The stamp of a page of the game: ``ahead`` one of a hand that has not begun.

    ``begun`` says of the page that begins the next game whether that has begun.
    """
    sheet = book.sheet
    lasts: tuple[object, ...] = (version(), settings(), sheet.names, sheet.title, sheet.deck, begun)
    if not ahead and endpoint not in _LASTING:
        lasts += (book.record.last_number, book.record.updated_at)
    if ahead and sheet.game.judge.declares:
        lasts += _known_ahead(endpoint, sheet)
    return hashlib.sha256(repr((endpoint, lasts)).encode()).hexdigest()[:12]


def _known_ahead(endpoint: str, sheet: ScoreSheet) -> tuple[object, ...]:
    """What a page of a hand that has not begun shows of the record, where Rummies end the hands."""
    turned = None if endpoint == "penalties.form" else sheet.hand.turned
    playing = () if endpoint == "hand.show" else sheet.playing
    made = sorted(rummies.declared(sheet)) if endpoint == "end.form" else ()
    return turned, playing, made
