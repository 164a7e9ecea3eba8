"""Translation: sentences are in English, unless a request sets another language.

The code has each sentence in English, with named values, and translates it where it is used::

    gettext("%(name)s deals.", name="Ana")
    ngettext("%(number)s card", "%(number)s cards", 3)
    listed(["Ana", "Ben", "Dora"])

A game's word for a hand or a wild card is filled in first: the catalogues have "End the hand" and
"End the round" as two sentences.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, copy_context
from gettext import NullTranslations
from typing import Final, Literal

# Letters of scripts that are written from right to left.
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)

_ISOLATE: Final = "\N{FIRST STRONG ISOLATE}"

GAME_WORDS: Final = ("hand_word", "hand_title", "wild_word")
"""The values of a sentence that are words of a game, in English (`companion.rules.game.Game`)."""

Style = Literal["standard", "or", "standard-narrow"]
"""How a list is written, by CLDR's names: ``Ana and Ben``, ``Ana or Ben``, ``Ana, Ben``."""


class Language(NullTranslations):
    """Translates sentences, and writes lists: itself English, in which sentences are written."""

    def listed(self, items: Sequence[str], style: Style, /) -> str:
        """Return the items as a list, without a comma before the last word."""
        last = {"standard": " and ", "or": " or ", "standard-narrow": ", "}[style]
        return last.join([*filter(None, [", ".join(items[:-1])]), *items[-1:]])


ENGLISH: Final = Language()
_language: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def set_language(language: Language) -> None:
    """Set the language of the current request."""
    _language.set(language)


def current_language() -> Language:
    """Return the language of the current request."""
    return _language.get()


def in_english(say: Callable[[], str]) -> str:
    """Return what ``say`` returns in English, whatever language is set: for stored words."""
    context = copy_context()
    context.run(set_language, ENGLISH)
    return context.run(say)


def gettext(sentence: str, /, **values: object) -> str:
    """Return the sentence in the current language, with its values."""
    sentence = in_game_words(sentence, values)
    return _filled(current_language().gettext(sentence) if sentence else "", values)


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the sentence for one thing or for many, with ``%(number)s`` as one of its values."""
    one, many = in_game_words(one, values), in_game_words(many, values)
    return _filled(current_language().ngettext(one, many, number), {"number": number} | values)


def in_game_words(sentence: str, values: Mapping[str, object]) -> str:
    """Return the English sentence with its `GAME_WORDS` filled in."""
    for name in GAME_WORDS:
        if name in values:
            sentence = sentence.replace(f"%({name})s", str(values[name]))
    return sentence


def listed(items: Iterable[str], style: Style = "standard") -> str:
    """Return the items as a list in the current language: ``Ana, Ben and Dora``."""
    return current_language().listed([isolated(item) for item in items], style)


def noted(sentence: str) -> str:
    """Mark a sentence for the catalogues. It is translated later, when it is shown."""
    return sentence


def _filled(sentence: str, values: Mapping[str, object]) -> str:
    if not values:
        return sentence
    return sentence % {
        name: isolated(value) if isinstance(value, str) else value for name, value in values.items()
    }


def isolated(text: str) -> str:
    """Isolate text in a right-to-left script, so that the words around it keep their order."""
    if _RIGHT_TO_LEFT.search(text) and _ISOLATE not in text:
        return f"{_ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text
