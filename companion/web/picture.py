"""The picture that a messenger shows beside a viewer's link: the standings, as a PNG.

It is drawn with a font of its own that writes Latin, Greek and Cyrillic. A name in another script,
which would need shaping, is told by its seat instead; the words beside the picture have it in full.
"""

from __future__ import annotations

import io
import threading
import unicodedata
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from companion.notebook.describe import score
from companion.notebook.scoresheet import ScoreSheet
from companion.services.game_log import LoadedGame
from companion.store import State

SIZE: Final = (1200, 630)
FONT: Final = Path(__file__).with_name("fonts") / "DejaVuSans-Bold.ttf"
_CLOTH, _PAPER, _INK, _RED, _GOLD = "#0f4430", "#fbfaf5", "#17221c", "#b3202a", "#f2cf7b"
_MARGIN: Final = 64
_FIRST: Final = 176
_MOST_ROWS: Final = 8
_MOST_KEPT: Final = 32

_kept: OrderedDict[State, bytes] = OrderedDict()
_lock: Final = threading.Lock()


def picture(loaded: LoadedGame) -> bytes:
    """The standings of a game as a PNG of 1200 × 630; drawn once for each state of the game."""
    state = loaded.record.state
    with _lock:
        known = _kept.get(state)
    if known is not None:
        return known
    drawn = draw(loaded.sheet)
    with _lock:
        _kept[state] = drawn
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return drawn


def draw(sheet: ScoreSheet) -> bytes:
    """The standings as they are."""
    image = Image.new("RGB", SIZE, _CLOTH)
    pen = ImageDraw.Draw(image)
    for at, suit in enumerate("♣♦♥♠"):
        left = SIZE[0] - _MARGIN - (4 - at) * 84
        pen.rounded_rectangle((left, 44, left + 72, 140), 10, fill=_PAPER)
        pen.text((left + 36, 92), suit, _RED if suit in "♦♥" else _INK, _font(52), anchor="mm")
    pen.text((_MARGIN, 92), heading(sheet), _PAPER, _font(60), anchor="lm")
    standings = sheet.standings()[:_MOST_ROWS]
    height = min((SIZE[1] - _FIRST - 30) // max(len(standings), 1), 110)
    size = min(height * 6 // 10, 56)
    for row, one in enumerate(standings):
        middle = _FIRST + row * height + height // 2
        colour = _GOLD if one.place == 1 and sheet.marked else _PAPER
        total = score(one.total)
        end = SIZE[0] - _MARGIN - _font(size).getlength(total) - 30
        pen.text((_MARGIN, middle), f"{one.place}.", colour, _font(size), anchor="lm")
        start = _MARGIN + _font(size).getlength("00. ")
        name = cut(drawable(sheet.names[one.player], one.player + 1), size, end - start)
        pen.text((start, middle), name, colour, _font(size), anchor="lm")
        pen.text((SIZE[0] - _MARGIN, middle), total, colour, _font(size), anchor="rm")
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def heading(sheet: ScoreSheet) -> str:
    """How far the game has come: ``Hand 5 of 13``."""
    return "Final score" if sheet.over else f"Hand {sheet.hand.number} of {sheet.game.hands}"


def drawable(name: str, seat: int) -> str:
    """The name without emoji, or ``Player 2`` where the font cannot write it."""
    letters = "".join(
        sign
        for sign in unicodedata.normalize("NFC", name)
        if unicodedata.category(sign) not in {"So", "Sk", "Cf", "Cn", "Co", "Me"}
        and sign != "\ufe0f"
    )
    letters = " ".join(letters.split())
    return letters if letters and all(map(_writes, letters)) else f"Player {seat}"


def cut(text: str, size: int, width: float) -> str:
    """The text, or as much of it as fits into so many pixels, with an ellipsis."""
    font = _font(size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=2000)
def _writes(sign: str) -> bool:
    """Whether the font has a sign: what it has not looks like what no font has."""
    if sign == " ":
        return True
    return bytes(_font(20).getmask(sign)) != bytes(_font(20).getmask("\uffff"))
