"""How names are made alike for searching, in any script."""

import unicodedata

# The Turkish dotless i: "I" folds to "i", and so must the letter that it is the capital of.
_DOTLESS_I = str.maketrans("ı", "i")


def folded(text: str) -> str:
    """The text as it is searched: without case, accents, and differences of spelling in Unicode.

    "İSTANBUL" and "istanbul" become the same, as do "ΝΊΚΟΣ" and "Νίκος", "Ａna" and "ana". White
    space becomes single spaces. Folding what is folded changes nothing.
    """
    spelt_out = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(letter for letter in spelt_out if not _is_mark(letter)).translate(_DOTLESS_I)
    return " ".join(kept.split())


def _is_mark(letter: str) -> bool:
    # Accents and vowel points; the two selectors that make a sign text or emoji; and halves of a
    # surrogate pair, which are no characters and which no database stores; nor does every one NUL.
    return (
        unicodedata.combining(letter) != 0
        or letter in "\0\ufe0e\ufe0f"
        or "\ud800" <= letter <= "\udfff"
    )
