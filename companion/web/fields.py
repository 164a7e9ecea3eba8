"""Fields that more than one form has: a number of a few digits, words on one line.

The forms are those of WTForms, not of Flask-WTF, which signs a token for each: every request that
writes is checked by `CSRFProtect`, and a page's token is signed when the page is drawn.
"""

from __future__ import annotations

from wtforms import Field, IntegerField
from wtforms.widgets import TextInput


def small_number(text: str) -> int:
    """Return a number of at most five digits. Raises `ValueError` for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise ValueError("Not a small number.")
    return int(text)


def number_or_none(text: str) -> int | None:
    """Return a number of at most five digits; None for anything else."""
    try:
        return small_number(text)
    except ValueError:
        return None


def one_line(text: str) -> str:
    """Return words without the spaces at their ends and repeated ones.

    What is longer than anything that is allowed is cut, and still too long.
    """
    return " ".join(text[:1000].split())


class SmallNumberField(IntegerField):
    """A seat, a hand, or points: ``data`` is None for what is no small number."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read a number of at most five digits."""
        if valuelist:
            self.data = None
            self.data = small_number(valuelist[0].strip())

    @property
    def entered(self) -> str:
        """What was entered, number or not."""
        return str(self.raw_data[0])[:200] if self.raw_data else ""


class LineField(Field):
    """Words on one line: spaces at the ends and repeated ones do not count."""

    widget = TextInput()
    data: str

    def process_data(self, value: str | None) -> None:
        """Begin with nothing."""
        self.data = value or ""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the line."""
        if valuelist:
            self.data = one_line(valuelist[0])


class LinesField(Field):
    """The lines of all the fields of one name, twenty at most."""

    widget = TextInput()
    data: list[str]

    def process_data(self, value: list[str] | None) -> None:
        """Begin with none."""
        self.data = value or []

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read every line."""
        self.data = [one_line(text) for text in valuelist[:20]]
