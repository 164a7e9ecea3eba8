"""Names of players and titles of games: what may be written down."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from companion.notebook.characters import characters, drawn, is_no_character, is_seen, look
from companion.notebook.refusal import NotPossible

LONGEST_NAME: Final = 30
LONGEST_TITLE: Final = 60
LONGEST_REASON: Final = 60
# The most that any script or emoji puts into one character is 11 (a family of four, each with a
# skin tone); a letter that is buried in marks would cover the lines around it.
_MOST_IN_ONE: Final = 12


def check_name(name: str, others: Sequence[str], field: str) -> None:
    """Raise `NotPossible` unless the name has 1 to 30 characters and nobody else has it.

    Characters are counted as people do: a letter with its accents is one, and so is an emoji.
    """
    if not name.strip():
        raise NotPossible("A player needs a name.", field)
    _check_text(name, LONGEST_NAME, "name", field)
    if same_name(name) in {same_name(other) for other in others}:
        raise NotPossible(f"Two players are called {name}. Tell them apart.", field)


def same_name(name: str) -> str:
    """Two names that look alike give the same text: case and composed letters do not matter."""
    return look(name)


def drawn_name(name: str) -> str:
    """Two names that many typefaces draw alike give the same text, like Il and ll.

    They may be two people's, but hardly anybody means them to be.
    """
    return drawn(name)


def check_title(title: str) -> None:
    """Raise `NotPossible` unless the title is empty or has 1 to 60 characters that show."""
    if title:
        _check_text(title, LONGEST_TITLE, "title", "title")


def check_nickname(text: str) -> None:
    """Raise `NotPossible` unless a phone can be called so: as players are, and by several alike."""
    _check_text(text, LONGEST_NAME, "name", "nickname")


def check_reason(text: str, field: str) -> None:
    """Raise `NotPossible` unless a reason of the table has 1 to 60 characters that show."""
    if not text.strip():
        raise NotPossible("Say what for, in a few words.", field)
    _check_text(text, LONGEST_REASON, "reason", field)


def _check_text(text: str, longest: int, what: str, field: str) -> None:
    # However long the text is, no more of it is looked at than could be kept.
    beginning = text[: longest * _MOST_IN_ONE]
    if any(_is_refused(code) for code in beginning):
        raise NotPossible("This has a character that cannot be shown. Type it anew.", field)
    letters = characters(beginning)
    if len(letters) > longest or text != beginning:
        raise NotPossible(
            f"“{''.join(letters[:longest])}…” is too long: a {what} has {longest} characters at "
            "most.",
            field,
        )
    if text != text.strip():
        raise NotPossible("This begins or ends with a space. Take the space away.", field)
    if not any(is_seen(code) for code in text):
        raise NotPossible("This has nothing in it that can be seen. Type it anew.", field)
    if any(len(letter) > _MOST_IN_ONE for letter in letters):
        raise NotPossible("This has more marks on one letter than can be shown.", field)


def _is_refused(code: str) -> bool:
    # Control characters and lone surrogates cannot be shown, and some could turn a line around.
    # The joiners (ZWJ, ZWNJ) are letters' business in several scripts and in emoji.
    kind = unicodedata.category(code)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or code in _TURNING or is_no_character(code)


# Embeddings, overrides and isolates, and what is no longer to be used (U+206A … U+206F).
_TURNING: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
)
