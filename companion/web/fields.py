"""What forms have in common: their base class, and fields for small numbers, lines and cards."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Any

import wtforms
from flask import get_template_attribute
from markupsafe import Markup
from wtforms import Field, IntegerField, StringField

MOST_CARDS = 60
LONGEST_CARD = 8  # “8H=6C” has five letters
MOST_MELDS = 100
LONGEST_MELD = 300

_SMALL_NUMBER = re.compile("[0-9]{1,5}")


class Form(wtforms.Form):
    """A form of a page, read from ``request.form`` or ``request.args``.

    It has no field for the CSRF token: `CSRFProtect` checks every POST.
    """


def small_number(text: str) -> int:
    """Return a number of at most five digits. Raises `ValueError` for anything else."""
    if not _SMALL_NUMBER.fullmatch(text):
        raise ValueError("Not a small number.")
    return int(text)


def one_line(text: str) -> str:
    """Return a text on one line, with single spaces and none at its ends.

    A text of more than 1,000 characters is cut: it is still longer than any field allows.
    """
    return " ".join(text[:1000].split())


class NumberField(IntegerField):
    """A whole number in digits of any script; ``data`` is None if blank or not a number."""

    pattern = re.compile(r"[+-]?\d{1,12}")  # int() would take 1_0, too

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read a number; its minus may be a hyphen or a minus sign."""
        if valuelist:
            text = valuelist[0].strip().replace("−", "-")
            self.data = int(text) if self.pattern.fullmatch(text) else None

    @property
    def entered(self) -> str:
        """The text that was entered, even if it is not a number."""
        default = "" if self.data is None else self.data
        return str(self.raw_data[0] if self.raw_data else default).strip()[:200]


class SmallNumberField(NumberField):
    """A seat, a hand, or points; ``data`` is None unless it is a `small_number`."""

    pattern = _SMALL_NUMBER


class LineField(StringField):
    """A text on one line, as `one_line` returns it."""

    data: str

    def __init__(self, label: str = "", filters: Any = (), **kwargs: Any) -> None:
        filters = [lambda data: one_line(str(data or "")), *filters]
        super().__init__(label, filters=filters, **kwargs)


class LinesField(Field):
    """One line from each field of this name, at most twenty."""

    data: list[str]

    def process_data(self, value: list[str] | None) -> None:
        """Take the default, or an empty value."""
        self.data = value or []

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read every line."""
        self.data = [one_line(text) for text in valuelist[:20]]


class WordField(StringField):
    """One of ``words``; any other text gives the default."""

    data: str

    def __init__(self, words: Collection[str], default: str = "", **kwargs: Any) -> None:
        filters = [lambda text: text if text in words else default]
        super().__init__(filters=filters, default=default, **kwargs)


class FactField(Field):
    """A fact, sent as ``1`` or ``0``; ``data`` is None if it was not stated."""

    data: bool | None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the last value: a tapped button comes after the page's hidden field."""
        self.data = {"0": False, "1": True}.get("".join(valuelist[-1:]))


class TextsField(Field):
    """Texts from all fields of this name: at most ``most``, each cut to ``longest``, no blanks."""

    data: tuple[str, ...]

    def __init__(self, most: int, longest: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most, self.longest = most, longest

    def process_data(self, value: tuple[str, ...] | None) -> None:
        """Take the default, or an empty value."""
        self.data = tuple(value or ())

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read every text."""
        texts = [text[: self.longest] for text in valuelist[: self.most]]
        self.data = tuple(text for text in texts if text.strip())


def draw_cards(field: Field, kind: str = "checkbox", **shown: Any) -> Markup:
    """Draw the pack as keys: boxes to tick, or buttons (``submit``) that answer with one tap.

    Keyword arguments say what else the grid shows: see templates/_cards.html.
    """
    draw = get_template_attribute("_cards.html", "card_grid")
    ticked = field.data if kind == "checkbox" else ()
    shown = {"id": field.id, "kind": kind, "checked": ticked} | shown
    return Markup(draw(field.name, **shown))  # noqa: S704 (from a macro)


class CardsField(TextsField):
    """Cards as text, each as often as it was ticked."""

    widget = staticmethod(draw_cards)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(MOST_CARDS, LONGEST_CARD, **kwargs)


class CardField(LineField):
    """One card of the pack, as text."""

    widget = partial(draw_cards, kind="submit")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(filters=[lambda text: text[:LONGEST_CARD]], **kwargs)


class MeldsField(Field):
    """The melds that the page showed on the table, as card text; ``data`` is None if not sent."""

    data: tuple[str, ...] | None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the melds, which semicolons separate."""
        if valuelist:
            melds = [meld.strip()[:LONGEST_MELD] for meld in valuelist[0].split(";")[:MOST_MELDS]]
            self.data = tuple(meld for meld in melds if meld)
