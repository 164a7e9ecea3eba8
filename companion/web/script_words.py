"""The sentences that scripts say, and what a page tells them of these in its own language."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

SCRIPTS: Final = Path(__file__).resolve().parents[2] / "static" / "js"
# A plural depends on the number, or on its last two digits.
_NUMBERS: Final = range(200)


@lru_cache(maxsize=1)
def sentences() -> tuple[str | tuple[str, ...], ...]:
    """Return every sentence of the scripts; one that depends on a number in both its forms."""
    from babel.messages.extract import (  # English needs none of it
        DEFAULT_KEYWORDS,
        extract_from_dir,
    )

    found = extract_from_dir(SCRIPTS, [("**.js", "javascript")], keywords=DEFAULT_KEYWORDS)
    return tuple(dict.fromkeys(message for _, _, message, _, _ in found))


def words(translations: Any) -> dict[str, Any]:
    """Return what static/js/page.js looks sentences up in.

    That is each sentence in the language; a list of its forms if it depends on a number, and under
    "" which of these is said of each number.
    """
    forms = [translations.plural(number) for number in _NUMBERS]
    said: dict[str, Any] = {"": forms}
    for message in sentences():
        if isinstance(message, tuple):
            one, many = message
            numbers = [forms.index(form) for form in range(max(forms) + 1)]
            said[one] = [translations.ngettext(one, many, number) for number in numbers]
        else:
            said[message] = translations.gettext(message)
    return said
