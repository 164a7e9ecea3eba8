"""The language of what is said: English, unless a page is asked for in another.

A sentence is written in English where it belongs, with its values by name, and translated there::

    gettext("%(name)s deals.", name="Ana")
    ngettext("%(number)s card", "%(number)s cards", 3)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, Protocol

# Letters of scripts that are written from right to left.
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


class Language(Protocol):
    """Translates English sentences, as the catalogues of ``gettext`` do."""

    def gettext(self, message: str, /) -> str:
        """Return the sentence in this language, as it is if there is no translation."""

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the sentence for this number of things."""


class English:
    """The language that sentences are written in."""

    def gettext(self, message: str, /) -> str:
        """Return the sentence."""
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the first sentence for one thing, and the second for any other number."""
        return msgid1 if n == 1 else msgid2


ENGLISH: Final = English()
_spoken: ContextVar[Language] = ContextVar("spoken", default=ENGLISH)


def speak(language: Language) -> None:
    """Make the sentences of this request in this language."""
    _spoken.set(language)


def spoken() -> Language:
    """Return the language that sentences are made in."""
    return _spoken.get()


def gettext(sentence: str, /, **values: object) -> str:
    """Return the sentence in the language that is spoken, with its values."""
    return _filled(spoken().gettext(sentence) if sentence else "", values)


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the sentence for a number of things, which stands in it as ``%(number)s``."""
    return _filled(spoken().ngettext(one, many, number), {"number": number} | values)


def noted(sentence: str) -> str:
    """Mark a sentence of a table for the catalogues: it is translated when it is shown."""
    return sentence


def _filled(sentence: str, values: Mapping[str, object]) -> str:
    if not values:
        return sentence
    return sentence % {name: _kept_apart(value) for name, value in values.items()}


def _kept_apart(value: object) -> object:
    """Return a name of a script from right to left so that the words around it stay in place."""
    if isinstance(value, str) and _RIGHT_TO_LEFT.search(value):
        return f"\N{FIRST STRONG ISOLATE}{value}\N{POP DIRECTIONAL ISOLATE}"
    return value
