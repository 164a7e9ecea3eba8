"""Names of players and titles of games: what may be written down."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from companion.notebook.refusal import NotPossible

LONGEST_NAME = 30
LONGEST_TITLE = 60


def check_name(name: str, others: Sequence[str], field: str) -> None:
    """Raise `NotPossible` unless the name has 1 to 30 characters and nobody else has it."""
    if not name or name != name.strip():
        raise NotPossible("A player needs a name.", field)
    if len(name) > LONGEST_NAME:
        raise NotPossible(
            f"“{name[:LONGEST_NAME]}…” is too long: a name has {LONGEST_NAME} characters at most.",
            field,
        )
    _check_printable(name, field)
    if same_name(name) in {same_name(other) for other in others}:
        raise NotPossible(f"Two players are called {name}. Tell them apart.", field)


def same_name(name: str) -> str:
    """Two names that look alike give the same text: case and composed letters do not matter."""
    return unicodedata.normalize("NFKC", name).casefold()


def _check_printable(text: str, field: str) -> None:
    # Control characters and lone surrogates cannot be shown, and some could turn a line around.
    # The joiners (ZWJ, ZWNJ) are letters' business in several scripts and in emoji.
    for character in text:
        kind = unicodedata.category(character)
        if kind in {"Cc", "Cs", "Zl", "Zp"} or character in _TURNING:
            raise NotPossible("This has a character that cannot be shown. Type it anew.", field)
    if not any(unicodedata.category(c)[0] not in "ZC" for c in text):
        raise NotPossible("This has nothing in it that can be seen. Type it anew.", field)


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_title(title: str) -> None:
    """Raise `NotPossible` unless the title is empty or has 1 to 60 characters that show."""
    if not title:
        return
    if title != title.strip() or len(title) > LONGEST_TITLE:
        raise NotPossible(f"A title has {LONGEST_TITLE} characters at most.", "title")
    _check_printable(title, "title")
